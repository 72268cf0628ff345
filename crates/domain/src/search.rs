//! A saved search: stored criteria, and where to send alerts.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::advert_event::EventName;
use crate::attribute::PropertyAttribute;
use crate::criteria::RawCriteria;
use crate::delivery::{CancelReason, DeliveryChannel};
use crate::filter::{Filter, FilterTarget, Kind};
use crate::ids::{SearchId, UserId};
use crate::recipient::{EmailAddress, Endpoint};
use crate::value::ShortText;

/// A saved search.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedSearch {
    pub id: SearchId,
    pub owner: UserId,
    pub token: SearchToken,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub draft: SearchDraft,
}

/// The part of a saved search that its owner sets.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchDraft {
    pub title: ShortText,
    pub raw_criteria: RawCriteria,
    pub alerts: Alerts,
}

/// The alert settings of a saved search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alerts {
    /// Whether alerts are sent.
    pub enabled: bool,
    /// Whether alerts omit the contact of the advertiser.
    pub hide_contact: bool,
    /// Receives new matches by e-mail.
    pub email: Option<EmailAddress>,
    /// Receives new matches.
    pub endpoint: Option<Endpoint>,
    /// Receives the events subscribed to.
    pub event_endpoint: Option<Endpoint>,
    pub events: BTreeSet<EventName>,
}

impl Alerts {
    /// Returns the channels that receive new matches.
    pub fn match_channels(&self) -> impl Iterator<Item = MatchChannel> {
        let endpoint = (self.enabled && self.endpoint.is_some()).then_some(MatchChannel::Endpoint);
        let email = (self.enabled && self.email.is_some()).then_some(MatchChannel::Email);
        endpoint.into_iter().chain(email)
    }

    /// Returns why a channel is inactive. `None` if it is active.
    pub fn cancel_reason(&self, channel: DeliveryChannel) -> Option<CancelReason> {
        let has_recipient = match channel {
            DeliveryChannel::Match => self.endpoint.is_some(),
            DeliveryChannel::Event => self.event_endpoint.is_some(),
            DeliveryChannel::Email => self.email.is_some(),
        };
        match (self.enabled, has_recipient) {
            (false, _) => Some(CancelReason::Disabled),
            (true, false) => Some(CancelReason::NoRecipient),
            (true, true) => None,
        }
    }

    /// Returns `true` if events of this name are sent.
    pub fn subscribes_to(&self, event: EventName) -> bool {
        self.enabled && self.event_endpoint.is_some() && self.events.contains(&event)
    }
}

/// The channels of new matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchChannel {
    Endpoint,
    Email,
}

/// Returns `true` if a filter can be a criterion of a saved search. All can, except filters on dates, expiry and sort mode:
/// a saved search is about future properties, which are available when they match.
pub fn is_criterion(filter: &Filter) -> bool {
    !matches!(
        filter.kind,
        Kind::From(_)
            | Kind::To(_)
            | Kind::SortMode
            | Kind::Is(FilterTarget::Property(PropertyAttribute::Expired))
    )
}

/// The maximum total number of places, sites, properties and polygon corners in one saved search. There are many saved
/// searches, and each is matched against every change.
pub const REFERENCES_MAX: usize = 5_000;

/// How the owner of a search names it: by its id or by its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchRef {
    Id(SearchId),
    Token(SearchToken),
}

impl FromStr for SearchRef {
    type Err = NotASearch;

    fn from_str(text: &str) -> Result<Self, NotASearch> {
        let by_id = text.parse().ok().map(Self::Id);
        by_id.or_else(|| SearchToken::parse(text).map(Self::Token)).ok_or(NotASearch)
    }
}

/// The text is neither the id nor the token of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither the id nor the token of a search")]
pub struct NotASearch;

/// The secret token of an unsubscribe link. A request with the token is authorised for the search.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchToken(Box<str>);

impl SearchToken {
    /// The number of random bytes.
    pub const BYTES: usize = 25;

    pub fn new(random: [u8; Self::BYTES]) -> Self {
        let digits = random.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hex_digit = |digit: u8| char::from_digit(u32::from(digit), 16).unwrap_or('0');
        Self(digits.map(hex_digit).collect::<String>().into())
    }

    /// Parses the output of [`SearchToken::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        (text.len() == 2 * Self::BYTES && digits).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SearchToken {
    /// Hides the token, which must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SearchToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_has_fifty_hexadecimal_digits_and_round_trips() {
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
    fn date_and_order_filters_are_not_criteria() {
        let is = |name| is_criterion(Filter::named(name).unwrap());
        assert!(is("budgetMax") && is("includedCities") && is("withVirtualTour") && is("expressions"));
        assert!(!is("expired") && !is("fromDate") && !is("toCrawledAt") && !is("sortMode"));
    }

    #[test]
    fn nothing_is_sent_while_alerts_are_disabled() {
        let mut alerts = Alerts {
            endpoint: Endpoint::parse("https://hook.example/a").ok(),
            email: EmailAddress::parse("a@b.example").ok(),
            event_endpoint: Endpoint::parse("https://hook.example/b").ok(),
            events: BTreeSet::from([EventName::UpdatePrice]),
            ..Alerts::default()
        };
        assert_eq!(alerts.match_channels().count(), 0);
        assert!(!alerts.subscribes_to(EventName::UpdatePrice));
        alerts.enabled = true;
        assert_eq!(
            alerts.match_channels().collect::<Vec<_>>(),
            [MatchChannel::Endpoint, MatchChannel::Email]
        );
        assert!(alerts.subscribes_to(EventName::UpdatePrice) && !alerts.subscribes_to(EventName::AdCreate));
        alerts.event_endpoint = None;
        assert!(!alerts.subscribes_to(EventName::UpdatePrice));
    }
}
