//! Random stories: adverts, searches switched on and off, receivers that fail and hang, workers that die. Whatever happens, what
//! is owed is there exactly once, and what was sent obeys the rules.

use std::collections::{BTreeMap, BTreeSet};

use domain::{DeliveryId, DeliveryState, EventName, Fault, Outcome};
use store::Position;
use testkit::Random;

use super::*;

/// DeliverySubject four seconds of work in a debug build.
const STORIES: u64 = 25;
const ACTS: u64 = 40;

#[tokio::test]
async fn whatever_happens_what_is_owed_is_there_once_and_is_sent_by_the_rules() {
    for story in 0..STORIES {
        let seed = testkit::random::seed().wrapping_add(story);
        println!("seed {seed}");
        tell(&mut Random::new(seed)).await;
    }
}

async fn tell(random: &mut Random) {
    let listing = ListingSummary::new();
    let mut searches = Vec::new();
    for number in 0..2 + random.below(3) {
        let path = |kind| Endpoint::parse(&format!("https://hook{number}.example/{kind}")).ok();
        let alerts = Alerts {
            endpoint: path("m"),
            event_endpoint: path("e").filter(|_| !random.once_in(3)),
            events: EventName::ALL.iter().copied().collect(),
            ..to_endpoint()
        };
        searches.push(listing.save(alerts).await);
    }
    let mut dispatcher = listing.dispatcher();
    for _ in 0..ACTS {
        match random.below(10) {
            0..=3 => listing.advertise(random.below(4), 100.0 + random.below(9) as f64).await,
            4 => listing.transport.always(Answer::Is(Outcome::Delivered)),
            5 => listing
                .transport
                .always(Answer::Is(Outcome::Failed(*random.pick(&[Fault::Status, Fault::Timeout])))),
            6 => {
                listing.transport.always(Answer::TakenThenSilence);
                listing.matched().await;
                step(&mut dispatcher).await;
                // It dies with whatever is under way.
                dispatcher = listing.dispatcher();
                listing.transport.always(Answer::Is(Outcome::Delivered));
            }
            7 => listing.clock.advance_seconds(random.below(2 * HOUR as u64) as i64),
            8 => {
                let search = random.pick(&searches);
                let enabled = !random.once_in(2);
                listing.change(search, |alerts| alerts.enabled = enabled).await;
            }
            _ => listing.matched().await,
        }
        step(&mut dispatcher).await;
    }
    listing.matched().await;
    listing.transport.always(Answer::Is(Outcome::Delivered));
    for _ in 0..10 {
        work(&mut dispatcher).await;
        listing.clock.advance_seconds(HOUR);
    }
    check(&listing).await;
}

/// Some rounds, whether or not everything under way comes to an end.
async fn step(dispatcher: &mut Dispatcher) {
    for _ in 0..6 {
        dispatcher.run_once().await.unwrap();
        tokio::task::yield_now().await;
    }
}

async fn check(listing: &ListingSummary) {
    let groups = listing.store.match_groups_after(Position::START, usize::MAX).await.unwrap();
    let owed = groups.iter().flat_map(|group| {
        group.outbox.iter().flat_map(move |of| {
            of.searches.iter().map(move |number| (group.position, of.notification, *number))
        })
    });
    let owed: BTreeSet<_> = owed.collect();
    let rows = listing.deliveries().await;
    assert_eq!(rows.len(), owed.len(), "one for each that is owed");

    let posts = listing.transport.posts();
    let mut bodies: BTreeMap<DeliveryId, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for post in &posts {
        bodies.entry(post.id).or_default().insert(post.body.clone());
    }
    assert!(bodies.values().all(|bodies| bodies.len() == 1), "the same bytes every time");

    for row in rows {
        let (row, attempts) = listing.store.delivery(row.id).await.unwrap().unwrap();
        assert!(
            matches!(
                row.state,
                DeliveryState::Delivered | DeliveryState::Failed | DeliveryState::Cancelled(_)
            ),
            "{row:?}"
        );
        let failures = attempts.iter().filter(|attempt| matches!(attempt.outcome, Outcome::Failed(_)));
        let began: Vec<_> = failures.map(|attempt| attempt.started_at.as_second()).collect();
        assert!(began.len() <= 6, "{attempts:?}");
        assert!(began.windows(2).all(|pair| pair[1] - pair[0] >= HOUR), "{attempts:?}");
        let delivered = attempts.iter().position(|attempt| attempt.outcome == Outcome::Delivered);
        assert_eq!(delivered.is_some(), row.state == DeliveryState::Delivered, "{row:?} {attempts:?}");
        assert!(delivered.is_none_or(|place| place + 1 == attempts.len()), "nothing is sent after success");
        let sent = posts.iter().filter(|post| post.id == row.id).count();
        assert!(sent <= attempts.len(), "every attempt is told of: {sent} sent, {attempts:?}");
        if began.len() == 6 {
            assert_eq!(row.state, DeliveryState::Failed);
        }
    }
    in_order(listing).await;
}

/// What a lane tells of one property is first told in the order in which it happened; and all of it is counted without a gap.
async fn in_order(listing: &ListingSummary) {
    let mut first: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let mut counted: BTreeMap<store::Lane, Vec<u64>> = BTreeMap::new();
    let posts = listing.transport.posts();
    for row in listing.deliveries().await {
        counted.entry(row.lane).or_default().push(row.lane_sequence);
        let (property, _) = row.subject.unwrap();
        let mut sent = posts.iter().enumerate().filter(|(_, post)| post.id == row.id).peekable();
        first.entry((row.lane, property)).or_default().extend(sent.peek().map(|(place, _)| *place));
        assert!(sent.all(|(_, post)| post.order.unwrap().sequence == row.lane_sequence));
    }
    for (topic, places) in first {
        assert!(places.is_sorted(), "{topic:?}: {places:?}");
        let versions: Vec<u32> =
            places.iter().map(|place| posts[*place].order.unwrap().property_version).collect();
        assert!(versions.is_sorted(), "{topic:?}: {versions:?}");
    }
    for (lane, numbers) in counted {
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{lane:?}");
    }
}
