//! Waiting for turns.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use testkit::build::user_id;

use super::*;

const LIMITS: TurnLimits =
    TurnLimits { running_max: 2, running_per_user_max: 1, waiting_max: 3, waiting_per_user_max: 2 };

type Asking<'a> = Pin<Box<dyn Future<Output = Result<Turn, Error>> + 'a>>;

fn ask(queue: &FairQueue, user: u64) -> Asking<'_> {
    Box::pin(queue.turn(user_id(user)))
}

fn poll(asking: &mut Asking<'_>) -> Poll<Result<Turn, Error>> {
    asking.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

fn granted(asking: &mut Asking<'_>) -> Turn {
    match poll(asking) {
        Poll::Ready(turn) => turn.unwrap(),
        Poll::Pending => panic!("no turn yet"),
    }
}

#[test]
fn turns_are_granted_and_given_back() {
    let queue = FairQueue::new(LIMITS);
    let first = granted(&mut ask(&queue, 1));
    let mut again = ask(&queue, 1);
    assert!(poll(&mut again).is_pending(), "one at a time for a user");
    let other = granted(&mut ask(&queue, 2));
    let mut third = ask(&queue, 3);
    assert!(poll(&mut third).is_pending());
    drop(other);
    let _third = granted(&mut third);
    assert!(poll(&mut again).is_pending());
    drop(first);
    let _again = granted(&mut again);
    assert_eq!(queue.waiting(), 0);
}

#[test]
fn full_queue_refuses() {
    let queue = FairQueue::new(LIMITS);
    let _running = [granted(&mut ask(&queue, 1)), granted(&mut ask(&queue, 2))];
    let mut waiting: Vec<_> = [1, 1, 2].map(|user| ask(&queue, user)).into();
    waiting.iter_mut().for_each(|asking| assert!(poll(asking).is_pending()));
    let refused = |user| match poll(&mut ask(&queue, user)) {
        Poll::Ready(Err(Error::QueueFull(full))) => full,
        _ => panic!("not refused"),
    };
    assert_eq!(refused(1), QueueFull::User(2));
    assert_eq!(refused(3), QueueFull::All);
    // A caller that goes away makes room.
    drop(waiting.pop());
    assert!(poll(&mut ask(&queue, 3)).is_pending());
}

#[test]
fn caller_that_goes_away_leaves_the_queue() {
    let queue = FairQueue::new(LIMITS);
    let running = [granted(&mut ask(&queue, 1)), granted(&mut ask(&queue, 2))];
    let (mut gone, mut stays) = (ask(&queue, 3), ask(&queue, 4));
    assert!(poll(&mut gone).is_pending() && poll(&mut stays).is_pending());
    drop(gone);
    assert_eq!(queue.waiting(), 1);
    drop(running);
    drop(granted(&mut stays));

    // Also one that went away between being granted its turn and taking it.
    let running = [granted(&mut ask(&queue, 1)), granted(&mut ask(&queue, 2))];
    let mut gone = ask(&queue, 3);
    assert!(poll(&mut gone).is_pending());
    drop(running);
    drop(gone);
    let _both = [granted(&mut ask(&queue, 1)), granted(&mut ask(&queue, 2))];
}
