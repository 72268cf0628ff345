//! The store against a model: a few writers act in random order, and both must agree after every step.
//!
//! The model ([`reference`]) implements the contract naively, with maps that are copied and scanned. Writers act on what they last
//! read, so many of their sets conflict, and the model says which.

mod compare;
mod matches;
mod reference;
mod searches;
mod story;

use proptest::prelude::*;
use store::prelude::*;
use testkit::build::at;
use tokio::runtime::Handle;

use crate::backend::{Backend, Opened};
use compare::compare;
use reference::Model;
use story::{Event, Writer, event};

const CASES: u32 = 32;
const EVENTS_MAX: usize = 60;
const WRITERS: usize = 3;
/// There should be one. With two, one of them is refused.
const MATCHERS: usize = 2;

pub async fn store_agrees_with_the_model<B: Backend>() {
    let handle = Handle::current();
    tokio::task::block_in_place(|| {
        let config = ProptestConfig::with_cases(CASES / B::CASES_DIVISOR);
        proptest!(config, |(events in prop::collection::vec(event(WRITERS, MATCHERS), 1..EVENTS_MAX))| {
            handle.block_on(play::<B>(events));
        });
    });
}

async fn play<B: Backend>(events: Vec<Event>) {
    let mut store = Opened::<B>::fresh().await;
    let mut model = Model::default();
    let mut writers = vec![Writer::default(); WRITERS];
    let mut generated_ids = 0;
    let mut batches = vec![None; MATCHERS];
    for event in events {
        match event {
            Event::Write { writer, actions } => {
                let changes = writers[writer].build(&actions, &mut generated_ids);
                if !changes.steps.is_empty() {
                    let expected = model.commit(&changes);
                    assert_eq!(store.commit(changes).await.unwrap(), expected);
                }
                writers[writer].read(&model);
            }
            Event::Erase { pick } => {
                if let Some(advert) = model.pick(pick) {
                    let expected = model.erase(advert, at(8_000));
                    assert_eq!(store.erase(advert, at(8_000)).await.unwrap(), expected);
                }
            }
            Event::Match { matcher, entries, chance } => {
                batches[matcher] = Some(model.invent_batch(entries, chance))
            }
            Event::Record { matcher } => {
                if let Some(batch) = batches[matcher].take() {
                    let expected = model.record(&batch);
                    assert_eq!(store.record_matches(batch).await.unwrap(), expected);
                }
            }
            // This does not change any result.
            Event::Index { limit } => {
                store.index_matches(limit).await.unwrap();
            }
            Event::Reopen => store = store.reopened().await,
        }
        compare(&*store, &mut model).await;
    }
    // All matches can be indexed, in steps, and then nothing is left to do.
    for _ in 0..1_000 {
        if !store.index_matches(2).await.unwrap() {
            break;
        }
    }
    assert!(!store.index_matches(2).await.unwrap());
    compare(&*store.reopened().await, &mut model).await;
}
