//! Parses an advert from JSON into a draft, or into the list of everything that is wrong with it.

use std::borrow::Cow;
use std::sync::Arc;

use domain::{AdvertDraft, AdvertPatch, CountryCode, FieldUpdate, Identity, Lifecycle};
use domain::{
    AdvertEvent, AdvertField, AdvertId, FeesResponsibility, GeoAccuracy, GivenPlace, Insee, PercentVariation,
    PropertyId, PropertyType, SiteKey, Timestamp, TransactionType, Violation, Zipcode,
};

use crate::json::{Json, JsonObject, truncated};
use crate::lenient;
use crate::lenient::number::NumberKind;
use crate::{iri, names, site};

use super::nested::{contact, point, publisher, rating};
use super::price_history;
use super::reader::FieldReader;
use super::special_sale::{life_annuity, new_building, rent_period};
use super::{BLANK, ParseContext, ParsedDraft, RejectedDraft};

/// Maximum number of pictures, and of features, of an advert. Portals show about forty.
const LIST_MAX: usize = 200;

/// Maximum number of back-filled events: as many as the service keeps.
const HISTORY_MAX: usize = domain::merge::EVENTS_MAX;

/// Parses one advert.
pub fn parse(value: &Json<'_>, context: ParseContext<'_>) -> Result<ParsedDraft, RejectedDraft> {
    let Json::Object(fields) = value else {
        let kind = crate::json::json_type(value);
        let message = format!("An advert must be a JSON object, {kind} given.");
        return Err(RejectedDraft {
            violations: vec![Violation::malformed("", message)],
            ..RejectedDraft::default()
        });
    };
    let reader = FieldReader::new(context.mode);
    let mut parser = DraftParser { reader, fields: ParsedFields::default(), context };
    for (name, value) in fields.iter() {
        parser.field(name, value);
    }
    parser.finish(fields)
}

struct DraftParser<'a> {
    reader: FieldReader,
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
    /// The parts of the place that are `null`, as bits in the order of [`PLACE_PARTS`].
    place_nulls: u8,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    last_crawled_at: Option<Timestamp>,
    expired: Option<bool>,
    expired_at: Option<Timestamp>,
    history: Vec<AdvertEvent>,
    ignored: Vec<String>,
}

impl DraftParser<'_> {
    fn field(&mut self, name: &str, value: &Json<'_>) {
        if let Json::String(text) = value
            && !self.reader.is_strict()
            && lenient::is_not_given(text)
            && is_known(name)
        {
            // As if the field were absent: an unknown value does not erase a known one.
            return;
        }
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
                    let label = reader.text_or_number(name, v).map(|text| Json::String(Cow::Owned(text)))?;
                    reader.bounded_text(name, &label)
                });
            }
            "site" => {
                let sites = self.context.sites;
                patch.site = given(value, |v| {
                    let before = reader.exact.violations.len();
                    let site = site::parse_advert_site(&mut reader.exact, name, v, sites);
                    reader.report_since(before);
                    site
                });
            }
            "contact" => patch.contact = whole(contact(reader, &mut self.fields.ignored, value)),
            "publisher" => patch.publisher = whole(publisher(reader, &mut self.fields.ignored, value)),
            "energy" => patch.energy = whole(rating(reader, &mut self.fields.ignored, name, value)),
            "greenHouseGas" => {
                patch.green_house_gas = whole(rating(reader, &mut self.fields.ignored, name, value));
            }
            "feesResponsibility" => {
                patch.fees_responsibility =
                    given(value, |v| reader.enum_code(name, v, FeesResponsibility::ALL, |kind| kind.code()));
            }
            "elevator" => patch.elevator = given(value, |v| reader.boolean(name, v)),
            "furnished" => patch.furnished = given(value, |v| reader.boolean(name, v)),
            "district" => patch.district = given(value, |v| reader.bounded_text(name, v)),
            "heating" => patch.heating = given(value, |v| reader.bounded_text(name, v)),
            "exclusiveMandate" => patch.exclusive_mandate = given(value, |v| reader.boolean(name, v)),
            "occupied" => patch.occupied = given(value, |v| reader.boolean(name, v)),
            "rentPeriod" => patch.rent_period = given(value, |v| rent_period(reader, name, v)),
            "lifeAnnuity" => {
                patch.life_annuity = whole(life_annuity(reader, &mut self.fields.ignored, value));
            }
            "newBuilding" => {
                patch.new_building = whole(new_building(reader, &mut self.fields.ignored, value));
            }
            "features" => {
                patch.features = list(value, |v| reader.list(name, v, LIST_MAX, FieldReader::bounded_text));
            }
            "pictures" => {
                patch.pictures = list(value, |v| reader.list(name, v, LIST_MAX, FieldReader::address))
            }
            "picturesRemote" => {
                patch.pictures_remote = list(value, |v| reader.list(name, v, LIST_MAX, FieldReader::address));
            }
            "createdAt" if !null => self.fields.created_at = self.date(name, value),
            "updatedAt" if !null => self.fields.updated_at = self.date(name, value),
            "lastCrawledAt" if !null => self.fields.last_crawled_at = self.date(name, value),
            "expiredAt" if !null => self.fields.expired_at = self.date(name, value),
            "expired" if !null => self.fields.expired = reader.boolean(name, value),
            "events" if !null => self.history(name, value),
            "priceHistory" if !null => self.price_points(name, value),
            "createdAt" | "updatedAt" | "lastCrawledAt" | "expiredAt" | "expired" | "events"
            | "priceHistory" => {}
            // JSON-LD members of a document that the client sends back.
            "@context" | "@id" | "@type" => {}
            _ => self.fields.ignored.push(name.to_owned()),
        }
    }

    fn amount_field(&mut self, name: &str, value: &Json<'_>) -> bool {
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

    fn integer_field(&mut self, name: &str, value: &Json<'_>) -> bool {
        let patch = &mut self.fields.patch;
        let (slot, bounds) = match name {
            "room" => (&mut patch.room, 0..=10_000),
            "bedroom" => (&mut patch.bedroom, 0..=10_000),
            "floor" => (&mut patch.floor, -100..=1_000),
            "floorQuantity" => (&mut patch.floor_quantity, 0..=1_000),
            "constructionYear" => (&mut patch.construction_year, 0..=2_200),
            "parkingCount" => (&mut patch.parking_count, 0..=1_000),
            _ => return false,
        };
        *slot = given(value, |value| self.reader.integer(name, value, bounds));
        true
    }

    fn place_field(&mut self, name: &str, value: &Json<'_>) -> bool {
        let (reader, place) = (&mut self.reader, &mut self.fields.place);
        match name {
            "insee" | "zipcode" | "cityName" | "locations" | "location" | "geoAccuracy" => {}
            "country" | "countryCode" => {}
            _ => return false,
        }
        if value.is_null() {
            let part = PLACE_PARTS.iter().position(|names| names.contains(&name));
            self.fields.place_nulls |= part.map_or(0, |part| 1 << part);
            // A poor crawl has some of them. Only all together say that the place is unknown.
            let all = (1 << PLACE_PARTS.len()) - 1;
            self.fields.place_given |= self.fields.place_nulls == all;
            return true;
        }
        let usable = match name {
            "insee" => {
                place.insee = reader.text_or_number(name, value).and_then(|text| {
                    let insee = Insee::parse(&text).or_else(|| Insee::parse(&code_digits(&text, reader)));
                    if insee.is_none() {
                        reader.invalid(name, format!("\"{}\" is not an INSEE code.", truncated(&text)));
                    }
                    insee
                });
                place.insee.is_some()
            }
            "zipcode" => {
                place.zipcode = reader.text_or_number(name, value).and_then(|text| {
                    let code = code_digits(&text, reader);
                    let zipcode =
                        Zipcode::parse(&code).filter(|_| reader.is_strict() || may_be_zipcode(&code));
                    if zipcode.is_none() {
                        reader.invalid(name, format!("\"{}\" is not a zipcode.", truncated(&text)));
                    }
                    zipcode
                });
                place.zipcode.is_some()
            }
            "cityName" => {
                place.city_name = reader.bounded_text(name, value);
                place.city_name.is_some()
            }
            "geoAccuracy" => {
                place.accuracy = reader.enum_code(name, value, GeoAccuracy::ALL, |kind| kind.code());
                place.accuracy.is_some()
            }
            "country" | "countryCode" => {
                place.country = reader.text(name, value).and_then(|text| {
                    let country = CountryCode::parse(text);
                    if country.is_none() {
                        reader.invalid(name, format!("\"{}\" is not a country.", truncated(text)));
                    }
                    country
                });
                place.country.is_some()
            }
            _ => {
                place.point = point(reader, &mut self.fields.ignored, name, value);
                place.point.is_some()
            }
        };
        // In lenient mode, a place without one usable value leaves the known place.
        self.fields.place_given |= usable || reader.is_strict();
        true
    }

    /// Reads a price history given as points. Each is an event with a new value and no old one; a point without a usable price or date
    /// is left out.
    fn price_points(&mut self, path: &str, value: &Json<'_>) {
        let Json::Array(points) = value else {
            return self.reader.wrong_type(path, "an array", value);
        };
        let Some(points) = self.reader.limited(path, points, HISTORY_MAX) else { return };
        for (index, point) in points.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let Json::Object(members) = point else {
                self.reader.wrong_type(&path, "an object", point);
                continue;
            };
            let Some((name, price)) = price_history::price(members) else { continue };
            let price = self.reader.amount_of(
                &format!("{path}.{name}"),
                price,
                NumberKind::Price,
                domain::Amount::MAX,
            );
            let at = match price_history::date(members) {
                Some((name, date)) => self.date(&format!("{path}.{name}"), date),
                None => {
                    self.reader.report(Violation::missing(format!("{path}.date"), BLANK));
                    None
                }
            };
            let point = |(at, price): (Timestamp, domain::Amount)| AdvertEvent {
                at,
                subject: names::parse_event_subject("price"),
                old_value: None,
                new_value: Some(price.to_string().into()),
                percent_variation: None,
            };
            self.fields.history.extend(at.zip(price).map(point));
        }
    }

    fn identifier<T>(
        &mut self,
        name: &str,
        value: &Json<'_>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.reader.text(name, value)?;
        let id = parse(text);
        if id.is_none() {
            let message = format!("Invalid reference \"{}\".", truncated(text));
            self.reader.report(Violation::malformed(name, message));
        }
        id
    }

    fn date(&mut self, path: &str, value: &Json<'_>) -> Option<Timestamp> {
        self.reader.date(path, value, self.context)
    }

    fn history(&mut self, path: &str, value: &Json<'_>) {
        let Json::Array(items) = value else {
            return self.reader.wrong_type(path, "an array", value);
        };
        let Some(items) = self.reader.limited(path, items, HISTORY_MAX) else { return };
        for (index, item) in items.iter().enumerate() {
            let event = self.event(&format!("{path}[{index}]"), item);
            self.fields.history.extend(event);
        }
    }

    fn event(&mut self, path: &str, value: &Json<'_>) -> Option<AdvertEvent> {
        let Json::Object(fields) = value else {
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
                self.reader.report(missing("createdAt"));
                None
            }
        };
        if field_name.is_none() {
            self.reader.report(missing("fieldName"));
        }
        let field = field_name.as_ref().map(|name| name.as_str().to_owned()).unwrap_or_default();
        let is_amount = !self.reader.is_strict() && matches!(field.as_str(), "price" | "surface");
        let mut value_text = |name: &str| -> Option<Option<Box<str>>> {
            let (path, Some(value)) = (format!("{path}.{name}"), member(name)) else { return Some(None) };
            let text = match is_amount {
                true => self.amount_text(&path, &field, value)?,
                false => self.reader.text_or_number(&path, value),
            };
            Some(text.map(|text| text.chars().take(1_000).collect::<String>().into()))
        };
        // A new value that cannot be read is no event. The old one only says more about it.
        let (old_value, new_value) = (value_text("fieldOldValue").flatten(), value_text("fieldNewValue")?);
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

    /// Reads an old or new price or surface as plain digits, so that a variation can be computed: `295 000 €` is `295000`. `None` if it
    /// cannot be read.
    fn amount_text(&mut self, path: &str, field: &str, value: &Json<'_>) -> Option<Option<String>> {
        let kind = match field {
            // 0 is a price that was there.
            "price" => NumberKind::Money,
            _ => NumberKind::of_amount(field),
        };
        let before = self.reader.warning_count();
        let amount = self.reader.amount_of(path, value, kind, domain::Amount::MAX);
        let is_unusable = amount.is_none() && self.reader.warning_count() > before;
        (!is_unusable).then(|| amount.map(|amount| amount.to_string()))
    }

    fn finish(self, given: &JsonObject<'_>) -> Result<ParsedDraft, RejectedDraft> {
        let Self { reader, mut fields, context: _ } = self;
        let strict = reader.is_strict();
        let (mut violations, mut warnings) = reader.finish();
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
        if identity.is_none() {
            // A part of the identity that could not be used is the reason, more than a warning.
            let reasons = warnings.extract_if(.., |warning| invalid_identity(warning));
            violations.extend(reasons.map(as_violation));
        }
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
                let list = if strict { &mut violations } else { &mut warnings };
                list.push(Violation::contradiction("expiredAt", message));
                Lifecycle::Live
            }
        };
        let (Some(identity), Some(transaction_type), Some(property_type), true) =
            (identity, fields.transaction_type, fields.property_type, violations.is_empty())
        else {
            let (reference, url) = (label(given.get("reference")), label(given.get("url")));
            return Err(RejectedDraft { violations, ignored: fields.ignored, reference, url });
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
            price_check: None,
        };
        Ok(ParsedDraft { draft, ignored: fields.ignored, warnings })
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

/// Returns a warning as the reason of a refusal: the advert was refused, and not only its value ignored.
fn as_violation(warning: Violation) -> Violation {
    match warning.message.strip_suffix("; it was ignored.") {
        Some(reason) => Violation { message: format!("{reason}."), ..warning },
        None => warning,
    }
}

/// Returns the update for a value: `null` clears, and so does a blank text in strict mode. A value that could not be used
/// is kept; in strict mode its violation rejects the advert anyway.
fn given<T>(value: &Json<'_>, read: impl FnOnce(&Json<'_>) -> Option<T>) -> FieldUpdate<Option<T>> {
    if value.is_null() {
        return FieldUpdate::Set(None);
    }
    match read(value) {
        Some(read) => FieldUpdate::Set(Some(read)),
        // In lenient mode, blank text never gets here.
        None if value.as_str().is_some_and(|text| text.trim().is_empty()) => FieldUpdate::Set(None),
        None => FieldUpdate::Keep,
    }
}

fn list<T>(value: &Json<'_>, read: impl FnOnce(&Json<'_>) -> Option<Vec<T>>) -> FieldUpdate<Arc<[T]>> {
    if value.is_null() { FieldUpdate::Set(Arc::default()) } else { whole(read(value).map(Arc::from)) }
}

/// Returns the update for a value that is replaced as a whole. `None` keeps it.
fn whole<T>(value: Option<T>) -> FieldUpdate<T> {
    value.map_or(FieldUpdate::Keep, FieldUpdate::Set)
}

/// Names of fields that are not in the table of [`AdvertField`], or have another name there.
const OTHER_NAMES: &[&str] = &[
    "uuid",
    "property",
    "picturesRemote",
    "insee",
    "zipcode",
    "cityName",
    "location",
    "geoAccuracy",
    "country",
    "countryCode",
    "createdAt",
    "updatedAt",
    "lastCrawledAt",
    "expired",
    "expiredAt",
    "events",
    "priceHistory",
];

/// Returns the names of all fields.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    // The table has one name for both lists of pictures, which is that of the first.
    let fields = AdvertField::ALL.iter().filter(|field| **field != AdvertField::PicturesRemote);
    fields.map(|field| names::advert_field(*field)).chain(OTHER_NAMES.iter().copied())
}

/// Returns `true` for the names of fields. Only these may be left out if their text is blank; an unknown name is reported
/// whatever its value.
fn is_known(name: &str) -> bool {
    field_names().any(|known| known == name)
}

/// The names of the parts that say where an advert is.
const PLACE_PARTS: [&[&str]; 4] = [&["insee"], &["zipcode"], &["cityName"], &["locations", "location"]];

/// Returns `false` for a code that no country has: without a digit but 0, or with fewer than three characters; and for `99999`.
fn may_be_zipcode(code: &str) -> bool {
    code.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) && code.len() >= 3 && code != "99999"
}

/// Returns the digits of a code that has noise around them: `F-75011`, `75 011`, `75011.0`. Any other text stays.
fn code_digits(text: &str, reader: &FieldReader) -> String {
    let is_code = |code: &str| code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_digit());
    if reader.is_strict() {
        return text.to_owned();
    }
    let trimmed = text.trim().trim_end_matches(".0");
    let upper = trimmed.to_ascii_uppercase();
    let local = ["FR-", "FR ", "F-", "F ", "FR", "F"].iter().find_map(|prefix| upper.strip_prefix(prefix));
    let joined: String = local.unwrap_or(trimmed).split_whitespace().collect();
    if is_code(&joined) {
        return joined;
    }
    // `75011 Paris`: the code is the first word.
    match trimmed.split([' ', ',']).next() {
        Some(first) if is_code(first) => first.to_owned(),
        _ => trimmed.to_owned(),
    }
}

/// Returns a value that identifies the advert for its sender, as given.
fn label(value: Option<&Json<'_>>) -> Option<String> {
    match value? {
        Json::String(text) => Some(truncated(text.trim())).filter(|text| !text.is_empty()),
        Json::Number(number) => Some(number.to_string()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}
