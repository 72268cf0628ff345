//! The bodies of saved searches and previews. They are read liberally: numbers may be texts, a list may be a single value.

use domain::Filter;
use domain::filter::{Codes, Kind as FilterKind, PlaceKind};
use wire::search::criteria;

use super::searches::{EXPRESSIONS, SHAPES};
use crate::codes;
use crate::schema::{Field, Kind, Resource};

/// A number, or a text that holds one.
pub(super) const NUMBER: Kind = Kind::AnyOf(&[Kind::Number, Kind::Text]);

/// A boolean, or 0, 1 or a text that says so.
pub(super) const BOOLEAN: Kind = Kind::AnyOf(&[Kind::Boolean, Kind::Integer, Kind::Text]);

/// A path, an id, or the object that was read.
pub(super) const REFERENCE: Kind = Kind::AnyOf(&[Kind::Text, Kind::Integer, Kind::Object("Reference")]);

const REFERENCES: Kind = Kind::AnyOf(&[Kind::List(&REFERENCE), REFERENCE]);
const TEXT_OR_NUMBER: Kind = Kind::AnyOf(&[Kind::Text, Kind::Integer]);
const CODES: Kind = Kind::AnyOf(&[Kind::List(&TEXT_OR_NUMBER), TEXT_OR_NUMBER]);
const TEXTS: Kind = Kind::AnyOf(&[Kind::List(&TEXT_OR_NUMBER), TEXT_OR_NUMBER]);

const PROPERTY_TYPES: Kind = Kind::AnyOf(&[
    Kind::List(&Kind::AnyOf(&[Kind::Code(codes::PROPERTY_TYPES), Kind::Text])),
    Kind::Code(codes::PROPERTY_TYPES),
    Kind::Text,
]);
const PUBLISHER_TYPES: Kind = Kind::AnyOf(&[
    Kind::List(&Kind::AnyOf(&[Kind::Code(codes::PUBLISHER_TYPES), Kind::Text])),
    Kind::Code(codes::PUBLISHER_TYPES),
    Kind::Text,
]);
const LETTERS: Kind = Kind::AnyOf(&[Kind::List(&Kind::Choice(codes::ENERGY_LETTERS)), Kind::Text]);
const EVENTS: Kind = Kind::AnyOf(&[Kind::List(&Kind::Choice(codes::EVENTS)), Kind::Choice(codes::EVENTS)]);

/// Every form in which expressions are understood.
const ANY_EXPRESSIONS: Kind =
    Kind::AnyOf(&[EXPRESSIONS, Kind::List(&Kind::Any), Kind::Map(&Kind::Any), Kind::Text]);

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    let draft = "A search to save. On an update, an absent field keeps its value, and null or an empty list clears it.";
    let preview = "A search to try. The settings of notifications have no effect.";
    vec![
        Resource::body("SearchDraft", draft, fields(Field::new("title", Kind::Text, "The title"))),
        Resource::body("PreviewDraft", preview, fields(Field::new("title", Kind::Text, "Has no effect").or_null().optional())),
        Resource::body("Reference", "A resource that was read before, sent back. Other fields than its path are ignored.", vec![
            Field::new("@id", Kind::Text, "The path of the resource"),
        ]),
    ]
}

fn fields(title: Field) -> Vec<Field> {
    let mut fields = vec![title];
    fields.extend(criteria().map(criterion));
    fields.extend(settings());
    fields
}

fn criterion(filter: &'static Filter) -> Field {
    let field = Field::new(filter.name, kind(filter), filter.description);
    // Without these two, a search would match everything.
    if matches!(filter.name, "transactionType" | "propertyTypes") {
        field
    } else {
        field.or_null().optional()
    }
}

fn kind(filter: &Filter) -> Kind {
    match filter.kind {
        FilterKind::Min(_)
        | FilterKind::Max(_)
        | FilterKind::Latitude
        | FilterKind::Longitude
        | FilterKind::Radius => NUMBER,
        FilterKind::From(_) | FilterKind::To(_) => Kind::Date,
        FilterKind::Is(_) | FilterKind::Only(_) => BOOLEAN,
        FilterKind::Choice(_, codes) => match codes {
            Codes::TransactionType => Kind::AnyOf(&[Kind::Code(codes::TRANSACTION_TYPES), Kind::Text]),
            Codes::FeesResponsibility => Kind::AnyOf(&[Kind::Code(codes::FEES_RESPONSIBILITIES), Kind::Text]),
            Codes::Accuracy => Kind::AnyOf(&[Kind::Code(codes::ACCURACIES), Kind::Text]),
            Codes::PropertyType => PROPERTY_TYPES,
            Codes::PublisherType => PUBLISHER_TYPES,
            Codes::EnergyLetter => LETTERS,
        },
        FilterKind::Place(_, PlaceKind::Zipcode | PlaceKind::Insee) => CODES,
        FilterKind::Place(_, PlaceKind::City | PlaceKind::Department)
        | FilterKind::Site(_)
        | FilterKind::SiteCategory(_)
        | FilterKind::ExcludedProperty => REFERENCES,
        FilterKind::Features => TEXTS,
        FilterKind::Shapes => SHAPES,
        FilterKind::Expressions => ANY_EXPRESSIONS,
        FilterKind::SortMode => Kind::Choice(codes::SORT_MODES),
    }
}

#[rustfmt::skip]
fn settings() -> Vec<Field> {
    let fields = [
        Field::new("hidePropertyContact", BOOLEAN, "Whether messages leave out the contacts of adverts; false by default"),
        Field::new("notificationEnabled", BOOLEAN, "Whether the search makes matches and sends anything; false by default"),
        Field::new("notificationRecipient", Kind::Email, "The e-mail address that receives new matches"),
        Field::new("endpointRecipient", Kind::Url, "The https URL that receives new matches, at most 2,048 characters"),
        Field::new("eventEndpoint", Kind::Url, "The https URL that receives events of adverts, at most 2,048 characters"),
        Field::new("subscribedEvents", EVENTS, "The events to send there"),
    ];
    fields.map(|field| field.or_null().optional()).to_vec()
}
