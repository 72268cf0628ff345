//! Signatures of webhooks, as Standard Webhooks 1.0.0 writes them, and how a receiver checks them.
//!
//! What is signed is the message's id, the moment of the attempt and the body, byte for byte. A header holds one signature for each
//! secret in use, so that a receiver who knows any one of them is content.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::WebhookSecret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Names of the headers that carry what a receiver needs.
pub const ID_HEADER: &str = "webhook-id";
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
pub const SIGNATURE_HEADER: &str = "webhook-signature";

/// How far the clocks of both ends may differ; what the published libraries allow.
pub const TOLERANCE: Duration = Duration::from_secs(300);

/// The kind of signature: a key both ends know, HMAC with SHA-256.
const VERSION: &str = "v1";

/// What a secret begins with when it is shown, so that whoever finds one lying about knows what it is.
const SECRET_PREFIX: &str = "whsec_";

/// More than the secrets one user can have in use; a longer header was made to cost time.
const SIGNATURES_MAX: usize = 16;

/// Why a message is not to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOurs {
    #[error("the moment of sending is no number")]
    Timestamp,
    #[error("the message was sent too long ago")]
    TooOld,
    #[error("the message is from the future")]
    TooNew,
    #[error("no signature was made with a secret that is known here")]
    Signature,
}

/// One signature: `v1,<base64>`.
pub fn sign(secret: &WebhookSecret, id: &str, timestamp: i64, body: &[u8]) -> String {
    signed(secret.as_bytes(), id, &timestamp.to_string(), body)
}

/// The value of the header: a signature by each secret, with spaces between them.
pub fn header<'a>(
    secrets: impl IntoIterator<Item = &'a WebhookSecret>,
    id: &str,
    timestamp: i64,
    body: &[u8],
) -> String {
    let signatures: Vec<String> =
        secrets.into_iter().map(|secret| sign(secret, id, timestamp, body)).collect();
    signatures.join(" ")
}

/// A secret as its owner is shown it: `whsec_<base64>`.
pub fn text_of(secret: &WebhookSecret) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(secret.as_bytes()))
}

/// Reads what [`text_of`] wrote. None if it is not one of ours.
pub fn parse(text: &str) -> Option<WebhookSecret> {
    let key = STANDARD.decode(text.trim().strip_prefix(SECRET_PREFIX)?).ok()?;
    key.try_into().ok().map(WebhookSecret::new)
}

/// Whether a message was sent by whoever knows one of the secrets, and lately. `timestamp` and `signatures` are the headers as
/// they came.
pub fn verify<'a>(
    secrets: impl IntoIterator<Item = &'a WebhookSecret>,
    id: &str,
    timestamp: &str,
    signatures: &str,
    body: &[u8],
    now_unix: i64,
    tolerance: Duration,
) -> Result<(), NotOurs> {
    let keys = secrets.into_iter().map(|secret| secret.as_bytes().as_slice());
    verified(keys, id, timestamp, signatures, body)?;
    let sent: i64 = timestamp.parse().map_err(|_| NotOurs::Timestamp)?;
    let tolerance = i64::try_from(tolerance.as_secs()).unwrap_or(i64::MAX);
    match now_unix.saturating_sub(sent) {
        age if age > tolerance => Err(NotOurs::TooOld),
        age if age < -tolerance => Err(NotOurs::TooNew),
        _ => Ok(()),
    }
}

/// Compares all signatures with all secrets in the same time whether they fit or not: the time taken must not tell how much of a
/// guess was right.
fn verified<'a>(
    keys: impl Iterator<Item = &'a [u8]>,
    id: &str,
    timestamp: &str,
    signatures: &str,
    body: &[u8],
) -> Result<(), NotOurs> {
    let mut fits = subtle::Choice::from(0);
    for key in keys {
        let expected = signed(key, id, timestamp, body);
        for signature in signatures.split(' ').take(SIGNATURES_MAX) {
            fits |= expected.as_bytes().ct_eq(signature.as_bytes());
        }
    }
    if bool::from(fits) { Ok(()) } else { Err(NotOurs::Signature) }
}

/// Over the bytes of a key: published examples have shorter ones than ours.
fn signed(key: &[u8], id: &str, timestamp: &str, body: &[u8]) -> String {
    // A key of any length is one: long ones are hashed, short ones filled up.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes any key"));
    mac.update(id.as_bytes());
    mac.update(b".");
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    format!("{VERSION},{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const NOW: i64 = 1_614_265_330;
    const BODY: &[u8] = br#"{"test": 2432232314}"#;

    fn secret(byte: u8) -> WebhookSecret {
        WebhookSecret::new([byte; WebhookSecret::BYTES])
    }

    fn check(secret: &WebhookSecret, signatures: &str, now: i64, expected: Result<(), NotOurs>) {
        let found = verify([secret], ID, &NOW.to_string(), signatures, BODY, now, TOLERANCE);
        assert_eq!(found, expected, "{signatures}");
    }

    #[test]
    fn published_examples_are_signed_as_published() {
        for (key, id, timestamp, body, expected) in [
            (
                "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                ID,
                "1614265330",
                r#"{"test": 2432232314}"#,
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
            (
                "C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
                "1649367553",
                r#"{"email":"test@example.com","username":"test_user"}"#,
                "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
            ),
        ] {
            let key = STANDARD.decode(key).unwrap();
            assert_eq!(signed(&key, id, timestamp, body.as_bytes()), expected);
            assert_eq!(verified([&*key].into_iter(), id, timestamp, expected, body.as_bytes()), Ok(()));
        }
    }

    #[test]
    fn any_one_of_the_signatures_is_enough() {
        let both = header([&secret(1), &secret(2)], ID, NOW, BODY);
        check(&secret(1), &both, NOW, Ok(()));
        check(&secret(2), &both, NOW, Ok(()));
        check(&secret(3), &both, NOW, Err(NotOurs::Signature));
        check(&secret(1), &format!("v1a,AAAA v2,x  {both}"), NOW, Ok(()));
        check(&secret(1), &format!("{}{both}", "v1,x ".repeat(SIGNATURES_MAX)), NOW, Err(NotOurs::Signature));
    }

    #[test]
    fn whatever_is_signed_cannot_be_changed() {
        let key = secret(1);
        let good = sign(&key, ID, NOW, BODY);
        let now = NOW.to_string();
        for (id, timestamp, body, signature) in [
            ("msg_other", now.as_str(), BODY, good.as_str()),
            (ID, "1614265331", BODY, &good),
            (ID, &now, b"{}", &good),
            (ID, &now, BODY, &good[3..]),
            (ID, &now, BODY, &good[..good.len() - 1]),
            (ID, &now, BODY, ""),
            (ID, "", BODY, &good),
        ] {
            let found = verify([&key], id, timestamp, signature, body, NOW, TOLERANCE);
            assert_eq!(found, Err(NotOurs::Signature), "{id} {timestamp} {signature}");
        }
        let nobody: [&WebhookSecret; 0] = [];
        assert_eq!(verify(nobody, ID, &now, &good, BODY, NOW, TOLERANCE), Err(NotOurs::Signature));
    }

    #[test]
    fn what_is_old_or_from_the_future_is_refused() {
        let good = sign(&secret(1), ID, NOW, BODY);
        check(&secret(1), &good, NOW + 300, Ok(()));
        check(&secret(1), &good, NOW - 300, Ok(()));
        check(&secret(1), &good, NOW + 301, Err(NotOurs::TooOld));
        check(&secret(1), &good, NOW - 301, Err(NotOurs::TooNew));
        let odd = signed(secret(1).as_bytes(), ID, "today", BODY);
        let found = verify([&secret(1)], ID, "today", &odd, BODY, NOW, TOLERANCE);
        assert_eq!(found, Err(NotOurs::Timestamp));
    }

    #[test]
    fn a_secret_is_read_back_as_it_was_shown() {
        assert_eq!(parse(&text_of(&secret(7))), Some(secret(7)));
        let text = text_of(&secret(0));
        assert_eq!(text, format!("whsec_{}=", "A".repeat(43)));
        for wrong in
            ["", "whsec_", &text[1..], &text[..text.len() - 1], "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
