//! Names of the contract: fields, events, channels, delivery states and outcomes.

use domain::advert_event::EventSubject;
use domain::{
    AdvertField, CancelReason, CertificateFault, DeliveryChannel, DeliveryState, EventName, Fault, Outcome,
    PriceProblem, RentPeriod,
};

/// Returns the `fieldName` of an event.
pub fn event_subject(subject: &EventSubject) -> &str {
    match subject {
        EventSubject::Created => "created",
        EventSubject::Expired => "expired",
        EventSubject::Field(field) => advert_field(*field),
        EventSubject::Foreign(name) => name,
    }
}

/// Parses a `fieldName`.
pub fn parse_event_subject(name: &str) -> EventSubject {
    match name {
        "created" => EventSubject::Created,
        "expired" => EventSubject::Expired,
        // Subscribers do not distinguish copied pictures from originals.
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
        AdvertField::District => "district",
        AdvertField::ExclusiveMandate => "exclusiveMandate",
        AdvertField::ParkingCount => "parkingCount",
        AdvertField::Heating => "heating",
        AdvertField::LifeAnnuity => "lifeAnnuity",
        AdvertField::Occupied => "occupied",
        AdvertField::RentPeriod => "rentPeriod",
        AdvertField::NewBuilding => "newBuilding",
    }
}

/// Returns the name of what is wrong with a price.
pub const fn price_problem(problem: PriceProblem) -> &'static str {
    match problem {
        PriceProblem::NoPrice => "noPrice",
        PriceProblem::Placeholder => "placeholder",
        PriceProblem::BelowBounds => "belowBounds",
        PriceProblem::AboveBounds => "aboveBounds",
        PriceProblem::RentInSale => "rentInSale",
        PriceProblem::SalePriceInRent => "salePriceInRent",
        PriceProblem::YearlyRent => "yearlyRent",
        PriceProblem::NightlyRent => "nightlyRent",
        PriceProblem::Tenfold => "tenfold",
        PriceProblem::Tenth => "tenth",
        PriceProblem::Hundredfold => "hundredfold",
        PriceProblem::Hundredth => "hundredth",
        PriceProblem::Outlier => "outlier",
    }
}

/// Parses the name of what is wrong with a price.
pub fn parse_price_problem(name: &str) -> Option<PriceProblem> {
    PriceProblem::ALL.iter().copied().find(|problem| price_problem(*problem) == name)
}

pub const fn rent_period(period: RentPeriod) -> &'static str {
    match period {
        RentPeriod::Month => "month",
        RentPeriod::Week => "week",
        RentPeriod::Day => "day",
        RentPeriod::Season => "season",
        RentPeriod::Year => "year",
    }
}

/// Parses a rent period in upper or lower case.
pub fn parse_rent_period(text: &str) -> Option<RentPeriod> {
    let word = text.trim();
    RentPeriod::ALL.iter().copied().find(|period| rent_period(*period).eq_ignore_ascii_case(word))
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

/// Parses the name of an event.
pub fn parse_event_name(text: &str) -> Option<EventName> {
    EventName::ALL.iter().copied().find(|name| event_name(*name) == text.trim())
}

/// Returns the name of a channel: the field of the search that holds its address.
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

/// Returns the name of a state, without the reason.
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
        CancelReason::Damaged => "damaged",
        CancelReason::Unconfirmed => "unconfirmed",
    }
}

/// Returns the name of an outcome. For a failure, this is the class of the fault.
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

/// Says what is wrong with a receiver's certificate, and what to do.
pub const fn certificate_fault(fault: CertificateFault) -> &'static str {
    match fault {
        CertificateFault::Expired => "The certificate has expired: renew it.",
        CertificateFault::NotYetValid => {
            "The certificate is not valid yet: its first day is in the future; check the clock of the machine that made it."
        }
        CertificateFault::WrongName => {
            "The certificate is for another host name: it must contain the host of the URL."
        }
        CertificateFault::UnknownIssuer => {
            "The issuer of the certificate is unknown: the receiver does not send its intermediate certificates, or the \
             authority is not a public one."
        }
        CertificateFault::SelfSigned => {
            "The certificate is self-signed: use one of a public authority, or ask the operator of this service to trust \
             yours (delivery.extra_ca_file)."
        }
        CertificateFault::CertificateAuthority => {
            "The certificate is that of a certificate authority (CA:TRUE), which a server cannot use; openssl req -x509 \
             makes such a self-signed certificate by default. Make it with -addext basicConstraints=critical,CA:FALSE and \
             ask the operator of this service to trust it (delivery.extra_ca_file), or use one of a public authority."
        }
        CertificateFault::Invalid => {
            "The certificate is not valid: it is malformed, or not meant for a server."
        }
    }
}

/// The event name of a webhook about a new match.
pub const MATCH: &str = "match";

/// Returns what a delivery is about: the event name, or [`MATCH`].
pub const fn delivery_subject(event: Option<EventName>) -> &'static str {
    match event {
        Some(name) => event_name(name),
        None => MATCH,
    }
}
