//! How to reach the storage: settings, variables of the environment, and whether a connection may go without TLS.

use std::fmt;

use http::Uri;

use crate::error::Error;

/// How to reach the storage. What is missing is taken from `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and
/// `AWS_SECRET_ACCESS_KEY`.
#[derive(Clone)]
pub struct S3Settings {
    /// The section of the settings that these are from, for errors.
    pub section: &'static str,
    pub endpoint: Option<String>,
    pub region: Option<String>,
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<String>,
    /// Allows plain HTTP to other machines.
    pub allow_http: bool,
    /// Certificate authorities to trust in addition to those of the system.
    pub extra_ca_pem: Option<Vec<u8>>,
}

impl fmt::Debug for S3Settings {
    /// Without the credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { section, endpoint, region, allow_http, .. } = self;
        write!(f, "S3Settings({section}, {endpoint:?}, {region:?}, allow_http: {allow_http})")
    }
}

/// The settings, completed.
pub(crate) struct Access {
    pub endpoint: Option<String>,
    pub region: Option<String>,
    pub access_key_id: String,
    pub secret_access_key: String,
    /// Only with a key of the environment: it belongs to that key.
    pub session_token: Option<String>,
}

impl S3Settings {
    /// Returns settings of a section that leave everything to the environment.
    pub const fn of(section: &'static str) -> Self {
        Self {
            section,
            endpoint: None,
            region: None,
            access_key_id: None,
            secret_access_key: None,
            allow_http: false,
            extra_ca_pem: None,
        }
    }

    /// Completes the settings with variables. Only with the documented ones: `AWS_ENDPOINT_URL_S3`, for example, must not replace an
    /// endpoint that the operator configured. Returns `None` without credentials.
    pub(crate) fn complete(&self, variable: &dyn Fn(&str) -> Option<String>) -> Option<Access> {
        let filled = |value: Option<String>| value.filter(|value| !value.is_empty());
        let variable = |name: &str| filled(variable(name));
        let or = |value: &Option<String>, name: &str| filled(value.clone()).or_else(|| variable(name));
        let is_key_of_environment = self.access_key_id.is_none() && self.secret_access_key.is_none();
        Some(Access {
            endpoint: or(&self.endpoint, "AWS_ENDPOINT_URL"),
            region: or(&self.region, "AWS_REGION"),
            access_key_id: or(&self.access_key_id, "AWS_ACCESS_KEY_ID")?,
            secret_access_key: or(&self.secret_access_key, "AWS_SECRET_ACCESS_KEY")?,
            session_token: if is_key_of_environment { variable("AWS_SESSION_TOKEN") } else { None },
        })
    }
}

/// Checks that an address may be connected to. Returns `true` if that is without TLS.
pub(crate) fn check(address: &Uri, settings: &S3Settings) -> Result<bool, Error> {
    let shown = || {
        let (scheme, authority) = (address.scheme_str().unwrap_or(""), address.authority());
        format!("{scheme}://{}", authority.map_or("", |authority| authority.as_str()))
    };
    match address.scheme_str() {
        Some("https") => Ok(false),
        Some("http") if settings.allow_http || is_this_machine(address) => Ok(true),
        Some("http") => Err(Error::PlainHttp { endpoint: shown(), section: settings.section }),
        _ => Err(Error::NotAnEndpoint(shown())),
    }
}

/// Checks an endpoint as an operator writes it.
pub(crate) fn check_text(endpoint: &str, settings: &S3Settings) -> Result<(), Error> {
    let wrong = || Error::NotAnEndpoint(endpoint.to_owned());
    let address: Uri = endpoint.parse().map_err(|_| wrong())?;
    check(&address, settings).map(drop).map_err(|error| match error {
        Error::NotAnEndpoint(_) => wrong(),
        error => error,
    })
}

/// Returns `true` if the host of an address is this machine.
fn is_this_machine(address: &Uri) -> bool {
    address.host().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_only() {
        let strict = S3Settings::of("backup");
        let allowing = S3Settings { allow_http: true, ..strict.clone() };
        for endpoint in
            ["http://127.0.0.1:9000", "http://localhost:9000", "http://[::1]:9000", "HTTP://localhost"]
        {
            check_text(endpoint, &strict).unwrap();
        }
        for endpoint in ["http://storage.example", "HTTP://storage.example", "http://127.0.0.1.example"] {
            let refused = check_text(endpoint, &strict);
            assert!(matches!(refused, Err(Error::PlainHttp { .. })), "{endpoint}: {refused:?}");
            check_text(endpoint, &allowing).unwrap();
        }
        check_text("HTTPS://storage.example", &strict).unwrap();
        for wrong in ["storage.example", "storage.example:9000", "ftp://storage.example", "https://", "/x"] {
            let refused = check_text(wrong, &allowing);
            assert!(matches!(&refused, Err(Error::NotAnEndpoint(shown)) if shown == wrong), "{refused:?}");
        }
    }

    #[test]
    fn only_documented_variables_complete_the_settings() {
        let variables = |name: &str| Some(format!("of {name}"));
        let settings = S3Settings {
            endpoint: Some("https://storage.example".to_owned()),
            access_key_id: Some("key".to_owned()),
            secret_access_key: Some("secret".to_owned()),
            ..S3Settings::of("backup")
        };
        let access = settings.complete(&variables).unwrap();
        assert_eq!(access.endpoint.as_deref(), Some("https://storage.example"));
        assert_eq!(access.region.as_deref(), Some("of AWS_REGION"));
        assert_eq!((access.access_key_id.as_str(), access.secret_access_key.as_str()), ("key", "secret"));
        assert_eq!(access.session_token, None, "it belongs to another key");

        let access = S3Settings::of("backup").complete(&variables).unwrap();
        assert_eq!(access.endpoint.as_deref(), Some("of AWS_ENDPOINT_URL"));
        assert_eq!(access.access_key_id, "of AWS_ACCESS_KEY_ID");
        assert_eq!(access.session_token.as_deref(), Some("of AWS_SESSION_TOKEN"));
        assert!(S3Settings::of("backup").complete(&|_| Some(String::new())).is_none());
    }

    #[test]
    fn credentials_are_not_shown() {
        let settings =
            S3Settings { secret_access_key: Some("secret".to_owned()), ..S3Settings::of("backup") };
        let shown = format!("{settings:?}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
