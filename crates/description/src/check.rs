//! Compares an answer with its description.
