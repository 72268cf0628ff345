//! Evidence from prices, charges and taxes.

use super::evidence::{EvidenceCollector, EvidenceKind, both};
use super::facts::{are_far_apart_in_time, is_lowered_later};
use super::programmes::may_be_two_units;
use super::signature::{Fact, List, Signature};
use crate::closeness::percent_apart;
use crate::kinds::{PropertyType, TransactionType};

/// Amounts that were computed by two services differ by their rounding.
const ROUNDING_PERCENT: f32 = 0.15;

/// How two prices relate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PriceRelation {
    Unknown,
    Equal,
    /// Equal once the agency's fees or the charges of a rental are added or taken out.
    AfterFees,
    /// One is a former price of the other, or both had the same former price.
    Former,
    /// The text of one advert names the price of the other.
    Named,
    /// By so many per cent.
    Apart(f32),
}

pub fn relation(one: &Signature, other: &Signature) -> PriceRelation {
    let (Some(price), Some(others)) = (one.price(), other.price()) else { return PriceRelation::Unknown };
    if price == others {
        return PriceRelation::Equal;
    }
    let net = (one.number(Fact::PriceExcludingFees), other.number(Fact::PriceExcludingFees));
    let has_equal_net = matches!(net, (Some(net), Some(others)) if net == others);
    if has_equal_net || is_taxed(price, others) || is_alternative(one, others) || is_alternative(other, price)
    {
        return PriceRelation::AfterFees;
    }
    let former =
        |signature: &Signature, price: f32| signature.list(List::FormerPrices).contains(&price.to_bits());
    let shared = |price: &u32| other.list(List::FormerPrices).contains(price);
    if former(one, others) || former(other, price) || one.list(List::FormerPrices).iter().any(shared) {
        return PriceRelation::Former;
    }
    // The text of a programme names the prices of all units.
    let names =
        |signature: &Signature, price: f32| signature.list(List::NamedPrices).contains(&price.to_bits());
    if (names(one, others) || names(other, price)) && !may_be_two_units(one, other) {
        return PriceRelation::Named;
    }
    percent_apart(price, others).map_or(PriceRelation::Unknown, PriceRelation::Apart)
}

/// Returns `true` if one price is the other with a tax of 20 per cent instead of none (offices, shops) or of 5.5 (new flats).
fn is_taxed(price: f32, others: f32) -> bool {
    const TAXES: [f32; 2] = [20.0, (1.2 / 1.055 - 1.0) * 100.0];
    /// Prices that were computed with a tax are rounded to the nearest hundred.
    const ROUNDING: f32 = 0.03;
    percent_apart(price, others)
        .is_some_and(|percent| TAXES.iter().any(|tax| (percent - tax).abs() <= ROUNDING))
}

/// Returns `true` if the advert has this price with its fees or charges in or out.
fn is_alternative(signature: &Signature, price: f32) -> bool {
    let is =
        |alternative: f32| percent_apart(alternative, price).is_some_and(|apart| apart <= ROUNDING_PERCENT);
    let Some(own) = signature.price() else { return false };
    if signature.transaction_type == TransactionType::Rent {
        let charges = signature.number(Fact::RentalCharges);
        return charges.is_some_and(|charges| is(own + charges) || is(own - charges));
    }
    let fees = signature.number(Fact::FeesPercentage).map(|percent| 1.0 + percent / 100.0);
    signature.number(Fact::PriceExcludingFees).is_some_and(is)
        || fees.is_some_and(|fees| is(own * fees) || is(own / fees))
}

/// Returns `true` if one price is that of the seller without fees, and the other exceeds it by as much as fees do.
fn is_net_and_gross(one: &Signature, other: &Signature, relation: PriceRelation) -> bool {
    let is_net = |signature: &Signature| {
        let net = signature.number(Fact::PriceExcludingFees);
        net.is_some() && net == signature.price()
    };
    let (lower, higher) = if one.price() <= other.price() { (one, other) } else { (other, one) };
    matches!(relation, PriceRelation::Apart(2.0..=9.0)) && is_net(lower) && !is_net(higher)
}

/// Returns the points of an equal price. Few homes cost 339,200; more cost 338,000; many cost 340,000, 339,000 or 339,900.
fn equal_price_points(signature: &Signature, price: f32) -> (f32, &'static str) {
    let is_rental = signature.transaction_type == TransactionType::Rent;
    let step = if is_rental { 10.0 } else { 1_000.0 };
    let is_popular = is_rental || price % 5_000.0 == 0.0 || price % 10_000.0 == 9_000.0;
    if price % 10_000.0 == 9_900.0 && !is_rental {
        (3.5, "equal prices")
    } else if price % step != 0.0 {
        (4.0, "equal prices, not round")
    } else if is_popular {
        (3.0, "equal prices")
    } else {
        (3.5, "equal prices, less common")
    }
}

pub fn weigh_price(
    one: &Signature,
    other: &Signature,
    relation: PriceRelation,
    collector: &mut impl EvidenceCollector,
) {
    let (Some(price), Some(others)) = (one.price(), other.price()) else { return };
    // All spaces of a car park have one price.
    let is_parking = one.property_type == PropertyType::Parking;
    let (points, what): (f32, &str) = match relation {
        PriceRelation::Unknown => return,
        PriceRelation::Equal if is_parking => (1.5, "equal prices"),
        PriceRelation::Equal => equal_price_points(one, price),
        PriceRelation::AfterFees => (3.5, "equal with fees, charges or taxes in or out"),
        PriceRelation::Former => (3.0, "equal to a former price"),
        PriceRelation::Named => (3.0, "one text names the price of the other"),
        PriceRelation::Apart(percent) => match percent {
            ..=1.0 => (2.0, "prices within 1 %"),
            ..=3.0 => (1.25, "prices within 3 %"),
            // The fees of two agencies differ as much.
            ..=6.0 => (0.5, "prices within 6 %"),
            ..=8.0 => (-0.5, "prices within 8 %"),
            ..=15.0 => (-2.0, "prices apart by more than 8 %"),
            ..=25.0 => (-3.5, "prices apart by more than 15 %"),
            _ => (-5.0, "prices apart by more than 25 %"),
        },
    };
    // The prices of a programme are those of its price list, on all sites.
    let is_another_price = matches!(relation, PriceRelation::Apart(_)) && may_be_two_units(one, other);
    let points = if is_another_price { points.min(-1.0) } else { points };
    let points = if is_net_and_gross(one, other, relation) { points.max(1.0) } else { points };
    let points = match relation {
        PriceRelation::Apart(..=20.0) if is_lowered_later(one, other) => points.max(points * 0.4),
        _ => points,
    };
    // A home that is sold again has another price.
    let points = if points < 0.0 && are_far_apart_in_time(one, other) { points * 0.4 } else { points };
    collector.add(EvidenceKind::Price, points, || format!("{what} ({})", both(price, others)));
}

/// Weighs what an owner pays each year, or a tenant once: agencies copy it from the same papers.
pub fn weigh_costs(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let rows = [
        (Fact::Charges, EvidenceKind::Charges, 50.0, 2.0, -1.0),
        (Fact::RentalCharges, EvidenceKind::Charges, 10.0, 1.5, -0.75),
        (Fact::Deposit, EvidenceKind::Deposit, 10.0, 1.0, -0.5),
        (Fact::RenterFees, EvidenceKind::RenterFees, 1.0, 1.0, -0.5),
        (Fact::PropertyTax, EvidenceKind::PropertyTax, 50.0, 2.5, -1.0),
    ];
    for (fact, kind, round, equal, different) in rows {
        let (Some(amount), Some(others)) = (one.number(fact), other.number(fact)) else { continue };
        let Some(percent) = percent_apart(amount, others) else { continue };
        // A deposit of exactly one rent says nothing that the rent does not say.
        let follows =
            |amount: f32| fact == Fact::Deposit && one.price().is_some_and(|rent| amount % rent == 0.0);
        if percent <= ROUNDING_PERCENT {
            let points = if follows(amount) {
                0.25
            } else if amount % round == 0.0 {
                equal / 2.0
            } else {
                equal
            };
            collector.add(kind, points, || format!("equal amounts ({})", both(amount, others)));
        } else if (percent_apart(amount * 12.0, others).is_none_or(|apart| apart > ROUNDING_PERCENT))
            && percent_apart(amount, others * 12.0).is_none_or(|apart| apart > ROUNDING_PERCENT)
        {
            // A monthly amount among yearly ones is no contradiction.
            let points = if percent > 10.0 { different } else { different / 2.0 };
            collector.add(kind, points, || format!("different amounts ({})", both(amount, others)));
        }
    }
}
