//! From a criterion back to the rows of the table of filters: the names its author knows it by.

use crate::attribute::{AdvertAttribute, PropertyAttribute};
use crate::criteria::Test;
use crate::filter::{FILTERS, Filter, Kind, Subject};

/// The rows of some kinds.
pub fn of(wanted: impl Fn(Kind) -> bool) -> Vec<&'static Filter> {
    FILTERS.iter().filter(|filter| wanted(filter.kind)).collect()
}

/// The rows that make a test of a subject. An open end of a span was asked for by nobody.
pub fn testing(subject: Subject, test: &Test) -> Vec<&'static Filter> {
    let is_it = |row: Subject| row == subject || row == Subject::Creation && is_creation(subject);
    of(|kind| match (kind, test) {
        (Kind::Least(row) | Kind::From(row), Test::Within(span)) => span.least.is_some() && is_it(row),
        (Kind::Most(row) | Kind::To(row), Test::Within(span)) => span.most.is_some() && is_it(row),
        (Kind::Choice(row, _) | Kind::Is(row) | Kind::Only(row), Test::OneOf(_)) => is_it(row),
        _ => false,
    })
}

/// A window of creation is of the property or of its adverts, as the sort mode says.
fn is_creation(subject: Subject) -> bool {
    matches!(
        subject,
        Subject::Property(PropertyAttribute::CreatedAt) | Subject::Advert(AdvertAttribute::CreatedAt)
    )
}
