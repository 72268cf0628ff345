//! Round trip of every filter, in a query and in the body of a saved search. Values are drawn by kind, so a new row
//! of the filter table is covered automatically.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod body;
mod query;
mod raw;
