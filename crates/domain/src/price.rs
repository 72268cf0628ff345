//! Price per square metre, and plausibility of prices.

use crate::advert::Advert;
use crate::kinds::{PropertyType, TransactionType};
use crate::value::Amount;

/// Returns the price divided by the surface, rounded to two decimals.
pub fn per_meter(price: Option<Amount>, surface: Option<Amount>) -> Option<Amount> {
    let (price, surface) = (price?.get(), surface?.get());
    if surface == 0.0 {
        return None;
    }
    Amount::new((price / surface * 100.0).round() / 100.0)
}

/// Returns `true` if a price is plausible.
///
/// A missing or zero price is not. For a dwelling with a known surface, the price per square metre must also be within
/// bounds. Compared with the country's sales and rents of recent years, the bounds exclude only typing errors, monthly
/// rents entered as sale prices, and "1 €" placeholders.
pub fn is_plausible(
    transaction_type: TransactionType,
    property_type: PropertyType,
    price: Option<Amount>,
    surface: Option<Amount>,
) -> bool {
    let Some(price) = price.filter(|price| price.get() > 0.0) else {
        return false;
    };
    let dwelling = matches!(property_type, PropertyType::Apartment | PropertyType::House);
    let Some(per_meter) = per_meter(Some(price), surface).filter(|_| dwelling) else {
        return true;
    };
    let plausible = match transaction_type {
        TransactionType::Sell => 50.0..=60_000.0,
        TransactionType::Rent => 1.0..=300.0,
    };
    plausible.contains(&per_meter.get())
}

/// Returns `true` if the price of an advert is plausible.
///
/// A life annuity is always plausible. The buyer pays a bouquet and a rent, so the advert needs no price, and a price says
/// nothing about the value: it is the bouquet on one portal and the value of the home on the next. Users who look for life
/// annuities must find them without another setting, and those who do not can exclude them.
pub fn is_coherent(advert: &Advert) -> bool {
    let Advert { transaction_type, property_type, details, .. } = advert;
    let (price, surface) = (details.price_or_lowest(), details.surface_or_smallest());
    details.life_annuity.is_given() || is_plausible(*transaction_type, *property_type, price, surface)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_per_meter_has_two_decimals() {
        assert_eq!(per_meter(Amount::new(200_000.0), Amount::new(37.0)), Amount::new(5_405.41));
        assert_eq!(per_meter(Amount::new(200_000.0), Amount::new(0.0)), None);
        assert_eq!(per_meter(None, Amount::new(37.0)), None);
    }
}
