//! One test per rule, on an advert created at second 1,000.

mod dates;
mod keep;
mod order;

use super::*;
use crate::advert_fields::{AdvertPatch, FieldUpdate};
use crate::draft::Identity;
use crate::value::Amount;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn id() -> AdvertId {
    AdvertId::from_bytes([7; 16])
}

fn draft(patch: AdvertPatch) -> AdvertDraft {
    AdvertDraft::seen(Identity::Uuid(id()), patch)
}

fn price(euros: f64) -> AdvertPatch {
    AdvertPatch { price: FieldUpdate::Set(Amount::new(euros)), ..AdvertPatch::default() }
}

fn empty_draft() -> AdvertDraft {
    draft(AdvertPatch::default())
}

fn current() -> Advert {
    create(id(), draft(price(200_000.0)), None, at(1_000)).advert
}

fn merged(draft: AdvertDraft, received_at: i64) -> Merged {
    update(&current(), draft, None, at(received_at))
}

/// Prints each event as `subject@second old→new variation`.
fn printed(events: &[AdvertEvent]) -> Vec<String> {
    let text = |value: &Option<Box<str>>| value.as_deref().unwrap_or("-").to_owned();
    let line = |event: &AdvertEvent| {
        let variation = event.percent_variation.map(|v| v.get().to_string()).unwrap_or_default();
        let (old, new) = (text(&event.old_value), text(&event.new_value));
        format!("{:?}@{} {old}→{new} {variation}", event.subject, event.at.as_second())
    };
    events.iter().map(line).collect()
}

#[test]
fn new_advert_starts_with_its_creation() {
    let created = create(id(), draft(price(200_000.0)), None, at(1_000));
    assert_eq!(created.effect, Effect::Created);
    assert_eq!(printed(&created.events), ["Created@1000 -→- "]);
    assert_eq!(created.advert.events, created.events);
    assert_eq!(created.advert.last_crawled_at, at(1_000));
}

#[test]
fn repeated_draft_only_updates_the_crawl_date() {
    let repeat = merged(draft(price(200_000.0)), 2_000);
    assert_eq!((repeat.effect, repeat.events.len()), (Effect::Crawled, 0));
    let timeline = repeat.advert.timeline.clone();
    assert_eq!(repeat.advert, Advert { last_crawled_at: at(2_000), timeline, ..current() });
    assert_eq!(merged(draft(price(200_000.0)), 1_000).effect, Effect::Unchanged);
}

#[test]
fn price_change_has_both_values_and_the_variation() {
    let change = merged(draft(price(190_000.0)), 2_000);
    assert_eq!(change.effect, Effect::Updated);
    assert_eq!(printed(&change.events), ["Field(Price)@2000 200000→190000 -5"]);
    assert_eq!(printed(&change.advert.events).len(), 2);
    assert_eq!(change.advert.updated_at, at(2_000));
}

#[test]
fn cleared_price_has_no_variation() {
    let change =
        merged(draft(AdvertPatch { price: FieldUpdate::Set(None), ..AdvertPatch::default() }), 2_000);
    assert_eq!(printed(&change.events), ["Field(Price)@2000 200000→- "]);
}

#[test]
fn absent_field_is_kept() {
    let change =
        merged(draft(AdvertPatch { room: FieldUpdate::Set(Some(3)), ..AdvertPatch::default() }), 2_000);
    assert_eq!(printed(&change.events), ["Field(Room)@2000 -→- "]);
    assert_eq!(change.advert.details.price, Amount::new(200_000.0));
}

#[test]
fn expiry_is_recorded_once_and_is_not_a_crawl() {
    let gone = AdvertDraft { lifecycle: Lifecycle::Expired { at: None }, ..empty_draft() };
    let expired = merged(gone.clone(), 2_000);
    assert_eq!(printed(&expired.events), ["Expired@2000 false→true "]);
    assert_eq!(expired.advert.expired_at, Some(at(2_000)));
    assert_eq!(expired.advert.last_crawled_at, at(1_000));
    let again = update(&expired.advert, gone, None, at(3_000));
    assert_eq!((again.effect, again.events.len()), (Effect::Unchanged, 0));

    let dated = AdvertDraft { lifecycle: Lifecycle::Expired { at: Some(at(1_800)) }, ..empty_draft() };
    let dated = update(&expired.advert, dated, None, at(3_000));
    assert_eq!((dated.advert.expired_at, dated.events.len()), (Some(at(1_800)), 0));
    assert_eq!(printed(&dated.advert.events), ["Created@1000 -→- ", "Expired@1800 false→true "]);
}

#[test]
fn crawl_after_the_expiry_makes_the_advert_live() {
    let expired = expire(&current(), at(2_000)).advert;
    let back = update(&expired, empty_draft(), None, at(3_000));
    assert_eq!(printed(&back.events), ["Expired@3000 true→false "]);
    assert_eq!(back.advert.expired_at, None);

    let at_once = update(&expired, empty_draft(), None, at(2_000));
    assert_eq!(at_once.advert.expired_at, None, "crawled in the same second, after the expiry");

    let old_crawl = AdvertDraft { last_crawled_at: Some(at(1_500)), ..empty_draft() };
    let still = update(&expired, old_crawl, None, at(3_000));
    assert_eq!((still.effect, still.advert.expired_at), (Effect::Crawled, Some(at(2_000))));
    let said_to_be_live =
        AdvertDraft { last_crawled_at: Some(at(1_500)), lifecycle: Lifecycle::Live, ..empty_draft() };
    let revived = update(&expired, said_to_be_live.clone(), None, at(3_000)).advert;
    assert_eq!(revived.expired_at, None);
    let old_values = AdvertDraft { patch: price(1.0), ..said_to_be_live };
    let revived = update(&expired, old_values, None, at(3_000));
    assert_eq!((revived.advert.expired_at, revived.advert.details.price), (None, Amount::new(1.0)));
    let seen_since = update(&current(), draft(price(200_000.0)), None, at(1_800)).advert;
    let expired = expire(&seen_since, at(2_000)).advert;
    let old_values =
        AdvertDraft { last_crawled_at: Some(at(1_500)), lifecycle: Lifecycle::Live, ..draft(price(1.0)) };
    let revived = update(&expired, old_values, None, at(3_000)).advert;
    assert_eq!((revived.expired_at, revived.details.price), (None, Amount::new(200_000.0)));
    assert_eq!(revived.last_crawled_at, at(1_800));
}

#[test]
fn history_is_back_filled_once_without_new_events() {
    let past =
        AdvertEvent::amount(at(500), AdvertField::Price, Amount::new(210_000.0), Amount::new(200_000.0));
    let backfill = AdvertDraft { created_at: Some(at(100)), history: vec![past], ..empty_draft() };
    let filled = merged(backfill.clone(), 2_000);
    assert_eq!((filled.effect, filled.events.len()), (Effect::Updated, 0));
    assert_eq!(filled.advert.created_at, at(100));
    assert_eq!(printed(&filled.advert.events), ["Created@100 -→- ", "Field(Price)@500 210000→200000 -4.76"]);
    assert_eq!(update(&filled.advert, backfill, None, at(2_000)).effect, Effect::Unchanged);
}

#[test]
fn given_creation_replaces_a_guess_and_then_only_moves_back() {
    let created = |second| AdvertDraft { created_at: Some(at(second)), ..empty_draft() };
    let given = merged(created(1_500), 2_000).advert;
    assert_eq!((given.created_at, given.events[0].at), (at(1_500), at(1_500)));
    assert_eq!(update(&given, created(1_700), None, at(2_000)).advert.created_at, at(1_500));
    assert_eq!(update(&given, created(200), None, at(2_000)).advert.created_at, at(200));

    // An event is older than the given date.
    let changed = merged(draft(price(190_000.0)), 1_200).advert;
    assert_eq!(update(&changed, created(1_500), None, at(2_000)).advert.created_at, at(1_200));
}

#[test]
fn change_of_picture_copies_and_originals_is_one_event() {
    let picture = |n: u32| crate::value::WebAddress::parse(&format!("https://img.example/{n}.jpg")).unwrap();
    let patch = AdvertPatch {
        pictures: FieldUpdate::Set([picture(1)].into()),
        pictures_remote: FieldUpdate::Set([picture(2)].into()),
        ..AdvertPatch::default()
    };
    assert_eq!(printed(&merged(draft(patch), 2_000).events), ["Field(Pictures)@2000 -→- "]);
}

#[test]
fn events_are_limited_and_the_creation_is_kept() {
    let mut advert = current();
    for n in 0..EVENTS_MAX as i64 + 50 {
        advert = update(&advert, draft(price(200_001.0 + n as f64)), None, at(2_000 + n)).advert;
    }
    assert_eq!(advert.events.len(), EVENTS_MAX);
    assert_eq!(advert.events[0], AdvertEvent::created(at(1_000)));
    assert_eq!(advert.events.last().map(|event| event.at), Some(at(2_000 + EVENTS_MAX as i64 + 49)));
}
