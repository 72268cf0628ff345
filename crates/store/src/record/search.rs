//! The record of a saved search: a version byte, a checksum, then JSON. It is a few hundred bytes long, and a start reads a million of
//! them, so it is not compressed.
//!
//! Shapes are converted by hand and field by field, as those of properties are. Their names are on disk: never rename them, and never
//! reuse them with another meaning. A criterion is stored under the name of its filter; an older name that became an alias still reads.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use domain::criteria::{Entry, Presence, RawCriterion};
use domain::search::SearchDraft;
use domain::{
    Alerts, EmailAddress, Endpoint, EventName, FILTERS, Filter, GeoPoint, Insee, Phrase, Polygon,
    RawCriteria, SavedSearch, SearchId, SearchToken, ShortText, SiteCategoryId, SiteKey, SortMode,
    Strictness, Timestamp, UserId, Zipcode,
};
use serde::{Deserialize, Serialize};

use super::checksum;
use crate::error::Error;

const FORMAT_JSON: u8 = 1;

pub fn encode_search(search: &SavedSearch) -> Result<Vec<u8>, Error> {
    let what = || format!("search {} to be written", search.id);
    let shape = SearchRecord::from_search(search).ok_or_else(|| Error::corrupt(what()))?;
    let mut record = Vec::with_capacity(512);
    record.extend(checksum::header(FORMAT_JSON));
    serde_json::to_writer(&mut record, &shape).map_err(|error| Error::corrupt_by(what(), error))?;
    checksum::seal(&mut record);
    Ok(record)
}

pub fn decode_search(id: SearchId, owner: UserId, record: &[u8]) -> Result<SavedSearch, Error> {
    let what = || format!("the record of search {id}");
    let json = checksum::open(FORMAT_JSON, record).ok_or_else(|| Error::corrupt(what()))?;
    let shape: SearchRecord<'_> =
        serde_json::from_slice(json).map_err(|error| Error::corrupt_by(what(), error))?;
    shape.into_search(id, owner).ok_or_else(|| Error::corrupt(what()))
}

/// The fields that have no column of their own.
#[derive(Serialize, Deserialize)]
struct SearchRecord<'a> {
    token: &'a str,
    /// In milliseconds, as dates are in the log.
    created: i64,
    updated: i64,
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(rename = "terms", borrow)]
    raw_criteria: Vec<(&'a str, CriterionRecord<'a>)>,
    enabled: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    hide_contact: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event_endpoint: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", borrow)]
    events: Vec<&'a str>,
}

impl<'a> SearchRecord<'a> {
    /// Returns `None` if it contains a number that JSON cannot represent.
    fn from_search(search: &'a SavedSearch) -> Option<Self> {
        let SavedSearch { id: _, owner: _, token, created_at, updated_at, draft } = search;
        let SearchDraft { title, raw_criteria, alerts } = draft;
        let Alerts { enabled, hide_contact, email, endpoint, event_endpoint, events } = alerts;
        let criterion = |(filter, criterion): (&'static Filter, &'a RawCriterion)| {
            Some((filter.name, CriterionRecord::from_criterion(criterion)?))
        };
        Some(Self {
            token: token.as_str(),
            created: created_at.as_millisecond(),
            updated: updated_at.as_millisecond(),
            title: title.as_str().into(),
            raw_criteria: raw_criteria.iter().map(criterion).collect::<Option<_>>()?,
            enabled: *enabled,
            hide_contact: *hide_contact,
            email: email.as_ref().map(EmailAddress::to_string),
            endpoint: endpoint.as_ref().map(Endpoint::to_string),
            event_endpoint: event_endpoint.as_ref().map(Endpoint::to_string),
            events: events.iter().copied().map(event_name).collect(),
        })
    }

    /// Returns `None` if a value is not one that was ever written.
    fn into_search(self, id: SearchId, owner: UserId) -> Option<SavedSearch> {
        let mut raw_criteria = RawCriteria::default();
        for (name, criterion) in self.raw_criteria {
            raw_criteria.put(filter_named(name)?, criterion.into_criterion()?);
        }
        let alerts = Alerts {
            enabled: self.enabled,
            hide_contact: self.hide_contact,
            email: self.email.map(EmailAddress::trusted),
            endpoint: self.endpoint.map(Endpoint::trusted),
            event_endpoint: self.event_endpoint.map(Endpoint::trusted),
            events: self.events.into_iter().map(event_named).collect::<Option<_>>()?,
        };
        Some(SavedSearch {
            id,
            owner,
            token: SearchToken::parse(self.token)?,
            created_at: Timestamp::from_millisecond(self.created).ok()?,
            updated_at: Timestamp::from_millisecond(self.updated).ok()?,
            draft: SearchDraft { title: ShortText::new(&self.title).ok()??, raw_criteria, alerts },
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CriterionRecord<'a> {
    Number(f64),
    Moment(i64),
    Codes(Vec<u8>),
    Flag(bool),
    Cities(Vec<u64>),
    Communes(Vec<String>),
    Departments(Vec<u64>),
    Zipcodes(Vec<String>),
    Sites(Vec<String>),
    SiteCategories(Vec<u32>),
    Properties(Vec<String>),
    /// Corners as latitude and longitude.
    Polygons(Vec<Vec<[f64; 2]>>),
    /// `property` or `advert`.
    SortMode(&'a str),
    Expressions(Vec<Vec<EntryRecord>>),
    /// Phrases, never strict.
    Features(Vec<String>),
}

impl<'a> CriterionRecord<'a> {
    fn from_criterion(criterion: &'a RawCriterion) -> Option<Self> {
        Some(match criterion {
            // JSON cannot represent the others; serde would write `null`.
            RawCriterion::Number(number) => Self::Number(number.is_finite().then_some(*number)?),
            RawCriterion::Timestamp(at) => Self::Moment(at.as_millisecond()),
            RawCriterion::Codes(codes) => Self::Codes(codes.clone()),
            RawCriterion::Flag(flag) => Self::Flag(*flag),
            RawCriterion::Cities(ids) => Self::Cities(ids.clone()),
            RawCriterion::Communes(codes) => Self::Communes(texts(codes, Insee::as_str)),
            RawCriterion::Departments(ids) => Self::Departments(ids.clone()),
            RawCriterion::Zipcodes(zipcodes) => Self::Zipcodes(texts(zipcodes, Zipcode::as_str)),
            RawCriterion::Sites(sites) => Self::Sites(texts(sites, SiteKey::as_str)),
            RawCriterion::SiteCategories(ids) => {
                Self::SiteCategories(ids.iter().map(|id| id.get()).collect())
            }
            RawCriterion::Properties(ids) => Self::Properties(ids.iter().map(ToString::to_string).collect()),
            RawCriterion::Polygons(polygons) => {
                let corners = |polygon: &Polygon| {
                    polygon.corners().iter().map(|corner| [corner.lat(), corner.lon()]).collect()
                };
                Self::Polygons(polygons.iter().map(corners).collect())
            }
            RawCriterion::SortMode(SortMode::Property) => Self::SortMode("property"),
            RawCriterion::SortMode(SortMode::Advert) => Self::SortMode("advert"),
            RawCriterion::Expressions(groups) => {
                let group = |group: &Vec<Entry>| group.iter().map(EntryRecord::from_entry).collect();
                Self::Expressions(groups.iter().map(group).collect())
            }
            RawCriterion::Features(phrases) => Self::Features(texts(phrases, Phrase::text)),
        })
    }

    fn into_criterion(self) -> Option<RawCriterion> {
        Some(match self {
            Self::Number(number) => RawCriterion::Number(number),
            Self::Moment(at) => RawCriterion::Timestamp(Timestamp::from_millisecond(at).ok()?),
            Self::Codes(codes) => RawCriterion::Codes(codes),
            Self::Flag(flag) => RawCriterion::Flag(flag),
            Self::Cities(ids) => RawCriterion::Cities(ids),
            Self::Communes(codes) => RawCriterion::Communes(all(codes, |code| Insee::parse(&code))?),
            Self::Departments(ids) => RawCriterion::Departments(ids),
            Self::Zipcodes(zipcodes) => {
                RawCriterion::Zipcodes(all(zipcodes, |zipcode| Zipcode::parse(&zipcode))?)
            }
            Self::Sites(sites) => RawCriterion::Sites(sites.into_iter().map(SiteKey::trusted).collect()),
            Self::SiteCategories(ids) => RawCriterion::SiteCategories(all(ids, SiteCategoryId::new)?),
            Self::Properties(ids) => RawCriterion::Properties(all(ids, |id| id.parse().ok())?),
            Self::Polygons(polygons) => {
                let corner = |[lat, lon]: [f64; 2]| GeoPoint::new(lat, lon);
                RawCriterion::Polygons(all(polygons, |corners| Polygon::new(all(corners, corner)?))?)
            }
            Self::SortMode("property") => RawCriterion::SortMode(SortMode::Property),
            Self::SortMode("advert") => RawCriterion::SortMode(SortMode::Advert),
            Self::SortMode(_) => return None,
            Self::Expressions(groups) => {
                RawCriterion::Expressions(all(groups, |group| all(group, EntryRecord::into_entry))?)
            }
            Self::Features(phrases) => {
                RawCriterion::Features(all(phrases, |text| Phrase::new(&text, Strictness::Inflected))?)
            }
        })
    }
}

/// A phrase is stored as text and analysed again when read, because the analysis of words may improve.
#[derive(Serialize, Deserialize)]
struct EntryRecord {
    text: String,
    #[serde(default, skip_serializing_if = "is_false")]
    exact: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    absent: bool,
}

impl EntryRecord {
    fn from_entry(entry: &Entry) -> Self {
        let Entry { phrase, presence } = entry;
        Self {
            text: phrase.text().to_owned(),
            exact: phrase.strictness() == Strictness::Exact,
            absent: *presence == Presence::Absent,
        }
    }

    fn into_entry(self) -> Option<Entry> {
        let strictness = if self.exact { Strictness::Exact } else { Strictness::Inflected };
        let presence = if self.absent { Presence::Absent } else { Presence::Present };
        Some(Entry { phrase: Phrase::new(&self.text, strictness)?, presence })
    }
}

/// Finds a filter by its name or an alias. A map, because the list of filters would be scanned for every name.
fn filter_named(name: &str) -> Option<&'static Filter> {
    static NAMED: LazyLock<HashMap<&'static str, &'static Filter>> = LazyLock::new(|| {
        let names = |filter: &'static Filter| {
            let all = std::iter::once(&filter.name).chain(filter.aliases);
            all.map(move |name| (*name, filter))
        };
        FILTERS.iter().flat_map(names).collect()
    });
    NAMED.get(name).copied()
}

/// The name of an event on disk.
fn event_name(event: EventName) -> &'static str {
    match event {
        EventName::UpdatePrice => "update_price",
        EventName::UpdateSurface => "update_surface",
        EventName::UpdatePictures => "update_pictures",
        EventName::UpdateExpired => "update_expired",
        EventName::AdCreate => "ad_create",
        EventName::AdUpdate => "ad_update",
    }
}

fn event_named(name: &str) -> Option<EventName> {
    EventName::ALL.iter().copied().find(|event| event_name(*event) == name)
}

fn texts<T>(items: &[T], text: impl Fn(&T) -> &str) -> Vec<String> {
    items.iter().map(|item| text(item).to_owned()).collect()
}

fn all<A, B>(items: Vec<A>, read: impl Fn(A) -> Option<B>) -> Option<Vec<B>> {
    items.into_iter().map(read).collect()
}

fn is_false(flag: &bool) -> bool {
    !flag
}
