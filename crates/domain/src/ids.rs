//! Identifiers. Each is a distinct type, so that a search id cannot be passed as a property id.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

macro_rules! uuid_ids {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            pub const fn uuid(self) -> Uuid {
                self.0
            }

            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }

            pub const fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self.0.as_hyphenated(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0.as_hyphenated())
            }
        }

        impl FromStr for $name {
            type Err = NotAUuid;

            /// Parses the hyphenated form, in upper or lower case. Other forms (braces, `urn:`, no hyphens) are rejected,
            /// because Vigie never emits them.
            fn from_str(text: &str) -> Result<Self, NotAUuid> {
                if text.len() != uuid::fmt::Hyphenated::LENGTH {
                    return Err(NotAUuid);
                }
                Uuid::try_parse(text).map(Self).map_err(|_| NotAUuid)
            }
        }
    )+};
}

uuid_ids! {
    /// A property.
    PropertyId
    /// An advert.
    AdvertId
    /// A saved search.
    SearchId
    /// A user, the owner of API keys and saved searches.
    UserId
    /// A match of a property and a saved search.
    MatchId
    /// A delivery, the same for all its attempts.
    DeliveryId
}

/// The number of a saved search, never reused. Four bytes, because it is stored millions of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchNumber(pub u32);

impl MatchId {
    /// Computes the id of the match of a search and a property. The property is identified by the log position of its first
    /// entry. The id is deterministic, so no table of ids is needed.
    pub fn of(search: SearchNumber, first_position: u64) -> Self {
        Self(compose(search, KIND_MATCH, first_position))
    }

    /// Returns the numbers encoded in the id. `None` if Vigie did not create it.
    pub fn parts(self) -> Option<(SearchNumber, u64)> {
        decompose(self.0, KIND_MATCH)
    }
}

impl DeliveryId {
    /// Computes the id of a delivery. `sequence` numbers the deliveries in the order of their creation. The search number makes
    /// ids hard to guess from one another. The epoch makes them unique across installations, because receivers identify a
    /// delivery by this id alone.
    pub fn of(search: SearchNumber, sequence: u64, epoch: DeliveryEpoch) -> Self {
        let DeliveryEpoch(epoch) = epoch;
        let number = (epoch >> EPOCH_LOW_BITS) << SEQUENCE_BITS | (sequence & SEQUENCE_MAX);
        let mut bytes = *compose(search, KIND_DELIVERY, number).as_bytes();
        bytes[4..6].copy_from_slice(&(epoch & EPOCH_LOW).to_be_bytes()[6..]);
        Self(Uuid::from_bytes(bytes))
    }

    /// Returns the numbers encoded in the id. `None` if Vigie did not create it.
    pub fn parts(self) -> Option<(SearchNumber, u64)> {
        let mut bytes = *self.as_bytes();
        bytes[4..6].fill(0);
        let (search, number) = decompose(Uuid::from_bytes(bytes), KIND_DELIVERY)?;
        Some((search, number & SEQUENCE_MAX))
    }
}

/// Random bits that distinguish the deliveries of one installation from those of another, or of a copy of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryEpoch(u64);

impl DeliveryEpoch {
    pub const fn new(random: u64) -> Self {
        Self(random & EPOCH_MAX)
    }

    pub const fn number(self) -> u64 {
        self.0
    }
}

/// Forty bits for the sequence number: a thousand deliveries per second for thirty years.
const SEQUENCE_BITS: u32 = 40;
const SEQUENCE_MAX: u64 = (1 << SEQUENCE_BITS) - 1;
/// The remaining bits of the id hold the epoch.
const EPOCH_LOW_BITS: u32 = 16;
const EPOCH_LOW: u64 = (1 << EPOCH_LOW_BITS) - 1;
const EPOCH_MAX: u64 = (1 << (62 - SEQUENCE_BITS + EPOCH_LOW_BITS)) - 1;

const KIND_MATCH: u8 = 0;
const KIND_DELIVERY: u8 = 1;

/// Encodes two numbers as a version 8 UUID.
fn compose(search: SearchNumber, kind: u8, number: u64) -> Uuid {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&search.0.to_be_bytes());
    bytes[7] = kind;
    bytes[8..].copy_from_slice(&(number & POSITION_BITS).to_be_bytes());
    // Sets the version and variant bits.
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

fn decompose(id: Uuid, kind: u8) -> Option<(SearchNumber, u64)> {
    let bytes = id.as_bytes();
    let search = SearchNumber(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let number = bytes[8..].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) & POSITION_BITS;
    (compose(search, kind, number) == id).then_some((search, number))
}

/// The last eight bytes of a UUID start with two variant bits.
const POSITION_BITS: u64 = (1 << 62) - 1;

/// The text is not a hyphenated UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a UUID")]
pub struct NotAUuid;

/// The public part of an API key: 22 letters and digits that identify the key in lists and logs without revealing it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(Box<str>);

impl KeyId {
    pub const LENGTH: usize = 22;

    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == Self::LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        fits.then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyId {
    type Err = NotAKeyId;

    fn from_str(text: &str) -> Result<Self, NotAKeyId> {
        Self::parse(text).ok_or(NotAKeyId)
    }
}

/// The text is not the id of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a key")]
pub struct NotAKeyId;

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The public part of a session: letters and digits that identify it in memory and logs without revealing it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Box<str>);

impl SessionId {
    pub const LENGTH: usize = 22;

    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == Self::LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        fits.then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_encode_their_numbers() {
        for (number, position) in [(0, 0), (1, 1), (u32::MAX, POSITION_BITS), (77, 123_456_789_012)] {
            let id = MatchId::of(SearchNumber(number), position);
            assert_eq!(id.parts(), Some((SearchNumber(number), position)));
            assert_eq!(id.uuid().get_version_num(), 8);
        }
        let delivery = DeliveryId::of(SearchNumber(3), 9, DeliveryEpoch::default());
        assert_eq!(delivery.parts(), Some((SearchNumber(3), 9)));
        let largest = DeliveryId::of(SearchNumber(u32::MAX), SEQUENCE_MAX, DeliveryEpoch::new(u64::MAX));
        assert_eq!(largest.parts(), Some((SearchNumber(u32::MAX), SEQUENCE_MAX)));
        for bit in 0..38 {
            let other = DeliveryId::of(SearchNumber(3), 9, DeliveryEpoch::new(1 << bit));
            assert_eq!(other.parts(), Some((SearchNumber(3), 9)));
            assert_ne!(other, delivery, "bit {bit} is ignored");
        }
        assert_eq!(MatchId::from_uuid(delivery.uuid()).parts(), None, "an id of another kind");
        let foreign: MatchId = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".parse().unwrap();
        assert_eq!(foreign.parts(), None);
    }

    #[test]
    fn only_the_hyphenated_form_is_parsed() {
        let text = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(text.parse::<PropertyId>().map(|id| id.to_string()), Ok(text.to_owned()));
        assert_eq!(text.to_uppercase().parse::<PropertyId>().map(|id| id.to_string()), Ok(text.to_owned()));
        for wrong in ["", "0190a1b2c3d47e5f8a9b0c1d2e3f4a5b", "{0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}", "x"] {
            assert_eq!(wrong.parse::<PropertyId>(), Err(NotAUuid), "{wrong}");
        }
    }
}
