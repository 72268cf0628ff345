//! Whose turn it is, in a schedule of a few lanes.

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
    Route { target: target.clone(), topic: None }
}

fn schedule() -> Schedule {
    Schedule::new(DispatchLimits { per_host: 2, per_user: 3, in_all: 5, emails: 3 })
}

#[test]
fn lanes_have_their_turn_when_they_are_due_and_once() {
    let mut schedule = schedule();
    schedule.note(lane(1), at(20));
    schedule.note(lane(2), at(10));
    schedule.note(lane(1), at(30));
    assert_eq!(schedule.take(at(9), 9), []);
    assert!(!schedule.has_turn(at(9)) && schedule.has_turn(at(10)));
    assert_eq!(schedule.next_due_at(), Some(at(10)));
    assert_eq!(schedule.take(at(20), 9), [lane(2), lane(1)]);
    assert_eq!(schedule.take(at(99), 9), []);
    schedule.note(lane(1), at(40));
    schedule.note(lane(1), at(35));
    assert_eq!(schedule.take(at(36), 9), [lane(1)], "the earlier of two counts");
}

#[test]
fn one_with_much_to_do_waits_behind_those_that_were_ready_before() {
    let mut schedule = schedule();
    schedule.note(lane(1), at(0));
    schedule.note(lane(2), at(5));
    assert_eq!(schedule.take(at(10), 1), [lane(1)]);
    schedule.note(lane(1), at(0));
    assert_eq!(schedule.take(at(10), 1), [lane(2)]);
    assert_eq!(schedule.take(at(10), 1), [lane(1)]);
}

#[test]
fn a_busy_host_is_in_nobody_s_way_and_lets_go_one_by_one() {
    let mut schedule = schedule();
    let (slow, other) = (target("slow", 1), target("other", 2));
    assert_eq!(schedule.room(lane(1), &slow), 2);
    schedule.begin(&route(&slow));
    schedule.begin(&route(&slow));
    assert_eq!(schedule.room(lane(2), &slow), 0);
    assert_eq!(schedule.room(lane(3), &slow), 0);
    schedule.note(lane(2), at(0));
    assert_eq!(schedule.take(at(1), 9), [], "set aside");
    assert_eq!(schedule.room(lane(4), &other), 2);
    schedule.end(&route(&slow), Ending::InTime);
    assert_eq!(schedule.take(at(1), 9), [lane(2)]);
    assert_eq!(schedule.room(lane(2), &slow), 1);
    schedule.end(&route(&slow), Ending::InTime);
    assert_eq!(schedule.take(at(1), 9), [lane(3)]);
    assert_eq!(schedule.in_flight(), 0);
}

#[test]
fn a_user_has_a_limit_over_all_hosts_and_so_has_the_process() {
    let mut schedule = schedule();
    for host in ["a", "b", "c"] {
        schedule.begin(&route(&target(host, 1)));
    }
    assert_eq!(schedule.room(lane(1), &target("d", 1)), 0);
    assert_eq!(schedule.room(lane(2), &target("d", 2)), 2);
    schedule.begin(&route(&target("d", 2)));
    schedule.begin(&route(&target("e", 2)));
    schedule.note(lane(3), at(0));
    assert_eq!(schedule.take(at(1), 9), [], "as many as there may be");
    assert!(!schedule.has_turn(at(1)));
    schedule.end(&route(&target("a", 1)), Ending::InTime);
    assert_eq!(schedule.take(at(1), 9), [lane(3), lane(1)]);
}

#[test]
fn nothing_stays_aside_for_what_has_ended() {
    let mut schedule = schedule();
    let slow = target("slow", 1);
    schedule.begin(&route(&slow));
    schedule.begin(&route(&slow));
    assert_eq!(schedule.room(lane(1), &slow), 0);
    assert_eq!(schedule.room(lane(2), &slow), 0);
    schedule.end(&route(&slow), Ending::InTime);
    schedule.end(&route(&slow), Ending::InTime);
    assert_eq!(schedule.take(at(1), 9), [lane(1), lane(2)]);
    assert!(schedule.busy.is_empty(), "hosts are not remembered for ever");
}

#[tokio::test]
async fn nobody_has_a_shared_host_alone() {
    let mut schedule = Schedule::new(DispatchLimits { per_host: 2, per_user: 9, in_all: 9, emails: 3 });
    let (one, other) = (target("shared", 1), target("shared", 2));
    assert_eq!(schedule.room(lane(1), &one), 2);
    let (first, second) = (schedule.begin(&route(&one)), schedule.begin(&route(&one)));
    assert_eq!(schedule.room(lane(1), &one), 0, "one under way and one claimed ahead");
    let permits = first.pass().await;
    assert_eq!(permits.len(), 2);
    assert!(second.0[0].try_acquire().is_err(), "it waits for the first, and holds nothing");
    assert_eq!(schedule.room(lane(2), &other), 1);
    assert_eq!(schedule.begin(&route(&other)).pass().await.len(), 2, "there is room for somebody else");
    assert_eq!(schedule.room(lane(3), &target("shared", 3)), 0, "the host has all it may");
    drop(permits);
    assert_eq!(second.pass().await.len(), 2);
    schedule.end(&route(&one), Ending::InTime);
    assert_eq!(schedule.take(at(1), 9), [lane(3), lane(1)]);
}

#[test]
fn of_one_topic_one_is_under_way_and_the_lane_goes_on_when_it_is_over() {
    let mut schedule = schedule();
    let topic = |number| Topic { lane: lane(1), property: PropertyId::from_bytes([number; 16]) };
    let about = |number| Route { target: target("a", 1), topic: Some(topic(number)) };
    assert!(!schedule.is_behind(topic(1)));
    schedule.begin(&about(1));
    assert!(schedule.is_behind(topic(1)) && !schedule.is_behind(topic(2)));
    assert!(!schedule.is_behind(Topic { lane: lane(2), ..topic(1) }), "another lane tells somebody else");
    schedule.begin(&about(2));
    schedule.end(&about(2), Ending::InTime);
    assert_eq!(schedule.take(at(1), 9), [], "nothing waited for that");
    schedule.end(&about(1), Ending::InTime);
    assert_eq!(schedule.take(at(1), 9), [lane(1)]);
    assert!(!schedule.is_behind(topic(1)) && schedule.topics.is_empty());
}

#[test]
fn where_nothing_is_over_in_time_only_a_few_are_tried_until_something_is() {
    let mut schedule = Schedule::new(DispatchLimits { per_host: 16, per_user: 64, in_all: 64, emails: 3 });
    let (slow, other) = (route(&target("slow", 1)), route(&target("slow", 2)));
    assert_eq!(schedule.room(lane(1), &slow.target), 16);
    (0..16).for_each(|_| drop(schedule.begin(&slow)));
    schedule.end(&slow, Ending::Late);
    assert_eq!(schedule.room(lane(1), &slow.target), 0, "fifteen are under way, and two would do");
    assert_eq!(schedule.room(lane(2), &other.target), 9, "somebody else's may be taken");
    (0..15).for_each(|_| schedule.end(&slow, Ending::Late));
    assert_eq!(schedule.take(at(1), 9), [lane(1)]);
    assert_eq!(schedule.room(lane(1), &slow.target), PROBES);
    schedule.begin(&slow);
    schedule.end(&slow, Ending::Unmade);
    assert_eq!(schedule.room(lane(1), &slow.target), PROBES, "nothing was learned");
    schedule.begin(&slow);
    schedule.end(&slow, Ending::InTime);
    assert_eq!(schedule.room(lane(1), &slow.target), 16);
    assert!(schedule.stalled.is_empty());
}

#[test]
fn letters_have_a_limit_of_their_own() {
    let mut schedule = Schedule::new(DispatchLimits { emails: 3, ..DispatchLimits::default() });
    let (one, other) = (route(&target(MAIL_HOST, 1)), route(&target(MAIL_HOST, 2)));
    let claimed = std::iter::from_fn(|| {
        let next = [&one, &other].into_iter().find(|of| schedule.room(lane(1), &of.target) > 0)?;
        Some(schedule.begin(next))
    });
    assert_eq!(claimed.count(), 5, "three under way and two claimed ahead");
}
