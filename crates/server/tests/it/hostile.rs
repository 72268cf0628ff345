//! Hostile input: each request gets an error of the standard shape, and the server continues to work.

mod fields;
mod random;

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, minimal};
use crate::harness::client::{Connection, Request, Response};

/// Asserts that the server still works.
async fn assert_unharmed(server: &TestServer) {
    server.send(Request::new("GET", "/healthz")).await.ok();
    let receipt = server.accept(&advert("unharmed", json!({"price": 1}))).await;
    assert_eq!(server.advert(&receipt).await["price"], 1);
}

#[tokio::test]
async fn invalid_json_is_rejected() {
    let server = TestServer::start().await;
    let nested = |brackets: usize| [vec![b'['; brackets], vec![b']'; brackets]].concat();
    let advert = minimal("1").to_string();
    for body in [
        b"".to_vec(),
        b" ".to_vec(),
        b"{".to_vec(),
        b"}".to_vec(),
        b"nul".to_vec(),
        b"'a'".to_vec(),
        b"{\"a\":1,}".to_vec(),
        b"{a:1}".to_vec(),
        b"[1,2".to_vec(),
        b"NaN".to_vec(),
        b"Infinity".to_vec(),
        b"01".to_vec(),
        b"1e400".to_vec(),
        b"-1e400".to_vec(),
        b"\"\\ud800\"".to_vec(),
        b"{\"title\":\"\\udc00\\ud800\"}".to_vec(),
        b"{\"\\ud800\":1}".to_vec(),
        b"\"\xff\"".to_vec(),
        b"{\"title\":\"caf\xe9\"}".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        b"\"a\0b\"".to_vec(),
        b"\"a\nb\"".to_vec(),
        b"\0".to_vec(),
        // UTF-16, and two documents in one body.
        advert.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        format!("{advert}{advert}").into_bytes(),
        advert.as_bytes()[..advert.len() - 1].to_vec(),
        // Deeper than the parser goes, with fewer values than an advert may have.
        nested(20_000),
        vec![b'['; 100_000],
        b"{\"a\":".repeat(20_000),
        [b"{\"title\":".to_vec(), nested(5_000), b"}".to_vec()].concat(),
    ] {
        let response = server.post_bytes_strict(body.clone()).await;
        let description = response.problem(400);
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
        assert!(description.starts_with("The body is not valid JSON: "), "{shown}: {description}");
    }
    assert_eq!(server.log_length().await, 0);
    assert_unharmed(&server).await;
}

#[tokio::test]
async fn json_that_is_not_an_advert_is_rejected() {
    let server = TestServer::start().await;
    for (body, kind) in [
        ("null", "null"),
        ("true", "boolean"),
        ("-0", "number"),
        ("18446744073709551616", "number"),
        ("\"{}\"", "string"),
    ] {
        let response = server.post_bytes(body).await;
        assert_eq!(response.violations(400), [""]);
        assert_eq!(response.json()["detail"], format!("An advert must be a JSON object, {kind} given."));
    }
    // Nesting within the parser's depth limit is only a wrong type.
    let nested: Value = (0..100).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(server.post_strict(&advert("1", json!({"title": nested}))).await.violations(400), ["title"]);
    let deep = (0..100).fold(json!(1), |inner, _| json!({"x": inner}));
    assert_eq!(server.accept(&advert("1", json!({"unknown": deep}))).await["ignored"], json!(["unknown"]));
}

#[tokio::test]
async fn last_duplicate_member_wins() {
    let server = TestServer::start().await;
    let body = r#"{"transactionType":0,"propertyType":9,"price":1,"price":2,"propertyType":0,
                   "site":"a.example","reference":"1","energy":{"value":1,"value":2}}"#;
    let response = server.post_bytes(body).await;
    assert_eq!(response.status, 201, "{}", response.text());
    let read = server.advert(&response.json()).await;
    assert_eq!((&read["price"], &read["energy"]["value"]), (&json!(2), &json!(2)));
}

#[tokio::test]
async fn extreme_numbers_are_exact_or_rejected() {
    let server = TestServer::start().await;
    let send = async |field: &str, number: &str| -> Response {
        let reference = json!(format!("{field} {number}"));
        let rest = format!("\"reference\":{reference},\"{field}\":{number}");
        let text = format!("{{\"transactionType\":0,\"propertyType\":0,\"site\":\"a.example\",{rest}}}");
        server.post_bytes_strict(text).await
    };
    for (field, number, read) in [
        ("price", "-0", "0"),
        ("price", "-0.0", "0"),
        ("price", "0.1", "0.1"),
        ("price", "1e12", "1000000000000"),
        ("price", "123456789.125", "123456789.125"),
        ("price", "1E2", "100"),
        ("price", "\"1e2\"", "100"),
        ("price", "1e-400", "0"),
        ("price", "4.9e-324", "5e-324"),
        ("floor", "-0", "0"),
        ("floor", "-3.0", "-3"),
        ("feesPercentage", "100", "100"),
    ] {
        let response = send(field, number).await;
        assert_eq!(response.status, 201, "{field} {number}: {}", response.text());
        assert_eq!(server.advert(&response.json()).await[field].to_string(), read, "{field} {number}");
    }
    for (field, number, status) in [
        ("price", "-1", 422),
        ("price", "-1e-300", 422),
        ("price", "1000000000000.001", 422),
        ("price", "18446744073709551616", 422),
        ("price", "1e308", 422),
        ("price", "\"1e400\"", 400),
        ("price", "\"NaN\"", 400),
        ("price", "\"0x10\"", 400),
        ("price", "\"\"", 400),
        ("feesPercentage", "100.0001", 422),
        ("room", "2147483648", 422),
        ("room", "1e300", 422),
        ("room", "-1", 422),
        ("room", "2.5", 400),
        ("room", "9007199254740993", 422),
        ("propertyType", "0.5", 422),
        ("propertyType", "-1", 422),
        ("propertyType", "7", 422),
        ("transactionType", "2", 422),
        ("transactionType", "4294967296", 422),
    ] {
        assert_eq!(send(field, number).await.violations(status), [field], "{field} {number}");
    }
    assert_eq!(send("price", "1e400").await.status, 400);
}

#[tokio::test]
async fn control_characters_are_rejected() {
    let server = TestServer::start().await;
    for text in ["a\0b", "a\u{7f}b", "a\u{1b}[31mb", "a\u{85}b"] {
        let wrong = advert(
            "1",
            json!({"title": text, "contact": {"name": text}, "cityName": text, "reference": text}),
        );
        let mut paths = server.post_strict(&wrong).await.violations(422);
        paths.sort();
        assert_eq!(paths, ["cityName", "contact.name", "reference", "title"], "{text:?}");
        let wrong = advert("1", json!({"url": format!("https://a.example/{text}"), "site": text}));
        let mut paths = server.post_strict(&wrong).await.violations(422);
        paths.sort();
        assert_eq!(paths, ["site", "url"], "{text:?}");
    }
    // Unusual but valid text.
    let strange = "\u{202e}tfol 😀 e\u{301} \u{fffd} \u{10ffff}\tline\r\nbreak";
    let receipt = server.accept(&advert("1", json!({"title": strange, "description": strange}))).await;
    assert_eq!(server.advert(&receipt).await["title"], strange);
}

#[tokio::test]
async fn huge_values_are_rejected_and_not_echoed() {
    let server = TestServer::start().await;
    let huge = "x".repeat(10 * 1024 * 1024);
    for (field, status) in [
        ("title", 422),
        ("description", 422),
        ("url", 422),
        ("site", 422),
        ("reference", 422),
        ("uuid", 400),
        ("property", 400),
        ("price", 400),
        ("room", 400),
        ("propertyType", 400),
        ("elevator", 400),
        ("createdAt", 400),
        ("insee", 422),
        ("zipcode", 422),
        ("cityName", 422),
        ("energy", 400),
        ("pictures", 400),
    ] {
        let response = server.post_strict(&advert("1", json!({field: huge}))).await;
        assert_eq!(response.violations(status), [field]);
        assert!(response.body.len() < 2_000, "{field}: an response of {} bytes", response.body.len());
    }
    let energy = server.post_strict(&advert("1", json!({"energy": {"category": huge}}))).await;
    assert_eq!(energy.violations(422), ["energy.category"]);
    assert!(energy.body.len() < 2_000);
    let date = "2026-01-01T00:00:00Z";
    let event = json!({"createdAt": date, "fieldName": huge});
    let mut paths = server.post_strict(&advert("1", json!({"events": [event]}))).await.violations(422);
    paths.dedup();
    assert_eq!(paths, ["events[0].fieldName"]);
    let many = json!({"pictures": vec!["https://a.example/"; 201], "features": vec!["x"; 201], "events": vec![json!({}); 1_001]});
    let mut paths = server.post_strict(&advert("1", many)).await.violations(422);
    paths.sort();
    assert_eq!(paths, ["events", "features", "pictures"]);
    assert_unharmed(&server).await;
}

#[tokio::test]
async fn largest_possible_advert_round_trips() {
    let server = TestServer::start().await;
    let mut largest = full("1");
    largest["title"] = json!("é".repeat(1_000));
    largest["description"] = json!("😀".repeat(65_536));
    largest["features"] = json!(vec!["ü".repeat(1_000); 200]);
    largest["pictures"] = json!(vec![format!("https://a.example/{}", "x".repeat(2_030)); 200]);
    let receipt = server.accept(&largest).await;
    let read = server.advert(&receipt).await;
    for name in ["title", "description", "features", "pictures"] {
        assert!(read[name] == largest[name], "{name} does not round-trip");
    }
    let mut longer = largest.clone();
    longer["description"] = json!("😀".repeat(65_537));
    assert_eq!(server.post_strict(&longer).await.violations(422), ["description"]);
}

#[tokio::test]
async fn truncated_body_is_rejected() {
    let server = TestServer::start().await;
    let body = minimal("1").to_string();
    let request = |length: usize| {
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        request.header("Content-Type", "application/json").header("Content-Length", &length.to_string())
    };
    // Less is sent than announced, and it looks like a complete advert.
    let mut connection = Connection::open(server.address).await;
    connection.send([request(body.len() + 10).bytes(), body.clone().into_bytes()].concat()).await;
    connection.finish_sending().await;
    assert_eq!(connection.response().await.problem(400), "The body ended before it was complete.");

    let mut connection = Connection::open(server.address).await;
    let chunked = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let chunked = chunked.header("Content-Type", "application/json").header("Transfer-Encoding", "chunked");
    connection.send(chunked.bytes()).await;
    connection.send_chunk(&body).await;
    connection.finish_sending().await;
    assert_eq!(connection.response().await.problem(400), "The body ended before it was complete.");

    // The client disconnects without waiting for a response.
    let mut connection = Connection::open(server.address).await;
    connection.send([request(body.len() + 10).bytes(), body.into_bytes()].concat()).await;
    drop(connection);
    assert_unharmed(&server).await;
    assert_eq!(server.app.counts().await.unwrap().1, 1);
}

#[tokio::test]
async fn invalid_http_is_never_successful() {
    let server = TestServer::start().await;
    for nonsense in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nHost\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n".to_vec(),
        b"POST /adverts HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".to_vec(),
        b"POST /adverts HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab".to_vec(),
        b"POST /adverts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nab".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        [b"GET /".to_vec(), vec![b'a'; 70_000], b" HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()].concat(),
    ] {
        let mut connection = Connection::open(server.address).await;
        connection.send(&nonsense).await;
        connection.finish_sending().await;
        let response = connection.rest().await;
        let shown = String::from_utf8_lossy(&response[..response.len().min(60)]).into_owned();
        assert!(response.is_empty() || shown.starts_with("HTTP/1.1 4"), "{shown}");
    }
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request = request.header("Content-Type", "application/json").header("Transfer-Encoding", "chunked");
    connection.send([request.bytes(), b"zz\r\n{}\r\n0\r\n\r\n".to_vec()].concat()).await;
    connection.response().await.problem(400);
    assert_unharmed(&server).await;
}

#[tokio::test]
async fn request_smuggling_is_prevented() {
    let server = TestServer::start().await;
    // Length and chunked encoding together: a server that believes the length would see a second request.
    let mut connection = Connection::open(server.address).await;
    let smuggled = Request::new("GET", "/healthz").bytes();
    let request =
        Request::new("POST", "/adverts").key(&server.keys.ingest).header("Content-Type", "application/json");
    let request = request.header("Content-Length", "5").header("Transfer-Encoding", "chunked");
    connection.send([request.bytes(), b"0\r\n\r\n".to_vec(), smuggled].concat()).await;
    assert!(connection.response().await.status >= 400);
    let rest = connection.rest().await;
    assert!(!String::from_utf8_lossy(&rest).contains("alive"), "the smuggled request was answered");
}

#[tokio::test]
async fn invalid_dates_are_rejected() {
    let server = TestServer::start().await;
    for name in ["createdAt", "updatedAt", "lastCrawledAt", "expiredAt"] {
        for wrong in [
            "",
            "yesterday",
            "2026-02-30",
            "2026-01-01T25:00:00Z",
            "1767225600",
            "20260101x",
            "-1",
            "2026-W01-1",
        ] {
            let response = server.post_strict(&advert("1", json!({name: wrong}))).await;
            assert_eq!(response.violations(400), [name], "{wrong}");
        }
        for future in ["2026-03-04", "9999-01-01T00:00:00Z"] {
            let response = server.post_strict(&advert("1", json!({name: future}))).await;
            assert_eq!(response.violations(422), [name], "{future}");
        }
    }
    for old in ["1970-01-01T00:00:00Z", "1799-01-01", "0001-01-01T00:00:00Z", "0000-01-01"] {
        let receipt = server.post_strict(&advert(old, json!({"createdAt": old}))).await.json();
        let read = server.advert(&receipt).await;
        assert_eq!(server.accept(&read).await["outcome"], "unchanged", "{old}: {}", read["createdAt"]);
    }
}
