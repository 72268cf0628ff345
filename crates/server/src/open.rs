//! Opening the service on a data folder.

use std::path::Path;
use std::sync::Arc;

use app::App;
use app::system::{RandomIds, SystemClock};
use store::sqlite::SqliteStore;

/// The service on a folder, with the machine's clock. Commands and the server open it alike.
pub fn app(data: &Path) -> Result<App, store::Error> {
    let store = SqliteStore::open(data)?;
    Ok(App::new(Arc::new(store), Arc::new(SystemClock), Arc::new(RandomIds)))
}
