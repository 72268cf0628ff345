//! Strategies for saved searches. A criterion need not fit its filter: stores must keep any value.

use domain::criteria::{Entry, Presence, RawCriterion};
use domain::search::SearchDraft;
use domain::{
    Alerts, EmailAddress, Endpoint, EventName, FILTERS, Phrase, Polygon, PropertyId, RawCriteria,
    SavedSearch, SearchId, SearchToken, SiteCategoryId, SortMode, Strictness, UserId,
};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::{insee, point, short_text, site, timestamp, zipcode};

pub fn saved_search() -> BoxedStrategy<SavedSearch> {
    let ids = (any::<[u8; 16]>(), any::<[u8; 16]>(), any::<[u8; SearchToken::BYTES]>());
    (ids, timestamp(), timestamp(), draft())
        .prop_map(|((id, owner, token), created_at, updated_at, draft)| SavedSearch {
            id: SearchId::from_bytes(id),
            owner: UserId::from_bytes(owner),
            token: SearchToken::new(token),
            created_at,
            updated_at,
            draft,
        })
        .boxed()
}

fn draft() -> BoxedStrategy<SearchDraft> {
    (short_text(), vec((select(FILTERS), criterion()), 0..6), alerts())
        .prop_map(|(title, given, alerts)| {
            let mut raw_criteria = RawCriteria::default();
            for (filter, criterion) in given {
                let row = FILTERS.iter().find(|row| row.name == filter.name);
                raw_criteria.put(row.expect("the filter is in the table"), criterion);
            }
            SearchDraft { title, raw_criteria, alerts }
        })
        .boxed()
}

pub fn criterion() -> BoxedStrategy<RawCriterion> {
    let number = prop_oneof![
        any::<i32>().prop_map(f64::from),
        any::<f64>().prop_filter("not a number", |number| number.is_finite()),
    ];
    let category = any::<u32>().prop_filter_map("not an id", SiteCategoryId::new);
    let property = any::<[u8; 16]>().prop_map(PropertyId::from_bytes);
    let polygon = vec(point(), 3..6).prop_filter_map("too few corners", Polygon::new);
    prop_oneof![
        number.prop_map(RawCriterion::Number),
        timestamp().prop_map(RawCriterion::Timestamp),
        any::<Vec<u8>>().prop_map(RawCriterion::Codes),
        any::<bool>().prop_map(RawCriterion::Flag),
        vec(any::<u64>(), 0..4).prop_map(RawCriterion::Cities),
        vec(insee(), 0..4).prop_map(RawCriterion::Communes),
        vec(any::<u64>(), 0..4).prop_map(RawCriterion::Departments),
        vec(zipcode(), 0..4).prop_map(RawCriterion::Zipcodes),
        vec(site(), 0..4).prop_map(RawCriterion::Sites),
        vec(category, 0..4).prop_map(RawCriterion::SiteCategories),
        vec(property, 0..4).prop_map(RawCriterion::Properties),
        vec(polygon, 0..3).prop_map(RawCriterion::Polygons),
        select(&[SortMode::Property, SortMode::Advert]).prop_map(RawCriterion::SortMode),
        vec(vec(entry(), 0..3), 0..3).prop_map(RawCriterion::Expressions),
        vec(feature(), 0..3).prop_map(RawCriterion::Features),
    ]
    .boxed()
}

fn entry() -> BoxedStrategy<Entry> {
    let strictness = select(&[Strictness::Exact, Strictness::Inflected]);
    let presence = select(&[Presence::Present, Presence::Absent]);
    (prop_oneof!["(t|f)[1-5] (rdc|sdb|appt)", "\\PC{1,16}"], strictness, presence)
        .prop_filter_map("no word in it", |(text, strictness, presence)| {
            Some(Entry { phrase: Phrase::new(&text, strictness)?, presence })
        })
        .boxed()
}

fn feature() -> BoxedStrategy<Phrase> {
    prop_oneof!["(cave|balcon) [1-5]m2", "\\PC{1,16}"]
        .prop_filter_map("no word in it", |text| Phrase::new(&text, Strictness::Inflected))
        .boxed()
}

fn alerts() -> BoxedStrategy<Alerts> {
    let endpoint = || {
        "https://[a-z]{1,6}\\.example(:8443)?/[a-zA-Z0-9%é\"]{0,6}(\\?[a-z]=[0-9])?"
            .prop_filter_map("not an address", |text| Endpoint::parse(&text).ok())
    };
    let email = "[a-zé'+]{1,8}@[a-z]{1,6}\\.fr"
        .prop_filter_map("not an address", |text| EmailAddress::parse(&text).ok());
    let recipients = (option::of(email), option::of(endpoint()), option::of(endpoint()));
    (any::<[bool; 2]>(), recipients, btree_set(select(EventName::ALL), 0..4))
        .prop_map(|([enabled, hide_contact], (email, endpoint, event_endpoint), events)| Alerts {
            enabled,
            hide_contact,
            email,
            endpoint,
            event_endpoint,
            events,
        })
        .boxed()
}
