//! The order in which a few lanes become ready.

use super::*;
use domain::{DeliveryChannel, SearchNumber};
use testkit::build::at;

fn lane(number: u32) -> Lane {
    Lane { search: SearchNumber(number), channel: DeliveryChannel::Match }
}

fn target(host: &str, user: u8) -> Target {
    Target { host: host.into(), user: UserId::from_bytes([user; 16]) }
}

fn route(target: &Target) -> Route {
    Route { target: target.clone(), order: None }
}

fn schedule() -> Schedule {
    Schedule::new(DispatchLimits {
        per_host: 2,
        per_user: 3,
        total: 5,
        emails: 3,
        ..DispatchLimits::default()
    })
}

#[test]
fn a_lane_is_taken_once_when_it_is_due() {
    let mut schedule = schedule();
    schedule.add(lane(1), at(20));
    schedule.add(lane(2), at(10));
    schedule.add(lane(1), at(30));
    assert_eq!(schedule.take_ready(at(9), 9), []);
    assert!(!schedule.has_ready(at(9)) && schedule.has_ready(at(10)));
    assert_eq!(schedule.next_due_at(), Some(at(10)));
    assert_eq!(schedule.take_ready(at(20), 9), [lane(2), lane(1)]);
    assert_eq!(schedule.take_ready(at(99), 9), []);
    schedule.add(lane(1), at(40));
    schedule.add(lane(1), at(35));
    assert_eq!(schedule.take_ready(at(36), 9), [lane(1)], "the earlier due time counts");
}

#[test]
fn a_lane_with_more_to_send_goes_behind_the_others() {
    let mut schedule = schedule();
    schedule.add(lane(1), at(0));
    schedule.add(lane(2), at(5));
    assert_eq!(schedule.take_ready(at(10), 1), [lane(1)]);
    schedule.add(lane(1), at(0));
    assert_eq!(schedule.take_ready(at(10), 1), [lane(2)]);
    assert_eq!(schedule.take_ready(at(10), 1), [lane(1)]);
}

#[test]
fn lanes_of_a_busy_host_are_parked_and_unparked_one_by_one() {
    let mut schedule = schedule();
    let (slow, other) = (target("slow", 1), target("other", 2));
    assert_eq!(schedule.capacity_or_park(lane(1), &slow), 2);
    schedule.start(&route(&slow));
    schedule.start(&route(&slow));
    assert_eq!(schedule.capacity_or_park(lane(2), &slow), 0);
    assert_eq!(schedule.capacity_or_park(lane(3), &slow), 0);
    schedule.add(lane(2), at(0));
    assert_eq!(schedule.take_ready(at(1), 9), [], "parked");
    assert_eq!(schedule.capacity_or_park(lane(4), &other), 2);
    schedule.end(&route(&slow), AttemptEnd::Completed);
    assert_eq!(schedule.take_ready(at(1), 9), [lane(2)]);
    assert_eq!(schedule.capacity_or_park(lane(2), &slow), 1);
    schedule.end(&route(&slow), AttemptEnd::Completed);
    assert_eq!(schedule.take_ready(at(1), 9), [lane(3)]);
    assert_eq!(schedule.in_flight(), 0);
}

#[test]
fn user_limit_and_total_limit_span_all_hosts() {
    let mut schedule = schedule();
    for host in ["a", "b", "c"] {
        schedule.start(&route(&target(host, 1)));
    }
    assert_eq!(schedule.capacity_or_park(lane(1), &target("d", 1)), 0);
    assert_eq!(schedule.capacity_or_park(lane(2), &target("d", 2)), 2);
    schedule.start(&route(&target("d", 2)));
    schedule.start(&route(&target("e", 2)));
    schedule.add(lane(3), at(0));
    assert_eq!(schedule.take_ready(at(1), 9), [], "the total limit is reached");
    assert!(!schedule.has_ready(at(1)));
    schedule.end(&route(&target("a", 1)), AttemptEnd::Completed);
    assert_eq!(schedule.take_ready(at(1), 9), [lane(3), lane(1)]);
}

#[test]
fn no_lane_stays_parked_after_the_last_attempt() {
    let mut schedule = schedule();
    let slow = target("slow", 1);
    schedule.start(&route(&slow));
    schedule.start(&route(&slow));
    assert_eq!(schedule.capacity_or_park(lane(1), &slow), 0);
    assert_eq!(schedule.capacity_or_park(lane(2), &slow), 0);
    schedule.end(&route(&slow), AttemptEnd::Completed);
    schedule.end(&route(&slow), AttemptEnd::Completed);
    assert_eq!(schedule.take_ready(at(1), 9), [lane(1), lane(2)]);
    assert!(schedule.usage.is_empty(), "idle hosts are removed");
}

#[tokio::test]
async fn one_user_gets_at_most_half_of_a_host() {
    let mut schedule = Schedule::new(DispatchLimits {
        per_host: 2,
        per_user: 9,
        total: 9,
        emails: 3,
        ..DispatchLimits::default()
    });
    let (one, other) = (target("shared", 1), target("shared", 2));
    assert_eq!(schedule.capacity_or_park(lane(1), &one), 2);
    let (first, second) = (schedule.start(&route(&one)), schedule.start(&route(&one)));
    assert_eq!(schedule.capacity_or_park(lane(1), &one), 0, "one in flight and one claimed ahead");
    let permits = first.acquire().await;
    assert_eq!(permits.len(), 2);
    assert!(second.0[0].try_acquire().is_err(), "the second waits for the first and holds no permit");
    assert_eq!(schedule.capacity_or_park(lane(2), &other), 1);
    assert_eq!(schedule.start(&route(&other)).acquire().await.len(), 2, "another user has room");
    assert_eq!(schedule.capacity_or_park(lane(3), &target("shared", 3)), 0, "the host limit is reached");
    drop(permits);
    assert_eq!(second.acquire().await.len(), 2);
    schedule.end(&route(&one), AttemptEnd::Completed);
    assert_eq!(schedule.take_ready(at(1), 9), [lane(3), lane(1)]);
}

#[test]
fn a_lane_is_ready_again_when_a_blocking_attempt_ends() {
    let mut schedule = schedule();
    let order = |number| OrderKey { lane: lane(1), property: PropertyId::from_bytes([number; 16]) };
    let ordered = |number| Route { target: target("a", 1), order: Some(order(number)) };
    assert!(!schedule.is_blocked(order(1)));
    schedule.start(&ordered(1));
    assert!(schedule.is_blocked(order(1)) && !schedule.is_blocked(order(2)));
    assert!(!schedule.is_blocked(OrderKey { lane: lane(2), ..order(1) }), "other lanes are independent");
    schedule.start(&ordered(2));
    schedule.end(&ordered(2), AttemptEnd::Completed);
    assert_eq!(schedule.take_ready(at(1), 9), [], "no delivery waited for that one");
    schedule.end(&ordered(1), AttemptEnd::Completed);
    assert_eq!(schedule.take_ready(at(1), 9), [lane(1)]);
    assert!(!schedule.is_blocked(order(1)) && schedule.orders_in_flight.is_empty());
}

#[test]
fn a_target_that_times_out_is_only_probed_until_an_attempt_completes() {
    let mut schedule = Schedule::new(DispatchLimits {
        per_host: 16,
        per_user: 64,
        total: 64,
        emails: 3,
        ..DispatchLimits::default()
    });
    let (slow, other) = (route(&target("slow", 1)), route(&target("slow", 2)));
    assert_eq!(schedule.capacity_or_park(lane(1), &slow.target), 16);
    (0..16).for_each(|_| drop(schedule.start(&slow)));
    schedule.end(&slow, AttemptEnd::TimedOut);
    assert_eq!(schedule.capacity_or_park(lane(1), &slow.target), 0, "fifteen in flight, two allowed");
    assert_eq!(schedule.capacity_or_park(lane(2), &other.target), 9, "another user is not affected");
    (0..15).for_each(|_| schedule.end(&slow, AttemptEnd::TimedOut));
    assert_eq!(schedule.take_ready(at(1), 9), [lane(1)]);
    assert_eq!(schedule.capacity_or_park(lane(1), &slow.target), PROBES);
    schedule.start(&slow);
    schedule.end(&slow, AttemptEnd::NotAttempted);
    assert_eq!(schedule.capacity_or_park(lane(1), &slow.target), PROBES, "no attempt, no change");
    schedule.start(&slow);
    schedule.end(&slow, AttemptEnd::Completed);
    assert_eq!(schedule.capacity_or_park(lane(1), &slow.target), 16);
    assert!(schedule.stalled.is_empty());
}

#[test]
fn emails_have_their_own_limit() {
    let mut schedule = Schedule::new(DispatchLimits { emails: 3, ..DispatchLimits::default() });
    let (one, other) = (route(&target(MAIL_HOST, 1)), route(&target(MAIL_HOST, 2)));
    let claimed = std::iter::from_fn(|| {
        let next =
            [&one, &other].into_iter().find(|of| schedule.capacity_or_park(lane(1), &of.target) > 0)?;
        Some(schedule.start(next))
    });
    assert_eq!(claimed.count(), 5, "three in flight and two claimed ahead");
}
