//! How many matches a search had on each of the last days.

use domain::{Date, SearchId, Timestamp};
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::{date, iri};

/// The counts of a search and the data needed to write them.
pub struct MatchesByDayInput<'a> {
    pub search: SearchId,
    /// The oldest first.
    pub days: Vec<(Date, u64)>,
    pub is_complete: bool,
    pub last_match_at: Option<Timestamp>,
    pub zone: &'a TimeZone,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchesByDayBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    search: String,
    days: Vec<DayMatches>,
    is_complete: bool,
    last_match_at: Option<String>,
}

#[derive(Debug, Serialize)]
struct DayMatches {
    day: String,
    matches: u64,
}

impl MatchesByDayBody {
    pub fn of(input: MatchesByDayInput<'_>) -> Self {
        let MatchesByDayInput { search, days, is_complete, last_match_at, zone } = input;
        let day = |(day, matches): (Date, u64)| DayMatches { day: day.to_string(), matches };
        Self {
            context: "/contexts/MatchesByDay",
            id: iri::matches_by_day(search),
            kind: "MatchesByDay",
            search: iri::search(search),
            days: days.into_iter().map(day).collect(),
            is_complete,
            last_match_at: last_match_at.map(|at| date::format(at, zone)),
        }
    }
}
