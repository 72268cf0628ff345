//! The world: settings, stock of properties, and draws for callers.

use domain::{AdvertDraft, Insee, PropertyId, ShortText, Timestamp};

use crate::home::{AMENITIES, Amenity, Home, HomeKind, HomeParameters};
use crate::import::Import;
use crate::listing::{Changes, Listing};
use crate::market::{self, Portal};
use crate::prices::{PriceLevel, Prices};
use crate::random::Random;
use crate::timeline::Timeline;
use crate::towns::{Town, Towns};

const SECONDS_PER_DAY: i64 = 86_400;

/// The size and the period of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The number of properties at the start.
    pub properties: u64,
    /// The time of the stock ([`World::properties`]), and the beginning of the timeline.
    pub start: Timestamp,
    /// The age of the oldest adverts at the start, in days.
    pub past_days: u32,
    /// The percentage of expired adverts in the stock.
    pub expired_percent: u8,
    /// The number of events per day in the timeline.
    pub events_per_day: u32,
    pub grouping: Grouping,
}

impl Settings {
    /// Settings for a market with a past of one year and, per day, one event for every five properties.
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

/// Whether drafts name the property they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Drafts do not name it: the receiver has to group them.
    #[default]
    Open,
    /// Drafts name it.
    Named,
}

/// A property and its adverts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedProperty {
    /// The property of all drafts, whether or not they name it.
    pub id: PropertyId,
    /// One to five drafts, each from a different site.
    pub drafts: Vec<AdvertDraft>,
}

/// The list of towns is empty.
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
    /// The names of features, in the order of the amenities.
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

    /// Iterates over the stock. Properties are generated on demand.
    pub fn properties(&self) -> impl Iterator<Item = GeneratedProperty> {
        (0..self.settings.properties).map(|index| self.property(index))
    }

    /// Generates one property. Indexes beyond the stock belong to the timeline.
    pub fn property(&self, index: u64) -> GeneratedProperty {
        let home = self.home(index);
        let drafts = (0..home.adverts())
            .map(|advert| Listing::of(self, &home, advert, Changes::default()).stock_draft())
            .collect();
        GeneratedProperty { id: home.id, drafts }
    }

    /// Iterates over the drafts of the stock.
    pub fn drafts(&self) -> impl Iterator<Item = AdvertDraft> {
        self.properties().flat_map(|property| property.drafts)
    }

    /// Iterates over the events after the start, without end. See [`World::timeline_of_days`] for a limited period.
    pub fn timeline(&self) -> Timeline<'_> {
        Timeline::of(self)
    }

    /// Iterates over the events of the first `days` days after the start.
    pub fn timeline_of_days(&self, days: u32) -> impl Iterator<Item = crate::MarketEvent> {
        let end = self.start_second() + i64::from(days) * SECONDS_PER_DAY;
        self.timeline().take_while(move |event| event.at.as_second() < end)
    }

    /// Iterates over the stock as a bulk import: every fifth draft is a second version of an earlier one.
    pub fn import(&self) -> Import<'_> {
        Import::of(self)
    }

    /// Iterates over the towns.
    pub fn towns(&self) -> impl Iterator<Item = &Town> {
        self.towns.iter()
    }

    /// Draws a town, weighted by population.
    pub fn draw_town(&self, random: &mut Random) -> &Town {
        &self.towns.place(self.towns.draw(random)).town
    }

    /// Returns the prices of a town; `None` if it is not in this world.
    pub fn price_level(&self, insee: &Insee) -> Option<PriceLevel> {
        self.towns.find(insee).map(|place| place.level)
    }

    pub(crate) fn home(&self, index: u64) -> Home {
        Home::of(&self.home_parameters(self.settings.properties), index)
    }

    /// Generates a home of a given kind that was on the market before the start, whatever its index.
    pub(crate) fn home_of_kind(&self, index: u64, kind: HomeKind) -> Home {
        Home::of_kind(&self.home_parameters(u64::MAX), index, kind)
    }

    fn home_parameters(&self, stock: u64) -> HomeParameters<'_> {
        HomeParameters {
            seed: self.seed,
            towns: &self.towns,
            portals: &self.portals,
            start_second: self.start_second(),
            stock,
            past_seconds: i64::from(self.settings.past_days) * SECONDS_PER_DAY,
        }
    }

    pub(crate) const fn places(&self) -> &Towns {
        &self.towns
    }

    pub(crate) fn portal(&self, index: usize) -> &Portal {
        &self.portals[index]
    }

    pub(crate) fn portals(&self) -> &[Portal] {
        &self.portals
    }

    pub(crate) fn features(&self) -> &[Option<ShortText>] {
        &self.features
    }

    pub(crate) fn start_second(&self) -> i64 {
        self.settings.start.as_second()
    }

    /// Converts seconds since the epoch; values out of range become the start.
    pub(crate) fn moment(&self, second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap_or(self.settings.start)
    }
}
