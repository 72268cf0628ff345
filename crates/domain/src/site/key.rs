//! The identity of a site.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use crate::value::{WebAddress, is_simple_host};

/// The registrable domain of a site, or its name if it has none; in lower case.
///
/// The registrable domain is determined with the Public Suffix List: that of `annonces.portail.co.uk` is `portail.co.uk`. The
/// private part of the list applies too: two blogs under `blogspot.com` are two sites.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey(Arc<str>);

impl SiteKey {
    const LENGTH_MAX: usize = 255;

    /// Parses a domain, a URL or a name: `www.Portail.fr`, `https://annonces.portail.fr/x` and `portail.fr` are the same site.
    /// Parsing is idempotent.
    pub fn parse(text: &str) -> Option<Self> {
        match key_of_simple_host(text) {
            Some(key) => Some(Self(key.into())),
            None => Self::parse_any(text),
        }
    }

    fn parse_any(text: &str) -> Option<Self> {
        let mut key = Self::parse_once(text)?;
        loop {
            // After removing `www.`, the rest may be a URL or start with a space. Every iteration shortens the text or
            // yields a registrable domain, which is stable, so the loop terminates.
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
        // `portail.fr/annonces` without a scheme. Without a known suffix, it is a name that contains a dot.
        if let Some(host) = host_of(text)
            && let Some(domain) = registrable(&host)
        {
            return Some(Self(domain.into()));
        }
        let key = text.to_lowercase();
        let fits = !key.is_empty() && key.len() <= Self::LENGTH_MAX && !key.chars().any(char::is_control);
        fits.then(|| Self::without_www(&key))
    }

    /// Returns the site of the URL of an advert.
    pub fn of_address(address: &WebAddress) -> Self {
        let host = address.host();
        let host = host.strip_suffix('.').unwrap_or(&host);
        match registrable(host) {
            Some(domain) => Self(domain.into()),
            None => Self::without_www(host),
        }
    }

    /// Restores a key that [`SiteKey::as_str`] returned, without checking it (for stores).
    pub fn trusted(key: impl Into<Arc<str>>) -> Self {
        Self(key.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` for a domain, `false` for the name of a site whose domain is unknown.
    pub fn is_domain(&self) -> bool {
        host_of(&self.0).is_some_and(|host| *host == *self.0)
    }

    fn without_www(mut key: &str) -> Self {
        while let Some(rest) = key.strip_prefix("www.").filter(|rest| rest.contains('.')) {
            key = rest;
        }
        Self(key.into())
    }
}

/// Returns the host of a URL without a scheme. `None` for an e-mail address.
fn host_of(text: &str) -> Option<String> {
    if !text.contains('.') || text.contains('@') {
        return None;
    }
    let host = WebAddress::parse(&format!("http://{text}")).ok()?.host();
    Some(host.strip_suffix('.').map(str::to_owned).unwrap_or(host)).filter(|host| host.contains('.'))
}

/// Returns the registered part of a host name, such as `agence.fr` of `hooks.agence.fr`: what limits on a
/// receiver apply to, because its owner can make any number of names below it. An address, and a name without such a
/// part, is returned as it is.
pub fn registered_domain(host: &str) -> &str {
    let is_address = host.starts_with('[') || host.parse::<IpAddr>().is_ok();
    let domain = psl::domain(host.as_bytes()).filter(|_| !is_address);
    domain.and_then(|domain| std::str::from_utf8(domain.as_bytes()).ok()).unwrap_or(host)
}

/// Returns the registrable domain of a host. `None` for a public suffix itself and for hosts without a known suffix, such
/// as IP addresses and internal names.
fn registrable(host: &str) -> Option<&str> {
    let domain = psl::domain(host.as_bytes()).filter(|domain| domain.suffix().is_known())?;
    std::str::from_utf8(domain.as_bytes()).ok().filter(|domain| !domain.starts_with('.'))
}

/// Fast path: returns the key of a simple host name, as nearly every advert names its site: its registrable domain, or the name itself
/// if its suffix is unknown. `None` may also mean that only the full parser can tell.
fn key_of_simple_host(text: &str) -> Option<&str> {
    /// The longest name that the domain name system allows.
    const LENGTH_MAX: usize = 253;
    if text.len() > LENGTH_MAX || !is_simple_host(text) {
        return None;
    }
    registrable(text).or_else(|| (!text.starts_with("www.")).then_some(text))
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(SiteKey::parse(text).as_ref().map(SiteKey::as_str), Some(expected), "{text}");
    }

    #[test]
    fn registered_domains_of_receivers() {
        for (host, expected) in [
            ("hooks.agence.fr", "agence.fr"),
            ("a.b.agence.co.uk", "agence.co.uk"),
            ("shop.github.io", "shop.github.io"),
            ("alone.hook.example", "hook.example"),
            ("localhost", "localhost"),
            ("com", "com"),
            ("9.9.9.9", "9.9.9.9"),
            ("[2620:fe::fe]", "[2620:fe::fe]"),
        ] {
            assert_eq!(registered_domain(host), expected, "{host}");
        }
    }

    #[test]
    fn spellings_of_a_site_have_one_key() {
        for text in [
            "portail.fr",
            "WWW.Portail.FR",
            "https://www.portail.fr/annonce/1",
            " portail.fr ",
            "annonces.portail.fr",
            "http://a.b.portail.fr:8080/",
            "portail.fr/annonces?page=2",
            "portail.fr:443",
            "portail.fr.",
            "https://portail.fr./",
        ] {
            check(text, "portail.fr");
        }
        assert_eq!(SiteKey::parse("  "), None);
    }

    #[test]
    fn key_is_the_registrable_domain() {
        for (host, expected) in [
            ("annonces.portail.co.uk", "portail.co.uk"),
            ("www.service.immo.gouv.fr", "immo.gouv.fr"),
            ("www.immobilier.notaires.fr", "immobilier.notaires.fr"),
            ("agence.immo", "agence.immo"),
            ("vente.agence.immo", "agence.immo"),
            ("www.ville.kawasaki.jp", "www.ville.kawasaki.jp"),
            ("www.city.kawasaki.jp", "city.kawasaki.jp"),
            // Each customer of a hosting service is a separate site.
            ("www.agence-du-lac.blogspot.com", "agence-du-lac.blogspot.com"),
            ("lac.github.io", "lac.github.io"),
            // A public suffix has no registrable domain.
            ("co.uk", "co.uk"),
            ("github.io", "github.io"),
            ("blogspot.com", "blogspot.com"),
            // Unicode and punycode are equivalent.
            ("www.médiathèque.fr", "xn--mdiathque-53af.fr"),
            ("xn--mdiathque-53af.fr", "xn--mdiathque-53af.fr"),
            ("immo.公司.cn", "immo.xn--55qx5d.cn"),
        ] {
            check(host, expected);
            check(&format!("https://{host}/annonce/1"), expected);
        }
    }

    #[test]
    fn text_without_known_suffix_is_a_name() {
        for (text, expected) in [
            ("Agence du Lac", "agence du lac"),
            ("S.A.R.L.Martin", "s.a.r.l.martin"),
            ("Martin S.A.", "martin s.a."),
            ("Immo.fr et Cie", "immo.fr et cie"),
            ("contact@agence.fr", "contact@agence.fr"),
            ("intranet", "intranet"),
            ("annonces.intranet.lan", "annonces.intranet.lan"),
            ("www.annonces.intranet.lan", "annonces.intranet.lan"),
            ("fr", "fr"),
            ("www.fr", "www.fr"),
            ("192.168.1.20", "192.168.1.20"),
            ("http://192.168.1.20:8080/x", "192.168.1.20"),
            ("http://[2001:db8::1]/x", "[2001:db8::1]"),
            ("http://portail.example./", "portail.example"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn domains_and_names_are_distinguished() {
        let is_domain = |text| SiteKey::parse(text).map(|key| key.is_domain());
        for text in ["www.portail.fr", "https://a.intranet.lan/x", "192.168.1.20"] {
            assert_eq!(is_domain(text), Some(true), "{text}");
        }
        for text in ["Agence du Lac", "intranet", "contact@agence.fr", "Martin S.A."] {
            assert_eq!(is_domain(text), Some(false), "{text}");
        }
    }

    #[test]
    fn parsing_is_idempotent() {
        for text in [
            "www.www.a.fr",
            "www. a.fr",
            "www.https://www.a.fr/",
            "https://www.www.a.fr",
            "www.fr",
            "İ",
            ".fr",
            "..fr",
        ] {
            let key = SiteKey::parse(text).unwrap();
            assert_eq!(SiteKey::parse(key.as_str()), Some(key), "{text}");
        }
    }

    proptest! {
        #[test]
        fn parsing_is_idempotent_for_any_text(
            text in prop_oneof![
                ".{0,40}",
                "(www\\.){0,2}[a-zé.]{0,12}\\.(fr|co\\.uk|github\\.io|lan|公司\\.cn)[./:]{0,2}",
                "(www\\.){0,2}[a-c0-9.-]{1,6}",
            ],
        ) {
            prop_assert_eq!(SiteKey::parse(&text), SiteKey::parse_any(&text));
            if let Some(key) = SiteKey::parse(&text) {
                prop_assert_eq!(SiteKey::parse(key.as_str()), Some(key.clone()));
                if let Ok(address) = WebAddress::parse(&format!("https://{key}/")) {
                    // A URL on the site has the key of the site.
                    if key.is_domain() {
                        prop_assert_eq!(SiteKey::of_address(&address), key);
                    }
                }
            }
        }
    }
}
