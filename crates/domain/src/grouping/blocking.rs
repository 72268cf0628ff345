//! Which pairs of adverts are compared at all.
//!
//! A city has many homes of about one price and surface, and comparing an advert with all of them takes longer the more there are. Adverts
//! of one home have more in common than being similar: the same price or surface, both nearly, or an exact value that few homes share.
//! In a city, pairs without any of these are left out, whatever the rest of their evidence would be.

use super::facts::are_one_surface;
use super::signature::{Fact, List, Signature};
use super::tokens::mix;
use super::vetoes::{are_far_apart, percent_between};

/// Prices and surfaces that differ by less are nearly equal: by the fees of another agency, and by another measurement.
const NEAR_PERCENT_MAX: (f32, f32) = (6.0, 4.0);

/// Smaller towns have so few homes of one price and surface that all are compared.
const CITY_POPULATION: u32 = 20_000;

/// What decides whether an advert is compared with another. The index of signatures keeps it close at hand, so it is small.
#[derive(Debug, Clone, Copy)]
pub struct BlockingKey {
    /// Not a number if unknown, as is the surface.
    price: f32,
    surface: f32,
    is_in_city: bool,
    exact_values: ExactValues,
}

impl BlockingKey {
    pub fn of(signature: &Signature) -> Self {
        Self {
            price: signature.price().unwrap_or(f32::NAN),
            surface: signature.surface().unwrap_or(f32::NAN),
            is_in_city: signature.commune.population >= CITY_POPULATION,
            exact_values: ExactValues::of(signature),
        }
    }

    #[inline]
    pub fn price(&self) -> Option<f32> {
        Some(self.price).filter(|price| !price.is_nan())
    }

    #[inline]
    pub fn surface(&self) -> Option<f32> {
        Some(self.surface).filter(|surface| !surface.is_nan())
    }

    /// Returns `true` if two adverts of one commune, transaction and kind of property are compared.
    pub fn admits(&self, other: &Self) -> bool {
        let price = percent_between(self.price(), other.price());
        let surface = percent_between(self.surface(), other.surface());
        let are_in_city = self.is_in_city && other.is_in_city;
        !are_far_apart(price, surface)
            && (!are_in_city
                || are_near(price, surface)
                || self.has_surface_of(other)
                || self.exact_values.have_common(&other.exact_values))
    }

    fn has_surface_of(&self, other: &Self) -> bool {
        self.surface().zip(other.surface()).is_some_and(|(one, other)| are_one_surface(one, other))
    }
}

/// Returns `true` if prices and surfaces that differ by so many per cent are both nearly equal, as far as they are known, or if the
/// prices are equal.
fn are_near(price: Option<f32>, surface: Option<f32>) -> bool {
    let (price_max, surface_max) = NEAR_PERCENT_MAX;
    let is_within = |percent: Option<f32>, max: f32| percent.is_none_or(|percent| percent <= max);
    price == Some(0.0) || is_within(price, price_max) && is_within(surface, surface_max)
}

const MANDATES_MAX: usize = 2;
const PICTURES_MAX: usize = 8;
/// With the energy value and the land.
const VALUES_MAX: usize = 2 + MANDATES_MAX + PICTURES_MAX;

/// Values that few homes share, each as a hash of 16 bits. Zero stands for none.
///
/// Two of a hundred pairs have a hash in common without having a value in common. They are compared, too, and so are a land and an
/// energy value of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ExactValues([u16; VALUES_MAX]);

impl ExactValues {
    fn of(signature: &Signature) -> Self {
        let facts = [Fact::Energy, Fact::LandSurface].into_iter().filter_map(|fact| signature.hash(fact));
        let mandates = signature.list(List::Mandates).iter().take(MANDATES_MAX).copied();
        let pictures = signature.list(List::Pictures).iter().take(PICTURES_MAX).copied();
        let mut values = Self::default();
        for (value, hash) in values.0.iter_mut().zip(facts.chain(mandates).chain(pictures)) {
            // Zero stands for none.
            *value = u16::try_from(mix(hash) >> 16).unwrap_or_default().max(1);
        }
        values
    }

    /// Compares all with all: so few of them are compared many at a time.
    fn have_common(&self, other: &Self) -> bool {
        let is_among = |value: u16| other.0.iter().fold(false, |found, known| found | (*known == value));
        self.0.iter().fold(false, |found, value| found | (*value != 0 && is_among(*value)))
    }
}
