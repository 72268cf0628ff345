//! Every trick: on a new connection, on one that has served before, and what becomes of the message after it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use delivery::webhook::Webhooks;
use domain::{Fault, Outcome};
use futures_util::StreamExt;
use testkit::receiver::{
    Authority, Behaviour, Canary, InjectedFault, Receiver, ReceiverConfig, Script, Stage,
};

use crate::sender::{LATE, attempt, sender};

/// Long enough for a message to an honest receiver on a busy machine, and short enough to wait for.
const SOON: Duration = Duration::from_secs(2);
/// How many are played at once. Most of the time is spent waiting for deadlines.
const AT_ONCE: usize = 12;

/// Who sends all of it, as in life: what one receiver does must not be felt by another.
struct Senders {
    authority: Authority,
    impatient: Webhooks,
    patient: Webhooks,
}

impl Senders {
    fn new() -> Self {
        let authority = Authority::new();
        let (impatient, patient) = (sender(&authority, SOON), sender(&authority, LATE));
        Self { authority, impatient, patient }
    }

    /// A trick is waited for as long as it takes, unless that is what it is about.
    fn sender_for(&self, fault: InjectedFault) -> &Webhooks {
        match fault.expected() {
            Outcome::Failed(Fault::Timeout) => &self.impatient,
            _ => &self.patient,
        }
    }
}

/// Good for so many requests, then hostile once, then out of order.
fn turning_hostile(fault: InjectedFault, good: u64) -> Script {
    let answered = AtomicU64::new(0);
    let script = Script::new(move |_| match answered.fetch_add(1, Ordering::SeqCst) {
        before if before < good => Behaviour::GOOD,
        before if before == good && fault.stage() == Stage::Answer => Behaviour::Fault(fault),
        _ => Behaviour::Answer(500),
    });
    let before_requests = !matches!(fault.stage(), Stage::Answer | Stage::Listening);
    script.with_connections(move |incoming| (before_requests && incoming.connection == 1).then_some(fault))
}

/// Whether a receiver that plays this sees its connection closed.
fn notices(fault: InjectedFault) -> bool {
    !matches!(fault, InjectedFault::HandshakeHang | InjectedFault::NeverRead)
}

async fn play(senders: &Senders, fault: InjectedFault) -> Result<(), String> {
    let canary = Canary::start().unwrap();
    let same_for_all = fault.stage() == Stage::Listening || fault == InjectedFault::Http2Only;
    let script = if same_for_all { Script::always(fault) } else { turning_hostile(fault, 0) };
    let plan = ReceiverConfig { redirect_to: Some(canary.url("/")), ..ReceiverConfig::new(script) };
    let receiver = Receiver::start(&senders.authority, plan).await.unwrap();
    let sender = senders.sender_for(fault);

    let result = attempt(sender, &receiver.url("/hook")).await;
    let expect = |holds: bool, what: &str| {
        holds.then_some(()).ok_or_else(|| format!("{fault:?}: {what}, and not {result:?}"))
    };
    expect(fault.allows(result.outcome), &format!("{:?}", fault.expected()))?;
    let answered = matches!(result.outcome, Outcome::Delivered | Outcome::Failed(Fault::Status));
    expect(result.status.is_some() == answered, "a status exactly if there was an answer")?;
    expect(canary.connections() == 0, "no redirect followed")?;
    let (connections, requests) = (receiver.connections(), receiver.count());
    expect(
        connections == u64::from(fault.stage() != Stage::Listening),
        &format!("not {connections} connections"),
    )?;
    let requests_expected = u64::from(fault.stage() == Stage::Answer || fault == InjectedFault::Http2Only);
    expect(requests == requests_expected, &format!("not {requests} requests"))?;
    if !answered && notices(fault) {
        receiver.wait_until_closed().await;
    }
    if !same_for_all {
        let next = attempt(sender, &receiver.url("/hook")).await;
        let refused = (Outcome::Failed(Fault::Status), Some(500));
        expect(
            (next.outcome, next.status) == refused,
            &format!("an answer of its own for the next, not {next:?}"),
        )?;
    }
    Ok(())
}

/// The same on a connection over which a message was taken before.
async fn play_later(senders: &Senders, fault: InjectedFault) -> Result<(), String> {
    let receiver =
        Receiver::start(&senders.authority, ReceiverConfig::new(turning_hostile(fault, 1))).await.unwrap();
    let sender = senders.sender_for(fault);
    let first = attempt(sender, &receiver.url("/hook")).await;
    let result = attempt(sender, &receiver.url("/hook")).await;
    let next = attempt(sender, &receiver.url("/hook")).await;
    let outcomes = [first.outcome, result.outcome, next.outcome];
    let expected = [Outcome::Delivered, fault.expected(), Outcome::Failed(Fault::Status)];
    // Each came once: what was read to its end must not be sent again within the same attempt.
    let requests: Vec<u64> = receiver.wait_for(3).await.iter().map(|request| request.connection).collect();
    let came = requests.len() == 3 && requests[1] == 1;
    (outcomes == expected && came)
        .then_some(())
        .ok_or_else(|| format!("{fault:?}: {expected:?}, and not {outcomes:?} on connections {requests:?}"))
}

async fn all<F: Future<Output = Result<(), String>>>(
    faults: impl Iterator<Item = InjectedFault>,
    play: impl Fn(InjectedFault) -> F,
) {
    let results: Vec<Result<(), String>> =
        futures_util::stream::iter(faults.map(play)).buffer_unordered(AT_ONCE).collect().await;
    assert!(!results.is_empty());
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_trick_is_called_by_its_name_and_harms_no_other_message() {
    let senders = Senders::new();
    all(InjectedFault::ALL.iter().copied(), |fault| play(&senders, fault)).await;
}

#[tokio::test]
async fn every_trick_is_called_by_its_name_on_a_connection_that_was_used_before() {
    let senders = Senders::new();
    let faults = InjectedFault::ALL.iter().copied().filter(|fault| fault.stage() == Stage::Answer);
    all(faults, |fault| play_later(&senders, fault)).await;
}

#[tokio::test]
async fn what_was_taken_stays_taken_when_the_time_runs_out_within_the_body() {
    // Less than a body is waited for.
    let deadline = Duration::from_millis(1_500);
    let authority = Authority::new();
    let sender = sender(&authority, deadline);
    for fault in [InjectedFault::DripBody, InjectedFault::HangWithinBody] {
        let receiver = Receiver::always(&authority, fault).await;
        let result = attempt(&sender, &receiver.url("/hook")).await;
        assert_eq!((result.outcome, result.status), (Outcome::Delivered, Some(200)), "{fault:?}");
        receiver.wait_until_closed().await;
    }
}
