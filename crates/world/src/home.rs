//! The property behind the adverts: its true attributes, before a portal describes it.

mod amenities;
mod energy;
mod measures;
mod mix;
mod money;

use domain::{PropertyId, PropertyType, TransactionType};

use self::amenities::Amenities;
pub(crate) use self::amenities::{AMENITIES, Amenity};
pub(crate) use self::energy::Audit;
use self::energy::Heating;
pub use self::energy::{energy_letter, gas_letter};
use self::measures::Build;
pub(crate) use self::measures::Condition;
use self::money::Money;
pub(crate) use self::money::{Fees, presentable};
use crate::market::{Portal, Seller};
use crate::random::{Purpose, Random, cosine};
use crate::towns::{Place, Towns};

/// The maximum number of portals that advertise one property.
pub(crate) const ADVERTS_MAX: usize = 5;

/// A home, plot or shop, with its seller and the portals that advertise it.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub index: u64,
    pub id: PropertyId,
    pub town: usize,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub build: Build,
    pub audit: Option<Audit>,
    pub money: Money,
    pub amenities: Amenities,
    pub lat: f64,
    pub lon: f64,
    pub seller: Seller,
    /// Seconds since the epoch.
    pub created_second: i64,
    portals: [u8; ADVERTS_MAX],
    adverts: u8,
}

/// The inputs that determine a home.
pub(crate) struct HomeParameters<'a> {
    pub seed: u64,
    pub towns: &'a Towns,
    pub portals: &'a [Portal],
    pub start_second: i64,
    /// The number of properties at the start. Higher indexes appear later.
    pub stock: u64,
    /// The age of the oldest adverts at the start.
    pub past_seconds: i64,
}

/// What a caller fixes of a home. The rest is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HomeKind {
    pub town: usize,
    pub property_type: PropertyType,
    pub transaction_type: TransactionType,
    /// `None` to draw it.
    pub seller: Option<Seller>,
}

impl Home {
    /// Generates the home with this index. The same index always gives the same home.
    pub(crate) fn of(parameters: &HomeParameters<'_>, index: u64) -> Self {
        let mut random = Random::stream(parameters.seed, Purpose::Home, [index, 0]);
        let town = parameters.towns.draw(&mut random);
        let (property_type, transaction_type) = mix::draw(&mut random, parameters.towns.place(town).size);
        let kind = HomeKind { town, property_type, transaction_type, seller: None };
        Self::draw(parameters, index, kind, &mut random)
    }

    /// Generates a home of a given kind. The same index and kind always give the same home.
    pub(crate) fn of_kind(parameters: &HomeParameters<'_>, index: u64, kind: HomeKind) -> Self {
        let mut random = Random::stream(parameters.seed, Purpose::Home, [index, 1]);
        Self::draw(parameters, index, kind, &mut random)
    }

    fn draw(parameters: &HomeParameters<'_>, index: u64, kind: HomeKind, random: &mut Random) -> Self {
        let HomeKind { town, property_type, transaction_type, seller } = kind;
        let place = parameters.towns.place(town);
        let year = 1970 + (parameters.start_second / 31_556_952) as i32;
        let build = Build::draw(random, property_type, transaction_type, place, year);
        let heating = Heating::draw(random, property_type);
        let audit = Audit::draw(random, property_type, &build, heating);
        let drawn_seller = Seller::draw(random, place.size);
        let seller = seller.unwrap_or(drawn_seller);
        let money = Money::draw(random, property_type, transaction_type, &build, place, seller);
        let amenities = Amenities::draw(random, property_type, &build);
        let (lat, lon) = scattered(random, place);
        let (portals, adverts) = portals(random, parameters.portals, seller);
        let created_second = match index.checked_sub(parameters.stock) {
            // Most adverts on the market are recent.
            None => {
                let age = random.unit() * random.unit();
                parameters.start_second - (age * parameters.past_seconds as f64) as i64
            }
            Some(later) => parameters.start_second.saturating_add(i64::try_from(later).unwrap_or(i64::MAX)),
        };
        let id = identifier(random, created_second);
        Self {
            index,
            id,
            town,
            transaction_type,
            property_type,
            build,
            audit,
            money,
            amenities,
            lat,
            lon,
            seller,
            created_second,
            portals,
            adverts,
        }
    }

    /// Returns the number of portals that advertise it.
    pub(crate) fn adverts(&self) -> u8 {
        self.adverts
    }

    /// Returns the portal of one of its adverts.
    pub(crate) fn portal(&self, advert: u8) -> usize {
        usize::from(self.portals[usize::from(advert) % ADVERTS_MAX])
    }

    /// Advertises it on another portal. `advert` is the number of the advert, below [`ADVERTS_MAX`].
    pub(crate) fn set_portal(&mut self, advert: u8, portal: usize) {
        self.portals[usize::from(advert) % ADVERTS_MAX] = u8::try_from(portal).unwrap_or_default();
    }
}

/// Draws a point around the centre, more likely near it.
fn scattered(random: &mut Random, place: &Place) -> (f64, f64) {
    const KM_PER_DEGREE: f64 = 111.2;
    let centre = place.town.point;
    let mut offset = || (random.unit() + random.unit() - 1.0) * place.radius_km / KM_PER_DEGREE;
    let (north, east) = (offset(), offset());
    // The minimum avoids a division by zero at the poles, where no town lies.
    let lon = centre.lon() + east / cosine(centre.lat()).max(0.05);
    ((centre.lat() + north).clamp(-90.0, 90.0), lon.clamp(-180.0, 180.0))
}

/// Draws the portals of a home, each at most once, in proportion to their market shares.
fn portals(random: &mut Random, portals: &[Portal], seller: Seller) -> ([u8; ADVERTS_MAX], u8) {
    let (column, counts): (usize, &[u32]) = match seller {
        Seller::Agency(_) => (0, &[64, 23, 9, 3, 1]),
        Seller::Individual => (1, &[70, 30]),
    };
    let mut shares: Vec<u32> = portals.iter().map(|portal| portal.profile.share[column]).collect();
    let wanted = random.weighted(counts) + 1;
    let mut chosen = [0; ADVERTS_MAX];
    for place in chosen.iter_mut().take(wanted) {
        let portal = random.weighted(&shares);
        shares[portal] = 0;
        *place = portal as u8;
    }
    (chosen, wanted as u8)
}

/// Draws an id like those the service assigns: a UUID that sorts by time.
fn identifier(random: &mut Random, created_second: i64) -> PropertyId {
    let milliseconds = u64::try_from(created_second).unwrap_or_default() * 1_000 + random.below(1_000);
    let mut chance = [0; 10];
    chance[..8].copy_from_slice(&random.next_u64().to_le_bytes());
    chance[8..].copy_from_slice(&random.next_u64().to_le_bytes()[..2]);
    PropertyId::from_uuid(uuid::Builder::from_unix_timestamp_millis(milliseconds, &chance).into_uuid())
}
