//! Conditions on locations that have to be checked row by row.

use domain::criteria::Predicate;
use domain::{Criteria, Polygon, PropertyAttribute};

use crate::circle::CircleFilter;
use crate::column::{CodeTest, Column};
use crate::segment::Segment;
use crate::segment::doc_range::Residual;

pub struct AreaCheck<'a> {
    segment: &'a Segment,
    zipcodes: &'a Column,
    included_zipcodes: Option<CodeTest<'a>>,
    excluded_zipcodes: Option<CodeTest<'a>>,
    circle: Option<&'a CircleFilter>,
    polygons: &'a [Polygon],
}

impl<'a> AreaCheck<'a> {
    pub fn new(segment: &'a Segment, criteria: &'a Criteria, circle: Option<&'a CircleFilter>) -> Self {
        let places = &criteria.places;
        let zipcodes = segment.column(PropertyAttribute::Zipcode);
        let compile = |keys: &std::collections::BTreeSet<domain::Key>| {
            (!keys.is_empty()).then(|| zipcodes.compile(&Predicate::OneOf(keys.clone())))
        };
        Self {
            segment,
            zipcodes,
            included_zipcodes: places.any_of.as_ref().and_then(|set| compile(&set.zipcodes)),
            excluded_zipcodes: compile(&places.none_of.zipcodes),
            circle,
            polygons: &places.polygons,
        }
    }

    /// Returns `true` if rows have to be checked even in ranges without residual.
    pub fn always_needed(&self) -> bool {
        self.excluded_zipcodes.is_some()
    }

    /// Returns the work of checking one row: a polygon is tested edge by edge.
    pub fn row_work(&self, residual: Residual) -> usize {
        let corners = || self.polygons.iter().map(|polygon| polygon.corners().len()).sum::<usize>();
        1 + if residual.contains(Residual::POLYGONS) { corners() } else { 0 }
    }

    pub fn holds(&self, row: usize, residual: Residual) -> bool {
        let among =
            |test: &Option<CodeTest<'_>>| test.as_ref().is_some_and(|test| self.zipcodes.holds(test, row));
        if residual.contains(Residual::ZIPCODE) && !among(&self.included_zipcodes) {
            return false;
        }
        if among(&self.excluded_zipcodes) {
            return false;
        }
        if residual.contains(Residual::CIRCLE)
            && !self.circle.is_some_and(|circle| circle.contains(self.segment.coordinates(row)))
        {
            return false;
        }
        if residual.contains(Residual::POLYGONS) {
            let point = self.segment.point(row);
            return point.is_some_and(|point| self.polygons.iter().any(|polygon| polygon.contains(point)));
        }
        true
    }
}
