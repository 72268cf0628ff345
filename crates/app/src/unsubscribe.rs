//! Unsubscribe links in e-mails.
//!
//! A link carries the token of the search, and a code that only this server can make for one recipient of that search. After the
//! owner gives the search another recipient, the links of the former one do nothing: they must not end the e-mails of someone else.
//! Links of older releases carry the token alone. They work until the recipient is changed.

use std::fmt::Write;

use domain::{EmailAddress, SavedSearch, SearchId, SearchToken};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use store::StoredSearch;
use subtle::ConstantTimeEq;

use crate::{App, Error};

/// How often an unsubscription is retried if the same search is changed concurrently.
const TRIES: usize = 5;

/// Bytes of the code in a link: too many to guess.
const CODE_BYTES: usize = 16;

/// Between the token and the code. Neither contains it.
const SEPARATOR: char = '-';

/// The number of characters that follow the search in a link.
pub const LINK_TOKEN_LENGTH: usize = 2 * SearchToken::BYTES + 1 + 2 * CODE_BYTES;

/// Where the store keeps the key.
const KEY_NAME: &str = "recipient_link_key";

/// The key of the codes in links. It never leaves the server.
#[derive(Clone)]
pub(crate) struct LinkKey([u8; 32]);

impl LinkKey {
    /// Returns what follows the search in the link for one recipient.
    pub fn link_token(&self, search: &SavedSearch, recipient: &EmailAddress) -> String {
        format!("{}{SEPARATOR}{}", search.token.as_str(), self.code(search.id, recipient))
    }

    fn code(&self, search: SearchId, recipient: &EmailAddress) -> String {
        // A key of any length is valid.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        mac.update(search.as_bytes());
        // Mail servers hardly ever distinguish case, and an owner may correct it.
        mac.update(recipient.as_str().to_lowercase().as_bytes());
        let code = mac.finalize().into_bytes();
        hexadecimal(code.iter().take(CODE_BYTES))
    }

    fn is_code_of(&self, code: &str, search: SearchId, recipient: &EmailAddress) -> bool {
        let expected = self.code(search, recipient);
        !expected.is_empty() && bool::from(expected.as_bytes().ct_eq(code.as_bytes()))
    }
}

fn hexadecimal<'a>(bytes: impl Iterator<Item = &'a u8>) -> String {
    bytes.fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn parse_key(text: &str) -> Option<LinkKey> {
    let digits = |at: usize| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok();
    let mut key = [0; 32];
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = digits(at)?;
    }
    Some(LinkKey(key))
}

impl App {
    /// Turns off the e-mails of a search for the holder of a link. Does nothing if they are already off. Returns `false` if the link
    /// is not one of the current recipient.
    pub async fn unsubscribe(&self, search: SearchId, link_token: &str) -> Result<bool, Error> {
        for _ in 0..TRIES {
            let Some(stored) = self.search_by_link(search, link_token).await? else { return Ok(false) };
            if stored.search.draft.alerts.email.is_none() {
                return Ok(true);
            }
            let mut draft = stored.search.draft.clone();
            draft.alerts.email = None;
            if self.update_search(&stored, draft).await?.is_some() {
                return Ok(true);
            }
        }
        Err(Error::Contended)
    }

    /// Returns the search of an unsubscribe link, or `None` if the link is not one of its current recipient. A search without a
    /// recipient is returned to each former one: there is nothing left to turn off.
    pub async fn search_by_link(
        &self,
        search: SearchId,
        link_token: &str,
    ) -> Result<Option<StoredSearch>, Error> {
        let (token, code) = match link_token.split_once(SEPARATOR) {
            Some((token, code)) => (token, Some(code)),
            None => (link_token, None),
        };
        let Some(stored) = self.store.search(search).await? else { return Ok(None) };
        if !bool::from(stored.search.token.as_str().as_bytes().ct_eq(token.as_bytes())) {
            return Ok(None);
        }
        let is_current = match (&stored.search.draft.alerts.email, code) {
            (None, _) => true,
            (Some(recipient), Some(code)) => self.link_key().await?.is_code_of(code, search, recipient),
            (Some(_), None) => !self.store.recipient_was_changed(stored.number).await?,
        };
        Ok(is_current.then_some(stored))
    }

    /// Returns the key of links. The first call creates it.
    pub(crate) async fn link_key(&self) -> Result<LinkKey, Error> {
        let key = self.link_key.get_or_try_init(|| async {
            let stored = self.store.metadata(KEY_NAME.to_owned()).await?;
            if let Some(key) = stored.as_deref().and_then(parse_key) {
                return Ok(key);
            }
            let mut random = [0; 32];
            getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
            let new = hexadecimal(random.iter());
            if stored.is_some() {
                // It cannot be read: without another one no link would work again. If two servers do this, the last one is in force.
                self.store.set_metadata(KEY_NAME.to_owned(), Some(new)).await?;
                let in_force = self.store.metadata(KEY_NAME.to_owned()).await?;
                return Ok(in_force.as_deref().and_then(parse_key).unwrap_or(LinkKey(random)));
            }
            let in_force = self.store.ensure_metadata(KEY_NAME.to_owned(), new).await?;
            Ok(parse_key(&in_force).unwrap_or(LinkKey(random)))
        });
        key.await.cloned()
    }
}
