//! The dates of changes, crawls that are received late, and history that senders give.

use super::*;

fn crawled(second: i64, patch: AdvertPatch) -> AdvertDraft {
    AdvertDraft { last_crawled_at: Some(at(second)), ..draft(patch) }
}

fn pair(second: i64, old: f64, new: f64) -> AdvertEvent {
    AdvertEvent::amount(at(second), AdvertField::Price, Amount::new(old), Amount::new(new))
}

fn point(second: i64, euros: f64) -> AdvertEvent {
    AdvertEvent::amount(at(second), AdvertField::Price, None, Amount::new(euros))
}

fn title(text: &str) -> AdvertPatch {
    AdvertPatch { title: FieldUpdate::Set(crate::ShortText::new(text).unwrap()), ..AdvertPatch::default() }
}

/// Creates an advert from the first draft and merges the others, all received at second 9,000.
fn replayed(drafts: impl IntoIterator<Item = AdvertDraft>) -> Advert {
    let mut drafts = drafts.into_iter();
    let first = create(id(), drafts.next().unwrap(), None, at(9_000)).advert;
    drafts.fold(first, |advert, draft| update(&advert, draft, None, at(9_000)).advert)
}

#[test]
fn change_is_dated_by_the_request_then_the_crawl_then_the_receipt() {
    let check = |updated_at: Option<i64>, crawled_at: Option<i64>, expected: i64| {
        let change = AdvertDraft {
            updated_at: updated_at.map(at),
            last_crawled_at: crawled_at.map(at),
            ..draft(price(190_000.0))
        };
        let change = merged(change, 5_000);
        assert_eq!(change.events.len(), 1, "{updated_at:?} {crawled_at:?}");
        assert_eq!(change.events[0].at, at(expected), "{updated_at:?} {crawled_at:?}");
        assert_eq!(change.advert.updated_at, at(expected), "{updated_at:?} {crawled_at:?}");
    };
    check(Some(2_000), Some(3_000), 2_000);
    check(Some(2_000), None, 2_000);
    check(None, Some(3_000), 3_000);
    check(None, None, 5_000);
    // A date that is not later than the one kept is stale.
    check(Some(1_000), Some(3_000), 3_000);
    check(Some(900), None, 5_000);
}

#[test]
fn change_is_never_earlier_than_the_event_before() {
    let first = AdvertDraft { last_crawled_at: Some(at(1_500)), ..draft(title("A")) };
    let advert = update(&current(), first, None, at(5_000)).advert;
    let history = vec![AdvertEvent::field(at(4_000), AdvertField::Room)];
    let advert =
        update(&advert, AdvertDraft { history, ..crawled(4_500, price(200_000.0)) }, None, at(5_000)).advert;
    let change = AdvertDraft { updated_at: Some(at(2_000)), ..crawled(5_000, title("B")) };
    let change = update(&advert, change, None, at(5_000));
    assert_eq!(printed(&change.events), ["Field(Title)@4000 -→- "]);
}

#[test]
fn expiry_is_dated_by_its_own_date_first() {
    let check = |expired_at: Option<i64>, updated_at: Option<i64>, crawled_at: Option<i64>, expected: i64| {
        let gone = AdvertDraft {
            lifecycle: Lifecycle::Expired { at: expired_at.map(at) },
            updated_at: updated_at.map(at),
            last_crawled_at: crawled_at.map(at),
            ..empty_draft()
        };
        let expired = merged(gone, 5_000);
        assert_eq!(
            expired.advert.expired_at,
            Some(at(expected)),
            "{expired_at:?} {updated_at:?} {crawled_at:?}"
        );
        assert_eq!(expired.events.last().map(|event| event.at), Some(at(expected)));
    };
    check(Some(2_000), Some(3_000), Some(4_000), 2_000);
    check(None, Some(3_000), Some(4_000), 3_000);
    check(None, None, Some(4_000), 4_000);
    check(None, None, None, 5_000);
}

#[test]
fn creation_is_dated_by_what_the_draft_knows() {
    let check = |draft: AdvertDraft, expected: i64| {
        let created = create(id(), draft, None, at(5_000));
        assert_eq!(created.advert.created_at, at(expected));
        assert_eq!(created.events, [AdvertEvent::created(at(expected))]);
    };
    check(empty_draft(), 5_000);
    check(crawled(4_000, AdvertPatch::default()), 4_000);
    check(AdvertDraft { updated_at: Some(at(3_000)), ..crawled(4_000, AdvertPatch::default()) }, 3_000);
    let history = vec![AdvertEvent::created(at(2_000)), AdvertEvent::field(at(2_500), AdvertField::Title)];
    check(AdvertDraft { history: history.clone(), ..crawled(4_000, AdvertPatch::default()) }, 2_000);
    check(AdvertDraft { created_at: Some(at(1_500)), history, ..empty_draft() }, 1_500);
}

#[test]
fn older_crawl_changes_no_value_and_fills_the_history() {
    let advert = replayed([crawled(1_000, price(200_000.0)), crawled(3_000, price(180_000.0))]);
    assert_eq!(printed(&advert.events)[1..], ["Field(Price)@3000 200000→180000 -10"]);
    let room = AdvertPatch { room: FieldUpdate::Set(Some(3)), ..price(190_000.0) };
    let late = update(&advert, crawled(2_000, room), None, at(9_000));
    assert_eq!((late.effect, late.events), (Effect::Updated, Vec::new()));
    assert_eq!(late.advert.details.price, Amount::new(180_000.0));
    assert_eq!(late.advert.details.room, Some(3), "no later crawl has given it");
    assert_eq!(late.advert.last_crawled_at, at(3_000));
    assert_eq!(
        printed(&late.advert.events)[1..],
        [
            "Field(Price)@2000 200000→190000 -5",
            "Field(Room)@2000 -→- ",
            "Field(Price)@3000 190000→180000 -5.26"
        ]
    );
    // The same crawl again says nothing new.
    let room = AdvertPatch { room: FieldUpdate::Set(Some(3)), ..price(190_000.0) };
    assert_eq!(update(&late.advert, crawled(2_000, room), None, at(9_500)).effect, Effect::Unchanged);
}

#[test]
fn older_crawl_does_not_fill_what_a_later_one_has_cleared() {
    let cleared = AdvertPatch { price: FieldUpdate::Set(None), ..AdvertPatch::default() };
    let advert = replayed([crawled(3_000, cleared), crawled(2_000, price(190_000.0))]);
    assert_eq!(advert.details.price, None);
    assert_eq!(printed(&advert.events), ["Created@2000 -→- ", "Field(Price)@3000 190000→- "]);
}

#[test]
fn older_expiry_is_history() {
    let gone = AdvertDraft { lifecycle: Lifecycle::Expired { at: Some(at(2_000)) }, ..empty_draft() };
    let advert = replayed([crawled(1_000, price(1.0)), crawled(3_000, price(1.0)), gone.clone()]);
    assert_eq!(advert.expired_at, None, "a later crawl has seen it");
    assert_eq!(printed(&advert.events)[1..], ["Expired@2000 false→true ", "Expired@3000 true→false "]);
    // Nor does it return because of an older crawl, even if that one said that it was live.
    let live = AdvertDraft { lifecycle: Lifecycle::Live, ..crawled(1_500, price(1.0)) };
    let expired = replayed([crawled(1_000, price(1.0)), gone.clone(), live]);
    assert_eq!(expired.expired_at, Some(at(2_000)));
    // The time of a crawl without a date is not known, so it does not contradict the expiry.
    let undated = create(id(), draft(price(1.0)), None, at(3_000)).advert;
    let expired = update(&undated, gone, None, at(4_000));
    assert_eq!(expired.advert.expired_at, Some(at(2_000)));
    assert_eq!(expired.events.len(), 1);
}

#[test]
fn crawls_of_the_same_time_are_ordered_by_their_update_then_by_arrival() {
    let updated =
        |second, euros| AdvertDraft { updated_at: Some(at(second)), ..crawled(3_000, price(euros)) };
    for drafts in [[updated(2_000, 1.0), updated(2_500, 2.0)], [updated(2_500, 2.0), updated(2_000, 1.0)]] {
        assert_eq!(replayed(drafts).details.price, Amount::new(2.0));
    }
    let advert = replayed([crawled(3_000, price(1.0)), crawled(3_000, price(2.0))]);
    assert_eq!(advert.details.price, Amount::new(2.0));
}

#[test]
fn pure_rounding_changes_the_value_without_an_event() {
    let check = |old: f64, new: f64, is_event: bool| {
        for (field, patch) in [
            (AdvertField::Price, price as fn(f64) -> AdvertPatch),
            (AdvertField::Surface, surface),
            (AdvertField::CondominiumFees, condominium_fees),
        ] {
            let advert = create(id(), draft(patch(old)), None, at(1_000)).advert;
            let change = update(&advert, draft(patch(new)), None, at(2_000));
            assert_eq!(!change.events.is_empty(), is_event, "{field:?} {old} → {new}");
            assert_eq!(change.advert.details, create(id(), draft(patch(new)), None, at(1)).advert.details);
            assert_eq!(change.effect, Effect::Updated);
        }
    };
    check(85.0, 85.31, false);
    check(85.0, 84.5, false);
    check(85.3, 85.31, false);
    check(85.0, 85.5, true);
    check(85.31, 85.0, true);
    check(85.3, 85.36, true);
    check(200_000.0, 200_001.0, true);
}

fn surface(square_metres: f64) -> AdvertPatch {
    AdvertPatch { surface: FieldUpdate::Set(Amount::new(square_metres)), ..AdvertPatch::default() }
}

fn condominium_fees(euros: f64) -> AdvertPatch {
    AdvertPatch { condominium_fees: FieldUpdate::Set(Amount::new(euros)), ..AdvertPatch::default() }
}

#[test]
fn price_points_become_changes() {
    let history = vec![point(1_000, 210_000.0), point(2_000, 205_000.0), point(2_500, 205_000.0)];
    let seen = AdvertDraft { history, ..crawled(3_000, price(200_000.0)) };
    let advert = create(id(), seen.clone(), None, at(9_000)).advert;
    let expected = [
        "Created@1000 -→- ",
        "Field(Price)@2000 210000→205000 -2.38",
        "Field(Price)@3000 205000→200000 -2.44",
    ];
    assert_eq!(printed(&advert.events), expected);
    assert_eq!(advert.details.price, Amount::new(200_000.0));
    assert_eq!(update(&advert, seen, None, at(9_500)).effect, Effect::Unchanged);

    // A point between two crawls dates the change that they show.
    let advert = replayed([crawled(1_000, price(2.0)), crawled(3_000, price(1.0))]);
    let late = AdvertDraft { history: vec![point(2_000, 1.0)], ..crawled(3_000, price(1.0)) };
    let late = update(&advert, late, None, at(9_000));
    assert_eq!(printed(&late.advert.events)[1..], ["Field(Price)@2000 2→1 -50"]);
    assert_eq!(late.events, []);
}

#[test]
fn price_that_became_known_is_a_change_if_the_advert_is_older() {
    let history = vec![point(2_000, 205_000.0)];
    let seen = AdvertDraft { history, created_at: Some(at(1_000)), ..crawled(3_000, price(205_000.0)) };
    let advert = create(id(), seen, None, at(9_000)).advert;
    assert_eq!(printed(&advert.events), ["Created@1000 -→- ", "Field(Price)@2000 -→205000 "]);
}

#[test]
fn given_event_is_not_doubled_by_the_crawls_that_show_it() {
    let changed = AdvertPatch { title: title("B").title, ..price(190_000.0) };
    let first = AdvertPatch { title: title("A").title, ..price(200_000.0) };
    let history = vec![AdvertEvent::field(at(2_000), AdvertField::Title), pair(2_100, 200_000.0, 190_000.0)];
    let expected = ["Field(Title)@2000 -→- ", "Field(Price)@2100 200000→190000 -5"];

    // With the crawl that shows the change: it is new, with its true date.
    let advert = replayed([crawled(1_000, first.clone())]);
    let newest = AdvertDraft { history: history.clone(), ..crawled(3_000, changed.clone()) };
    let newest = update(&advert, newest, None, at(9_000));
    assert_eq!(printed(&newest.events), expected);
    assert_eq!(printed(&newest.advert.events)[1..], expected);

    // After it: the date is corrected, and no client is notified again.
    let advert = replayed([crawled(1_000, first), crawled(3_000, changed.clone())]);
    assert_eq!(
        printed(&advert.events)[1..],
        ["Field(Title)@3000 -→- ", "Field(Price)@3000 200000→190000 -5"]
    );
    let filled = AdvertDraft { history, ..crawled(4_000, changed) };
    let filled = update(&advert, filled, None, at(9_000));
    assert_eq!(printed(&filled.advert.events)[1..], expected);
    assert_eq!((filled.effect, filled.events), (Effect::Updated, Vec::new()));
}

#[test]
fn given_expiry_without_values_is_not_doubled() {
    let bare = AdvertEvent { old_value: None, new_value: None, ..AdvertEvent::expiry(at(2_000), true) };
    let document = AdvertDraft {
        created_at: Some(at(1_000)),
        updated_at: Some(at(2_000)),
        lifecycle: Lifecycle::Expired { at: Some(at(2_000)) },
        history: vec![AdvertEvent::created(at(1_000)), bare],
        ..crawled(1_500, price(1.0))
    };
    let created = create(id(), document.clone(), None, at(9_000));
    assert_eq!(printed(&created.advert.events), ["Created@1000 -→- ", "Expired@2000 false→true "]);
    assert_eq!(created.events, created.advert.events);
    assert_eq!(update(&created.advert, document, None, at(9_000)).effect, Effect::Unchanged);
}

#[test]
fn advert_sent_back_with_its_events_is_unchanged() {
    let advert = replayed([
        crawled(1_000, price(200_000.0)),
        AdvertDraft { updated_at: Some(at(1_800)), ..crawled(2_000, price(190_000.0)) },
        crawled(3_000, title("B")),
    ]);
    let document = AdvertDraft {
        created_at: Some(advert.created_at),
        updated_at: Some(advert.updated_at),
        history: advert.events.clone(),
        ..crawled(3_000, AdvertPatch { title: title("B").title, ..price(190_000.0) })
    };
    let again = update(&advert, document.clone(), None, at(9_000));
    assert_eq!((again.events, printed(&again.advert.events)), (Vec::new(), printed(&advert.events)));
    let elsewhere = create(id(), document, None, at(9_500)).advert;
    assert_eq!(printed(&elsewhere.events), printed(&advert.events));
    assert_eq!(elsewhere.details, advert.details);
    assert_eq!(
        (elsewhere.created_at, elsewhere.updated_at, elsewhere.last_crawled_at),
        (advert.created_at, advert.updated_at, advert.last_crawled_at)
    );
}

#[test]
fn advert_sent_back_after_several_changes_in_one_second_is_unchanged() {
    let none = AdvertPatch { price: FieldUpdate::Set(None), ..AdvertPatch::default() };
    let drafts = [draft(price(4.0)), draft(price(3.0)), draft(none), draft(price(0.0)), draft(price(2.5))];
    let advert = replayed(drafts);
    assert_eq!(advert.events.len(), 5);
    let document = AdvertDraft {
        created_at: Some(advert.created_at),
        updated_at: Some(advert.updated_at),
        history: advert.events.clone(),
        ..crawled(9_000, price(2.5))
    };
    let again = update(&advert, document, None, at(9_000));
    assert_eq!((again.effect, again.events), (Effect::Crawled, Vec::new()));
    assert_eq!(printed(&again.advert.events), printed(&advert.events));
    assert_eq!(again.advert.details.price, Amount::new(2.5));
}

#[test]
fn advert_of_an_older_release_keeps_its_history() {
    let old = Advert {
        events: vec![AdvertEvent::created(at(500)), pair(800, 210_000.0, 200_000.0)],
        created_at: at(500),
        ..current().without_timeline()
    };
    let change = update(&old, draft(price(190_000.0)), None, at(2_000));
    assert_eq!(printed(&change.events), ["Field(Price)@2000 200000→190000 -5"]);
    assert_eq!(change.advert.events[..2], old.events);
    assert_eq!(change.advert.created_at, at(500));
    // An older crawl only fills what is not known.
    let room = AdvertPatch { room: FieldUpdate::Set(Some(3)), ..price(1.0) };
    let late = update(&change.advert, crawled(700, room), None, at(3_000));
    assert_eq!((late.advert.details.room, late.advert.details.price), (Some(3), Amount::new(190_000.0)));
    assert_eq!(late.advert.events, change.advert.events);
}

#[test]
fn timeline_is_limited() {
    let mut advert = current();
    for n in 1..1_200 {
        // A change once in a hundred crawls.
        let euros = 200_000.0 + f64::from(n / 100);
        advert = update(&advert, crawled(1_000 + i64::from(n) * 60, price(euros)), None, at(999_999)).advert;
    }
    assert!(advert.timeline.crawls.len() <= crate::timeline::CRAWLS_MAX, "{}", advert.timeline.crawls.len());
    assert_eq!(advert.events.len(), 12);
    assert_eq!(advert.details.price, Amount::new(200_011.0));
    assert_eq!(advert.last_crawled_at, at(1_000 + 1_199 * 60));

    // All of them changes.
    let mut advert = current();
    for n in 1..1_100 {
        advert =
            update(&advert, crawled(1_000 + n * 60, price(200_000.0 + n as f64)), None, at(999_999)).advert;
    }
    assert!(advert.timeline.crawls.len() <= crate::timeline::CRAWLS_MAX, "{}", advert.timeline.crawls.len());
    assert_eq!(advert.events.len(), EVENTS_MAX);
    let expected = AdvertEvent::amount(
        at(1_000 + 1_099 * 60),
        AdvertField::Price,
        Amount::new(201_098.0),
        Amount::new(201_099.0),
    );
    assert_eq!(advert.events.last(), Some(&expected));
    assert!(advert.events.windows(2).skip(1).all(|two| two[0].new_value == two[1].old_value));
}
