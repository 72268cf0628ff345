//! Which history of the database this process follows.
//!
//! A server that takes over after a failover begins a new timeline, and may lack the last commits of the one before it. What this
//! process has in memory may include them. So a connection to another timeline is not used until the writer has found that the log is
//! still the one that it knows.

use std::sync::{Mutex, PoisonError};

use tokio_postgres::Client;

use crate::sql::connection::SqlResult;
use crate::sql::error::SqlError;

/// The server and its timeline, which begins the names of its write-ahead log files.
const TIMELINE: &str = "SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
     FROM pg_control_system()";

pub async fn read(client: &Client) -> SqlResult<String> {
    let row = client.query_one(TIMELINE, &[]).await?;
    row.try_get(0).map_err(SqlError::from)
}

/// The timeline whose connections may be used, shared by all connections of a store.
#[derive(Default)]
pub struct AcceptedTimeline(Mutex<Option<String>>);

impl AcceptedTimeline {
    pub fn accept(&self, timeline: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(timeline.to_owned());
    }

    /// Returns `true` if this timeline was accepted last. The first one is.
    pub fn accepts(&self, timeline: &str) -> bool {
        let mut accepted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.get_or_insert_with(|| timeline.to_owned()) == timeline
    }
}
