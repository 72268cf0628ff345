//! Webhook signatures as specified by Standard Webhooks 1.0.0: signing and verification.
//!
//! The signature covers the message id, the timestamp of the attempt and the body, byte for byte. The header holds
//! one signature per active secret, so a receiver that knows any of them accepts the message.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::WebhookSecret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Names of the signature headers.
pub const ID_HEADER: &str = "webhook-id";
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
pub const SIGNATURE_HEADER: &str = "webhook-signature";

/// Maximum clock difference between sender and receiver; the value of the published libraries.
pub const TOLERANCE: Duration = Duration::from_secs(300);

/// Signature scheme: symmetric key, HMAC with SHA-256.
const VERSION: &str = "v1";

/// Prefix of a displayed secret, so that a leaked one is recognisable.
const SECRET_PREFIX: &str = "whsec_";

/// Maximum number of signatures checked: more than a user can have secrets. A longer header only costs time.
const SIGNATURES_MAX: usize = 16;

/// Why a message was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("the timestamp is not a number")]
    Timestamp,
    #[error("the message is too old")]
    TooOld,
    #[error("the timestamp is in the future")]
    TooNew,
    #[error("no signature matches a known secret")]
    Signature,
}

/// Returns one signature: `v1,<base64>`.
pub fn sign(secret: &WebhookSecret, id: &str, timestamp: i64, body: &[u8]) -> String {
    signed(secret.as_bytes(), id, &timestamp.to_string(), body)
}

/// Returns the header value: one signature per secret, separated by spaces.
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

/// Formats a secret for its owner: `whsec_<base64>`.
pub fn text_of(secret: &WebhookSecret) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(secret.as_bytes()))
}

/// Parses what [`text_of`] wrote. `None` if it is not a valid secret.
pub fn parse(text: &str) -> Option<WebhookSecret> {
    let key = STANDARD.decode(text.trim().strip_prefix(SECRET_PREFIX)?).ok()?;
    key.try_into().ok().map(WebhookSecret::new)
}

/// Verifies that a message was signed with one of the secrets and is recent. `timestamp` and `signatures` are the
/// raw header values.
pub fn verify<'a>(
    secrets: impl IntoIterator<Item = &'a WebhookSecret>,
    id: &str,
    timestamp: &str,
    signatures: &str,
    body: &[u8],
    now_unix: i64,
    tolerance: Duration,
) -> Result<(), VerifyError> {
    let keys = secrets.into_iter().map(|secret| secret.as_bytes().as_slice());
    verified(keys, id, timestamp, signatures, body)?;
    let sent: i64 = timestamp.parse().map_err(|_| VerifyError::Timestamp)?;
    let tolerance = i64::try_from(tolerance.as_secs()).unwrap_or(i64::MAX);
    match now_unix.saturating_sub(sent) {
        age if age > tolerance => Err(VerifyError::TooOld),
        age if age < -tolerance => Err(VerifyError::TooNew),
        _ => Ok(()),
    }
}

/// Compares all signatures with all secrets in constant time: timing must not reveal how much of a guess was right.
fn verified<'a>(
    keys: impl Iterator<Item = &'a [u8]>,
    id: &str,
    timestamp: &str,
    signatures: &str,
    body: &[u8],
) -> Result<(), VerifyError> {
    let mut is_valid = subtle::Choice::from(0);
    for key in keys {
        let expected = signed(key, id, timestamp, body);
        for signature in signatures.split(' ').take(SIGNATURES_MAX) {
            is_valid |= expected.as_bytes().ct_eq(signature.as_bytes());
        }
    }
    if bool::from(is_valid) { Ok(()) } else { Err(VerifyError::Signature) }
}

/// Takes raw key bytes: published examples use shorter keys than ours.
fn signed(key: &[u8], id: &str, timestamp: &str, body: &[u8]) -> String {
    // HMAC accepts keys of any length: long ones are hashed, short ones padded.
    let mut mac = Hmac::<Sha256>::new_from_slice(key)
        .unwrap_or_else(|_| unreachable!("HMAC accepts keys of any length"));
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

    fn check(secret: &WebhookSecret, signatures: &str, now: i64, expected: Result<(), VerifyError>) {
        let found = verify([secret], ID, &NOW.to_string(), signatures, BODY, now, TOLERANCE);
        assert_eq!(found, expected, "{signatures}");
    }

    #[test]
    fn published_examples_match() {
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
    fn any_valid_signature_is_enough() {
        let both = header([&secret(1), &secret(2)], ID, NOW, BODY);
        check(&secret(1), &both, NOW, Ok(()));
        check(&secret(2), &both, NOW, Ok(()));
        check(&secret(3), &both, NOW, Err(VerifyError::Signature));
        check(&secret(1), &format!("v1a,AAAA v2,x  {both}"), NOW, Ok(()));
        check(
            &secret(1),
            &format!("{}{both}", "v1,x ".repeat(SIGNATURES_MAX)),
            NOW,
            Err(VerifyError::Signature),
        );
    }

    #[test]
    fn tampered_messages_are_rejected() {
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
            assert_eq!(found, Err(VerifyError::Signature), "{id} {timestamp} {signature}");
        }
        let no_secrets: [&WebhookSecret; 0] = [];
        assert_eq!(verify(no_secrets, ID, &now, &good, BODY, NOW, TOLERANCE), Err(VerifyError::Signature));
    }

    #[test]
    fn old_and_future_timestamps_are_rejected() {
        let good = sign(&secret(1), ID, NOW, BODY);
        check(&secret(1), &good, NOW + 300, Ok(()));
        check(&secret(1), &good, NOW - 300, Ok(()));
        check(&secret(1), &good, NOW + 301, Err(VerifyError::TooOld));
        check(&secret(1), &good, NOW - 301, Err(VerifyError::TooNew));
        let odd = signed(secret(1).as_bytes(), ID, "today", BODY);
        let found = verify([&secret(1)], ID, "today", &odd, BODY, NOW, TOLERANCE);
        assert_eq!(found, Err(VerifyError::Timestamp));
    }

    #[test]
    fn secret_text_round_trips() {
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
