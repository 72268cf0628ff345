//! What is to be brought, and what came of it.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use domain::{
    Amount, DeliveryId, EmailAddress, Endpoint, Outcome, Timestamp, TransactionType, WebAddress,
    WebhookSecret,
};
use sha2::{Digest, Sha256};

/// A message for a webhook: one attempt.
#[derive(Debug, Clone)]
pub struct WebhookMessage {
    pub endpoint: Endpoint,
    /// The same over all attempts, so that receivers can drop repeats.
    pub id: DeliveryId,
    /// When this attempt is made.
    pub at: Timestamp,
    /// What it is signed with; by each of them.
    pub secrets: Vec<WebhookSecret>,
    /// Where it belongs among others; nothing when it belongs nowhere.
    pub order: Option<Order>,
    pub body: Bytes,
}

/// What tells a receiver whether something is missing, and whether it has already been told something newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Counts what goes from a search to one of its addresses, from 1 on.
    pub sequence: u64,
    /// Grows with every change of the property.
    pub property_version: u32,
}

/// A email about new matches of one search: one attempt.
#[derive(Debug, Clone)]
pub struct Email {
    /// The same over all attempts to send this email.
    pub id: EmailId,
    pub to: EmailAddress,
    pub at: Timestamp,
    /// The search's title.
    pub title: String,
    /// In the order to be shown; only the first of them are.
    pub listings: Vec<ListingSummary>,
    /// How many more matches there are than `listings` holds, so that nobody has to read thousands of documents to count them.
    pub others: u64,
    /// What ends these emails with one click.
    pub unsubscribe: WebAddress,
}

impl Email {
    /// How many listings a email shows. Longer ones are cut off by mail programs.
    pub const LISTINGS_MAX: usize = 30;
}

/// Names a email by what it brings. Mail programs show one of a name once: a email that brings anything else needs another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmailId([u8; 16]);

impl EmailId {
    pub fn of(deliveries: impl IntoIterator<Item = DeliveryId>) -> Self {
        let mut deliveries: Vec<DeliveryId> = deliveries.into_iter().collect();
        deliveries.sort();
        let mut digest = Sha256::new();
        deliveries.iter().for_each(|delivery| digest.update(delivery.as_bytes()));
        let mut id = [0; 16];
        id.iter_mut().zip(digest.finalize()).for_each(|(byte, of_digest)| *byte = of_digest);
        Self(id)
    }
}

impl fmt::Display for EmailId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What a email says of a property. Everything in it was written by strangers.
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

/// What came of an attempt.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub outcome: Outcome,
    /// What the receiver answered, if it did: an HTTP or SMTP code.
    pub status: Option<u16>,
    pub took: Duration,
    /// The first bytes of the answer.
    pub excerpt: Vec<u8>,
}

impl Exchange {
    /// How much of an answer is kept.
    pub const EXCERPT_BYTES_MAX: usize = 1_024;
}
