//! Dates: read in every form the contract and real clients use, written in one.

use domain::Timestamp;
use domain::ports::whole_second;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

/// Reads `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601 with `T`, with or without `Z` or an offset. Without one, the
/// service's time zone is meant; a bare date is its midnight.
pub fn parse(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    exact(text, zone).map(whole_second)
}

/// The first second that is not before a date: dates are kept in whole seconds, so half a second past one means the next.
pub fn first_second(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let exact = forgiving(text, zone)?;
    let floor = whole_second(exact);
    if floor < exact { floor.checked_add(SignedDuration::from_secs(1)).ok() } else { Some(floor) }
}

/// The last second that is not after a date; of a bare date the last of that day, however long the day is.
pub fn last_second(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if !is_bare(text) {
        return forgiving(text, zone).map(whole_second);
    }
    // The last days of the calendar have no end that can be counted to: whoever names one means "no end".
    let no_end = whole_second(Timestamp::MAX);
    let Some(day) = exact(text, zone) else {
        return text
            .trim()
            .parse::<Date>()
            .ok()
            .filter(|date| date.year() == Date::MAX.year())
            .map(|_| no_end);
    };
    let tomorrow = day.to_zoned(zone.clone()).date().tomorrow().ok();
    let Some(midnight) = tomorrow.and_then(|date| start_of(date.to_datetime(Time::midnight()), zone)) else {
        return Some(no_end);
    };
    midnight.checked_sub(SignedDuration::from_secs(1)).ok()
}

/// A date without a time.
fn is_bare(text: &str) -> bool {
    !text.trim().contains(['T', 't', ' ', ':'])
}

/// Reads a date out of a query, where the plus of an offset that was not encoded has become a space.
fn forgiving(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    exact(text, zone).or_else(|| {
        let (date, offset) = text.trim().rsplit_once(' ')?;
        exact(&format!("{date}+{offset}"), zone)
    })
}

fn exact(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    // The parsers accept more than the contract (weeks, bracketed zones, durations); digits first and no brackets leaves
    // what is meant.
    if text.len() > 40 || text.contains('[') || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    // An offset without a colon (`+0200`) is common in logs and exports.
    if let Ok(moment) = Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", text) {
        return Some(moment);
    }
    let civil = match text.parse::<DateTime>() {
        Ok(civil) => civil,
        Err(_) => text.parse::<Date>().ok()?.to_datetime(Time::midnight()),
    };
    start_of(civil, zone)
}

/// The moment of a date and time in a zone: where clocks show it twice the first, where they skip it the one after.
fn start_of(civil: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_zoned(civil).compatible().ok().map(|zoned| zoned.timestamp())
}

/// ISO 8601 with the zone's offset, in whole seconds.
pub fn print(moment: Timestamp, zone: &TimeZone) -> String {
    strtime::format("%Y-%m-%dT%H:%M:%S%:z", &moment.to_zoned(zone.clone()))
        .unwrap_or_else(|_| moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paris() -> TimeZone {
        TimeZone::get("Europe/Paris").unwrap()
    }

    fn check(text: &str, expected: &str) {
        let read = parse(text, &paris()).map(|moment| print(moment, &paris()));
        assert_eq!(read.as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn every_accepted_form_is_read() {
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
    fn the_hour_that_does_not_exist_is_moved_forward() {
        check("2026-03-29 02:30:00", "2026-03-29T03:30:00+02:00");
    }

    #[test]
    fn bounds_are_the_first_and_last_second_that_is_meant() {
        let check = |text: &str, first: &str, last: &str| {
            let printed = |read: Option<Timestamp>| read.map(|moment| print(moment, &paris()));
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
        // What a plus becomes that was not encoded.
        check("2026-07-15T10:20:30 05:00", "2026-07-15T07:20:30+02:00", "2026-07-15T07:20:30+02:00");
        check("2026-07-15 10:20:30 0500", "2026-07-15T07:20:30+02:00", "2026-07-15T07:20:30+02:00");
        for wrong in ["2026-02-30", "2026-07-15 noon", "9999-12-31T23:59:59.5Z", ""] {
            assert_eq!(first_second(wrong, &paris()), None, "{wrong}");
        }
    }

    #[test]
    fn the_end_of_the_calendar_is_no_end() {
        for text in ["9999-12-31", "9999-12-30"] {
            assert_eq!(last_second(text, &paris()), Some(whole_second(Timestamp::MAX)), "{text}");
        }
        assert_eq!(last_second("9999-13-01", &paris()), None);
    }

    #[test]
    fn anything_else_is_no_date() {
        for text in ["", "tomorrow", "2026-13-01", "2026-02-30", "15/01/2026", "2026-W03", "P1D", "20", "-1"]
        {
            assert_eq!(parse(text, &paris()), None, "{text}");
        }
    }
}
