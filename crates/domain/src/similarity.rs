//! How much two properties are alike.
//!
//! Only properties of the same transaction and type compare at all. What sets them apart is added up as a [`Penalty`]: where
//! they are, how large, how dear, how many rooms. The list of similar properties holds those with the least.

use crate::attribute::Facts;
use crate::key::Key;
use crate::kinds::{PropertyType, TransactionType};
use crate::place::GeoPoint;

/// The longest list of similar properties.
pub const SIMILAR_MAX: usize = 100;

/// How far away a property may be that is not in the same city.
pub const NEAR_KM: f64 = 20.0;

/// So many kilometres weigh one point.
const KM_PER_POINT: f64 = 10.0;

/// How many times as large or as dear a property may be, or the other way round.
const RATIO_MAX: f64 = 1.5;

/// How many rooms more or fewer a property may have.
const ROOMS_APART_MAX: f64 = 2.0;

/// What a value costs that the other lacks: as much as a ratio in the middle of what is allowed.
const UNKNOWN: f64 = 0.2;

/// What a property is compared by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarityProfile {
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub city: Option<Key>,
    pub point: Option<GeoPoint>,
    pub surface: Option<f64>,
    pub price: Option<f64>,
    pub room: Option<f64>,
}

impl SimilarityProfile {
    pub fn of(facts: &Facts<'_>) -> Self {
        use crate::attribute::PropertyAttribute as Of;
        let number = |attribute: Of| attribute.read(facts).map(Key::as_number);
        Self {
            transaction_type: facts.derived.transaction_type,
            property_type: facts.derived.property_type,
            city: Of::City.read(facts),
            point: facts.derived.point,
            surface: number(Of::Surface),
            price: number(Of::Price),
            room: number(Of::Room),
        }
    }

    /// What sets another property apart from this one; nothing when it is too different to be shown.
    ///
    /// - Place: nothing in the same city; else one for every ten kilometres, and at most [`NEAR_KM`].
    /// - Surface and price: twice the logarithm of their ratio, which may be at most one and a half.
    /// - Rooms: a quarter for each, at most two.
    /// - A value that this one has and the other lacks costs [`UNKNOWN`]; what this one lacks is not compared.
    pub fn penalty(&self, other: &Self) -> Option<Penalty> {
        if self.transaction_type != other.transaction_type || self.property_type != other.property_type {
            return None;
        }
        let ratio = |mine: Option<f64>, others: Option<f64>| match (mine.filter(|mine| *mine > 0.0), others) {
            (None, _) => Some(0.0),
            (Some(_), None) => Some(UNKNOWN),
            (Some(mine), Some(others)) if others > 0.0 => {
                let ratio = (others / mine).max(mine / others);
                (ratio <= RATIO_MAX).then(|| 2.0 * ratio.ln())
            }
            _ => None,
        };
        let rooms = match (self.room, other.room) {
            (None, _) => Some(0.0),
            (Some(_), None) => Some(UNKNOWN),
            (Some(mine), Some(others)) => {
                let apart = (mine - others).abs();
                (apart <= ROOMS_APART_MAX).then_some(apart / 4.0)
            }
        };
        let sum = self.distance(other)?
            + ratio(self.surface, other.surface)?
            + ratio(self.price, other.price)?
            + rooms?;
        Some(Penalty(Key::number(sum)))
    }

    fn distance(&self, other: &Self) -> Option<f64> {
        if self.city.is_some() && self.city == other.city {
            return Some(0.0);
        }
        let distance_km = self.point?.distance_km(other.point?);
        (distance_km <= NEAR_KM).then_some(distance_km / KM_PER_POINT)
    }
}

/// A sum of differences; the least is the most alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Penalty(Key);

impl Penalty {
    /// How far away another property may be, at most, for its penalty to be no greater; with a little to spare.
    pub fn reach_km(self) -> f64 {
        self.0.as_number() * KM_PER_POINT + 0.001
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> SimilarityProfile {
        SimilarityProfile {
            transaction_type: TransactionType::Sell,
            property_type: PropertyType::House,
            city: Some(Key::place(37_261)),
            point: GeoPoint::new(47.39, 0.69),
            surface: Some(100.0),
            price: Some(250_000.0),
            room: Some(5.0),
        }
    }

    #[test]
    fn the_more_alike_the_less_the_penalty() {
        let same = home().penalty(&home()).unwrap();
        let larger = home().penalty(&SimilarityProfile { surface: Some(120.0), ..home() }).unwrap();
        let dearer = home()
            .penalty(&SimilarityProfile { surface: Some(120.0), price: Some(300_000.0), ..home() })
            .unwrap();
        let elsewhere =
            SimilarityProfile { city: Some(Key::place(37_050)), point: GeoPoint::new(47.34, 0.7), ..home() };
        assert!(same < larger && larger < dearer);
        assert!(same < home().penalty(&elsewhere).unwrap());
    }

    #[test]
    fn what_is_too_different_is_not_shown() {
        for other in [
            SimilarityProfile { transaction_type: TransactionType::Rent, ..home() },
            SimilarityProfile { property_type: PropertyType::Land, ..home() },
            SimilarityProfile { surface: Some(151.0), ..home() },
            SimilarityProfile { price: Some(160_000.0), ..home() },
            SimilarityProfile { room: Some(8.0), ..home() },
            SimilarityProfile { city: None, point: GeoPoint::new(48.85, 2.35), ..home() },
            SimilarityProfile { city: None, point: None, ..home() },
        ] {
            assert_eq!(home().penalty(&other), None, "{other:?}");
        }
        let bare = SimilarityProfile { surface: None, price: None, room: None, ..home() };
        assert!(home().penalty(&bare).is_some());
        assert!(bare.penalty(&home()).is_some());
    }
}
