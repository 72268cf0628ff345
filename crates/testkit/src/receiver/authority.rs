//! An authority that signs certificates for tests: good ones, and one for each reason to refuse a certificate.
//!
//! Nothing here reads a clock: what is valid is valid for a century, and what has expired did so long ago.

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

/// Signs certificates for whoever trusts it. Each one has its own key, so that no two tests trust each other.
#[derive(Clone)]
pub struct Authority {
    issuer: Arc<CertifiedIssuer<'static, KeyPair>>,
}

/// What a receiver shows to prove who it is, and what it asks of the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    Good,
    Expired,
    NotYetValid,
    /// Good, but for somebody else.
    WrongName,
    /// Signed by nobody but itself.
    SelfSigned,
    /// Signed by an authority with the same name and another key.
    UnknownAuthority,
    /// Good, behind more certificates than anybody needs.
    HugeChain,
    /// Good, but it asks for a certificate of the other side, too; where that is refused only after the handshake.
    ClientCertificateRequired,
    /// The same where the refusal is part of the handshake.
    ClientCertificateRequiredEarly,
}

/// How many certificates a huge chain holds: far more bytes than the 64 KiB that TLS allows a certificate message.
const HUGE_CHAIN: usize = 400;

impl Authority {
    #[expect(clippy::new_without_default, reason = "a new key each time is no default")]
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Authority of a test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(2100, 1, 1));
        let issuer = CertifiedIssuer::self_signed(params, key()).expect("an authority can sign for itself");
        Self { issuer: Arc::new(issuer) }
    }

    /// Its own certificate, for those who are to trust it.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Its own certificate, for clients written in a test.
    pub fn roots(&self) -> Arc<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).expect("an authority's own certificate is one");
        Arc::new(roots)
    }

    /// How a receiver at these addresses speaks TLS. It is also known as `localhost` and as both loopback addresses.
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
            .expect("the provider knows both versions");
        let builder = match credential {
            Credential::ClientCertificateRequired | Credential::ClientCertificateRequiredEarly => {
                let verifier = WebPkiClientVerifier::builder_with_provider(self.roots(), provider()).build();
                builder.with_client_cert_verifier(verifier.expect("there is a root"))
            }
            _ => builder.with_no_client_auth(),
        };
        let mut config = builder.with_single_cert(chain, key).expect("the key is the certificate's");
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
            Credential::WrongName => leaf(vec!["somebody-else.example".to_owned()]),
            _ => leaf(names(addresses)),
        };
        match credential {
            Credential::Expired => params.not_after = date_time_ymd(2001, 1, 1),
            Credential::NotYetValid => params.not_before = date_time_ymd(2099, 1, 1),
            _ => {}
        }
        let certificate: Result<Certificate, rcgen::Error> = match credential {
            Credential::SelfSigned => params.self_signed(&key),
            Credential::UnknownAuthority => params.signed_by(&key, &Self::new().issuer),
            _ => params.signed_by(&key, &self.issuer),
        };
        let certificate = certificate.expect("a certificate can be signed").der().clone();
        let mut chain = vec![certificate];
        if credential == Credential::HugeChain {
            chain.extend(std::iter::repeat_n(self.issuer.der().clone(), HUGE_CHAIN));
        }
        (chain, PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())))
    }
}

/// What does the arithmetic. Named wherever it is needed: a default for the whole process would belong to nobody.
pub(super) fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn key() -> KeyPair {
    KeyPair::generate().expect("the system gives random bytes")
}

fn leaf(names: Vec<String>) -> CertificateParams {
    let mut params = CertificateParams::new(names).expect("these are names");
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
