use serde_json::json;

use super::*;

fn paris() -> TimeZone {
    TimeZone::get("Europe/Paris").unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn input(zone: &TimeZone, state: DeliveryState) -> DeliveryInput<'_> {
    let number = domain::SearchNumber(42);
    DeliveryInput {
        id: DeliveryId::of(number, 7, domain::DeliveryEpoch::default()),
        search: Some(SearchId::from_bytes([0x5e; 16])),
        channel: DeliveryChannel::Event,
        sequence: 7,
        event: Some(EventName::UpdatePrice),
        about: Some((PropertyId::from_bytes([0xb0; 16]), MatchId::of(number, 1_337))),
        state,
        awaits_confirmation: false,
        created_at: at("2026-03-02T09:00:00Z"),
        state_at: at("2026-03-02T10:00:00Z"),
        attempt_count: 2,
        zone,
    }
}

fn truncated(state: DeliveryState) -> Value {
    serde_json::to_value(DeliveryBody::of(&input(&paris(), state))).unwrap()
}

#[test]
fn pending_delivery_body() {
    assert_eq!(
        truncated(DeliveryState::Pending),
        json!({
            "@context": "/contexts/Delivery",
            "@id": "/deliveries/0000002a-0000-8001-8000-000000000007",
            "@type": "Delivery",
            "search": "/searches/5e5e5e5e-5e5e-5e5e-5e5e-5e5e5e5e5e5e",
            "channel": "eventEndpoint",
            "sequence": 7,
            "event": "ad.update.price",
            "match": "/matches/0000002a-0000-8000-8000-000000000539",
            "property": "/properties/b0b0b0b0-b0b0-b0b0-b0b0-b0b0b0b0b0b0",
            "state": "pending",
            "reason": null,
            "createdAt": "2026-03-02T10:00:00+01:00",
            "nextAttemptAt": "2026-03-02T11:00:00+01:00",
            "settledAt": null,
            "attemptCount": 2,
        })
    );
}

#[test]
fn states_have_names_dates_and_reasons() {
    let check = |state, name: &str, reason: Option<&str>, settled: bool| {
        let body = truncated(state);
        assert_eq!((&body["state"], &body["reason"]), (&json!(name), &json!(reason)));
        assert_eq!(body["settledAt"].is_string(), settled, "{body}");
        assert_eq!(body["nextAttemptAt"].is_string(), state == DeliveryState::Pending, "{body}");
    };
    check(DeliveryState::Leased, "leased", None, false);
    check(DeliveryState::Delivered, "delivered", None, true);
    check(DeliveryState::Failed, "failed", None, true);
    let reasons = ["disabled", "search_deleted", "no_recipient", "erased", "channel_off", "damaged"];
    for (reason, name) in domain::CancelReason::ALL.into_iter().zip(reasons) {
        check(DeliveryState::Cancelled(reason), "cancelled", Some(name), true);
    }
}

#[test]
fn erased_and_deleted_references_are_null() {
    let zone = paris();
    let input =
        DeliveryInput { search: None, event: None, about: None, ..input(&zone, DeliveryState::Failed) };
    let body = serde_json::to_value(DeliveryBody::of(&input)).unwrap();
    for name in ["search", "match", "property"] {
        assert_eq!(body.get(name), Some(&Value::Null), "{name}");
    }
    assert_eq!(body["event"], "match");
}

#[test]
fn attempts_are_listed_in_order() {
    let zone = paris();
    let attempt = |outcome, status, answer| AttemptInput {
        began_at: at("2026-03-02T09:00:00.75Z"),
        took: Duration::from_micros(1_234_567),
        outcome,
        status,
        target: Some("https://hook.example/a"),
        answer,
        answer_headers: &[],
        timings: PhaseTimings::default(),
        certificate: None,
    };
    let failed = domain::Outcome::Failed(domain::Fault::Tls);
    let untrusted =
        AttemptInput { certificate: Some(CertificateFault::Expired), ..attempt(failed, None, b"") };
    let headers = [ResponseHeader { name: "server".to_owned(), value: "\u{1b}nginx".to_owned() }];
    let (first_byte, connect) = (Some(Duration::from_micros(35_900)), Some(Duration::ZERO));
    let accepted = AttemptInput {
        answer_headers: &headers,
        timings: PhaseTimings { connect, first_byte, ..PhaseTimings::default() },
        ..attempt(Outcome::Delivered, Some(200), "reçu".as_bytes())
    };
    let attempts = [
        attempt(Outcome::Failed(domain::Fault::Status), Some(503), b"no\r\n\x1b[31m \xff h\xc3".as_slice()),
        attempt(Outcome::Interrupted, None, b""),
        accepted,
        untrusted,
    ];
    let body = DeliveryWithAttempts::of(&input(&zone, DeliveryState::Delivered), attempts);
    let text = serde_json::to_string(&body).unwrap();
    assert!(text.contains(r#""answer":"no\r\n\u001b[31m"#), "{text}");
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&body["@type"], &body["attemptCount"]), (&json!("Delivery"), &json!(2)));
    assert_eq!(
        body["attempts"][2],
        json!({
            "number": 3, "beganAt": "2026-03-02T10:00:00+01:00", "durationMs": 1_234, "outcome": "delivered",
            "status": 200, "target": "https://hook.example/a", "answer": "reçu",
            "answerHeaders": [{"name": "server", "value": "\u{1b}nginx"}],
            "timings": {"nameMs": null, "connectMs": 0, "tlsMs": null, "firstByteMs": 35},
            "detail": null,
        })
    );
    let second = &body["attempts"][1];
    assert_eq!((&second["outcome"], &second["answer"]), (&json!("interrupted"), &Value::Null));
    assert_eq!(body["attempts"][0]["outcome"], "status");
    let last = &body["attempts"][3];
    assert_eq!(
        (&last["outcome"], &last["detail"]),
        (&json!("tls"), &json!("The certificate has expired: renew it."))
    );
}

#[test]
fn lossy_text_drops_an_incomplete_character() {
    assert_eq!(lossy_text("reç".as_bytes()), "reç");
    assert_eq!(lossy_text(&"reç".as_bytes()[..3]), "re");
    assert_eq!(lossy_text(b"a\xffb"), "a\u{fffd}b");
}

#[test]
fn replay_request_since() {
    let read = |body: Value| {
        parse_replay(body.as_object().unwrap(), &paris()).map_err(|violations| violations[0].message.clone())
    };
    let since = |body: Value| read(body).map(|replay| replay.since);
    assert_eq!(since(json!({"since": "2026-03-02"})), Ok(Some(at("2026-03-01T23:00:00Z"))));
    assert_eq!(since(json!({"since": "2026-03-02T09:00:00Z"})), Ok(Some(at("2026-03-02T09:00:00Z"))));
    assert_eq!(
        since(json!({"since": "yesterday"})),
        Err(format!("\"yesterday\" is not {}.", crate::date::EXPECTED))
    );
    for missing in [json!({}), json!({"since": null}), json!({"since": " "})] {
        assert_eq!(since(missing), Ok(None));
    }
    assert!(since(json!({"since": 3})).is_err());
    let ignored = read(json!({"Since": "2026-03-02", "state": "failed"})).unwrap().ignored;
    assert_eq!(ignored, ["Since", "state"]);
}

#[test]
fn channel_and_fault_names() {
    for channel in DeliveryChannel::ALL {
        assert_eq!(names::parse_delivery_channel(names::delivery_channel(channel)), Some(channel));
    }
    assert_eq!(names::parse_delivery_channel("email"), None);
    let faults: Vec<&str> = domain::Fault::ALL.into_iter().map(names::fault).collect();
    let expected = [
        "policy_refused",
        "dns",
        "connect",
        "tls",
        "timeout",
        "closed",
        "protocol",
        "too_large",
        "status",
        "rejected",
    ];
    assert_eq!(faults, expected);
}
