//! JSON-LD contexts.
