//! Users and their API keys.

use async_trait::async_trait;
use domain::{KeyId, KeySettings, Scopes, SessionId, Timestamp, UserId};

use crate::error::Error;

/// Creates, reads, changes and revokes API keys, and keeps the sessions that were begun with them.
#[async_trait]
pub trait AccessStore: Send + Sync + 'static {
    /// Stores a key. Creates the user if there is none with that name.
    async fn create_key(&self, key: NewKey) -> Result<Key, Error>;

    /// Returns a key, revoked or not; `None` if there is none with that id.
    async fn key(&self, id: KeyId) -> Result<Option<Key>, Error>;

    /// Returns all keys, revoked ones included, in order of creation.
    async fn keys(&self) -> Result<Vec<Key>, Error>;

    /// Replaces the settings of a key. Returns the key, or `None` if there is none with that id.
    async fn change_key(&self, id: KeyId, settings: KeySettings) -> Result<Option<Key>, Error>;

    /// Revokes a key. Returns `false` if there is none with that id. Revoking a key again keeps the first date.
    async fn revoke_key(&self, id: KeyId, at: Timestamp) -> Result<bool, Error>;

    /// Stores a session. Deletes those that have expired by its creation.
    async fn create_session(&self, session: Session) -> Result<(), Error>;

    /// Returns all sessions, expired ones included, in order of creation.
    async fn sessions(&self) -> Result<Vec<Session>, Error>;

    /// Deletes sessions. Unknown ones are ignored.
    async fn delete_sessions(&self, ids: Vec<SessionId>) -> Result<(), Error>;
}

/// A user, the owner of keys and searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    pub name: String,
}

/// A stored key. The secret itself is never stored, only its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub id: KeyId,
    pub secret_hash: [u8; 32],
    pub user: User,
    pub scopes: Scopes,
    pub settings: KeySettings,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
    /// Written now and then, so it may be a few seconds behind ([`UsageStore::add_usage`](crate::UsageStore::add_usage)).
    pub last_used_at: Option<Timestamp>,
}

/// The time between a sign-in with a key and its end. The secret itself is never stored, only its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub secret_hash: [u8; 32],
    /// The key it was begun with.
    pub key: KeyId,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// A key to store.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub id: KeyId,
    pub secret_hash: [u8; 32],
    pub user_name: String,
    /// The id of the user if it has to be created.
    pub user_id_if_new: UserId,
    pub scopes: Scopes,
    pub settings: KeySettings,
    pub created_at: Timestamp,
}
