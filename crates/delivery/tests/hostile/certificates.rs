//! What an attempt says about the certificate of a receiver.

use domain::{CertificateFault, Fault, Outcome};
use testkit::receiver::{Authority, InjectedFault, Receiver};

use crate::sender::{LATE, attempt, sender};

#[tokio::test]
async fn the_fault_of_a_certificate_is_named() {
    let authority = Authority::new();
    let sender = sender(&authority, LATE);
    for (fault, expected) in [
        (InjectedFault::CertificateExpired, CertificateFault::Expired),
        (InjectedFault::CertificateNotYetValid, CertificateFault::NotYetValid),
        (InjectedFault::CertificateWrongName, CertificateFault::WrongName),
        (InjectedFault::CertificateUnknownAuthority, CertificateFault::UnknownIssuer),
        (InjectedFault::CertificateSelfSigned, CertificateFault::SelfSigned),
        (InjectedFault::CertificateSelfSignedAuthority, CertificateFault::CertificateAuthority),
    ] {
        let receiver = Receiver::always(&authority, fault).await;
        let result = attempt(&sender, &receiver.url("/")).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Tls), "{fault:?}");
        assert_eq!(result.certificate, Some(expected), "{fault:?}");
    }
}

#[tokio::test]
async fn other_faults_blame_no_certificate() {
    let authority = Authority::new();
    let sender = sender(&authority, LATE);
    for fault in [InjectedFault::PlainHttp, InjectedFault::OldTlsAlert, InjectedFault::NoCommonCipher] {
        let receiver = Receiver::always(&authority, fault).await;
        let result = attempt(&sender, &receiver.url("/")).await;
        assert_eq!((result.outcome, result.certificate), (Outcome::Failed(Fault::Tls), None), "{fault:?}");
    }
}
