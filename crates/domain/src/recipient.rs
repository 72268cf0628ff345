//! Recipients of alerts: webhook URLs and e-mail addresses. Only the syntax is checked here.
//!
//! The IP address of a host is checked on every delivery attempt, because it is unknown until it is resolved and may change.

use std::fmt;

/// The `https` URL of a webhook, stored exactly as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Box<str>);

/// Why a text is not a webhook URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    #[error("This URL is too long: {length} characters given, at most {} allowed.", Endpoint::CHARACTERS_MAX)]
    TooLong { length: usize },
    #[error("This value is not a valid URL.")]
    Malformed,
    #[error("This URL must start with https://.")]
    NotHttps,
    #[error("This URL must not contain a user name or a password.")]
    UserInfo,
}

impl Endpoint {
    pub const CHARACTERS_MAX: usize = 2_048;

    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let text = text.trim();
        let length = text.chars().count();
        if length > Self::CHARACTERS_MAX {
            return Err(EndpointError::TooLong { length });
        }
        // The parser drops or repairs these silently, and the stored text must be the checked text.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(EndpointError::Malformed);
        }
        let url = url::Url::parse(text).map_err(|_| EndpointError::Malformed)?;
        if url.scheme() != "https" {
            return Err(EndpointError::NotHttps);
        }
        // The parser accepts any number of slashes, even none.
        let rest = text.get(..8).filter(|head| head.eq_ignore_ascii_case("https://")).map(|_| &text[8..]);
        let rest = rest.filter(|rest| !rest.starts_with('/')).ok_or(EndpointError::Malformed)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(EndpointError::UserInfo);
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(EndpointError::Malformed);
        }
        Ok(Self(text.into()))
    }

    /// Restores a URL that [`Endpoint::as_str`] returned. It is not checked again: the rules may have become stricter, and
    /// stored data must stay readable. The address policy is applied when something is sent.
    pub fn trusted(text: String) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A single mailbox, `name@host`. Quoted names, comments and lists are valid in an e-mail header but are rejected here,
/// because they allow header injection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailAddress(Box<str>);

/// The text is not a single e-mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("This value is not a valid email address.")]
pub struct NotAnEmailAddress;

impl EmailAddress {
    const BYTES_MAX: usize = 254;
    const NAME_BYTES_MAX: usize = 64;

    pub fn parse(text: &str) -> Result<Self, NotAnEmailAddress> {
        let text = text.trim();
        let (name, host) = text.split_once('@').ok_or(NotAnEmailAddress)?;
        let fits = text.len() <= Self::BYTES_MAX && name.len() <= Self::NAME_BYTES_MAX;
        let labels: Vec<&str> = host.split('.').collect();
        let is_address = fits
            && name.split('.').all(is_atom)
            && labels.len() >= 2
            && labels.iter().all(|label| is_label(label))
            && labels.last().is_some_and(|last| !last.bytes().all(|byte| byte.is_ascii_digit()));
        is_address.then(|| Self(text.into())).ok_or(NotAnEmailAddress)
    }

    /// Restores an address that [`EmailAddress::as_str`] returned, without checking it.
    pub fn trusted(text: String) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks a dot-separated part of the local name. Non-ASCII letters are allowed (internationalised e-mail).
fn is_atom(atom: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    !atom.is_empty() && atom.chars().all(allowed)
}

fn is_label(label: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '-';
    !label.is_empty()
        && label.len() <= 63
        && label.chars().all(inside)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_url_is_https_with_a_host_and_stored_verbatim() {
        let text = "https://Hook.Example:8443/a%20b?token=X%2Fy&z=é#end";
        assert_eq!(Endpoint::parse(text).map(|endpoint| endpoint.to_string()), Ok(text.to_owned()));
        assert!(Endpoint::parse("HTTPS://hook.example").is_ok());
        for (wrong, why) in [
            ("http://hook.example/", EndpointError::NotHttps),
            ("ftp://hook.example/", EndpointError::NotHttps),
            ("//hook.example/", EndpointError::Malformed),
            ("hook.example", EndpointError::Malformed),
            ("https://", EndpointError::Malformed),
            ("https:///path", EndpointError::Malformed),
            ("https:hook.example", EndpointError::Malformed),
            ("https://user@hook.example/", EndpointError::UserInfo),
            ("https://user:pass@hook.example/", EndpointError::UserInfo),
            ("https://@hook.example/", EndpointError::UserInfo),
            ("https://hook.example/a b", EndpointError::Malformed),
            ("https://hook.example\\@other.example/", EndpointError::Malformed),
            ("https://hook\n.example/", EndpointError::Malformed),
            ("https://hook.example:99999/", EndpointError::Malformed),
            ("", EndpointError::Malformed),
        ] {
            assert_eq!(Endpoint::parse(wrong), Err(why), "{wrong}");
        }
        let long = format!("https://hook.example/{}", "x".repeat(2_048));
        assert_eq!(Endpoint::parse(&long), Err(EndpointError::TooLong { length: 2_069 }));
        let fits = format!("https://hook.example/{}", "x".repeat(2_048 - 21));
        assert!(Endpoint::parse(&fits).is_ok());
        assert!(
            Endpoint::parse("https://hook.example/?a=b@c").is_ok(),
            "an at sign after the host is not user info"
        );
    }

    #[test]
    fn email_address_is_a_single_plain_address() {
        for right in
            ["a@b.fr", "jean.dupont+biens@agence-du-lac.example", "o'neil@mail.example", "é@exemple.fr"]
        {
            assert_eq!(EmailAddress::parse(right).map(|address| address.to_string()), Ok(right.to_owned()));
        }
        for wrong in [
            "",
            "a",
            "a@",
            "@b.fr",
            "a@b",
            "a@b..fr",
            "a@@b.fr",
            "a b@c.fr",
            "a@b.fr, c@d.fr",
            "a@b.fr\r\nBcc: c@d.fr",
            "<a@b.fr>",
            "\"a\"@b.fr",
            "a@-b.fr",
            "a@b-.fr",
            "a@1.2.3.4",
            ".a@b.fr",
            "a.@b.fr",
            "a@[1.2.3.4]",
        ] {
            assert_eq!(EmailAddress::parse(wrong), Err(NotAnEmailAddress), "{wrong}");
        }
        assert!(EmailAddress::parse(&format!("{}@b.fr", "a".repeat(65))).is_err());
    }
}
