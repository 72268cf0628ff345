//! Pages for people, over HTTP and in a browser. Apart from the other integration tests, so that the browser has the machine to itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]
// An advert with every field is a long `json!`.
#![recursion_limit = "256"]

#[path = "../it"]
mod it {
    #[allow(dead_code, reason = "the integration tests use the rest")]
    pub mod harness;
}

mod browser;
mod docs_page;

use it::harness;
