//! The similarity of two properties.
//!
//! Only properties of the same transaction type and property type are compared. Differences of place, surface, price and
//! rooms add up to a [`Penalty`]. The list of similar properties contains those with the smallest penalty.

use crate::attribute::PropertyView;
use crate::closeness;
use crate::key::Key;
use crate::kinds::{PropertyType, TransactionType};
use crate::place::GeoPoint;

/// The maximum length of a list of similar properties.
pub const SIMILAR_MAX: usize = 100;

/// The maximum distance of a property in another city.
pub const NEAR_KM: f64 = 20.0;

/// The distance that costs one point of penalty.
const KM_PER_POINT: f64 = 10.0;

/// The maximum ratio of two surfaces or prices, in either direction.
const RATIO_MAX: f64 = 1.5;

/// The maximum difference in the number of rooms.
const ROOMS_APART_MAX: f64 = 2.0;

/// The penalty for a value that the other property lacks: that of a ratio in the middle of the allowed range.
const UNKNOWN: f64 = 0.2;

/// The values of a property that are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarityProfile {
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub city: Option<Key>,
    /// Where the property is shown. The centre of a commune is close enough to tell near from far.
    pub point: Option<GeoPoint>,
    pub surface: Option<f64>,
    pub price: Option<f64>,
    pub room: Option<f64>,
}

impl SimilarityProfile {
    pub fn new(view: &PropertyView<'_>) -> Self {
        use crate::attribute::PropertyAttribute as Of;
        let number = |attribute: Of| attribute.read(view).map(Key::as_number);
        Self {
            transaction_type: view.derived.transaction_type,
            property_type: view.derived.property_type,
            city: Of::City.read(view),
            point: view.derived.point,
            surface: number(Of::Surface),
            price: number(Of::Price),
            room: number(Of::Room),
        }
    }

    /// Returns the penalty of another property. `None` if it is too different to be listed.
    ///
    /// - Place: 0 in the same city, otherwise 1 per ten kilometres, up to [`NEAR_KM`].
    /// - Surface and price: twice the natural logarithm of their ratio, which may be at most 1.5.
    /// - Rooms: 0.25 per room of difference, at most two rooms.
    /// - A value that only this property has costs [`UNKNOWN`]. A value that this property lacks is not compared.
    pub fn penalty(&self, other: &Self) -> Option<Penalty> {
        if self.transaction_type != other.transaction_type || self.property_type != other.property_type {
            return None;
        }
        let ratio = |mine: Option<f64>, others: Option<f64>| match (mine.filter(|mine| *mine > 0.0), others) {
            (None, _) => Some(0.0),
            (Some(_), None) => Some(UNKNOWN),
            (Some(mine), Some(others)) => closeness::ratio(mine, others)
                .filter(|ratio| *ratio <= RATIO_MAX)
                .map(|ratio| 2.0 * ratio.ln()),
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

/// The sum of the differences of two properties. Smaller means more similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Penalty(Key);

impl Penalty {
    /// Returns the maximum distance at which a property can have this penalty or less, plus a metre against rounding.
    pub fn reach_km(self) -> f64 {
        self.0.as_number() * KM_PER_POINT + 0.001
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> SimilarityProfile {
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
    fn penalty_grows_with_the_difference() {
        let same = profile().penalty(&profile()).unwrap();
        let larger = profile().penalty(&SimilarityProfile { surface: Some(120.0), ..profile() }).unwrap();
        let more_expensive = profile()
            .penalty(&SimilarityProfile { surface: Some(120.0), price: Some(300_000.0), ..profile() })
            .unwrap();
        let elsewhere = SimilarityProfile {
            city: Some(Key::place(37_050)),
            point: GeoPoint::new(47.34, 0.7),
            ..profile()
        };
        assert!(same < larger && larger < more_expensive);
        assert!(same < profile().penalty(&elsewhere).unwrap());
    }

    #[test]
    fn too_different_properties_have_no_penalty() {
        for other in [
            SimilarityProfile { transaction_type: TransactionType::Rent, ..profile() },
            SimilarityProfile { property_type: PropertyType::Land, ..profile() },
            SimilarityProfile { surface: Some(151.0), ..profile() },
            SimilarityProfile { price: Some(160_000.0), ..profile() },
            SimilarityProfile { room: Some(8.0), ..profile() },
            SimilarityProfile { city: None, point: GeoPoint::new(48.85, 2.35), ..profile() },
            SimilarityProfile { city: None, point: None, ..profile() },
        ] {
            assert_eq!(profile().penalty(&other), None, "{other:?}");
        }
        let bare = SimilarityProfile { surface: None, price: None, room: None, ..profile() };
        assert!(profile().penalty(&bare).is_some());
        assert!(bare.penalty(&profile()).is_some());
    }
}
