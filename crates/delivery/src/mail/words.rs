//! What strangers wrote, made fit to be read; and numbers as they are written in French.

use domain::{Amount, TransactionType, WebAddress};
use url::Url;

/// Between thousands: narrow, and no line ends there.
const THIN_SPACE: char = '\u{202f}';
/// Between a number and its unit.
const FIXED_SPACE: char = '\u{a0}';

/// One line of at most so many characters. Whatever steers a terminal, a mail program or the direction of writing is dropped,
/// and so are line ends: nobody else's text may look like ours.
pub fn line(text: &str, characters_max: usize) -> String {
    let mut clean = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let word = word.chars().filter(|c| !steers(*c));
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

/// Invisible, and changes what is seen: marks of direction, separators, the byte order mark, tags.
fn steers(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// As part of a header. What looks like an encoded word is text like any other, but readers would decode it, line ends and all.
pub fn in_header(line: &str) -> String {
    line.replace("=?", "= ?")
}

/// As HTML, where it is text and nothing else; within quotes as well.
pub fn escaped(text: &str) -> String {
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

/// An address somebody may click on, in its canonical spelling: ASCII, without spaces or quotes. None if it is no page of the web,
/// or if it names a user: `https://bank.example@other.example/` is made to be misread.
pub fn link(address: &WebAddress) -> Option<Url> {
    let url = Url::parse(address.as_str()).ok()?;
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    (web && url.username().is_empty() && url.password().is_none()).then_some(url)
}

/// As [`link`], and nobody on the way sees which picture is looked at.
pub fn picture(address: &WebAddress) -> Option<Url> {
    link(address).filter(|url| url.scheme() == "https")
}

/// `250 000 €`, `1 200 €/mois`.
pub fn price(amount: Amount, transaction: TransactionType) -> String {
    let per = match transaction {
        TransactionType::Sell => "",
        TransactionType::Rent => "/mois",
    };
    format!("{}{FIXED_SPACE}€{per}", number(amount, 2))
}

/// `75,5 m²`.
pub fn surface(amount: Amount) -> String {
    format!("{}{FIXED_SPACE}m²", number(amount, 1))
}

/// `1 pièce`, `3 pièces`.
pub fn rooms(count: u32) -> String {
    let plural = if count < 2 { "" } else { "s" };
    format!("{}{FIXED_SPACE}pièce{plural}", thousands(u64::from(count)))
}

/// `1 nouveau bien`, `3 nouveaux biens`.
pub fn new_homes(count: u64) -> String {
    match count {
        0 | 1 => format!("{count} nouveau bien"),
        _ => format!("{} nouveaux biens", thousands(count)),
    }
}

/// `et 1 autre bien`, `et 12 autres biens`.
pub fn other_homes(count: u64) -> String {
    match count {
        0 | 1 => format!("et {count} autre bien"),
        _ => format!("et {} autres biens", thousands(count)),
    }
}

/// With as many decimals as it has, or that many.
fn number(amount: Amount, decimals: usize) -> String {
    let written = format!("{:.decimals$}", amount.get());
    let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
    let whole = grouped(whole);
    if fraction.bytes().all(|digit| digit == b'0') { whole } else { format!("{whole},{fraction}") }
}

fn thousands(count: u64) -> String {
    grouped(&count.to_string())
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(THIN_SPACE);
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
    fn numbers_are_written_as_in_french() {
        let check = |found: String, expected: &str| {
            assert_eq!(found.replace([THIN_SPACE, FIXED_SPACE], " "), expected);
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
        check(new_homes(1), "1 nouveau bien");
        check(new_homes(1_000), "1 000 nouveaux biens");
        check(other_homes(1), "et 1 autre bien");
        check(other_homes(2), "et 2 autres biens");
    }

    #[test]
    fn a_line_is_one_line_of_bounded_length() {
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
            assert_eq!(line(text, 10), expected, "{text:?}");
        }
        assert_eq!(line(&"é".repeat(5_000), 100).chars().count(), 101);
    }

    #[test]
    fn only_pages_of_the_web_are_linked() {
        let check = |text: &str, expected: Option<&str>| {
            let address = WebAddress::parse(text).unwrap();
            assert_eq!(link(&address).map(String::from).as_deref(), expected, "{text}");
        };
        check("https://agence.example/a?b=c", Some("https://agence.example/a?b=c"));
        check("HTTP://agence.example", Some("http://agence.example/"));
        check("https://agence.example/\"><script>'", Some("https://agence.example/%22%3E%3Cscript%3E'"));
        check("https://bank.example@other.example/", None);
        let http = WebAddress::parse("http://agence.example/1.jpg").unwrap();
        assert_eq!(picture(&http), None);
    }
}
