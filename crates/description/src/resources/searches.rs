//! Saved searches as the service sends them, and previews.
//!
//! The criteria are the rows of the filter table, so a new filter needs no row here.

use domain::Filter;
use domain::filter::{Codes, Kind as FilterKind, PlaceKind};
use wire::search::{ALWAYS_SHOWN, criteria};

use crate::codes;
use crate::schema::{Field, Kind, Resource};

pub(super) const SHAPES: Kind = Kind::List(&Kind::List(&Kind::List(&Kind::Number)));
pub(super) const EXPRESSIONS: Kind = Kind::List(&Kind::List(&Kind::Object("Expression")));
const SITES: Kind = Kind::List(&Kind::AnyOf(&[Kind::Link("Site"), Kind::Text]));

pub fn resources() -> Vec<Resource> {
    let fields = [head(), criteria().map(criterion).collect(), settings(), tail()].concat();
    let mut resources = vec![Resource::at(
        "Search",
        "/searches/{id}",
        "A saved search: criteria, and where to send what meets them. A criterion that is not set is null, or an empty list.",
        fields,
    )];
    resources.extend(parts());
    resources
}

#[rustfmt::skip]
fn head() -> Vec<Field> {
    vec![
        Field::new("user", Kind::Link("User"), "The owner"),
        Field::new("token", Kind::Text, "A secret of 50 hexadecimal digits: who has it can unsubscribe the search from e-mails"),
        Field::new("title", Kind::Text, "The title"),
    ]
}

/// Returns the field of a criterion.
fn criterion(filter: &'static Filter) -> Field {
    let field = Field::new(filter.name, kind(filter), filter.description);
    // Every search has these two.
    let is_given = matches!(filter.name, "transactionType" | "propertyTypes");
    let is_list = matches!(field.kind, Kind::List(_));
    match (ALWAYS_SHOWN.contains(&filter.name), is_given || is_list) {
        (true, true) => field,
        (true, false) => field.or_null(),
        (false, _) => field.optional(),
    }
}

/// Returns the kind of the value of a criterion.
fn kind(filter: &Filter) -> Kind {
    match filter.kind {
        FilterKind::Min(_)
        | FilterKind::Max(_)
        | FilterKind::Latitude
        | FilterKind::Longitude
        | FilterKind::Radius => Kind::Number,
        FilterKind::From(_) | FilterKind::To(_) => Kind::DateTime,
        FilterKind::Is(_) | FilterKind::Only(_) => Kind::Boolean,
        FilterKind::Choice(_, codes) => match codes {
            Codes::TransactionType => Kind::Code(codes::TRANSACTION_TYPES),
            Codes::FeesResponsibility => Kind::Code(codes::FEES_RESPONSIBILITIES),
            Codes::Accuracy => Kind::Code(codes::ACCURACIES),
            Codes::PropertyType => Kind::List(&Kind::Code(codes::PROPERTY_TYPES)),
            Codes::PublisherType => Kind::List(&Kind::Code(codes::PUBLISHER_TYPES)),
            Codes::EnergyLetter => Kind::List(&Kind::Choice(codes::ENERGY_LETTERS)),
        },
        FilterKind::Place(_, PlaceKind::City) => Kind::List(&Kind::Object("CityInSearch")),
        FilterKind::Place(_, PlaceKind::Department) => Kind::List(&Kind::Object("DepartmentInSearch")),
        FilterKind::Place(_, PlaceKind::Insee | PlaceKind::Zipcode) | FilterKind::Features => {
            Kind::List(&Kind::Text)
        }
        FilterKind::Site(_) => SITES,
        FilterKind::SiteCategory(_) => Kind::List(&Kind::Object("SiteCategoryInSearch")),
        FilterKind::ExcludedProperty => Kind::List(&Kind::Link("Property")),
        FilterKind::Shapes => SHAPES,
        FilterKind::Expressions => EXPRESSIONS,
        FilterKind::SortMode => Kind::Choice(codes::SORT_MODES),
    }
}

#[rustfmt::skip]
fn settings() -> Vec<Field> {
    vec![
        Field::new("hidePropertyContact", Kind::Boolean, "Whether messages leave out the contacts of adverts"),
        Field::new("notificationEnabled", Kind::Boolean, "Whether the search makes matches and sends anything"),
        Field::new("notificationRecipient", Kind::Email, "The e-mail address that receives new matches").or_null(),
        Field::new("endpointRecipient", Kind::Url, "The https URL that receives new matches").or_null(),
        Field::new("eventEndpoint", Kind::Url, "The https URL that receives events of adverts").or_null(),
        Field::new("subscribedEvents", Kind::List(&Kind::Choice(codes::EVENTS)), "The events to send there"),
    ]
}

#[rustfmt::skip]
fn tail() -> Vec<Field> {
    vec![
        Field::new("createdAt", Kind::DateTime, "When it was created"),
        Field::new("updatedAt", Kind::DateTime, "When it was last changed"),
        Field::new("lastAlertAt", Kind::DateTime, "When a message was last accepted by its receiver; null if none was").or_null(),
        ignored(),
    ]
}

fn ignored() -> Field {
    let meaning = "The fields of the request that are not known or have no effect. Only in the answer to it, and only if there are any.";
    Field::new("ignored", Kind::List(&Kind::Text), meaning).optional()
}

#[rustfmt::skip]
fn parts() -> Vec<Resource> {
    vec![
        Resource::part("Expression", "A word or phrase to look for in the texts of a property", vec![
            Field::new("word", Kind::Text, "The word or phrase. Case and accents do not matter."),
            Field::new("options", Kind::Object("ExpressionOptions"), "How it is searched"),
        ]),
        Resource::part("ExpressionOptions", "How a word is searched", vec![
            Field::new("includes", Kind::Boolean, "Whether the word must be there (true) or must not (false)"),
            Field::new("strict", Kind::Boolean, "Whether only this very form counts (true), or other endings and abbreviations as well (false)"),
        ]),
        Resource::answer("SearchPreview", "What a search would find", vec![
            Field::new("propertiesNow", Kind::Integer, "The number of properties on offer that meet it"),
            Field::new("matchesLast7Days", Kind::Object("MatchCount"), "The matches that it would have made in the last 7 days"),
            Field::new("matchesLast30Days", Kind::Object("MatchCount"), "The matches that it would have made in the last 30 days"),
            Field::new("hydra:member", Kind::List(&Kind::Object("PropertyDocument")), "The first of the properties on offer"),
            Field::new("hydra:totalItems", Kind::Integer, "The same as propertiesNow"),
            ignored(),
        ]),
        Resource::at("MatchesByDay", "/searches/{id}/matches-by-day", "The matches of a search, counted by day", vec![
            Field::new("search", Kind::Link("Search"), "The search"),
            Field::new("days", Kind::List(&Kind::Object("DayMatches")), "Each day of the period, oldest first; the last one is today"),
            Field::new("isComplete", Kind::Boolean, "Whether all matches of the period are counted. False if the search had more than 100,000: then the oldest are left out."),
            Field::new("lastMatchAt", Kind::DateTime, "When the newest match was made, however long ago; null if there is none").or_null(),
        ]),
        Resource::part("DayMatches", "The matches of a search on one day", vec![
            Field::new("day", Kind::Date, "The day, in the time zone of the service"),
            Field::new("matches", Kind::Integer, "The number of matches"),
        ]),
        Resource::part("MatchCount", "A number of matches", vec![
            Field::new("count", Kind::Integer, "The number"),
            Field::new("estimated", Kind::Boolean, "Whether the number is partly an estimate"),
        ]),
    ]
}
