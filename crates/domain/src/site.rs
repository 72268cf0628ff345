//! Sites, the sources of adverts, and the categories that operators assign them to.

mod directory;
mod key;

use std::fmt;
use std::str::FromStr;

pub use directory::SiteDirectory;
pub use key::{SiteKey, registered_domain};

use crate::fold::fold;
use crate::value::{Text, TextError};

macro_rules! numbered_ids {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Creates an id. Ids start at 1.
            pub const fn new(number: u32) -> Option<Self> {
                if number == 0 { None } else { Some(Self(number)) }
            }

            pub const fn get(self) -> u32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = NotANumber;

            /// Parses decimal digits as printed: no sign, no leading zeros.
            fn from_str(text: &str) -> Result<Self, NotANumber> {
                let digits = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|_| digits).and_then(Self::new).ok_or(NotANumber)
            }
        }
    )+};
}

numbered_ids! {
    /// A site. Assigned when the site is first seen, never reused.
    SiteId
    /// A category of sites.
    SiteCategoryId
}

/// The text is not the id of a site or category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id")]
pub struct NotANumber;

/// A source of adverts, seen in an advert or added by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub id: SiteId,
    pub key: SiteKey,
    /// The name assigned by the operator.
    pub name: Option<SiteName>,
    pub category: Option<SiteCategoryId>,
}

impl Site {
    /// Returns the display name: the operator's name, otherwise the key.
    pub fn label(&self) -> &str {
        self.name.as_ref().map_or(self.key.as_str(), SiteName::as_str)
    }
}

/// An operator-defined group of sites: portals, agencies, notaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteCategory {
    pub id: SiteCategoryId,
    pub name: SiteCategoryName,
}

/// The name of a site.
pub type SiteName = Text<200>;

/// The name of a category. It contains a letter, so that it cannot be confused with an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteCategoryName(Text<{ Self::LENGTH_MAX }>);

impl SiteCategoryName {
    pub const LENGTH_MAX: usize = 100;

    pub fn parse(text: &str) -> Result<Self, SiteCategoryNameError> {
        match Text::new(text)? {
            None => Err(SiteCategoryNameError::Blank),
            Some(name) if !name.as_str().chars().any(char::is_alphabetic) => {
                Err(SiteCategoryNameError::NoLetter)
            }
            // Names are printed one per line and appear in messages.
            Some(name) if name.as_str().chars().any(char::is_control) => {
                Err(SiteCategoryNameError::Text(TextError::ControlCharacter))
            }
            Some(name) => Ok(Self(name)),
        }
    }

    /// Restores a name that [`SiteCategoryName::as_str`] returned, without checking it.
    pub fn trusted(name: String) -> Self {
        Self(Text::trusted(name))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the form for comparison, without case, accents and punctuation.
    pub fn comparison_key(&self) -> String {
        fold(self.as_str())
    }
}

impl fmt::Display for SiteCategoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why the name of a category is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SiteCategoryNameError {
    #[error("This value should not be blank.")]
    Blank,
    #[error("This value should contain a letter.")]
    NoLetter,
    #[error(transparent)]
    Text(#[from] TextError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_has_a_single_spelling() {
        assert_eq!("7".parse::<SiteId>().map(SiteId::get), Ok(7));
        for wrong in ["", "0", "07", "+7", "-7", "7 ", "7.0", "4294967296", "portail.fr"] {
            assert_eq!(wrong.parse::<SiteId>(), Err(NotANumber), "{wrong}");
        }
    }

    #[test]
    fn category_name_contains_a_letter() {
        let check = |text: &str, expected: Result<&str, SiteCategoryNameError>| {
            let parsed = SiteCategoryName::parse(text);
            assert_eq!(
                parsed.as_ref().map(SiteCategoryName::as_str).map_err(|error| *error),
                expected,
                "{text}"
            );
        };
        check(" Portails ", Ok("Portails"));
        check("3e réseau", Ok("3e réseau"));
        check("  ", Err(SiteCategoryNameError::Blank));
        check("12", Err(SiteCategoryNameError::NoLetter));
        check("a\tb", Err(SiteCategoryNameError::Text(TextError::ControlCharacter)));
        let length = SiteCategoryName::LENGTH_MAX + 1;
        let too_long = TextError::TooLong { length, limit: SiteCategoryName::LENGTH_MAX };
        check(&"é".repeat(length), Err(SiteCategoryNameError::Text(too_long)));
    }
}
