//! The order of search results.

use std::cmp::Ordering;

use super::Criteria;
use crate::attribute::{PropertyAttribute, PropertyView};
use crate::ids::PropertyId;
use crate::key::Key;
use crate::place::GeoPoint;
use crate::property::Property;

/// A sort key of properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderBy {
    CreatedAt,
    UpdatedAt,
    LastCrawledAt,
    ExpiredAt,
    Price,
    PricePerMeter,
    Surface,
    /// From the point given by latitude and longitude.
    Distance,
}

impl OrderBy {
    pub const ALL: &'static [Self] = &[
        Self::CreatedAt,
        Self::PricePerMeter,
        Self::Price,
        Self::Surface,
        Self::UpdatedAt,
        Self::LastCrawledAt,
        Self::ExpiredAt,
        Self::Distance,
    ];

    /// Returns the attribute to compare. `None` for the distance.
    pub const fn attribute(self) -> Option<PropertyAttribute> {
        match self {
            Self::CreatedAt => Some(PropertyAttribute::CreatedAt),
            Self::UpdatedAt => Some(PropertyAttribute::UpdatedAt),
            Self::LastCrawledAt => Some(PropertyAttribute::CrawledAt),
            Self::ExpiredAt => Some(PropertyAttribute::ExpiredAt),
            Self::Price => Some(PropertyAttribute::Price),
            Self::PricePerMeter => Some(PropertyAttribute::PricePerMeter),
            Self::Surface => Some(PropertyAttribute::Surface),
            Self::Distance => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    Ascending,
    Descending,
}

/// Whose creation date the creation window and the creation order use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortMode {
    #[default]
    Property,
    /// The adverts that satisfy the conditions on adverts, including the window. The latest of them in descending order,
    /// the earliest in ascending order.
    Advert,
}

/// An order of properties. Properties without the compared value come last in both directions. Ties are broken by id, so
/// that pages never overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The first key that differs decides.
    pub by: Vec<(OrderBy, Direction)>,
    pub mode: SortMode,
    /// The point from which distances are measured.
    pub origin: Option<GeoPoint>,
}

impl Default for Order {
    /// Newest first, then the highest price per square metre.
    fn default() -> Self {
        Self {
            by: vec![
                (OrderBy::CreatedAt, Direction::Descending),
                (OrderBy::PricePerMeter, Direction::Descending),
            ],
            mode: SortMode::Property,
            origin: None,
        }
    }
}

/// The sort key of a property. A smaller rank comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    values: Vec<RankedValue>,
    id: PropertyId,
}

/// A value in its direction. Unknown values sort last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RankedValue {
    Known(Directed),
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Directed(Key, Direction);

impl PartialOrd for Directed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Directed {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.1 {
            Direction::Ascending => self.0.cmp(&other.0),
            Direction::Descending => other.0.cmp(&self.0),
        }
    }
}

impl Order {
    /// Returns the rank of an accepted property. This is the reference semantics, like [`Criteria::accepts`].
    pub fn rank(&self, criteria: &Criteria, property: &Property) -> Option<Rank> {
        let view = PropertyView::new(property)?;
        let value = |(by, direction): &(OrderBy, Direction)| {
            let key = match by {
                OrderBy::CreatedAt if self.mode == SortMode::Advert => {
                    let dates =
                        criteria.accepted_adverts(property).map(|advert| Key::timestamp(advert.created_at));
                    match direction {
                        Direction::Ascending => dates.min(),
                        Direction::Descending => dates.max(),
                    }
                }
                OrderBy::Distance => {
                    let distance = |point: GeoPoint| self.origin.map(|origin| origin.distance_km(point));
                    view.derived.given_point.and_then(distance).map(Key::number)
                }
                by => by.attribute().and_then(|attribute| attribute.read(&view)),
            };
            key.map_or(RankedValue::Unknown, |key| RankedValue::Known(Directed(key, *direction)))
        };
        Some(Rank { values: self.by.iter().map(value).collect(), id: property.id })
    }
}
