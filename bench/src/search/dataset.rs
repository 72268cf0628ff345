//! The properties every engine is given: a generated market, made again in the same order each time it is asked for.
//!
//! Nothing of it is kept, so that a market of millions takes no memory beside the engines that are measured.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::vec::IntoIter;

use domain::{AdvertId, GivenPlace, Property, Timestamp, merge};
use places::Gazetteer;
use uuid::Uuid;
use world::{GeneratedProperty, Grouping, Settings, World};

use super::row::Row;

/// The moment the market is at.
const START: &str = "2026-01-01T00:00:00Z";

/// Properties are handed over in bunches: one at a time, the handing over would cost more than the making.
const BUNCH: u64 = 512;

/// Two make properties faster than the quickest peer takes them in.
const MAKERS: usize = 2;

/// A generated market, on the map.
#[derive(Clone)]
pub struct Dataset {
    market: Arc<Market>,
}

struct Market {
    world: World,
    gazetteer: Gazetteer,
}

impl Dataset {
    pub fn new(properties: u64, seed: u64) -> anyhow::Result<Self> {
        let gazetteer = Gazetteer::embedded()?;
        let settings = Settings { grouping: Grouping::Named, ..Settings::new(properties, START.parse()?) };
        let world = World::new(seed, server::market::towns(&gazetteer), settings)?;
        Ok(Self { market: Arc::new(Market { world, gazetteer }) })
    }

    pub fn len(&self) -> u64 {
        self.market.world.settings().properties
    }

    /// The moment at which everything is as it is.
    pub fn now(&self) -> Timestamp {
        self.market.world.settings().start
    }

    pub fn world(&self) -> &World {
        &self.market.world
    }

    pub fn gazetteer(&self) -> &Gazetteer {
        &self.market.gazetteer
    }

    /// All properties, as Vigie keeps them.
    pub fn properties(&self) -> Stream<Property> {
        self.stream(|_, property| property)
    }

    /// All properties, as the peers are given them.
    pub fn rows(&self) -> Stream<Row> {
        self.stream(|gazetteer, property| Row::of(&property, gazetteer))
    }

    fn stream<T: Send + 'static>(&self, shape: fn(&Gazetteer, Property) -> T) -> Stream<T> {
        let bunches = self.len().div_ceil(BUNCH);
        let makers = (0..MAKERS).map(|maker| {
            let market = Arc::clone(&self.market);
            let (sender, receiver) = sync_channel(4);
            std::thread::spawn(move || {
                for bunch in (0..bunches).skip(maker).step_by(MAKERS) {
                    let end = ((bunch + 1) * BUNCH).min(market.world.settings().properties);
                    let numbers = bunch * BUNCH..end;
                    let made = numbers.map(|number| shape(&market.gazetteer, market.property(number)));
                    // Whoever reads may have enough.
                    if sender.send(made.collect()).is_err() {
                        break;
                    }
                }
            });
            receiver
        });
        Stream { makers: makers.collect(), turn: 0, bunch: Vec::new().into_iter(), left: self.len() }
    }
}

/// Properties in order, made by several threads in turn.
pub struct Stream<T> {
    makers: Vec<Receiver<Vec<T>>>,
    turn: usize,
    bunch: IntoIter<T>,
    left: u64,
}

impl<T> Iterator for Stream<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        if self.bunch.len() == 0 {
            // A maker only ends early when it panics; an engine with fewer properties would win unfairly.
            let bunch = self.makers[self.turn].recv().expect("a maker of properties has stopped");
            self.bunch = bunch.into_iter();
            self.turn = (self.turn + 1) % self.makers.len();
        }
        self.bunch.next()
    }
}

impl Market {
    /// A property as ingest would have made it of its drafts.
    fn property(&self, number: u64) -> Property {
        let GeneratedProperty { id, drafts } = self.world.property(number);
        let now = self.world.settings().start;
        let mut property = Property { id, adverts: Vec::with_capacity(drafts.len()) };
        for (position, draft) in drafts.into_iter().enumerate() {
            let nowhere = GivenPlace::default();
            let place = draft.patch.place.value().unwrap_or(&nowhere);
            let placement = self.gazetteer.resolve(place).placement;
            property.put(merge::create(advert_id(number, position), draft, placement, now).advert);
        }
        property
    }
}

/// An id that is the same in every run. The bits that say so make it a UUID.
fn advert_id(property: u64, position: usize) -> AdvertId {
    AdvertId::from_uuid(Uuid::from_u64_pair(property, (0b10 << 62) | position as u64))
}
