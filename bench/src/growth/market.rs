//! A stationary market: properties come at the rate at which others leave.

use std::collections::VecDeque;

use domain::draft::Lifecycle;
use domain::{AdvertDraft, Amount, FieldUpdate, Timestamp};
use places::Gazetteer;
use world::{Settings, World};

/// How often a property that is on offer changes its price, and how often it is crawled without a change.
const DAYS_BETWEEN_PRICES: u64 = 20;
const DAYS_BETWEEN_CRAWLS: u64 = 5;

/// One in so many properties that left the market comes back, after this many days.
const ONE_IN_COMES_BACK: u64 = 12;
const DAYS_AWAY: u64 = 45;

#[derive(Debug, Clone, Copy)]
pub struct MarketSettings {
    /// Properties on offer.
    pub stock: u64,
    /// How long a property is on offer, on average.
    pub life_days: u64,
    pub seed: u64,
}

/// The market, and what is on offer.
pub struct Market {
    settings: MarketSettings,
    world: World,
    random: u64,
    day: u64,
    offers: Vec<Offer>,
    /// Properties that come back, with the day.
    away: VecDeque<(u64, Offer)>,
    next_property: u64,
}

#[derive(Debug, Clone, Copy)]
struct Offer {
    property: u64,
    /// The price is the first one multiplied by this.
    factor: f64,
    leaves_on: u64,
}

impl Market {
    pub fn new(settings: MarketSettings, places: &Gazetteer) -> anyhow::Result<Self> {
        let start = "2026-01-01T00:00:00Z".parse()?;
        let world =
            World::new(settings.seed, server::market::towns(places), Settings::new(settings.stock, start))?;
        Ok(Self {
            settings,
            world,
            random: settings.seed | 1,
            day: 0,
            offers: Vec::new(),
            away: VecDeque::new(),
            next_property: 0,
        })
    }

    pub fn on_offer(&self) -> usize {
        self.offers.len()
    }

    /// Returns the adverts on offer at the beginning.
    pub fn stock(&mut self, now: Timestamp) -> Vec<AdvertDraft> {
        (0..self.settings.stock)
            .filter_map(|_| {
                // What is on offer has on average lived for half of its time.
                let leaves_on = 1 + self.below(2 * self.settings.life_days);
                self.publish(leaves_on, now)
            })
            .collect()
    }

    /// Returns what happens on the next day.
    pub fn next_day(&mut self, now: Timestamp) -> Vec<AdvertDraft> {
        self.day += 1;
        let (left, mut offers): (Vec<Offer>, Vec<Offer>) =
            std::mem::take(&mut self.offers).into_iter().partition(|offer| offer.leaves_on <= self.day);
        let mut drafts = Vec::new();
        for offer in left {
            drafts.extend(self.draft(&offer, Lifecycle::Expired { at: Some(now) }, now));
            if self.below(ONE_IN_COMES_BACK) == 0 {
                self.away.push_back((self.day + DAYS_AWAY, offer));
            }
        }
        for offer in &mut offers {
            if self.below(DAYS_BETWEEN_PRICES) == 0 {
                offer.factor *= 0.98;
                drafts.extend(self.draft(offer, Lifecycle::Seen, now));
            } else if self.below(DAYS_BETWEEN_CRAWLS) == 0 {
                drafts.extend(self.draft(offer, Lifecycle::Seen, now));
            }
        }
        self.offers = offers;
        while let Some((day, offer)) = self.away.front().copied()
            && day <= self.day
        {
            self.away.pop_front();
            let offer = Offer { leaves_on: self.leaving_day(), ..offer };
            drafts.extend(self.draft(&offer, Lifecycle::Live, now));
            self.offers.push(offer);
        }
        while (self.offers.len() as u64) < self.settings.stock {
            let leaves_on = self.leaving_day();
            drafts.extend(self.publish(leaves_on, now));
        }
        drafts
    }

    fn leaving_day(&mut self) -> u64 {
        let life = self.settings.life_days;
        self.day + life / 2 + self.below(life)
    }

    fn publish(&mut self, leaves_on: u64, now: Timestamp) -> Option<AdvertDraft> {
        let offer = Offer { property: self.next_property, factor: 1.0, leaves_on };
        self.next_property += 1;
        self.offers.push(offer);
        self.draft(&offer, Lifecycle::Seen, now)
    }

    /// Returns the first advert of a property as it is now.
    fn draft(&self, offer: &Offer, lifecycle: Lifecycle, now: Timestamp) -> Option<AdvertDraft> {
        let mut draft = self.world.property(offer.property).drafts.into_iter().next()?;
        if let FieldUpdate::Set(Some(price)) = draft.patch.price {
            draft.patch.price = FieldUpdate::Set(Amount::new((price.get() * offer.factor).round()));
        }
        draft.last_crawled_at = Some(now);
        draft.lifecycle = lifecycle;
        Some(draft)
    }

    /// Draws a number below a limit (xorshift).
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 16) % limit.max(1)
    }
}
