//! Prices, rents, fees and charges.

use domain::{FeesResponsibility, PropertyType, TransactionType};

use super::measures::{Build, Condition};
use crate::market::Seller;
use crate::random::Random;
use crate::towns::{Place, TownSize};

/// All amounts in euros.
#[derive(Debug, Clone)]
pub(crate) struct Money {
    /// The price including agency fees, or the monthly rent including charges.
    pub price: f64,
    pub fees: Option<Fees>,
    /// Per year.
    pub condominium_fees: Option<f64>,
    pub lots: Option<f64>,
    pub property_tax: Option<f64>,
    pub rental_charges: Option<f64>,
    pub rental_pledge: Option<f64>,
    pub renter_fees: Option<f64>,
    pub inventory_price: Option<f64>,
}

/// The fees of the agency for a sale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fees {
    pub percentage: f64,
    pub responsibility: FeesResponsibility,
}

impl Fees {
    /// Returns the price without the fees.
    pub(crate) fn without(self, price: f64) -> f64 {
        (price / (1.0 + self.percentage / 100.0)).round()
    }
}

impl Money {
    pub(super) fn draw(
        random: &mut Random,
        property_type: PropertyType,
        transaction_type: TransactionType,
        build: &Build,
        place: &Place,
        seller: Seller,
    ) -> Self {
        let value = value(random, property_type, build, place);
        let fees = match seller {
            Seller::Individual => None,
            Seller::Agency(_) => Some(Fees {
                // The rate falls with the price.
                percentage: (random.uniform(3.0, 6.5) * if value > 600_000.0 { 0.75 } else { 1.0 } * 10.0)
                    .round()
                    / 10.0,
                responsibility: if random.chance(60.0) {
                    FeesResponsibility::Buyer
                } else {
                    FeesResponsibility::Seller
                },
            }),
        };
        match transaction_type {
            TransactionType::Sell => Self::sale(random, property_type, build, place, value, fees),
            TransactionType::Rent => Self::rent(random, property_type, build, place, value, fees),
        }
    }

    fn sale(
        random: &mut Random,
        property_type: PropertyType,
        build: &Build,
        place: &Place,
        value: f64,
        fees: Option<Fees>,
    ) -> Self {
        let in_condominium = match property_type {
            PropertyType::Apartment | PropertyType::Parking | PropertyType::Office => true,
            PropertyType::Shop => random.chance(70.0),
            PropertyType::House => random.chance(6.0),
            PropertyType::Building | PropertyType::Land => false,
        };
        let per_meter = random.uniform(14.0, 42.0) * if build.elevator == Some(true) { 1.25 } else { 1.0 };
        let lots = match place.size {
            TownSize::Village => random.between(2, 14),
            TownSize::SmallTown => random.between(4, 50),
            TownSize::Town | TownSize::City => random.between(6, 180),
        };
        let tax = match property_type {
            PropertyType::Land => random.uniform(20.0, 180.0),
            PropertyType::Parking => random.uniform(60.0, 220.0),
            _ => build.surface * random.uniform(9.0, 21.0),
        };
        Self {
            price: presentable(value, TransactionType::Sell),
            fees,
            condominium_fees: in_condominium.then_some((build.surface * per_meter).round().max(60.0)),
            lots: in_condominium.then_some(f64::from(lots)),
            property_tax: Some(tax.round()),
            rental_charges: None,
            rental_pledge: None,
            renter_fees: None,
            inventory_price: None,
        }
    }

    fn rent(
        random: &mut Random,
        property_type: PropertyType,
        build: &Build,
        place: &Place,
        value: f64,
        fees: Option<Fees>,
    ) -> Self {
        // Expensive towns yield less: from 6 per cent a year down to 3.5.
        let dearness = (place.level.apartment / 12_000.0).min(1.0);
        let yearly = (0.06 - 0.025 * dearness) * random.log_normal(0.06);
        let furnished = build.furnished == Some(true);
        let bare_rent = (value * yearly / 12.0 * if furnished { 1.12 } else { 1.0 }).round().max(30.0);
        let charges = match property_type {
            PropertyType::Parking => random.uniform(5.0, 18.0),
            PropertyType::House => build.surface * random.uniform(0.1, 0.6),
            _ => build.surface * random.uniform(0.7, 2.2),
        };
        let charges = charges.round();
        let dwelling = matches!(property_type, PropertyType::Apartment | PropertyType::House);
        let professional = fees.filter(|_| dwelling);
        // The statutory caps by zone, in euros per square metre (décret du 1er août 2014), and 3 for the inventory.
        let capped = match place.size {
            TownSize::City if place.level.apartment > 6_000.0 => 12.0,
            TownSize::City => 10.0,
            _ => 8.0,
        };
        let months = if furnished { 2.0 } else { 1.0 };
        Self {
            price: bare_rent + charges,
            fees: None,
            condominium_fees: None,
            lots: None,
            property_tax: None,
            rental_charges: Some(charges),
            rental_pledge: Some(bare_rent * months),
            renter_fees: professional.map(|_| ((capped + 3.0) * build.surface).round()),
            inventory_price: professional.map(|_| (3.0 * build.surface).round()),
        }
    }
}

/// Estimates the sale price, fees included.
fn value(random: &mut Random, property_type: PropertyType, build: &Build, place: &Place) -> f64 {
    let level = place.level;
    let surface = build.surface;
    let state = match build.condition {
        Condition::ToRenovate => 0.86,
        Condition::Good => 0.98,
        Condition::Renovated => 1.05,
        Condition::New => 1.18,
    };
    // Small flats cost more per square metre and large ones less; the usual surface is neutral.
    let by_size = |usual: f64| 1.0 + 0.22 * (usual - surface) / (usual + surface);
    let value = match property_type {
        PropertyType::Apartment => {
            surface * level.apartment * by_size(50.0) * state * random.log_normal(0.24)
        }
        PropertyType::House => surface * level.house * by_size(92.0) * state * random.log_normal(0.3),
        PropertyType::Building => surface * level.house * 0.75 * state * random.log_normal(0.35),
        PropertyType::Parking => (5_000.0 + 2.6 * level.apartment) * random.log_normal(0.3),
        PropertyType::Office => surface * level.apartment * 0.75 * random.log_normal(0.3),
        PropertyType::Land => surface.min(1_500.0) * level.house * 0.055 * random.log_normal(0.4),
        PropertyType::Shop => surface * level.apartment * 0.8 * random.log_normal(0.4),
    };
    value.max(2_500.0)
}

/// Rounds a price as sellers do.
pub(crate) fn presentable(price: f64, transaction_type: TransactionType) -> f64 {
    let step = match (transaction_type, price) {
        (TransactionType::Rent, _) => 1.0,
        (_, ..100_000.0) => 500.0,
        (_, ..500_000.0) => 1_000.0,
        (_, ..2_000_000.0) => 5_000.0,
        _ => 10_000.0,
    };
    ((price / step).round() * step).max(step)
}
