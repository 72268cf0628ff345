//! The advert of a home on one portal, which rounds, omits and rephrases.

mod draft;
mod extras;
mod pictures;

use std::num::NonZeroU32;

use domain::FeesResponsibility;

use crate::home::Home;
use crate::market::{Portal, Seller};
use crate::random::{Purpose, Random};
use crate::text::Spelling;
use crate::towns::Place;
use crate::world::World;

/// The changes to an advert since it was generated. Small, because a timeline keeps one for each changed advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Changes {
    /// In whole euros.
    pub price: Option<NonZeroU32>,
    /// The surveyor's surface, in hundredths of a square metre.
    pub surface_hundredths: Option<NonZeroU32>,
    /// Seconds between the start and its publication, for an advert that is not in the stock.
    pub published_after: Option<NonZeroU32>,
    /// The number of edits of the text.
    pub text_version: u8,
    /// The number of updates of the pictures.
    pub pictures: u8,
    pub presence: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Presence {
    #[default]
    AsGenerated,
    Live,
    Expired,
}

/// The numbers of an advert. Its texts are written when the draft is created.
pub(crate) struct Listing<'a> {
    world: &'a World,
    home: &'a Home,
    place: &'a Place,
    portal: &'a Portal,
    advert: u8,
    changes: Changes,
    seller: Seller,
    spelling: Spelling,
    /// Whether its text differs from that of the other portals.
    own_text: bool,
    /// The price as shown.
    pub price: f64,
    /// The surface before the portal rounds it.
    pub exact_surface: f64,
    surface: f64,
    shows_price_without_fees: bool,
    created_second: i64,
    crawled_second: i64,
    expired_second: Option<i64>,
    /// For the draws made while the draft is created.
    random: Random,
}

impl<'a> Listing<'a> {
    pub(crate) fn of(world: &'a World, home: &'a Home, advert: u8, changes: Changes) -> Self {
        let place = world.places().place(home.town);
        let portal = world.portal(home.portal(advert));
        // Always make every draw below, whatever the changes: a price drop must not move the coordinates.
        let mut random = Random::stream(world.seed(), Purpose::Advert, [home.index, u64::from(advert)]);
        let spelling = Spelling::draw(&mut random);
        let own_text = random.chance(40.0) && advert > 0;
        let other_agency = Seller::agency(&mut random, place.size);
        let has_other_agency = random.chance(20.0) && advert > 0;
        let shows_price_without_fees = random.chance(7.0);
        let delay = if advert == 0 { 0 } else { random.below(12 * 86_400) as i64 };
        let born_expired = random.chance(f64::from(world.settings().expired_percent));
        let gone_at = random.unit();
        let crawl_age = random.below(2 * 86_400) as i64;

        let start = world.start_second();
        let created_second = match changes.published_after {
            Some(after) => start + i64::from(after.get()),
            None => (home.created_second + delay).min(start),
        };
        let of_stock = home.index < world.settings().properties;
        let expired_second = (born_expired && of_stock)
            .then(|| created_second + ((start - created_second).max(0) as f64 * gone_at) as i64);
        let crawled_second = expired_second.unwrap_or((start - crawl_age).max(created_second));

        let exact_surface = match changes.surface_hundredths {
            Some(hundredths) => f64::from(hundredths.get()) / 100.0,
            None => home.build.surface,
        };
        let price = match (changes.price, home.money.fees) {
            (Some(price), _) => f64::from(price.get()),
            (None, Some(fees)) if shows_price_without_fees => fees.without(home.money.price),
            (None, _) => home.money.price,
        };
        Self {
            world,
            home,
            place,
            portal,
            advert,
            changes,
            seller: match home.seller {
                Seller::Agency(_) if has_other_agency => other_agency,
                seller => seller,
            },
            spelling,
            own_text,
            price,
            exact_surface,
            surface: portal.profile.surface.write(exact_surface).max(1.0),
            shows_price_without_fees,
            created_second,
            crawled_second,
            expired_second,
            random,
        }
    }

    /// Returns `true` if the advert has expired, as generated or by a later change.
    pub(crate) fn is_expired(&self) -> bool {
        match self.changes.presence {
            Presence::AsGenerated => self.expired_second.is_some(),
            Presence::Live => false,
            Presence::Expired => true,
        }
    }

    fn price_excluding_fees(&self) -> Option<f64> {
        let fees = self.home.money.fees?;
        if self.shows_price_without_fees {
            return Some(self.price);
        }
        // Fees that the seller pays are not shown.
        (fees.responsibility == FeesResponsibility::Buyer).then(|| fees.without(self.price))
    }
}
