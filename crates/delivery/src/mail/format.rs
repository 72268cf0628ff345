//! Sanitises untrusted text for e-mails, and formats numbers in French.

use domain::{Amount, TransactionType, WebAddress};
use url::Url;

/// Thousands separator: narrow no-break space.
const THOUSANDS_SEPARATOR: char = '\u{202f}';
/// Between a number and its unit: no-break space.
const UNIT_SEPARATOR: char = '\u{a0}';

/// Reduces a text to one line of at most `characters_max` characters. Line ends, control characters and characters
/// that change the text direction are removed, so that untrusted text cannot imitate ours.
pub fn single_line(text: &str, characters_max: usize) -> String {
    let mut clean = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let word = word.chars().filter(|c| !is_invisible_control(*c));
        let space = (!clean.is_empty()).then_some(' ');
        for (index, character) in word.enumerate() {
            if length >= characters_max {
                clean.push('…');
                return clean;
            }
            if let Some(space) = space.filter(|_| index == 0) {
                clean.push(space);
                length += 1;
            }
            clean.push(character);
            length += 1;
        }
    }
    clean
}

/// Returns whether a character is invisible and changes the display: direction marks, separators, the byte order
/// mark, tags.
fn is_invisible_control(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Makes a line safe for a header. Text that looks like an encoded word must not be decoded by mail programs.
pub fn header_safe(line: &str) -> String {
    line.replace("=?", "= ?")
}

/// Escapes a text for HTML, including attribute values.
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Returns the canonical URL of a link: ASCII, without spaces or quotes. `None` if it is not a web page or contains
/// a user name: `https://bank.example@other.example/` is misleading.
pub fn safe_link(address: &WebAddress) -> Option<Url> {
    let url = Url::parse(address.as_str()).ok()?;
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    (web && url.username().is_empty() && url.password().is_none()).then_some(url)
}

/// As [`safe_link`], but HTTPS only, so that third parties cannot see which picture is loaded.
pub fn safe_picture(address: &WebAddress) -> Option<Url> {
    safe_link(address).filter(|url| url.scheme() == "https")
}

/// Formats `250 000 €` or `1 200 €/mois`.
pub fn price(amount: Amount, transaction: TransactionType) -> String {
    let per = match transaction {
        TransactionType::Sell => "",
        TransactionType::Rent => "/mois",
    };
    format!("{}{UNIT_SEPARATOR}€{per}", number(amount, 2))
}

/// Formats `75,5 m²`.
pub fn surface(amount: Amount) -> String {
    format!("{}{UNIT_SEPARATOR}m²", number(amount, 1))
}

/// Formats `1 pièce` or `3 pièces`.
pub fn rooms(count: u32) -> String {
    let plural = if count < 2 { "" } else { "s" };
    format!("{}{UNIT_SEPARATOR}pièce{plural}", thousands(u64::from(count)))
}

/// Formats `1 nouveau bien` or `3 nouveaux biens`.
pub fn new_listings(count: u64) -> String {
    match count {
        0 | 1 => format!("{count} nouveau bien"),
        _ => format!("{} nouveaux biens", thousands(count)),
    }
}

/// Formats `et 1 autre bien` or `et 12 autres biens`.
pub fn other_listings(count: u64) -> String {
    match count {
        0 | 1 => format!("et {count} autre bien"),
        _ => format!("et {} autres biens", thousands(count)),
    }
}

/// Formats a number with up to `decimals` decimals; none for an integer.
fn number(amount: Amount, decimals: usize) -> String {
    let written = format!("{:.decimals$}", amount.get());
    let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
    let whole = group_thousands(whole);
    if fraction.bytes().all(|digit| digit == b'0') { whole } else { format!("{whole},{fraction}") }
}

fn thousands(count: u64) -> String {
    group_thousands(&count.to_string())
}

fn group_thousands(digits: &str) -> String {
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(THOUSANDS_SEPARATOR);
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(number: f64) -> Amount {
        Amount::new(number).unwrap()
    }

    #[test]
    fn numbers_are_formatted_in_french() {
        let check = |found: String, expected: &str| {
            assert_eq!(found.replace([THOUSANDS_SEPARATOR, UNIT_SEPARATOR], " "), expected);
        };
        check(price(amount(250_000.0), TransactionType::Sell), "250 000 €");
        check(price(amount(1_234_567.5), TransactionType::Sell), "1 234 567,50 €");
        check(price(amount(999.0), TransactionType::Rent), "999 €/mois");
        check(price(amount(0.0), TransactionType::Sell), "0 €");
        check(price(amount(1e12), TransactionType::Sell), "1 000 000 000 000 €");
        check(surface(amount(75.0)), "75 m²");
        check(surface(amount(75.54)), "75,5 m²");
        check(surface(amount(75.96)), "76 m²");
        check(rooms(1), "1 pièce");
        check(rooms(12), "12 pièces");
        check(new_listings(1), "1 nouveau bien");
        check(new_listings(1_000), "1 000 nouveaux biens");
        check(other_listings(1), "et 1 autre bien");
        check(other_listings(2), "et 2 autres biens");
    }

    #[test]
    fn single_line_is_bounded() {
        for (text, expected) in [
            ("  deux\r\n\tmots ", "deux mots"),
            ("a\u{0}b\u{1b}[31mc", "a b [31mc"),
            ("ici\u{202e}ehcuag\u{2066}", "iciehcuag"),
            ("a\u{2028}b\u{feff}\u{200b}", "a b"),
            ("exactement", "exactement"),
            ("exactement!", "exactement…"),
            ("abcdefghi jklm", "abcdefghi j…"),
            ("", ""),
            ("\u{200b} \u{202e}", ""),
        ] {
            assert_eq!(single_line(text, 10), expected, "{text:?}");
        }
        assert_eq!(single_line(&"é".repeat(5_000), 100).chars().count(), 101);
    }

    #[test]
    fn only_web_pages_are_linked() {
        let check = |text: &str, expected: Option<&str>| {
            let address = WebAddress::parse(text).unwrap();
            assert_eq!(safe_link(&address).map(String::from).as_deref(), expected, "{text}");
        };
        check("https://agence.example/a?b=c", Some("https://agence.example/a?b=c"));
        check("HTTP://agence.example", Some("http://agence.example/"));
        check("https://agence.example/\"><script>'", Some("https://agence.example/%22%3E%3Cscript%3E'"));
        check("https://bank.example@other.example/", None);
        let http = WebAddress::parse("http://agence.example/1.jpg").unwrap();
        assert_eq!(safe_picture(&http), None);
    }
}
