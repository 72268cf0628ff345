//! The store against a model: whatever a few writers do, in whatever order, both must say the same.
//!
//! The model ([`reference`]) is the contract written down naively, with maps that are copied and walked. Writers act on
//! what they last saw, so many of their sets come too late, and the model says which.

mod reference;
mod story;

use std::collections::HashMap;

use domain::Identity;
use proptest::prelude::*;
use store::{Position, Store};
use testkit::build::at;
use tokio::runtime::Handle;

use crate::backend::{Backend, Opened};
use crate::changes::whole_log;
use crate::scan::scan_all;
use reference::Model;
use story::{Event, HOMES, Writer, event, reference_identities, url_identities};

const CASES: u32 = 32;
const EVENTS_MAX: usize = 40;
const WRITERS: usize = 3;

pub async fn the_store_agrees_with_the_model<B: Backend>() {
    let handle = Handle::current();
    tokio::task::block_in_place(|| {
        let config = ProptestConfig::with_cases(CASES);
        proptest!(config, |(events in prop::collection::vec(event(WRITERS), 1..EVENTS_MAX))| {
            handle.block_on(play::<B>(events));
        });
    });
}

async fn play<B: Backend>(events: Vec<Event>) {
    let mut store = Opened::<B>::fresh().await;
    let mut model = Model::default();
    let mut writers = vec![Writer::default(); WRITERS];
    let mut newcomers = 0;
    for event in events {
        match event {
            Event::Write { writer, actions } => {
                let changes = writers[writer].build(&actions, &mut newcomers);
                if !changes.steps.is_empty() {
                    let expected = model.commit(&changes);
                    assert_eq!(store.commit(changes).await.unwrap(), expected);
                }
                writers[writer].look(&model);
            }
            Event::Erase { who } => {
                if let Some(advert) = model.pick(who) {
                    let expected = model.erase(advert, at(8_000));
                    assert_eq!(store.erase(advert, at(8_000)).await.unwrap(), expected);
                }
            }
            Event::Reopen => store = store.reopened().await,
        }
        compare(&*store, &model).await;
    }
    compare(&*store.reopened().await, &model).await;
}

async fn compare(store: &impl Store, model: &Model) {
    assert_eq!(whole_log(store).await, model.log());
    assert_eq!(*store.head().borrow(), Position(model.log().len() as u64));

    let now = store.properties(HOMES.map(testkit::build::property_id).to_vec()).await.unwrap();
    assert_eq!(now, model.properties());
    let scanned = scan_all(store, 2, 3).await;
    assert_eq!(scanned.len(), now.len(), "each is given once");
    assert_eq!(
        scanned.into_iter().map(|stored| (stored.property.id, stored)).collect::<HashMap<_, _>>(),
        now
    );
    for home in HOMES.map(testkit::build::property_id) {
        for version in 0..=model.last_version(home) + 1 {
            let kept = store.property_at(home, version).await.unwrap();
            assert_eq!(kept.as_ref(), model.property_at(home, version), "{home} at {version}");
        }
    }

    let mut identities: Vec<Identity> = reference_identities().chain(url_identities()).collect();
    identities.extend(model.adverts_ever().map(Identity::Uuid));
    let expected: Vec<_> = identities.iter().map(|identity| model.locate(identity)).collect();
    assert_eq!(store.locate(identities).await.unwrap(), expected);
    assert_eq!(store.counts().await.unwrap(), model.counts());
    for moment in [at(1_005), at(1_000_000)] {
        assert_eq!(store.unseen_since(moment, 1_000).await.unwrap(), model.unseen_since(moment));
    }
}
