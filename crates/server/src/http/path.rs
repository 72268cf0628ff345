//! What paths name.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use super::error::Problem;

/// The id in a path. A text that cannot be one names nothing, like an id that was never given: not found, in our words
/// and not in the framework's.
pub struct PathId<T>(pub T);

impl<S: Send + Sync, T: FromStr> FromRequestParts<S> for PathId<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = text.map_err(|_| Problem::not_found())?;
        text.parse().map(Self).map_err(|_| Problem::not_found())
    }
}
