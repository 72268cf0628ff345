//! TLS configuration of webhook connections.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::SetupError;

/// Maximum number of receivers with a resumable session. Each one holds a few tickets of some hundred bytes.
const SESSIONS_MAX: usize = 2_048;

/// Trusts the CA certificates of the system and those in the PEM text. A system without any is not an error: the
/// extra ones may be sufficient.
pub(super) fn client(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SetupError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = extra_ca_pem {
        let mut added = 0;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.add(certificate.map_err(SetupError::Pem)?).map_err(SetupError::Certificate)?;
            added += 1;
        }
        if added == 0 {
            return Err(SetupError::NoCertificate);
        }
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(SetupError::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.resumption = Resumption::in_memory_sessions(SESSIONS_MAX);
    Ok(config)
}
