//! Preparing a change set: everything that needs no database.
//!
//! Encoding is most of the work of a large set. Two threads encode it while the writer already applies the first steps.

use std::sync::{Arc, mpsc};
use std::vec;

use domain::grouping::PersonDecision;
use domain::{Advert, AdvertEvent, AdvertId, Identity, Property, PropertyId, SearchId, Timestamp, UserId};

use super::commit::Kind;
use super::searches::PreparedSearch;
use crate::contract::{AdvertGrouping, ChangeSet, DecidedBy, Expected, PutCause, PutProperty, Step};
use crate::error::Error;
use crate::record;

/// From this many steps on, encoding takes milliseconds and is worth other threads.
const STEPS_FOR_THREADS: usize = 128;

/// How many steps a thread hands over at once.
const STEPS_PER_CHUNK: usize = 64;

type Chunk = Result<Vec<PreparedStep>, Error>;

/// The steps of a set in order, encoded or still being encoded. Yields every step or an error: a set that lost its end must not be
/// mistaken for a whole one.
pub struct Prepared {
    pub recorded_at: Timestamp,
    /// The number of foreign writes that the set takes into account.
    pub grouped_at: Option<u64>,
    /// Whether the set has steps about properties, or decisions about them.
    pub changes_properties: bool,
    /// The author of the moves in this set that were not automatic.
    pub decided_by: DecidedBy,
    ready: vec::IntoIter<PreparedStep>,
    pending: vec::IntoIter<mpsc::Receiver<Chunk>>,
    current: Option<mpsc::Receiver<Chunk>>,
    missing: usize,
}

pub enum PreparedStep {
    Put(PreparedPut),
    Remove { property: PropertyId, expected: Expected, advert: AdvertId, merged_into: Option<PropertyId> },
    PutDecision { decision: PersonDecision, decided_by: String },
    PutSearch(PreparedSearch),
    RemoveSearch { search: SearchId, owner: UserId },
}

pub struct PreparedPut {
    pub property: Arc<Property>,
    pub expected: Expected,
    pub advert: AdvertId,
    pub kind: Kind,
    pub record: Vec<u8>,
    pub events: Option<Vec<u8>>,
    /// The rows of the adverts that the step writes, first that of `advert`; without it if it has left the property.
    pub rows: Vec<(AdvertId, AdvertRow)>,
    pub grouping: Option<AdvertGrouping>,
    pub claim: Option<Identity>,
    pub moved: Option<PreparedMove>,
}

pub struct PreparedMove {
    pub adverts: Vec<AdvertId>,
    pub from: Vec<PropertyId>,
    pub events: Vec<AdvertEvent>,
    pub automatic: bool,
}

pub struct AdvertRow {
    pub site: Option<Box<str>>,
    pub reference: Option<Box<str>>,
    pub url_key: Option<String>,
    pub last_crawled_at: Timestamp,
    pub expired: bool,
}

impl Prepared {
    pub fn new(changes: ChangeSet) -> Result<Self, Error> {
        let ChangeSet { recorded_at, mut steps, grouped_at } = changes;
        let decided_by = steps.iter().find_map(|step| match step {
            Step::PutDecision { decided_by, .. } => Some(DecidedBy::Person(decided_by.clone())),
            _ => None,
        });
        let is_about_search = |step: &Step| matches!(step, Step::PutSearch(_) | Step::RemoveSearch { .. });
        let changes_properties = !steps.iter().all(is_about_search);
        let missing = steps.len();
        let (ready, pending) = if missing < STEPS_FOR_THREADS {
            (prepare_steps(steps)?, Vec::new())
        } else {
            let rest = steps.split_off(missing / 2);
            (Vec::new(), vec![encode_on_thread(steps), encode_on_thread(rest)])
        };
        Ok(Self {
            recorded_at,
            grouped_at,
            changes_properties,
            decided_by: decided_by.unwrap_or(DecidedBy::Sender),
            ready: ready.into_iter(),
            pending: pending.into_iter(),
            current: None,
            missing,
        })
    }

    /// Waits for the next chunk. Returns `false` after the last one.
    fn refill(&mut self) -> Result<bool, Error> {
        loop {
            if self.current.is_none() {
                self.current = self.pending.next();
            }
            let Some(current) = &self.current else { return Ok(false) };
            match current.recv() {
                Ok(chunk) => {
                    self.ready = chunk?.into_iter();
                    return Ok(true);
                }
                // This thread has finished its half.
                Err(mpsc::RecvError) => self.current = None,
            }
        }
    }
}

impl Iterator for Prepared {
    type Item = Result<PreparedStep, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(step) = self.ready.next() {
                self.missing -= 1;
                return Some(Ok(step));
            }
            match self.refill() {
                Ok(true) => {}
                Ok(false) if self.missing == 0 => return None,
                Ok(false) => {
                    self.missing = 0;
                    return Some(Err(Error::corrupt("a change set whose encoding stopped early")));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Encodes steps on a blocking thread of the runtime, which keeps its compressor from one set to the next. Ends early if the receiver
/// is dropped.
fn encode_on_thread(steps: Vec<Step>) -> mpsc::Receiver<Chunk> {
    let (sender, receiver) = mpsc::channel();
    tokio::task::spawn_blocking(move || {
        let mut steps = steps.into_iter().peekable();
        while steps.peek().is_some() {
            let chunk = prepare_steps(steps.by_ref().take(STEPS_PER_CHUNK));
            if sender.send(chunk).is_err() {
                return;
            }
        }
    });
    receiver
}

fn prepare_steps(steps: impl IntoIterator<Item = Step>) -> Result<Vec<PreparedStep>, Error> {
    let step = |step| {
        Ok(match step {
            Step::Put(put) => PreparedStep::Put(prepare_put(put)?),
            Step::Remove { property, expected, advert, merged_into } => {
                PreparedStep::Remove { property, expected, advert, merged_into }
            }
            Step::PutDecision { decision, decided_by } => PreparedStep::PutDecision { decision, decided_by },
            Step::PutSearch(put) => PreparedStep::PutSearch(PreparedSearch::new(&put)?),
            Step::RemoveSearch { search, owner } => PreparedStep::RemoveSearch { search, owner },
        })
    };
    steps.into_iter().map(step).collect()
}

fn prepare_put(put: PutProperty) -> Result<PreparedPut, Error> {
    let PutProperty { property, expected, advert, cause, grouping } = put;
    let (kind, events, claim, moved) = match cause {
        PutCause::Created { claim, events } => (Kind::Advert, Some(events), Some(claim), None),
        PutCause::Changed { events } => (Kind::Advert, Some(events), None, None),
        PutCause::Regrouped { moved, from, events, automatic } => {
            (Kind::Regrouped, None, None, Some(PreparedMove { adverts: moved, from, events, automatic }))
        }
        PutCause::Crawled => (Kind::Crawl, None, None, None),
        PutCause::Left => (Kind::AdvertLeft, None, None, None),
    };
    let others = moved.iter().flat_map(|moved| &moved.adverts).filter(|moved| **moved != advert);
    let rows = [&advert].into_iter().chain(others);
    let row = |id: &AdvertId| Some((*id, AdvertRow::from_advert(property.advert(*id)?)));
    let record = record::encode_property(&property)?;
    let rows = rows.filter_map(row).collect();
    Ok(PreparedPut {
        property,
        expected,
        advert,
        kind,
        record,
        events: events.map(|events| record::encode_events(&events)).transpose()?,
        rows,
        grouping,
        claim,
        moved,
    })
}

impl AdvertRow {
    pub fn from_advert(advert: &Advert) -> Self {
        let details = &advert.details;
        Self {
            site: details.site.as_ref().map(|site| site.as_str().into()),
            reference: details.reference.as_ref().map(|reference| reference.as_str().into()),
            url_key: details.url.as_ref().map(|url| url.comparison_key()),
            last_crawled_at: advert.last_crawled_at,
            expired: advert.is_expired(),
        }
    }
}
