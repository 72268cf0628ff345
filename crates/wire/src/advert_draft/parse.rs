//! Parses an advert from JSON into a draft, or into the list of everything that is wrong with it.

use domain::{AdvertDraft, AdvertPatch, FieldUpdate, Identity, Lifecycle};
use domain::{
    AdvertEvent, AdvertId, FeesResponsibility, GeoAccuracy, GivenPlace, Insee, PercentVariation, PropertyId,
    PropertyType, SiteKey, Timestamp, TransactionType, Violation, Zipcode,
};
use jiff::SignedDuration;
use serde_json::Value;

use crate::json::{Reader, truncated};
use crate::{date, iri, names, site};

use super::nested::{contact, point, publisher, rating};
use super::price_history;
use super::{BLANK, ParseContext, ParsedDraft, RejectedDraft};

/// Maximum number of pictures, and of features, of an advert. Portals show about forty.
const LIST_MAX: usize = 200;

/// Maximum number of back-filled events: as many as the service keeps.
const HISTORY_MAX: usize = domain::merge::EVENTS_MAX;

/// Tolerance for the sender's clock before a date counts as being in the future.
const FUTURE_MAX: SignedDuration = SignedDuration::from_hours(24);

/// Parses one advert.
pub fn parse(value: &Value, context: ParseContext<'_>) -> Result<ParsedDraft, RejectedDraft> {
    let Value::Object(fields) = value else {
        let kind = crate::json::json_type(value);
        let message = format!("An advert must be a JSON object, {kind} given.");
        return Err(RejectedDraft {
            violations: vec![Violation::malformed("", message)],
            ignored: Vec::new(),
        });
    };
    let mut parser = DraftParser { reader: Reader::default(), fields: ParsedFields::default(), context };
    for (name, value) in fields {
        parser.field(name, value);
    }
    parser.finish()
}

struct DraftParser<'a> {
    reader: Reader,
    fields: ParsedFields,
    context: ParseContext<'a>,
}

/// The values parsed so far.
#[derive(Default)]
struct ParsedFields {
    uuid: Option<AdvertId>,
    property: Option<PropertyId>,
    transaction_type: Option<TransactionType>,
    property_type: Option<PropertyType>,
    /// Whether the two fields were present but invalid: then they are not reported as missing as well.
    transaction_type_given: bool,
    property_type_given: bool,
    patch: AdvertPatch,
    place: GivenPlace,
    place_given: bool,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    last_crawled_at: Option<Timestamp>,
    expired: Option<bool>,
    expired_at: Option<Timestamp>,
    history: Vec<AdvertEvent>,
    ignored: Vec<String>,
}

impl DraftParser<'_> {
    fn field(&mut self, name: &str, value: &Value) {
        if self.amount_field(name, value) || self.integer_field(name, value) || self.place_field(name, value)
        {
            return;
        }
        let reader = &mut self.reader;
        let patch = &mut self.fields.patch;
        let null = value.is_null();
        match name {
            "uuid" if !null => self.fields.uuid = self.identifier(name, value, iri::parse_advert),
            "property" if !null => self.fields.property = self.identifier(name, value, iri::parse_property),
            "uuid" | "property" => {}
            "transactionType" => {
                self.fields.transaction_type_given = !null;
                if !null {
                    self.fields.transaction_type =
                        reader.enum_code(name, value, TransactionType::ALL, |kind| kind.code());
                }
            }
            "propertyType" => {
                self.fields.property_type_given = !null;
                if !null {
                    self.fields.property_type =
                        reader.enum_code(name, value, PropertyType::ALL, |kind| kind.code());
                }
            }
            "title" => patch.title = given(value, |v| reader.bounded_text(name, v)),
            "description" => patch.description = given(value, |v| reader.bounded_text(name, v)),
            "url" => patch.url = given(value, |v| reader.address(name, v)),
            "virtualTour" => patch.virtual_tour = given(value, |v| reader.address(name, v)),
            "reference" => {
                patch.reference = given(value, |v| {
                    let label = reader.text_or_number(name, v).map(Value::String)?;
                    reader.bounded_text(name, &label)
                });
            }
            "site" => {
                let sites = self.context.sites;
                patch.site = given(value, |v| site::parse_advert_site(reader, name, v, sites));
            }
            "contact" => patch.contact = FieldUpdate::Set(contact(reader, &mut self.fields.ignored, value)),
            "publisher" => {
                patch.publisher = FieldUpdate::Set(publisher(reader, &mut self.fields.ignored, value))
            }
            "energy" => {
                patch.energy = FieldUpdate::Set(rating(reader, &mut self.fields.ignored, name, value))
            }
            "greenHouseGas" => {
                patch.green_house_gas =
                    FieldUpdate::Set(rating(reader, &mut self.fields.ignored, name, value));
            }
            "feesResponsibility" => {
                patch.fees_responsibility =
                    given(value, |v| reader.enum_code(name, v, FeesResponsibility::ALL, |kind| kind.code()));
            }
            "elevator" => patch.elevator = given(value, |v| reader.boolean(name, v)),
            "furnished" => patch.furnished = given(value, |v| reader.boolean(name, v)),
            "features" => {
                patch.features = list(value, |v| reader.list(name, v, LIST_MAX, Reader::bounded_text));
            }
            "pictures" => patch.pictures = list(value, |v| reader.list(name, v, LIST_MAX, Reader::address)),
            "picturesRemote" => {
                patch.pictures_remote = list(value, |v| reader.list(name, v, LIST_MAX, Reader::address));
            }
            "createdAt" if !null => self.fields.created_at = self.date(name, value),
            "updatedAt" if !null => self.fields.updated_at = self.date(name, value),
            "lastCrawledAt" if !null => self.fields.last_crawled_at = self.date(name, value),
            "expiredAt" if !null => self.fields.expired_at = self.date(name, value),
            "expired" if !null => self.fields.expired = reader.boolean(name, value),
            "events" if !null => self.history(name, value),
            "priceHistory" if !null => self.history(name, &price_history::as_events(value)),
            "createdAt" | "updatedAt" | "lastCrawledAt" | "expiredAt" | "expired" | "events"
            | "priceHistory" => {}
            // JSON-LD members of a document that the client sends back.
            "@context" | "@id" | "@type" => {}
            _ => self.fields.ignored.push(name.to_owned()),
        }
    }

    fn amount_field(&mut self, name: &str, value: &Value) -> bool {
        let patch = &mut self.fields.patch;
        let (slot, max) = match name {
            "price" => (&mut patch.price, domain::Amount::MAX),
            "priceExcludingFees" => (&mut patch.price_excluding_fees, domain::Amount::MAX),
            "feesPercentage" => (&mut patch.fees_percentage, 100.0),
            "condominiumFees" => (&mut patch.condominium_fees, domain::Amount::MAX),
            "inventoryPrice" => (&mut patch.inventory_price, domain::Amount::MAX),
            "propertyTax" => (&mut patch.property_tax, domain::Amount::MAX),
            "rentalCharges" => (&mut patch.rental_charges, domain::Amount::MAX),
            "rentalPledge" => (&mut patch.rental_pledge, domain::Amount::MAX),
            "renterFees" => (&mut patch.renter_fees, domain::Amount::MAX),
            "lotCount" => (&mut patch.lot_count, domain::Amount::MAX),
            "surface" => (&mut patch.surface, domain::Amount::MAX),
            "landSurface" => (&mut patch.land_surface, domain::Amount::MAX),
            _ => return false,
        };
        *slot = given(value, |value| self.reader.amount(name, value, max));
        true
    }

    fn integer_field(&mut self, name: &str, value: &Value) -> bool {
        let patch = &mut self.fields.patch;
        let (slot, bounds) = match name {
            "room" => (&mut patch.room, 0..=10_000),
            "bedroom" => (&mut patch.bedroom, 0..=10_000),
            "floor" => (&mut patch.floor, -100..=1_000),
            "floorQuantity" => (&mut patch.floor_quantity, 0..=1_000),
            "constructionYear" => (&mut patch.construction_year, 0..=2_200),
            _ => return false,
        };
        *slot = given(value, |value| self.reader.integer(name, value, bounds));
        true
    }

    fn place_field(&mut self, name: &str, value: &Value) -> bool {
        let (reader, place) = (&mut self.reader, &mut self.fields.place);
        match name {
            "insee" | "zipcode" | "cityName" | "locations" | "location" | "geoAccuracy" => {}
            _ => return false,
        }
        self.fields.place_given = true;
        if value.is_null() {
            return true;
        }
        match name {
            "insee" => {
                place.insee = reader.text_or_number(name, value).and_then(|text| {
                    let insee = Insee::parse(&text);
                    if insee.is_none() {
                        reader.invalid(name, format!("\"{}\" is not an INSEE code.", truncated(&text)));
                    }
                    insee
                });
            }
            "zipcode" => {
                place.zipcode = reader.text_or_number(name, value).and_then(|text| {
                    let zipcode = Zipcode::parse(&text);
                    if zipcode.is_none() {
                        reader.invalid(name, format!("\"{}\" is not a zipcode.", truncated(&text)));
                    }
                    zipcode
                });
            }
            "cityName" => place.city_name = reader.bounded_text(name, value),
            "geoAccuracy" => {
                place.accuracy = reader.enum_code(name, value, GeoAccuracy::ALL, |kind| kind.code());
            }
            _ => place.point = point(reader, &mut self.fields.ignored, name, value),
        }
        true
    }

    fn identifier<T>(&mut self, name: &str, value: &Value, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.reader.text(name, value)?;
        let id = parse(text);
        if id.is_none() {
            let message = format!("Invalid reference \"{}\".", truncated(text));
            self.reader.violations.push(Violation::malformed(name, message));
        }
        id
    }

    fn date(&mut self, path: &str, value: &Value) -> Option<Timestamp> {
        let text = self.reader.text(path, value)?;
        let Some(timestamp) = date::parse(text, self.context.zone) else {
            let message = format!("\"{}\" is not a date.", truncated(text));
            self.reader.violations.push(Violation::malformed(path, message));
            return None;
        };
        if timestamp.duration_since(self.context.now) > FUTURE_MAX {
            self.reader.invalid(path, format!("\"{text}\" is in the future."));
            return None;
        }
        Some(timestamp)
    }

    fn history(&mut self, path: &str, value: &Value) {
        let Value::Array(items) = value else {
            return self.reader.wrong_type(path, "an array", value);
        };
        if items.len() > HISTORY_MAX {
            let message =
                format!("This list is too long: {} items given, at most {HISTORY_MAX} allowed.", items.len());
            return self.reader.invalid(path, message);
        }
        for (index, item) in items.iter().enumerate() {
            let event = self.event(&format!("{path}[{index}]"), item);
            self.fields.history.extend(event);
        }
    }

    fn event(&mut self, path: &str, value: &Value) -> Option<AdvertEvent> {
        let Value::Object(fields) = value else {
            self.reader.wrong_type(path, "an object", value);
            return None;
        };
        let member = |name: &str| fields.get(name).filter(|value| !value.is_null());
        let missing = |name: &str| Violation::missing(format!("{path}.{name}"), BLANK);
        let field_name = match member("fieldName") {
            Some(value) => self.reader.bounded_text::<100>(&format!("{path}.fieldName"), value),
            // A field name that is null stands for the creation.
            None if fields.contains_key("fieldName") => domain::value::Text::new("created").ok().flatten(),
            None => None,
        };
        let at = match member("createdAt") {
            Some(value) => self.date(&format!("{path}.createdAt"), value),
            None => {
                self.reader.violations.push(missing("createdAt"));
                None
            }
        };
        if field_name.is_none() {
            self.reader.violations.push(missing("fieldName"));
        }
        let mut value_text = |name: &str| -> Option<Box<str>> {
            let text = self.reader.text_or_number(&format!("{path}.{name}"), member(name)?)?;
            Some(text.chars().take(1_000).collect::<String>().into())
        };
        let (old_value, new_value) = (value_text("fieldOldValue"), value_text("fieldNewValue"));
        let percent = member("percentVariation")
            .and_then(|value| self.reader.number(&format!("{path}.percentVariation"), value));
        let event = AdvertEvent {
            at: at?,
            subject: names::parse_event_subject(field_name?.as_str()),
            old_value,
            new_value,
            percent_variation: percent.and_then(PercentVariation::new),
        };
        Some(event.with_variation())
    }

    fn finish(self) -> Result<ParsedDraft, RejectedDraft> {
        let Self { reader: Reader { mut violations }, mut fields, context: _ } = self;
        if fields.place_given {
            fields.patch.place = FieldUpdate::Set(fields.place);
        }
        if fields.patch.site.value().is_none_or(Option::is_none)
            && let Some(Some(url)) = fields.patch.url.value()
        {
            fields.patch.site = FieldUpdate::Set(Some(SiteKey::of_address(url)));
        }
        for (name, value, given) in [
            ("transactionType", fields.transaction_type.is_some(), fields.transaction_type_given),
            ("propertyType", fields.property_type.is_some(), fields.property_type_given),
        ] {
            if !value && !given {
                violations.push(Violation::missing(name, BLANK));
            }
        }
        let identity = identity(fields.uuid, &fields.patch);
        // An invalid identity is not reported as missing as well.
        let invalid_identity =
            |violation: &Violation| matches!(violation.path.as_str(), "uuid" | "site" | "reference" | "url");
        if identity.is_none() && !violations.iter().any(invalid_identity) {
            let message = "An advert needs a uuid, a site and a reference, or a url.";
            violations.push(Violation::missing("uuid", message));
        }
        let lifecycle = match (fields.expired, fields.expired_at) {
            (Some(true), at) => Lifecycle::Expired { at },
            (None, Some(at)) => Lifecycle::Expired { at: Some(at) },
            (Some(false), None) => Lifecycle::Live,
            (None, None) => Lifecycle::Seen,
            (Some(false), Some(_)) => {
                let message = "An advert that is not expired cannot have an expiry date.";
                violations.push(Violation::contradiction("expiredAt", message));
                Lifecycle::Live
            }
        };
        let (Some(identity), Some(transaction_type), Some(property_type), true) =
            (identity, fields.transaction_type, fields.property_type, violations.is_empty())
        else {
            return Err(RejectedDraft { violations, ignored: fields.ignored });
        };
        let draft = AdvertDraft {
            identity,
            property: fields.property,
            transaction_type,
            property_type,
            patch: fields.patch,
            created_at: fields.created_at,
            updated_at: fields.updated_at,
            last_crawled_at: fields.last_crawled_at,
            lifecycle,
            history: fields.history,
        };
        Ok(ParsedDraft { draft, ignored: fields.ignored })
    }
}

fn identity(uuid: Option<AdvertId>, patch: &AdvertPatch) -> Option<Identity> {
    let site = patch.site.value().and_then(Option::as_ref);
    let reference = patch.reference.value().and_then(Option::as_ref);
    let url = patch.url.value().and_then(Option::as_ref);
    match (uuid, site.zip(reference), url) {
        (Some(uuid), _, _) => Some(Identity::Uuid(uuid)),
        (None, Some((site, reference)), _) => {
            Some(Identity::SiteReference(site.clone(), reference.as_str().into()))
        }
        (None, None, Some(url)) => Some(Identity::Url(url.comparison_key().into())),
        (None, None, None) => None,
    }
}

fn given<T>(value: &Value, read: impl FnOnce(&Value) -> Option<T>) -> FieldUpdate<Option<T>> {
    FieldUpdate::Set(if value.is_null() { None } else { read(value) })
}

fn list<T>(value: &Value, read: impl FnOnce(&Value) -> Option<Vec<T>>) -> FieldUpdate<Vec<T>> {
    FieldUpdate::Set(if value.is_null() { Vec::new() } else { read(value).unwrap_or_default() })
}
