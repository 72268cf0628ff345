//! The names of picture files. Portals copy pictures under the name that the agency's software gave them.

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
fn read_specific_name(address: &str, name: &mut String) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    name.clear();
    let mut is_identifier = false;
    for part in stem.split(['-', '_', '.']).filter(|part| !is_size(part)) {
        is_identifier |= part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(part);
    }
    name.make_ascii_lowercase();
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    digits >= 5 || is_identifier
}

/// Returns `true` for "1024x768", "w800", "large", "thumb".
fn is_size(part: &str) -> bool {
    const NAMES: [&str; 9] = ["large", "small", "medium", "thumb", "thumbnail", "xl", "xxl", "hd", "full"];
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    NAMES.iter().any(|name| part.len() == name.len() && part.eq_ignore_ascii_case(name))
        || part.split_once('x').is_some_and(|(width, height)| is_number(width) && is_number(height))
        || part.strip_prefix(['w', 'h']).is_some_and(is_number)
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
