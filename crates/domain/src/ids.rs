//! Identifiers. Each is a type of its own, so that a search's id cannot be passed where a property's is wanted.

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

            /// Reads the hyphenated form, in either case. Other spellings (braces, `urn:`, no hyphens) are not ids that
            /// Vigie ever gave out.
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
    /// A property: the grouped record.
    PropertyId
    /// An advert: one publisher's listing.
    AdvertId
    /// A saved search.
    SearchId
    /// The owner of keys and searches.
    UserId
    /// What links a property to a search.
    MatchId
    /// Something owed for a search, over all attempts to bring it.
    DeliveryId
}

/// A saved search, by a number that is never given twice: what is kept millions of times is kept in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchNumber(pub u32);

impl MatchId {
    /// A search and a property have one match, and its id says which: the search by its number, the property by the position of
    /// the log at which it was first told of. So the id is the same whenever and wherever it is worked out, and no table of ids
    /// is kept.
    pub fn of(search: SearchNumber, first_told_at: u64) -> Self {
        Self(composed(search, KIND_MATCH, first_told_at))
    }

    /// What an id says; nothing when it is none of ours.
    pub fn parts(self) -> Option<(SearchNumber, u64)> {
        taken_apart(self.0, KIND_MATCH)
    }
}

impl DeliveryId {
    /// Deliveries are numbered in the order in which they came to be owed. The search's number is there so that an id cannot be
    /// made up from another one, and the mark because receivers know deliveries by this alone, from whatever service they come.
    pub fn of(search: SearchNumber, sequence: u64, mark: DeliveryEpoch) -> Self {
        let DeliveryEpoch(mark) = mark;
        let number = (mark >> MARK_LOW_BITS) << SEQUENCE_BITS | (sequence & SEQUENCE_MAX);
        let mut bytes = *composed(search, KIND_DELIVERY, number).as_bytes();
        bytes[4..6].copy_from_slice(&(mark & MARK_LOW).to_be_bytes()[6..]);
        Self(Uuid::from_bytes(bytes))
    }

    /// What an id says; nothing when it is none of ours.
    pub fn parts(self) -> Option<(SearchNumber, u64)> {
        let mut bytes = *self.as_bytes();
        bytes[4..6].fill(0);
        let (search, number) = taken_apart(Uuid::from_bytes(bytes), KIND_DELIVERY)?;
        Some((search, number & SEQUENCE_MAX))
    }
}

/// Random bits by which the deliveries of one service are told from those of another, and from those of a copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryEpoch(u64);

impl DeliveryEpoch {
    pub const fn new(random: u64) -> Self {
        Self(random & MARK_MAX)
    }

    pub const fn number(self) -> u64 {
        self.0
    }
}

/// A delivery's number has forty bits: a thousand a second for thirty years.
const SEQUENCE_BITS: u32 = 40;
const SEQUENCE_MAX: u64 = (1 << SEQUENCE_BITS) - 1;
/// What is left of the id.
const MARK_LOW_BITS: u32 = 16;
const MARK_LOW: u64 = (1 << MARK_LOW_BITS) - 1;
const MARK_MAX: u64 = (1 << (62 - SEQUENCE_BITS + MARK_LOW_BITS)) - 1;

const KIND_MATCH: u8 = 0;
const KIND_DELIVERY: u8 = 1;

/// An id that is worked out from two numbers instead of kept.
fn composed(search: SearchNumber, kind: u8, number: u64) -> Uuid {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&search.0.to_be_bytes());
    bytes[7] = kind;
    bytes[8..].copy_from_slice(&(number & POSITION_BITS).to_be_bytes());
    // Writes the bits that tell what kind of UUID this is.
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

fn taken_apart(id: Uuid, kind: u8) -> Option<(SearchNumber, u64)> {
    let bytes = id.as_bytes();
    let search = SearchNumber(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let number = bytes[8..].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) & POSITION_BITS;
    (composed(search, kind, number) == id).then_some((search, number))
}

/// A UUID's last eight bytes begin with two bits of its own.
const POSITION_BITS: u64 = (1 << 62) - 1;

/// Says that a text is not a hyphenated UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a UUID")]
pub struct NotAUuid;

/// The public part of an API key: 22 letters and digits that name it in lists and logs without revealing it.
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

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_s_id_says_what_it_links() {
        for (number, position) in [(0, 0), (1, 1), (u32::MAX, POSITION_BITS), (77, 123_456_789_012)] {
            let id = MatchId::of(SearchNumber(number), position);
            assert_eq!(id.parts(), Some((SearchNumber(number), position)));
            assert_eq!(id.uuid().get_version_num(), 8);
        }
        let delivery = DeliveryId::of(SearchNumber(3), 9, DeliveryEpoch::default());
        assert_eq!(delivery.parts(), Some((SearchNumber(3), 9)));
        let elsewhere = DeliveryId::of(SearchNumber(u32::MAX), SEQUENCE_MAX, DeliveryEpoch::new(u64::MAX));
        assert_eq!(elsewhere.parts(), Some((SearchNumber(u32::MAX), SEQUENCE_MAX)));
        for bit in 0..38 {
            let marked = DeliveryId::of(SearchNumber(3), 9, DeliveryEpoch::new(1 << bit));
            assert_eq!(marked.parts(), Some((SearchNumber(3), 9)));
            assert_ne!(marked, delivery, "every bit counts");
        }
        assert_eq!(MatchId::from_uuid(delivery.uuid()).parts(), None, "an id of another kind");
        let foreign: MatchId = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".parse().unwrap();
        assert_eq!(foreign.parts(), None);
    }

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        let text = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(text.parse::<PropertyId>().map(|id| id.to_string()), Ok(text.to_owned()));
        assert_eq!(text.to_uppercase().parse::<PropertyId>().map(|id| id.to_string()), Ok(text.to_owned()));
        for wrong in ["", "0190a1b2c3d47e5f8a9b0c1d2e3f4a5b", "{0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}", "x"] {
            assert_eq!(wrong.parse::<PropertyId>(), Err(NotAUuid), "{wrong}");
        }
    }
}
