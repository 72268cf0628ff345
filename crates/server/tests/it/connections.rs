//! Clients that do not read, send too slowly, or open too many connections.

use std::net::IpAddr;

use crate::harness::TestServer;
use crate::harness::adverts::minimal;
use crate::harness::client::{Connection, Request, with_timeout};

/// A response of some hundred kilobytes that needs no key: more than sockets buffer for a client that does not read.
const LARGE: &str = "/docs.json";

/// Sends requests whose responses do not fit into the buffers, and reads only the first status.
async fn begin_unread(server: &TestServer) -> Connection {
    let mut connection = Connection::open(server.address).await;
    connection.send(Request::new("GET", LARGE).bytes().repeat(20)).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    connection
}

/// Returns the value of a metric, which is absent until it was counted.
async fn metric(server: &TestServer, name: &str) -> u64 {
    // From another address, so that the limits of clients do not count for it.
    let watcher = IpAddr::from([127, 0, 0, 9]);
    let mut connection = Connection::open_from(watcher, server.address).await.unwrap();
    connection.send(Request::new("GET", "/metrics").bytes()).await;
    let text = String::from_utf8(connection.response().await.body).unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map_or(0, |value| value.parse().unwrap())
}

/// Waits until so many connections were closed for a reason.
async fn until_closed(server: &TestServer, reason: &str, count: u64) {
    let name = format!("vigie_http_connections_closed_total{{reason=\"{reason}\"}}");
    with_timeout(async { while metric(server, &name).await < count {} }).await;
    assert_eq!(metric(server, &name).await, count, "{reason}");
}

#[tokio::test]
async fn clients_that_never_read_are_closed() {
    let server = TestServer::with("[limits]\ntransfer_timeout = \"100ms\"\n").await;
    let mut unread = Vec::new();
    for _ in 0..20 {
        unread.push(begin_unread(&server).await);
    }
    until_closed(&server, "Unread", 20).await;
    for mut connection in unread {
        // The rest was dropped, not kept for the client.
        let rest = connection.rest().await;
        assert!(rest.len() < 2_000_000, "{}", rest.len());
    }
    let open = "vigie_http_connections";
    with_timeout(async { while metric(&server, open).await > 1 {} }).await;
}

#[tokio::test]
async fn dripping_readers_are_closed() {
    let limits = "[limits]\ntransfer_timeout = \"300ms\"\ntransfer_bytes_per_second_min = \"10MiB\"\n";
    let server = TestServer::with(limits).await;
    let mut connection = begin_unread(&server).await;
    let mut received = 0;
    // A request in between takes far longer than these bytes may.
    while let Some(bytes) = connection.read_some(100).await {
        received += bytes.len();
        server.send(Request::new("GET", "/healthz")).await.ok();
    }
    until_closed(&server, "Unread", 1).await;
    assert!(received < 5_000_000, "{received}");
}

#[tokio::test]
async fn dripping_senders_are_cut_off() {
    let limits = "[limits]\ntransfer_timeout = \"100ms\"\ntransfer_bytes_per_second_min = \"10MiB\"\n";
    let server = TestServer::with(limits).await;
    let mut connection = Connection::open(server.address).await;
    let head = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let head = head.header("Content-Type", "application/json").header("Content-Length", "1000000");
    connection.send(head.bytes()).await;
    while metric(&server, "vigie_http_requests_total{method=\"POST\",route=\"/adverts\",status=\"408\"}")
        .await
        == 0
    {
        connection.try_send(" ").await;
    }
    let response = connection.response().await;
    assert_eq!(response.problem(408), "The body arrived too slowly: less than 10485760 bytes per second.");
    assert_eq!(response.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_client_that_waits_for_nothing_is_not_cut_off() {
    let server = TestServer::with("[limits]\ntransfer_timeout = \"100ms\"\n").await;
    let mut idle = Connection::open(server.address).await;
    idle.send(Request::new("GET", "/healthz").bytes()).await;
    idle.response().await.ok();
    let mut stream = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request = request.header("Content-Type", "application/x-ndjson");
    stream.send(request.header("Transfer-Encoding", "chunked").bytes()).await;
    assert_eq!(stream.head().await.unwrap().status, 200);

    // Longer than the timeout: as long as it takes to close a client that does not read.
    let _unread = begin_unread(&server).await;
    until_closed(&server, "Unread", 1).await;
    idle.send(Request::new("GET", "/healthz").bytes()).await;
    idle.response().await.ok();
    stream.send_chunk(format!("{}\n", minimal("1"))).await;
    let receipt = String::from_utf8(stream.chunk().await.unwrap()).unwrap();
    assert!(receipt.contains("created"), "{receipt}");
}

#[tokio::test]
async fn each_address_has_its_own_share_of_connections() {
    let server = TestServer::with("[limits]\nconnections_per_address_max = 2\n").await;
    let [one, two] = [1, 2].map(|last| IpAddr::from([127, 0, 0, last]));
    let is_served = async |local: IpAddr| {
        let mut connection = Connection::open_from(local, server.address).await.ok()?;
        connection.try_send(Request::new("GET", "/healthz").bytes()).await.then_some(())?;
        connection.head().await.map(|head| (head.status, connection))
    };
    let first = is_served(one).await.unwrap();
    let second = is_served(one).await.unwrap();
    assert!(is_served(one).await.is_none(), "a third connection was served");
    let others = [is_served(two).await.unwrap(), is_served(two).await.unwrap()];
    assert!(is_served(two).await.is_none());
    until_closed(&server, "AddressLimit", 2).await;
    // Those within the limit go on, and a closed one makes room.
    assert_eq!([&first, &second, &others[0], &others[1]].map(|(status, _)| *status), [200; 4]);
    drop(first);
    let again = with_timeout(async {
        loop {
            if let Some(served) = is_served(one).await {
                return served;
            }
        }
    });
    assert_eq!(again.await.0, 200);
}

#[tokio::test]
async fn shutdown_does_not_wait_for_stalled_clients() {
    let mut server = TestServer::with("[limits]\nshutdown_timeout = \"1h\"\nheader_timeout = \"1h\"\n").await;
    let _unread = begin_unread(&server).await;
    let mut half_a_head = Connection::open(server.address).await;
    half_a_head.send("GET /healthz HTTP/1.1\r\nHost: vig").await;
    let mut half_a_body = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest).header("Expect", "100-continue");
    let request = request.header("Content-Type", "application/json").header("Content-Length", "100");
    half_a_body.send(request.bytes()).await;
    assert_eq!(half_a_body.head().await.unwrap().status, 100);
    half_a_body.send("{").await;
    // Longer than any wait of the server without the rule.
    with_timeout(server.shut_down()).await;
    half_a_body.response().await.problem(408);
}
