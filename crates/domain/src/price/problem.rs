//! What can be wrong with a price, and how it is said.

use std::fmt;

use super::statistics::PriceLevel;
use crate::kinds::{PropertyType, TransactionType};

macro_rules! problems {
    ($($(#[$doc:meta])* $variant:ident = $code:literal,)+) => {
        /// What is wrong with a price. The codes are for stored records; the API uses words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PriceProblem {
            $($(#[$doc])* $variant = $code,)+
        }

        impl PriceProblem {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the problem with this code.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

problems! {
    /// The advert has no price: on request, or left out.
    NoPrice = 1,
    /// A number that stands for no price, such as 1.
    Placeholder = 2,
    /// Below what such a property costs anywhere.
    BelowBounds = 3,
    /// Above what such a property costs anywhere.
    AboveBounds = 4,
    /// The price of a sale is an ordinary rent.
    RentInSale = 5,
    /// The rent is an ordinary price of a sale.
    SalePriceInRent = 6,
    /// A rent without a period is an ordinary one for a year.
    YearlyRent = 7,
    /// A rent without a period is an ordinary one for a night.
    NightlyRent = 8,
    /// About ten times the usual price: a digit too many, or a surface with one too few.
    Tenfold = 9,
    /// About a tenth of the usual price.
    Tenth = 10,
    /// About a hundred times the usual price: a lost decimal comma.
    Hundredfold = 11,
    /// About a hundredth of the usual price: cents without their comma, or a surface that lost its own.
    Hundredth = 12,
    /// Far from the usual price for no such reason.
    Outlier = 13,
}

impl PriceProblem {
    /// Returns the code in stored records.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the cause that the problem suggests, as the end of a sentence.
    const fn cause(self) -> &'static str {
        match self {
            Self::RentInSale => "; it looks like a monthly rent",
            Self::SalePriceInRent => "; it looks like the price of a sale",
            Self::YearlyRent => "; it looks like a rent per year",
            Self::NightlyRent => "; it looks like a rent per night",
            Self::Tenfold => "; the price looks ten times too high, or the surface too small",
            Self::Tenth => "; the price looks ten times too low, or the surface too large",
            Self::Hundredfold => "; the price or the surface has lost its decimal comma",
            Self::Hundredth => {
                "; the price looks a hundred times too low, or the surface has lost its decimal comma"
            }
            Self::NoPrice | Self::Placeholder | Self::BelowBounds | Self::AboveBounds | Self::Outlier => "",
        }
    }
}

/// The stored result of checking the price of an advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PriceCheck {
    /// Not checked against the market, as in older records. Readers apply the bounds that hold everywhere.
    #[default]
    Unchecked,
    Coherent,
    Incoherent(PriceProblem),
    /// As the service found it that the advert was exported from, `None` for a coherent price. The market of this service does not
    /// change it: an export is often a part of its own.
    TakenOver(Option<PriceProblem>),
}

impl PriceCheck {
    /// Returns `true` if both say the same of a price. What was never checked says nothing.
    pub fn agrees_with(self, other: Self) -> bool {
        let result = |check| match check {
            Self::Unchecked => None,
            Self::Coherent => Some(None),
            Self::Incoherent(problem) => Some(Some(problem)),
            Self::TakenOver(problem) => Some(problem),
        };
        result(self) == result(other)
    }

    /// The result of a check in the market of this service.
    pub(super) fn found(problem: Option<PriceProblem>) -> Self {
        problem.map_or(Self::Coherent, Self::Incoherent)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Low,
    High,
}

/// A problem and the numbers that show it. It is written as a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceFinding {
    pub problem: PriceProblem,
    pub(super) basis: Basis,
}

/// What a price was compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Basis {
    NoPrice,
    Placeholder { price: f64 },
    Amount { transaction_type: TransactionType, amount: f64, limit: f64 },
    UnitPrice { property_type: PropertyType, value: f64, limit: f64 },
    Usual { property_type: PropertyType, value: f64, median: f64, level: PriceLevel },
}

impl fmt::Display for PriceFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = |property_type| if property_type == PropertyType::Parking { "" } else { " per m²" };
        match self.basis {
            Basis::NoPrice => f.write_str("There is no price")?,
            Basis::Placeholder { price } => write!(f, "{} stands for an unknown price", Euros(price))?,
            Basis::Amount { transaction_type, amount, limit } => {
                let what = match transaction_type {
                    TransactionType::Sell => "sale price",
                    TransactionType::Rent => "rent",
                };
                let (below, least) = sides(amount, limit);
                write!(f, "{} is {below} the {least} {what} of {}", Euros(amount), Euros(limit))?;
            }
            Basis::UnitPrice { property_type, value, limit } => {
                let (below, least) = sides(value, limit);
                let unit = unit(property_type);
                write!(f, "{}{unit} is {below} the {least} of {}{unit}", Euros(value), Euros(limit))?;
            }
            Basis::Usual { property_type, value, median, level } => {
                let (below, _) = sides(value, median);
                let (unit, area) = (unit(property_type), area(level));
                write!(f, "{}{unit} is far {below} the usual {}{unit} {area}", Euros(value), Euros(median))?;
            }
        }
        write!(f, "{}.", self.problem.cause())
    }
}

fn sides(value: f64, limit: f64) -> (&'static str, &'static str) {
    if value < limit { ("below", "least") } else { ("above", "highest") }
}

const fn area(level: PriceLevel) -> &'static str {
    match level {
        PriceLevel::Commune => "in the commune",
        PriceLevel::Department => "in the department",
        PriceLevel::Country => "in the country",
    }
}

/// An amount in euros, with separators of thousands: `2,500 €`, `12.5 €`. Cents are shown below 100 €.
struct Euros(f64);

impl fmt::Display for Euros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 100.0 {
            let decimals = if self.0 < 1.0 { 10_000.0 } else { 100.0 };
            return write!(f, "{} €", (self.0 * decimals).round() / decimals);
        }
        let digits = format!("{:.0}", self.0);
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        f.write_str(" €")
    }
}
