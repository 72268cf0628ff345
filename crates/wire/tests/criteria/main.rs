//! What is said for a filter, in a query and in the body of a search, reads back as it was written. The values are drawn by
//! kind, so that a new row of the table is covered by being there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

mod body;
mod query;
mod raw;
