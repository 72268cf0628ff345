//! The stored shapes of properties and events, converted by hand and field by field: a field added to the domain breaks the build here,
//! until its stored form is decided.
//!
//! Names in these structs are on disk. Never rename them, and never reuse them with another meaning.

use domain::advert_event::EventSubject;
use domain::{
    Advert, AdvertDetails, AdvertEvent, AdvertField, AdvertId, Amount, Contact, CountryCode, EnergyLetter,
    FeesResponsibility, GeoAccuracy, GeoPoint, GivenPlace, Insee, LifeAnnuity, NewBuilding, PercentVariation,
    Placement, PriceCheck, PriceProblem, Property, PropertyId, PropertyType, Publisher, PublisherType,
    Rating, RentPeriod, SiteKey, Timestamp, TransactionType, WebAddress, Zipcode,
};
use serde::{Deserialize, Serialize};

use super::text::TextRecord;
use super::timeline::TimelineRecord;

type Text<const MAX: usize> = domain::value::Text<MAX>;

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct PropertyRecord<'a> {
    adverts: Vec<AdvertRecord<'a>>,
}

impl<'a> PropertyRecord<'a> {
    pub fn from_property(property: &'a Property) -> Self {
        let Property { id: _, adverts } = property;
        Self { adverts: adverts.iter().map(AdvertRecord::from_advert).collect() }
    }

    /// Returns `None` if a value is not one that was ever written.
    pub fn into_property(self, id: PropertyId) -> Option<Property> {
        let adverts = self.adverts.into_iter().map(AdvertRecord::into_advert).collect::<Option<_>>()?;
        Some(Property { id, adverts })
    }
}

/// Added to the code of a price check that came with an export.
const TAKEN_OVER: u8 = 100;

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct AdvertRecord<'a> {
    id: TextRecord<'a>,
    transaction: u8,
    kind: u8,
    created: i64,
    updated: i64,
    crawled: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expired: Option<i64>,
    events: Vec<EventRecord<'a>>,
    details: DetailsRecord<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    placement: Option<PlacementRecord<'a>>,
    /// 0 for a coherent price, else the code of the problem; [`TAKEN_OVER`] is added if an export said so. Absent from records of the
    /// time before prices were checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    price_check: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeline: Option<TimelineRecord<'a>>,
}

impl<'a> AdvertRecord<'a> {
    fn from_advert(advert: &'a Advert) -> Self {
        let Advert {
            id,
            transaction_type,
            property_type,
            details,
            placement,
            price_check,
            created_at,
            updated_at,
            last_crawled_at,
            expired_at,
            events,
            timeline,
        } = advert;
        Self {
            id: id.to_string().into(),
            transaction: transaction_type.code(),
            kind: property_type.code(),
            created: created_at.as_second(),
            updated: updated_at.as_second(),
            crawled: last_crawled_at.as_second(),
            expired: expired_at.map(Timestamp::as_second),
            events: events.iter().map(EventRecord::from_event).collect(),
            details: DetailsRecord::from_details(details),
            placement: placement.as_ref().map(PlacementRecord::from_placement),
            price_check: match price_check {
                PriceCheck::Unchecked => None,
                PriceCheck::Coherent => Some(0),
                PriceCheck::Incoherent(problem) => Some(problem.code()),
                PriceCheck::TakenOver(problem) => Some(TAKEN_OVER + problem.map_or(0, PriceProblem::code)),
            },
            timeline: TimelineRecord::from_timeline(timeline),
        }
    }

    fn into_advert(self) -> Option<Advert> {
        let second = |second| Timestamp::from_second(second).ok();
        Some(Advert {
            id: self.id.parse::<AdvertId>().ok()?,
            transaction_type: TransactionType::from_code(self.transaction)?,
            property_type: PropertyType::from_code(self.kind)?,
            created_at: second(self.created)?,
            updated_at: second(self.updated)?,
            last_crawled_at: second(self.crawled)?,
            expired_at: optional(self.expired, second)?,
            events: self.events.into_iter().map(EventRecord::into_event).collect::<Option<_>>()?,
            details: self.details.into_details()?,
            placement: optional(self.placement, PlacementRecord::into_placement)?,
            price_check: match self.price_check {
                None => PriceCheck::Unchecked,
                Some(0) => PriceCheck::Coherent,
                Some(TAKEN_OVER) => PriceCheck::TakenOver(None),
                Some(code @ TAKEN_OVER..) => {
                    PriceCheck::TakenOver(Some(PriceProblem::from_code(code - TAKEN_OVER)?))
                }
                Some(code) => PriceCheck::Incoherent(PriceProblem::from_code(code)?),
            },
            timeline: optional(self.timeline, TimelineRecord::into_timeline)?.unwrap_or_default(),
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct EventRecord<'a> {
    at: i64,
    /// `created`, `expired`, `field:<name>` or `foreign:<name>`.
    what: TextRecord<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<TextRecord<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    new: Option<TextRecord<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    percent: Option<f64>,
}

impl<'a> EventRecord<'a> {
    pub fn from_event(event: &'a AdvertEvent) -> Self {
        let AdvertEvent { at, subject, old_value, new_value, percent_variation } = event;
        Self {
            at: at.as_second(),
            what: match subject {
                EventSubject::Created => "created".into(),
                EventSubject::Expired => "expired".into(),
                EventSubject::Field(field) => format!("field:{}", field.name()).into(),
                EventSubject::Foreign(name) => format!("foreign:{name}").into(),
            },
            old: old_value.as_deref().map(TextRecord::from),
            new: new_value.as_deref().map(TextRecord::from),
            percent: percent_variation.map(PercentVariation::get),
        }
    }

    pub fn into_event(self) -> Option<AdvertEvent> {
        let subject = match self.what.split_once(':') {
            None if &*self.what == "created" => EventSubject::Created,
            None if &*self.what == "expired" => EventSubject::Expired,
            Some(("field", name)) => EventSubject::Field(AdvertField::from_name(name)?),
            Some(("foreign", name)) => EventSubject::Foreign(name.into()),
            _ => return None,
        };
        Some(AdvertEvent {
            at: Timestamp::from_second(self.at).ok()?,
            subject,
            old_value: self.old.map(Into::into),
            new_value: self.new.map(Into::into),
            percent_variation: optional(self.percent, PercentVariation::new)?,
        })
    }
}

/// Declares a record of optional fields, so that missing values take no space on disk.
macro_rules! sparse_record {
    ($(#[$attribute:meta])* $name:ident $(<$life:lifetime>)? { $($field:ident: $kind:ty,)+ }) => {
        #[derive(Default, Serialize, Deserialize)]
        $(#[$attribute])*
        struct $name $(<$life>)? {
            $(#[serde(default, skip_serializing_if = "Option::is_none")] $field: Option<$kind>,)+
        }
    };
}

sparse_record!(
    #[serde(bound(deserialize = "'de: 'a"))]
    DetailsRecord<'a> {
    site: TextRecord<'a>,
    reference: TextRecord<'a>,
    url: TextRecord<'a>,
    title: TextRecord<'a>,
    description: TextRecord<'a>,
    contact: ContactRecord<'a>,
    publisher_name: TextRecord<'a>,
    publisher_type: u8,
    price: f64,
    price_excluding_fees: f64,
    fees_percentage: f64,
    fees_responsibility: u8,
    condominium_fees: f64,
    inventory_price: f64,
    property_tax: f64,
    rental_charges: f64,
    rental_pledge: f64,
    renter_fees: f64,
    lot_count: f64,
    surface: f64,
    land_surface: f64,
    room: i32,
    bedroom: i32,
    floor: i32,
    floor_quantity: i32,
    construction_year: i32,
    elevator: bool,
    furnished: bool,
    energy_letter: char,
    energy_value: f64,
    gas_letter: char,
    gas_value: f64,
    features: Vec<TextRecord<'a>>,
    pictures: Vec<TextRecord<'a>>,
    pictures_remote: Vec<TextRecord<'a>>,
    virtual_tour: TextRecord<'a>,
    insee: TextRecord<'a>,
    zipcode: TextRecord<'a>,
    city_name: TextRecord<'a>,
    point: [f64; 2],
    accuracy: u8,
    country: TextRecord<'a>,
    district: TextRecord<'a>,
    exclusive_mandate: bool,
    parking_count: i32,
    heating: TextRecord<'a>,
    annuity_bouquet: f64,
    annuity_rent: f64,
    occupied: bool,
    rent_period: u8,
    new_building: NewBuildingRecord,
});

sparse_record!(NewBuildingRecord {
    price_min: f64,
    price_max: f64,
    surface_min: f64,
    surface_max: f64,
    room_min: i32,
    room_max: i32,
});

sparse_record!(
    #[serde(bound(deserialize = "'de: 'a"))]
    ContactRecord<'a> {
    agency: TextRecord<'a>,
    email: TextRecord<'a>,
    fax: TextRecord<'a>,
    name: TextRecord<'a>,
    phone: TextRecord<'a>,
    reference: TextRecord<'a>,
});

impl<'a> DetailsRecord<'a> {
    fn from_details(details: &'a AdvertDetails) -> Self {
        let AdvertDetails {
            site,
            reference,
            url,
            title,
            description,
            contact,
            publisher: Publisher { name: publisher_name, kind: publisher_kind },
            price,
            price_excluding_fees,
            fees_percentage,
            fees_responsibility,
            condominium_fees,
            inventory_price,
            property_tax,
            rental_charges,
            rental_pledge,
            renter_fees,
            lot_count,
            surface,
            land_surface,
            room,
            bedroom,
            floor,
            floor_quantity,
            construction_year,
            elevator,
            furnished,
            energy,
            green_house_gas,
            features,
            pictures,
            pictures_remote,
            virtual_tour,
            place: GivenPlace { insee, zipcode, city_name, point, accuracy, country },
            district,
            exclusive_mandate,
            parking_count,
            heating,
            life_annuity: LifeAnnuity { bouquet: annuity_bouquet, rent: annuity_rent },
            occupied,
            rent_period,
            new_building,
        } = details;
        Self {
            site: site.as_ref().map(|site| site.as_str().into()),
            reference: text(reference),
            url: url.as_ref().map(address),
            title: text(title),
            description: text(description),
            contact: (*contact != Contact::default()).then(|| ContactRecord::from_contact(contact)),
            publisher_name: text(publisher_name),
            publisher_type: publisher_kind.map(PublisherType::code),
            price: price.map(Amount::get),
            price_excluding_fees: price_excluding_fees.map(Amount::get),
            fees_percentage: fees_percentage.map(Amount::get),
            fees_responsibility: fees_responsibility.map(FeesResponsibility::code),
            condominium_fees: condominium_fees.map(Amount::get),
            inventory_price: inventory_price.map(Amount::get),
            property_tax: property_tax.map(Amount::get),
            rental_charges: rental_charges.map(Amount::get),
            rental_pledge: rental_pledge.map(Amount::get),
            renter_fees: renter_fees.map(Amount::get),
            lot_count: lot_count.map(Amount::get),
            surface: surface.map(Amount::get),
            land_surface: land_surface.map(Amount::get),
            room: *room,
            bedroom: *bedroom,
            floor: *floor,
            floor_quantity: *floor_quantity,
            construction_year: *construction_year,
            elevator: *elevator,
            furnished: *furnished,
            energy_letter: energy.category.map(EnergyLetter::letter),
            energy_value: energy.value.map(Amount::get),
            gas_letter: green_house_gas.category.map(EnergyLetter::letter),
            gas_value: green_house_gas.value.map(Amount::get),
            features: list(features, |feature| feature.as_str().into()),
            pictures: list(pictures, address),
            pictures_remote: list(pictures_remote, address),
            virtual_tour: virtual_tour.as_ref().map(address),
            insee: insee.as_ref().map(|insee| insee.as_str().into()),
            zipcode: zipcode.as_ref().map(|zipcode| zipcode.as_str().into()),
            city_name: text(city_name),
            point: point.map(|point| [point.lat(), point.lon()]),
            accuracy: accuracy.map(GeoAccuracy::code),
            country: country.as_ref().map(|country| country.as_str().into()),
            district: text(district),
            exclusive_mandate: *exclusive_mandate,
            parking_count: *parking_count,
            heating: text(heating),
            annuity_bouquet: annuity_bouquet.map(Amount::get),
            annuity_rent: annuity_rent.map(Amount::get),
            occupied: *occupied,
            rent_period: rent_period.map(RentPeriod::code),
            new_building: new_building
                .is_given()
                .then(|| NewBuildingRecord::from_new_building(*new_building)),
        }
    }

    fn into_details(self) -> Option<AdvertDetails> {
        let rating = |letter: Option<char>, value| {
            let category =
                optional(letter, |letter| EnergyLetter::from_text(letter.encode_utf8(&mut [0; 4])))?;
            Some(Rating { category, value: optional(value, Amount::new)? })
        };
        let addresses = |addresses: Option<Vec<TextRecord<'_>>>| {
            addresses.unwrap_or_default().into_iter().map(WebAddress::trusted).collect()
        };
        Some(AdvertDetails {
            site: self.site.map(SiteKey::trusted),
            reference: self.reference.map(Text::trusted),
            url: self.url.map(WebAddress::trusted),
            title: self.title.map(Text::trusted),
            description: self.description.map(Text::trusted),
            contact: self.contact.map(ContactRecord::into_contact).unwrap_or_default(),
            publisher: Publisher {
                name: self.publisher_name.map(Text::trusted),
                kind: optional(self.publisher_type, PublisherType::from_code)?,
            },
            price: optional(self.price, Amount::new)?,
            price_excluding_fees: optional(self.price_excluding_fees, Amount::new)?,
            fees_percentage: optional(self.fees_percentage, Amount::new)?,
            fees_responsibility: optional(self.fees_responsibility, FeesResponsibility::from_code)?,
            condominium_fees: optional(self.condominium_fees, Amount::new)?,
            inventory_price: optional(self.inventory_price, Amount::new)?,
            property_tax: optional(self.property_tax, Amount::new)?,
            rental_charges: optional(self.rental_charges, Amount::new)?,
            rental_pledge: optional(self.rental_pledge, Amount::new)?,
            renter_fees: optional(self.renter_fees, Amount::new)?,
            lot_count: optional(self.lot_count, Amount::new)?,
            surface: optional(self.surface, Amount::new)?,
            land_surface: optional(self.land_surface, Amount::new)?,
            room: self.room,
            bedroom: self.bedroom,
            floor: self.floor,
            floor_quantity: self.floor_quantity,
            construction_year: self.construction_year,
            elevator: self.elevator,
            furnished: self.furnished,
            energy: rating(self.energy_letter, self.energy_value)?,
            green_house_gas: rating(self.gas_letter, self.gas_value)?,
            features: self.features.unwrap_or_default().into_iter().map(Text::trusted).collect(),
            pictures: addresses(self.pictures),
            pictures_remote: addresses(self.pictures_remote),
            virtual_tour: self.virtual_tour.map(WebAddress::trusted),
            place: GivenPlace {
                insee: optional(self.insee, |insee| Insee::parse(&insee))?,
                zipcode: optional(self.zipcode, |zipcode| Zipcode::parse(&zipcode))?,
                city_name: self.city_name.map(Text::trusted),
                point: optional(self.point, |[lat, lon]| GeoPoint::new(lat, lon))?,
                accuracy: optional(self.accuracy, GeoAccuracy::from_code)?,
                country: optional(self.country, |country| CountryCode::parse(&country))?,
            },
            district: self.district.map(Text::trusted),
            exclusive_mandate: self.exclusive_mandate,
            parking_count: self.parking_count,
            heating: self.heating.map(Text::trusted),
            life_annuity: LifeAnnuity {
                bouquet: optional(self.annuity_bouquet, Amount::new)?,
                rent: optional(self.annuity_rent, Amount::new)?,
            },
            occupied: self.occupied,
            rent_period: optional(self.rent_period, RentPeriod::from_code)?,
            new_building: optional(self.new_building, NewBuildingRecord::into_new_building)?
                .unwrap_or_default(),
        })
    }
}

impl NewBuildingRecord {
    fn from_new_building(new_building: NewBuilding) -> Self {
        let NewBuilding { price_min, price_max, surface_min, surface_max, room_min, room_max } = new_building;
        Self {
            price_min: price_min.map(Amount::get),
            price_max: price_max.map(Amount::get),
            surface_min: surface_min.map(Amount::get),
            surface_max: surface_max.map(Amount::get),
            room_min,
            room_max,
        }
    }

    fn into_new_building(self) -> Option<NewBuilding> {
        Some(NewBuilding {
            price_min: optional(self.price_min, Amount::new)?,
            price_max: optional(self.price_max, Amount::new)?,
            surface_min: optional(self.surface_min, Amount::new)?,
            surface_max: optional(self.surface_max, Amount::new)?,
            room_min: self.room_min,
            room_max: self.room_max,
        })
    }
}

impl<'a> ContactRecord<'a> {
    fn from_contact(contact: &'a Contact) -> Self {
        let Contact { agency, email, fax, name, phone, reference } = contact;
        Self {
            agency: text(agency),
            email: text(email),
            fax: text(fax),
            name: text(name),
            phone: text(phone),
            reference: text(reference),
        }
    }

    fn into_contact(self) -> Contact {
        Contact {
            agency: self.agency.map(Text::trusted),
            email: self.email.map(Text::trusted),
            fax: self.fax.map(Text::trusted),
            name: self.name.map(Text::trusted),
            phone: self.phone.map(Text::trusted),
            reference: self.reference.map(Text::trusted),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct PlacementRecord<'a> {
    insee: TextRecord<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    department: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zipcode: Option<TextRecord<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    centre: Option<[f64; 2]>,
}

impl<'a> PlacementRecord<'a> {
    fn from_placement(placement: &'a Placement) -> Self {
        let Placement { insee, department, zipcode, centre } = placement;
        Self {
            insee: insee.as_str().into(),
            department: *department,
            zipcode: zipcode.as_ref().map(|zipcode| zipcode.as_str().into()),
            centre: centre.map(|point| [point.lat(), point.lon()]),
        }
    }

    fn into_placement(self) -> Option<Placement> {
        let insee = Insee::parse(&self.insee)?;
        Some(Placement {
            // The first records lack it; the reference geography was France's then.
            department: self.department.or_else(|| insee.department()),
            insee,
            zipcode: optional(self.zipcode, |zipcode| Zipcode::parse(&zipcode))?,
            centre: optional(self.centre, |[lat, lon]| GeoPoint::new(lat, lon))?,
        })
    }
}

/// Reads an optional value. Returns `None` only if the value is present and invalid.
#[expect(clippy::option_option, reason = "a missing value differs from an invalid one")]
fn optional<A, B>(value: Option<A>, read: impl FnOnce(A) -> Option<B>) -> Option<Option<B>> {
    match value {
        None => Some(None),
        Some(value) => read(value).map(Some),
    }
}

fn text<const MAX: usize>(text: &Option<Text<MAX>>) -> Option<TextRecord<'_>> {
    text.as_ref().map(|text| text.as_str().into())
}

fn address(address: &WebAddress) -> TextRecord<'_> {
    address.as_str().into()
}

fn list<'a, T>(items: &'a [T], convert: impl Fn(&'a T) -> TextRecord<'a>) -> Option<Vec<TextRecord<'a>>> {
    (!items.is_empty()).then(|| items.iter().map(convert).collect())
}
