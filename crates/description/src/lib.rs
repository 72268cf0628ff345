//! What the API is, as data.
//!
//! [`resources`] lists the objects that the service sends and accepts, field by field. [`operations`] lists the requests that it
//! answers. The router, the Hydra documentation, the JSON-LD contexts, the OpenAPI document and the reference pages in `docs/`
//! are made from these two tables, so that none of them can differ from the others.

pub mod check;
pub mod codes;
pub mod context;
pub mod examples;
pub mod hydra;
pub mod openapi;
pub mod operation;
pub mod operations;
pub mod reference;
pub mod resources;
pub mod schema;

pub use operation::{Access, Method, Operation, OperationId, Tag};
pub use schema::{Field, Kind, Resource};
