//! What holds for every request, whatever it asks for.

use serde_json::json;

use crate::harness::TestServer;
use crate::harness::adverts::{full, least};
use crate::harness::client::{Answer, Connection, Request};

const NOWHERE: &str = "00000000-0000-7000-8000-00000000ffff";
const LD_JSON: &str = "application/ld+json; charset=utf-8";
const DOCUMENTATION: &str = "</docs.jsonld>; rel=\"http://www.w3.org/ns/hydra/core#apiDocumentation\"";

#[tokio::test]
async fn what_does_not_exist_is_not_found_whatever_its_name() {
    let server = TestServer::start().await;
    for path in [
        "/",
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
        let answer = server.get(path).await;
        assert_eq!(answer.problem(404), "Not Found", "{path}");
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
async fn an_address_is_asked_for_with_an_address() {
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
    // A query this long is a long address, not an attack. (The HTTP library takes targets up to 65,534 bytes.)
    ask(&format!("?url={}", "a".repeat(65_000))).await.problem(400);
}

#[tokio::test]
async fn a_method_that_is_not_allowed_is_told_which_are() {
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
        let answer = server.send(Request::new(method, path).key(&server.keys.all)).await;
        assert_eq!(answer.problem(405), "This method is not allowed here.", "{method} {path}");
        let mut allow: Vec<&str> = answer.header("allow").unwrap().split(',').map(str::trim).collect();
        let mut expected: Vec<&str> = allowed.split(',').collect();
        allow.sort_unstable();
        expected.sort_unstable();
        assert_eq!(allow, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn json_ld_is_sent_unless_plain_json_is_named() {
    let server = TestServer::start().await;
    let receipt = server.accept(&least("1")).await;
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
        let answer = accepting(accept).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(content_type)), "{accept:?}");
        assert_eq!(answer.body, body, "{accept:?}");
    }
    for accept in ["text/html", "application/xml", "application/json;q=0"] {
        accepting(Some(accept)).await.problem(406);
    }
    // Errors are negotiated like everything else.
    let request =
        Request::new("GET", "/adverts/x").key(&server.keys.read).header("Accept", "application/json");
    let answer = server.send(request).await;
    answer.problem(404);
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_body_is_json_or_lines_and_nothing_else() {
    let server = TestServer::start().await;
    let advert = serde_json::to_vec(&least("1")).unwrap();
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
async fn a_read_with_a_content_type_and_no_body_is_fine() {
    let server = TestServer::start().await;
    let receipt = server.accept(&full("1")).await;
    let path = format!("/documents{}", receipt["property"].as_str().unwrap());
    for content_type in ["application/json", "text/plain"] {
        let request = Request::new("GET", &path).key(&server.keys.read).header("Content-Type", content_type);
        server.send(request).await.ok();
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_however_it_is_sent() {
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
    assert_eq!(connection.answer().await.problem(413), "The body is larger than 1000 bytes.");

    let mut fitting = serde_json::to_vec(&least("1")).unwrap();
    fitting.resize(1000, b' ');
    assert_eq!(server.post_bytes(fitting).await.status, 201);
}

#[tokio::test]
async fn an_array_has_a_limit_of_its_own() {
    let server = TestServer::start().await;
    let description = server.post("/adverts", &json!(vec![json!(1); 10_001])).await.problem(413);
    assert!(description.contains("10001") && description.contains("10000"), "{description}");
}

#[tokio::test]
async fn headers_over_the_limit_are_refused() {
    let server = TestServer::with("[limits]\nheader_bytes_max = \"8KiB\"\n").await;
    let request = |bytes: usize| {
        Request::new("GET", "/adverts/x").key(&server.keys.read).header("X-Filler", &"x".repeat(bytes))
    };
    server.send(request(7_000)).await.problem(404);
    let description = server.send(request(9_000)).await.problem(431);
    assert_eq!(description, "The request line and headers are larger than 8192 bytes.");
    // Far over the limit the connection is cut off before anybody could word an answer.
    assert_eq!(server.send(request(40_000)).await.status, 431);
    let long = format!("/adverts/{}", "x".repeat(9_000));
    server.get(&long).await.problem(431);
}

#[tokio::test]
async fn every_answer_names_its_request_and_the_documentation() {
    let server = TestServer::start().await;
    let receipt = server.accept(&least("1")).await;
    let path = receipt["@id"].as_str().unwrap();
    let keyed = |method: &str, path: &str| Request::unnamed(method, path).key(&server.keys.all);
    let requests = [
        keyed("GET", path),
        keyed("POST", "/adverts").json(&least("2")),
        keyed("POST", "/adverts").body("application/x-ndjson", least("3").to_string()),
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
        let answer = server.send(request).await;
        statuses.push(answer.status);
        let id = answer.header("x-request-id").unwrap().to_owned();
        assert!(seen.insert(id), "ids repeat");
        assert_eq!(answer.header("link"), Some(DOCUMENTATION));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    assert_eq!(statuses, [200, 201, 200, 400, 422, 415, 404, 405, 406, 401, 200, 200, 204]);
}

#[tokio::test]
async fn a_sender_may_name_its_request_in_harmless_characters() {
    let server = TestServer::start().await;
    let named = async |name: &str| -> Answer {
        server.send(Request::unnamed("GET", "/healthz").header("X-Request-Id", name)).await
    };
    assert_eq!(named("order-66_a.b").await.header("x-request-id"), Some("order-66_a.b"));
    for wrong in ["a b", "a\"b", &"x".repeat(129), "é"] {
        assert_ne!(named(wrong).await.header("x-request-id"), Some(wrong));
    }
}

#[tokio::test]
async fn one_connection_carries_many_requests() {
    let server = TestServer::start().await;
    let mut connection = Connection::open(server.address).await;
    for number in 0..5 {
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        connection.send(request.json(&least(&number.to_string())).bytes()).await;
        assert_eq!(connection.answer().await.status, 201);
    }
}
