//! Deliveries: states, outcomes of attempts, the retry policy, and the signing secrets of webhooks.
//!
//! An attempt ends with an [`Outcome`], which is data, not an error. [`RetryPolicy::after`] alone decides what follows.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

/// The recipient of a delivery, among those of a saved search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryChannel {
    /// A new match, sent to the endpoint of the search.
    Match,
    /// An event, sent to the event endpoint of the search.
    Event,
    /// A new match, sent by e-mail.
    Email,
}

impl DeliveryChannel {
    pub const ALL: [Self; 3] = [Self::Match, Self::Event, Self::Email];
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryState {
    /// Waiting to be sent when due.
    Pending,
    /// Leased by a worker that is sending it.
    Leased,
    /// Acknowledged by the receiver.
    Delivered,
    /// All attempts failed. It can be resent on request.
    Failed,
    Cancelled(CancelReason),
}

/// Why a delivery was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CancelReason {
    /// The alerts of the search were disabled.
    Disabled,
    /// The search was deleted.
    SearchDeleted,
    /// The search no longer has a recipient for the channel.
    NoRecipient,
    /// The property or advert was erased.
    Erased,
    /// The server has no transport for the channel.
    ChannelOff,
    /// What it is about cannot be read: the stored record is damaged.
    Damaged,
    /// The recipient of e-mails did not confirm the address in time.
    Unconfirmed,
}

impl CancelReason {
    pub const ALL: [Self; 7] = [
        Self::Disabled,
        Self::SearchDeleted,
        Self::NoRecipient,
        Self::Erased,
        Self::ChannelOff,
        Self::Damaged,
        Self::Unconfirmed,
    ];
}

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Acknowledged by the receiver.
    Delivered,
    Failed(Fault),
    /// Unknown: the process stopped before it recorded the outcome.
    Interrupted,
}

/// Why an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The address policy forbids the address.
    Refused,
    /// The host name could not be resolved.
    Dns,
    /// The connection failed.
    Connect,
    /// The TLS handshake failed or the certificate is invalid.
    Tls,
    /// The attempt timed out.
    Timeout,
    /// The connection was closed before the response.
    Closed,
    /// The response was malformed.
    Protocol,
    /// The response was too large.
    TooLarge,
    /// The receiver responded with an error status.
    Status,
    /// The receiver rejected the message permanently. It is not retried.
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

/// How long the phases of an attempt took. `None` for a phase that did not begin: a connection that is reused was opened before, and an
/// IP address has no name to resolve. The phase in which an attempt failed counts up to the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhaseTimings {
    /// Name resolution.
    pub name: Option<Duration>,
    pub connect: Option<Duration>,
    pub tls: Option<Duration>,
    /// From the request to the head of the response.
    pub first_byte: Option<Duration>,
}

/// A header of a receiver's response. The value is untrusted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHeader {
    pub name: String,
    pub value: String,
}

/// What is wrong with the certificate of a receiver, as far as the receiver's operator can act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CertificateFault {
    Expired,
    NotYetValid,
    /// It is for another host name.
    WrongName,
    /// No authority that this server trusts has issued it, or the receiver does not send the whole chain.
    UnknownIssuer,
    /// It is its own issuer.
    SelfSigned,
    /// It is the certificate of an authority (`CA:TRUE`), which is not valid for a server.
    CertificateAuthority,
    /// Malformed, or invalid for another reason.
    Invalid,
}

impl CertificateFault {
    pub const ALL: [Self; 7] = [
        Self::Expired,
        Self::NotYetValid,
        Self::WrongName,
        Self::UnknownIssuer,
        Self::SelfSigned,
        Self::CertificateAuthority,
        Self::Invalid,
    ];
}

/// When failed attempts are retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The time from the start of an attempt to the start of the next.
    pub interval: Duration,
}

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDecision {
    Delivered,
    /// Retry, not before this time.
    RetryAt(Timestamp),
    Failed,
}

impl RetryPolicy {
    /// The maximum number of retries after the first attempt.
    pub const MAX: u32 = 5;

    /// The maximum number of interrupted attempts. An interrupted attempt is retried at once and does not count as a retry,
    /// because the receiver is not at fault. Many interruptions suggest that the delivery itself crashes the process.
    pub const INTERRUPTIONS_MAX: u32 = 100;

    /// Decides what follows an attempt. `failures` and `interruptions` count the earlier attempts.
    pub fn after(
        self,
        outcome: Outcome,
        started_at: Timestamp,
        failures: u32,
        interruptions: u32,
    ) -> RetryDecision {
        match outcome {
            Outcome::Delivered => RetryDecision::Delivered,
            Outcome::Failed(Fault::Rejected) => RetryDecision::Failed,
            Outcome::Failed(_) if failures >= Self::MAX => RetryDecision::Failed,
            Outcome::Failed(_) => {
                RetryDecision::RetryAt(started_at.saturating_add(self.interval).unwrap_or(Timestamp::MAX))
            }
            Outcome::Interrupted if interruptions >= Self::INTERRUPTIONS_MAX => RetryDecision::Failed,
            Outcome::Interrupted => RetryDecision::RetryAt(started_at),
        }
    }
}

/// A user's secret for signing webhooks. It must stay confidential: it allows forging messages.
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
    /// Hides the secret, which must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

/// The signing secrets of a user: the current one, and replaced ones, which stay valid for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSecrets {
    pub current: WebhookSecret,
    pub created_at: Timestamp,
    /// Newest first. Some may no longer be valid.
    pub replaced: Vec<ReplacedSecret>,
}

/// A secret that was replaced by a newer one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedSecret {
    pub secret: WebhookSecret,
    pub replaced_at: Timestamp,
}

impl ReplacedSecret {
    /// Returns the time until which messages are also signed with this secret.
    pub fn valid_until(&self) -> Timestamp {
        self.replaced_at.saturating_add(WebhookSecrets::OVERLAP).unwrap_or(Timestamp::MAX)
    }
}

impl WebhookSecrets {
    /// How long messages are also signed with a replaced secret, so that receivers have time to switch. Another rotation does
    /// not shorten this time.
    pub const OVERLAP: Duration = Duration::from_secs(24 * 3_600);

    /// The maximum number of replaced secrets that are valid at the same time. Each adds a signature to every message, so
    /// this limits the size of messages however often a user rotates.
    pub const REPLACED_MAX: usize = 4;

    /// Returns the secrets that sign messages at `now`, newest first.
    pub fn signing_secrets(&self, now: Timestamp) -> impl Iterator<Item = &WebhookSecret> {
        std::iter::once(&self.current).chain(self.valid_replaced(now).map(|replaced| &replaced.secret))
    }

    /// Returns when the last replaced secret that is valid at `now` expires.
    pub fn replaced_valid_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.valid_replaced(now).map(ReplacedSecret::valid_until).max()
    }

    fn valid_replaced(&self, now: Timestamp) -> impl Iterator<Item = &ReplacedSecret> {
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
    fn delivery_fails_after_six_attempts_an_hour_apart() {
        let policy = RetryPolicy { interval: Duration::from_secs(3_600) };
        let mut started_at = at(1_000);
        for failures in 0..5 {
            let next = policy.after(Outcome::Failed(Fault::Timeout), started_at, failures, 0);
            assert_eq!(next, RetryDecision::RetryAt(at(started_at.as_second() + 3_600)));
            started_at = at(started_at.as_second() + 3_600);
        }
        assert_eq!(policy.after(Outcome::Failed(Fault::Status), started_at, 5, 0), RetryDecision::Failed);
        assert_eq!(policy.after(Outcome::Delivered, started_at, 5, 0), RetryDecision::Delivered);
    }

    #[test]
    fn rejected_delivery_is_not_retried() {
        let policy = RetryPolicy { interval: Duration::from_secs(1) };
        assert_eq!(policy.after(Outcome::Failed(Fault::Rejected), at(0), 0, 0), RetryDecision::Failed);
    }

    #[test]
    fn interrupted_attempt_is_retried_at_once_up_to_a_limit() {
        let policy = RetryPolicy { interval: Duration::from_secs(3_600) };
        assert_eq!(policy.after(Outcome::Interrupted, at(7), 5, 99), RetryDecision::RetryAt(at(7)));
        assert_eq!(policy.after(Outcome::Interrupted, at(7), 0, 100), RetryDecision::Failed);
    }

    #[test]
    fn replaced_secret_signs_for_one_day() {
        let secret = |byte| WebhookSecret::new([byte; 32]);
        let replaced = |byte, second| ReplacedSecret { secret: secret(byte), replaced_at: at(second) };
        let mut secrets = WebhookSecrets {
            current: secret(3),
            created_at: at(5_000),
            replaced: vec![replaced(2, 5_000), replaced(1, 100)],
        };
        let check = |secrets: &WebhookSecrets, now, expected: &[u8], until: Option<i64>| {
            let in_use: Vec<_> = secrets.signing_secrets(at(now)).cloned().collect();
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
