//! Writes numbers, dates, texts and places in the forms that [`styles`](super::styles) name.

use domain::Timestamp;
use jiff::tz::TimeZone;

/// `295 000,5` with `space` between thousands. A dot between thousands leaves the comma for decimals.
pub fn grouped(number: f64, space: char) -> String {
    let text = number.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let digits: Vec<char> = whole.chars().collect();
    let mut grouped = String::new();
    for (position, digit) in digits.iter().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(space);
        }
        grouped.push(*digit);
    }
    if !decimals.is_empty() {
        grouped.push(',');
        grouped.push_str(decimals);
    }
    grouped
}

pub fn with_comma(number: f64) -> String {
    number.to_string().replace('.', ",")
}

/// `295000.00`; more decimals are kept, so that the value stays the same.
pub fn two_decimals(number: f64) -> String {
    let rounded = format!("{number:.2}");
    if rounded.parse() == Ok(number) { rounded } else { number.to_string() }
}

/// Formats a date in the time zone of France. `None` for the hour that the end of summer time repeats, which a date without an
/// offset cannot tell from the one before.
pub fn local_date(timestamp: Timestamp, format: &str) -> Option<String> {
    let zone = TimeZone::get("Europe/Paris").ok()?;
    let zoned = timestamp.to_zoned(zone.clone());
    let read_back = zone.to_timestamp(zoned.datetime()).ok()?;
    (read_back == timestamp).then(|| zoned.strftime(format).to_string())
}

const MONTHS: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];

/// `1er mars 2026 09:30:00`
pub fn long_date(timestamp: Timestamp) -> Option<String> {
    let zone = TimeZone::get("Europe/Paris").ok()?;
    let date = timestamp.to_zoned(zone);
    let day = if date.day() == 1 { "1er".to_owned() } else { date.day().to_string() };
    let month = MONTHS.get(usize::try_from(date.month()).ok()?.checked_sub(1)?)?;
    local_date(timestamp, &format!("{day} {month} %Y %H:%M:%S"))
}

/// `Thu, 31 Dec 2026 23:59:59 +0100`
pub fn mail_date(timestamp: Timestamp) -> Option<String> {
    let zone = TimeZone::get("Europe/Paris").ok()?;
    jiff::fmt::rfc2822::to_string(&timestamp.to_zoned(zone)).ok()
}

/// `Paris 15e Arrondissement` as portals write it: `Paris 15ème`. Other names stay.
pub fn district_spelling(name: &str) -> String {
    let Some(district) = name.strip_suffix(" Arrondissement") else { return name.to_owned() };
    match district.rsplit_once(' ') {
        Some((city, "1er")) => format!("{city} 1er"),
        Some((city, number)) => format!("{city} {}ème", number.trim_end_matches('e')),
        None => name.to_owned(),
    }
}

/// Returns the code of the department, as the zipcode tells it. `20` is Corsica as a whole, which portals write as well.
pub fn department(zipcode: &str) -> &str {
    let digits = if zipcode.starts_with("97") { 3 } else { 2 };
    zipcode.get(..digits).unwrap_or(zipcode)
}

/// Replaces characters that are not ASCII, and those with a meaning in HTML, by entities.
pub fn entities(text: &str) -> String {
    let mut written = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        match character {
            'é' => written.push_str("&eacute;"),
            'è' => written.push_str("&egrave;"),
            'à' => written.push_str("&agrave;"),
            'ç' => written.push_str("&ccedil;"),
            '²' => written.push_str("&sup2;"),
            'œ' => written.push_str("&oelig;"),
            '\'' => written.push_str("&#39;"),
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            ascii if ascii.is_ascii() => written.push(ascii),
            other => written.push_str(&format!("&#x{:X};", u32::from(other))),
        }
    }
    written
}

/// Writes a text as a paragraph, with a break after each sentence.
pub fn html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('é', "&eacute;");
    let sentences: Vec<&str> = text.split(". ").collect();
    format!("<p class=\"texte\"><b>{}</b></p>", sentences.join(".<br />\r\n"))
}

/// The characters that Windows-1252 has at 0x80 to 0x9F; `\0` where it has none.
const WINDOWS_1252: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“',
    '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// Encodes a text in Windows-1252. Characters that it lacks become question marks.
pub fn windows_1252(text: &str) -> Vec<u8> {
    let byte = |character: char| match u8::try_from(u32::from(character)) {
        Ok(byte) if !(0x80..0xa0).contains(&byte) => byte,
        _ => match WINDOWS_1252.iter().position(|known| *known == character) {
            Some(position) => 0x80 + position as u8,
            None => b'?',
        },
    };
    text.chars().map(byte).collect()
}

/// Replaces the characters at 0x80 to 0x9F by the control characters with these numbers.
pub fn control_characters(text: &str) -> String {
    let control = |character: char| match WINDOWS_1252.iter().position(|known| *known == character) {
        Some(position) => char::from(0x80 + position as u8),
        None => character,
    };
    text.chars().map(control).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_portals_write_them() {
        assert_eq!(grouped(1_295_000.5, ' '), "1 295 000,5");
        assert_eq!(grouped(950.0, '.'), "950");
        assert_eq!(two_decimals(1_234.5), "1234.50");
        assert_eq!(district_spelling("Paris 15e Arrondissement"), "Paris 15ème");
        assert_eq!(district_spelling("Lyon 1er Arrondissement"), "Lyon 1er");
        assert_eq!(department("97400"), "974");
        assert_eq!(entities("été à l'œil <3"), "&eacute;t&eacute; &agrave; l&#39;&oelig;il &lt;3");
        assert_eq!(windows_1252("é€"), [0xe9, 0x80]);
        assert_eq!(control_characters("cœur"), "c\u{9c}ur");
    }

    #[test]
    fn dates_are_written_in_local_time() {
        let winter: Timestamp = "2026-03-01T08:30:00Z".parse().unwrap();
        assert_eq!(local_date(winter, "%d/%m/%Y %H:%M:%S").unwrap(), "01/03/2026 09:30:00");
        assert_eq!(long_date(winter).unwrap(), "1er mars 2026 09:30:00");
        assert_eq!(mail_date(winter).unwrap(), "Sun, 1 Mar 2026 09:30:00 +0100");
        // 02:30 occurs twice on this day; only the first one can be read back.
        let repeated: Timestamp = "2026-10-25T01:30:00Z".parse().unwrap();
        assert_eq!(local_date(repeated, "%H:%M"), None);
    }
}
