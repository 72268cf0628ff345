//! When the next backup is due.

use std::time::Duration;

use domain::Timestamp;
use jiff::ToSpan;
use jiff::civil::Time;
use jiff::tz::TimeZone;

/// When backups are made.
#[derive(Debug, Clone)]
pub enum Schedule {
    /// This long after the last one.
    Every(Duration),
    /// Once a day at a time of day.
    Daily(Time, TimeZone),
}

impl Schedule {
    /// Returns when the next backup is due after the last one. A backup that was missed, because no server ran, is due at once and made
    /// once.
    pub fn due_after(&self, last: Timestamp) -> Timestamp {
        match self {
            Self::Every(interval) => last.saturating_add(*interval).unwrap_or(Timestamp::MAX),
            Self::Daily(time, zone) => {
                let last = last.to_zoned(zone.clone());
                // A time that the clocks skip on this day is the one after the gap.
                let on = |date: jiff::civil::Date| date.to_datetime(*time).to_zoned(zone.clone());
                let today = on(last.date()).ok().filter(|today| *today > last);
                let due = today.or_else(|| on(last.date().checked_add(1.day()).ok()?).ok());
                due.map_or(Timestamp::MAX, |due| due.timestamp())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn interval_counts_from_the_last_backup() {
        let schedule = Schedule::Every(Duration::from_secs(6 * 3_600));
        assert_eq!(schedule.due_after(at("2026-11-16T03:00:00Z")), at("2026-11-16T09:00:00Z"));
    }

    #[test]
    fn daily_backup_is_due_at_the_next_time_of_day() {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let schedule = Schedule::Daily("03:00".parse().unwrap(), zone);
        for (last, due) in [
            ("2026-11-16T01:59:59Z", "2026-11-16T02:00:00Z"),
            ("2026-11-16T02:00:00Z", "2026-11-17T02:00:00Z"),
            ("2026-11-16T15:00:00Z", "2026-11-17T02:00:00Z"),
            // Three days without a server: it was due on the second day, and is made once.
            ("2026-11-13T02:00:05Z", "2026-11-14T02:00:00Z"),
            // In summer the clock is an hour ahead.
            ("2026-07-01T12:00:00Z", "2026-07-02T01:00:00Z"),
        ] {
            assert_eq!(schedule.due_after(at(last)), at(due), "{last}");
        }
    }

    #[test]
    fn a_time_that_the_clocks_skip_comes_after_the_gap() {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let schedule = Schedule::Daily("02:30".parse().unwrap(), zone);
        assert_eq!(schedule.due_after(at("2026-03-28T12:00:00Z")), at("2026-03-29T01:30:00Z"));
    }
}
