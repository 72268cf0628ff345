//! Whom we trust, and how connections are made safe.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::SetUpError;

/// Receivers with whom a handshake can be made short; each may hold a few tickets of a few hundred bytes.
const SESSIONS_MAX: usize = 2_048;

/// Trusts whom this machine trusts, and those of the PEM text. A machine that trusts nobody is no reason not to start: it
/// may have receivers of its own.
pub(super) fn client(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SetUpError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = extra_ca_pem {
        let mut added = 0;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.add(certificate.map_err(SetUpError::Pem)?).map_err(SetUpError::Certificate)?;
            added += 1;
        }
        if added == 0 {
            return Err(SetUpError::NoCertificate);
        }
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(SetUpError::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.resumption = Resumption::in_memory_sessions(SESSIONS_MAX);
    Ok(config)
}
