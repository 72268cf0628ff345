//! Messages to send, and the result of an attempt.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use domain::{
    Amount, CertificateFault, DeliveryId, EmailAddress, Endpoint, Outcome, PhaseTimings, ResponseHeader,
    Timestamp, TransactionType, WebAddress, WebhookSecret,
};
use sha2::{Digest, Sha256};

/// A webhook message, for one attempt.
#[derive(Debug, Clone)]
pub struct WebhookMessage {
    pub endpoint: Endpoint,
    /// The same for all attempts, so that receivers can drop duplicates.
    pub id: DeliveryId,
    /// Time of this attempt.
    pub at: Timestamp,
    /// Signing secrets. The message carries one signature per secret.
    pub secrets: Vec<WebhookSecret>,
    /// `None` if the message is not part of a sequence, as for a test webhook.
    pub order: Option<SequenceHeaders>,
    pub body: Bytes,
}

/// Lets a receiver detect missing and out-of-order messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceHeaders {
    /// Counts the messages of one search to one of its endpoints, starting at 1.
    pub sequence: u64,
    /// Increases with every change of the property.
    pub property_version: u32,
}

/// An e-mail about new matches of one search, for one attempt.
#[derive(Debug, Clone)]
pub struct Email {
    /// The same for all attempts to send this e-mail.
    pub id: EmailId,
    pub to: EmailAddress,
    pub at: Timestamp,
    /// Title of the saved search.
    pub title: String,
    /// In display order. Only the first [`Email::LISTINGS_MAX`] are shown.
    pub listings: Vec<ListingSummary>,
    /// Number of further matches, so that the caller need not load thousands of documents to count them.
    pub others: u64,
    /// One-click unsubscribe link.
    pub unsubscribe: WebAddress,
}

impl Email {
    /// Maximum number of listings shown. Mail programs cut off longer e-mails.
    pub const LISTINGS_MAX: usize = 30;
}

/// An e-mail that asks its recipient whether to send the alerts of a user there, for one attempt.
#[derive(Debug, Clone)]
pub struct ConfirmationEmail {
    pub id: EmailId,
    pub to: EmailAddress,
    pub at: Timestamp,
    /// Leads to the page where the recipient confirms.
    pub link: WebAddress,
}

/// Identifies an e-mail by the deliveries in it. Mail programs show only one message per `Message-ID`, so an e-mail
/// with other content needs another id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmailId([u8; 16]);

impl EmailId {
    /// Returns the id of an e-mail without deliveries.
    pub const fn random(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub fn of(deliveries: impl IntoIterator<Item = DeliveryId>) -> Self {
        let mut deliveries: Vec<DeliveryId> = deliveries.into_iter().collect();
        deliveries.sort();
        let mut digest = Sha256::new();
        deliveries.iter().for_each(|delivery| digest.update(delivery.as_bytes()));
        let mut id = [0; 16];
        id.iter_mut().zip(digest.finalize()).for_each(|(byte, digest_byte)| *byte = digest_byte);
        Self(id)
    }
}

impl fmt::Display for EmailId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A property as an e-mail shows it. All texts are untrusted.
#[derive(Debug, Clone)]
pub struct ListingSummary {
    pub title: Option<String>,
    pub transaction: TransactionType,
    pub price: Option<Amount>,
    pub surface: Option<Amount>,
    pub rooms: Option<u32>,
    /// City and zipcode.
    pub place: Option<String>,
    pub picture: Option<WebAddress>,
    pub link: Option<WebAddress>,
}

/// The result of an attempt.
#[derive(Debug, Clone)]
pub struct AttemptResult {
    pub outcome: Outcome,
    /// HTTP or SMTP status code, if the receiver responded.
    pub status: Option<u16>,
    pub took: Duration,
    /// The first bytes of the response.
    pub excerpt: Vec<u8>,
    /// The headers of the response of a webhook receiver, as far as they fit into [`AttemptResult::HEADERS_BYTES_MAX`].
    pub headers: Vec<ResponseHeader>,
    /// Empty for e-mails.
    pub timings: PhaseTimings,
    /// What is wrong with the receiver's certificate, if that is why the attempt failed.
    pub certificate: Option<CertificateFault>,
    pub reach: Reach,
}

/// How far an attempt got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// No connection was opened: the address was refused, the name not found, or nothing answered there.
    NotConnected,
    Connected,
}

impl AttemptResult {
    /// Maximum number of bytes kept from a response.
    pub const EXCERPT_BYTES_MAX: usize = 1_024;

    /// Maximum number of headers kept from a response, and of the bytes of their names and values. Servers send ten to twenty headers
    /// with less than a kilobyte.
    pub const HEADERS_MAX: usize = 50;
    pub const HEADERS_BYTES_MAX: usize = 4_096;

    /// Longer values are cut, so that one large cookie or policy leaves room for the other headers.
    pub const HEADER_VALUE_BYTES_MAX: usize = 1_024;
}
