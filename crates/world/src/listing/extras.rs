//! What feeds carry beyond the contract: the district, parking, heating, mandates, life annuities and new programmes.
//!
//! They have streams of random numbers of their own, so that they change no other value of the market. They depend on the
//! home and the portal only, never on the price of the day: a price drop is one change, not two.

use domain::{Amount, LifeAnnuity, NewBuilding, PropertyType, RentPeriod, ShortText, TransactionType};

use super::Listing;
use crate::home::{Condition, Home};
use crate::market::Seller;
use crate::random::{Purpose, Random};
use crate::towns::TownSize;

/// Names of neighbourhoods that most towns have.
const DISTRICTS: [&str; 12] = [
    "Centre-ville",
    "Gare",
    "Hôtel de Ville",
    "Vieille Ville",
    "Saint-Jean",
    "Saint-Pierre",
    "Les Halles",
    "Le Port",
    "Beauregard",
    "La Croix Blanche",
    "Université",
    "Faubourg Nord",
];

pub(super) struct Extras {
    pub district: Option<ShortText>,
    pub exclusive_mandate: Option<bool>,
    pub parking_count: Option<i32>,
    pub heating: Option<ShortText>,
    pub life_annuity: Option<LifeAnnuity>,
    pub occupied: Option<bool>,
    pub rent_period: Option<RentPeriod>,
    pub new_building: Option<NewBuilding>,
}

impl Extras {
    pub(super) fn of(listing: &Listing<'_>) -> Self {
        let (seed, home) = (listing.world.seed(), listing.home);
        // Always make every draw, whatever the home is.
        let mut shared = Random::stream(seed, Purpose::Extras, [home.index, 0]);
        let shared = &mut shared;
        let district = *shared.pick(&DISTRICTS);
        let spaces = shared.between(1, 2);
        let occupied = shared.chance(9.0);
        let life_annuity = life_annuity(shared, home);
        let new_building = new_building(shared, home);

        let mut own = Random::stream(seed, Purpose::Extras, [home.index, u64::from(listing.advert) + 1]);
        let completeness = listing.portal.profile.completeness;
        let mut shown = |percent: f64| own.chance(percent * completeness / 100.0);
        let (shows_district, shows_parking, shows_heating) = (shown(45.0), shown(70.0), shown(65.0));
        let (shows_mandate, shows_occupied, shows_period) = (shown(40.0), shown(25.0), shown(60.0));
        let exclusive_mandate = shown(35.0);

        let sale = home.transaction_type == TransactionType::Sell;
        let by_agency = matches!(listing.seller, Seller::Agency(_));
        let in_village = listing.place.size == TownSize::Village;
        let heating = home.audit.filter(|_| shows_heating).map(|audit| audit.heating.phrase());
        Self {
            district: text(Some(district).filter(|_| shows_district && !in_village)),
            exclusive_mandate: (by_agency && shows_mandate).then_some(exclusive_mandate),
            parking_count: parking(home, spaces).filter(|_| shows_parking),
            heating: text(heating),
            // A life annuity and a programme are what the advert is about: no portal leaves them out.
            life_annuity,
            occupied: (sale && shows_occupied && is_dwelling(home)).then_some(occupied),
            // The rents of the market are monthly.
            rent_period: (!sale && shows_period).then_some(RentPeriod::Month),
            new_building,
        }
    }
}

fn text(text: Option<&str>) -> Option<ShortText> {
    text.and_then(|text| ShortText::new(text).ok().flatten())
}

fn is_dwelling(home: &Home) -> bool {
    matches!(home.property_type, PropertyType::Apartment | PropertyType::House)
}

/// Returns the parking spaces of a dwelling, as its amenities say.
fn parking(home: &Home, spaces: i32) -> Option<i32> {
    let named = home.amenities.iter().filter(|amenity| matches!(amenity.feature, "Parking" | "Garage"));
    let count = match named.count() {
        0 => 0,
        1 => spaces,
        _ => spaces + 1,
    };
    is_dwelling(home).then_some(count)
}

/// Draws the bouquet and the rent of about one dwelling for sale in a hundred.
fn life_annuity(random: &mut Random, home: &Home) -> Option<LifeAnnuity> {
    let (drawn, share, years) = (random.chance(1.0), random.uniform(0.15, 0.35), random.uniform(14.0, 22.0));
    if !drawn || home.transaction_type != TransactionType::Sell || !is_dwelling(home) {
        return None;
    }
    let bouquet = (home.money.price * share / 500.0).round() * 500.0;
    // The seller stays, so the buyer pays about 60 % of the value over the years that the seller is expected to live.
    let rent = ((home.money.price * 0.6 - bouquet).max(0.0) / (years * 12.0)).round();
    Some(LifeAnnuity { bouquet: Amount::new(bouquet), rent: Amount::new(rent) })
}

/// Draws the ranges of a programme around a new apartment for sale, which is its smallest lot.
fn new_building(random: &mut Random, home: &Home) -> Option<NewBuilding> {
    let (drawn, larger, more) = (random.chance(40.0), random.uniform(1.4, 3.0), random.between(1, 3));
    let new = home.build.condition == Condition::New && home.property_type == PropertyType::Apartment;
    if !drawn || !new || home.transaction_type != TransactionType::Sell {
        return None;
    }
    let (price, surface) = (home.money.price, home.build.surface);
    Some(NewBuilding {
        price_min: Amount::new(price),
        price_max: Amount::new((price * larger / 1_000.0).round() * 1_000.0),
        surface_min: Amount::new(surface),
        surface_max: Amount::new((surface * larger).round()),
        room_min: home.build.rooms,
        room_max: home.build.rooms.map(|rooms| rooms + more),
    })
}
