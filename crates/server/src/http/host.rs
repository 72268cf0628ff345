//! The `Host` of a request: exactly one in HTTP/1.1. A proxy and a server that read different ones disagree about who is meant.

use axum::extract::Request;
use http::{Version, header};

use super::error::Problem;

/// Refuses a request with several `Host` headers, or with none although its version demands one.
pub fn check(request: &Request) -> Result<(), Problem> {
    let count = request.headers().get_all(header::HOST).iter().count();
    match (count, request.version()) {
        (1, _) | (0, Version::HTTP_10) => Ok(()),
        (0, _) => Err(Problem::bad_request("The Host header is missing.")),
        _ => Err(Problem::bad_request("The Host header is repeated.")),
    }
}
