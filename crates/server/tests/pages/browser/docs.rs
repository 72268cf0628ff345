//! The API page.

use serde_json::{Value, json};

use super::driver::Browser;
use crate::harness::TestServer;
use crate::harness::adverts::advert;

const READY: &str = "return until(() => document.documentElement.dataset.ready);";

pub async fn every_operation_is_shown(browser: &Browser) {
    let server = TestServer::start().await;
    server.accept(&advert("1", json!({"price": 250_000, "surface": 100}))).await;
    server.indexed().await;
    let origin = format!("http://{}", server.address);
    browser.console().await;
    browser.requested().await;

    // A browser that opens the service itself arrives at the page.
    browser.open(&format!("{origin}/")).await;
    browser.run(READY, &[]).await;
    assert_eq!(browser.run("return location.pathname", &[]).await, "/docs");

    // The introduction lists every operation, and each has a view with its parameters and answers.
    let document = server.get("/docs.json").await.ok();
    let expected = operations(&document);
    let listed = browser
        .run("return [...document.querySelectorAll('[data-operation]')].map((it) => it.dataset.operation).sort()", &[])
        .await;
    assert_eq!(listed, json!(expected.iter().map(|operation| &operation.id).collect::<Vec<_>>()));
    for operation in &expected {
        let shown = browser.run(VIEW, &[json!(operation.id)]).await;
        assert_eq!(shown["path"], operation.path, "{}", operation.id);
        assert_eq!(shown["parameters"], operation.parameters, "{}", operation.id);
        assert_eq!(shown["answers"], operation.answers, "{}", operation.id);
        assert_eq!(shown["unlabelled"], json!([]), "{}", operation.id);
    }

    finds_by_typing(browser).await;
    tries_a_request(browser, &server).await;

    // No policy was violated, no script failed, and nothing came from elsewhere. A failed request is logged, and here is one.
    let console = browser.console().await;
    let unexpected: Vec<&String> = console.iter().filter(|line| !line.contains("status of 401")).collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
    let requested = browser.requested().await;
    assert!(requested.iter().any(|url| *url == format!("{origin}/docs.json")), "{requested:?}");
    for url in requested {
        assert!(url.starts_with(&format!("{origin}/")) || url.starts_with("data:"), "{url}");
    }
}

/// Opens the view of an operation and returns what it shows, and the inputs that no label names.
const VIEW: &str = "
    const id = arguments[0];
    location.hash = id;
    return until(() => document.querySelector('#sidebar [aria-current]')?.hash === `#${id}`).then(() => ({
        path: document.querySelector('.path > code').textContent,
        parameters: document.querySelectorAll(`[id^=\"${id}/\"]`).length,
        answers: document.querySelectorAll('.answer-group').length,
        unlabelled: [...document.querySelectorAll('main input, main select, main textarea')]
            .filter((it) => it.labels.length === 0).map((it) => it.id),
    }));";

async fn finds_by_typing(browser: &Browser) {
    browser.type_into("#find", "location-autocomplete").await;
    let found = "return until(() => document.querySelector('#sidebar .results a'))
        .then(() => [...document.querySelectorAll('#sidebar .results a')].map((it) => it.textContent))";
    let found = browser.run(found, &[]).await;
    let is_place =
        |text: &Value| text.as_str().is_some_and(|text| text.contains("/public/location-autocomplete"));
    assert!(found.as_array().is_some_and(|found| found.iter().any(is_place)), "{found}");
    // The enter key opens the first result.
    browser.type_into("#find", "\u{e007}").await;
    let opened =
        "return until(() => document.querySelector('.path > code')?.textContent.includes('/public/'))";
    assert_eq!(browser.run(opened, &[]).await, true);
}

/// Sends a search without a key and with one, from the form.
async fn tries_a_request(browser: &Browser, server: &TestServer) {
    let open = "
        document.querySelector('#find').value = '';
        location.hash = [...document.querySelectorAll('#sidebar .contents a')]
            .find((it) => it.textContent === arguments[0])?.hash ?? '';
        return until(() => document.querySelector('.path > code')?.textContent === '/documents/properties')";
    let document = server.get("/docs.json").await.ok();
    let summary = document["paths"]["/documents/properties"]["get"]["summary"].as_str().unwrap();
    assert_eq!(browser.run(open, &[json!(format!("{summary}GET"))]).await, true);

    browser.click(".try button[type=submit]").await;
    let status =
        "return until(() => document.querySelector('.outcome .status')?.textContent === arguments[0])";
    assert_eq!(browser.run(status, &[json!("401")]).await, true);

    browser.type_into("#try-key", &server.keys.read).await;
    browser.type_into("#try-add", "itemsPerPage\u{e007}").await;
    browser.type_into("#try-query-itemsPerPage", "5").await;
    let curl = "return document.querySelector('.try [aria-label=\"The request as curl\"]').textContent";
    let curl = browser.run(curl, &[]).await;
    let curl = curl.as_str().unwrap();
    assert!(curl.contains("itemsPerPage=5") && curl.contains("$KEY"), "{curl}");
    assert!(!curl.contains(&server.keys.read), "the key is shown");
    browser.click(".try button[type=submit]").await;
    assert_eq!(browser.run(status, &[json!("200")]).await, true);
    let answer = browser.run("return document.querySelector('.result .block code').textContent", &[]).await;
    let answer: Value = serde_json::from_str(answer.as_str().unwrap()).unwrap();
    assert_eq!(answer["hydra:totalItems"], 1);

    // The key is stored only if the user ticks the box.
    let stored = "return Object.values(sessionStorage).concat(Object.values(localStorage))";
    assert_eq!(browser.run(stored, &[]).await, json!([]));
    browser.click("#try-keep").await;
    assert_eq!(browser.run(stored, &[]).await, json!([server.keys.read]));
    browser.click("#try-keep").await;
    assert_eq!(browser.run(stored, &[]).await, json!([]));
}

struct Expected {
    id: String,
    path: String,
    parameters: usize,
    answers: usize,
}

/// Returns the operations of an OpenAPI document by id, and the requests that the service sends.
fn operations(document: &Value) -> Vec<Expected> {
    let count = |value: &Value| value.as_array().map_or(0, Vec::len);
    let items =
        [&document["paths"], &document["webhooks"]].into_iter().filter_map(Value::as_object).flatten();
    let mut expected: Vec<Expected> = items
        .flat_map(|(path, methods)| methods.as_object().into_iter().flatten().map(move |row| (path, row.1)))
        .map(|(path, operation)| Expected {
            id: operation["operationId"].as_str().unwrap().to_owned(),
            path: path.clone(),
            parameters: count(&operation["parameters"]),
            answers: operation["responses"].as_object().unwrap().len(),
        })
        .collect();
    expected.sort_by(|a, b| a.id.cmp(&b.id));
    expected
}

/// Texts that are not Markdown, or that try to be more than text.
pub async fn text_from_the_document_stays_text(browser: &Browser) {
    let server = TestServer::start().await;
    browser.open(&format!("http://{}/docs", server.address)).await;
    browser.run(READY, &[]).await;
    let render = "return import('/docs/markdown.js').then(({ markdown }) => {
        const box = document.createElement('div');
        box.append(...markdown(arguments[0]));
        return box.innerHTML;
    })";
    for (text, expected) in [
        ("One\ntwo.\n\nThree", "<p>One two.</p><p>Three</p>"),
        ("`a<b>` and **c** *d*", "<p><code>a&lt;b&gt;</code> and <strong>c</strong> <em>d</em></p>"),
        ("- a\n- b\n  c", "<ul><li>a</li><li>b c</li></ul>"),
        ("[s](#search)", "<p><a href=\"#search\">s</a></p>"),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
        ("[x](javascript:alert)", "<p>x</p>"),
        ("[x](data:text/html,y)", "<p>x</p>"),
        ("**[x](vbscript:y)", "<p>**x</p>"),
        ("2 * 3 * 4 ` [", "<p>2 * 3 * 4 ` [</p>"),
        ("", ""),
    ] {
        assert_eq!(browser.run(render, &[json!(text)]).await, expected, "{text}");
    }
}
