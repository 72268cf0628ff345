//! What only the store on PostgreSQL promises: several processes on one database, lost connections, migrations.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "contract/changes.rs"]
#[allow(dead_code, reason = "shared with the contract tests, which use all of it")]
mod changes;

#[path = "contract/backend.rs"]
#[allow(dead_code, reason = "shared with the contract tests, which use all of it")]
mod backend;

#[path = "contract/delivery_fixtures.rs"]
#[allow(dead_code, reason = "shared with the contract tests, which use all of it")]
mod delivery_fixtures;

mod postgres {
    mod connections;
    mod deliveries;
    mod log;
    mod repair;
    mod schema;
    mod sharing;
    mod transfer;
}
