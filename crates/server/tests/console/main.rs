//! The console in Chromium, as people use it: each story at the size of a desk and of a phone, against the demo.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]
// An advert with every field is a long `json!`.
#![recursion_limit = "256"]

#[path = "../it"]
mod it {
    #[allow(dead_code, reason = "the integration tests use the rest")]
    pub mod harness;
}

mod built;
mod demo;
#[path = "../pages/browser/driver.rs"]
mod driver;
mod hostile;
mod page;
mod pictures;
mod stories;

use it::harness;

use demo::Demo;
use page::{Page, Size};

#[tokio::test]
async fn people_work_at_a_desk() {
    stories::all(Size::Desktop).await;
}

#[tokio::test]
async fn people_work_on_a_phone() {
    stories::all(Size::Phone).await;
}

#[tokio::test]
async fn hostile_adverts_stay_text() {
    let demo = Demo::start().await;
    for size in [Size::Desktop, Size::Phone] {
        let page = Page::open(&demo, size).await;
        page.sign_in().await;
        hostile::every_page_shows_text(&page).await;
        page.nothing_went_wrong().await;
    }
}
