//! The stored shape of an advert's timeline: the dates of its crawls as differences, and everything else only where it changes. A
//! crawl that repeats the one before is one number.
//!
//! Names and numbers here are on disk. Never rename or renumber them, and never reuse them with another meaning.

use std::sync::LazyLock;

use domain::timeline::{Crawl, CrawlSource, Slot, SlotSet, Timeline};
use domain::{Lifecycle, Timestamp};
use serde::{Deserialize, Serialize};

use super::shape::EventRecord;

/// The slots of timelines, by their number on disk. Append the name of a new slot at the end; a test fails without it.
const SLOT_NAMES: [&str; 56] = [
    "transaction_type",
    "property_type",
    "site",
    "reference",
    "url",
    "title",
    "description",
    "contact",
    "publisher",
    "price",
    "price_excluding_fees",
    "fees_percentage",
    "fees_responsibility",
    "condominium_fees",
    "inventory_price",
    "property_tax",
    "rental_charges",
    "rental_pledge",
    "renter_fees",
    "lot_count",
    "surface",
    "land_surface",
    "room",
    "bedroom",
    "floor",
    "floor_quantity",
    "construction_year",
    "elevator",
    "furnished",
    "energy",
    "green_house_gas",
    "features",
    "pictures",
    "pictures_remote",
    "virtual_tour",
    "place",
    "publisher.name",
    "publisher.type",
    "energy.category",
    "energy.value",
    "green_house_gas.category",
    "green_house_gas.value",
    "place.insee",
    "place.zipcode",
    "place.city_name",
    "place.point",
    "place.accuracy",
    "place.country",
    "district",
    "exclusive_mandate",
    "parking_count",
    "heating",
    "life_annuity",
    "occupied",
    "rent_period",
    "new_building",
];

/// The slots by their number on disk.
static SLOTS: LazyLock<Vec<Option<Slot>>> =
    LazyLock::new(|| SLOT_NAMES.iter().map(|name| Slot::all().find(|slot| slot.name() == *name)).collect());

/// The numbers on disk, by the index of the slot.
static NUMBERS: LazyLock<Vec<Option<u8>>> = LazyLock::new(|| {
    let number = |slot: Slot| SLOT_NAMES.iter().position(|name| *name == slot.name());
    Slot::all().map(|slot| number(slot).and_then(|number| u8::try_from(number).ok())).collect()
});

/// Slots that follow each other in this build and on disk.
struct Run {
    indexes: u128,
    first_index: usize,
    first_number: u8,
}

/// Nearly all slots are in the order of their numbers, so there are few runs.
static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let mut runs: Vec<Run> = Vec::new();
    for slot in Slot::all() {
        let (index, Some(number)) = (slot.index(), number(slot)) else { continue };
        let is_next =
            |run: &Run| index - run.first_index == usize::from(number.wrapping_sub(run.first_number));
        match runs.last_mut().filter(|run| is_next(run)) {
            Some(run) => run.indexes |= 1 << index,
            None => runs.push(Run { indexes: 1 << index, first_index: index, first_number: number }),
        }
    }
    runs
});

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct TimelineRecord<'a> {
    crawls: Vec<CrawlRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    given: Vec<EventRecord<'a>>,
    /// The earliest creation date that a sender gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<i64>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum CrawlRecord {
    /// The same as the crawl before, this many seconds later.
    Repeat(i64),
    Crawl(Box<FullCrawlRecord>),
}

#[derive(Default, Serialize, Deserialize)]
struct FullCrawlRecord {
    /// Seconds after the crawl before; of the first, seconds since 1970.
    at: i64,
    /// 0 for a date from the request, 1 for the time of receipt, 2 for a summary.
    #[serde(default, skip_serializing_if = "is_zero")]
    source: u8,
    /// When the advert was seen, if not at the time of the crawl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<i64>,
    /// 1 if the advert was not seen.
    #[serde(default, skip_serializing_if = "is_zero")]
    unseen: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    updated: Option<i64>,
    /// 0 for seen, 1 for live, 2 for expired.
    #[serde(default, skip_serializing_if = "is_zero")]
    lifecycle: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expired: Option<i64>,
    /// The slots it gave, as a hexadecimal number with one bit for each. Absent if they are those of the crawl before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(u8, u64)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl<'a> TimelineRecord<'a> {
    /// Returns `None` for the empty timeline, which is not stored.
    pub fn from_timeline(timeline: &'a Timeline) -> Option<Self> {
        let Timeline { crawls, given, created_at } = timeline;
        let mut before: Option<&Crawl> = None;
        let crawls: Vec<CrawlRecord> = crawls
            .iter()
            .map(|crawl| {
                let record = CrawlRecord::from_crawl(crawl, before);
                before = Some(crawl);
                record
            })
            .collect();
        let record = Self {
            crawls,
            given: given.iter().map(EventRecord::from_event).collect(),
            created: created_at.map(Timestamp::as_second),
        };
        (*timeline != Timeline::default()).then_some(record)
    }

    /// Returns `None` if a value is not one that was ever written.
    pub fn into_timeline(self) -> Option<Timeline> {
        let mut crawls: Vec<Crawl> = Vec::with_capacity(self.crawls.len());
        for record in self.crawls {
            let crawl = record.into_crawl(crawls.last())?;
            crawls.push(crawl);
        }
        Some(Timeline {
            crawls,
            given: self.given.into_iter().map(EventRecord::into_event).collect::<Option<_>>()?,
            created_at: self.created.map(Timestamp::from_second).transpose().ok()?,
        })
    }
}

impl CrawlRecord {
    fn from_crawl(crawl: &Crawl, before: Option<&Crawl>) -> Self {
        let Crawl { at, source, crawled_at, updated_at, lifecycle, given, current, values } = crawl;
        let second = at.as_second() - before.map_or(0, |before| before.at.as_second());
        if before.is_some_and(|before| repeated(before, *at).as_ref() == Some(crawl)) {
            return Self::Repeat(second);
        }
        let (lifecycle, expired) = match lifecycle {
            Lifecycle::Seen => (0, None),
            Lifecycle::Live => (1, None),
            Lifecycle::Expired { at } => (2, *at),
        };
        Self::Crawl(Box::new(FullCrawlRecord {
            at: second,
            source: match source {
                CrawlSource::Dated => 0,
                CrawlSource::Received => 1,
                CrawlSource::Summary => 2,
            },
            seen: crawled_at.filter(|seen| seen != at).map(Timestamp::as_second),
            unseen: u8::from(crawled_at.is_none()),
            updated: updated_at.map(Timestamp::as_second),
            lifecycle,
            expired: expired.map(Timestamp::as_second),
            given: before.is_none_or(|before| before.given != *given).then(|| bits(*given)),
            current: (!current.is_empty()).then(|| bits(*current)),
            values: values.iter().filter_map(|(slot, value)| Some((number(*slot)?, *value))).collect(),
        }))
    }

    fn into_crawl(self, before: Option<&Crawl>) -> Option<Crawl> {
        let time = |seconds: i64| {
            let second = before.map_or(0, |before| before.at.as_second()).checked_add(seconds)?;
            Timestamp::from_second(second).ok()
        };
        let record = match self {
            Self::Repeat(seconds) => return repeated(before?, time(seconds)?),
            Self::Crawl(record) => *record,
        };
        let second = |second: Option<i64>| second.map(Timestamp::from_second).transpose().ok();
        let at = time(record.at)?;
        Some(Crawl {
            at,
            source: match record.source {
                0 => CrawlSource::Dated,
                1 => CrawlSource::Received,
                2 => CrawlSource::Summary,
                _ => return None,
            },
            crawled_at: if record.unseen == 0 { Some(second(record.seen)?.unwrap_or(at)) } else { None },
            updated_at: second(record.updated)?,
            lifecycle: match record.lifecycle {
                0 => Lifecycle::Seen,
                1 => Lifecycle::Live,
                2 => Lifecycle::Expired { at: second(record.expired)? },
                _ => return None,
            },
            given: match record.given {
                Some(given) => slots(&given)?,
                None => before?.given,
            },
            current: record.current.map_or(Some(SlotSet::default()), |current| slots(&current))?,
            values: record
                .values
                .into_iter()
                .map(|(number, value)| Some((slot(number)?, value)))
                .collect::<Option<_>>()?,
        })
    }
}

/// Returns the crawl that repeats the one before at another time.
fn repeated(before: &Crawl, at: Timestamp) -> Option<Crawl> {
    let Crawl { at: _, source, crawled_at, updated_at, lifecycle, given, current: _, values: _ } = before;
    Some(Crawl {
        at,
        source: *source,
        crawled_at: crawled_at.map(|_| at),
        updated_at: *updated_at,
        lifecycle: *lifecycle,
        given: *given,
        current: SlotSet::default(),
        values: Vec::new(),
    })
}

fn number(slot: Slot) -> Option<u8> {
    NUMBERS.get(slot.index()).copied().flatten()
}

fn slot(number: u8) -> Option<Slot> {
    SLOTS.get(usize::from(number)).copied().flatten()
}

fn bits(slots: SlotSet) -> String {
    let bits = RUNS.iter().fold(0_u128, |bits, run| {
        bits | (slots.index_bits() & run.indexes) >> run.first_index << run.first_number
    });
    format!("{bits:x}")
}

fn slots(bits: &str) -> Option<SlotSet> {
    let bits = u128::from_str_radix(bits, 16).ok()?;
    (0..128).filter(|number| bits & (1 << number) != 0).map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_has_a_number_on_disk() {
        let missing: Vec<&str> = Slot::all().filter(|slot| number(*slot).is_none()).map(Slot::name).collect();
        assert!(missing.is_empty(), "append to SLOT_NAMES: {missing:?}");
        let unknown: Vec<&&str> =
            SLOT_NAMES.iter().zip(&*SLOTS).filter(|(_, slot)| slot.is_none()).map(|(name, _)| name).collect();
        assert!(unknown.is_empty(), "these names are on disk and must stay: {unknown:?}");
    }

    #[test]
    fn each_slot_is_the_bit_of_its_number() {
        for slot in Slot::all() {
            let expected = number(slot).map(|number| format!("{:x}", 1_u128 << number));
            assert_eq!(Some(bits(std::iter::once(slot).collect())), expected, "{}", slot.name());
        }
        assert!(RUNS.len() < 10, "{} runs", RUNS.len());
    }

    #[test]
    fn repeated_crawl_is_one_number() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let first = Crawl {
            at: at(1_000),
            source: CrawlSource::Dated,
            crawled_at: Some(at(1_000)),
            updated_at: Some(at(900)),
            lifecycle: Lifecycle::Seen,
            given: Slot::all().collect(),
            current: Slot::all().collect(),
            values: Vec::new(),
        };
        let again = |second| repeated(&first, at(second)).unwrap();
        let crawls = vec![first.clone(), again(1_060), again(1_200)];
        let timeline = Timeline { crawls, ..Timeline::default() };
        let json = serde_json::to_value(TimelineRecord::from_timeline(&timeline)).unwrap();
        assert_eq!(json["crawls"][1], 60);
        assert_eq!(json["crawls"][2], 140);
        let json = json.to_string();
        let read: TimelineRecord<'_> = serde_json::from_str(&json).unwrap();
        assert_eq!(read.into_timeline(), Some(timeline));
    }

    #[test]
    fn unknown_numbers_are_refused() {
        for json in [
            r#"{"crawls":[5]}"#,
            r#"{"crawls":[{"at":1}]}"#,
            r#"{"crawls":[{"at":1,"given":"x"}]}"#,
            r#"{"crawls":[{"at":1,"given":"1","source":3}]}"#,
            r#"{"crawls":[{"at":1,"given":"1","lifecycle":3}]}"#,
            r#"{"crawls":[{"at":1,"given":"1","values":[[200,1]]}]}"#,
            r#"{"crawls":[{"at":9223372036854775807,"given":"1"}]}"#,
        ] {
            let record: TimelineRecord = serde_json::from_str(json).unwrap();
            assert_eq!(record.into_timeline(), None, "{json}");
        }
    }
}
