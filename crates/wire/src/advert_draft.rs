//! An advert as sent: from JSON to a draft, or to everything that is wrong with it.
//!
//! Field names are those of the Advert table. A field that is absent keeps its value on an update, `null` (or an empty
//! text or list) says that it is unknown. Names nobody knows are reported as ignored, not refused.

mod parts;

use domain::{AdvertDraft, AdvertPatch, FieldUpdate, Identity, Lifecycle};
use domain::{
    AdvertEvent, AdvertId, FeesResponsibility, GeoAccuracy, GivenPlace, Insee, PercentVariation, PropertyId,
    PropertyType, SiteDirectory, SiteKey, Timestamp, TransactionType, Violation, Zipcode,
};
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::json::{Reader, shown};
use crate::{date, iri, names, site};

use parts::{contact, point, publisher, rating};

/// Pictures and features of one advert; portals show some forty at most.
const LIST_MAX: usize = 200;

/// Events of one back-filled history: as many as are kept.
const HISTORY_MAX: usize = domain::merge::EVENTS_MAX;

/// How far a sender's clock may run ahead of ours before a date is taken for an error.
const FUTURE_MAX: SignedDuration = SignedDuration::from_hours(24);

/// An advert that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadDraft {
    pub draft: AdvertDraft,
    /// Names that mean nothing to us.
    pub ignored: Vec<String>,
}

/// An advert that could not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedDraft {
    pub violations: Vec<Violation>,
    pub ignored: Vec<String>,
}

/// What reading a draft needs to know of its context.
#[derive(Debug, Clone, Copy)]
pub struct ParseContext<'a> {
    pub zone: &'a TimeZone,
    pub now: Timestamp,
    /// What `/sites/<id>` and the names of sites mean.
    pub sites: &'a SiteDirectory,
}

/// Reads one advert.
pub fn read(value: &Value, context: ParseContext<'_>) -> Result<ReadDraft, RefusedDraft> {
    let Value::Object(fields) = value else {
        let kind = crate::json::kind_of(value);
        let message = format!("An advert must be an object, {kind} given.");
        return Err(RefusedDraft {
            violations: vec![Violation::malformed("", message)],
            ignored: Vec::new(),
        });
    };
    let mut reading = Reading { reader: Reader::default(), raw: Raw::default(), context };
    for (name, value) in fields {
        reading.field(name, value);
    }
    reading.finish()
}

struct Reading<'a> {
    reader: Reader,
    raw: Raw,
    context: ParseContext<'a>,
}

/// What has been read so far.
#[derive(Default)]
struct Raw {
    uuid: Option<AdvertId>,
    property: Option<PropertyId>,
    transaction_type: Option<TransactionType>,
    property_type: Option<PropertyType>,
    /// Whether those two were there but unreadable: then they are not reported as missing as well.
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

impl Reading<'_> {
    fn field(&mut self, name: &str, value: &Value) {
        if self.amount_field(name, value) || self.integer_field(name, value) || self.place_field(name, value)
        {
            return;
        }
        let reader = &mut self.reader;
        let patch = &mut self.raw.patch;
        let null = value.is_null();
        match name {
            "uuid" if !null => self.raw.uuid = self.identifier(name, value, iri::parse_advert),
            "property" if !null => self.raw.property = self.identifier(name, value, iri::parse_property),
            "uuid" | "property" => {}
            "transactionType" => {
                self.raw.transaction_type_given = !null;
                if !null {
                    self.raw.transaction_type =
                        reader.coded(name, value, TransactionType::ALL, |kind| kind.code());
                }
            }
            "propertyType" => {
                self.raw.property_type_given = !null;
                if !null {
                    self.raw.property_type = reader.coded(name, value, PropertyType::ALL, |kind| kind.code());
                }
            }
            "title" => patch.title = given(value, |v| reader.bounded_text(name, v)),
            "description" => patch.description = given(value, |v| reader.bounded_text(name, v)),
            "url" => patch.url = given(value, |v| reader.address(name, v)),
            "virtualTour" => patch.virtual_tour = given(value, |v| reader.address(name, v)),
            "reference" => {
                patch.reference = given(value, |v| {
                    let label = reader.label(name, v).map(Value::String)?;
                    reader.bounded_text(name, &label)
                });
            }
            "site" => {
                let sites = self.context.sites;
                patch.site = given(value, |v| site::read_advert_site(reader, name, v, sites));
            }
            "contact" => patch.contact = FieldUpdate::Set(contact(reader, &mut self.raw.ignored, value)),
            "publisher" => patch.publisher = FieldUpdate::Set(publisher(reader, &mut self.raw.ignored, value)),
            "energy" => patch.energy = FieldUpdate::Set(rating(reader, &mut self.raw.ignored, name, value)),
            "greenHouseGas" => {
                patch.green_house_gas = FieldUpdate::Set(rating(reader, &mut self.raw.ignored, name, value));
            }
            "feesResponsibility" => {
                patch.fees_responsibility =
                    given(value, |v| reader.coded(name, v, FeesResponsibility::ALL, |kind| kind.code()));
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
            "createdAt" if !null => self.raw.created_at = self.date(name, value),
            "updatedAt" if !null => self.raw.updated_at = self.date(name, value),
            "lastCrawledAt" if !null => self.raw.last_crawled_at = self.date(name, value),
            "expiredAt" if !null => self.raw.expired_at = self.date(name, value),
            "expired" if !null => self.raw.expired = reader.boolean(name, value),
            "events" if !null => self.history(name, value),
            "createdAt" | "updatedAt" | "lastCrawledAt" | "expiredAt" | "expired" | "events" => {}
            // What a document says of itself comes back when a client sends on what it has read.
            "@context" | "@id" | "@type" => {}
            _ => self.raw.ignored.push(name.to_owned()),
        }
    }

    fn amount_field(&mut self, name: &str, value: &Value) -> bool {
        let patch = &mut self.raw.patch;
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
        let patch = &mut self.raw.patch;
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
        let (reader, place) = (&mut self.reader, &mut self.raw.place);
        match name {
            "insee" | "zipcode" | "cityName" | "locations" | "location" | "geoAccuracy" => {}
            _ => return false,
        }
        self.raw.place_given = true;
        if value.is_null() {
            return true;
        }
        match name {
            "insee" => {
                place.insee = reader.label(name, value).and_then(|text| {
                    let insee = Insee::parse(&text);
                    if insee.is_none() {
                        reader.invalid(name, format!("\"{}\" is not an INSEE code.", shown(&text)));
                    }
                    insee
                });
            }
            "zipcode" => {
                place.zipcode = reader.label(name, value).and_then(|text| {
                    let zipcode = Zipcode::parse(&text);
                    if zipcode.is_none() {
                        reader.invalid(name, format!("\"{}\" is not a zipcode.", shown(&text)));
                    }
                    zipcode
                });
            }
            "cityName" => place.city_name = reader.bounded_text(name, value),
            "geoAccuracy" => {
                place.accuracy = reader.coded(name, value, GeoAccuracy::ALL, |kind| kind.code());
            }
            _ => place.point = point(reader, &mut self.raw.ignored, name, value),
        }
        true
    }

    fn identifier<T>(&mut self, name: &str, value: &Value, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.reader.text(name, value)?;
        let id = parse(text);
        if id.is_none() {
            let message = format!("Invalid reference \"{}\".", shown(text));
            self.reader.violations.push(Violation::malformed(name, message));
        }
        id
    }

    fn date(&mut self, path: &str, value: &Value) -> Option<Timestamp> {
        let text = self.reader.text(path, value)?;
        let Some(moment) = date::parse(text, self.context.zone) else {
            let message = format!("\"{}\" is not a date.", shown(text));
            self.reader.violations.push(Violation::malformed(path, message));
            return None;
        };
        if moment.duration_since(self.context.now) > FUTURE_MAX {
            self.reader.invalid(path, format!("\"{text}\" lies in the future."));
            return None;
        }
        Some(moment)
    }

    fn history(&mut self, path: &str, value: &Value) {
        let Value::Array(items) = value else {
            return self.reader.wrong_type(path, "an array", value);
        };
        if items.len() > HISTORY_MAX {
            let message = format!("This list is too long: {} items, at most {HISTORY_MAX}.", items.len());
            return self.reader.invalid(path, message);
        }
        for (index, item) in items.iter().enumerate() {
            let event = self.event(&format!("{path}[{index}]"), item);
            self.raw.history.extend(event);
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
            let text = self.reader.label(&format!("{path}.{name}"), member(name)?)?;
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

    fn finish(self) -> Result<ReadDraft, RefusedDraft> {
        let Self { reader: Reader { mut violations }, mut raw, context: _ } = self;
        if raw.place_given {
            raw.patch.place = FieldUpdate::Set(raw.place);
        }
        if raw.patch.site.value().is_none_or(Option::is_none)
            && let Some(Some(url)) = raw.patch.url.value()
        {
            raw.patch.site = FieldUpdate::Set(Some(SiteKey::of_address(url)));
        }
        for (name, value, given) in [
            ("transactionType", raw.transaction_type.is_some(), raw.transaction_type_given),
            ("propertyType", raw.property_type.is_some(), raw.property_type_given),
        ] {
            if !value && !given {
                violations.push(Violation::missing(name, BLANK));
            }
        }
        let identity = identity(raw.uuid, &raw.patch);
        // An identity that was given and cannot be read is not missing as well.
        let unreadable =
            |violation: &Violation| matches!(violation.path.as_str(), "uuid" | "site" | "reference" | "url");
        if identity.is_none() && !violations.iter().any(unreadable) {
            let message = "An advert needs a uuid, a site with a reference, or a url.";
            violations.push(Violation::missing("uuid", message));
        }
        let lifecycle = match (raw.expired, raw.expired_at) {
            (Some(true), at) => Lifecycle::Expired { at },
            (None, Some(at)) => Lifecycle::Expired { at: Some(at) },
            (Some(false), None) => Lifecycle::Live,
            (None, None) => Lifecycle::Seen,
            (Some(false), Some(_)) => {
                let message = "An advert that is not expired has no date of expiry.";
                violations.push(Violation::contradiction("expiredAt", message));
                Lifecycle::Live
            }
        };
        let (Some(identity), Some(transaction_type), Some(property_type), true) =
            (identity, raw.transaction_type, raw.property_type, violations.is_empty())
        else {
            return Err(RefusedDraft { violations, ignored: raw.ignored });
        };
        let draft = AdvertDraft {
            identity,
            property: raw.property,
            transaction_type,
            property_type,
            patch: raw.patch,
            created_at: raw.created_at,
            updated_at: raw.updated_at,
            last_crawled_at: raw.last_crawled_at,
            lifecycle,
            history: raw.history,
        };
        Ok(ReadDraft { draft, ignored: raw.ignored })
    }
}

const BLANK: &str = "This value should not be blank.";

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

#[cfg(test)]
mod tests;
