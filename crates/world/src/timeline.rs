//! The events of the market after the start.
//!
//! Events come in order of time and never end. The timeline keeps a few bytes for each changed advert ([`Changes`]) and generates
//! everything else again when it is needed.

use std::collections::{HashMap, VecDeque};
use std::num::NonZeroU32;

use domain::{AdvertDraft, Lifecycle, PropertyId, Timestamp};

use crate::home::Home;
use crate::listing::{Changes, Listing, Presence};
use crate::random::{Purpose, Random};
use crate::world::World;

/// An event of an advert, with the draft that reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarketEvent {
    pub at: Timestamp,
    pub kind: MarketEventKind,
    /// The property of the advert, whether or not the draft names it.
    pub property: PropertyId,
    pub draft: AdvertDraft,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarketEventKind {
    /// A new advert, of a new property or of a known one on another portal.
    Published,
    PriceDropped,
    PriceRose,
    SurfaceCorrected,
    PicturesChanged,
    DescriptionEdited,
    Expired,
    /// An expired advert was published again.
    Republished,
    /// The advert was crawled again without a change.
    Crawled,
}

/// The share of each kind, in per cent.
const SHARES: [(MarketEventKind, u32); 9] = [
    (MarketEventKind::Published, 14),
    (MarketEventKind::PriceDropped, 18),
    (MarketEventKind::PriceRose, 2),
    (MarketEventKind::SurfaceCorrected, 2),
    (MarketEventKind::PicturesChanged, 5),
    (MarketEventKind::DescriptionEdited, 4),
    (MarketEventKind::Expired, 10),
    (MarketEventKind::Republished, 2),
    (MarketEventKind::Crawled, 43),
];

/// The number of attempts to draw a suitable advert. After that, a new advert is published instead.
const ATTEMPTS_MAX: u32 = 24;

/// The index of a property, and of one of its adverts.
type Key = (u64, u8);

/// An endless iterator over the events after the start.
pub struct Timeline<'a> {
    world: &'a World,
    random: Random,
    /// Milliseconds after the start.
    elapsed: u64,
    changed: HashMap<Key, Changes>,
    /// Adverts that expired during the timeline.
    gone: Vec<Key>,
    /// Adverts of new properties that other portals publish a little later.
    coming: VecDeque<Key>,
    new_properties: u64,
}

impl<'a> Timeline<'a> {
    pub(crate) fn of(world: &'a World) -> Self {
        Self {
            world,
            random: Random::stream(world.seed(), Purpose::Timeline, [0, 0]),
            elapsed: 0,
            changed: HashMap::new(),
            gone: Vec::new(),
            coming: VecDeque::new(),
            new_properties: 0,
        }
    }

    /// Returns the number of adverts it keeps changes for.
    pub fn changed_adverts(&self) -> usize {
        self.changed.len()
    }

    fn advance(&mut self) -> Timestamp {
        let pause = 2 * 86_400_000 / u64::from(self.world.settings().events_per_day.max(1));
        self.elapsed += 1 + self.random.below(pause.max(1));
        let second = i64::try_from(self.elapsed / 1_000).unwrap_or(i64::MAX);
        self.world.moment(self.world.start_second().saturating_add(second))
    }

    fn publish(&mut self, at: Timestamp) -> MarketEvent {
        // On average half a second advert per property, as in the stock.
        let waiting = self.random.chance(34.0).then(|| self.coming.pop_front()).flatten();
        let key = waiting.unwrap_or_else(|| {
            let index = self.world.settings().properties + self.new_properties;
            self.new_properties += 1;
            (index, 0)
        });
        let home = self.world.home(key.0);
        if key.1 == 0 {
            self.coming.extend((1..home.adverts()).map(|advert| (key.0, advert)));
        }
        let after = u32::try_from(at.as_second() - self.world.start_second()).unwrap_or(u32::MAX);
        let changes = Changes { published_after: NonZeroU32::new(after.max(1)), ..Changes::default() };
        self.report(MarketEventKind::Published, at, &home, key, changes)
    }

    /// Changes an existing advert; `None` if no suitable one was drawn.
    fn alter(&mut self, kind: MarketEventKind, at: Timestamp) -> Option<MarketEvent> {
        let wants_expired = kind == MarketEventKind::Republished;
        for _ in 0..ATTEMPTS_MAX {
            let key = self.draw(wants_expired);
            let home = self.world.home(key.0);
            let advert = key.1 % home.adverts();
            let key = (key.0, advert);
            let known = self.changed.get(&key).copied();
            // An advert outside the stock exists only after its publication.
            if known.is_none() && key.0 >= self.world.settings().properties {
                continue;
            }
            let listing = Listing::of(self.world, &home, advert, known.unwrap_or_default());
            if listing.is_expired() != wants_expired {
                continue;
            }
            let changes = altered(&mut self.random, kind, known.unwrap_or_default(), &listing);
            return Some(self.report(kind, at, &home, key, changes));
        }
        None
    }

    /// Draws an advert. The caller reduces the second number modulo the adverts of the property.
    fn draw(&mut self, wants_expired: bool) -> Key {
        if wants_expired && !self.gone.is_empty() && self.random.chance(70.0) {
            // An advert that was republished meanwhile is still in the list. The caller skips it.
            let position = self.random.below(self.gone.len() as u64) as usize;
            return self.gone.swap_remove(position);
        }
        let properties = self.world.settings().properties + self.new_properties;
        (self.random.below(properties), self.random.below(64) as u8)
    }

    fn report(
        &mut self,
        kind: MarketEventKind,
        at: Timestamp,
        home: &Home,
        key: Key,
        changes: Changes,
    ) -> MarketEvent {
        let lifecycle = match kind {
            MarketEventKind::Expired => {
                self.gone.push(key);
                Lifecycle::Expired { at: Some(at) }
            }
            MarketEventKind::Republished => Lifecycle::Live,
            _ => Lifecycle::Seen,
        };
        if kind != MarketEventKind::Crawled {
            self.changed.insert(key, changes);
        }
        let changed = kind != MarketEventKind::Crawled;
        let draft = Listing::of(self.world, home, key.1, changes).seen_draft(at, changed, lifecycle);
        MarketEvent { at, kind, property: home.id, draft }
    }
}

impl Iterator for Timeline<'_> {
    type Item = MarketEvent;

    fn next(&mut self) -> Option<MarketEvent> {
        let at = self.advance();
        let kind = SHARES[self.random.weighted(&SHARES.map(|(_, share)| share))].0;
        let altered = match kind {
            MarketEventKind::Published => None,
            _ => self.alter(kind, at),
        };
        Some(altered.unwrap_or_else(|| self.publish(at)))
    }
}

/// Returns the changes of an advert after one more event.
fn altered(random: &mut Random, kind: MarketEventKind, known: Changes, listing: &Listing<'_>) -> Changes {
    let mut changes = known;
    match kind {
        MarketEventKind::PriceDropped => {
            let price = listing.price * (1.0 - random.uniform(1.0, 8.0) / 100.0);
            changes.price = whole(neat(price, listing.price).min(listing.price - 1.0));
        }
        MarketEventKind::PriceRose => {
            let price = listing.price * (1.0 + random.uniform(0.5, 5.0) / 100.0);
            changes.price = whole(neat(price, listing.price).max(listing.price + 1.0));
        }
        MarketEventKind::SurfaceCorrected => {
            // At least a metre, so that it is visible on portals that round.
            let metres = 1.0 + (listing.exact_surface * random.uniform(0.0, 0.05)).round();
            let larger = random.chance(40.0) || listing.exact_surface < 12.0;
            let surface = listing.exact_surface + if larger { metres } else { -metres };
            changes.surface_hundredths = whole((surface * 100.0).round());
        }
        MarketEventKind::PicturesChanged => changes.pictures = changes.pictures.wrapping_add(1),
        MarketEventKind::DescriptionEdited => changes.text_version = next_text_version(changes.text_version),
        MarketEventKind::Expired => changes.presence = Presence::Expired,
        MarketEventKind::Republished => changes.presence = Presence::Live,
        MarketEventKind::Crawled | MarketEventKind::Published => {}
    }
    changes
}

/// Returns the next version, never 0, which is the original text.
const fn next_text_version(text_version: u8) -> u8 {
    match text_version.checked_add(1) {
        Some(next) => next,
        None => 1,
    }
}

/// Rounds a price by less than half a per cent.
fn neat(price: f64, scale: f64) -> f64 {
    let step =
        [1_000.0, 500.0, 100.0, 50.0, 10.0].into_iter().find(|step| *step <= scale * 0.005).unwrap_or(1.0);
    (price / step).round() * step
}

fn whole(number: f64) -> Option<NonZeroU32> {
    NonZeroU32::new(number.max(1.0) as u32)
}
