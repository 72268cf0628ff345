//! How a saved search is kept: a version byte, a checksum, then JSON. It is a few hundred bytes, of which a million are read at a
//! start, so it is not compressed.
//!
//! The shapes are converted by hand and field by field, as those of properties are. Names in them are on disk: never renamed, and
//! never reused with another meaning. A term is kept under the name of its filter; an older name that became an alias still reads.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use domain::criteria::{Entry, Presence, Term};
use domain::search::Wish;
use domain::{
    Alerts, EmailAddress, Endpoint, EventName, FILTERS, Filter, GeoPoint, Insee, Polygon, SavedSearch,
    SearchId, SearchToken, ShortText, SiteCategoryId, SiteKey, SortMode, Strictness, Terms, Timestamp,
    UserId, Wording, Zipcode,
};
use serde::{Deserialize, Serialize};

use super::checksum;
use crate::error::Error;

const FORMAT_JSON: u8 = 1;

pub fn encode_search(search: &SavedSearch) -> Result<Vec<u8>, Error> {
    let what = || format!("search {} to be written", search.id);
    let shape = SearchRecord::from_search(search).ok_or_else(|| Error::corrupt(what()))?;
    let mut record = Vec::with_capacity(512);
    record.extend(checksum::head(FORMAT_JSON));
    serde_json::to_writer(&mut record, &shape).map_err(|error| Error::corrupt_by(what(), error))?;
    checksum::seal(&mut record);
    Ok(record)
}

pub fn decode_search(id: SearchId, owner: UserId, record: &[u8]) -> Result<SavedSearch, Error> {
    let what = || format!("the record of search {id}");
    let json = checksum::opened(FORMAT_JSON, record).ok_or_else(|| Error::corrupt(what()))?;
    let shape: SearchRecord<'_> =
        serde_json::from_slice(json).map_err(|error| Error::corrupt_by(what(), error))?;
    shape.into_search(id, owner).ok_or_else(|| Error::corrupt(what()))
}

/// What its columns do not say already.
#[derive(Serialize, Deserialize)]
struct SearchRecord<'a> {
    token: &'a str,
    /// In milliseconds, as dates are in the log.
    created: i64,
    updated: i64,
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    terms: Vec<(&'a str, TermRecord<'a>)>,
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
    /// Nothing when a number in it is none that JSON can hold.
    fn from_search(search: &'a SavedSearch) -> Option<Self> {
        let SavedSearch { id: _, owner: _, token, created_at, updated_at, wish } = search;
        let Wish { title, terms, alerts } = wish;
        let Alerts { enabled, hide_contact, email, endpoint, event_endpoint, events } = alerts;
        let term =
            |(filter, term): (&'static Filter, &'a Term)| Some((filter.name, TermRecord::from_term(term)?));
        Some(Self {
            token: token.as_str(),
            created: created_at.as_millisecond(),
            updated: updated_at.as_millisecond(),
            title: title.as_str().into(),
            terms: terms.iter().map(term).collect::<Option<_>>()?,
            enabled: *enabled,
            hide_contact: *hide_contact,
            email: email.as_ref().map(EmailAddress::to_string),
            endpoint: endpoint.as_ref().map(Endpoint::to_string),
            event_endpoint: event_endpoint.as_ref().map(Endpoint::to_string),
            events: events.iter().copied().map(event_name).collect(),
        })
    }

    /// Nothing when a value is not one that was ever written.
    fn into_search(self, id: SearchId, owner: UserId) -> Option<SavedSearch> {
        let mut terms = Terms::default();
        for (name, term) in self.terms {
            terms.put(filter_named(name)?, term.into_term()?);
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
            wish: Wish { title: ShortText::new(&self.title).ok()??, terms, alerts },
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TermRecord<'a> {
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
}

impl<'a> TermRecord<'a> {
    fn from_term(term: &'a Term) -> Option<Self> {
        Some(match term {
            // JSON has no word for the others, and would say `null`.
            Term::Number(number) => Self::Number(number.is_finite().then_some(*number)?),
            Term::Moment(at) => Self::Moment(at.as_millisecond()),
            Term::Codes(codes) => Self::Codes(codes.clone()),
            Term::Flag(flag) => Self::Flag(*flag),
            Term::Cities(ids) => Self::Cities(ids.clone()),
            Term::Communes(codes) => Self::Communes(texts(codes, Insee::as_str)),
            Term::Departments(ids) => Self::Departments(ids.clone()),
            Term::Zipcodes(zipcodes) => Self::Zipcodes(texts(zipcodes, Zipcode::as_str)),
            Term::Sites(sites) => Self::Sites(texts(sites, SiteKey::as_str)),
            Term::SiteCategories(ids) => Self::SiteCategories(ids.iter().map(|id| id.get()).collect()),
            Term::Properties(ids) => Self::Properties(ids.iter().map(ToString::to_string).collect()),
            Term::Polygons(polygons) => {
                let corners = |polygon: &Polygon| {
                    polygon.corners().iter().map(|corner| [corner.lat(), corner.lon()]).collect()
                };
                Self::Polygons(polygons.iter().map(corners).collect())
            }
            Term::SortMode(SortMode::Property) => Self::SortMode("property"),
            Term::SortMode(SortMode::Advert) => Self::SortMode("advert"),
            Term::Expressions(groups) => {
                let group = |group: &Vec<Entry>| group.iter().map(EntryRecord::from_entry).collect();
                Self::Expressions(groups.iter().map(group).collect())
            }
        })
    }

    fn into_term(self) -> Option<Term> {
        Some(match self {
            Self::Number(number) => Term::Number(number),
            Self::Moment(at) => Term::Moment(Timestamp::from_millisecond(at).ok()?),
            Self::Codes(codes) => Term::Codes(codes),
            Self::Flag(flag) => Term::Flag(flag),
            Self::Cities(ids) => Term::Cities(ids),
            Self::Communes(codes) => Term::Communes(all(codes, |code| Insee::parse(&code))?),
            Self::Departments(ids) => Term::Departments(ids),
            Self::Zipcodes(zipcodes) => Term::Zipcodes(all(zipcodes, |zipcode| Zipcode::parse(&zipcode))?),
            Self::Sites(sites) => Term::Sites(sites.into_iter().map(SiteKey::trusted).collect()),
            Self::SiteCategories(ids) => Term::SiteCategories(all(ids, SiteCategoryId::new)?),
            Self::Properties(ids) => Term::Properties(all(ids, |id| id.parse().ok())?),
            Self::Polygons(polygons) => {
                let corner = |[lat, lon]: [f64; 2]| GeoPoint::new(lat, lon);
                Term::Polygons(all(polygons, |corners| Polygon::new(all(corners, corner)?))?)
            }
            Self::SortMode("property") => Term::SortMode(SortMode::Property),
            Self::SortMode("advert") => Term::SortMode(SortMode::Advert),
            Self::SortMode(_) => return None,
            Self::Expressions(groups) => {
                Term::Expressions(all(groups, |group| all(group, EntryRecord::into_entry))?)
            }
        })
    }
}

/// What the text means is worked out anew: how words are compared may become better.
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
        let Entry { wording, presence } = entry;
        Self {
            text: wording.text().to_owned(),
            exact: wording.strictness() == Strictness::Exact,
            absent: *presence == Presence::Absent,
        }
    }

    fn into_entry(self) -> Option<Entry> {
        let strictness = if self.exact { Strictness::Exact } else { Strictness::Inflected };
        let presence = if self.absent { Presence::Absent } else { Presence::Present };
        Some(Entry { wording: Wording::new(&self.text, strictness)?, presence })
    }
}

/// The filter of a name or of another name for it. A table, because the list of filters is walked for every name.
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

/// On disk.
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
