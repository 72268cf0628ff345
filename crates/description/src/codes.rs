//! The closed lists of values: numbers and texts, with their meanings.

use crate::schema::{Choice, Code, choice, code};

pub const PROPERTY_TYPES: &[Code] = &[
    code(0, "Apartment"),
    code(1, "House"),
    code(2, "Building"),
    code(3, "Parking"),
    code(4, "Office"),
    code(5, "Land"),
    code(6, "Shop"),
];

pub const TRANSACTION_TYPES: &[Code] = &[code(0, "Sell"), code(1, "Rent")];

pub const PUBLISHER_TYPES: &[Code] = &[code(0, "Individual"), code(1, "Professional")];

pub const FEES_RESPONSIBILITIES: &[Code] = &[code(0, "Seller"), code(1, "Buyer")];

pub const ACCURACIES: &[Code] = &[code(1, "House number"), code(2, "Neighbourhood or centre of the city")];

pub const ENERGY_LETTERS: &[Choice] = &[
    choice("A", "Best class"),
    choice("B", ""),
    choice("C", ""),
    choice("D", ""),
    choice("E", ""),
    choice("F", ""),
    choice("G", "Worst class"),
];

pub const DIRECTIONS: &[Choice] = &[choice("asc", "Smallest first"), choice("desc", "Largest first")];

pub const SORT_MODES: &[Choice] = &[
    choice("property", "The date on which the property was first seen"),
    choice("advert", "The date on which one of its adverts was first seen"),
];

pub const INTERVALS: &[Choice] = &[choice("month", "A month"), choice("year", "A year")];

pub const DELIVERY_STATES: &[Choice] = &[
    choice("pending", "Waits for its first or next attempt"),
    choice("leased", "An attempt is in progress"),
    choice("delivered", "The receiver answered 200"),
    choice("failed", "Every attempt failed; it can be replayed"),
    choice("cancelled", "Will not be sent; `reason` says why"),
];

pub const DELIVERY_CHANNELS: &[Choice] = &[
    choice("endpointRecipient", "Webhooks about matches"),
    choice("eventEndpoint", "Webhooks about events of adverts"),
    choice("notificationRecipient", "E-mails"),
];

pub const EVENT_NAMES: &[Choice] = &[
    choice("ad.update.price", "The price of an advert changed"),
    choice("ad.update.surface", "The surface of an advert changed"),
    choice("ad.update.pictures", "The pictures of an advert changed"),
    choice("ad.update.expired", "An advert expired"),
    choice("property.ad.create", "An advert was created"),
    choice("property.ad.update", "Anything else of an advert changed"),
];

pub const SAMPLES: &[Choice] = &[
    choice("match", "A new match"),
    EVENT_NAMES[0],
    EVENT_NAMES[1],
    EVENT_NAMES[2],
    EVENT_NAMES[3],
    EVENT_NAMES[4],
    EVENT_NAMES[5],
];
