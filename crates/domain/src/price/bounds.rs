//! The bounds of prices that hold everywhere and at any time, and how far a price may be from the usual one.
//!
//! They are wide on purpose: compared with the sales and rents of recent years in France, they exclude only mistakes.

use super::PriceSubject;
use super::problem::Side;
use super::statistics::{PriceLevel, UsualPrice};
use crate::kinds::{PropertyType, TransactionType};

/// A lowest and a highest value, both allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    lowest: f64,
    highest: f64,
}

const fn bounds(lowest: f64, highest: f64) -> Bounds {
    Bounds { lowest, highest }
}

use PropertyType::{Apartment, Building, House, Land, Office, Parking, Shop};
use TransactionType::{Rent, Sell};

impl Bounds {
    /// Of a rent per day, week or season.
    pub const STAY: Self = bounds(10.0, 20_000.0);

    /// Of the price of a sale, or of the rent per month. Whatever the surface, sales below 2,500 € and rents above 20,000 € in real
    /// feeds are shifted columns and other mistakes.
    pub const fn of_amount(subject: &PriceSubject) -> Self {
        match (subject.transaction_type, subject.property_type) {
            (Sell, _) => bounds(2_500.0, 100_000_000.0),
            (Rent, Apartment | House) => bounds(100.0, 20_000.0),
            (Rent, Building | Parking | Office | Land | Shop) => bounds(10.0, 20_000.0),
        }
    }

    /// Of the price or the monthly rent per square metre; of the amount for a parking space.
    pub const fn of_unit_price(subject: &PriceSubject) -> Self {
        match (subject.transaction_type, subject.property_type) {
            (Sell, Apartment | House) => bounds(50.0, 60_000.0),
            (Sell, Building) => bounds(20.0, 60_000.0),
            // A business or a lease may be sold without the walls.
            (Sell, Office | Shop) => bounds(10.0, 100_000.0),
            // From woods to plots on the coast.
            (Sell, Land) => bounds(0.05, 20_000.0),
            // Several boxes may be sold as one.
            (Sell, Parking) => bounds(2_500.0, 300_000.0),
            (Rent, Apartment | House) => bounds(1.0, 300.0),
            (Rent, Building) => bounds(0.5, 300.0),
            (Rent, Office | Shop) => bounds(0.5, 1_000.0),
            // Farmland is let for some hundred euros per hectare and year.
            (Rent, Land) => bounds(0.000_1, 100.0),
            (Rent, Parking) => bounds(10.0, 1_000.0),
        }
    }

    /// Of ordinary prices, in the unit of [`Bounds::of_unit_price`]. Without statistics, they tell a rent from a sale price.
    pub const fn of_ordinary_unit_price(subject: &PriceSubject) -> Self {
        match (subject.transaction_type, subject.property_type) {
            (Sell, Apartment | House) => bounds(500.0, 25_000.0),
            (Sell, Building) => bounds(300.0, 15_000.0),
            (Sell, Office | Shop) => bounds(400.0, 30_000.0),
            (Sell, Land) => bounds(20.0, 1_000.0),
            (Sell, Parking) => bounds(4_000.0, 80_000.0),
            (Rent, Apartment | House) => bounds(4.0, 60.0),
            (Rent, Building) => bounds(2.0, 40.0),
            (Rent, Office | Shop) => bounds(3.0, 150.0),
            (Rent, Land) => bounds(0.01, 5.0),
            (Rent, Parking) => bounds(20.0, 400.0),
        }
    }

    /// Of ordinary amounts, if the surface is unknown.
    pub const fn of_ordinary_amount(subject: &PriceSubject) -> Self {
        match subject.transaction_type {
            Sell => bounds(40_000.0, 5_000_000.0),
            Rent => bounds(300.0, 5_000.0),
        }
    }

    pub fn contains(self, value: f64) -> bool {
        (self.lowest..=self.highest).contains(&value)
    }

    /// Returns the bound that a value exceeds.
    pub fn exceeded_by(self, value: f64) -> Option<(Side, f64)> {
        if value < self.lowest {
            Some((Side::Low, self.lowest))
        } else if value > self.highest {
            Some((Side::High, self.highest))
        } else {
            None
        }
    }
}

/// Returns how far a price may be below and above the usual one, as natural logarithms of the factors.
///
/// It is four times the spread, within limits. The lower limit is for places where prices hardly vary: a house to restore costs a
/// fraction of the others. The upper limit is for places where prices vary much: a factor of ten should still be found. Some prices
/// vary for good reasons: a field costs a hundredth of the building plot beside it, the lease of a shop a tenth of its walls, new
/// homes cost more than the stock around them, and a suburb of Paris more than the country.
pub fn tolerated(subject: &PriceSubject, usual: &UsualPrice) -> (f64, f64) {
    const SPREADS: f64 = 4.0;
    const NEW_BUILDING_FACTOR: f64 = 1.5;
    const COUNTRY_FACTOR: f64 = 1.4;
    let wider = if usual.level == PriceLevel::Country { COUNTRY_FACTOR } else { 1.0 };
    let within = |least: f64, most: f64| (SPREADS * usual.spread).clamp(least.ln(), (most * wider).ln());
    let (below, above) = match subject.property_type {
        Apartment | House | Parking => (within(4.0, 6.0), within(3.0, 5.0)),
        Building | Office | Shop => (within(8.0, 15.0), within(4.0, 7.5)),
        Land => (f64::INFINITY, within(4.0, 7.5)),
    };
    let more = if subject.new_building { NEW_BUILDING_FACTOR.ln() } else { 0.0 };
    (below, above + more)
}
