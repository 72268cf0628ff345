//! The requests of the API. One module per chapter; to add one, add a row.
