//! Ids in paths.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use super::error::Problem;

/// The id in a path. Text that is not a valid id gets the same 404 as an unknown id, instead of the framework's error.
pub struct PathId<T>(pub T);

impl<S: Send + Sync, T: FromStr> FromRequestParts<S> for PathId<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = text.map_err(|_| Problem::not_found())?;
        text.parse().map(Self).map_err(|_| Problem::not_found())
    }
}
