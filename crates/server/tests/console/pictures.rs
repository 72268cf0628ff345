//! The pictures of the README. `cargo xtask screenshots` keeps them; otherwise the test only makes sure that each can be made.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::demo::Demo;
use crate::page::{Page, Size};

/// Names the folder that the pictures are written to. Without the prefix of settings: the demo would refuse it.
const FOLDER: &str = "SCREENSHOTS_FOLDER";

/// Heights in pixels: what is in the window, and down to the prices of a property.
const WINDOW: u32 = 900;
const TALL: u32 = 1_250;

#[tokio::test]
async fn pages_can_be_pictured() {
    let folder = std::env::var_os(FOLDER).map(PathBuf::from);
    // Those that are kept show a whole market.
    let demo = Demo::with(if folder.is_some() { "20000" } else { "200" }).await;
    let page = Page::open(&demo, Size::Desktop).await;
    page.sign_in().await;
    let list =
        "/documents/properties?transactionType=0&propertyTypes[]=1&eventPriceVariationMax=-1&itemsPerPage=30";
    let found = demo.send("GET", list, None).await.ok();
    let most = found["hydra:member"]
        .as_array()
        .unwrap()
        .iter()
        .max_by_key(|it| it["adverts"].as_array().unwrap().len());
    let property = most.unwrap()["uuid"].as_str().unwrap().to_owned();
    for (name, path, ready) in [
        (
            "market",
            "/console/market?transactionType=0&propertyTypes[]=0&budgetMax=300000".to_owned(),
            ".map[data-idle]",
        ),
        ("property", format!("/console/properties/{property}"), "[data-price-history] canvas"),
        (
            "searches",
            "/console/searches/new?transactionType=0&propertyTypes[]=1&budgetMax=300000".to_owned(),
            "[data-now]",
        ),
        ("deliveries", "/console/deliveries".to_owned(), "[data-delivery]"),
        ("status", "/console/status".to_owned(), "[data-figure=properties]"),
    ] {
        page.go(&path).await;
        page.shown(ready).await;
        let height = if name == "property" { TALL } else { WINDOW };
        if folder.is_some() && name == "status" {
            five_minutes_are_plotted(&page).await;
        }
        let drawn = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
        page.browser.run(drawn, &[]).await;
        let clip = json!({"x": 0, "y": 0, "width": 1440, "height": height, "scale": 1});
        let options =
            json!({"format": "webp", "quality": 80, "clip": clip, "captureBeyondViewport": height > WINDOW});
        let picture = page.devtools("Page.captureScreenshot", options).await;
        let bytes = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
        assert!(bytes.len() > 5_000, "{name} is empty");
        if let Some(folder) = &folder {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(format!("{name}.webp")), bytes).unwrap();
        }
    }
}

/// Waits until the plots have some points. The server adds one a minute.
async fn five_minutes_are_plotted(page: &Page<'_>) {
    page.browser.in_session("timeouts", json!({"script": 180_000})).await;
    let latest = "document.querySelector('.u-legend .u-value')?.textContent";
    for _ in 0..5 {
        let before = page.value(latest).await;
        let changes = format!("return until(() => {latest} && {latest} !== arguments[0])");
        page.browser.run(&changes, &[before]).await;
    }
}
