//! Facets: how the values of an attribute are distributed over the properties that match criteria.
//!
//! The histogram of a field leaves out the conditions on that field, so that it shows what another bound would find. The edges of
//! the buckets are fixed: they do not depend on the properties, so that two histograms can be compared and a bound stays where it was.

use crate::attribute::PropertyAttribute;
use crate::criteria::Criteria;

/// A field that has a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FacetField {
    Price,
    PricePerMeter,
    Surface,
    LandSurface,
    Rooms,
}

impl FacetField {
    pub const ALL: &'static [Self] =
        &[Self::Price, Self::PricePerMeter, Self::Surface, Self::LandSurface, Self::Rooms];

    pub const fn attribute(self) -> PropertyAttribute {
        match self {
            Self::Price => PropertyAttribute::Price,
            Self::PricePerMeter => PropertyAttribute::PricePerMeter,
            Self::Surface => PropertyAttribute::Surface,
            Self::LandSurface => PropertyAttribute::LandSurface,
            Self::Rooms => PropertyAttribute::Room,
        }
    }

    /// Returns the edges of the buckets, ascending. Bucket `n` has the values from edge `n` up to edge `n + 1`, which is excluded.
    pub fn edges(self) -> Vec<f64> {
        match self {
            Self::Price => decades(100.0, 5),
            Self::PricePerMeter => decades(1.0, 5),
            Self::Surface => decades(10.0, 2),
            Self::LandSurface => decades(10.0, 5),
            Self::Rooms => (1..=10).map(f64::from).collect(),
        }
    }

    /// Returns criteria without the conditions on this field.
    pub fn released(self, criteria: &Criteria) -> Criteria {
        let mut released = criteria.clone();
        released.property.retain(|condition| condition.attribute != self.attribute());
        released
    }

    /// Returns `true` if criteria have a condition on this field.
    pub fn is_bound_by(self, criteria: &Criteria) -> bool {
        criteria.property.iter().any(|condition| condition.attribute == self.attribute())
    }
}

/// Steps of a decade that are nearly equal in proportion: prices and surfaces differ by factors, and people think in round numbers.
const STEPS: [f64; 10] = [10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0];

/// Returns ten edges for each of some decades from `first` on, and the end of the last decade.
fn decades(first: f64, count: i32) -> Vec<f64> {
    let edges = (0..count).flat_map(|decade| STEPS.map(|step| first * 10_f64.powi(decade) * step / 10.0));
    edges.chain([first * 10_f64.powi(count)]).collect()
}

/// The number of properties in each bucket of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// One less than there are edges.
    pub buckets: Vec<usize>,
    pub below: usize,
    /// From the last edge on.
    pub above: usize,
    pub unknown: usize,
}

impl Histogram {
    pub fn empty(edges: usize) -> Self {
        Self { buckets: vec![0; edges.saturating_sub(1)], below: 0, above: 0, unknown: 0 }
    }

    /// Returns the counter of values that have so many edges at or below them.
    pub fn slot(&mut self, edges_passed: usize) -> &mut usize {
        match edges_passed.checked_sub(1) {
            None => &mut self.below,
            Some(bucket) => self.buckets.get_mut(bucket).unwrap_or(&mut self.above),
        }
    }

    /// Returns the number of properties with and without a value.
    pub fn total(&self) -> usize {
        self.buckets.iter().sum::<usize>() + self.below + self.above + self.unknown
    }
}

/// The properties that match criteria, and the histogram of each requested field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facets {
    /// The properties that satisfy all conditions.
    pub total: usize,
    pub histograms: Vec<(FacetField, Histogram)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_round_ascending_and_fixed() {
        let price = FacetField::Price.edges();
        assert_eq!((price[0], price[1], price[10], price[30], price[50]), (100.0, 120.0, 1e3, 1e5, 1e7));
        assert_eq!(price[31..40], [120e3, 150e3, 200e3, 250e3, 300e3, 400e3, 500e3, 600e3, 800e3]);
        assert_eq!(FacetField::PricePerMeter.edges()[..4], [1.0, 1.2, 1.5, 2.0]);
        assert_eq!(FacetField::Surface.edges().last(), Some(&1_000.0));
        assert_eq!(FacetField::Rooms.edges().len(), 10);
        for field in FacetField::ALL {
            assert!(field.edges().windows(2).all(|pair| pair[0] < pair[1]), "{field:?}");
        }
    }

    #[test]
    fn values_fall_between_their_edges() {
        let mut histogram = Histogram::empty(3);
        for passed in [0, 1, 2, 2, 3] {
            *histogram.slot(passed) += 1;
        }
        assert_eq!(histogram, Histogram { buckets: vec![1, 2], below: 1, above: 1, unknown: 0 });
        assert_eq!(histogram.total(), 5);
    }
}
