//! The database of a test server: embedded, or one on PostgreSQL of its own if `VIGIE_TEST_POSTGRES` is set.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use store::SqlStore;

/// The addresses of the databases, by data folder.
static ADDRESSES: Mutex<Option<HashMap<PathBuf, String>>> = Mutex::new(None);

/// Opens the database of a data folder; the same one each time.
pub fn open(folder: &Path) -> SqlStore {
    if std::env::var_os("VIGIE_TEST_POSTGRES").is_none() {
        return SqlStore::open(folder).unwrap();
    }
    let mut addresses = ADDRESSES.lock().unwrap_or_else(PoisonError::into_inner);
    let address = addresses.get_or_insert_default().entry(folder.to_owned()).or_insert_with(|| {
        let name = local_postgres::prepared_database(|url| {
            drop(SqlStore::connect(&url.parse().unwrap()).unwrap());
        });
        local_postgres::shared().url(&name)
    });
    SqlStore::connect(&address.parse().unwrap()).unwrap()
}
