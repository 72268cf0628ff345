//! Our signatures, verified by the libraries receivers use: those published for Rust and Python.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;

use delivery::signature::{self, ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER};
use domain::WebhookSecret;
use http::{HeaderMap, HeaderValue};
use standardwebhooks::Webhook;
use testkit::{Random, python, random};

const MESSAGES: usize = 600;

/// A received message and whether it is valid.
struct Message {
    secret: WebhookSecret,
    id: String,
    timestamp: i64,
    signatures: String,
    body: String,
    good: bool,
}

/// The libraries read the system clock, so messages must be current.
#[expect(clippy::disallowed_methods, reason = "the libraries compare with this clock and take no other")]
fn now() -> i64 {
    domain::Timestamp::now().as_second()
}

fn secret(random: &mut Random) -> WebhookSecret {
    let mut bytes = [0; WebhookSecret::BYTES];
    bytes.fill_with(|| random.next_u64() as u8);
    WebhookSecret::new(bytes)
}

/// Characters of one to four bytes, including quotes and line ends.
fn text(random: &mut Random) -> String {
    let length = random.below(300);
    (0..length).map(|_| *random.pick(&['a', 'é', '€', '🏠', '"', '\\', '\n', '.', ' ', '\0', '7'])).collect()
}

/// Returns valid messages, each group followed by an invalid one.
fn messages(random: &mut Random) -> Vec<Message> {
    let now = now();
    let mut messages = Vec::new();
    while messages.len() < MESSAGES {
        let (current, previous, other) = (secret(random), secret(random), secret(random));
        let id = format!("{:016x}", random.next_u64());
        let body = text(random);
        let timestamp = now - random.below(60) as i64;
        let signed = |at| signature::header([&current, &previous], &id, at, body.as_bytes());
        let good = |secret: &WebhookSecret| Message {
            secret: secret.clone(),
            id: id.clone(),
            timestamp,
            signatures: signed(timestamp),
            body: body.clone(),
            good: true,
        };
        let wrong = match random.below(6) {
            0 => Message { body: format!("{body} "), ..good(&current) },
            1 => Message { secret: other, ..good(&current) },
            2 => Message { id: format!("{id}0"), ..good(&current) },
            3 => Message { timestamp: timestamp + 1, ..good(&current) },
            4 => Message { timestamp: now - 3_600, signatures: signed(now - 3_600), ..good(&current) },
            _ => Message { timestamp: now + 3_600, signatures: signed(now + 3_600), ..good(&current) },
        };
        messages.extend([good(&current), good(&previous), Message { good: false, ..wrong }]);
    }
    messages
}

#[test]
fn rust_library_agrees() {
    for message in messages(&mut Random::new(random::seed())) {
        let webhook = Webhook::new(&signature::text_of(&message.secret)).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(ID_HEADER, HeaderValue::from_str(&message.id).unwrap());
        headers.insert(TIMESTAMP_HEADER, HeaderValue::from(message.timestamp));
        headers.insert(SIGNATURE_HEADER, HeaderValue::from_str(&message.signatures).unwrap());
        let accepted = webhook.verify(message.body.as_bytes(), &headers);
        assert_eq!(accepted.is_ok(), message.good, "{accepted:?} {} {}", message.id, message.body);
    }
}

#[test]
fn python_library_agrees() {
    let messages = messages(&mut Random::new(random::seed()));
    let mut lines = String::new();
    for message in &messages {
        let line = serde_json::json!({
            "secret": signature::text_of(&message.secret),
            "id": message.id,
            "timestamp": message.timestamp.to_string(),
            "signature": message.signatures,
            "body": message.body,
        });
        lines.push_str(&format!("{line}\n"));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/verify.py");
    let answers = python::run(&python::with(&["standardwebhooks==1.1.0"]), &script, &lines);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), messages.len());
    for (message, answer) in messages.iter().zip(answers) {
        assert_eq!(answer == "ok", message.good, "{answer}: {} {}", message.id, message.body);
    }
}

#[test]
fn own_verification_agrees() {
    let now = now();
    for message in messages(&mut Random::new(random::seed())) {
        let verdict = signature::verify(
            [&message.secret],
            &message.id,
            &message.timestamp.to_string(),
            &message.signatures,
            message.body.as_bytes(),
            now,
            signature::TOLERANCE,
        );
        assert_eq!(verdict.is_ok(), message.good, "{verdict:?}");
    }
}
