//! What of an advert is compared.

use crate::advert::Advert;
use crate::kinds::{PropertyType, TransactionType};

/// The version of the encoding and of the values. Signatures of another version are computed again.
pub const SIGNATURE_VERSION: u8 = 1;

/// What the gazetteer knows about the commune of an advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommuneFacts {
    /// The commune or district, by its id.
    pub commune: u32,
    /// The commune that a district belongs to; the same as `commune` otherwise.
    pub city: u32,
    /// Of the commune or district.
    pub population: u32,
}

/// The facts and the text of an advert, in a form that is quick to compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    pub commune: CommuneFacts,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub is_live: bool,
    pub price: Option<f32>,
    pub surface: Option<f32>,
    pub room: Option<i16>,
}

impl Signature {
    /// Returns `None` for an advert without a commune, which is compared with no other.
    pub fn of(advert: &Advert, commune: Option<CommuneFacts>) -> Option<Self> {
        Some(Self {
            commune: commune?,
            transaction_type: advert.transaction_type,
            property_type: advert.property_type,
            is_live: !advert.is_expired(),
            price: advert.details.price.map(|price| price.get() as f32),
            surface: advert.details.surface.map(|surface| surface.get() as f32),
            room: advert.details.room.and_then(|room| i16::try_from(room).ok()),
        })
    }

    /// Returns the same with another lifecycle: an expiry changes nothing else.
    #[must_use]
    pub fn with_live(self, is_live: bool) -> Self {
        Self { is_live, ..self }
    }

    /// Encodes it for the store.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![SIGNATURE_VERSION];
        let CommuneFacts { commune, city, population } = self.commune;
        for number in [commune, city, population] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([self.transaction_type.code(), self.property_type.code(), u8::from(self.is_live)]);
        for number in [self.price, self.surface] {
            bytes.extend(number.unwrap_or(f32::NAN).to_le_bytes());
        }
        bytes.extend(self.room.unwrap_or(i16::MIN).to_le_bytes());
        bytes
    }

    /// Returns `None` for bytes of another version, or damaged ones.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = bytes.strip_prefix(&[SIGNATURE_VERSION])?;
        let commune = take(&mut bytes).map(u32::from_le_bytes)?;
        let city = take(&mut bytes).map(u32::from_le_bytes)?;
        let population = take(&mut bytes).map(u32::from_le_bytes)?;
        let [transaction_type, property_type, is_live] = take(&mut bytes)?;
        let price = take(&mut bytes).map(f32::from_le_bytes)?;
        let surface = take(&mut bytes).map(f32::from_le_bytes)?;
        let room = take(&mut bytes).map(i16::from_le_bytes)?;
        Some(Self {
            commune: CommuneFacts { commune, city, population },
            transaction_type: TransactionType::from_code(transaction_type)?,
            property_type: PropertyType::from_code(property_type)?,
            is_live: is_live == 1,
            price: Some(price).filter(|price| !price.is_nan()),
            surface: Some(surface).filter(|surface| !surface.is_nan()),
            room: Some(room).filter(|room| *room != i16::MIN),
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}
