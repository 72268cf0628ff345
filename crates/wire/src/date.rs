//! Dates: parsed in every form of the contract and of existing clients, written in one.

use domain::Timestamp;
use domain::ports::whole_second;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime;
use jiff::tz::{Offset, TimeZone};

/// What errors say instead of a date that cannot be read.
pub const EXPECTED: &str = "a date such as 2026-03-02, 2026-03-02 14:30:00 or 2026-03-02T14:30:00+01:00";

/// Parses `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601 with `T`, with or without `Z` or an offset. Without an
/// offset, the service's time zone applies. A date without a time is its midnight.
pub fn parse(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    parse_exact(text, zone).map(whole_second)
}

/// Returns the first second that is not before a date. Timestamps have whole seconds, so a fraction rounds up.
pub fn first_second(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let exact = parse_lenient(text, zone)?;
    let floor = whole_second(exact);
    if floor < exact { floor.checked_add(SignedDuration::from_secs(1)).ok() } else { Some(floor) }
}

/// Returns the last second that is not after a date. For a date without a time this is the last second of that day,
/// however long the day is.
pub fn last_second(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if !is_date_only(text) {
        return parse_lenient(text, zone).map(whole_second);
    }
    // The last days of the calendar have no representable end. They mean "no end".
    let no_end = whole_second(Timestamp::MAX);
    let Some(day) = parse_exact(text, zone) else {
        return text
            .trim()
            .parse::<Date>()
            .ok()
            .filter(|date| date.year() == Date::MAX.year())
            .map(|_| no_end);
    };
    let tomorrow = day.to_zoned(zone.clone()).date().tomorrow().ok();
    let Some(midnight) = tomorrow.and_then(|date| resolve_in_zone(date.to_datetime(Time::midnight()), zone))
    else {
        return Some(no_end);
    };
    midnight.checked_sub(SignedDuration::from_secs(1)).ok()
}

/// Returns whether a text is a date without a time.
fn is_date_only(text: &str) -> bool {
    !text.trim().contains(['T', 't', ' ', ':'])
}

/// Parses a date from a query, where an unencoded `+` of an offset has become a space.
fn parse_lenient(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    parse_exact(text, zone).or_else(|| {
        let (date, offset) = text.trim().rsplit_once(' ')?;
        parse_exact(&format!("{date}+{offset}"), zone)
    })
}

fn parse_exact(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    // The parsers accept more than the contract (weeks, bracketed zones, durations). Requiring a leading digit and
    // no bracket excludes that.
    if text.len() > 40 || text.contains('[') || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(civil) = year_first(text) {
        return resolve_in_zone(civil, zone);
    }
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    // An offset without a colon (`+0200`) is common in logs and exports.
    if let Ok(timestamp) = Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", text) {
        return Some(timestamp);
    }
    let civil = match text.parse::<DateTime>() {
        Ok(civil) => civil,
        Err(_) => text.parse::<Date>().ok()?.to_datetime(Time::midnight()),
    };
    resolve_in_zone(civil, zone)
}

/// Fast path: reads `2026-03-02`, alone or with `14:30` or `14:30:00`, or `20260302T143000`, without an offset. Failing twice takes
/// several times as long.
fn year_first(text: &str) -> Option<DateTime> {
    let bytes = text.as_bytes();
    if let [year @ .., m, n, d, e, b'T', h, i, o, p, s, t] = bytes
        && year.len() == 4
    {
        let date = Date::new(digits(year)?, two_digits(&[*m, *n])?, two_digits(&[*d, *e])?).ok()?;
        let time =
            Time::new(two_digits(&[*h, *i])?, two_digits(&[*o, *p])?, two_digits(&[*s, *t])?, 0).ok()?;
        return Some(date.to_datetime(time));
    }
    let time = match bytes.get(10..)? {
        [] => Time::midnight(),
        [b' ' | b'T', time @ ..] => clock_time(time)?,
        _ => return None,
    };
    let [year @ .., b'-', _, _, b'-', _, _] = &bytes[..10] else { return None };
    let date = Date::new(digits(year)?, two_digits(&bytes[5..7])?, two_digits(&bytes[8..10])?).ok()?;
    Some(date.to_datetime(time))
}

/// Reads `14:30` or `14:30:00`.
pub(crate) fn clock_time(text: &[u8]) -> Option<Time> {
    let (hour, minute, second) = match text {
        [hour @ .., b':', _, _] if hour.len() == 2 => (hour, &text[3..5], 0),
        [hour @ .., b':', _, _, b':', _, _] if hour.len() == 2 => {
            (hour, &text[3..5], two_digits(&text[6..8])?)
        }
        _ => return None,
    };
    Time::new(two_digits(hour)?, two_digits(minute)?, second, 0).ok()
}

/// Reads at most four digits, and nothing else.
pub(crate) fn digits(text: &[u8]) -> Option<i16> {
    debug_assert!(text.len() <= 4, "a number of this length may be too large");
    text.iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i16::from(byte - b'0')))
}

pub(crate) fn two_digits(text: &[u8]) -> Option<i8> {
    digits(text).and_then(|number| i8::try_from(number).ok())
}

/// Returns the timestamp of a local time. In an overlap the earlier one; in a gap the time after it.
pub(crate) fn resolve_in_zone(civil: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_zoned(civil).compatible().ok().map(|zoned| zoned.timestamp())
}

/// Formats a timestamp as ISO 8601 with the zone's offset, in whole seconds.
pub fn format(timestamp: Timestamp, zone: &TimeZone) -> String {
    // Before time zones were agreed on, offsets had seconds, which ISO 8601 does not know. Rounded up, so that the first day of the
    // year 0 stays in that year.
    let seconds = zone.to_offset(timestamp).seconds();
    let minutes = seconds.div_euclid(60) + i32::from(seconds.rem_euclid(60) > 0);
    let rounded = Offset::from_seconds(minutes * 60).map_or_else(|_| zone.clone(), TimeZone::fixed);
    let zone = if seconds % 60 == 0 { zone.clone() } else { rounded };
    strtime::format("%Y-%m-%dT%H:%M:%S%:z", &timestamp.to_zoned(zone))
        .unwrap_or_else(|_| timestamp.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paris() -> TimeZone {
        TimeZone::get("Europe/Paris").unwrap()
    }

    proptest! {
        /// What is read at once is what the parser of all forms reads.
        #[test]
        fn usual_forms_are_read_as_all_others(
            text in "[0-9]{3,4}[-/][01][0-9]-[0-3][0-9]([T t][0-2][0-9]:[0-6][0-9](:[0-6][0-9])?)?[Z.]?\
                    |[0-9]{4}[01][0-9][0-3][0-9][Tt][0-2][0-9][0-6][0-9][0-6][0-9]",
        ) {
            let parsed = text.parse::<DateTime>();
            let parsed = parsed.or_else(|_| text.parse::<Date>().map(|date| date.to_datetime(Time::midnight())));
            if let Some(read) = year_first(&text) {
                prop_assert_eq!(Some(read), parsed.ok());
            }
        }
    }

    #[test]
    fn usual_forms_are_read_at_once() {
        for text in ["2026-03-02", "2026-03-02 14:30", "2026-03-02T14:30:00", "20260302T143000"] {
            assert!(year_first(text).is_some(), "{text}");
        }
    }

    fn check(text: &str, expected: &str) {
        let read = parse(text, &paris()).map(|timestamp| format(timestamp, &paris()));
        assert_eq!(read.as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn offsets_have_no_seconds() {
        let long_ago = "1799-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(format(long_ago, &paris()), "1799-01-01T00:10:00+00:10");
    }

    #[test]
    fn accepted_forms_parse() {
        check("2026-01-15", "2026-01-15T00:00:00+01:00");
        check("2026-07-15 10:20:30", "2026-07-15T10:20:30+02:00");
        check("2026-07-15T10:20:30", "2026-07-15T10:20:30+02:00");
        check("2026-07-15T10:20:30Z", "2026-07-15T12:20:30+02:00");
        check("2026-07-15T10:20:30.750Z", "2026-07-15T12:20:30+02:00");
        check("2026-07-15T10:20:30+05:00", "2026-07-15T07:20:30+02:00");
        check("2026-07-15T10:20:30+0500", "2026-07-15T07:20:30+02:00");
        check("2026-07-15 10:20:30+02:00", "2026-07-15T10:20:30+02:00");
    }

    #[test]
    fn nonexistent_hour_moves_forward() {
        check("2026-03-29 02:30:00", "2026-03-29T03:30:00+02:00");
    }

    #[test]
    fn bounds_are_first_and_last_second() {
        let check = |text: &str, first: &str, last: &str| {
            let printed = |read: Option<Timestamp>| read.map(|timestamp| format(timestamp, &paris()));
            assert_eq!(printed(first_second(text, &paris())).as_deref(), Some(first), "{text}");
            assert_eq!(printed(last_second(text, &paris())).as_deref(), Some(last), "{text}");
        };
        check("2026-01-15", "2026-01-15T00:00:00+01:00", "2026-01-15T23:59:59+01:00");
        // A day of 23 hours, and one of 25.
        check("2026-03-29", "2026-03-29T00:00:00+01:00", "2026-03-29T23:59:59+02:00");
        check("2026-10-25", "2026-10-25T00:00:00+02:00", "2026-10-25T23:59:59+01:00");
        check("2026-07-15 10:20:30", "2026-07-15T10:20:30+02:00", "2026-07-15T10:20:30+02:00");
        check("2026-07-15T10:20:30.750Z", "2026-07-15T12:20:31+02:00", "2026-07-15T12:20:30+02:00");
        check("1960-07-15T10:20:30.750Z", "1960-07-15T11:20:31+01:00", "1960-07-15T11:20:30+01:00");
        // An unencoded plus becomes a space.
        check("2026-07-15T10:20:30 05:00", "2026-07-15T07:20:30+02:00", "2026-07-15T07:20:30+02:00");
        check("2026-07-15 10:20:30 0500", "2026-07-15T07:20:30+02:00", "2026-07-15T07:20:30+02:00");
        for wrong in ["2026-02-30", "2026-07-15 noon", "9999-12-31T23:59:59.5Z", ""] {
            assert_eq!(first_second(wrong, &paris()), None, "{wrong}");
        }
    }

    #[test]
    fn end_of_calendar_is_unbounded() {
        for text in ["9999-12-31", "9999-12-30"] {
            assert_eq!(last_second(text, &paris()), Some(whole_second(Timestamp::MAX)), "{text}");
        }
        assert_eq!(last_second("9999-13-01", &paris()), None);
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in ["", "tomorrow", "2026-13-01", "2026-02-30", "15/01/2026", "2026-W03", "P1D", "20", "-1"]
        {
            assert_eq!(parse(text, &paris()), None, "{text}");
        }
    }
}
