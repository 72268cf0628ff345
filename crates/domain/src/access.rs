//! The permissions of an API key, and what an operator sets for it.

use std::fmt;

use jiff::Timestamp;

use crate::value::{Text, TextError};

/// A permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Read property documents, adverts and reference data.
    Read,
    /// Manage one's own saved searches and read their deliveries.
    Searches,
    /// Send, expire and erase adverts.
    Ingest,
    /// Name and categorise sites, and all other operator requests.
    Admin,
}

impl Scope {
    pub const ALL: &'static [Self] = &[Self::Read, Self::Searches, Self::Ingest, Self::Admin];

    /// Returns the name on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Searches => "searches",
            Self::Ingest => "ingest",
            Self::Admin => "admin",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.word() == word)
    }
}

/// A set of permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & Self::bit(scope) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// Parses a comma-separated list such as `read,ingest`. Fails on the first unknown scope.
    pub fn parse(text: &str) -> Result<Self, UnknownScope> {
        text.split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(|word| Scope::from_word(word).ok_or_else(|| UnknownScope { word: word.to_owned() }))
            .collect()
    }

    const fn bit(scope: Scope) -> u8 {
        1 << scope as u8
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | Self::bit(scope)))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            f.write_str(scope.word())?;
        }
        Ok(())
    }
}

/// The text is not the name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{word}`; the scopes are read, searches, ingest and admin")]
pub struct UnknownScope {
    pub word: String,
}

/// What an operator sets for a key, and can change later.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeySettings {
    pub label: Option<KeyLabel>,
    /// The key is invalid from this date on.
    pub expires_at: Option<Timestamp>,
    /// Takes precedence over the general limit. Zero means no limit.
    pub requests_per_minute: Option<u32>,
}

impl KeySettings {
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// A short text that tells an operator what a key is for.
pub type KeyLabel = Text<100>;

/// Parses a label. `None` if it is blank. Labels are listed one per line, so they have no line breaks.
pub fn parse_label(text: &str) -> Result<Option<KeyLabel>, TextError> {
    if text.trim().chars().any(char::is_control) {
        return Err(TextError::ControlCharacter);
    }
    KeyLabel::new(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_is_one_line() {
        assert_eq!(
            parse_label(" le site \n").map(|label| label.map(|label| label.to_string())),
            Ok(Some("le site".to_owned()))
        );
        assert_eq!(parse_label("  "), Ok(None));
        assert_eq!(parse_label("a\tb"), Err(TextError::ControlCharacter));
        assert!(parse_label(&"é".repeat(101)).is_err());
    }

    #[test]
    fn key_expires_at_its_date() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let settings = KeySettings { expires_at: Some(at(10)), ..KeySettings::default() };
        assert!(!settings.is_expired(at(9)) && settings.is_expired(at(10)));
        assert!(!KeySettings::default().is_expired(Timestamp::MAX));
    }

    #[test]
    fn scopes_round_trip() {
        let scopes = Scopes::parse("ingest, read").unwrap();
        assert_eq!(scopes.to_string(), "read,ingest");
        assert!(scopes.contains(Scope::Ingest) && !scopes.contains(Scope::Admin));
        assert_eq!(Scopes::parse("read,write"), Err(UnknownScope { word: "write".to_owned() }));
    }
}
