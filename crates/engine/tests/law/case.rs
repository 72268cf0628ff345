//! One failure: tried again, made smaller, told so that a person can read it.

use std::cell::Cell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

use domain::{Contact, Order, Property, PropertyId, Publisher, Rating};
use engine::scan::Scan;
use engine::{Hit, View};

use crate::ask::Ask;
use crate::history::{Batch, Step, small_index};
use crate::judge::{Dispute, judge};

/// A history, and a request put to the view that was taken in the middle of it or at its end.
#[derive(Debug, Clone)]
pub struct Case {
    pub batches: Vec<Batch>,
    /// How many batches had been applied when the view was taken.
    pub taken_after: usize,
    pub ask: Ask,
}

const PANIC: &str = "the index panicked";

/// More tries than a case of this size needs, and few enough to wait for.
const TRIES_MAX: usize = 4_000;

impl Case {
    /// What is wrong with the answer, or with the index before it comes to answer.
    fn dispute(&self) -> Option<Dispute> {
        attempt(|| self.play()).unwrap_or_else(Some)
    }

    /// Plays the history and puts the request.
    fn play(&self) -> Option<Dispute> {
        let (mut index, mut scan) = (small_index(), Scan::default());
        let mut taken: Option<(Arc<View>, Scan, u64)> = None;
        for count in 0..=self.batches.len() {
            if count == self.taken_after {
                let position = count.checked_sub(1).map_or(0, |last| self.batches[last].position);
                taken = Some((index.view(), scan.clone(), position));
            }
            if let Some(batch) = self.batches.get(count) {
                index = batch.apply(index, &mut scan);
            }
        }
        taken.and_then(|(view, scan, position)| judge(&view, &scan, position, &self.ask).err())
    }

    /// The smallest case that is found to fail as well.
    fn shrunk(mut self) -> Self {
        let mut tries = 0;
        'smaller: loop {
            for simpler in self.simpler() {
                tries += 1;
                if tries > TRIES_MAX {
                    return self;
                }
                if simpler.dispute().is_some() {
                    self = simpler;
                    continue 'smaller;
                }
            }
            return self;
        }
    }

    /// Cases that are a little less than this one, the largest steps first.
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
            let mut size = batch.steps.len();
            while size > 0 {
                for first in (0..batch.steps.len()).step_by(size) {
                    let end = (first + size).min(batch.steps.len());
                    without(&|case| drop(case.batches[number].steps.drain(first..end)));
                }
                size /= 2;
            }
            if batch.restart {
                without(&|case| case.batches[number].restart = false);
            }
        }
        for number in 0..self.ask.given.len() {
            without(&|case| drop(case.ask.given.remove(number)));
        }
        for number in 0..self.ask.order.by.len() {
            without(&|case| {
                case.ask.order.by.remove(number);
            });
        }
        let Ask { given: _, order, skip, take, page, piece, attributes, similar, alone: _ } = &self.ask;
        let plain = Order { by: order.by.clone(), ..Order::default() };
        if *order != plain {
            without(&|case| case.ask.order = plain.clone());
        }
        if (*skip, *take) != (0, usize::MAX) {
            without(&|case| (case.ask.skip, case.ask.take) = (0, usize::MAX));
        }
        if page.is_some() || piece.is_some() || attributes.is_some() || similar.is_some() {
            without(&|case| case.ask.page = None);
            without(&|case| case.ask.piece = None);
            without(&|case| case.ask.attributes = None);
            without(&|case| case.ask.similar = None);
        }
        for (batch, steps) in self.batches.iter().map(|batch| &batch.steps).enumerate() {
            for (step, property) in steps.iter().enumerate().filter_map(|(step, it)| Some((step, put(it)?))) {
                for smaller in smaller(property) {
                    without(&|case| case.batches[batch].steps[step] = with(&steps[step], &smaller));
                }
            }
        }
        simpler.retain(|case| case.weight() < self.weight());
        simpler
    }

    /// What must become less for a step to be one: else making smaller would go round in circles.
    fn weight(&self) -> usize {
        let steps = self.batches.iter().flat_map(|batch| &batch.steps);
        let adverts: usize = steps
            .filter_map(put)
            .flat_map(|property| &property.adverts)
            .map(|advert| {
                let texts = advert.details.title.iter().count() + advert.details.description.iter().count();
                2 + advert.events.len() + texts
            })
            .sum();
        let steps: usize =
            self.batches.iter().map(|batch| 2 + batch.steps.len() + usize::from(batch.restart)).sum();
        let Ask { given, order, skip, take, page, piece, attributes, similar, alone: _ } = &self.ask;
        let order =
            order.by.len() + usize::from(*order != Order { by: order.by.clone(), ..Order::default() });
        let ways = [page.is_some(), piece.is_some(), attributes.is_some(), similar.is_some()];
        let ways =
            ways.into_iter().filter(|way| *way).count() + usize::from((*skip, *take) != (0, usize::MAX));
        adverts + steps + given.len() + order + ways
    }

    /// The end of a run: the case as small as it gets, in words.
    pub fn fail(self, seed: u64, first: &Dispute) -> ! {
        if self.dispute().is_none() {
            panic!("seed {seed}: {first:#?}\nwhich did not happen again, in {self:#?}");
        }
        let case = self.shrunk();
        let dispute = case.dispute().expect("it failed a moment ago");
        let told = case.told(seed, &dispute);
        if dispute.about == PANIC {
            // Once more, aloud: the message says where.
            println!("{told}");
            case.play();
        }
        panic!("{told}");
    }

    fn told(&self, seed: u64, dispute: &Dispute) -> String {
        let Dispute { about, expected, found, note } = dispute;
        let mut told = format!("\nindex and scan part: {about}; {note}\n");
        let mut line = |text: String| writeln!(told, "{text}").expect("a text takes any text");
        line(format!("repeat with VIGIE_TEST_SEED={seed} VIGIE_LAW_CASES=1\n"));
        for (count, batch) in self.batches.iter().enumerate() {
            let steps: Vec<String> = batch.steps.iter().map(spoken).collect();
            let restart = if batch.restart { ", then a restart" } else { "" };
            line(format!(
                "batch {} at position {}{restart}: {}",
                count + 1,
                batch.position,
                steps.join(", ")
            ));
        }
        line(format!("the view was taken after batch {}\n", self.taken_after));
        for (filter, given) in &self.ask.given {
            line(format!("{} = {given:?}", filter.name));
        }
        let Ask { given: _, order, skip, take, page, piece, attributes, similar, alone: _ } = &self.ask;
        line(format!("{:?}", self.ask.criteria()));
        line(format!("{order:?}, skip {skip}, take {take}"));
        line(format!("page {page:?}, piece {piece:?}, attributes {attributes:?}, similar {similar:?}\n"));
        line(format!("expected {}", hits(expected)));
        line(format!("found    {}\n", hits(found)));
        for property in self.in_dispute(expected, found) {
            line(brief(&property));
        }
        told
    }

    /// The properties that only one of the two has or that stand elsewhere; of those at most a few. Without any, all.
    fn in_dispute(&self, expected: &[Hit], found: &[Hit]) -> Vec<Arc<Property>> {
        let odd = |id: PropertyId| {
            let place = |hits: &[Hit]| hits.iter().position(|hit| hit.property == id);
            place(expected) != place(found)
        };
        let steps = self.batches.iter().flat_map(|batch| &batch.steps);
        let all: Vec<Arc<Property>> = steps.filter_map(put).cloned().collect();
        let mut odd: Vec<Arc<Property>> = all.iter().filter(|property| odd(property.id)).cloned().collect();
        if odd.is_empty() {
            odd = all;
        }
        odd.truncate(6);
        odd
    }
}

fn put(step: &Step) -> Option<&Arc<Property>> {
    match step {
        Step::Put(property, _) => Some(property),
        Step::Remove(_) => None,
    }
}

fn with(step: &Step, property: &Property) -> Step {
    match step {
        Step::Put(_, sequence_number) => Step::Put(Arc::new(property.clone()), *sequence_number),
        Step::Remove(id) => Step::Remove(*id),
    }
}

/// The property with one thing less.
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

fn spoken(step: &Step) -> String {
    match step {
        Step::Put(property, sequence_number) => format!("put {} under {}", property.id, sequence_number.0),
        Step::Remove(id) => format!("remove {id}"),
    }
}

fn hits(hits: &[Hit]) -> String {
    let hits: Vec<String> =
        hits.iter().map(|hit| format!("{} under {}", hit.property, hit.sequence_number.0)).collect();
    format!("{}: {}", hits.len(), hits.join(", "))
}

/// A property on one line, without what is unknown.
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

/// Does something to the index; a panic is a dispute like any other. It is caught without its message being printed: a case
/// that is made smaller panics hundreds of times.
pub fn attempt<T>(play: impl FnOnce() -> T) -> Result<T, Dispute> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                loud(panic);
            }
        }));
    });
    QUIET.set(true);
    let played = catch_unwind(AssertUnwindSafe(play));
    QUIET.set(false);
    played.map_err(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let note = message.unwrap_or_default();
        Dispute { about: PANIC, expected: Vec::new(), found: Vec::new(), note }
    })
}
