//! An advert that tries to be more than text, on every page that shows it.

use serde_json::json;

use crate::page::{Page, Size};

pub async fn every_page_shows_text(page: &Page<'_>) {
    let size = format!("{:?}", page.size);
    // Known tags are taken out of what arrives, others stay.
    let attack = format!(
        "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 1\">\
         <details open ontoggle=\"window.hacked = 1\">{{{{1}}}} \u{202e}tuo edisni\u{2066} {size}"
    );
    let long = "M".repeat(10_000);
    // So far apart that grouping does not take the adverts of the two sizes for one home.
    let (price, surface) = if page.size == Size::Phone { (565_400, 141.0) } else { (248_700, 62.0) };
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
            "price": price, "surface": surface, "room": 3, "zipcode": "37000", "cityName": "Tours",
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
    review_shows_text(page, &attack, &long, (price, surface)).await;
}

/// The views of operators: pairs of adverts to decide about, and adverts that were refused.
async fn review_shows_text(page: &Page<'_>, attack: &str, long: &str, (price, surface): (u32, f64)) {
    let size = format!("{:?}", page.size);
    // The evidence leaves it open whether these are one home, and another than the one above.
    let (price, surface) = (price + 47_000, surface + 12.0);
    let flat = |site: &str, surface: f64, title: String| {
        json!({
            "site": site, "reference": format!("{attack} {}", &long[..150]), "transactionType": 0, "propertyType": 0,
            "price": price, "surface": surface, "room": 3, "zipcode": "37000", "cityName": "Tours", "title": title,
            "url": format!("javascript:window.hacked='{site}'"), "pictures": ["javascript:window.hacked=1"],
        })
    };
    let mut first = flat("une-agence.example", surface + 0.3, format!("Appartement avec loggia {attack}"));
    first["publisher"] = json!({"name": format!("{attack} {}", &long[..180])});
    let mut second = flat("autre-agence.example", surface, format!("Trois pièces lumineux {}", &long[..180]));
    // Another attack, since words in common would settle it.
    second["description"] = json!(format!("<marquee onstart=\"hacked = 1\"> {long}"));
    let mut adverts = Vec::new();
    for advert in [&first, &second] {
        let response = page.demo.send("POST", "/adverts", Some(advert)).await;
        assert!(matches!(response.status, 200 | 201), "{} {}", response.status, response.text());
        adverts.push(response.json()["uuid"].as_str().unwrap().to_owned());
    }
    page.go("/console/data/grouping").await;
    page.shown("[data-pair]").await;
    // The market of the demo may have newer ones.
    let shown = "(document.querySelector('[data-pair]')?.dataset.pair ?? 'no more pairs')";
    loop {
        let pair = page.value(shown).await;
        let pair = pair.as_str().unwrap();
        if adverts.iter().all(|advert| pair.contains(advert)) {
            break;
        }
        assert_ne!(pair, "no more pairs", "{adverts:?}");
        page.press("u").await;
        page.until(&format!("{shown} !== '{pair}'")).await;
    }
    page.value("document.querySelectorAll('details').forEach((it) => { it.open = true; })").await;
    page.until("document.querySelector('[data-pair]').textContent.includes('window.hacked')").await;
    is_text(page, "a doubtful pair").await;
    page.go(&format!("/console/data/grouping?a={}&b={}", adverts[0], adverts[1])).await;
    page.shown("section ul.row li.panel").await;
    is_text(page, "two adverts compared").await;

    let refused = json!({
        "site": attack, "reference": format!("{attack} {size}"), "transactionType": attack, "propertyType": long,
        "title": attack, "zipcode": attack,
    });
    let response = page.demo.send("POST", "/adverts", Some(&refused)).await;
    assert!(matches!(response.status, 400 | 422), "{} {}", response.status, response.text());
    page.go("/console/data/refused").await;
    page.until("document.querySelector('tbody')?.textContent.includes('window.hacked')").await;
    is_text(page, "refused adverts").await;
}

/// Nothing ran, nothing became an element or a link, nothing is wider than the window.
async fn is_text(page: &Page<'_>, what: &str) {
    assert_eq!(page.value("window.hacked ?? null").await, json!(null), "{what}");
    let sources = page.value("[...document.images].map((it) => new URL(it.src).pathname).filter((it) => !/^\\/(adverts|console)\\//.test(it))").await;
    assert_eq!(sources, json!([]), "{what}");
    let links = page.value("[...document.links].filter((it) => !/^https?:$/.test(it.protocol) || (it.origin !== location.origin && !/noopener noreferrer/.test(it.rel))).map((it) => it.outerHTML)").await;
    assert_eq!(links, json!([]), "{what}");
    let elements = page
        .value("[...document.querySelectorAll('[onerror], [onstart], [ontoggle]')].map((it) => it.outerHTML)")
        .await;
    assert_eq!(elements, json!([]), "{what}");
    let scripts = page.value("[...document.scripts].filter((it) => !it.src.startsWith(`${location.origin}/console/assets/`)).map((it) => it.outerHTML)").await;
    assert_eq!(scripts, json!([]), "{what}");
    page.is_sound(what).await;
}
