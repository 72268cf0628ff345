//! What people do in the console, in the order in which a working day has it.

use serde_json::{Value, json};

use crate::demo::Demo;
use crate::page::{Page, Size};

pub async fn all(size: Size) {
    let demo = Demo::start().await;
    let page = Page::open(&demo, size).await;
    page.shown("input[name=key]").await;
    page.is_sound("the page for signing in").await;
    wrong_key_is_refused(&page).await;
    page.go("/console").await;
    page.sign_in().await;

    let property = finds_a_property_by_drawing(&page).await;
    reads_the_price_history(&page, &property).await;
    let search = saves_a_search(&page).await;
    sees_a_match_arrive(&page).await;
    sees_matches_by_day(&page, &search).await;
    replays_a_delivery(&page, &search).await;
    pauses_the_search(&page, &search).await;
    decides_a_doubtful_pair(&page).await;
    other_pages_are_sound(&page).await;
    signs_out(&page).await;
    page.nothing_went_wrong().await;
}

async fn wrong_key_is_refused(page: &Page<'_>) {
    page.browser.type_into("input[name=key]", "vigie_unknown").await;
    page.browser.click("button[type=submit]").await;
    page.shown("[role=alert]").await;
}

async fn finds_a_property_by_drawing(page: &Page<'_>) -> String {
    page.shown("[data-total]").await;
    page.is_sound("the market").await;
    let before = total(page).await;
    if page.size == Size::Phone {
        page.click("[data-switch]").await;
    }
    page.shown(".map[data-ready]").await;
    page.is_sound("the map").await;
    page.click("[data-drop=where]").await;
    page.click("[data-draw=polygon]").await;

    // A square around the middle of the country.
    let canvas = page.value("(({x, y, width, height}) => [x, y, width, height])(document.querySelector('.map canvas').getBoundingClientRect())").await;
    let [x, y, width, height] = [0, 1, 2, 3].map(|at| canvas[at].as_f64().unwrap());
    for (across, down) in [(0.3, 0.35), (0.7, 0.35), (0.7, 0.7), (0.3, 0.7)] {
        page.click_at(x + width * across, y + height * down).await;
    }
    page.press("\u{e007}").await;
    page.until("location.search.includes('geoShapes[0][3][1]')").await;
    if page.size == Size::Phone {
        page.click("[data-switch]").await;
    }
    // The market of the demo moves, so totals are not the same a moment later.
    let only_some = "return until(() => { const all = document.querySelector('[data-total]')?.dataset.total; return all && Number(all) < arguments[0] ? Number(all) : 0; })";
    let found = page.browser.run(only_some, &[json!(before)]).await;
    assert!(found.as_u64().unwrap() > 0);
    // The same view has an address of its own.
    let address = page.value("location.pathname + location.search").await;
    page.go(address.as_str().unwrap()).await;
    page.browser.run(only_some, &[json!(before)]).await;
    page.click("a.card").await;
    page.until("location.pathname.startsWith('/console/properties/')").await;
    let path = page.value("location.pathname").await;
    path.as_str().unwrap().rsplit('/').next().unwrap().to_owned()
}

async fn total(page: &Page<'_>) -> u64 {
    page.value("Number(document.querySelector('[data-total]').dataset.total)").await.as_u64().unwrap()
}

async fn reads_the_price_history(page: &Page<'_>, property: &str) {
    page.shown("[data-price-history] canvas").await;
    let document = page.demo.send("GET", &format!("/documents/properties/{property}"), None).await.ok();
    let adverts = document["adverts"].as_array().unwrap().len();
    // One line in the legend for each advert, after that of the date.
    page.browser.run("return until(() => document.querySelectorAll('[data-price-history] .u-series').length > arguments[0])", &[json!(adverts)]).await;
    page.shown("[data-adverts] table").await;
    page.is_sound("a property").await;
}

async fn saves_a_search(page: &Page<'_>) -> String {
    page.go("/console/market?transactionType=0&propertyTypes[]=0&expressions[0][0][word]=belvédère").await;
    page.click("[data-save]").await;
    page.shown("[data-preview] [data-now]").await;
    page.is_sound("the builder").await;
    page.browser.type_into("input[name=title]", "Avec belvédère").await;
    page.browser.type_into("input[name=endpointRecipient]", &format!("{}matches", page.demo.receiver)).await;
    page.click("[data-save-search]").await;
    page.shown("[data-matches='0']").await;
    let path = page.value("location.pathname").await;
    path.as_str().unwrap().rsplit('/').next().unwrap().to_owned()
}

async fn sees_a_match_arrive(page: &Page<'_>) {
    page.value("window.same = true").await;
    let size = format!("{:?}", page.size);
    page.demo
        .accept(&json!({
            "site": "mon-agence.example", "reference": format!("belvedere-{size}"), "transactionType": 0, "propertyType": 0,
            "title": "Appartement avec belvédère", "price": 250_000, "surface": 62, "room": 3, "zipcode": "37000", "cityName": "Tours",
        }))
        .await;
    page.shown("[data-matches='1']").await;
    assert_eq!(page.value("window.same").await, true, "the page was loaded again");
    page.click("main ul button").await;
    page.shown("[data-explanation]").await;
    page.is_sound("a search").await;
}

/// The list has a bar for each of the last 30 days, and one of them is that of the match.
async fn sees_matches_by_day(page: &Page<'_>, search: &str) {
    page.go("/console/searches").await;
    let row = format!("[data-search='{search}'] [data-matches-by-day]");
    page.shown(&format!("{row} [data-matches-30='1']")).await;
    page.shown(&format!("{row} .bars > :nth-child(30):last-child")).await;
    page.shown(&format!("{row} .bars > :not(.zero)")).await;
}

async fn replays_a_delivery(page: &Page<'_>, search: &str) {
    page.go(&format!("/console/deliveries?search=/searches/{search}")).await;
    page.shown("[data-delivery] [data-state=delivered]").await;
    page.shown("[data-health]").await;
    page.is_sound("deliveries").await;
    page.click("[data-delivery] a").await;
    page.shown("[data-attempts='1']").await;
    reads_the_message(page).await;
    page.click("[data-replay]:enabled").await;
    page.shown("[data-attempts='2']").await;
    page.shown("[data-state=delivered]").await;
    page.is_sound("a delivery").await;
}

/// The message is shown as it was sent.
async fn reads_the_message(page: &Page<'_>) {
    page.shown("[data-sent-body]").await;
    let id = page.value("location.pathname.split('/').pop()").await;
    let path = format!("/deliveries/{}/request?attempt=1", id.as_str().unwrap());
    let sent = page.demo.send("GET", &path, None).await.ok();
    assert_eq!(page.value("document.querySelector('[data-sent-body]').textContent").await, sent["body"]);
    let shown = page.value("document.querySelector('[data-sent-headers]').textContent").await;
    let shown: Vec<&str> = shown.as_str().unwrap().lines().skip(1).collect();
    let headers = sent["headers"].as_object().unwrap().iter();
    let expected: Vec<String> =
        headers.map(|(name, value)| format!("{name}: {}", value.as_str().unwrap())).collect();
    assert_eq!(shown, expected);
}

async fn pauses_the_search(page: &Page<'_>, search: &str) {
    page.go(&format!("/console/searches/{search}")).await;
    page.click("[data-enabled]").await;
    page.shown("[data-enabled]:not(:checked)").await;
    let path = format!("/searches/{search}");
    let enabled: Value = page
        .browser
        .run(
            "const look = () => fetch(arguments[0]).then((it) => it.json()).then((it) => it.notificationEnabled ? look() : false); return look();",
            &[json!(path)],
        )
        .await;
    assert_eq!(enabled, false);
    assert_eq!(page.demo.send("GET", &path, None).await.ok()["notificationEnabled"], false);
}

/// Two agencies describe one flat in their own words, with the same price and rooms.
async fn decides_a_doubtful_pair(page: &Page<'_>) {
    let flat = |site: &str, surface: f64, title: &str| {
        json!({
            "site": site, "reference": format!("doubtful-{:?}", page.size), "transactionType": 0, "propertyType": 0,
            "title": title, "price": 251_300, "surface": surface, "room": 3, "zipcode": "37000", "cityName": "Tours",
            "pictures": [],
        })
    };
    page.demo.accept(&flat("une-agence.example", 71.3, "Appartement avec loggia")).await;
    page.demo.accept(&flat("autre-agence.example", 71.0, "Trois pièces lumineux")).await;
    page.go("/console/data/grouping").await;
    page.shown("[data-pair] tr.differs").await;
    page.is_sound("a doubtful pair").await;
    let pair = page.value("document.querySelector('[data-pair]').dataset.pair").await;
    let gone = "return until(() => document.querySelector('[data-pair]')?.dataset.pair !== arguments[0])";
    page.press("d").await;
    page.browser.run(gone, std::slice::from_ref(&pair)).await;
    page.click(".toast button:not(.icon)").await;
    page.shown("[data-at='0']").await;
    assert_eq!(page.value("document.querySelector('[data-pair]').dataset.pair").await, pair, "it is back");
    page.press("d").await;
    page.browser.run(gone, std::slice::from_ref(&pair)).await;
    let listed = page.demo.send("GET", "/grouping/doubtful-pairs", None).await.ok();
    let is_pair = |listed: &Value| {
        let uuids = [0, 1].map(|side| listed["adverts"][side]["uuid"].as_str().unwrap());
        pair == uuids.join(" ")
    };
    assert!(!listed["hydra:member"].as_array().unwrap().iter().any(is_pair), "it is not asked again");
    // After the last one there is a sentence.
    let count = page.value("Number(document.querySelector('[data-doubtful]').dataset.doubtful)").await;
    for _ in 1..count.as_u64().unwrap() {
        page.press("u").await;
    }
    page.shown("[data-end]").await;
    page.is_sound("no doubtful pair").await;
}

async fn other_pages_are_sound(page: &Page<'_>) {
    for (path, shown) in [
        ("/console/searches", "[data-search]"),
        ("/console/deliveries/secret", "[data-verify] pre"),
        ("/console/data/sites", "td select"),
        ("/console/data/keys", "td button.danger"),
        ("/console/data/usage", "tbody tr"),
        ("/console/data/refused", "tbody tr"),
        ("/console/data/grouping", "form input"),
        ("/console/status", "[data-figure=properties]"),
    ] {
        page.go(path).await;
        page.shown(shown).await;
        page.is_sound(path).await;
    }
    // In French and dark as well, where words are longer and colours are others.
    page.value("localStorage.setItem('vigie-language', 'fr'), localStorage.setItem('vigie-theme', 'dark')")
        .await;
    for (path, shown) in [
        ("/console/market", "[data-total]"),
        ("/console/searches", "[data-search]"),
        ("/console/status", "[data-figure=properties]"),
    ] {
        page.go(path).await;
        page.shown(shown).await;
        page.is_sound(&format!("{path} in French and dark")).await;
    }
}

async fn signs_out(page: &Page<'_>) {
    page.click("[data-drop=account]").await;
    page.click("[data-sign-out]").await;
    page.shown("input[name=key]").await;
    page.go("/console/searches").await;
    page.shown("input[name=key]").await;
}
