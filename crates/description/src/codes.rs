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
