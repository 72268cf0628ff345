//! The API page over HTTP: which representation, which headers, and that all its files are there. What it does in a browser is in
//! `browser`.

use std::collections::BTreeSet;

use crate::harness::TestServer;
use crate::harness::client::{Request, Response};

async fn get(server: &TestServer, path: &str, accept: &str) -> Response {
    server.send(Request::new("GET", path).header("Accept", accept)).await
}

/// What browsers send when a person opens a page.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn representation_follows_accept() {
    let server = TestServer::start().await;
    for (accept, content_type) in [
        (BROWSER, "text/html; charset=utf-8"),
        ("*/*", "text/html; charset=utf-8"),
        ("application/ld+json", "application/ld+json; charset=utf-8"),
        ("application/vnd.oai.openapi+json", "application/vnd.oai.openapi+json"),
        ("application/json", "application/json"),
    ] {
        let response = get(&server, "/docs", accept).await;
        assert_eq!((response.status, response.header("content-type")), (200, Some(content_type)), "{accept}");
        // Others are about the encoding and the origin.
        let mut varies = response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("vary"));
        assert!(varies.any(|(_, value)| value == "accept"), "{accept}");
    }
    let refused = get(&server, "/docs", "image/png").await;
    assert!(refused.problem(406).contains("text/html"), "{}", refused.text());

    let openapi = get(&server, "/docs.json", "*/*").await;
    assert_eq!(openapi.header("content-type"), Some("application/json"));
    assert_eq!(openapi.ok()["openapi"], "3.1.0");
    assert_eq!(get(&server, "/docs", "application/json").await.body, openapi.body);
    let hydra = get(&server, "/docs.jsonld", "*/*").await;
    assert_eq!(get(&server, "/docs", "application/ld+json").await.body, hydra.body);

    let entry = get(&server, "/", BROWSER).await;
    assert_eq!((entry.status, entry.header("location")), (303, Some("/docs")));
    assert_ne!(get(&server, "/", "*/*").await.status, 303);
}

#[tokio::test]
async fn unchanged_files_are_not_sent_again() {
    let server = TestServer::start().await;
    for path in ["/docs", "/docs/main.js", "/docs.json"] {
        let first = get(&server, path, BROWSER).await;
        let tag = first.header("etag").unwrap_or_else(|| panic!("{path} has no tag"));
        assert_eq!(first.header("cache-control"), Some("no-cache"), "{path}");
        let again =
            server.send(Request::new("GET", path).header("Accept", BROWSER).header("If-None-Match", tag));
        let again = again.await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let other = Request::new("GET", path).header("Accept", BROWSER).header("If-None-Match", "\"x\"");
        assert_eq!(server.send(other).await.body, first.body, "{path}");
    }
}

#[tokio::test]
async fn policy_allows_files_of_this_server_only() {
    let server = TestServer::start().await;
    let page = get(&server, "/docs", BROWSER).await;
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");

    // Every file that the page or another file names is there, and none of them leads to another server.
    let mut open: Vec<String> = referenced(page.text(), "=\"docs/");
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let file = get(&server, &format!("/docs/{name}"), "*/*").await;
        assert_eq!(file.status, 200, "{name}");
        let content_type = if name.ends_with(".css") { "text/css" } else { "text/javascript" };
        assert_eq!(
            file.header("content-type"),
            Some(format!("{content_type}; charset=utf-8").as_str()),
            "{name}"
        );
        assert!(!file.text().contains("innerHTML"), "{name}");
        open.extend(referenced(file.text(), "from \"./"));
    }
    assert!(seen.contains("page.css") && seen.contains("try.js"), "{seen:?}");
    get(&server, "/docs/other.js", "*/*").await.problem(404);
}

/// Returns the names after a prefix, up to the closing quote.
fn referenced(text: &str, prefix: &str) -> Vec<String> {
    text.split(prefix).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}
