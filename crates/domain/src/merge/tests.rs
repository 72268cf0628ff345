//! One rule each, on an advert first seen at second 1,000.

use super::*;
use crate::draft::{AdvertPatch, Given, Identity};
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
    AdvertPatch { price: Given::Value(Amount::new(euros)), ..AdvertPatch::default() }
}

fn silent() -> AdvertDraft {
    draft(AdvertPatch::default())
}

fn known() -> Advert {
    create(id(), draft(price(200_000.0)), None, at(1_000)).advert
}

fn merged(draft: AdvertDraft, received_at: i64) -> Merged {
    update(&known(), draft, None, at(received_at))
}

/// `subject old→new variation` of each event.
fn told(events: &[AdvertEvent]) -> Vec<String> {
    let text = |value: &Option<Box<str>>| value.as_deref().unwrap_or("-").to_owned();
    let line = |event: &AdvertEvent| {
        let variation = event.percent_variation.map(|v| v.get().to_string()).unwrap_or_default();
        let (old, new) = (text(&event.old_value), text(&event.new_value));
        format!("{:?}@{} {old}→{new} {variation}", event.subject, event.at.as_second())
    };
    events.iter().map(line).collect()
}

#[test]
fn a_new_advert_begins_with_its_creation() {
    let created = create(id(), draft(price(200_000.0)), None, at(1_000));
    assert_eq!(created.effect, Effect::Created);
    assert_eq!(told(&created.events), ["Created@1000 -→- "]);
    assert_eq!(created.advert.events, created.events);
    assert_eq!(created.advert.last_crawled_at, at(1_000));
}

#[test]
fn a_repeat_only_moves_the_crawl() {
    let repeat = merged(draft(price(200_000.0)), 2_000);
    assert_eq!((repeat.effect, repeat.events.len()), (Effect::Crawled, 0));
    assert_eq!(repeat.advert, Advert { last_crawled_at: at(2_000), ..known() });
    assert_eq!(merged(draft(price(200_000.0)), 1_000).effect, Effect::Nothing);
}

#[test]
fn a_price_change_carries_both_values_and_the_variation() {
    let change = merged(draft(price(190_000.0)), 2_000);
    assert_eq!(change.effect, Effect::Updated);
    assert_eq!(told(&change.events), ["Field(Price)@2000 200000→190000 -5"]);
    assert_eq!(told(&change.advert.events).len(), 2);
    assert_eq!(change.advert.updated_at, at(2_000));
}

#[test]
fn a_price_withdrawn_has_no_variation() {
    let change = merged(draft(AdvertPatch { price: Given::Value(None), ..AdvertPatch::default() }), 2_000);
    assert_eq!(told(&change.events), ["Field(Price)@2000 200000→- "]);
}

#[test]
fn silence_on_a_field_keeps_it() {
    let change = merged(draft(AdvertPatch { room: Given::Value(Some(3)), ..AdvertPatch::default() }), 2_000);
    assert_eq!(told(&change.events), ["Field(Room)@2000 -→- "]);
    assert_eq!(change.advert.details.price, Amount::new(200_000.0));
}

#[test]
fn expiry_comes_once_and_is_no_crawl() {
    let gone = AdvertDraft { lifecycle: Lifecycle::Expired { at: None }, ..silent() };
    let expired = merged(gone.clone(), 2_000);
    assert_eq!(told(&expired.events), ["Expired@2000 false→true "]);
    assert_eq!(expired.advert.expired_at, Some(at(2_000)));
    assert_eq!(expired.advert.last_crawled_at, at(1_000));
    let again = update(&expired.advert, gone, None, at(3_000));
    assert_eq!((again.effect, again.events.len()), (Effect::Nothing, 0));

    let dated = AdvertDraft { lifecycle: Lifecycle::Expired { at: Some(at(1_800)) }, ..silent() };
    let dated = update(&expired.advert, dated, None, at(3_000));
    assert_eq!((dated.advert.expired_at, dated.events.len()), (Some(at(1_800)), 0));
    assert_eq!(told(&dated.advert.events), ["Created@1000 -→- ", "Expired@1800 false→true "]);
}

#[test]
fn a_sighting_after_the_expiry_brings_the_advert_back() {
    let expired = expire(&known(), at(2_000)).advert;
    let back = update(&expired, silent(), None, at(3_000));
    assert_eq!(told(&back.events), ["Expired@3000 true→false "]);
    assert_eq!(back.advert.expired_at, None);

    let at_once = update(&expired, silent(), None, at(2_000));
    assert_eq!(at_once.advert.expired_at, None, "in the very second, but after");

    let old_sighting = AdvertDraft { last_crawled_at: Some(at(1_500)), ..silent() };
    let still = update(&expired, old_sighting, None, at(3_000));
    assert_eq!((still.effect, still.advert.expired_at), (Effect::Crawled, Some(at(2_000))));
    let said_to_be_live =
        AdvertDraft { last_crawled_at: Some(at(1_500)), lifecycle: Lifecycle::Live, ..silent() };
    assert_eq!(update(&expired, said_to_be_live, None, at(3_000)).advert.expired_at, None);
}

#[test]
fn history_is_filled_in_once_and_is_no_news() {
    let past =
        AdvertEvent::amount(at(500), AdvertField::Price, Amount::new(210_000.0), Amount::new(200_000.0));
    let backfill = AdvertDraft { created_at: Some(at(100)), history: vec![past], ..silent() };
    let filled = merged(backfill.clone(), 2_000);
    assert_eq!((filled.effect, filled.events.len()), (Effect::Updated, 0));
    assert_eq!(filled.advert.created_at, at(100));
    assert_eq!(told(&filled.advert.events), ["Created@100 -→- ", "Field(Price)@500 210000→200000 -4.76"]);
    assert_eq!(update(&filled.advert, backfill, None, at(2_000)).effect, Effect::Nothing);
}

#[test]
fn a_later_creation_date_does_not_move_the_creation() {
    let later = AdvertDraft { created_at: Some(at(1_500)), ..silent() };
    assert_eq!(merged(later, 2_000).advert.created_at, at(1_000));
}

#[test]
fn copies_and_originals_of_pictures_make_one_event() {
    let picture = |n: u32| crate::value::WebAddress::parse(&format!("https://img.example/{n}.jpg")).unwrap();
    let patch = AdvertPatch {
        pictures: Given::Value(vec![picture(1)]),
        pictures_remote: Given::Value(vec![picture(2)]),
        ..AdvertPatch::default()
    };
    assert_eq!(told(&merged(draft(patch), 2_000).events), ["Field(Pictures)@2000 -→- "]);
}

#[test]
fn events_are_bounded_and_the_creation_stays() {
    let mut advert = known();
    for n in 0..EVENTS_MAX as i64 + 50 {
        advert = update(&advert, draft(price(200_001.0 + n as f64)), None, at(2_000 + n)).advert;
    }
    assert_eq!(advert.events.len(), EVENTS_MAX);
    assert_eq!(advert.events[0], AdvertEvent::created(at(1_000)));
    assert_eq!(advert.events.last().map(|event| event.at), Some(at(2_000 + EVENTS_MAX as i64 + 49)));
}
