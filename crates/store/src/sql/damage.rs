//! Damaged records that readers have met: each is logged once and counted, and does not stop the reader.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use super::error::is_damage;
use crate::contract::RecordKind;
use crate::error::Error;

/// How many records of one kind are remembered. Beyond, they are neither logged nor counted: the file as a whole is broken, and the
/// list must not grow for ever.
const RECORDS_MAX: usize = 10_000;

/// The damaged records that were met since the store was opened.
#[derive(Debug, Default)]
pub struct DamageLog {
    met: Mutex<BTreeMap<RecordKind, BTreeSet<String>>>,
}

impl DamageLog {
    /// Turns a record that cannot be read into `None`, and takes note of it. Passes on every other error.
    pub fn unless_damaged<T>(
        &self,
        kind: RecordKind,
        id: impl FnOnce() -> String,
        read: Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if is_damage(&error) => {
                self.note(kind, id(), &error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes note of a damaged record.
    pub fn note(&self, kind: RecordKind, id: String, error: &Error) {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let met = met.entry(kind).or_default();
        if met.len() < RECORDS_MAX && met.insert(id.clone()) {
            let error = error as &dyn std::error::Error;
            tracing::error!(
                kind = kind.name(),
                id,
                error,
                "a stored record is damaged and is left out; `vigie verify` lists all damage and how to repair it"
            );
        }
    }

    /// Returns how many records were met, by kind.
    pub fn counts(&self) -> Vec<(RecordKind, u64)> {
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        met.iter().map(|(kind, ids)| (*kind, ids.len() as u64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_counted_once_and_other_errors_pass() {
        let log = DamageLog::default();
        for _ in 0..3 {
            let read: Result<u8, Error> = Err(Error::corrupt("a site"));
            assert_eq!(log.unless_damaged(RecordKind::Site, || "7".to_owned(), read).unwrap(), None);
        }
        assert_eq!(log.counts(), [(RecordKind::Site, 1)]);
        let read: Result<u8, Error> = Err(Error::Closed);
        assert!(log.unless_damaged(RecordKind::Site, || "8".to_owned(), read).is_err());
        assert_eq!(log.unless_damaged(RecordKind::Site, || "9".to_owned(), Ok(1)).unwrap(), Some(1));
        assert_eq!(log.counts(), [(RecordKind::Site, 1)]);
    }
}
