//! Compressed responses.

use std::io::{Cursor, Read};

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::harness::TestServer;
use crate::harness::adverts::minimal;
use crate::harness::client::{Connection, Request, Response};

fn decompressed(response: &Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    let body = Cursor::new(&response.body);
    match response.header("content-encoding") {
        Some("gzip") => MultiGzDecoder::new(body).read_to_end(&mut bytes).unwrap(),
        Some("zstd") => zstd::stream::read::Decoder::new(body).unwrap().read_to_end(&mut bytes).unwrap(),
        other => panic!("{other:?}"),
    };
    bytes
}

#[tokio::test]
async fn response_is_compressed_as_negotiated() {
    let server = TestServer::start().await;
    let get = async |path: &str, accept: &str| {
        server.send(Request::new("GET", path).key(&server.keys.all).header("Accept-Encoding", accept)).await
    };
    let plain = server.get("/cities").await;
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("Accept-Encoding")));
    for (accept, encoding) in
        [("gzip", "gzip"), ("gzip, deflate, br, zstd", "zstd"), ("zstd;q=0, *;q=0.1", "gzip")]
    {
        let response = get("/cities", accept).await;
        assert_eq!((response.status, response.header("content-encoding")), (200, Some(encoding)), "{accept}");
        assert_eq!(response.header("vary"), Some("Accept-Encoding"));
        assert!(
            response.body.len() * 3 < plain.body.len(),
            "{} of {}",
            response.body.len(),
            plain.body.len()
        );
        assert_eq!(decompressed(&response), plain.body);
    }
    for accept in ["identity", "br", "gzip;q=0", ""] {
        let response = get("/cities", accept).await;
        assert_eq!((response.header("content-encoding"), &response.body), (None, &plain.body), "{accept}");
    }
    // Not worth it: small and empty responses.
    for (path, status) in [("/regions/11", 200), ("/nowhere", 404)] {
        let response = get(path, "gzip").await;
        assert_eq!((response.status, response.header("content-encoding")), (status, None));
    }
    let head = Request::new("HEAD", "/cities").key(&server.keys.all).header("Accept-Encoding", "gzip");
    let mut connection = Connection::open(server.address).await;
    connection.send(head.bytes()).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
}

#[tokio::test]
async fn compressed_stream_flows_line_by_line() {
    let server = TestServer::start().await;
    for encoding in ["gzip", "zstd"] {
        let mut connection = Connection::open(server.address).await;
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        let request =
            request.header("Content-Type", "application/x-ndjson").header("Accept-Encoding", encoding);
        connection.send(request.header("Transfer-Encoding", "chunked").bytes()).await;
        let mut received = Vec::new();
        let mut head = None;
        for number in 1..=3 {
            connection.send_chunk(format!("{}\n", minimal(&format!("{encoding}-{number}")))).await;
            if head.is_none() {
                head = connection.head().await;
            }
            // The receipt arrives before the next line is sent, and can be decompressed by then.
            received.extend(connection.chunk().await.unwrap());
            let lines = decompressed_so_far(encoding, &received);
            assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), number, "{encoding}");
        }
        assert_eq!(head.unwrap().header("content-encoding"), Some(encoding));
        connection.send_chunk("").await;
        while let Some(chunk) = connection.chunk().await {
            received.extend(chunk);
        }
        let text = String::from_utf8(decompressed_so_far(encoding, &received)).unwrap();
        let outcomes: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["outcome"].clone())
            .collect();
        assert_eq!(outcomes, ["created"; 3]);
    }
    server.indexed().await;
    let path = "/documents/properties.ndjson?withCoherentPrice=false";
    let plain = server.get(path).await;
    let request = Request::new("GET", path).key(&server.keys.read).header("Accept-Encoding", "gzip");
    let compressed = server.send(request).await;
    assert_eq!(decompressed(&compressed), plain.body);
    assert!(plain.text().lines().count() > 1);
}

/// Decompresses what has arrived of a stream.
fn decompressed_so_far(encoding: &str, received: &[u8]) -> Vec<u8> {
    let mut reader: Box<dyn Read> = match encoding {
        "gzip" => Box::new(MultiGzDecoder::new(Cursor::new(received.to_vec()))),
        _ => Box::new(zstd::stream::read::Decoder::new(Cursor::new(received.to_vec())).unwrap()),
    };
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    // Fails at the end of an unfinished stream, after everything that was flushed.
    while let Ok(length @ 1..) = reader.read(&mut chunk) {
        bytes.extend(&chunk[..length]);
    }
    bytes
}
