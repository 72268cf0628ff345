//! What the price of an advert is checked by, and what the check found, kept in memory for the whole stock.

use super::{PriceCheck, PricePlace, PriceProblem, PriceSubject};
use crate::advert::Advert;
use crate::kinds::{PropertyType, RentPeriod, TransactionType};
use crate::value::Amount;

/// The price of an advert and its check, in 32 bytes. A [`PriceSubject`] takes three times as many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedPrice {
    /// Negative for none, like the surface.
    price: f64,
    surface: f64,
    commune: u32,
    department: u16,
    transaction_type: TransactionType,
    property_type: PropertyType,
    rent_period: Option<RentPeriod>,
    flags: u8,
    check: PriceCheck,
}

const NONE: f64 = -1.0;
/// In the place of a commune: none, and in another country.
const NO_COMMUNE: u32 = 0;
const ABROAD: u32 = u32::MAX;
const NO_DEPARTMENT: u16 = 0;

const LIFE_ANNUITY: u8 = 1;
const NEW_BUILDING: u8 = 2;

/// In the place of the code of a rent period.
const NO_PERIOD: u8 = u8::MAX;

impl CheckedPrice {
    /// The length of the encoding.
    pub const BYTES: usize = 28;

    pub fn of(advert: &Advert) -> Self {
        Self::new(&PriceSubject::of(advert), advert.price_check)
    }

    fn new(subject: &PriceSubject, check: PriceCheck) -> Self {
        let PriceSubject {
            transaction_type,
            property_type,
            price,
            surface,
            place,
            rent_period,
            life_annuity,
            new_building,
        } = *subject;
        // Ids are codes of at most six digits, those of departments of three.
        let (commune, department) = match place {
            PricePlace::Commune { commune, department } => {
                (u32::try_from(commune).unwrap_or(NO_COMMUNE), department.unwrap_or_default())
            }
            PricePlace::Unknown => (NO_COMMUNE, 0),
            PricePlace::Abroad => (ABROAD, 0),
        };
        let department = u16::try_from(department).unwrap_or(NO_DEPARTMENT);
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag(life_annuity, LIFE_ANNUITY) | flag(new_building, NEW_BUILDING);
        let number = |amount: Option<Amount>| amount.map_or(NONE, Amount::get);
        let (price, surface) = (number(price), number(surface));
        Self {
            price,
            surface,
            commune,
            department,
            transaction_type,
            property_type,
            rent_period,
            flags,
            check,
        }
    }

    /// Returns what the price is checked by.
    pub fn subject(&self) -> PriceSubject {
        let place = match self.commune {
            NO_COMMUNE => PricePlace::Unknown,
            ABROAD => PricePlace::Abroad,
            commune => {
                let department = (self.department != NO_DEPARTMENT).then(|| self.department.into());
                PricePlace::Commune { commune: commune.into(), department }
            }
        };
        PriceSubject {
            transaction_type: self.transaction_type,
            property_type: self.property_type,
            price: Amount::new(self.price),
            surface: Amount::new(self.surface),
            place,
            rent_period: self.rent_period,
            life_annuity: self.flags & LIFE_ANNUITY != 0,
            new_building: self.flags & NEW_BUILDING != 0,
        }
    }

    pub const fn check(&self) -> PriceCheck {
        self.check
    }

    /// Returns the same price, with another result.
    #[must_use]
    pub const fn with_check(self, check: PriceCheck) -> Self {
        Self { check, ..self }
    }

    /// Encodes it for the store.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.price.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.surface.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.commune.to_le_bytes());
        bytes[20..22].copy_from_slice(&self.department.to_le_bytes());
        let period = self.rent_period.map_or(NO_PERIOD, RentPeriod::code);
        let (kind, problem) = match self.check {
            PriceCheck::Unchecked => (0, None),
            PriceCheck::Coherent => (1, None),
            PriceCheck::Incoherent(problem) => (1, Some(problem)),
            PriceCheck::TakenOver(problem) => (2, problem),
        };
        let problem = problem.map_or(0, PriceProblem::code);
        let codes = [self.transaction_type.code(), self.property_type.code(), period];
        bytes[22..25].copy_from_slice(&codes);
        bytes[25..].copy_from_slice(&[self.flags, kind, problem]);
        bytes
    }

    /// Returns `None` for bytes that [`CheckedPrice::encode`] does not write.
    pub fn decode(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (price, rest) = bytes.split_first_chunk()?;
        let (surface, rest) = rest.split_first_chunk()?;
        let (commune, rest) = rest.split_first_chunk()?;
        let (department, rest) = rest.split_first_chunk()?;
        let [transaction_type, property_type, period, flags, kind, problem] = *rest else { return None };
        let rent_period = match period {
            NO_PERIOD => None,
            code => Some(RentPeriod::from_code(code)?),
        };
        let problem = match problem {
            0 => None,
            code => Some(PriceProblem::from_code(code)?),
        };
        let check = match (kind, problem) {
            (0, None) => PriceCheck::Unchecked,
            (1, None) => PriceCheck::Coherent,
            (1, Some(problem)) => PriceCheck::Incoherent(problem),
            (2, problem) => PriceCheck::TakenOver(problem),
            _ => return None,
        };
        Some(Self {
            price: f64::from_le_bytes(*price),
            surface: f64::from_le_bytes(*surface),
            commune: u32::from_le_bytes(*commune),
            department: u16::from_le_bytes(*department),
            transaction_type: TransactionType::from_code(transaction_type)?,
            property_type: PropertyType::from_code(property_type)?,
            rent_period,
            flags,
            check,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_a_price_is_judged_by_is_kept() {
        assert_eq!(size_of::<CheckedPrice>(), 32);
        let places = [
            PricePlace::Commune { commune: 201_004, department: Some(201) },
            PricePlace::Commune { commune: 97_411, department: None },
            PricePlace::Unknown,
            PricePlace::Abroad,
        ];
        let periods = [None, Some(RentPeriod::Month), Some(RentPeriod::Season)];
        let amounts = [(None, None), (Some(0.0), Some(1e12)), (Some(295_000.5), Some(85.31))];
        for place in places {
            for rent_period in periods {
                for (price, surface) in amounts {
                    for [life_annuity, new_building] in [[false, true], [true, false]] {
                        let subject = PriceSubject {
                            transaction_type: TransactionType::Rent,
                            property_type: PropertyType::Parking,
                            price: price.and_then(Amount::new),
                            surface: surface.and_then(Amount::new),
                            place,
                            rent_period,
                            life_annuity,
                            new_building,
                        };
                        let checked = CheckedPrice::new(&subject, PriceCheck::Coherent);
                        assert_eq!(checked.subject(), subject);
                        assert_eq!(CheckedPrice::decode(&checked.encode()), Some(checked));
                    }
                }
            }
        }
    }

    #[test]
    fn every_check_is_kept_and_other_bytes_are_refused() {
        let problems = || PriceProblem::ALL.iter().copied();
        let checks = problems().map(PriceCheck::Incoherent);
        let checks = checks.chain(problems().map(Some).map(PriceCheck::TakenOver));
        let others = [PriceCheck::Unchecked, PriceCheck::Coherent, PriceCheck::TakenOver(None)];
        let subject = PriceSubject {
            transaction_type: TransactionType::Sell,
            property_type: PropertyType::House,
            price: None,
            surface: None,
            place: PricePlace::Unknown,
            rent_period: None,
            life_annuity: false,
            new_building: false,
        };
        for check in checks.chain(others) {
            let checked = CheckedPrice::new(&subject, PriceCheck::Unchecked).with_check(check);
            assert_eq!(CheckedPrice::decode(&checked.encode()).map(|checked| checked.check()), Some(check));
        }
        let bytes = CheckedPrice::new(&subject, PriceCheck::Unchecked).encode();
        for (place, code) in [(22, 9), (23, 99), (24, 77), (26, 3), (27, 1), (27, 200)] {
            let mut other = bytes;
            other[place] = code;
            assert_eq!(CheckedPrice::decode(&other), None, "{place}");
        }
    }
}
