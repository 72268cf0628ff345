//! Who is calling: API keys.
//!
//! A key is `vigie_` + 22 characters that name it + 32 that are secret + 6 of a checksum. The prefix lets scanners recognise
//! a leaked key, the checksum refuses typing errors without a look at the store. Only a hash of the secret is kept; it is a
//! fast one, because the secret has 190 random bits and nobody guesses those, while a slow hash at every request would
//! be an attack on ourselves.

use std::fmt;

use domain::{KeyId, Scope, Scopes, UserId};
use sha2::{Digest, Sha256};
use store::{Key, NewKey, User};
use subtle::ConstantTimeEq;

use crate::{App, Error};

const PREFIX: &str = "vigie_";
const SECRET_LENGTH: usize = 32;
const CHECKSUM_LENGTH: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A key in full: shown once to whoever made it, and sent by clients with each request. It never prints itself.
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

    /// Reads what a client sent; nothing when it cannot be a key of ours.
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

    /// The part that names it.
    pub const fn id(&self) -> &KeyId {
        &self.id
    }

    /// The whole key. For the one who asked for it, never for a log.
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

/// Who is calling, and what they may do.
#[derive(Debug, Clone)]
pub struct Caller {
    pub user: User,
    pub key: KeyId,
    pub scopes: Scopes,
}

impl Caller {
    pub const fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(scope)
    }
}

impl App {
    /// Makes a key and keeps its hash. The answer is the only time its text is known.
    pub async fn create_key(&self, user_name: &str, scopes: Scopes) -> Result<(Key, KeyText), Error> {
        let text = KeyText::random()?;
        let key = NewKey {
            id: text.id.clone(),
            secret_hash: text.hash(),
            user_name: user_name.to_owned(),
            user_id_if_new: UserId::from_uuid(self.ids.fresh()),
            scopes,
            created_at: self.clock.now(),
        };
        Ok((self.store.create_key(key).await?, text))
    }

    /// Who sent this key; nobody when it is unknown or revoked. Read from the store at every call, so that a key made or
    /// revoked beside a running server counts at once.
    pub async fn caller(&self, text: &KeyText) -> Result<Option<Caller>, Error> {
        let known = self.store.key(text.id.clone()).await?;
        // An unknown id is compared as well, so that the time taken does not tell which ids exist.
        let kept = known.as_ref().map_or([0; 32], |key| key.secret_hash);
        let same: bool = kept.ct_eq(&text.hash()).into();
        let valid = known.filter(|key| same && key.revoked_at.is_none());
        Ok(valid.map(|key| Caller { user: key.user, key: key.id, scopes: key.scopes }))
    }

    pub async fn keys(&self) -> Result<Vec<Key>, Error> {
        Ok(self.store.keys().await?)
    }

    /// Revokes a key; `false` when there is none of that id.
    pub async fn revoke_key(&self, id: KeyId) -> Result<bool, Error> {
        Ok(self.store.revoke_key(id, self.clock.now()).await?)
    }
}

fn random_text(length: usize) -> Result<String, Error> {
    let mut text = String::with_capacity(length);
    let mut bytes = [0_u8; 64];
    while text.len() < length {
        getrandom::fill(&mut bytes).map_err(Error::NoRandomness)?;
        // 248 is the largest multiple of 62 in a byte: beyond it, some characters would come up more often than others.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        text.extend(fair.map(|byte| char::from(ALPHABET[usize::from(byte % 62)])).take(length - text.len()));
    }
    Ok(text)
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut text = [b'0'; CHECKSUM_LENGTH];
    for slot in text.iter_mut().rev() {
        *slot = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_as_revealed() {
        let key = KeyText::random().unwrap();
        let text = key.reveal();
        assert_eq!(text.len(), 66);
        let read = KeyText::parse(&text).unwrap();
        assert_eq!((read.id.clone(), read.hash()), (key.id.clone(), key.hash()));
        assert!(!format!("{key:?}").contains(&key.secret));
    }

    #[test]
    fn a_typing_error_is_noticed_without_the_store() {
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
