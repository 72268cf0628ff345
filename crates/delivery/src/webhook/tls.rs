//! TLS configuration of webhook connections, and what is wrong with a certificate.

use std::io;
use std::sync::Arc;

use domain::CertificateFault;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore, SignatureScheme,
};

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
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(SetupError::Tls)?;
    let mut config = match WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build() {
        Ok(verifier) => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(NamingVerifier(verifier)))
        }
        // Without a single root there is no verifier, and no certificate is valid.
        Err(_) => builder.with_root_certificates(RootCertStore::empty()),
    }
    .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.resumption = Resumption::in_memory_sessions(SESSIONS_MAX);
    Ok(config)
}

/// Leaves every decision to the verifier of the library. It only tells a self-signed certificate from one of an unknown
/// issuer, which the library reports alike.
#[derive(Debug)]
struct NamingVerifier(Arc<WebPkiServerVerifier>);

/// The certificate is its own issuer.
#[derive(Debug, thiserror::Error)]
#[error("the certificate is self-signed")]
struct SelfSigned;

impl ServerCertVerifier for NamingVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.0.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        verified.map_err(|error| match error {
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)
                if is_self_signed(end_entity) =>
            {
                CertificateError::Other(OtherError(Arc::new(SelfSigned))).into()
            }
            error => error,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Compares the names only: it explains a refusal and decides nothing.
fn is_self_signed(certificate: &CertificateDer<'_>) -> bool {
    webpki::EndEntityCert::try_from(certificate).is_ok_and(|parsed| parsed.issuer() == parsed.subject())
}

/// Returns what is wrong with the certificate, if that ended the handshake.
pub(super) fn certificate_fault(error: &io::Error) -> Option<CertificateFault> {
    let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    let rustls::Error::InvalidCertificate(error) = error else { return None };
    Some(match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => CertificateFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            CertificateFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateFault::WrongName
        }
        // A signature is checked with the key of a trusted authority of the issuer's name, which is not the issuer.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => CertificateFault::UnknownIssuer,
        CertificateError::Other(OtherError(other)) if other.is::<SelfSigned>() => {
            CertificateFault::SelfSigned
        }
        CertificateError::Other(OtherError(other)) => match other.downcast_ref::<webpki::Error>() {
            Some(webpki::Error::CaUsedAsEndEntity) => CertificateFault::CertificateAuthority,
            _ => CertificateFault::Invalid,
        },
        _ => CertificateFault::Invalid,
    })
}
