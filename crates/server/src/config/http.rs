//! Settings of section `[http]`.

use super::source::Reader;
use super::value::not;

#[derive(Debug, Clone)]
pub struct Http {
    pub cors_origins: Origins,
}

/// The origins whose pages may call the API from a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origins {
    Any,
    /// In lower case, as browsers send them. Empty: none.
    Listed(Vec<String>),
}

impl Http {
    pub(super) fn read(reader: &mut Reader) -> Option<Self> {
        Some(Self { cors_origins: reader.take("http.cors_origins", origins)? })
    }
}

/// Parses a list as a configuration file writes it, or with commas as in an environment variable.
fn origins(text: &str) -> Result<Origins, String> {
    let expected = || not("a list of origins such as [\"https://app.example\"]");
    let listed: Vec<String> = if text.starts_with('[') {
        let table: toml::Table = format!("origins = {text}").parse().map_err(|_| expected())?;
        let items = table.get("origins").and_then(toml::Value::as_array).ok_or_else(expected)?;
        let texts: Option<_> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.ok_or_else(expected)?
    } else {
        text.split(',').filter(|origin| !origin.trim().is_empty()).map(str::to_owned).collect()
    };
    if listed.iter().any(|origin| origin.trim() == "*") {
        return Ok(Origins::Any);
    }
    let listed: Option<_> = listed.iter().map(|listed| origin(listed)).collect();
    listed.map(Origins::Listed).ok_or_else(expected)
}

/// Parses one origin: scheme, host and port, without a path.
fn origin(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/').to_ascii_lowercase();
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']');
    (!host.is_empty() && host.bytes().all(plain)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_listed_in_two_ways() {
        let listed =
            |list: &[&str]| Ok(Origins::Listed(list.iter().map(|&origin| origin.to_owned()).collect()));
        assert_eq!(origins("[]"), listed(&[]));
        assert_eq!(origins(""), listed(&[]));
        assert_eq!(origins("[\"https://App.example/\"]"), listed(&["https://app.example"]));
        let two = listed(&["https://app.example", "http://localhost:5173"]);
        assert_eq!(origins("https://app.example, http://localhost:5173"), two);
        assert_eq!(origins("[\"https://a.example\", \"*\"]"), Ok(Origins::Any));
        for wrong in
            ["app.example", "https://a.example/app", "ftp://a.example", "[1]", "[\"https://\"]", "null"]
        {
            assert!(origins(wrong).is_err(), "{wrong}");
        }
    }
}
