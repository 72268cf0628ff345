//! Price per square metre, and coherence of prices.
//!
//! A price is coherent if a person who knows the market would believe it. [`check`] compares it with bounds that hold everywhere
//! ([`bounds`]), then with what the same transaction and type costs around there ([`PriceStatistics`]: the commune, else the
//! department, else the country). The result is stored with the advert: criteria stay a function of the property. [`evaluate`] checks
//! a price when it, or what it is compared by, changes, and [`check_again`] when the market has changed. So in the end the result
//! depends on the stock alone, and not on the order in which its adverts came.
//!
//! - No price is not a coherent price, and has a filter of its own: price on request.
//! - A life annuity is always coherent. The buyer pays a bouquet and a rent, so the advert needs no price, and a price says nothing
//!   about the value: it is the bouquet on one portal and the value of the home on the next. Users who look for life annuities must
//!   find them without another setting, and those who do not can exclude them.
//! - Weekly, daily and seasonal rents belong to another market than monthly ones. Only the bounds of the amount apply to them.

mod bounds;
mod checked;
mod histogram;
mod problem;
mod statistics;

pub use checked::CheckedPrice;
pub use problem::{PriceCheck, PriceFinding, PriceProblem};
pub use statistics::{Market, PriceLevel, PriceSample, PriceStatistics, UsualPrice, UsualPrices};

use crate::advert::Advert;
use crate::kinds::{PropertyType, RentPeriod, TransactionType};
use crate::value::Amount;
use bounds::Bounds;
use problem::{Basis, Side};

/// Surfaces up to this mean "unknown" in real feeds: forms that require a surface get 1. No dwelling is that small.
const UNKNOWN_SURFACE_MAX: f64 = 5.0;

/// Returns the price divided by the surface, rounded to two decimals.
pub fn per_meter(price: Option<Amount>, surface: Option<Amount>) -> Option<Amount> {
    let (price, surface) = (price?.get(), surface?.get());
    if surface == 0.0 {
        return None;
    }
    Amount::new((price / surface * 100.0).round() / 100.0)
}

/// Where a property is, as far as prices depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PricePlace {
    /// The ids of the commune or district, and of its department.
    Commune { commune: u64, department: Option<u64> },
    /// Somewhere in the country of the service.
    Unknown,
    /// In another country: no statistics apply.
    Abroad,
}

/// What the coherence of a price depends on, besides the market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceSubject {
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    /// The price, or the lowest price of a programme.
    pub price: Option<Amount>,
    /// The surface, or the smallest surface of a programme. The surface of the land for land.
    pub surface: Option<Amount>,
    pub place: PricePlace,
    pub rent_period: Option<RentPeriod>,
    pub life_annuity: bool,
    pub new_building: bool,
}

impl PriceSubject {
    pub fn of(advert: &Advert) -> Self {
        let Advert { transaction_type, property_type, details, placement, .. } = advert;
        let surface = match property_type {
            PropertyType::Land => details.land_surface.or(details.surface),
            _ => details.surface_or_smallest(),
        };
        let place = match placement {
            Some(placement) => {
                PricePlace::Commune { commune: placement.insee.id(), department: placement.department }
            }
            None if details.place.country.is_some_and(|country| !country.is_french()) => PricePlace::Abroad,
            None => PricePlace::Unknown,
        };
        Self {
            transaction_type: *transaction_type,
            property_type: *property_type,
            price: details.price_or_lowest(),
            surface,
            place,
            rent_period: details.rent_period,
            life_annuity: details.life_annuity.is_given(),
            new_building: details.new_building.is_given(),
        }
    }

    /// Returns the price, with a yearly rent as a monthly one. `None` if there is no price, or if the rent is for a stay.
    fn amount(&self) -> Option<f64> {
        let price = self.price?.get();
        match (self.transaction_type, self.rent_period) {
            (TransactionType::Sell, _) | (TransactionType::Rent, None | Some(RentPeriod::Month)) => {
                Some(price)
            }
            (TransactionType::Rent, Some(RentPeriod::Year)) => Some(price / 12.0),
            (TransactionType::Rent, Some(RentPeriod::Week | RentPeriod::Day | RentPeriod::Season)) => None,
        }
    }

    /// Returns what prices of this type are compared by: the amount per square metre, for a parking space the amount. `None` if it
    /// is unknown.
    fn unit_price(&self) -> Option<f64> {
        let amount = self.amount()?;
        if self.property_type == PropertyType::Parking {
            return Some(amount);
        }
        let surface = self.surface?.get();
        (surface > UNKNOWN_SURFACE_MAX).then(|| amount / surface)
    }

    /// Returns the same numbers as the other transaction would have them, with a monthly rent.
    fn of_other_transaction(&self) -> Self {
        let transaction_type = match self.transaction_type {
            TransactionType::Sell => TransactionType::Rent,
            TransactionType::Rent => TransactionType::Sell,
        };
        Self { transaction_type, rent_period: None, ..*self }
    }

    fn has_no_period(&self) -> bool {
        self.transaction_type == TransactionType::Rent && self.rent_period.is_none()
    }
}

/// Checks a price. In an empty market, only the bounds apply.
pub fn check(subject: &PriceSubject, market: &impl Market) -> Result<(), PriceFinding> {
    if subject.life_annuity {
        return Ok(());
    }
    let Some(price) = subject.price.map(Amount::get) else {
        return Err(PriceFinding { problem: PriceProblem::NoPrice, basis: Basis::NoPrice });
    };
    if is_placeholder(price) {
        return Err(PriceFinding { problem: PriceProblem::Placeholder, basis: Basis::Placeholder { price } });
    }
    let usual = market.usual(subject);
    let violation = beyond_bounds(subject, price).or_else(|| beyond_usual(subject, usual?));
    match violation {
        None => Ok(()),
        Some((side, basis)) => {
            Err(PriceFinding { problem: problem(subject, side, basis, usual, market), basis })
        }
    }
}

/// Checks the price of an advert and stores the result with it, unless `before` had the same price under the same conditions: then it
/// keeps the result of that time. Returns what is wrong if it was checked.
pub fn evaluate(advert: &mut Advert, before: Option<&Advert>, market: &impl Market) -> Option<PriceFinding> {
    let subject = PriceSubject::of(advert);
    if let Some(before) = before.filter(|before| PriceSubject::of(before) == subject) {
        advert.price_check = before.price_check;
        return None;
    }
    let finding = check(&subject, market).err();
    advert.price_check = PriceCheck::found(finding.map(|finding| finding.problem));
    finding
}

/// Checks a price again after the market has changed. Returns the check if its result is another one; one that was
/// taken over stays as it is.
pub fn check_again(checked: &CheckedPrice, market: &impl Market) -> Option<PriceCheck> {
    let subject = checked.subject();
    let known = match checked.check() {
        PriceCheck::TakenOver(_) => return None,
        known => problem_found(known, || subject),
    };
    let problem = check(&subject, market).err().map(|finding| finding.problem);
    (problem != known).then(|| PriceCheck::found(problem))
}

/// Returns what is wrong with the price of an advert. `None` if it is coherent.
pub fn problem_of(advert: &Advert) -> Option<PriceProblem> {
    problem_found(advert.price_check, || PriceSubject::of(advert))
}

/// Returns the problem that a check found. One that was never made compares with the bounds only.
fn problem_found(found: PriceCheck, subject: impl FnOnce() -> PriceSubject) -> Option<PriceProblem> {
    match found {
        PriceCheck::Coherent => None,
        PriceCheck::Incoherent(problem) => Some(problem),
        PriceCheck::TakenOver(problem) => problem,
        PriceCheck::Unchecked => {
            check(&subject(), &PriceStatistics::default()).err().map(|finding| finding.problem)
        }
    }
}

/// Returns `true` if the price of an advert is coherent.
pub fn is_coherent(advert: &Advert) -> bool {
    problem_of(advert).is_none()
}

/// Returns `true` for numbers that stand for an unknown price: 0, 1, 9999999, 123456.
fn is_placeholder(price: f64) -> bool {
    /// From this many digits on, a price of equal digits is no price. 999,999 € is one.
    const EQUAL_DIGITS_MIN: usize = 7;
    if price <= 1.0 {
        return true;
    }
    let digits = price.to_string();
    let counts_up = digits.len() > 5 && "123456789".starts_with(&digits);
    let equal = digits.len() >= EQUAL_DIGITS_MIN && digits.chars().all(|digit| digits.starts_with(digit));
    counts_up || equal
}

/// Compares a price with the bounds that hold everywhere: the amount first, then the amount per square metre.
fn beyond_bounds(subject: &PriceSubject, price: f64) -> Option<(Side, Basis)> {
    let transaction_type = subject.transaction_type;
    let Some(amount) = subject.amount() else {
        let (side, limit) = Bounds::STAY.exceeded_by(price)?;
        return Some((side, Basis::Amount { transaction_type, amount: price, limit }));
    };
    if let Some((side, limit)) = Bounds::of_amount(subject).exceeded_by(amount) {
        return Some((side, Basis::Amount { transaction_type, amount, limit }));
    }
    let value = subject.unit_price()?;
    let (side, limit) = Bounds::of_unit_price(subject).exceeded_by(value)?;
    let property_type = subject.property_type;
    Some((side, Basis::UnitPrice { property_type, value, limit }))
}

/// Compares a price with the usual ones around there.
fn beyond_usual(subject: &PriceSubject, usual: UsualPrice) -> Option<(Side, Basis)> {
    let value = subject.unit_price()?;
    let (lowest, highest) = bounds::tolerated(subject, &usual);
    let deviation = usual.deviation(value);
    let side = if deviation < -lowest {
        Side::Low
    } else if deviation > highest {
        Side::High
    } else {
        return None;
    };
    let property_type = subject.property_type;
    Some((side, Basis::Usual { property_type, value, median: usual.median, level: usual.level }))
}

/// Finds the mistake that explains a price that is too low or too high.
fn problem(
    subject: &PriceSubject,
    side: Side,
    basis: Basis,
    usual: Option<UsualPrice>,
    market: &impl Market,
) -> PriceProblem {
    match (subject.transaction_type, side) {
        // Prices of 3 to 8 € come from another column, so nothing can be concluded from them.
        (_, Side::Low) if subject.price.is_some_and(|price| price.get() < 10.0) => {
            return PriceProblem::BelowBounds;
        }
        (TransactionType::Sell, Side::Low) if fits_other_transaction(subject, market) => {
            return PriceProblem::RentInSale;
        }
        (TransactionType::Rent, Side::High) if fits_other_transaction(subject, market) => {
            return PriceProblem::SalePriceInRent;
        }
        _ => {}
    }
    let deviation = usual.zip(subject.unit_price()).map(|(usual, value)| usual.deviation(value));
    // The factors overlap, because prices vary. The more frequent mistake comes first.
    let is_off_by = |factor: f64, tolerance: f64| {
        deviation.is_some_and(|deviation| (deviation - factor.ln()).abs() <= tolerance.ln())
    };
    match side {
        Side::High if subject.has_no_period() && is_off_by(12.0, 1.6) => PriceProblem::YearlyRent,
        Side::Low if subject.has_no_period() && is_off_by(1.0 / 30.0, 1.9) => PriceProblem::NightlyRent,
        Side::High if is_off_by(10.0, 1.8) => PriceProblem::Tenfold,
        Side::High if is_off_by(100.0, 2.5) => PriceProblem::Hundredfold,
        Side::Low if is_off_by(0.1, 1.8) => PriceProblem::Tenth,
        Side::Low if is_off_by(0.01, 2.5) => PriceProblem::Hundredth,
        Side::Low | Side::High => match (basis, side) {
            (Basis::Usual { .. }, _) => PriceProblem::Outlier,
            (_, Side::Low) => PriceProblem::BelowBounds,
            (_, Side::High) => PriceProblem::AboveBounds,
        },
    }
}

/// Returns `true` if the price would be an ordinary one for the other transaction: a rent in a sale, or the reverse.
fn fits_other_transaction(subject: &PriceSubject, market: &impl Market) -> bool {
    /// Half of the homes around there cost between this fraction and this multiple of the usual price, and most of the rest do.
    const ORDINARY_FACTOR: f64 = 2.5;
    let other = subject.of_other_transaction();
    let (Some(amount), Some(value)) = (other.amount(), other.unit_price()) else {
        return other.price.is_some_and(|price| Bounds::of_ordinary_amount(&other).contains(price.get()));
    };
    let fits = match market.usual(&other) {
        Some(usual) => usual.deviation(value).abs() <= ORDINARY_FACTOR.ln(),
        None => Bounds::of_ordinary_unit_price(&other).contains(value),
    };
    fits && Bounds::of_amount(&other).contains(amount)
}

#[cfg(test)]
mod tests;
