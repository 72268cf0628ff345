//! What makes a site that site.

use std::fmt;

use crate::value::WebAddress;

/// The registrable domain of a site, or its name when it has none; in lower case.
///
/// The registrable domain is what somebody can buy: `annonces.portail.co.uk` belongs to whoever has `portail.co.uk`. Which
/// endings are for sale is what the Public Suffix List says. Its private part counts as well: two blogs under
/// `blogspot.com` are two sites.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey(Box<str>);

impl SiteKey {
    const LENGTH_MAX: usize = 255;

    /// Reads a domain, an address or a name: `www.Portail.fr`, `https://annonces.portail.fr/x` and `portail.fr` are one site.
    /// What is read reads back as itself.
    pub fn parse(text: &str) -> Option<Self> {
        let mut key = Self::parse_once(text)?;
        loop {
            // What `www.` hid may be an address, or blank at its edge. Each turn shortens the text or finds a registrable
            // domain, which stays what it is; so there is a last one.
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
        // `portail.fr/annonces` without a scheme. What has no known ending is a name that happens to have a dot in it.
        if let Some(host) = host_of(text)
            && let Some(domain) = registrable(&host)
        {
            return Some(Self(domain.into()));
        }
        let key = text.to_lowercase();
        let fits = !key.is_empty() && key.len() <= Self::LENGTH_MAX && !key.chars().any(char::is_control);
        fits.then(|| Self::without_www(&key))
    }

    /// The site an advert's address belongs to.
    pub fn of_address(address: &WebAddress) -> Self {
        let host = address.host();
        let host = host.strip_suffix('.').unwrap_or(&host);
        match registrable(host) {
            Some(domain) => Self(domain.into()),
            None => Self::without_www(host),
        }
    }

    /// Takes back a key that once came out of [`SiteKey::as_str`]: a store need not judge again what it was given.
    pub fn trusted(key: String) -> Self {
        Self(key.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a domain, rather than the name of a site that has none or never told it.
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

/// The host of an address that lacks its scheme. An e-mail address is none.
fn host_of(text: &str) -> Option<String> {
    if !text.contains('.') || text.contains('@') {
        return None;
    }
    let host = WebAddress::parse(&format!("http://{text}")).ok()?.host();
    Some(host.strip_suffix('.').map(str::to_owned).unwrap_or(host)).filter(|host| host.contains('.'))
}

/// The part of a host that somebody registered. None of a public suffix itself, nor where the list knows no suffix:
/// numeric addresses, names inside a company's network.
fn registrable(host: &str) -> Option<&str> {
    let domain = psl::domain(host.as_bytes()).filter(|domain| domain.suffix().is_known())?;
    std::str::from_utf8(domain.as_bytes()).ok().filter(|domain| !domain.starts_with('.'))
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
    fn spellings_of_one_site_are_one_site() {
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
    fn a_site_is_what_somebody_registered() {
        for (host, expected) in [
            ("annonces.portail.co.uk", "portail.co.uk"),
            ("www.service.immo.gouv.fr", "immo.gouv.fr"),
            ("www.immobilier.notaires.fr", "immobilier.notaires.fr"),
            ("agence.immo", "agence.immo"),
            ("vente.agence.immo", "agence.immo"),
            ("www.ville.kawasaki.jp", "www.ville.kawasaki.jp"),
            ("www.city.kawasaki.jp", "city.kawasaki.jp"),
            // Each customer of a host is a site of its own.
            ("www.agence-du-lac.blogspot.com", "agence-du-lac.blogspot.com"),
            ("lac.github.io", "lac.github.io"),
            // A suffix belongs to nobody.
            ("co.uk", "co.uk"),
            ("github.io", "github.io"),
            ("blogspot.com", "blogspot.com"),
            // Names in two scripts are one name.
            ("www.médiathèque.fr", "xn--mdiathque-53af.fr"),
            ("xn--mdiathque-53af.fr", "xn--mdiathque-53af.fr"),
            ("immo.公司.cn", "immo.xn--55qx5d.cn"),
        ] {
            check(host, expected);
            check(&format!("https://{host}/annonce/1"), expected);
        }
    }

    #[test]
    fn what_has_no_known_ending_stays_as_it_is() {
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
    fn a_domain_is_told_from_a_name() {
        let is_domain = |text| SiteKey::parse(text).map(|key| key.is_domain());
        for text in ["www.portail.fr", "https://a.intranet.lan/x", "192.168.1.20"] {
            assert_eq!(is_domain(text), Some(true), "{text}");
        }
        for text in ["Agence du Lac", "intranet", "contact@agence.fr", "Martin S.A."] {
            assert_eq!(is_domain(text), Some(false), "{text}");
        }
    }

    #[test]
    fn a_site_reads_back_as_itself() {
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
        fn whatever_is_read_reads_back_as_itself(
            text in prop_oneof![".{0,40}", "(www\\.){0,2}[a-zé.]{0,12}\\.(fr|co\\.uk|github\\.io|lan|公司\\.cn)[./:]{0,2}"],
        ) {
            if let Some(key) = SiteKey::parse(&text) {
                prop_assert_eq!(SiteKey::parse(key.as_str()), Some(key.clone()));
                if let Ok(address) = WebAddress::parse(&format!("https://{key}/")) {
                    // An address on the site leads to the site.
                    if key.is_domain() {
                        prop_assert_eq!(SiteKey::of_address(&address), key);
                    }
                }
            }
        }
    }
}
