//! Web addresses with spaces, quotes or without a scheme.

use std::fmt::Write;

use domain::WebAddress;
use domain::value::WebAddressError;

use super::{Reading, is_not_given};

/// Reads a web address. A correct one is returned as it is.
pub fn read(text: &str) -> Reading<WebAddress> {
    // Nearly no address has an ampersand, and a search for one byte is much quicker.
    let encoded = memchr::memchr(b'&', text.as_bytes()).is_some() && text.contains("&amp;");
    if !encoded && let Ok(address) = WebAddress::parse(text) {
        return Reading::Value(address);
    }
    if is_not_given(text) {
        return Reading::NotGiven;
    }
    let unquoted = text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '<' | '>' | '«' | '»' | '“' | '”')
            || super::text::is_invisible(c)
    });
    let decoded = if encoded { unquoted.replace("&amp;", "&") } else { unquoted.to_owned() };
    let spelled = encode_spaces(&decoded);
    let lower = spelled.get(..8).unwrap_or(&spelled).to_ascii_lowercase();
    if lower.starts_with("//") {
        // Relative to the scheme of the page: every site answers with https.
        return parsed(&format!("https:{spelled}"));
    }
    if lower.starts_with("www.") {
        return match parsed(&format!("https://{spelled}")) {
            Reading::Value(address) => {
                let remark = format!("has no scheme; \"{address}\" was kept");
                Reading::Remarked(address, remark)
            }
            other => other,
        };
    }
    parsed(&spelled)
}

fn parsed(text: &str) -> Reading<WebAddress> {
    match WebAddress::parse(text) {
        Ok(address) => Reading::Value(address),
        Err(WebAddressError::Malformed) => Reading::Unusable("is not a URL"),
        Err(WebAddressError::OtherScheme) => Reading::Unusable("is not an http or https URL"),
        Err(WebAddressError::TooLong { .. }) => {
            Reading::Unusable("is too long for a URL; at most 2048 bytes are allowed")
        }
    }
}

/// Encodes spaces. Line breaks, tabs and control characters are removed, as browsers do.
fn encode_spaces(text: &str) -> String {
    if !text.chars().any(|c| c.is_whitespace() || c.is_control() || super::text::is_invisible(c)) {
        return text.to_owned();
    }
    let mut spelled = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '\n' | '\r' | '\t') || c.is_control() || super::text::is_invisible(c) {
            continue;
        }
        if c.is_whitespace() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(spelled, "%{byte:02X}");
            }
        } else {
            spelled.push(c);
        }
    }
    spelled
}
