//! The names of picture files. Portals copy pictures under the name that the agency's software gave them.

use super::tokens::hash_bytes;
use crate::value::WebAddress;

/// The number of names that are kept.
pub const PICTURES_MAX: usize = 8;

/// Returns the hashes of the specific names among the addresses, each once.
pub fn picture_names<'a>(addresses: impl Iterator<Item = &'a WebAddress>) -> Vec<u32> {
    let mut names = Vec::new();
    for hash in addresses
        .filter_map(|address| specific_name(address.as_str()))
        .map(|name| hash_bytes(name.as_bytes()))
    {
        if names.len() < PICTURES_MAX && !names.contains(&hash) {
            names.push(hash);
        }
    }
    names
}

/// Returns the name of the file without its ending and its size. `None` for one like "1.jpg" or "photo-2-large.webp".
fn specific_name(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?;
    let file = path.rsplit('/').next()?;
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let parts = stem.split(['-', '_', '.']).filter(|part| !is_size(part));
    let name = parts.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    let is_identifier =
        name.split('-').any(|part| part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    (digits >= 5 || is_identifier).then_some(name)
}

/// Returns `true` for "1024x768", "w800", "large", "thumb".
fn is_size(part: &str) -> bool {
    let part = part.to_ascii_lowercase();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    matches!(&*part, "large" | "small" | "medium" | "thumb" | "thumbnail" | "xl" | "xxl" | "hd" | "full")
        || part.split_once('x').is_some_and(|(width, height)| is_number(width) && is_number(height))
        || part.strip_prefix(['w', 'h']).is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_specific_names_count() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(specific_name(address).as_deref(), expected, "{address}");
        };
        check("https://a.example/img/1.jpg", None);
        check("https://a.example/img/photo-2-large.webp", None);
        check("https://a.example/800x600/LV2311_0042391.jpg?w=3", Some("lv2311-0042391"));
        check("https://b.example/x/lv2311_0042391-1024x768.webp", Some("lv2311-0042391"));
        check("https://b.example/9f86d081884c7d659a2f.png", Some("9f86d081884c7d659a2f"));
    }
}
