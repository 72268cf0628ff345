//! The world: its stock of properties, and the draws others need.

use domain::{AdvertDraft, Insee, PropertyId, ShortText, Timestamp};

use crate::home::{AMENITIES, Amenity, Home, HomeParameters};
use crate::import::Import;
use crate::listing::{Changes, Listing};
use crate::market::{self, Portal};
use crate::prices::{PriceLevel, Prices};
use crate::random::Random;
use crate::timeline::Timeline;
use crate::towns::{Town, Towns};

const SECONDS_PER_DAY: i64 = 86_400;

/// How large a world is and when it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How many properties are on the market at the start.
    pub properties: u64,
    /// The moment at which the stock is as [`World::properties`] says, and after which the timeline begins.
    pub start: Timestamp,
    /// How many days before the start the oldest adverts appeared.
    pub past_days: u32,
    /// How many adverts in a hundred of the stock are expired already.
    pub expired_percent: u8,
    /// How many events a day of the timeline has.
    pub events_per_day: u32,
    pub grouping: Grouping,
}

impl Settings {
    /// A market of this size with a year behind it, where a fifth of the properties are heard of every day.
    pub fn new(properties: u64, start: Timestamp) -> Self {
        let daily = u32::try_from(properties / 5).unwrap_or(u32::MAX).max(50);
        Self {
            properties,
            start,
            past_days: 365,
            expired_percent: 8,
            events_per_day: daily,
            grouping: Grouping::Open,
        }
    }
}

/// Whether drafts say which property they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// They leave it to the receiver to find out.
    #[default]
    Open,
    /// They name the true property.
    Named,
}

/// One property and how the portals carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedProperty {
    /// The truth about which adverts belong together, whether the drafts say so or not.
    pub id: PropertyId,
    /// From one to five, each from another site.
    pub drafts: Vec<AdvertDraft>,
}

/// Says that there is no town to put a home in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a world needs at least one town")]
pub struct NoTowns;

/// A generated property market.
#[derive(Debug)]
pub struct World {
    seed: u64,
    settings: Settings,
    towns: Towns,
    portals: Vec<Portal>,
    /// What features are called, in the order of the amenities.
    features: Vec<Option<ShortText>>,
}

impl World {
    pub fn new(seed: u64, towns: Vec<Town>, settings: Settings) -> Result<Self, NoTowns> {
        let towns = Towns::new(towns, &Prices::embedded());
        if towns.is_empty() {
            return Err(NoTowns);
        }
        let feature = |amenity: &Amenity| ShortText::new(amenity.feature).ok().flatten();
        let features = AMENITIES.iter().map(feature).collect();
        Ok(Self { seed, settings, towns, portals: market::portals(), features })
    }

    pub const fn seed(&self) -> u64 {
        self.seed
    }

    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The stock, in order, made as it is asked for.
    pub fn properties(&self) -> impl Iterator<Item = GeneratedProperty> {
        (0..self.settings.properties).map(|index| self.property(index))
    }

    /// One property of the stock by its number; the numbers after the stock are those that the timeline brings.
    pub fn property(&self, index: u64) -> GeneratedProperty {
        let home = self.home(index);
        let drafts = (0..home.adverts())
            .map(|advert| Listing::of(self, &home, advert, Changes::default()).stock_draft())
            .collect();
        GeneratedProperty { id: home.id, drafts }
    }

    /// The drafts of the stock, one after the other.
    pub fn drafts(&self) -> impl Iterator<Item = AdvertDraft> {
        self.properties().flat_map(|property| property.drafts)
    }

    /// What happens after the start. It never ends: take as many as wanted, or see [`World::timeline_of_days`].
    pub fn timeline(&self) -> Timeline<'_> {
        Timeline::of(self)
    }

    /// What happens in so many days after the start.
    pub fn timeline_of_days(&self, days: u32) -> impl Iterator<Item = crate::MarketEvent> {
        let end = self.start_second() + i64::from(days) * SECONDS_PER_DAY;
        self.timeline().take_while(move |event| event.at.as_second() < end)
    }

    /// The stock as a bulk import sees it: every fifth draft is a second version of an earlier one.
    pub fn import(&self) -> Import<'_> {
        Import::of(self)
    }

    /// The towns of the world, as given.
    pub fn towns(&self) -> impl Iterator<Item = &Town> {
        self.towns.iter()
    }

    /// A town, drawn by population.
    pub fn draw_town(&self, random: &mut Random) -> &Town {
        &self.towns.place(self.towns.draw(random)).town
    }

    /// What a square metre costs in a town of the world.
    pub fn price_level(&self, insee: &Insee) -> Option<PriceLevel> {
        self.towns.find(insee).map(|place| place.level)
    }

    pub(crate) fn home(&self, index: u64) -> Home {
        let parameters = HomeParameters {
            seed: self.seed,
            towns: &self.towns,
            portals: &self.portals,
            start_second: self.start_second(),
            stock: self.settings.properties,
            past_seconds: i64::from(self.settings.past_days) * SECONDS_PER_DAY,
        };
        Home::of(&parameters, index)
    }

    pub(crate) const fn places(&self) -> &Towns {
        &self.towns
    }

    pub(crate) fn portal(&self, index: usize) -> &Portal {
        &self.portals[index]
    }

    pub(crate) fn features(&self) -> &[Option<ShortText>] {
        &self.features
    }

    pub(crate) fn start_second(&self) -> i64 {
        self.settings.start.as_second()
    }

    /// A moment, whole seconds; the start where the calendar ends.
    pub(crate) fn moment(&self, second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap_or(self.settings.start)
    }
}
