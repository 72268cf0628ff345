//! Behaviour of every request: errors, content negotiation, limits, headers.

use serde_json::json;

use crate::harness::TestServer;
use crate::harness::adverts::{full, minimal};
use crate::harness::client::{Connection, Request, Response};

const NOWHERE: &str = "00000000-0000-7000-8000-00000000ffff";
const LD_JSON: &str = "application/ld+json; charset=utf-8";
const DOCUMENTATION: &str =
    "<http://vigie.test/docs.jsonld>; rel=\"http://www.w3.org/ns/hydra/core#apiDocumentation\"";

#[tokio::test]
async fn unknown_paths_and_ids_are_not_found() {
    let server = TestServer::start().await;
    for path in [
        "/advert",
        "/adverts/",
        "/adverts/x",
        "/adverts/%FF",
        "/adverts/%00",
        "/adverts/..%2F..%2Fetc",
        &format!("/adverts/{NOWHERE}"),
        &format!("/adverts/{NOWHERE}/"),
        &format!("/adverts/{{{NOWHERE}}}"),
        &format!("/documents/properties/{NOWHERE}"),
        "/documents/properties/not-a-uuid",
        "/documents/properties/%FF",
        "/documents/properties/by-url?url=https%3A%2F%2Fportail.example%2F1",
    ] {
        let response = server.get(path).await;
        assert_eq!(response.problem(404), "Not Found", "{path}");
    }
    for request in [
        Request::new("DELETE", &format!("/adverts/{NOWHERE}")),
        Request::new("DELETE", "/adverts/%FF"),
        Request::new("POST", &format!("/adverts/{NOWHERE}/expire")),
        Request::new("POST", "/adverts/%FF/expire"),
    ] {
        assert_eq!(server.send(request.key(&server.keys.all)).await.problem(404), "Not Found");
    }
}

#[tokio::test]
async fn by_url_requires_a_valid_url() {
    let server = TestServer::start().await;
    let ask = async |query: &str| server.get(&format!("/documents/properties/by-url{query}")).await;
    assert_eq!(ask("").await.problem(400), "The parameter \"url\" is required.");
    assert_eq!(ask("?u=1").await.problem(400), "The parameter \"url\" is required.");
    assert_eq!(ask("?url=").await.problem(400), "The parameter \"url\" is required.");
    assert_eq!(ask("?url=%FF").await.problem(400), "url: \"%FF\" is not valid UTF-8.");
    for wrong in ["x", "ftp%3A%2F%2Fportail.example%2F", "%00"] {
        let description = ask(&format!("?url={wrong}")).await.problem(400);
        assert!(description.starts_with("The parameter \"url\" is \""), "{description}");
    }
    // A long query is accepted. (The HTTP library takes targets of up to 65,534 bytes.)
    ask(&format!("?url={}", "a".repeat(65_000))).await.problem(400);
}

#[tokio::test]
async fn method_not_allowed_lists_the_allowed_ones() {
    let server = TestServer::start().await;
    let advert = format!("/adverts/{NOWHERE}");
    for (method, path, allowed) in [
        ("GET", "/adverts", "POST"),
        ("PUT", "/adverts", "POST"),
        ("POST", &format!("/documents/properties/{NOWHERE}"), "GET,HEAD"),
        ("PATCH", advert.as_str(), "GET,HEAD,DELETE"),
        ("GET", &format!("{advert}/expire"), "POST"),
        ("BREW", "/healthz", "GET,HEAD"),
    ] {
        let response = server.send(Request::new(method, path).key(&server.keys.all)).await;
        assert_eq!(response.problem(405), "Method not allowed for this path.", "{method} {path}");
        let mut allow: Vec<&str> = response.header("allow").unwrap().split(',').map(str::trim).collect();
        let mut expected: Vec<&str> = allowed.split(',').collect();
        allow.sort_unstable();
        expected.sort_unstable();
        assert_eq!(allow, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn json_ld_is_the_default() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    let path = receipt["@id"].as_str().unwrap();
    let accepting = async |accept: Option<&str>| {
        let request = Request::new("GET", path).key(&server.keys.read);
        server
            .send(accept.into_iter().fold(request, |request, accept| request.header("Accept", accept)))
            .await
    };
    let body = accepting(None).await.body;
    for (accept, content_type) in [
        (None, LD_JSON),
        (Some("*/*"), LD_JSON),
        (Some("application/ld+json"), LD_JSON),
        (Some("application/*"), LD_JSON),
        (Some("text/html, */*;q=0.1"), LD_JSON),
        (Some("application/json"), "application/json"),
        (Some("APPLICATION/JSON"), "application/json"),
        (Some("application/json, text/plain, */*"), "application/json"),
        (Some("application/json;charset=utf-8"), "application/json"),
    ] {
        let response = accepting(accept).await;
        assert_eq!(
            (response.status, response.header("content-type")),
            (200, Some(content_type)),
            "{accept:?}"
        );
        assert_eq!(response.body, body, "{accept:?}");
    }
    for accept in ["text/html", "application/xml", "application/json;q=0"] {
        accepting(Some(accept)).await.problem(406);
    }
    // Errors are negotiated as well.
    let request =
        Request::new("GET", "/adverts/x").key(&server.keys.read).header("Accept", "application/json");
    let response = server.send(request).await;
    response.problem(404);
    assert_eq!(response.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn other_content_types_are_rejected() {
    let server = TestServer::start().await;
    let advert = serde_json::to_vec(&minimal("1")).unwrap();
    let post = async |content_type: &str| {
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        server.send(request.body(content_type, advert.clone())).await
    };
    for fine in [
        "application/json",
        "application/ld+json",
        "Application/JSON; charset=utf-8",
        "application/ld+json;profile=\"x\"",
        "application/x-ndjson",
    ] {
        assert!(post(fine).await.status < 300, "{fine}");
    }
    for wrong in
        ["text/plain", "application/xml", "application/x-www-form-urlencoded", "", "application/jsonp"]
    {
        let description = post(wrong).await.problem(415);
        assert!(description.contains(&format!("\"{wrong}\"")), "{description}");
    }
    let bare = Request::new("POST", "/adverts").key(&server.keys.ingest).header("Content-Length", "0");
    server.send(bare).await.problem(415);
    for encoding in ["gzip", "br", "gzip, identity"] {
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        let request = request.header("Content-Encoding", encoding).body("application/json", advert.clone());
        assert_eq!(server.send(request).await.problem(415), "Compressed request bodies are not supported.");
    }
}

#[tokio::test]
async fn get_with_content_type_is_accepted() {
    let server = TestServer::start().await;
    let receipt = server.accept(&full("1")).await;
    let path = format!("/documents{}", receipt["property"].as_str().unwrap());
    for content_type in ["application/json", "text/plain"] {
        let request = Request::new("GET", &path).key(&server.keys.read).header("Content-Type", content_type);
        server.send(request).await.ok();
    }
}

#[tokio::test]
async fn oversized_body_is_rejected() {
    let server = TestServer::with("[limits]\nbody_bytes_max = 1000\n").await;
    let too_large = vec![b' '; 1001];
    assert_eq!(
        server.post_bytes(too_large.clone()).await.problem(413),
        "The body is larger than 1000 bytes."
    );

    let mut connection = Connection::open(server.address).await;
    let head = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let head = head.header("Content-Type", "application/json").header("Transfer-Encoding", "chunked");
    connection.send(head.bytes()).await;
    connection.send_chunk(too_large).await;
    assert_eq!(connection.response().await.problem(413), "The body is larger than 1000 bytes.");

    let mut fitting = serde_json::to_vec(&minimal("1")).unwrap();
    fitting.resize(1000, b' ');
    assert_eq!(server.post_bytes(fitting).await.status, 201);
}

#[tokio::test]
async fn array_length_is_limited() {
    let server = TestServer::start().await;
    let description = server.post("/adverts", &json!(vec![json!(1); 10_001])).await.problem(413);
    assert!(description.contains("10001") && description.contains("10000"), "{description}");
}

#[tokio::test]
async fn oversized_headers_are_rejected() {
    let server = TestServer::with("[limits]\nheader_bytes_max = \"8KiB\"\n").await;
    let request = |bytes: usize| {
        Request::new("GET", "/adverts/x").key(&server.keys.read).header("X-Filler", &"x".repeat(bytes))
    };
    server.send(request(7_000)).await.problem(404);
    let description = server.send(request(9_000)).await.problem(431);
    assert_eq!(description, "The request line and headers are larger than 8192 bytes.");
    // Far over the limit, the connection is closed without a response.
    assert_eq!(server.send(request(40_000)).await.status, 431);
    let long = format!("/adverts/{}", "x".repeat(9_000));
    server.get(&long).await.problem(431);
}

#[tokio::test]
async fn every_response_has_request_id_and_documentation_link() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    let path = receipt["@id"].as_str().unwrap();
    let keyed = |method: &str, path: &str| Request::unnamed(method, path).key(&server.keys.all);
    let requests = [
        keyed("GET", path),
        keyed("POST", "/adverts").json(&minimal("2")),
        keyed("POST", "/adverts").body("application/x-ndjson", minimal("3").to_string()),
        keyed("POST", "/adverts").body("application/json", "{"),
        keyed("POST", "/adverts").json(&json!({})),
        keyed("POST", "/adverts").body("text/plain", "x"),
        keyed("GET", "/nowhere"),
        keyed("PUT", "/adverts"),
        keyed("GET", path).header("Accept", "text/html"),
        Request::unnamed("GET", path),
        Request::unnamed("GET", "/healthz"),
        Request::unnamed("GET", "/metrics"),
        keyed("DELETE", path),
    ];
    let mut seen = std::collections::HashSet::new();
    let mut statuses = Vec::new();
    for request in requests {
        let response = server.send(request).await;
        statuses.push(response.status);
        let id = response.header("x-request-id").unwrap().to_owned();
        assert!(seen.insert(id), "ids repeat");
        assert_eq!(response.header("link"), Some(DOCUMENTATION));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        let timing = response.header("server-timing").and_then(|timing| timing.strip_prefix("total;dur="));
        assert!(timing.unwrap().parse::<f64>().unwrap() > 0.0);
    }
    assert_eq!(statuses, [200, 201, 200, 400, 422, 415, 404, 405, 406, 401, 200, 200, 204]);
}

#[tokio::test]
async fn safe_request_ids_are_echoed() {
    let server = TestServer::start().await;
    let named = async |name: &str| -> Response {
        server.send(Request::unnamed("GET", "/healthz").header("X-Request-Id", name)).await
    };
    assert_eq!(named("order-66_a.b").await.header("x-request-id"), Some("order-66_a.b"));
    for wrong in ["a b", "a\"b", &"x".repeat(129), "é"] {
        assert_ne!(named(wrong).await.header("x-request-id"), Some(wrong));
    }
}

#[tokio::test]
async fn connections_are_reused() {
    let server = TestServer::start().await;
    let mut connection = Connection::open(server.address).await;
    for number in 0..5 {
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        connection.send(request.json(&minimal(&number.to_string())).bytes()).await;
        assert_eq!(connection.response().await.status, 201);
    }
}

#[tokio::test]
async fn documentation_link_uses_the_public_address() {
    let server = TestServer::with("[email]\npublic_url = \"https://api.exemple.fr/\"\n").await;
    let response = server.send(Request::new("GET", "/healthz")).await;
    let relation = "rel=\"http://www.w3.org/ns/hydra/core#apiDocumentation\"";
    assert_eq!(response.header("link"), Some(&*format!("<https://api.exemple.fr/docs.jsonld>; {relation}")));

    let server = TestServer::start().await;
    for (host, expected) in [
        ("Host: [::1]:8080\r\nX-Forwarded-Proto: https\r\n", "https://[::1]:8080"),
        ("Host: a>b\r\n", "http://127.0.0.1:8080"),
    ] {
        let mut connection = Connection::open(server.address).await;
        connection.send(format!("GET /healthz HTTP/1.1\r\n{host}\r\n")).await;
        let response = connection.response().await;
        assert_eq!(
            response.header("link"),
            Some(&*format!("<{expected}/docs.jsonld>; {relation}")),
            "{host}"
        );
    }
}
