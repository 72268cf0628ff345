//! A delivery: something owed to somebody, and what became of the attempts to bring it.
//!
//! An attempt ends in an [`Outcome`], which is a fact and not an error. [`Retries::after`] says what follows from it; nothing else
//! decides that.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

/// Where a delivery goes: which of a search's recipients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryChannel {
    /// A new match, to the search's endpoint.
    Match,
    /// An event, to its endpoint for events.
    Event,
    /// A new match, by e-mail.
    Email,
}

impl DeliveryChannel {
    pub const ALL: [Self; 3] = [Self::Match, Self::Event, Self::Email];
}

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryState {
    /// To be sent when it is due.
    Pending,
    /// Being sent by somebody who holds a lease on it.
    Leased,
    /// The receiver said that it has it.
    Delivered,
    /// All attempts failed. It can be sent again on request.
    Failed,
    Cancelled(CancelReason),
}

/// Why something owed is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CancelReason {
    /// The search's alerts were switched off.
    Disabled,
    /// The search was deleted.
    SearchDeleted,
    /// The search no longer says where to send it.
    NoRecipient,
    /// What it tells of was erased.
    Erased,
    /// Nothing is configured that could send it.
    ChannelOff,
}

impl CancelReason {
    pub const ALL: [Self; 5] =
        [Self::Disabled, Self::SearchDeleted, Self::NoRecipient, Self::Erased, Self::ChannelOff];
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The receiver said that it has it.
    Delivered,
    Failed(Fault),
    /// Nobody knows: whoever made the attempt was gone before it was recorded.
    Interrupted,
}

/// What kept an attempt from succeeding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The address is one that nothing is ever sent to.
    Refused,
    /// The name could not be looked up.
    Dns,
    /// No connection could be made.
    Connect,
    /// The connection could not be made safe, or it is somebody else at the other end.
    Tls,
    /// It took too long.
    Timeout,
    /// The connection ended before the answer.
    Closed,
    /// What came back was no answer.
    Protocol,
    /// The answer was too large to be one.
    TooLarge,
    /// The receiver answered, and did not take it.
    Status,
    /// The receiver answered, and will never take it. Another attempt would be in vain.
    Rejected,
}

impl Fault {
    pub const ALL: [Self; 10] = [
        Self::Refused,
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::Closed,
        Self::Protocol,
        Self::TooLarge,
        Self::Status,
        Self::Rejected,
    ];
}

/// How often and how long after each other attempts are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// From the beginning of an attempt to the beginning of the next.
    pub interval: Duration,
}

/// What follows from an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Delivered,
    /// Another attempt, at this moment and not earlier.
    RetryAt(Timestamp),
    Failed,
}

impl Retries {
    /// After the first attempt.
    pub const MAX: u32 = 5;

    /// An attempt that nobody saw the end of is made again at once and is not counted: it was no fault of the receiver's. But
    /// if that happens again and again, it is the delivery that ends whoever sends it.
    pub const INTERRUPTIONS_MAX: u32 = 100;

    /// What follows from an attempt. `failures` and `interruptions` are those before it.
    pub fn after(self, outcome: Outcome, began_at: Timestamp, failures: u32, interruptions: u32) -> Next {
        match outcome {
            Outcome::Delivered => Next::Delivered,
            Outcome::Failed(Fault::Rejected) => Next::Failed,
            Outcome::Failed(_) if failures >= Self::MAX => Next::Failed,
            Outcome::Failed(_) => {
                Next::RetryAt(began_at.saturating_add(self.interval).unwrap_or(Timestamp::MAX))
            }
            Outcome::Interrupted if interruptions >= Self::INTERRUPTIONS_MAX => Next::Failed,
            Outcome::Interrupted => Next::RetryAt(began_at),
        }
    }
}

/// What webhooks of a user are signed with. Whoever knows it can make others believe that a message is ours.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; Self::BYTES]);

impl WebhookSecret {
    pub const BYTES: usize = 32;

    pub const fn new(random: [u8; Self::BYTES]) -> Self {
        Self(random)
    }

    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Debug for WebhookSecret {
    /// Not the secret: it would end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

/// A user's secrets: the one in use, and those before it, which are honoured for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSecrets {
    pub current: WebhookSecret,
    pub created_at: Timestamp,
    /// The newest first. Some may be over.
    pub replaced: Vec<ReplacedSecret>,
}

/// A secret that another one has taken the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedSecret {
    pub secret: WebhookSecret,
    pub replaced_at: Timestamp,
}

impl ReplacedSecret {
    /// Until when messages are signed with it as well.
    pub fn valid_until(&self) -> Timestamp {
        self.replaced_at.saturating_add(WebhookSecrets::OVERLAP).unwrap_or(Timestamp::MAX)
    }
}

impl WebhookSecrets {
    /// How long messages are signed with a secret after it was replaced: receivers need time to learn the new one. Whoever
    /// rotates once more meanwhile takes that time from nobody.
    pub const OVERLAP: Duration = Duration::from_secs(24 * 3_600);

    /// Replaced secrets that are honoured at once. Every one of them is a signature in every message; more are needed by nobody who
    /// rotates for a reason, and nobody can make messages grow by rotating for none.
    pub const REPLACED_MAX: usize = 4;

    /// What a message is signed with at a moment, the newest first.
    pub fn in_use(&self, now: Timestamp) -> impl Iterator<Item = &WebhookSecret> {
        std::iter::once(&self.current).chain(self.honoured(now).map(|replaced| &replaced.secret))
    }

    /// When the last of the replaced secrets ends that is honoured at a moment, if there is one.
    pub fn replaced_valid_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.honoured(now).map(ReplacedSecret::valid_until).max()
    }

    fn honoured(&self, now: Timestamp) -> impl Iterator<Item = &ReplacedSecret> {
        self.replaced.iter().filter(move |replaced| now < replaced.valid_until())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn six_attempts_an_hour_apart_and_then_it_has_failed() {
        let retries = Retries { interval: Duration::from_secs(3_600) };
        let mut began_at = at(1_000);
        for failures in 0..5 {
            let next = retries.after(Outcome::Failed(Fault::Timeout), began_at, failures, 0);
            assert_eq!(next, Next::RetryAt(at(began_at.as_second() + 3_600)));
            began_at = at(began_at.as_second() + 3_600);
        }
        assert_eq!(retries.after(Outcome::Failed(Fault::Status), began_at, 5, 0), Next::Failed);
        assert_eq!(retries.after(Outcome::Delivered, began_at, 5, 0), Next::Delivered);
    }

    #[test]
    fn what_will_never_be_taken_is_not_sent_again() {
        let retries = Retries { interval: Duration::from_secs(1) };
        assert_eq!(retries.after(Outcome::Failed(Fault::Rejected), at(0), 0, 0), Next::Failed);
    }

    #[test]
    fn an_interrupted_attempt_is_made_again_at_once_but_not_for_ever() {
        let retries = Retries { interval: Duration::from_secs(3_600) };
        assert_eq!(retries.after(Outcome::Interrupted, at(7), 5, 99), Next::RetryAt(at(7)));
        assert_eq!(retries.after(Outcome::Interrupted, at(7), 0, 100), Next::Failed);
    }

    #[test]
    fn a_secret_signs_for_a_day_after_it_was_replaced() {
        let secret = |byte| WebhookSecret::new([byte; 32]);
        let replaced = |byte, second| ReplacedSecret { secret: secret(byte), replaced_at: at(second) };
        let mut secrets = WebhookSecrets {
            current: secret(3),
            created_at: at(5_000),
            replaced: vec![replaced(2, 5_000), replaced(1, 100)],
        };
        let check = |secrets: &WebhookSecrets, now, expected: &[u8], until: Option<i64>| {
            let in_use: Vec<_> = secrets.in_use(at(now)).cloned().collect();
            assert_eq!(in_use, expected.iter().map(|byte| secret(*byte)).collect::<Vec<_>>(), "at {now}");
            assert_eq!(secrets.replaced_valid_until(at(now)), until.map(at), "at {now}");
        };
        const DAY: i64 = 86_400;
        check(&secrets, 5_000, &[3, 2, 1], Some(5_000 + DAY));
        check(&secrets, 99 + DAY, &[3, 2, 1], Some(5_000 + DAY));
        check(&secrets, 100 + DAY, &[3, 2], Some(5_000 + DAY));
        check(&secrets, 4_999 + DAY, &[3, 2], Some(5_000 + DAY));
        check(&secrets, 5_000 + DAY, &[3], None);
        secrets.replaced.clear();
        check(&secrets, 5_000, &[3], None);
        assert!(!format!("{secrets:?}").contains('2'.to_string().repeat(3).as_str()));
    }
}
