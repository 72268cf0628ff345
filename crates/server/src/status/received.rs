//! What each site sent in the last day, and the adverts that were refused last. Of those only the site, the reference and the reasons
//! are kept, and reasons without the values that they quote: these may be personal data.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use domain::violation::ViolationKind;
use domain::{Timestamp, Violation, registered_domain};

/// Further sites are not counted: a sender may name any.
const SITES_MAX: usize = 1_000;
/// Sites that are known by refused adverts only leave room for the others: such an advert may name anything.
const SITES_OF_REFUSED_MAX: usize = SITES_MAX / 2;
const HOURS: usize = 24;
const HOUR_SECONDS: i64 = 3_600;

const REFUSED_MAX: usize = 1_000;
/// Reasons that are kept of one advert.
const REASONS_MAX: usize = 10;
const EXAMPLES_MAX: usize = 5;
/// Limits that messages name are shorter, or no loss.
const LONG_NUMBER_DIGITS: usize = 5;
/// A reference is at most this long in our answers.
const REFERENCE_CHARACTERS_MAX: usize = 100;

#[derive(Default)]
pub struct ReceivedAdverts(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    sites: HashMap<String, SiteCounts>,
    refused: VecDeque<Refused>,
}

/// What one site sent.
#[derive(Debug, Clone)]
pub struct SiteCounts {
    pub last_seen_at: Timestamp,
    /// Oldest first, without hours in which nothing came.
    pub hours: VecDeque<HourCounts>,
}

#[derive(Debug, Clone, Copy)]
pub struct HourCounts {
    /// When the hour began.
    pub began_at: Timestamp,
    pub accepted: u64,
    pub refused: u64,
}

#[derive(Debug, Clone)]
struct Refused {
    at: Timestamp,
    site: Option<String>,
    reference: Option<String>,
    reasons: Vec<Reason>,
}

/// Why an advert was refused, without the values that were wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    pub path: String,
    pub kind: ViolationKind,
    pub message: String,
}

/// The refused adverts that have one reason.
#[derive(Debug)]
pub struct ReasonGroup {
    pub reason: Reason,
    pub count: u64,
    pub last_at: Timestamp,
    /// Time, site and reference of the newest.
    pub examples: Vec<(Timestamp, Option<String>, Option<String>)>,
}

/// What was received, as far as it matters here.
pub struct ReceivedAdvert<'a> {
    pub site: Option<&'a str>,
    pub url: Option<&'a str>,
    pub reference: Option<&'a str>,
    /// `None` if the advert was accepted.
    pub violations: Option<&'a [Violation]>,
}

impl ReceivedAdverts {
    pub fn record(&self, at: Timestamp, received: &ReceivedAdvert<'_>) {
        let site = received.site.map(str::to_owned).or_else(|| received.url.and_then(site_of_url));
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { sites, refused } = &mut *kept;
        if let Some(site) = &site {
            let is_refused = received.violations.is_some();
            if sites.len() >= SITES_MAX && !sites.contains_key(site) {
                sites.retain(|_, counts| {
                    counts.forget_before(at);
                    !counts.hours.is_empty()
                });
            }
            let room = if is_refused { SITES_OF_REFUSED_MAX } else { SITES_MAX };
            if sites.contains_key(site) || sites.len() < room {
                sites.entry(site.clone()).or_insert_with(|| SiteCounts::new(at)).add(at, is_refused);
            }
        }
        if let Some(violations) = received.violations {
            if refused.len() >= REFUSED_MAX {
                refused.pop_front();
            }
            let cut = |text: &str| text.chars().take(REFERENCE_CHARACTERS_MAX).collect();
            refused.push_back(Refused {
                at,
                site,
                reference: received.reference.map(cut),
                reasons: violations.iter().take(REASONS_MAX).map(Reason::of).collect(),
            });
        }
    }

    /// Returns the sites, those with the most adverts in the last day first.
    pub fn sites(&self, now: Timestamp) -> Vec<(String, SiteCounts)> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for counts in kept.sites.values_mut() {
            counts.forget_before(now);
        }
        let mut sites: Vec<_> =
            kept.sites.iter().map(|(site, counts)| (site.clone(), counts.clone())).collect();
        drop(kept);
        sites.sort_by_key(|(site, counts)| (u64::MAX - counts.total(), site.clone()));
        sites
    }

    /// Returns how many refused adverts are kept, and their reasons, the most frequent first.
    pub fn refused(&self) -> (u64, Vec<ReasonGroup>) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut groups: BTreeMap<&Reason, ReasonGroup> = BTreeMap::new();
        for refused in kept.refused.iter().rev() {
            for reason in &refused.reasons {
                let group = groups.entry(reason).or_insert_with(|| ReasonGroup {
                    reason: reason.clone(),
                    count: 0,
                    last_at: refused.at,
                    examples: Vec::new(),
                });
                group.count += 1;
                if group.examples.len() < EXAMPLES_MAX {
                    group.examples.push((refused.at, refused.site.clone(), refused.reference.clone()));
                }
            }
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        (kept.refused.len() as u64, groups)
    }
}

impl SiteCounts {
    const fn new(at: Timestamp) -> Self {
        Self { last_seen_at: at, hours: VecDeque::new() }
    }

    fn add(&mut self, at: Timestamp, is_refused: bool) {
        self.last_seen_at = at;
        let began_at = at.as_second().div_euclid(HOUR_SECONDS) * HOUR_SECONDS;
        let began_at = Timestamp::from_second(began_at).unwrap_or(at);
        if self.hours.back().is_none_or(|hour| hour.began_at != began_at) {
            self.hours.push_back(HourCounts { began_at, accepted: 0, refused: 0 });
            self.forget_before(at);
        }
        if let Some(hour) = self.hours.back_mut() {
            let count = if is_refused { &mut hour.refused } else { &mut hour.accepted };
            *count += 1;
        }
    }

    fn forget_before(&mut self, now: Timestamp) {
        let day = HOUR_SECONDS * HOURS as i64;
        while self.hours.front().is_some_and(|hour| now.as_second() - hour.began_at.as_second() >= day)
            || self.hours.len() > HOURS
        {
            self.hours.pop_front();
        }
    }

    fn total(&self) -> u64 {
        self.hours.iter().map(|hour| hour.accepted + hour.refused).sum()
    }
}

impl Reason {
    fn of(violation: &Violation) -> Self {
        Self {
            path: without_numbers(&violation.path),
            kind: violation.kind,
            message: masked(&violation.message, &violation.path),
        }
    }
}

/// Returns the path of a value without its place in a list: `pictures[3]` becomes `pictures[]`.
fn without_numbers(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut inside = false;
    for c in path.chars() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            _ if inside && c.is_ascii_digit() => continue,
            _ => {}
        }
        text.push(c);
    }
    text
}

/// Hides the values in a message, and where in a line something is wrong: they differ from advert to advert. The name of the field
/// stays. A long number is a value, too: a phone number, for example.
fn masked(message: &str, path: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let named = format!("\"{path}\"");
    let (before, rest) = message.split_once(&named).map_or(("", message), |(before, rest)| (before, rest));
    // A value may contain quotation marks itself, so all between the first and the last is hidden.
    for (index, part) in [before, rest].into_iter().enumerate() {
        if index == 1 && rest.len() < message.len() {
            text.push_str(&named);
        }
        match (part.find('"'), part.rfind('"')) {
            (Some(first), Some(last)) => {
                text.push_str(&without_long_numbers(&part[..first]));
                text.push_str("\"…\"");
                // An odd mark hides the rest.
                if first < last {
                    text.push_str(&without_long_numbers(&part[last + 1..]));
                }
            }
            _ => text.push_str(&without_long_numbers(part)),
        }
    }
    match text.find(" at line ") {
        Some(place) => format!("{}.", &text[..place]),
        None => text,
    }
}

fn without_long_numbers(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut digits = String::new();
    for c in text.chars().chain(std::iter::once('\0')) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        shown.push_str(if digits.len() >= LONG_NUMBER_DIGITS { "…" } else { &digits });
        digits.clear();
        if c != '\0' {
            shown.push(c);
        }
    }
    shown
}

/// Returns the site of an address, as far as a refused one can be read.
fn site_of_url(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default().to_ascii_lowercase();
    let is_name = host.contains('.')
        && host.len() <= 253
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    is_name.then(|| registered_domain(&host).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn received<'a>(site: &'a str, violations: Option<&'a [Violation]>) -> ReceivedAdvert<'a> {
        ReceivedAdvert { site: Some(site), url: None, reference: Some("A-1"), violations }
    }

    #[test]
    fn refused_adverts_are_grouped_without_their_values() {
        let adverts = ReceivedAdverts::default();
        let violation =
            |value: &str| [Violation::invalid("pictures[3]", format!("\"{value}\" is not a valid URL."))];
        for (second, value) in [(1, "marie@example.fr"), (2, "06 12 34 56 78")] {
            adverts.record(at(second), &received("agence.fr", Some(&violation(value))));
        }
        let (total, groups) = adverts.refused();
        assert_eq!((total, groups.len()), (2, 1));
        let group = &groups[0];
        assert_eq!((group.count, group.last_at), (2, at(2)));
        assert_eq!(
            (group.reason.path.as_str(), group.reason.message.as_str()),
            ("pictures[]", "\"…\" is not a valid URL.")
        );
        let example = (at(2), Some("agence.fr".to_owned()), Some("A-1".to_owned()));
        assert_eq!(group.examples[0], example);
    }

    #[test]
    fn messages_lose_their_values() {
        let check = |message: &str, expected: &str| assert_eq!(masked(message, "price"), expected);
        check(
            "The type of the \"price\" attribute must be int, string \"Marie\" given.",
            "The type of the \"price\" attribute must be int, string \"…\" given.",
        );
        check("number 612345678 given; at most 200", "number … given; at most 200");
        check("odd \"mark", "odd \"…\"");
        check(
            "The type of the \"price\" attribute must be int, string \"x\" Marie \"y\" given.",
            "The type of the \"price\" attribute must be int, string \"…\" given.",
        );
        check(
            "The line is not valid JSON: expected `,` at line 1 column 34.",
            "The line is not valid JSON: expected `,`.",
        );
    }

    #[test]
    fn sites_are_counted_by_hour_for_a_day() {
        let adverts = ReceivedAdverts::default();
        let none: &[Violation] = &[];
        for hour in 0..30 {
            adverts.record(at(hour * 3_600 + 5), &received("a.fr", None));
            adverts.record(at(hour * 3_600 + 6), &received("b.fr", Some(none)));
        }
        adverts.record(at(29 * 3_600 + 7), &received("b.fr", None));
        let sites = adverts.sites(at(29 * 3_600 + 10));
        assert_eq!(sites.iter().map(|(site, _)| site.as_str()).collect::<Vec<_>>(), ["b.fr", "a.fr"]);
        let (_, counts) = &sites[0];
        assert_eq!(counts.hours.len(), 24);
        let last = counts.hours.back().unwrap();
        assert_eq!((last.accepted, last.refused, last.began_at), (1, 1, at(29 * 3_600)));
    }

    #[test]
    fn memory_is_bounded() {
        let adverts = ReceivedAdverts::default();
        let long = "x".repeat(10_000);
        for number in 0..2_000 {
            let site = format!("s{number}.fr");
            let violations = [Violation::invalid("price", "too low")];
            let received = ReceivedAdvert {
                site: Some(&site),
                url: None,
                reference: Some(&long),
                violations: Some(&violations),
            };
            adverts.record(at(number), &received);
        }
        {
            let kept = adverts.0.lock().unwrap();
            assert_eq!((kept.sites.len(), kept.refused.len()), (SITES_OF_REFUSED_MAX, REFUSED_MAX));
        }
        for number in 0..SITES_MAX {
            adverts.record(at(2_000), &received(&format!("t{number}.fr"), None));
        }
        assert_eq!(adverts.sites(at(2_000)).len(), SITES_MAX);
        // Those of the day before make room.
        adverts.record(at(2_000 + 25 * 3_600), &received("new.fr", None));
        let kept = adverts.0.lock().unwrap();
        assert_eq!(kept.sites.keys().collect::<Vec<_>>(), ["new.fr"]);
        assert!(kept.refused.iter().all(|refused| refused.reference.as_ref().unwrap().len() == 100));
    }

    #[test]
    fn site_is_read_from_an_address() {
        let check =
            |url: &str, expected: Option<&str>| assert_eq!(site_of_url(url).as_deref(), expected, "{url}");
        check("https://www.Agence.fr/a/1?b", Some("agence.fr"));
        check("agence.fr/a", Some("agence.fr"));
        check("javascript:alert(1)", None);
        check("", None);
        check("https://clé.fr/", None);
    }
}
