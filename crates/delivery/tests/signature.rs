//! Our signatures, read by what receivers use: the published libraries for Rust and for Python.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::path::Path;

use delivery::signature::{self, ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER};
use domain::WebhookSecret;
use http::{HeaderMap, HeaderValue};
use standardwebhooks::Webhook;
use testkit::{Random, python, random};

const MESSAGES: usize = 600;

/// What a receiver holds in hands, and what it must say of it.
struct Message {
    secret: WebhookSecret,
    id: String,
    timestamp: i64,
    signatures: String,
    body: String,
    good: bool,
}

/// The libraries ask the machine what time it is, so messages have to be sent now.
#[expect(clippy::disallowed_methods, reason = "the libraries compare with this clock and take no other")]
fn now() -> i64 {
    domain::Timestamp::now().as_second()
}

fn secret(random: &mut Random) -> WebhookSecret {
    let mut bytes = [0; WebhookSecret::BYTES];
    bytes.fill_with(|| random.next_u64() as u8);
    WebhookSecret::new(bytes)
}

/// Letters of one to four bytes, quotes and line ends among them.
fn text(random: &mut Random) -> String {
    let length = random.below(300);
    (0..length).map(|_| *random.pick(&['a', 'é', '€', '🏠', '"', '\\', '\n', '.', ' ', '\0', '7'])).collect()
}

/// Good ones and, after each, one way to be wrong.
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
fn the_published_crate_accepts_what_is_ours_and_nothing_else() {
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
fn the_published_python_library_accepts_what_is_ours_and_nothing_else() {
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
fn our_own_check_agrees() {
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
