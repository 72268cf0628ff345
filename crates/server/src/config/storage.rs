//! Settings of storage outside the data folder: how it is reached, and where servers share the index.

use objects::{Address, S3Settings};

use super::source::Reader;
use super::value::{self, not};

/// Settings of section `[index]`.
#[derive(Debug, Clone)]
pub struct SharedIndex {
    /// Where servers on one database share snapshots of the index; `None` if they do not.
    pub shared: Option<Address>,
    pub s3: S3Settings,
}

impl SharedIndex {
    pub(super) fn read(reader: &mut Reader) -> Option<Self> {
        let shared = reader.take("index.shared", address);
        let s3 = s3_settings(reader, "index");
        Some(Self { shared: shared?, s3: s3? })
    }
}

/// Reads how S3-compatible storage is reached. The certificates to trust are those of another section.
pub fn s3_settings(reader: &mut Reader, section: &'static str) -> Option<S3Settings> {
    let [endpoint, region, access_key_id, secret_access_key] =
        ["s3_endpoint", "s3_region", "s3_access_key_id", "s3_secret_access_key"]
            .map(|name| reader.take(&format!("{section}.{name}"), text_or_none));
    let allow_http = reader.take(&format!("{section}.s3_allow_http"), value::parsed("true or false"));
    Some(S3Settings {
        section,
        endpoint: endpoint?,
        region: region?,
        access_key_id: access_key_id?,
        secret_access_key: secret_access_key?,
        allow_http: allow_http?,
        extra_ca_pem: None,
    })
}

fn address(text: &str) -> Result<Option<Address>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    Address::parse(text).map(Some).map_err(|_| not("a folder or s3://BUCKET/PREFIX"))
}

pub fn text_or_none(text: &str) -> Result<Option<String>, String> {
    Ok((!text.is_empty()).then(|| text.to_owned()))
}
