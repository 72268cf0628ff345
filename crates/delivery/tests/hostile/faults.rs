//! Every injected fault: on a new connection, on a reused one, and its effect on the next message.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use delivery::webhook::Webhooks;
use domain::{Fault, Outcome};
use futures_util::StreamExt;
use testkit::receiver::{
    Authority, Behaviour, Canary, InjectedFault, Receiver, ReceiverConfig, Script, Stage,
};

use crate::sender::{LATE, attempt, sender};

/// Long enough for a message to a good receiver on a busy machine.
const SOON: Duration = Duration::from_secs(2);
/// Number of concurrent faults. Most of the time is spent waiting for deadlines.
const CONCURRENCY: usize = 12;

/// Shared senders, as in production: one receiver must not affect another.
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

    /// Uses the impatient sender only for faults that time out.
    fn sender_for(&self, fault: InjectedFault) -> &Webhooks {
        match fault.expected() {
            Outcome::Failed(Fault::Timeout) => &self.impatient,
            _ => &self.patient,
        }
    }
}

/// Serves `good` requests, then injects the fault once, then responds with 500.
fn fault_after(fault: InjectedFault, good: u64) -> Script {
    let answered = AtomicU64::new(0);
    let script = Script::new(move |_| match answered.fetch_add(1, Ordering::SeqCst) {
        before if before < good => Behaviour::GOOD,
        before if before == good && fault.stage() == Stage::Answer => Behaviour::Fault(fault),
        _ => Behaviour::Answer(500),
    });
    let before_requests = !matches!(fault.stage(), Stage::Answer | Stage::Listening);
    script.with_connections(move |incoming| (before_requests && incoming.connection == 1).then_some(fault))
}

/// Returns whether the receiver notices that its connection is closed.
fn notices_close(fault: InjectedFault) -> bool {
    !matches!(fault, InjectedFault::HandshakeHang | InjectedFault::NeverRead)
}

async fn on_new_connection(senders: &Senders, fault: InjectedFault) -> Result<(), String> {
    let canary = Canary::start().unwrap();
    let same_for_all = fault.stage() == Stage::Listening || fault == InjectedFault::Http2Only;
    let script = if same_for_all { Script::always(fault) } else { fault_after(fault, 0) };
    let config = ReceiverConfig { redirect_to: Some(canary.url("/")), ..ReceiverConfig::new(script) };
    let receiver = Receiver::start(&senders.authority, config).await.unwrap();
    let sender = senders.sender_for(fault);

    let result = attempt(sender, &receiver.url("/hook")).await;
    let expect = |holds: bool, what: &str| {
        holds.then_some(()).ok_or_else(|| format!("{fault:?}: expected {what}, got {result:?}"))
    };
    expect(fault.allows(result.outcome), &format!("{:?}", fault.expected()))?;
    let answered = matches!(result.outcome, Outcome::Delivered | Outcome::Failed(Fault::Status));
    expect(result.status.is_some() == answered, "a status exactly if there was a response")?;
    expect(canary.connections() == 0, "no redirect followed")?;
    let (connections, requests) = (receiver.connections(), receiver.count());
    expect(
        connections == u64::from(fault.stage() != Stage::Listening),
        &format!("not {connections} connections"),
    )?;
    let requests_expected = u64::from(fault.stage() == Stage::Answer || fault == InjectedFault::Http2Only);
    expect(requests == requests_expected, &format!("not {requests} requests"))?;
    if !answered && notices_close(fault) {
        receiver.wait_until_closed().await;
    }
    if !same_for_all {
        let next = attempt(sender, &receiver.url("/hook")).await;
        let refused = (Outcome::Failed(Fault::Status), Some(500));
        expect(
            (next.outcome, next.status) == refused,
            &format!("status 500 for the next message, got {next:?}"),
        )?;
    }
    Ok(())
}

/// Injects the fault on a connection that has already served a message.
async fn on_reused_connection(senders: &Senders, fault: InjectedFault) -> Result<(), String> {
    let receiver =
        Receiver::start(&senders.authority, ReceiverConfig::new(fault_after(fault, 1))).await.unwrap();
    let sender = senders.sender_for(fault);
    let first = attempt(sender, &receiver.url("/hook")).await;
    let result = attempt(sender, &receiver.url("/hook")).await;
    let next = attempt(sender, &receiver.url("/hook")).await;
    let outcomes = [first.outcome, result.outcome, next.outcome];
    let expected = [Outcome::Delivered, fault.expected(), Outcome::Failed(Fault::Status)];
    // Each request arrived once: a request that was read completely must not be sent again in the same attempt.
    let requests: Vec<u64> = receiver.wait_for(3).await.iter().map(|request| request.connection).collect();
    let sent_once = requests.len() == 3 && requests[1] == 1;
    (outcomes == expected && sent_once).then_some(()).ok_or_else(|| {
        format!("{fault:?}: expected {expected:?}, got {outcomes:?} on connections {requests:?}")
    })
}

async fn all<F: Future<Output = Result<(), String>>>(
    faults: impl Iterator<Item = InjectedFault>,
    check: impl Fn(InjectedFault) -> F,
) {
    let results: Vec<Result<(), String>> =
        futures_util::stream::iter(faults.map(check)).buffer_unordered(CONCURRENCY).collect().await;
    assert!(!results.is_empty());
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn faults_are_classified_on_a_new_connection() {
    let senders = Senders::new();
    all(InjectedFault::ALL.iter().copied(), |fault| on_new_connection(&senders, fault)).await;
}

#[tokio::test]
async fn faults_are_classified_on_a_reused_connection() {
    let senders = Senders::new();
    let faults = InjectedFault::ALL.iter().copied().filter(|fault| fault.stage() == Stage::Answer);
    all(faults, |fault| on_reused_connection(&senders, fault)).await;
}

#[tokio::test]
async fn deadline_within_the_body_keeps_success() {
    // Shorter than the time limit of a body.
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
