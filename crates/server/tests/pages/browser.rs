//! Pages in Chromium: the API page, and pages on other origins that call the API.
//!
//! One test, because starting a browser takes longer than everything it does here. Each step opens its own pages.

mod cross_origin;
mod docs;
mod driver;

use driver::Browser;

#[tokio::test]
async fn pages_work_in_a_browser() {
    let browser = Browser::start().await;
    docs::every_operation_is_shown(&browser).await;
    docs::text_from_the_document_stays_text(&browser).await;
    cross_origin::configured_origin_may_call(&browser).await;
    cross_origin::other_origins_are_refused(&browser).await;
}
