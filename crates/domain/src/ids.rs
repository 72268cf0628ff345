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
}

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
    fn only_the_hyphenated_form_is_an_id() {
        let text = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(text.parse::<PropertyId>().map(|id| id.to_string()), Ok(text.to_owned()));
        assert_eq!(text.to_uppercase().parse::<PropertyId>().map(|id| id.to_string()), Ok(text.to_owned()));
        for wrong in ["", "0190a1b2c3d47e5f8a9b0c1d2e3f4a5b", "{0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}", "x"] {
            assert_eq!(wrong.parse::<PropertyId>(), Err(NotAUuid), "{wrong}");
        }
    }
}
