//! A saved search: what somebody waits for, and how they want to hear of it.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;

use crate::advert_event::EventName;
use crate::attribute::PropertyAttribute;
use crate::criteria::RawCriteria;
use crate::delivery::{CancelReason, DeliveryChannel};
use crate::filter::{Filter, Kind, Subject};
use crate::ids::{SearchId, UserId};
use crate::recipient::{EmailAddress, Endpoint};
use crate::value::ShortText;

/// A standing question.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedSearch {
    pub id: SearchId,
    pub owner: UserId,
    pub token: SearchToken,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub draft: SearchDraft,
}

/// What its owner says of a saved search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchDraft {
    pub title: ShortText,
    pub raw_criteria: RawCriteria,
    pub alerts: Alerts,
}

/// Who hears of what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alerts {
    /// Whether anything is sent at all.
    pub enabled: bool,
    /// Whether what is sent leaves out how to reach the advertiser.
    pub hide_contact: bool,
    /// Who gets new matches by e-mail.
    pub email: Option<EmailAddress>,
    /// Who gets new matches.
    pub endpoint: Option<Endpoint>,
    /// Who gets the events subscribed to.
    pub event_endpoint: Option<Endpoint>,
    pub events: BTreeSet<EventName>,
}

impl Alerts {
    /// Where a new match is owed to.
    pub fn match_channels(&self) -> impl Iterator<Item = Channel> {
        let endpoint = (self.enabled && self.endpoint.is_some()).then_some(Channel::Endpoint);
        let email = (self.enabled && self.email.is_some()).then_some(Channel::Email);
        endpoint.into_iter().chain(email)
    }

    /// Why nothing is sent by a channel; nothing when something is.
    pub fn silence(&self, channel: DeliveryChannel) -> Option<CancelReason> {
        let is_named = match channel {
            DeliveryChannel::Match => self.endpoint.is_some(),
            DeliveryChannel::Event => self.event_endpoint.is_some(),
            DeliveryChannel::Email => self.email.is_some(),
        };
        match (self.enabled, is_named) {
            (false, _) => Some(CancelReason::Disabled),
            (true, false) => Some(CancelReason::NoRecipient),
            (true, true) => None,
        }
    }

    /// Whether an event of this name is owed.
    pub fn hear_of(&self, event: EventName) -> bool {
        self.enabled && self.event_endpoint.is_some() && self.events.contains(&event)
    }
}

/// The ways a new match is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    Endpoint,
    Email,
}

/// Whether a filter can be a criterion of a saved search. All can but those about a moment or an order: what is waited for is
/// yet to come, and is on offer when it does.
pub fn is_criterion(filter: &Filter) -> bool {
    !matches!(
        filter.kind,
        Kind::From(_)
            | Kind::To(_)
            | Kind::SortMode
            | Kind::Is(Subject::Property(PropertyAttribute::Expired))
    )
}

/// The most places, sites, properties and corners that one search may name in all. Searches are many, and each is held against
/// everything that changes.
pub const NAMED_MAX: usize = 5_000;

/// What an unsubscribe link carries: unguessable, so that whoever has it may act for the search's owner.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchToken(Box<str>);

impl SearchToken {
    /// How many random bytes make one.
    pub const BYTES: usize = 25;

    pub fn new(random: [u8; Self::BYTES]) -> Self {
        let digits = random.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let letter = |digit: u8| char::from_digit(u32::from(digit), 16).unwrap_or('0');
        Self(digits.map(letter).collect::<String>().into())
    }

    /// Reads what [`SearchToken::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        (text.len() == 2 * Self::BYTES && digits).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SearchToken {
    /// Not the token: it would end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SearchToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_fifty_hexadecimal_letters_and_reads_back() {
        let mut random = [0; SearchToken::BYTES];
        random[0] = 0xf0;
        random[24] = 0x0a;
        let token = SearchToken::new(random);
        assert_eq!(token.as_str().len(), 50);
        assert!(token.as_str().starts_with("f00") && token.as_str().ends_with("00a"));
        assert_eq!(SearchToken::parse(token.as_str()), Some(token.clone()));
        assert_eq!(SearchToken::parse(&token.as_str().to_uppercase()), None);
        assert_eq!(SearchToken::parse(""), None);
        assert!(!format!("{token:?}").contains("f0"));
    }

    #[test]
    fn what_is_about_a_moment_is_no_criterion() {
        let is = |name| is_criterion(Filter::named(name).unwrap());
        assert!(is("budgetMax") && is("includedCities") && is("withVirtualTour") && is("expressions"));
        assert!(!is("expired") && !is("fromDate") && !is("toCrawledAt") && !is("sortMode"));
    }

    #[test]
    fn nothing_is_owed_while_alerts_are_off() {
        let mut alerts = Alerts {
            endpoint: Endpoint::parse("https://hook.example/a").ok(),
            email: EmailAddress::parse("a@b.example").ok(),
            event_endpoint: Endpoint::parse("https://hook.example/b").ok(),
            events: BTreeSet::from([EventName::UpdatePrice]),
            ..Alerts::default()
        };
        assert_eq!(alerts.match_channels().count(), 0);
        assert!(!alerts.hear_of(EventName::UpdatePrice));
        alerts.enabled = true;
        assert_eq!(alerts.match_channels().collect::<Vec<_>>(), [Channel::Endpoint, Channel::Email]);
        assert!(alerts.hear_of(EventName::UpdatePrice) && !alerts.hear_of(EventName::AdCreate));
        alerts.event_endpoint = None;
        assert!(!alerts.hear_of(EventName::UpdatePrice));
    }
}
