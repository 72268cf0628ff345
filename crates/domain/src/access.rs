//! The permissions of an API key.

use std::fmt;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_round_trip() {
        let scopes = Scopes::parse("ingest, read").unwrap();
        assert_eq!(scopes.to_string(), "read,ingest");
        assert!(scopes.contains(Scope::Ingest) && !scopes.contains(Scope::Admin));
        assert_eq!(Scopes::parse("read,write"), Err(UnknownScope { word: "write".to_owned() }));
    }
}
