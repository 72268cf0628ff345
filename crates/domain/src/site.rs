//! The sources adverts come from.

use std::fmt;

use crate::value::WebAddress;

/// What makes a site that site: its domain, or its name when it has none; in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey(Box<str>);

impl SiteKey {
    const LENGTH_MAX: usize = 255;

    /// Reads a domain, an address or a name: `www.Portail.fr`, `https://portail.fr/x` and `portail.fr` are one site. What
    /// is read reads back as itself.
    pub fn parse(text: &str) -> Option<Self> {
        let mut key = Self::parse_once(text)?;
        loop {
            // What `www.` hid may be an address, or blank at its edge. Each turn shortens the text, so there is a last one.
            let again = Self::parse_once(&key.0)?;
            if again == key {
                return Some(key);
            }
            key = again;
        }
    }

    fn parse_once(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(address) = WebAddress::parse(text) {
            return Some(Self::of_address(&address));
        }
        let key = text.to_lowercase();
        let fits = !key.is_empty() && key.len() <= Self::LENGTH_MAX && !key.chars().any(char::is_control);
        fits.then(|| Self::without_www(&key))
    }

    /// The site an advert's address belongs to.
    pub fn of_address(address: &WebAddress) -> Self {
        Self::without_www(&address.host())
    }

    /// Takes back a key that once came out of [`SiteKey::as_str`]: a store need not judge again what it was given.
    pub fn trusted(key: String) -> Self {
        Self(key.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn without_www(mut key: &str) -> Self {
        while let Some(rest) = key.strip_prefix("www.").filter(|rest| rest.contains('.')) {
            key = rest;
        }
        Self(key.into())
    }
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_site_are_one_site() {
        for text in ["portail.fr", "WWW.Portail.FR", "https://www.portail.fr/annonce/1", " portail.fr "] {
            assert_eq!(SiteKey::parse(text).as_ref().map(SiteKey::as_str), Some("portail.fr"), "{text}");
        }
        assert_eq!(SiteKey::parse("Agence du Lac").as_ref().map(SiteKey::as_str), Some("agence du lac"));
        assert_eq!(SiteKey::parse("  "), None);
    }

    #[test]
    fn a_site_reads_back_as_itself() {
        for text in
            ["www.www.a.fr", "www. a.fr", "www.https://www.a.fr/", "https://www.www.a.fr", "www.fr", "İ"]
        {
            let key = SiteKey::parse(text).unwrap();
            assert_eq!(SiteKey::parse(key.as_str()), Some(key), "{text}");
        }
    }
}
