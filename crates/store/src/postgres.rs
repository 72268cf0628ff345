//! PostgreSQL, for as many processes as needed.

mod connection;
mod cursor;
mod many_rows;
mod options;
mod pipeline;
pub(crate) mod schema;
pub(crate) mod timeline;

pub(crate) use connection::PostgresConnection;
pub(crate) use cursor::Cursor;
pub use options::PostgresOptions;
pub(crate) use pipeline::RowKind;
use timeline::AcceptedTimeline;

use std::sync::Arc;

use crate::error::Error;
use crate::sql::{Connection, Place, SqlStore};
use crate::transfer;

impl SqlStore {
    /// Connects to a PostgreSQL database. Creates the tables, or migrates them, if necessary.
    pub fn connect(options: &PostgresOptions) -> Result<Self, Error> {
        // Connections have runtimes of their own, which cannot be used on a thread of another runtime.
        std::thread::scope(|scope| {
            let opened = scope.spawn(|| {
                let timeline = Arc::new(AcceptedTimeline::default());
                let open = || {
                    let opened = PostgresConnection::open_on(options, Arc::clone(&timeline));
                    opened.map(|opened| Connection::Postgres(Box::new(opened)))
                };
                let writing = open()?;
                let identity = schema::migrate(&writing)?;
                transfer::refuse_unfinished(&writing, || options.description())?;
                Self::start(Place::Shared { identity }, writing, || Ok(open()?))
            });
            opened.join().unwrap_or(Err(Error::Panicked))
        })
    }
}
