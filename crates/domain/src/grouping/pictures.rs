//! The names of picture files. Portals copy pictures under the name that the agency's software gave them.

use memchr::{memchr2, memrchr};

use super::tokens::hash_bytes;
use crate::value::WebAddress;

/// The number of names that are kept.
pub const PICTURES_MAX: usize = 8;

/// The number of addresses that are read. The first pictures are the same on all portals, the last ones are not.
const READ_MAX: usize = 16;

/// Returns the hashes of the specific names among the addresses, each once.
pub fn picture_names<'a>(addresses: impl Iterator<Item = &'a WebAddress>) -> Vec<u32> {
    let mut names = Vec::new();
    // One text for all names: an advert has up to 16.
    let mut name = String::new();
    for address in addresses.take(READ_MAX) {
        if !read_specific_name(address.as_str(), &mut name) {
            continue;
        }
        let hash = hash_bytes(name.as_bytes());
        if !names.contains(&hash) {
            names.push(hash);
        }
        if names.len() == PICTURES_MAX {
            break;
        }
    }
    names
}

/// Reads the name of the file without its ending and its size. Returns `false` for one like "1.jpg" or "photo-2-large.webp".
///
/// All marks are ASCII, so that the bytes of an address can be searched, which is most of the work for an advert with many pictures.
fn read_specific_name(address: &str, name: &mut String) -> bool {
    let end = memchr2(b'?', b'#', address.as_bytes()).unwrap_or(address.len());
    let path = &address[..end];
    let file = memrchr(b'/', path.as_bytes()).map_or(path, |slash| &path[slash + 1..]);
    let stem = memrchr(b'.', file.as_bytes()).map_or(file, |point| &file[..point]);
    name.clear();
    let (mut is_identifier, mut digits) = (false, 0);
    let mut rest = Some(stem);
    while let Some(text) = rest {
        let mark = text.bytes().position(|byte| matches!(byte, b'-' | b'_' | b'.'));
        let part = &text[..mark.unwrap_or(text.len())];
        rest = mark.map(|mark| &text[mark + 1..]);
        if is_size(part) {
            continue;
        }
        is_identifier |= part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        digits += part.bytes().filter(u8::is_ascii_digit).count();
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(part);
    }
    name.make_ascii_lowercase();
    digits >= 5 || is_identifier
}

/// Returns `true` for "1024x768", "w800", "large", "thumb".
fn is_size(part: &str) -> bool {
    const NAMES: [&str; 9] = ["large", "small", "medium", "thumb", "thumbnail", "xl", "xxl", "hd", "full"];
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    // The first mark, as in "800x600": whatever follows it must be a number.
    let sides = |text: &[u8]| {
        let mark = text.iter().position(|byte| *byte == b'x')?;
        Some(is_number(&text[..mark]) && is_number(&text[mark + 1..]))
    };
    match part.as_bytes() {
        bytes @ [b'0'..=b'9', ..] => sides(bytes).unwrap_or(false),
        [b'w' | b'h', width @ ..] if is_number(width) => true,
        _ => NAMES.iter().any(|name| part.len() == name.len() && part.eq_ignore_ascii_case(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_specific_names_count() {
        let check = |address: &str, expected: Option<&str>| {
            let mut name = "before".to_owned();
            let found = read_specific_name(address, &mut name).then_some(&*name);
            assert_eq!(found, expected, "{address}");
        };
        check("https://a.example/img/1.jpg", None);
        check("https://a.example/img/photo-2-large.webp", None);
        check("https://a.example/800x600/LV2311_0042391.jpg?w=3", Some("lv2311-0042391"));
        check("https://b.example/x/lv2311_0042391-1024x768.webp", Some("lv2311-0042391"));
        check("https://b.example/9f86d081884c7d659a2f.png", Some("9f86d081884c7d659a2f"));
    }
}
