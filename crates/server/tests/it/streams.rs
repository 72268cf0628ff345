//! NDJSON streams of adverts and their receipts.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, minimal};
use crate::harness::client::{Connection, Request};

/// An open stream, and the receipts received so far.
struct Stream {
    connection: Connection,
    pending: Vec<u8>,
}

impl Stream {
    async fn begin(server: &TestServer) -> Self {
        let mut connection = Connection::open(server.address).await;
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        let request = request.header("Content-Type", "application/x-ndjson");
        connection.send(request.header("Transfer-Encoding", "chunked").bytes()).await;
        let head = connection.head().await.unwrap();
        assert_eq!((head.status, head.header("content-type")), (200, Some("application/x-ndjson")));
        Self { connection, pending: Vec::new() }
    }

    async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.connection.send_chunk(text).await;
    }

    /// Reads the next receipt; `None` at the end of the response.
    async fn receipt(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            self.pending.extend(self.connection.chunk().await?);
        }
    }

    async fn finish(mut self) -> Vec<Value> {
        self.connection.send("0\r\n\r\n").await;
        let mut receipts = Vec::new();
        while let Some(receipt) = self.receipt().await {
            receipts.push(receipt);
        }
        receipts
    }
}

fn summary(receipts: &[Value]) -> Vec<(u64, &str)> {
    let line = |receipt: &Value| receipt["line"].as_u64().unwrap();
    receipts.iter().map(|receipt| (line(receipt), receipt["outcome"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn receipts_are_in_line_order() {
    let server = TestServer::with("[limits]\nline_bytes_max = 1000\n").await;
    let body = [
        minimal("1").to_string(),
        String::new(),
        "this is not JSON".to_owned(),
        "   ".to_owned(),
        advert("2", json!({"description": "x".repeat(1_000)})).to_string(),
        json!({"price": "x"}).to_string(),
        format!("{}\r", advert("1", json!({"price": 5}))),
        "[]".to_owned(),
        format!("{} {}", minimal("3"), minimal("4")),
        // No line break after the last line.
        minimal("5").to_string(),
    ]
    .join("\n");
    let receipts = server.post_lines(body).await;
    assert_eq!(
        summary(&receipts),
        [
            (1, "created"),
            (3, "rejected"),
            (5, "rejected"),
            (6, "rejected"),
            (7, "updated"),
            (8, "rejected"),
            (9, "rejected"),
            (10, "created")
        ]
    );
    let message = |index: usize| receipts[index]["violations"][0]["message"].as_str().unwrap();
    assert!(message(1).starts_with("The line is not valid JSON: "), "{}", message(1));
    assert_eq!(message(2), "The line is longer than 1000 bytes.");
    assert_eq!(message(5), "An advert must be a JSON object, array given.");
    assert_eq!(receipts[0]["uuid"], receipts[4]["uuid"]);
    for receipt in &receipts {
        assert_eq!(receipt["@type"], "AdvertReceipt");
    }
}

#[tokio::test]
async fn empty_stream_has_no_receipts() {
    let server = TestServer::start().await;
    for body in ["", "\n", "\n\n  \n"] {
        assert_eq!(server.post_lines(body).await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_read_as_windows_1252() {
    let server = TestServer::start().await;
    let mut line = advert("1", json!({"title": "ete"})).to_string().replace("ete", "@t@").into_bytes();
    line.iter_mut().filter(|byte| **byte == b'@').for_each(|byte| *byte = 0xe9);
    let body = [line.as_slice(), b"\n\0\0\n", minimal("2").to_string().as_bytes()].concat();
    let receipts = server.post_lines(body.clone()).await;
    assert_eq!(summary(&receipts), [(1, "created"), (2, "rejected"), (3, "created")]);
    let remark = "2 bytes are not UTF-8 and were read as Windows-1252.";
    assert_eq!(
        receipts[0]["warnings"],
        json!([{"propertyPath": "", "message": remark, "code": "malformed"}])
    );
    assert_eq!(server.advert(&receipts[0]).await["title"], "été");
    // The same bytes in a single body and in an array.
    for body in [line.clone(), [b"[".as_slice(), &line, b"]"].concat()] {
        let response = server.post_bytes(body.clone()).await;
        assert!(response.text().contains(remark), "{}", response.text());
        server.post_bytes_strict(body).await.problem(400);
    }
    let strict = Request::new("POST", "/adverts").key(&server.keys.all).header("Prefer", "handling=strict");
    let response = server.send(strict.body("application/x-ndjson", body)).await;
    let outcomes: Vec<Value> =
        response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(summary(&outcomes), [(1, "rejected"), (2, "rejected"), (3, "unchanged")]);
}

#[tokio::test]
async fn receipts_arrive_while_the_client_pauses() {
    let server = TestServer::start().await;
    let mut stream = Stream::begin(&server).await;
    for number in 1..=3 {
        stream.send(format!("{}\n", minimal(&number.to_string()))).await;
        let receipt = stream.receipt().await.unwrap();
        assert_eq!(summary(std::slice::from_ref(&receipt)), [(number, "created")]);
        // Acknowledged adverts are visible while the stream is still open.
        server.advert(&receipt).await;
    }
    // An incomplete line waits for its rest.
    let line = format!("{}\n", minimal("4"));
    let (half, other_half) = line.split_at(20);
    stream.send(half).await;
    stream.send(other_half).await;
    assert_eq!(stream.receipt().await.unwrap()["outcome"], "created");
    assert_eq!(stream.finish().await, Vec::<Value>::new());
}

#[tokio::test]
async fn aborted_stream_keeps_complete_lines() {
    let server = TestServer::start().await;
    let mut stream = Stream::begin(&server).await;
    stream.send(format!("{}\n{}\n{{\"transactionType\":0,", minimal("1"), minimal("2"))).await;
    let receipts = [stream.receipt().await.unwrap(), stream.receipt().await.unwrap()];
    assert_eq!(summary(&receipts), [(1, "created"), (2, "created")]);
    stream.send("\"propertyType\":0").await;
    drop(stream);
    for reference in ["1", "2"] {
        assert_eq!(server.accept(&minimal(reference)).await["outcome"], "unchanged");
    }
    assert_eq!(server.app.counts().await.unwrap(), (2, 2));
}

#[tokio::test]
async fn lines_right_before_an_abort_are_kept() {
    let mut server = TestServer::start().await;
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request =
        request.header("Content-Type", "application/x-ndjson").header("Transfer-Encoding", "chunked");
    // An invalid chunk follows the lines in the same packet, without a pause.
    let lines = format!("{}\n{}\n{{\"half\":", minimal("1"), minimal("2"));
    let chunks = format!("{:x}\r\n{lines}\r\nnonsense\r\n", lines.len());
    connection.send([request.bytes(), chunks.into_bytes()].concat()).await;
    connection.rest().await;
    server.shut_down().await;
    assert_eq!(server.app.counts().await.unwrap(), (2, 2));
}

#[tokio::test]
async fn stream_is_ingested_if_the_client_does_not_read() {
    let mut server = TestServer::start().await;
    let mut stream = Stream::begin(&server).await;
    for number in 0..50 {
        stream.send(format!("{}\n", minimal(&number.to_string()))).await;
    }
    stream.connection.finish_sending().await;
    // A shutdown waits for lines in progress, so the result is final afterwards.
    server.shut_down().await;
    assert_eq!(server.app.counts().await.unwrap(), (50, 50));
}

#[tokio::test]
async fn thousands_of_receipts_are_in_order() {
    let server = TestServer::start().await;
    let body: String =
        (0..3_000).map(|number| format!("{}\n", minimal(&(number % 1_000).to_string()))).collect();
    let receipts = server.post_lines(body).await;
    for (index, receipt) in receipts.iter().enumerate() {
        let outcome = if index < 1_000 { "created" } else { "unchanged" };
        assert_eq!((&receipt["line"], &receipt["outcome"]), (&json!(index + 1), &json!(outcome)));
        assert_eq!(receipt["uuid"], receipts[index % 1_000]["uuid"]);
    }
    assert_eq!(receipts.len(), 3_000);
    assert_eq!(server.log_length().await, 1_000);
}

#[tokio::test]
async fn concurrent_streams_do_not_mix() {
    let server = TestServer::start().await;
    let (mut first, mut second) = (Stream::begin(&server).await, Stream::begin(&server).await);
    for number in 1..=5_u64 {
        first.send(format!("{}\n", minimal(&format!("a{number}")))).await;
        second.send(format!("{}\n\n", minimal(&format!("b{number}")))).await;
        assert_eq!(first.receipt().await.unwrap()["line"], number);
        assert_eq!(second.receipt().await.unwrap()["line"], 2 * number - 1);
    }
}
