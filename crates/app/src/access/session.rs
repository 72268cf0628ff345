//! Sessions: an API key exchanged for a secret with a limited life, so that a browser does not have to keep the key.
//!
//! A session has an id and a random secret, of which memory and the store have only a hash. It holds no rights of its own: every use
//! looks up its key, so a key that is revoked, expires or changes does so for its sessions at the same moment. All sessions are in
//! memory, read from the store at the first use, so a made-up cookie never loads the store. Only the server begins and ends
//! sessions, and one server runs on a data folder, so memory is never behind.

use std::collections::HashMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use domain::{KeyId, KeyLabel, SessionId, Timestamp};
use sha2::{Digest, Sha256};
use store::{Key, Session};
use subtle::ConstantTimeEq;
use tokio::sync::OnceCell;

use super::{Caller, KeyText, SECRET_LENGTH, random_text};
use crate::{App, Error};

/// Sessions of one key at the same time. A further one ends the oldest: signing in again and again must not fill the memory.
const SESSIONS_PER_KEY: usize = 50;

/// What a browser keeps of a session. Its `Debug` output hides the secret.
#[derive(Clone)]
pub struct SessionToken {
    id: SessionId,
    secret: String,
}

impl SessionToken {
    fn random() -> Result<Self, Error> {
        let id = SessionId::parse(&random_text(SessionId::LENGTH)?).ok_or(Error::Contended)?;
        Ok(Self { id, secret: random_text(SECRET_LENGTH)? })
    }

    /// Parses a token. `None` if it has another length or other characters.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == SessionId::LENGTH + SECRET_LENGTH
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (id, secret) = fits.then(|| text.split_at(SessionId::LENGTH))?;
        Some(Self { id: SessionId::parse(id)?, secret: secret.to_owned() })
    }

    /// Returns the complete token. Never log it.
    pub fn reveal(&self) -> String {
        format!("{}{}", self.id, self.secret)
    }

    fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.secret.as_bytes()).into()
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionToken({}…)", self.id)
    }
}

/// Who has a session, with the rights that its key has now.
#[derive(Debug, Clone)]
pub struct SignedIn {
    pub caller: Caller,
    /// The label of the key.
    pub label: Option<KeyLabel>,
    /// The end of the session, or of its key if that is earlier.
    pub expires_at: Timestamp,
}

impl SignedIn {
    fn new(key: &Key, session: &Session) -> Self {
        let key_expires_at = key.settings.expires_at.unwrap_or(Timestamp::MAX);
        Self {
            caller: Caller::of(key),
            label: key.settings.label.clone(),
            expires_at: session.expires_at.min(key_expires_at),
        }
    }
}

/// All sessions, once they have been read.
#[derive(Default)]
pub struct SessionCache {
    known: OnceCell<RwLock<HashMap<SessionId, Session>>>,
}

impl SessionCache {
    /// Returns the session of a token, unless it has expired. `None` before the sessions have been read.
    fn find(&self, token: &SessionToken, now: Timestamp) -> Option<Session> {
        let sessions = self.known.get()?.read().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.get(&token.id);
        // An unknown id is compared too, so that the response time does not reveal which ids exist.
        let hash = session.map_or([0; 32], |session| session.secret_hash);
        let is_equal: bool = hash.ct_eq(&token.hash()).into();
        session.filter(|session| is_equal && session.expires_at > now).cloned()
    }

    /// Adds a session, and drops expired ones. Returns those that it replaces.
    fn add(&self, session: &Session) -> Vec<SessionId> {
        let Some(known) = self.known.get() else { return Vec::new() };
        let mut sessions = known.write().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, known| known.expires_at > session.created_at);
        let mut of_key: Vec<_> = sessions
            .values()
            .filter(|known| known.key == session.key)
            .map(|known| (known.created_at, known.id.clone()))
            .collect();
        of_key.sort();
        let surplus = (of_key.len() + 1).saturating_sub(SESSIONS_PER_KEY);
        let replaced: Vec<_> = of_key.into_iter().take(surplus).map(|(_, id)| id).collect();
        for id in &replaced {
            sessions.remove(id);
        }
        sessions.insert(session.id.clone(), session.clone());
        replaced
    }

    fn remove(&self, id: &SessionId) {
        if let Some(known) = self.known.get() {
            known.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        }
    }
}

impl App {
    /// Exchanges a key for a session. `None` if the key is unknown, revoked or expired.
    pub async fn begin_session(
        &self,
        text: &KeyText,
        life: Duration,
    ) -> Result<Option<(SessionToken, SignedIn)>, Error> {
        if self.caller(text).await?.is_none() {
            return Ok(None);
        }
        let created_at = self.clock.now();
        let Some(key) = self.key_cache.valid_key(text.id(), created_at) else { return Ok(None) };
        self.load_sessions().await?;
        let token = SessionToken::random()?;
        let session = Session {
            id: token.id.clone(),
            secret_hash: token.hash(),
            key: key.id.clone(),
            created_at,
            expires_at: created_at.saturating_add(life).unwrap_or(Timestamp::MAX),
        };
        self.store.create_session(session.clone()).await?;
        let replaced = self.session_cache.add(&session);
        if !replaced.is_empty() {
            self.store.delete_sessions(replaced).await?;
        }
        Ok(Some((token, SignedIn::new(&key, &session))))
    }

    /// Returns who has a session; `None` if it is unknown or has ended, or if its key is no longer valid.
    pub async fn signed_in(&self, token: &SessionToken) -> Result<Option<SignedIn>, Error> {
        self.load_sessions().await?;
        if self.session_cache.find(token, self.clock.now()).is_none() {
            return Ok(None);
        }
        if let Some(known) = self.known_session(token) {
            return Ok(Some(known));
        }
        // The keys in memory may be too old to trust.
        self.refresh_keys().await?;
        Ok(self.known_session(token))
    }

    /// Returns who has a session like [`App::signed_in`], as far as it is known without waiting.
    pub fn known_session(&self, token: &SessionToken) -> Option<SignedIn> {
        let now = self.clock.now();
        let session = self.session_cache.find(token, now)?;
        let key = self.key_cache.valid_key(&session.key, now)?;
        Some(SignedIn::new(&key, &session))
    }

    /// Ends a session. Does nothing if it has ended.
    pub async fn end_session(&self, token: &SessionToken) -> Result<Option<KeyId>, Error> {
        self.load_sessions().await?;
        let Some(session) = self.session_cache.find(token, self.clock.now()) else { return Ok(None) };
        // The store first: if it fails, the client learns that the session goes on.
        self.store.delete_sessions(vec![session.id.clone()]).await?;
        self.session_cache.remove(&session.id);
        Ok(Some(session.key))
    }

    async fn load_sessions(&self) -> Result<(), Error> {
        let load = async || {
            let sessions = self.store.sessions().await?;
            let sessions = sessions.into_iter().map(|session| (session.id.clone(), session)).collect();
            Ok::<_, Error>(RwLock::new(sessions))
        };
        self.session_cache.known.get_or_try_init(load).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revealed_token_parses() {
        let token = SessionToken::random().unwrap();
        let text = token.reveal();
        let read = SessionToken::parse(&text).unwrap();
        assert_eq!((read.id.clone(), read.hash()), (token.id.clone(), token.hash()));
        assert!(!format!("{token:?}").contains(&token.secret));
        for wrong in ["", &text[1..], &format!("{text}x"), &format!("{}é", &text[2..])] {
            assert!(SessionToken::parse(wrong).is_none(), "{wrong}");
        }
    }
}
