//! All API keys in memory, so that no request waits for the store to know its caller, and unknown keys are no way to load the store.
//!
//! A change by this process is read at once. Another process (`vigie keys`) may change keys, too: a worker looks for writes of other
//! processes a few times a second ([`App::refresh_keys`](crate::App::refresh_keys)), which bounds how long a revoked key still works.
//! A key that seems invalid makes its request look as well, so a new key works at once. However many requests wait for such a look,
//! they share it, and looks have a pace.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use domain::{KeyId, Timestamp};
use store::{Key, Store};
use subtle::ConstantTimeEq;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::{Caller, KeyText};
use crate::Error;

/// The time between two looks, however many unknown keys arrive.
const PACE: Duration = Duration::from_millis(20);

/// Without a successful look for this long, the keys in memory are not trusted any more: one of them may have been revoked.
const TRUSTED_FOR: Duration = Duration::from_secs(5);

/// How long a look waits for the writer of the store, which notices writes of other processes. If it is busy for longer, the keys are
/// read without knowing whether they have changed.
const WRITER_TIMEOUT: Duration = Duration::from_millis(200);

#[derive(Default)]
pub struct KeyCache {
    known: RwLock<Known>,
    /// The number of looks that have begun.
    begun: AtomicU64,
    looking: tokio::sync::Mutex<Looking>,
}

/// The keys as they were last read.
#[derive(Default)]
struct Known {
    keys: Arc<HashMap<KeyId, Key>>,
    /// When the store was last known to have exactly these.
    confirmed_at: Option<Instant>,
}

/// What only one look at a time uses.
#[derive(Default)]
struct Looking {
    pace: Option<Interval>,
    /// The writes of other processes that the keys in memory include.
    foreign_writes: Option<u64>,
}

impl KeyCache {
    /// Returns the caller of a valid key.
    pub fn find(&self, text: &KeyText, now: Timestamp) -> Option<Caller> {
        let keys = self.trusted_keys()?;
        let key = keys.get(text.id());
        // An unknown id is compared too, so that the response time does not reveal which ids exist.
        let hash = key.map_or([0; 32], |key| key.secret_hash);
        let is_equal: bool = hash.ct_eq(&text.hash()).into();
        key.filter(|key| is_equal && is_valid(key, now)).map(Caller::of)
    }

    /// Returns a key that is neither revoked nor expired, for a caller that has proved otherwise that it may use it.
    pub fn valid_key(&self, id: &KeyId, now: Timestamp) -> Option<Key> {
        self.trusted_keys()?.get(id).filter(|key| is_valid(key, now)).cloned()
    }

    /// Returns the keys, unless the last look is too long ago.
    fn trusted_keys(&self) -> Option<Arc<HashMap<KeyId, Key>>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.confirmed_at.filter(|confirmed_at| confirmed_at.elapsed() < TRUSTED_FOR)?;
        Some(Arc::clone(&known.keys))
    }

    /// Returns when a look that began after this call has ended.
    pub async fn refresh(&self, store: &dyn Store) -> Result<(), Error> {
        let begun = self.begun.load(Ordering::SeqCst);
        let mut looking = self.looking.lock().await;
        if self.begun.load(Ordering::SeqCst) > begun && self.is_trusted() {
            return Ok(());
        }
        looking.wait().await;
        self.begun.fetch_add(1, Ordering::SeqCst);
        // Before the keys are read: a write in between is then noticed by the next look.
        let writes = match tokio::time::timeout(WRITER_TIMEOUT, store.detect_foreign_writes()).await {
            Ok(Ok(writes)) => Some(writes.count),
            Ok(Err(_)) | Err(_) => None,
        };
        if writes.is_some() && writes == looking.foreign_writes {
            self.known.write().unwrap_or_else(PoisonError::into_inner).confirmed_at = Some(Instant::now());
            return Ok(());
        }
        self.read(store).await?;
        looking.foreign_writes = writes;
        Ok(())
    }

    /// Reads the keys after a change by this process. The change itself is durable: if the keys cannot be read, the next use of a key
    /// tries again.
    pub async fn reload(&self, store: &dyn Store) {
        let mut looking = self.looking.lock().await;
        if let Err(error) = self.read(store).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "cannot read the changed keys yet");
            looking.foreign_writes = None;
            self.known.write().unwrap_or_else(PoisonError::into_inner).confirmed_at = None;
        }
    }

    /// Reads all keys. The caller holds the lock, so that an older state never replaces a newer one.
    async fn read(&self, store: &dyn Store) -> Result<(), Error> {
        let began_at = Instant::now();
        let keys = store.keys().await?.into_iter().map(|key| (key.id.clone(), key)).collect();
        let known = Known { keys: Arc::new(keys), confirmed_at: Some(began_at) };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(())
    }

    fn is_trusted(&self) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.confirmed_at.is_some_and(|confirmed_at| confirmed_at.elapsed() < TRUSTED_FOR)
    }
}

fn is_valid(key: &Key, now: Timestamp) -> bool {
    key.revoked_at.is_none() && !key.settings.is_expired(now)
}

impl Looking {
    async fn wait(&mut self) {
        let pace = self.pace.get_or_insert_with(|| {
            let mut pace = tokio::time::interval(PACE);
            pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
            pace
        });
        pace.tick().await;
    }
}

#[cfg(test)]
mod tests;
