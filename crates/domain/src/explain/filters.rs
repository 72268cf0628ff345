//! Maps a criterion back to the filters of the table, so that an explanation can name them.

use crate::attribute::{AdvertAttribute, PropertyAttribute};
use crate::criteria::Predicate;
use crate::filter::{FILTERS, Filter, FilterTarget, Kind};

/// Returns the filters whose kind satisfies `accepts`.
pub fn of_kind(accepts: impl Fn(Kind) -> bool) -> Vec<&'static Filter> {
    FILTERS.iter().filter(|filter| accepts(filter.kind)).collect()
}

/// Returns the filters that produce a predicate on a target. The filter of an open bound is not included.
pub fn with_predicate(target: FilterTarget, predicate: &Predicate) -> Vec<&'static Filter> {
    let is_target = |row: FilterTarget| row == target || row == FilterTarget::Creation && is_creation(target);
    of_kind(|kind| match (kind, predicate) {
        (Kind::Min(row) | Kind::From(row), Predicate::Within(range)) => {
            range.least.is_some() && is_target(row)
        }
        (Kind::Max(row) | Kind::To(row), Predicate::Within(range)) => range.most.is_some() && is_target(row),
        (Kind::Choice(row, _) | Kind::Is(row) | Kind::Only(row), Predicate::OneOf(_)) => is_target(row),
        _ => false,
    })
}

/// The creation window applies to the property or to its adverts, depending on the sort mode.
fn is_creation(target: FilterTarget) -> bool {
    matches!(
        target,
        FilterTarget::Property(PropertyAttribute::CreatedAt)
            | FilterTarget::Advert(AdvertAttribute::CreatedAt)
    )
}
