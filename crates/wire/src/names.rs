//! The contract's names of fields, events and kinds.

use domain::advert_event::EventSubject;
use domain::{AdvertField, EventName};

/// The name an event carries in `fieldName`.
pub fn event_subject(subject: &EventSubject) -> &str {
    match subject {
        EventSubject::Created => "created",
        EventSubject::Expired => "expired",
        EventSubject::Field(field) => advert_field(*field),
        EventSubject::Foreign(name) => name,
    }
}

/// What a `fieldName` speaks of.
pub fn parse_event_subject(name: &str) -> EventSubject {
    match name {
        "created" => EventSubject::Created,
        "expired" => EventSubject::Expired,
        // Copies and originals of pictures are one thing to subscribers.
        "picturesRemote" => EventSubject::Field(AdvertField::Pictures),
        _ => match AdvertField::ALL.iter().find(|field| advert_field(**field) == name) {
            Some(field) => EventSubject::Field(*field),
            None => EventSubject::Foreign(name.into()),
        },
    }
}

pub const fn advert_field(field: AdvertField) -> &'static str {
    match field {
        AdvertField::TransactionType => "transactionType",
        AdvertField::PropertyType => "propertyType",
        AdvertField::Site => "site",
        AdvertField::Reference => "reference",
        AdvertField::Url => "url",
        AdvertField::Title => "title",
        AdvertField::Description => "description",
        AdvertField::Contact => "contact",
        AdvertField::Publisher => "publisher",
        AdvertField::Price => "price",
        AdvertField::PriceExcludingFees => "priceExcludingFees",
        AdvertField::FeesPercentage => "feesPercentage",
        AdvertField::FeesResponsibility => "feesResponsibility",
        AdvertField::CondominiumFees => "condominiumFees",
        AdvertField::InventoryPrice => "inventoryPrice",
        AdvertField::PropertyTax => "propertyTax",
        AdvertField::RentalCharges => "rentalCharges",
        AdvertField::RentalPledge => "rentalPledge",
        AdvertField::RenterFees => "renterFees",
        AdvertField::LotCount => "lotCount",
        AdvertField::Surface => "surface",
        AdvertField::LandSurface => "landSurface",
        AdvertField::Room => "room",
        AdvertField::Bedroom => "bedroom",
        AdvertField::Floor => "floor",
        AdvertField::FloorQuantity => "floorQuantity",
        AdvertField::ConstructionYear => "constructionYear",
        AdvertField::Elevator => "elevator",
        AdvertField::Furnished => "furnished",
        AdvertField::Energy => "energy",
        AdvertField::GreenHouseGas => "greenHouseGas",
        AdvertField::Features => "features",
        AdvertField::Pictures | AdvertField::PicturesRemote => "pictures",
        AdvertField::VirtualTour => "virtualTour",
        AdvertField::Place => "locations",
    }
}

pub const fn event_name(name: EventName) -> &'static str {
    match name {
        EventName::UpdatePrice => "ad.update.price",
        EventName::UpdateSurface => "ad.update.surface",
        EventName::UpdatePictures => "ad.update.pictures",
        EventName::UpdateExpired => "ad.update.expired",
        EventName::AdCreate => "property.ad.create",
        EventName::AdUpdate => "property.ad.update",
    }
}

/// The event of a name.
pub fn parse_event_name(text: &str) -> Option<EventName> {
    EventName::ALL.iter().copied().find(|name| event_name(*name) == text.trim())
}
