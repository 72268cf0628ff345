//! Simulation with random actions: adverts, searches switched on and off, receivers that fail or hang, dispatchers that crash.
//! Every outbox entry becomes exactly one delivery, and the attempts obey the rules.

use std::collections::{BTreeMap, BTreeSet};

use domain::{DeliveryId, DeliveryState, EventName, Fault, Outcome};
use store::Position;
use testkit::Random;

use super::*;

/// About four seconds in a debug build.
const RUNS: u64 = 25;
const ACTIONS: u64 = 40;

#[tokio::test]
async fn every_outbox_entry_is_delivered_once_by_the_rules() {
    for run in 0..RUNS {
        let seed = testkit::random::seed().wrapping_add(run);
        println!("seed {seed}");
        simulate(&mut Random::new(seed)).await;
    }
}

async fn simulate(random: &mut Random) {
    let service = TestService::new();
    let mut searches = Vec::new();
    for number in 0..2 + random.below(3) {
        let path = |kind| Endpoint::parse(&format!("https://hook{number}.example/{kind}")).ok();
        let alerts = Alerts {
            endpoint: path("m"),
            event_endpoint: path("e").filter(|_| !random.once_in(3)),
            events: EventName::ALL.iter().copied().collect(),
            ..webhook_alerts()
        };
        searches.push(service.save(alerts).await);
    }
    let mut dispatcher = service.dispatcher();
    for _ in 0..ACTIONS {
        match random.below(10) {
            0..=3 => service.ingest(random.below(4), 100.0 + random.below(9) as f64).await,
            4 => service.transport.always(Answer::Outcome(Outcome::Delivered)),
            5 => service
                .transport
                .always(Answer::Outcome(Outcome::Failed(*random.pick(&[Fault::Status, Fault::Timeout])))),
            6 => {
                service.transport.always(Answer::Never);
                service.run_matcher().await;
                step(&mut dispatcher).await;
                // The dispatcher crashes with attempts in flight.
                dispatcher = service.dispatcher();
                service.transport.always(Answer::Outcome(Outcome::Delivered));
            }
            7 => service.clock.advance_seconds(random.below(2 * HOUR as u64) as i64),
            8 => {
                let search = random.pick(&searches);
                let enabled = !random.once_in(2);
                service.change(search, |alerts| alerts.enabled = enabled).await;
            }
            _ => service.run_matcher().await,
        }
        step(&mut dispatcher).await;
    }
    service.run_matcher().await;
    service.transport.always(Answer::Outcome(Outcome::Delivered));
    for _ in 0..10 {
        run_until_idle(&mut dispatcher).await;
        service.clock.advance_seconds(HOUR);
    }
    check(&service).await;
}

/// Runs some rounds, whether or not the attempts in flight end.
async fn step(dispatcher: &mut Dispatcher) {
    for _ in 0..6 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
}

async fn check(service: &TestService) {
    let groups = service.store.match_groups_after(Position::START, usize::MAX).await.unwrap();
    let expected = groups.iter().flat_map(|group| {
        group.outbox.iter().flat_map(move |entry| {
            entry.searches.iter().map(move |number| (group.position, entry.notification, *number))
        })
    });
    let expected: BTreeSet<_> = expected.collect();
    let rows = service.deliveries().await;
    assert_eq!(rows.len(), expected.len(), "one delivery for each outbox entry");

    let webhooks = service.transport.webhooks();
    let mut bodies: BTreeMap<DeliveryId, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for webhook in &webhooks {
        bodies.entry(webhook.id).or_default().insert(webhook.body.clone());
    }
    assert!(bodies.values().all(|bodies| bodies.len() == 1), "the same bytes every time");

    for row in rows {
        let (row, attempts) = service.store.delivery(row.id).await.unwrap().unwrap();
        assert!(
            matches!(
                row.state,
                DeliveryState::Delivered | DeliveryState::Failed | DeliveryState::Cancelled(_)
            ),
            "{row:?}"
        );
        let failures = attempts.iter().filter(|attempt| matches!(attempt.outcome, Outcome::Failed(_)));
        let started_at: Vec<_> = failures.map(|attempt| attempt.started_at.as_second()).collect();
        assert!(started_at.len() <= 6, "{attempts:?}");
        assert!(started_at.windows(2).all(|pair| pair[1] - pair[0] >= HOUR), "{attempts:?}");
        let delivered = attempts.iter().position(|attempt| attempt.outcome == Outcome::Delivered);
        assert_eq!(delivered.is_some(), row.state == DeliveryState::Delivered, "{row:?} {attempts:?}");
        assert!(delivered.is_none_or(|index| index + 1 == attempts.len()), "nothing is sent after success");
        let sent = webhooks.iter().filter(|webhook| webhook.id == row.id).count();
        assert!(sent <= attempts.len(), "every attempt is recorded: {sent} sent, {attempts:?}");
        if started_at.len() == 6 {
            assert_eq!(row.state, DeliveryState::Failed);
        }
    }
    check_order(service).await;
}

/// Checks that the first attempts about a property are in order within a lane, and that sequence numbers have no gaps.
async fn check_order(service: &TestService) {
    let mut first: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let mut counted: BTreeMap<store::Lane, Vec<u64>> = BTreeMap::new();
    let webhooks = service.transport.webhooks();
    for row in service.deliveries().await {
        counted.entry(row.lane).or_default().push(row.lane_sequence);
        let (property, _) = row.subject.unwrap();
        let mut sent = webhooks.iter().enumerate().filter(|(_, webhook)| webhook.id == row.id).peekable();
        first.entry((row.lane, property)).or_default().extend(sent.peek().map(|(index, _)| *index));
        assert!(sent.all(|(_, webhook)| webhook.order.unwrap().sequence == row.lane_sequence));
    }
    for (key, indexes) in first {
        assert!(indexes.is_sorted(), "{key:?}: {indexes:?}");
        let versions: Vec<u32> =
            indexes.iter().map(|index| webhooks[*index].order.unwrap().property_version).collect();
        assert!(versions.is_sorted(), "{key:?}: {versions:?}");
    }
    for (lane, numbers) in counted {
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{lane:?}");
    }
}
