//! Counts requests and the items they are answered with, for [`usage`](super::usage).

use app::App;
use app::access::Caller;
use axum::response::Response;
use http::{Method, StatusCode};
use serde::Serialize;
use wire::hydra::Collection;

use super::error::json;

/// The number of items in a response, as an extension of it.
#[derive(Debug, Clone, Copy)]
pub struct Items(pub u64);

/// Creates the response of a collection, and notes how many members it has.
pub fn page<T: Serialize, S: Serialize>(page: &Collection<T, S>) -> Response {
    with_items(json(StatusCode::OK, page), page.member_count())
}

pub fn with_items(mut response: Response, items: u64) -> Response {
    response.extensions_mut().insert(Items(items));
    response
}

/// The operation that a request is counted under. Also an extension of the request, for streams: they count their items while they
/// are sent.
#[derive(Clone)]
pub struct Meter {
    app: App,
    caller: Caller,
    operation: String,
}

impl Meter {
    pub fn new(app: &App, caller: &Caller, method: &Method, route: &str) -> Self {
        Self { app: app.clone(), caller: caller.clone(), operation: format!("{method} {route}") }
    }

    /// Counts the request. A response without a number of items is one resource if it is the result of a `GET`.
    pub fn count_request(&self, method: &Method, response: &Response) {
        let items = match response.extensions().get::<Items>() {
            Some(Items(items)) => *items,
            None => u64::from(method == Method::GET && response.status() == StatusCode::OK),
        };
        self.app.count_request(&self.caller, &self.operation, items);
    }

    /// Counts items of a stream.
    pub fn count_items(&self, items: usize) {
        self.app.count_items(&self.caller, &self.operation, items as u64);
    }
}
