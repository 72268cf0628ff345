//! Dates: read in every form the contract and real clients use, written in one.

use domain::Timestamp;
use domain::ports::whole_second;
use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

/// Reads `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601 with `T`, with or without `Z` or an offset. Without one, the
/// service's time zone is meant; a bare date is its midnight.
pub fn parse(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    // The parsers accept more than the contract (weeks, bracketed zones, durations); digits first and no brackets leaves
    // what is meant.
    if text.len() > 40 || text.contains('[') || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(whole_second(moment));
    }
    // An offset without a colon (`+0200`) is common in logs and exports.
    if let Ok(moment) = Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", text) {
        return Some(whole_second(moment));
    }
    let civil = match text.parse::<DateTime>() {
        Ok(civil) => civil,
        Err(_) => text.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight()),
    };
    zone.to_ambiguous_zoned(civil).compatible().ok().map(|zoned| whole_second(zoned.timestamp()))
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
    fn anything_else_is_no_date() {
        for text in ["", "tomorrow", "2026-13-01", "2026-02-30", "15/01/2026", "2026-W03", "P1D", "20", "-1"]
        {
            assert_eq!(parse(text, &paris()), None, "{text}");
        }
    }
}
