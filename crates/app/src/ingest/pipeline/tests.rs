use domain::{AdvertDraft, FieldUpdate, Identity};
use testkit::build::{
    advert_id, amount, draft, long_text, property_id, short_text, site, site_reference, web_address,
};

use super::*;
use crate::ingest::IngestOptions;
use crate::ingest::Outcome::{self, Created, Updated};
use crate::search::tests::app_without_workers;

fn outcomes(receipts: &[Receipt]) -> Vec<Outcome> {
    let outcome = |receipt: &Receipt| match receipt {
        Receipt::Accepted { outcome, .. } => *outcome,
        Receipt::Rejected { violations } => panic!("{violations:?}"),
    };
    receipts.iter().map(outcome).collect()
}

/// Changes the reference of an advert on its site.
fn renamed(number: u64, site_given: bool, reference: &str) -> AdvertDraft {
    let mut draft = draft(Identity::Uuid(advert_id(number)));
    draft.property = Some(property_id(number));
    draft.patch.reference = FieldUpdate::Set(Some(short_text(reference)));
    if site_given {
        draft.patch.site = FieldUpdate::Set(Some(site("portail.fr")));
    }
    draft
}

/// An advert of one of two properties, with a price.
fn priced(number: u64, price: f64) -> AdvertDraft {
    let mut draft = draft(Identity::Uuid(advert_id(number)));
    draft.property = Some(property_id(number % 2));
    draft.patch.price = FieldUpdate::Set(Some(amount(price)));
    draft
}

/// Plans batches, each from what the plan before leaves, and commits all of them afterwards. Returns the outcomes of each.
async fn plan_all_and_commit(app: &App, batches: Vec<Vec<AdvertDraft>>) -> Vec<Vec<Outcome>> {
    let mut handover = Handover::default();
    let (mut found, mut planned) = (Vec::new(), Vec::new());
    for drafts in batches {
        let prepared = app.prepare(drafts, IngestOptions::default()).await.unwrap();
        let PreparedDrafts { batch, mut loaded, head: _ } = prepared;
        loaded.take_over(&handover);
        let part = app.plan(batch.part(0), loaded).await.unwrap().unwrap();
        handover = part.handover;
        found.push(outcomes(&part.receipts));
        planned.push(part.changes);
    }
    for changes in planned {
        assert!(app.commit_planned(changes).await.unwrap().is_some(), "refused");
    }
    found
}

/// Ingests batches one after the other; all are looked up before any is ingested. The last one begins once the one before is finished.
async fn ingest_prepared_together(app: &App, batches: Vec<Vec<AdvertDraft>>) -> Vec<Outcome> {
    let mut prepared = Vec::new();
    for batch in batches {
        prepared.push(app.prepare(batch, IngestOptions::default()).await.unwrap());
    }
    let last = prepared.pop().unwrap();
    let (mut before, mut found) = (None, Vec::new());
    for batch in prepared {
        let (ingesting, done) = app.ingest_next(batch, before.take()).await.unwrap();
        before = Some(ingesting);
        found.extend(done.iter().flat_map(|receipts| outcomes(receipts)));
    }
    let (before, done) = app.finish_ingesting(before.unwrap()).await.unwrap();
    found.extend(outcomes(&done.unwrap()));
    let (last, done) = app.ingest_next(last, Some(before)).await.unwrap();
    assert_eq!(done, None, "returned already");
    let (_, done) = app.finish_ingesting(last).await.unwrap();
    found.extend(outcomes(&done.unwrap()));
    found
}

#[tokio::test]
async fn plan_that_begins_from_an_uncommitted_one_is_not_refused() {
    let (app, _folder) = app_without_workers();
    let batch = |numbers: [u64; 3], price| numbers.map(|number| priced(number, price)).to_vec();
    // Several steps for one property, then changes and a new advert of both.
    let found =
        plan_all_and_commit(&app, vec![batch([1, 2, 3], 100_000.0), batch([3, 4, 1], 90_000.0)]).await;
    assert_eq!(found, [[Created; 3], [Updated, Created, Updated]]);
    let property = app.property(property_id(1)).await.unwrap().unwrap();
    let prices: Vec<_> = property.adverts.iter().map(|advert| advert.details.price).collect();
    assert_eq!(prices, [Some(amount(90_000.0)); 2]);
}

#[tokio::test]
async fn reference_that_an_uncommitted_plan_releases_is_free() {
    let (app, _folder) = app_without_workers();
    app.ingest(vec![renamed(1, true, "A"), renamed(2, true, "B")]).await.unwrap();
    // Without the site, the reference is looked for only when it is planned.
    let batches = vec![vec![renamed(1, true, "A2")], vec![renamed(2, false, "A")]];
    assert_eq!(plan_all_and_commit(&app, batches).await, [[Updated], [Updated]]);
}

#[tokio::test]
async fn references_that_the_batches_before_release_are_free() {
    let (app, _folder) = app_without_workers();
    let known = vec![renamed(1, true, "A"), renamed(2, true, "B"), renamed(3, true, "C")];
    app.ingest(known).await.unwrap();
    let mut of_reference = draft(site_reference("portail.fr", "A"));
    of_reference.patch.site = FieldUpdate::Set(Some(site("portail.fr")));
    of_reference.patch.reference = FieldUpdate::Set(Some(short_text("A")));
    let batches = [
        vec![renamed(1, true, "A2")],
        // Gives no site, so the reference is looked for only when it is planned.
        vec![renamed(2, false, "B2"), renamed(3, true, "C2")],
        vec![of_reference, renamed(1, false, "C"), renamed(2, false, "B3")],
        vec![renamed(3, false, "B2")],
    ];
    let found = ingest_prepared_together(&app, batches.to_vec()).await;
    // The advert of the released reference is another one.
    assert_eq!(found, [Updated, Updated, Updated, Created, Updated, Updated, Updated]);
    for (number, reference) in [(1, "C"), (2, "B3"), (3, "B2")] {
        let (advert, _) = app.advert(advert_id(number)).await.unwrap().unwrap();
        assert_eq!(advert.details.reference, Some(short_text(reference)));
    }
}

/// An advert with an address, which others may have as well.
fn at_address(number: u64, address: &str) -> AdvertDraft {
    let mut draft = priced(number, 100_000.0);
    draft.patch.url = FieldUpdate::Set(Some(web_address(address)));
    draft
}

/// Changes the price of the advert to which an address leads.
fn priced_at(address: &str, price: f64) -> AdvertDraft {
    let mut draft = draft(Identity::Url(address.into()));
    draft.patch.url = FieldUpdate::Set(Some(web_address(address)));
    draft.patch.price = FieldUpdate::Set(Some(amount(price)));
    draft
}

async fn prices(app: &App, adverts: &[u64]) -> Vec<f64> {
    let mut prices = Vec::new();
    for number in adverts {
        let (advert, _) = app.advert(advert_id(*number)).await.unwrap().unwrap();
        prices.push(advert.details.price.unwrap().get());
    }
    prices
}

const SHARED: &str = "https://portail.fr/1";

#[tokio::test]
async fn address_leads_to_the_next_advert_once_its_first_one_has_another() {
    let (app, _folder) = app_without_workers();
    app.ingest(vec![at_address(1, SHARED), at_address(2, SHARED), at_address(3, SHARED)]).await.unwrap();
    // In one batch.
    let elsewhere = at_address(1, "https://portail.fr/2");
    let done = app.ingest(vec![elsewhere, priced_at(SHARED, 90_000.0)]).await.unwrap();
    assert_eq!(outcomes(&done), [Updated, Updated]);
    assert_eq!(prices(&app, &[1, 2, 3]).await, [100_000.0, 90_000.0, 100_000.0]);
    // In batches that follow each other.
    let elsewhere = at_address(2, "https://portail.fr/3");
    let batches = vec![vec![elsewhere], vec![priced_at(SHARED, 80_000.0)], vec![priced_at(SHARED, 70_000.0)]];
    assert_eq!(ingest_prepared_together(&app, batches).await, [Updated; 3]);
    assert_eq!(prices(&app, &[1, 2, 3]).await, [100_000.0, 100_000.0, 70_000.0]);
}

#[tokio::test]
async fn address_leads_to_its_oldest_advert_whichever_was_written_last() {
    let (app, _folder) = app_without_workers();
    app.ingest(vec![at_address(1, SHARED), at_address(2, SHARED)]).await.unwrap();
    let changed = || {
        let mut newer = at_address(2, SHARED);
        newer.patch.floor = FieldUpdate::Set(Some(3));
        newer
    };
    let done = app.ingest(vec![changed(), priced_at(SHARED, 90_000.0)]).await.unwrap();
    assert_eq!(outcomes(&done), [Updated; 2]);
    assert_eq!(prices(&app, &[1, 2]).await, [90_000.0, 100_000.0]);
    let batches = vec![
        vec![at_address(3, SHARED)],
        vec![priced_at(SHARED, 80_000.0)],
        vec![priced_at(SHARED, 70_000.0)],
    ];
    assert_eq!(ingest_prepared_together(&app, batches).await, [Created, Updated, Updated]);
    assert_eq!(prices(&app, &[1, 2, 3]).await, [70_000.0, 100_000.0, 100_000.0]);
}

#[tokio::test]
async fn reference_that_another_writer_takes_from_an_advert_is_not_given_back() {
    let (app, _folder) = app_without_workers();
    app.ingest(vec![renamed(1, true, "A")]).await.unwrap();
    let mut of_reference = draft(site_reference("portail.fr", "B"));
    of_reference.patch.site = FieldUpdate::Set(Some(site("portail.fr")));
    of_reference.patch.reference = FieldUpdate::Set(Some(short_text("B")));
    let prepare = async |batch| app.prepare(batch, IngestOptions::default()).await.unwrap();
    let (first, next) = (prepare(vec![renamed(1, true, "B")]).await, prepare(vec![of_reference]).await);
    let (first, _) = app.ingest_next(first, None).await.unwrap();
    let (first, _) = app.finish_ingesting(first).await.unwrap();
    app.ingest(vec![renamed(1, true, "C")]).await.unwrap();
    let (next, _) = app.ingest_next(next, Some(first)).await.unwrap();
    let (_, done) = app.finish_ingesting(next).await.unwrap();
    assert_eq!(outcomes(&done.unwrap()), [Created]);
    let (advert, _) = app.advert(advert_id(1)).await.unwrap().unwrap();
    assert_eq!(advert.details.reference, Some(short_text("C")));
}

#[tokio::test]
async fn refused_batch_and_the_one_planned_after_it_are_planned_again_in_order() {
    let (app, _folder) = app_without_workers();
    app.ingest(vec![priced(1, 100_000.0), priced(2, 100_000.0)]).await.unwrap();
    let prepare = async |batch| app.prepare(batch, IngestOptions::default()).await.unwrap();
    let alone = |number| {
        let mut draft = priced(number, 100_000.0);
        draft.property = None;
        draft
    };
    let PreparedDrafts { batch, loaded, head: _ } = prepare(vec![priced(1, 90_000.0), alone(3)]).await;
    let next = prepare(vec![priced(1, 80_000.0), alone(3), alone(4)]).await;
    let planned = app.plan_ahead(&batch, loaded).await.unwrap();
    let mut of_another_writer = priced(1, 70_000.0);
    of_another_writer.patch.floor = FieldUpdate::Set(Some(3));
    app.ingest(vec![of_another_writer]).await.unwrap();
    let mut first = app.begin(batch, planned, Arc::default()).await.unwrap();
    first.end().await;
    assert!(matches!(first.progress, Progress::Ended(Ok(None))), "not refused");

    let (next, done) = app.ingest_next(next, Some(first)).await.unwrap();
    assert_eq!(outcomes(&done.unwrap()), [Updated, Created]);
    let (_, done) = app.finish_ingesting(next).await.unwrap();
    assert_eq!(outcomes(&done.unwrap()), [Updated, Outcome::Unchanged, Created]);
    assert_eq!(prices(&app, &[1, 2, 3, 4]).await, [80_000.0, 100_000.0, 100_000.0, 100_000.0]);
    let (advert, _) = app.advert(advert_id(1)).await.unwrap().unwrap();
    assert_eq!(advert.details.floor, Some(3));
    // The other writer came first, and then the batches in their order.
    let new_values = advert.events.iter().filter_map(|event| event.new_value.as_deref());
    assert_eq!(new_values.collect::<Vec<_>>(), ["70000", "90000", "80000"]);
}

#[tokio::test]
async fn batch_that_is_too_large_for_one_commit_is_ingested_in_parts() {
    const ADVERTS: u64 = 50;
    let (app, _folder) = app_without_workers();
    // Every step holds the whole property, so this is more than a thousand of these texts.
    let text = long_text(&"Bel appartement. ".repeat(3_800));
    let described = |number: u64, price: f64| {
        let mut draft = priced(2 * number, price);
        draft.patch.description = FieldUpdate::Set(Some(text.clone()));
        draft
    };
    let large: Vec<AdvertDraft> = (1..=ADVERTS).map(|number| described(number, 100_000.0)).collect();
    let prepared = app.prepare(large.clone(), IngestOptions::default()).await.unwrap();
    let planned = app.plan(prepared.batch.part(0), prepared.loaded).await.unwrap().unwrap();
    assert!((2..large.len()).contains(&planned.receipts.len()), "{}", planned.receipts.len());
    app.withdraw(planned.changes.unwrap().reservation).await.unwrap();

    // The last advert of the large batch is not in its first part.
    let batches = vec![
        vec![described(1, 120_000.0)],
        large,
        vec![described(ADVERTS, 90_000.0), described(1, 80_000.0)],
        vec![described(ADVERTS, 70_000.0)],
    ];
    let found = ingest_prepared_together(&app, batches).await;
    let expected = [Created, Updated].into_iter().chain([Created; ADVERTS as usize - 1]).chain([Updated; 3]);
    assert_eq!(found, expected.collect::<Vec<_>>());
    assert_eq!(prices(&app, &[2, 4, 2 * ADVERTS]).await, [80_000.0, 100_000.0, 70_000.0]);
}
