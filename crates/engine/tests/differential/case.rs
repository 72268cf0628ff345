//! A failing case: repeated, shrunk and reported.

use std::cell::Cell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

use domain::{Contact, Order, Property, PropertyId, Publisher, Rating};
use engine::scan::ScanIndex;
use engine::{Change, Hit, Searcher};

use crate::compare::{Mismatch, compare};
use crate::history::{Batch, small_index};
use crate::query::Query;

/// A history, and a query on a searcher taken in the middle of it or at its end.
#[derive(Debug, Clone)]
pub struct Case {
    pub batches: Vec<Batch>,
    /// The number of batches applied when the searcher was taken.
    pub taken_after: usize,
    pub query: Query,
}

const PANIC: &str = "the index panicked";

/// More attempts than a case of this size needs, and few enough to wait for.
const SHRINK_ATTEMPTS_MAX: usize = 4_000;

impl Case {
    /// Runs the case and returns the mismatch, if any. A panic of the index is one.
    fn mismatch(&self) -> Option<Mismatch> {
        attempt(|| self.run()).unwrap_or_else(Some)
    }

    /// Applies the history and runs the query.
    fn run(&self) -> Option<Mismatch> {
        let (mut index, mut scan) = (small_index(), ScanIndex::default());
        let mut taken: Option<(Arc<Searcher>, ScanIndex, u64)> = None;
        for count in 0..=self.batches.len() {
            if count == self.taken_after {
                let position = count.checked_sub(1).map_or(0, |last| self.batches[last].position);
                taken = Some((index.searcher(), scan.clone(), position));
            }
            if let Some(batch) = self.batches.get(count) {
                index = batch.apply(index, &mut scan);
            }
        }
        taken.and_then(|(searcher, scan, position)| compare(&searcher, &scan, position, &self.query).err())
    }

    /// Returns the smallest failing case that it finds.
    fn shrink(mut self) -> Self {
        let mut attempts = 0;
        'smaller: loop {
            for simpler in self.simpler() {
                attempts += 1;
                if attempts > SHRINK_ATTEMPTS_MAX {
                    return self;
                }
                if simpler.mismatch().is_some() {
                    self = simpler;
                    continue 'smaller;
                }
            }
            return self;
        }
    }

    /// Returns slightly smaller cases, the largest reductions first.
    fn simpler(&self) -> Vec<Self> {
        let mut simpler = Vec::new();
        let mut without = |change: &dyn Fn(&mut Self)| {
            let mut case = self.clone();
            change(&mut case);
            simpler.push(case);
        };
        for number in (0..self.batches.len()).rev() {
            without(&|case| {
                case.batches.remove(number);
                case.taken_after -= usize::from(number < case.taken_after);
            });
        }
        for (number, batch) in self.batches.iter().enumerate() {
            let mut size = batch.changes.len();
            while size > 0 {
                for first in (0..batch.changes.len()).step_by(size) {
                    let end = (first + size).min(batch.changes.len());
                    without(&|case| drop(case.batches[number].changes.drain(first..end)));
                }
                size /= 2;
            }
            if batch.restart {
                without(&|case| case.batches[number].restart = false);
            }
        }
        for number in 0..self.query.given.len() {
            without(&|case| drop(case.query.given.remove(number)));
        }
        if self.query.live_only {
            without(&|case| case.query.live_only = false);
        }
        for number in 0..self.query.order.by.len() {
            without(&|case| {
                case.query.order.by.remove(number);
            });
        }
        let Query {
            given: _,
            live_only: _,
            order,
            skip,
            take,
            page,
            chunk,
            attributes,
            similar,
            clusters,
            facets,
            alone: _,
        } = &self.query;
        let plain = Order { by: order.by.clone(), ..Order::default() };
        if *order != plain {
            without(&|case| case.query.order = plain.clone());
        }
        if (*skip, *take) != (0, usize::MAX) {
            without(&|case| (case.query.skip, case.query.take) = (0, usize::MAX));
        }
        if page.is_some()
            || chunk.is_some()
            || attributes.is_some()
            || similar.is_some()
            || clusters.is_some()
            || facets.is_some()
        {
            without(&|case| case.query.page = None);
            without(&|case| case.query.chunk = None);
            without(&|case| case.query.attributes = None);
            without(&|case| case.query.similar = None);
            without(&|case| case.query.clusters = None);
            without(&|case| case.query.facets = None);
        }
        for (batch, steps) in self.batches.iter().map(|batch| &batch.changes).enumerate() {
            for (step, property) in steps.iter().enumerate().filter_map(|(step, it)| Some((step, put(it)?))) {
                for smaller in smaller(property) {
                    without(&|case| case.batches[batch].changes[step] = with(&steps[step], &smaller));
                }
            }
        }
        simpler.retain(|case| case.weight() < self.weight());
        simpler
    }

    /// Returns a size that must decrease with every step, so that shrinking terminates.
    fn weight(&self) -> usize {
        let steps = self.batches.iter().flat_map(|batch| &batch.changes);
        let adverts: usize = steps
            .filter_map(put)
            .flat_map(|property| &property.adverts)
            .map(|advert| {
                let texts = advert.details.title.iter().count() + advert.details.description.iter().count();
                2 + advert.events.len() + texts
            })
            .sum();
        let steps: usize =
            self.batches.iter().map(|batch| 2 + batch.changes.len() + usize::from(batch.restart)).sum();
        let Query {
            given,
            live_only,
            order,
            skip,
            take,
            page,
            chunk,
            attributes,
            similar,
            clusters,
            facets,
            alone: _,
        } = &self.query;
        let order =
            order.by.len() + usize::from(*order != Order { by: order.by.clone(), ..Order::default() });
        let methods = [
            page.is_some(),
            chunk.is_some(),
            attributes.is_some(),
            similar.is_some(),
            clusters.is_some(),
            facets.is_some(),
        ];
        let methods =
            methods.into_iter().filter(|used| *used).count() + usize::from((*skip, *take) != (0, usize::MAX));
        adverts + steps + given.len() + usize::from(*live_only) + order + methods
    }

    /// Shrinks the case, reports it and panics.
    pub fn fail(self, seed: u64, first: &Mismatch) -> ! {
        if self.mismatch().is_none() {
            panic!("seed {seed}: {first:#?}\nwhich was not reproduced by {self:#?}");
        }
        let case = self.shrink();
        let mismatch = case.mismatch().expect("the case failed before");
        let report = case.report(seed, &mismatch);
        if mismatch.about == PANIC {
            // Run it again without catching the panic: the message has the location.
            println!("{report}");
            case.run();
        }
        panic!("{report}");
    }

    fn report(&self, seed: u64, mismatch: &Mismatch) -> String {
        let Mismatch { about, expected, found, note } = mismatch;
        let mut report = format!("\nindex and oracle disagree on {about}: {note}\n");
        let mut line = |text: String| writeln!(report, "{text}").expect("writing to a string succeeds");
        line(format!("repeat with VIGIE_TEST_SEED={seed} VIGIE_DIFFERENTIAL_CASES=1\n"));
        for (count, batch) in self.batches.iter().enumerate() {
            let steps: Vec<String> = batch.changes.iter().map(describe).collect();
            let restart = if batch.restart { ", then restart" } else { "" };
            line(format!(
                "batch {} at position {}{restart}: {}",
                count + 1,
                batch.position,
                steps.join(", ")
            ));
        }
        line(format!("the searcher was taken after batch {}\n", self.taken_after));
        for (filter, given) in &self.query.given {
            line(format!("{} = {given:?}", filter.name));
        }
        let Query {
            given: _,
            live_only: _,
            order,
            skip,
            take,
            page,
            chunk,
            attributes,
            similar,
            clusters,
            facets,
            alone: _,
        } = &self.query;
        line(format!("{:?}", self.query.criteria()));
        line(format!("{order:?}, skip {skip}, take {take}"));
        line(format!("page {page:?}, chunk {chunk:?}, attributes {attributes:?}, similar {similar:?}"));
        line(format!("clusters {clusters:?}, facets {facets:?}\n"));
        line(format!("expected {}", hits(expected)));
        line(format!("found    {}\n", hits(found)));
        for property in self.properties_in_mismatch(expected, found) {
            line(brief(&property));
        }
        report
    }

    /// Returns a few of the properties that are missing on one side or at different positions; without any, a few of all.
    fn properties_in_mismatch(&self, expected: &[Hit], found: &[Hit]) -> Vec<Arc<Property>> {
        let odd = |id: PropertyId| {
            let position = |hits: &[Hit]| hits.iter().position(|hit| hit.property == id);
            position(expected) != position(found)
        };
        let steps = self.batches.iter().flat_map(|batch| &batch.changes);
        let all: Vec<Arc<Property>> = steps.filter_map(put).cloned().collect();
        let mut odd: Vec<Arc<Property>> = all.iter().filter(|property| odd(property.id)).cloned().collect();
        if odd.is_empty() {
            odd = all;
        }
        odd.truncate(6);
        odd
    }
}

fn put(step: &Change) -> Option<&Arc<Property>> {
    match step {
        Change::Put(property, _) => Some(property),
        Change::Remove(_) => None,
    }
}

fn with(step: &Change, property: &Property) -> Change {
    match step {
        Change::Put(_, sequence_number) => Change::Put(Arc::new(property.clone()), *sequence_number),
        Change::Remove(id) => Change::Remove(*id),
    }
}

/// Returns copies of a property with one element removed.
fn smaller(property: &Property) -> Vec<Property> {
    let mut smaller = Vec::new();
    let mut without = |change: &dyn Fn(&mut Property)| {
        let mut property = property.clone();
        change(&mut property);
        smaller.push(property);
    };
    for (number, advert) in property.adverts.iter().enumerate() {
        if property.adverts.len() > 1 {
            without(&|property| drop(property.adverts.remove(number)));
        }
        for event in 0..advert.events.len() {
            without(&|property| drop(property.adverts[number].events.remove(event)));
        }
        without(&|property| property.adverts[number].details.title = None);
        without(&|property| property.adverts[number].details.description = None);
    }
    smaller
}

fn describe(step: &Change) -> String {
    match step {
        Change::Put(property, sequence_number) => format!("put {} at {}", property.id, sequence_number.0),
        Change::Remove(id) => format!("remove {id}"),
    }
}

fn hits(hits: &[Hit]) -> String {
    let hits: Vec<String> =
        hits.iter().map(|hit| format!("{} at {}", hit.property, hit.sequence_number.0)).collect();
    format!("{}: {}", hits.len(), hits.join(", "))
}

/// Formats a property on one line, without unknown fields.
fn brief(property: &Property) -> String {
    let mut text = format!("{property:?}");
    for empty in [
        format!("{:?}", Contact::default()),
        format!("{:?}", Publisher::default()),
        format!("{:?}", Rating::default()),
        format!("{:?}", domain::GivenPlace::default()),
    ] {
        text = text.replace(&empty, "None");
    }
    let unknown = |part: &str| part.ends_with(": []") || part.ends_with(": None") && !part.contains('{');
    let known = text.split(", ").filter(|part| !unknown(part));
    known.collect::<Vec<_>>().join(", ")
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs an operation of the index and turns a panic into a mismatch, without printing its message: a case that is being shrunk
/// panics hundreds of times.
pub fn attempt<T>(run: impl FnOnce() -> T) -> Result<T, Mismatch> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                default_hook(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    result.map_err(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let note = message.unwrap_or_default();
        Mismatch { about: PANIC, expected: Vec::new(), found: Vec::new(), note }
    })
}
