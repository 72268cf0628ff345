//! Authentication with API keys.
//!
//! A key is `vigie_` + 22 characters of id + 32 of secret + 6 of checksum. The prefix lets scanners recognise a leaked key; the
//! checksum rejects typing errors without reading the store. The store has only a hash of the secret. The hash is a fast one:
//! the secret has 190 random bits and cannot be guessed, and a slow hash in every request would be a denial of service on
//! ourselves.
//!
//! Keys are checked in memory ([`KeyCache`]). A browser exchanges its key for a session ([`SessionToken`]).

mod key_cache;
mod session;

use std::fmt;

use domain::{KeyId, KeySettings, Scope, Scopes, UserId};
use sha2::{Digest, Sha256};
use store::{Key, NewKey, User};

use crate::{App, Error};
pub(crate) use key_cache::KeyCache;
pub(crate) use session::SessionCache;
pub use session::{SessionToken, SignedIn};

const PREFIX: &str = "vigie_";
const SECRET_LENGTH: usize = 32;
const CHECKSUM_LENGTH: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A complete key: shown once when it is created, and sent by clients with each request. Its `Debug` output hides the secret.
#[derive(Clone)]
pub struct KeyText {
    id: KeyId,
    secret: String,
}

impl KeyText {
    fn random() -> Result<Self, Error> {
        let id = KeyId::parse(&random_text(KeyId::LENGTH)?).ok_or(Error::Contended)?;
        Ok(Self { id, secret: random_text(SECRET_LENGTH)? })
    }

    /// Parses a key. `None` if the prefix, the length or the checksum is wrong.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.trim().strip_prefix(PREFIX)?;
        if rest.len() != KeyId::LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH || !rest.is_ascii() {
            return None;
        }
        let (body, sum) = rest.split_at(KeyId::LENGTH + SECRET_LENGTH);
        let (id, secret) = body.split_at(KeyId::LENGTH);
        (checksum(body) == sum).then_some(())?;
        Some(Self { id: KeyId::parse(id)?, secret: secret.to_owned() })
    }

    /// Returns the id, which is not secret.
    pub const fn id(&self) -> &KeyId {
        &self.id
    }

    /// Returns the complete key. Never log it.
    pub fn reveal(&self) -> String {
        let body = format!("{}{}", self.id, self.secret);
        let sum = checksum(&body);
        format!("{PREFIX}{body}{sum}")
    }

    fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.secret.as_bytes()).into()
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyText({}…)", self.id)
    }
}

/// An authenticated caller.
#[derive(Debug, Clone)]
pub struct Caller {
    pub user: User,
    pub key: KeyId,
    pub scopes: Scopes,
    /// The key's own limit; see [`KeySettings`].
    pub requests_per_minute: Option<u32>,
}

impl Caller {
    fn of(key: &Key) -> Self {
        Self {
            user: key.user.clone(),
            key: key.id.clone(),
            scopes: key.scopes,
            requests_per_minute: key.settings.requests_per_minute,
        }
    }

    pub const fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(scope)
    }
}

impl App {
    /// Creates a key and stores its hash. The text cannot be read back later.
    pub async fn create_key(&self, user_name: &str, scopes: Scopes) -> Result<(Key, KeyText), Error> {
        self.create_key_with(user_name, scopes, KeySettings::default()).await
    }

    /// Like [`App::create_key`], with a label, an expiry or a limit.
    pub async fn create_key_with(
        &self,
        user_name: &str,
        scopes: Scopes,
        settings: KeySettings,
    ) -> Result<(Key, KeyText), Error> {
        let text = KeyText::random()?;
        let key = NewKey {
            id: text.id.clone(),
            secret_hash: text.hash(),
            user_name: user_name.to_owned(),
            user_id_if_new: UserId::from_uuid(self.ids.fresh()),
            scopes,
            settings,
            created_at: self.clock.now(),
        };
        let created = self.store.create_key(key).await?;
        self.reload_keys().await;
        Ok((created, text))
    }

    /// Returns the caller of a key, or `None` if the key is unknown, revoked or expired. A key that another process creates works at
    /// once; one that it revokes stops working at the next [`App::refresh_keys`].
    pub async fn caller(&self, text: &KeyText) -> Result<Option<Caller>, Error> {
        if let Some(caller) = self.known_caller(text) {
            return Ok(Some(caller));
        }
        // A key is refused only if the store does not have it now. All waiting requests share one look at the store.
        self.refresh_keys().await?;
        Ok(self.known_caller(text))
    }

    /// Returns the caller of a key like [`App::caller`], as far as it is known without waiting.
    pub fn known_caller(&self, text: &KeyText) -> Option<Caller> {
        self.key_cache.find(text, self.clock.now())
    }

    /// Takes note of the keys that another process has created, changed or revoked. Reads them only if another process has written.
    pub async fn refresh_keys(&self) -> Result<(), Error> {
        self.key_cache.refresh(&*self.store).await
    }

    /// Takes note of a change by this process.
    async fn reload_keys(&self) {
        self.key_cache.reload(&*self.store).await;
    }

    pub async fn key(&self, id: KeyId) -> Result<Option<Key>, Error> {
        Ok(self.store.key(id).await?)
    }

    pub async fn keys(&self) -> Result<Vec<Key>, Error> {
        Ok(self.store.keys().await?)
    }

    /// Replaces the settings of a key. Returns `None` if no key has this id.
    pub async fn change_key(&self, id: KeyId, settings: KeySettings) -> Result<Option<Key>, Error> {
        let changed = self.store.change_key(id, settings).await?;
        self.reload_keys().await;
        Ok(changed)
    }

    /// Revokes a key. Returns `false` if no key has this id.
    pub async fn revoke_key(&self, id: KeyId) -> Result<bool, Error> {
        let was_known = self.store.revoke_key(id, self.clock.now()).await?;
        self.reload_keys().await;
        Ok(was_known)
    }
}

fn random_text(length: usize) -> Result<String, Error> {
    let mut text = String::with_capacity(length);
    let mut bytes = [0_u8; 64];
    while text.len() < length {
        getrandom::fill(&mut bytes).map_err(Error::NoRandomness)?;
        // 248 is the largest multiple of 62 in a byte. Larger bytes would favour some characters.
        let unbiased = bytes.iter().filter(|byte| **byte < 248);
        text.extend(
            unbiased.map(|byte| char::from(ALPHABET[usize::from(byte % 62)])).take(length - text.len()),
        );
    }
    Ok(text)
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut text = [b'0'; CHECKSUM_LENGTH];
    for character in text.iter_mut().rev() {
        *character = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revealed_key_parses() {
        let key = KeyText::random().unwrap();
        let text = key.reveal();
        assert_eq!(text.len(), 66);
        let read = KeyText::parse(&text).unwrap();
        assert_eq!((read.id.clone(), read.hash()), (key.id.clone(), key.hash()));
        assert!(!format!("{key:?}").contains(&key.secret));
    }

    #[test]
    fn typing_errors_fail_the_checksum() {
        let text = KeyText::random().unwrap().reveal();
        for position in PREFIX.len()..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[position] = if wrong[position] == b'a' { b'b' } else { b'a' };
            assert!(KeyText::parse(std::str::from_utf8(&wrong).unwrap()).is_none(), "position {position}");
        }
        for wrong in ["", "vigie_", &text[1..], "clé"] {
            assert!(KeyText::parse(wrong).is_none(), "{wrong}");
        }
    }
}
