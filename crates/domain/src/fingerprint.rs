//! Fingerprints of field values: 64 bits that stand for a value in the timeline of an advert.
//!
//! They are stored, so they must never change: that is why this is not [`std::hash::Hash`], whose result depends on the release of
//! the compiler. An empty value has the fingerprint [`EMPTY`]. The fingerprint of an amount contains the amount itself.

use std::sync::Arc;

use crate::advert_fields::{Contact, EnergyLetter, Publisher, Rating};
use crate::country::CountryCode;
use crate::kinds::{FeesResponsibility, GeoAccuracy, PublisherType, RentPeriod};
use crate::place::{GeoPoint, GivenPlace, Insee, Zipcode};
use crate::site::SiteKey;
use crate::special_sale::{LifeAnnuity, NewBuilding};
use crate::value::{Amount, Text, WebAddress};

/// The fingerprint of an unknown value and of an empty list.
pub const EMPTY: u64 = 0;

/// A value that a timeline can remember.
pub trait Fingerprint {
    /// Whether the fingerprint contains an amount, which [`amount`] returns.
    const IS_AMOUNT: bool = false;

    fn fingerprint(&self) -> u64;
}

/// Returns the amount of a fingerprint. `None` for an unknown amount.
pub fn amount(fingerprint: u64) -> Option<Amount> {
    fingerprint.checked_sub(1).map(f64::from_bits).and_then(Amount::new)
}

/// Mixes words by invertible steps, eight bytes at a time.
struct Mixer(u64);

impl Mixer {
    /// The golden ratio, as in SplitMix64. It is odd, so that the multiplication is invertible.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    const fn new() -> Self {
        Self(0x0056_6967_6965)
    }

    const fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(Self::FACTOR).rotate_left(29);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
    }

    /// Returns the result, which is never [`EMPTY`].
    const fn finish(mut self) -> u64 {
        self.word(0);
        let mixed = self.0 ^ (self.0 >> 32);
        if mixed == EMPTY { 1 } else { mixed }
    }
}

fn of_text(text: &str) -> u64 {
    let mut mixer = Mixer::new();
    mixer.bytes(text.as_bytes());
    mixer.finish()
}

/// Combines the fingerprints of the parts of a value. [`EMPTY`] if all are empty.
pub fn combined(parts: impl IntoIterator<Item = u64>) -> u64 {
    let (mut mixer, mut known) = (Mixer::new(), false);
    for part in parts {
        known |= part != EMPTY;
        mixer.word(part);
    }
    if known { mixer.finish() } else { EMPTY }
}

impl<T: Fingerprint> Fingerprint for Option<T> {
    const IS_AMOUNT: bool = T::IS_AMOUNT;

    fn fingerprint(&self) -> u64 {
        self.as_ref().map_or(EMPTY, T::fingerprint)
    }
}

impl<T: Fingerprint> Fingerprint for Arc<[T]> {
    fn fingerprint(&self) -> u64 {
        combined(self.iter().map(T::fingerprint))
    }
}

impl Fingerprint for Amount {
    const IS_AMOUNT: bool = true;

    fn fingerprint(&self) -> u64 {
        // The bits of a finite number are far from the maximum.
        self.get().to_bits() + 1
    }
}

impl Fingerprint for i32 {
    fn fingerprint(&self) -> u64 {
        u64::from(self.cast_unsigned()) + 1
    }
}

impl Fingerprint for bool {
    fn fingerprint(&self) -> u64 {
        u64::from(*self) + 1
    }
}

impl<const MAX: usize> Fingerprint for Text<MAX> {
    fn fingerprint(&self) -> u64 {
        of_text(self.as_str())
    }
}

impl Fingerprint for WebAddress {
    fn fingerprint(&self) -> u64 {
        of_text(self.as_str())
    }
}

impl Fingerprint for SiteKey {
    fn fingerprint(&self) -> u64 {
        of_text(self.as_str())
    }
}

impl Fingerprint for Insee {
    fn fingerprint(&self) -> u64 {
        of_text(self.as_str())
    }
}

impl Fingerprint for Zipcode {
    fn fingerprint(&self) -> u64 {
        of_text(self.as_str())
    }
}

impl Fingerprint for GeoPoint {
    fn fingerprint(&self) -> u64 {
        // Together with 1, because both coordinates may be zero.
        combined([1, self.lat().to_bits(), self.lon().to_bits()])
    }
}

impl Fingerprint for FeesResponsibility {
    fn fingerprint(&self) -> u64 {
        u64::from(self.code()) + 1
    }
}

impl Fingerprint for PublisherType {
    fn fingerprint(&self) -> u64 {
        u64::from(self.code()) + 1
    }
}

impl Fingerprint for GeoAccuracy {
    fn fingerprint(&self) -> u64 {
        u64::from(self.code()) + 1
    }
}

impl Fingerprint for RentPeriod {
    fn fingerprint(&self) -> u64 {
        u64::from(self.code()) + 1
    }
}

impl Fingerprint for CountryCode {
    fn fingerprint(&self) -> u64 {
        of_text(self.as_str())
    }
}

impl Fingerprint for LifeAnnuity {
    fn fingerprint(&self) -> u64 {
        let Self { bouquet, rent } = self;
        combined([bouquet, rent].map(Fingerprint::fingerprint))
    }
}

impl Fingerprint for NewBuilding {
    fn fingerprint(&self) -> u64 {
        let Self { price_min, price_max, surface_min, surface_max, room_min, room_max } = self;
        let amounts = [price_min, price_max, surface_min, surface_max].map(Fingerprint::fingerprint);
        combined(amounts.into_iter().chain([room_min, room_max].map(Fingerprint::fingerprint)))
    }
}

impl Fingerprint for EnergyLetter {
    fn fingerprint(&self) -> u64 {
        u64::from(u32::from(self.letter()))
    }
}

impl Fingerprint for Contact {
    fn fingerprint(&self) -> u64 {
        let Self { agency, email, fax, name, phone, reference } = self;
        combined([agency, email, fax, name, phone, reference].map(Fingerprint::fingerprint))
    }
}

/// Its parts have fingerprints of their own.
impl Fingerprint for Publisher {
    fn fingerprint(&self) -> u64 {
        EMPTY
    }
}

/// Its parts have fingerprints of their own.
impl Fingerprint for Rating {
    fn fingerprint(&self) -> u64 {
        EMPTY
    }
}

/// Its parts have fingerprints of their own.
impl Fingerprint for GivenPlace {
    fn fingerprint(&self) -> u64 {
        EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_never_change() {
        let text = |text: &str| Text::<100>::new(text).unwrap().fingerprint();
        assert_eq!(text(" "), EMPTY);
        assert_eq!(text("Appartement"), 0x0a9e_3199_9c2e_f57d);
        assert_eq!(Insee::parse("2A004").fingerprint(), 0x55c0_2603_28a0_dc74);
        assert_eq!(GeoPoint::new(48.85, 2.35).fingerprint(), 0x8078_f5e8_130e_7cd9);
        assert_eq!(Some(-3).fingerprint(), 4_294_967_294);
        assert_eq!(Some(false).fingerprint(), 1);
        assert_eq!(
            Arc::<[Option<Amount>]>::from([Amount::new(1.0), None]).fingerprint(),
            0x7b15_e1fe_25d7_5d07
        );
    }

    #[test]
    fn amounts_are_read_back() {
        assert_eq!(amount(EMPTY), None);
        for number in [0.0, 1.0, 85.31, f64::MIN_POSITIVE, Amount::MAX] {
            let known = Amount::new(number);
            assert!(known.is_some());
            assert_ne!(known.fingerprint(), EMPTY, "{number}");
            assert_eq!(amount(known.fingerprint()), known, "{number}");
        }
    }

    #[test]
    fn different_values_have_different_fingerprints() {
        let list = |items: &[&str]| -> u64 {
            items.iter().map(|item| Text::<100>::new(item).unwrap()).collect::<Arc<[_]>>().fingerprint()
        };
        let lists =
            [list(&[]), list(&["a"]), list(&["a", "b"]), list(&["b", "a"]), list(&["ab"]), list(&["a", "a"])];
        for (index, one) in lists.iter().enumerate() {
            assert!(!lists[index + 1..].contains(one), "list {index}");
        }
        assert_ne!(GeoPoint::new(0.0, 0.0).fingerprint(), EMPTY);
        assert_ne!(Contact { name: Text::new("A").unwrap(), ..Contact::default() }.fingerprint(), EMPTY);
    }
}
