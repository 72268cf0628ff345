//! Sales that one price does not describe: life annuities, and new-building programmes with ranges of lots.
//!
//! The adverts keep these values as they were given. What the property derives from them is in
//! [`Property::derive`](crate::Property::derive), what they mean for plausible prices in [`price`](crate::price).

use crate::advert_fields::AdvertDetails;
use crate::value::Amount;

/// What the buyer of a life annuity pays. Empty for any other sale: an advert that gives one of the two is a life annuity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LifeAnnuity {
    /// The sum paid at the signature. It is not a price: the rent is paid on top of it.
    pub bouquet: Option<Amount>,
    /// Per month, as long as the seller lives.
    pub rent: Option<Amount>,
}

impl LifeAnnuity {
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }
}

/// The ranges of the lots of a new-building programme. Empty for any other sale: an advert that gives one of the bounds is a
/// programme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewBuilding {
    pub price_min: Option<Amount>,
    pub price_max: Option<Amount>,
    pub surface_min: Option<Amount>,
    pub surface_max: Option<Amount>,
    pub room_min: Option<i32>,
    pub room_max: Option<i32>,
}

impl NewBuilding {
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the ranges with their bounds in order. A feed that exchanges them means the same range.
    #[must_use]
    pub fn ordered(self) -> Self {
        let Self { price_min, price_max, surface_min, surface_max, room_min, room_max } = self;
        let (price_min, price_max) = in_order(price_min, price_max);
        let (surface_min, surface_max) = in_order(surface_min, surface_max);
        let (room_min, room_max) = in_order(room_min, room_max);
        Self { price_min, price_max, surface_min, surface_max, room_min, room_max }
    }
}

fn in_order<T: PartialOrd>(min: Option<T>, max: Option<T>) -> (Option<T>, Option<T>) {
    match (&min, &max) {
        (Some(low), Some(high)) if low > high => (max, min),
        _ => (min, max),
    }
}

// The smallest lot stands for a programme, as in "from 215 000 €": users search for what they could buy there.
impl AdvertDetails {
    /// Returns the price, or the lowest price of a programme.
    pub fn price_or_lowest(&self) -> Option<Amount> {
        self.price.or(self.new_building.price_min)
    }

    /// Returns the surface, or the smallest surface of a programme.
    pub fn surface_or_smallest(&self) -> Option<Amount> {
        self.surface.or(self.new_building.surface_min)
    }

    /// Returns the number of rooms, or the smallest number of a programme.
    pub fn room_or_fewest(&self) -> Option<i32> {
        self.room.or(self.new_building.room_min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_bounds_are_put_in_order() {
        let given = NewBuilding {
            price_min: Amount::new(480_000.0),
            price_max: Amount::new(215_000.0),
            surface_min: Amount::new(31.0),
            surface_max: Amount::new(92.0),
            room_min: Some(4),
            room_max: None,
        };
        let expected = NewBuilding { price_min: given.price_max, price_max: given.price_min, ..given };
        assert_eq!(given.ordered(), expected);
        assert_eq!(expected.ordered(), expected);
    }

    #[test]
    fn a_sum_of_zero_is_given() {
        assert!(!LifeAnnuity::default().is_given());
        assert!(LifeAnnuity { bouquet: Amount::new(0.0), rent: None }.is_given());
        assert!(!NewBuilding::default().is_given());
        assert!(NewBuilding { room_max: Some(5), ..NewBuilding::default() }.is_given());
    }
}
