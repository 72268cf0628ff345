//! In which order what was found is shown.

use std::cmp::Ordering;

use super::Criteria;
use crate::attribute::{Facts, PropertyAttribute};
use crate::ids::PropertyId;
use crate::key::Key;
use crate::place::GeoPoint;
use crate::property::Property;

/// What properties are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderBy {
    CreatedAt,
    UpdatedAt,
    LastCrawledAt,
    ExpiredAt,
    Price,
    PricePerMeter,
    Surface,
    /// From the point that the question names.
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

    /// The attribute of the property that it compares; the distance is none.
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

/// Whose date of creation is meant by a window of creation and by the order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortMode {
    #[default]
    Property,
    /// That of the adverts that meet the conditions on adverts, the window among them: the latest of them when the newest
    /// come first, the earliest when the oldest do.
    Advert,
}

/// An order of properties. Those that lack the value compared come last in either direction; the id breaks ties, so that
/// pages never overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The first that differs decides.
    pub by: Vec<(OrderBy, Direction)>,
    pub mode: SortMode,
    /// Where distances are measured from.
    pub origin: Option<GeoPoint>,
}

impl Default for Order {
    /// The newest first, of those the dearest per square metre.
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

/// A property's place in an order: ranks compare as the properties are shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    values: Vec<RankedValue>,
    id: PropertyId,
}

/// A value in its direction; unknown is greater than anything.
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
    /// Where an accepted property stands. The reference, like `accepts`.
    pub fn rank(&self, criteria: &Criteria, property: &Property) -> Option<Rank> {
        let facts = Facts::of(property)?;
        let value = |(by, direction): &(OrderBy, Direction)| {
            let key = match by {
                OrderBy::CreatedAt if self.mode == SortMode::Advert => {
                    let dates =
                        criteria.accepted_adverts(property).map(|advert| Key::moment(advert.created_at));
                    match direction {
                        Direction::Ascending => dates.min(),
                        Direction::Descending => dates.max(),
                    }
                }
                OrderBy::Distance => {
                    let distance = |point: GeoPoint| self.origin.map(|origin| origin.distance_km(point));
                    facts.derived.point.and_then(distance).map(Key::number)
                }
                by => by.attribute().and_then(|attribute| attribute.read(&facts)),
            };
            key.map_or(RankedValue::Unknown, |key| RankedValue::Known(Directed(key, *direction)))
        };
        Some(Rank { values: self.by.iter().map(value).collect(), id: property.id })
    }
}
