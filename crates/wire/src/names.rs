//! The contract's names of fields, events and kinds, and what deliveries go by.

use domain::advert_event::EventSubject;
use domain::{AdvertField, CancelReason, DeliveryChannel, DeliveryState, EventName, Fault, Outcome};

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

/// A channel goes by the field of the search that says where it leads.
pub const fn delivery_channel(channel: DeliveryChannel) -> &'static str {
    match channel {
        DeliveryChannel::Match => "endpointRecipient",
        DeliveryChannel::Event => "eventEndpoint",
        DeliveryChannel::Email => "notificationRecipient",
    }
}

pub fn parse_delivery_channel(text: &str) -> Option<DeliveryChannel> {
    DeliveryChannel::ALL.into_iter().find(|channel| delivery_channel(*channel) == text.trim())
}

/// A state without the reason for it.
pub const fn delivery_state(state: DeliveryState) -> &'static str {
    match state {
        DeliveryState::Pending => "pending",
        DeliveryState::Leased => "leased",
        DeliveryState::Delivered => "delivered",
        DeliveryState::Failed => "failed",
        DeliveryState::Cancelled(_) => "cancelled",
    }
}

pub const fn cancel_reason(reason: CancelReason) -> &'static str {
    match reason {
        CancelReason::Disabled => "disabled",
        CancelReason::SearchDeleted => "search_deleted",
        CancelReason::NoRecipient => "no_recipient",
        CancelReason::Erased => "erased",
        CancelReason::ChannelOff => "channel_off",
    }
}

/// How an attempt ended, in one word: of a failed one the class of what went wrong.
pub const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Delivered => "delivered",
        Outcome::Failed(fault) => self::fault(fault),
        Outcome::Interrupted => "interrupted",
    }
}

pub const fn fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Refused => "policy_refused",
        Fault::Dns => "dns",
        Fault::Connect => "connect",
        Fault::Tls => "tls",
        Fault::Timeout => "timeout",
        Fault::Closed => "closed",
        Fault::Protocol => "protocol",
        Fault::TooLarge => "too_large",
        Fault::Status => "status",
        Fault::Rejected => "rejected",
    }
}

/// What a webhook is about when it is about no event.
pub const MATCH: &str = "match";

/// What a delivery is about: an event, or a match.
pub const fn delivery_subject(event: Option<EventName>) -> &'static str {
    match event {
        Some(name) => event_name(name),
        None => MATCH,
    }
}
