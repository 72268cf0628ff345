//! A certificate authority for tests: signs valid certificates, and one for each reason to refuse a certificate.
//!
//! It reads no clock: valid certificates are valid for a century, expired ones expired long ago.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};

use super::Protocols;

/// Signs certificates. Each authority has its own key, so that tests do not trust each other.
#[derive(Clone)]
pub struct Authority {
    issuer: Arc<CertifiedIssuer<'static, KeyPair>>,
}

/// The certificate a receiver presents, and whether it requires one from the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    Good,
    Expired,
    NotYetValid,
    /// Valid, but for another name.
    WrongName,
    /// Self-signed.
    SelfSigned,
    /// Self-signed and that of an authority, as `openssl req -x509` makes it.
    SelfSignedAuthority,
    /// Signed by an authority with the same name but another key.
    UnknownAuthority,
    /// Valid, with a huge chain.
    HugeChain,
    /// Valid, and requires a client certificate; its absence is reported after the handshake.
    ClientCertificateRequired,
    /// The same, reported within the handshake.
    ClientCertificateRequiredEarly,
}

/// Certificates in the huge chain: far beyond the 64 KiB that TLS allows.
const HUGE_CHAIN: usize = 400;

impl Authority {
    #[expect(clippy::new_without_default, reason = "each authority has a new key")]
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Authority of a test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(2100, 1, 1));
        let issuer = CertifiedIssuer::self_signed(params, key()).expect("a self-signed CA");
        Self { issuer: Arc::new(issuer) }
    }

    /// Returns its own certificate as PEM.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Returns its own certificate as a root store.
    pub fn roots(&self) -> Arc<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).expect("a valid CA certificate");
        Arc::new(roots)
    }

    /// Returns the TLS configuration of a receiver at these addresses. The certificate is also valid for
    /// `localhost` and both loopback addresses.
    pub fn server_config(
        &self,
        credential: Credential,
        protocols: Protocols,
        addresses: &[IpAddr],
    ) -> ServerConfig {
        let (chain, key) = self.chain(credential, addresses);
        let versions: &[&SupportedProtocolVersion] = match credential {
            Credential::ClientCertificateRequiredEarly => &[&rustls::version::TLS12],
            _ => rustls::ALL_VERSIONS,
        };
        let builder = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(versions)
            .expect("the provider supports both versions");
        let builder = match credential {
            Credential::ClientCertificateRequired | Credential::ClientCertificateRequiredEarly => {
                let verifier = WebPkiClientVerifier::builder_with_provider(self.roots(), provider()).build();
                builder.with_client_cert_verifier(verifier.expect("a root certificate"))
            }
            _ => builder.with_no_client_auth(),
        };
        let mut config = builder.with_single_cert(chain, key).expect("the key matches the certificate");
        config.alpn_protocols = protocols.names().iter().map(|name| name.to_vec()).collect();
        config
    }

    fn chain(
        &self,
        credential: Credential,
        addresses: &[IpAddr],
    ) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let key = key();
        let mut params = match credential {
            Credential::WrongName => leaf(vec!["other.example".to_owned()]),
            _ => leaf(names(addresses)),
        };
        match credential {
            Credential::Expired => params.not_after = date_time_ymd(2001, 1, 1),
            Credential::NotYetValid => params.not_before = date_time_ymd(2099, 1, 1),
            Credential::SelfSignedAuthority => params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
            _ => {}
        }
        let certificate: Result<Certificate, rcgen::Error> = match credential {
            Credential::SelfSigned | Credential::SelfSignedAuthority => params.self_signed(&key),
            Credential::UnknownAuthority => params.signed_by(&key, &Self::new().issuer),
            _ => params.signed_by(&key, &self.issuer),
        };
        let certificate = certificate.expect("a signed certificate").der().clone();
        let mut chain = vec![certificate];
        if credential == Credential::HugeChain {
            chain.extend(std::iter::repeat_n(self.issuer.der().clone(), HUGE_CHAIN));
        }
        (chain, PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())))
    }
}

/// Returns the crypto provider. It is passed explicitly, so that there is no process-wide default.
pub(super) fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn key() -> KeyPair {
    KeyPair::generate().expect("random bytes are available")
}

fn leaf(names: Vec<String>) -> CertificateParams {
    let mut params = CertificateParams::new(names).expect("valid names");
    params.distinguished_name.push(DnType::CommonName, "Receiver of a test");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(2100, 1, 1));
    params
}

fn names(addresses: &[IpAddr]) -> Vec<String> {
    let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let own = addresses.iter().filter(|address| !loopback.contains(address));
    let addresses = loopback.iter().chain(own).map(ToString::to_string);
    ["localhost".to_owned(), "*.localhost".to_owned()].into_iter().chain(addresses).collect()
}
