//! Pictures of adverts, fetched with the checks of webhooks.

use serde_json::json;
use testkit::receiver::{Behaviour, Receiver, ReceiverConfig, Script, Step};

use super::{TRUSTED, with_dispatcher};
use crate::harness::TestServer;
use crate::harness::adverts::{merge, minimal};
use crate::harness::client::Request;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand the rest";

fn reply(content_type: &str, body: &[u8]) -> Behaviour {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\r\n");
    Behaviour::Steps(vec![Step::write([head.as_bytes(), body].concat())])
}

/// A server of pictures, right and wrong ones.
async fn portal() -> Receiver {
    let script = Script::new(|request| match request.path.as_str() {
        // Named as something else: the content counts.
        "/right.png" => reply("text/html", PNG),
        "/page.png" => reply("image/png", b"<!doctype html><script>alert(1)</script>"),
        "/drawing.svg" => reply("image/svg+xml", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        "/large.png" => reply("image/png", &[PNG, &vec![0; 10 << 20]].concat()),
        _ => Behaviour::Answer(404),
    });
    Receiver::start(&TRUSTED.authority, ReceiverConfig::new(script)).await.unwrap()
}

/// Sends an advert with these pictures. Returns its path.
async fn with_pictures(server: &TestServer, pictures: &[String]) -> String {
    let mut advert = minimal("1");
    merge(&mut advert, json!({ "pictures": pictures }));
    server.accept(&advert).await["@id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn pictures_come_through_the_server() {
    let (server, portal) = (with_dispatcher().await, portal().await);
    let names = ["/right.png", "/page.png", "/drawing.svg", "/large.png", "/missing.png"];
    let advert = with_pictures(&server, &names.map(|name| portal.url(name))).await;
    let picture = async |number: &str| server.get(&format!("{advert}/pictures/{number}")).await;

    let right = picture("0").await;
    assert_eq!((right.status, right.body.as_slice()), (200, PNG), "{:?}", right.headers);
    assert_eq!(right.header("content-type"), Some("image/png"));
    assert_eq!(right.header("content-security-policy"), Some("sandbox; default-src 'none'"));
    assert_eq!(right.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(right.header("cache-control"), Some("private, max-age=86400"));
    let request = &portal.received()[0];
    assert_eq!(request.method, "GET");
    assert_eq!((request.header("cookie"), request.header("x-api-key")), (None, None));

    let not_a_picture = "it is not a picture in JPEG, PNG, WebP, AVIF or GIF";
    for (number, reason) in [
        ("1", not_a_picture),
        ("2", not_a_picture),
        ("3", "it is larger than 10 MiB"),
        ("4", "its server answered with status 404"),
    ] {
        let expected = format!("The picture cannot be fetched: {reason}.");
        assert_eq!(picture(number).await.problem(502), expected);
        // The second time from memory.
        let asked = portal.count();
        assert_eq!(picture(number).await.problem(502), expected);
        assert_eq!(portal.count(), asked);
    }
    assert_eq!(picture("0").await.status, 200, "other pictures of the server are not affected");
    for unknown in ["5", "-1", "x", "99999999999999999999"] {
        picture(unknown).await.problem(404);
    }
    server.get("/adverts/00000000-0000-7000-8000-00000000ffff/pictures/0").await.problem(404);
    let path = format!("{advert}/pictures/0");
    let denied = server.send(Request::new("GET", &path).key(&server.keys.ingest)).await;
    assert_eq!(denied.problem(403), "Access Denied. This key lacks the scope \"read\".");
    // As an `img` element asks.
    let accept = "image/avif,image/webp,image/*";
    let asked = server.send(Request::new("GET", &path).key(&server.keys.read).header("Accept", accept)).await;
    assert_eq!(asked.status, 200);
}

#[tokio::test]
async fn blocked_addresses_are_not_asked() {
    let portal = portal().await;
    // Without permission to reach this machine.
    let server = TestServer::with_dispatcher("").await;
    let pictures = [portal.url("/right.png"), "https://169.254.169.254/latest/meta-data".to_owned()];
    let advert = with_pictures(&server, &pictures).await;
    for number in 0..2 {
        let refused = server.get(&format!("{advert}/pictures/{number}")).await;
        assert_eq!(refused.problem(502), "The picture cannot be fetched: its server cannot be reached.");
    }
    assert_eq!(portal.connections(), 0);
}
