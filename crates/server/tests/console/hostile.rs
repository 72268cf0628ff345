//! An advert that tries to be more than text, on every page that shows it.

use serde_json::json;

use crate::page::Page;

pub async fn every_page_shows_text(page: &Page<'_>) {
    let size = format!("{:?}", page.size);
    let attack = format!(
        "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 1\">{{{{1}}}} \u{202e}tuo edisni\u{2066} {size}"
    );
    let long = "M".repeat(10_000);
    let search = page
        .demo
        .send("POST", "/searches", Some(&json!({
            "title": attack, "transactionType": 0, "propertyTypes": [0], "expressions": ["pirate"], "notificationEnabled": true,
            "endpointRecipient": format!("{}matches", page.demo.receiver),
        })))
        .await;
    assert_eq!(search.status, 201, "{}", search.text());
    let search = search.json()["@id"].as_str().unwrap().to_owned();
    let property = page
        .demo
        .accept(&json!({
            "site": "mon-agence.example", "reference": format!("hostile-{size}"), "transactionType": 0, "propertyType": 0,
            "price": 250_000, "surface": 62, "room": 3, "zipcode": "37000", "cityName": "Tours",
            "title": format!("pirate {attack} {}", &long[..180]),
            "description": format!("{attack} {long} pirate"),
            "url": "javascript:window.hacked=1", "virtualTour": "javascript:window.hacked=1",
            "district": attack, "heating": attack, "features": [attack, long],
            "publisher": {"name": attack, "type": 1}, "contact": {"name": attack, "agency": long, "email": attack},
            "pictures": ["javascript:window.hacked=1", "data:text/html,<script>window.hacked=1</script>", "http://127.0.0.1:1/x.jpg", "https://pictures.invalid/\"><script>"],
        }))
        .await;

    page.go(&format!("/console{search}")).await;
    page.shown("[data-matches='1'], [data-matches='2']").await;
    is_text(page, "a search").await;
    page.click("main ul button").await;
    page.shown("[data-explanation]").await;
    is_text(page, "an explanation").await;

    for (path, shown) in [
        ("/console/market?expressions[0][0][word]=pirate".to_owned(), "a.card"),
        (format!("/console/properties/{property}"), "[data-adverts] table"),
        ("/console/searches".to_owned(), "[data-search]"),
        (format!("/console/deliveries?search={search}"), "[data-delivery]"),
        ("/console/data/sites".to_owned(), "td select"),
        ("/console/status".to_owned(), "[data-figure=properties]"),
    ] {
        page.go(&path).await;
        page.shown(shown).await;
        is_text(page, &path).await;
    }
    // Everything that can be folded on the page of the property, and on that of the delivery.
    page.go(&format!("/console/properties/{property}")).await;
    page.shown("[data-adverts] table").await;
    page.value("document.querySelectorAll('details').forEach((it) => { it.open = true; })").await;
    is_text(page, "an opened property").await;
    page.go(&format!("/console/deliveries?search={search}")).await;
    page.click("[data-delivery] a").await;
    page.shown("[data-attempts]").await;
    is_text(page, "a delivery").await;
}

/// Nothing ran, nothing became an element or a link, nothing is wider than the window.
async fn is_text(page: &Page<'_>, what: &str) {
    assert_eq!(page.value("window.hacked ?? null").await, json!(null), "{what}");
    let sources = page.value("[...document.images].map((it) => new URL(it.src).pathname).filter((it) => !/^\\/(adverts|console)\\//.test(it))").await;
    assert_eq!(sources, json!([]), "{what}");
    let links = page.value("[...document.links].filter((it) => !/^https?:$/.test(it.protocol) || (it.origin !== location.origin && !/noopener noreferrer/.test(it.rel))).map((it) => it.outerHTML)").await;
    assert_eq!(links, json!([]), "{what}");
    let scripts = page.value("[...document.scripts].filter((it) => !it.src.startsWith(`${location.origin}/console/assets/`)).map((it) => it.outerHTML)").await;
    assert_eq!(scripts, json!([]), "{what}");
    page.is_sound(what).await;
}
