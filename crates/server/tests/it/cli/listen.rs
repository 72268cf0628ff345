//! `vigie listen`, with a server in another process that sends to it.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::serve::Serving;
use super::{Run, data_folder, run, vigie};
use crate::harness::adverts::advert;
use crate::harness::client::{Request, exchange, with_timeout};

/// The command, on a free port.
fn listen(server: &Serving, key: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = vigie();
    command.args([
        "listen",
        "--listen",
        "127.0.0.1:0",
        "--url",
        &format!("http://{}", server.address),
        "--folder",
    ]);
    command.arg(folder).args(arguments).env("VIGIE_API_KEY", key);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A command that is ready to receive; killed if a test ends without stopping it.
struct Listening {
    child: Child,
    output: BufReader<ChildStdout>,
    /// The address for matches.
    endpoint: String,
    /// What it printed before.
    printed: String,
}

impl Listening {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut printed = String::new();
        let endpoint = loop {
            let start = printed.len();
            if output.read_line(&mut printed).unwrap() == 0 {
                let mut error = String::new();
                child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
                panic!("it ended: {printed}{error}");
            }
            if let Some(endpoint) = printed[start..].trim().strip_prefix("endpointRecipient  ") {
                break endpoint.to_owned();
            }
        };
        Self { child, output, endpoint, printed }
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", signal, &id]).status().unwrap().success()
        );
    }

    /// Waits for the end. Returns the exit code and what it printed since it was ready.
    fn wait(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Usually it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn call(server: &Serving, key: &str, method: &str, path: &str, body: Option<Value>) -> Value {
    let request = Request::new(method, path).key(key);
    let request = match &body {
        Some(body) => request.json(body),
        None => request,
    };
    let response = exchange(server.address, &request).await;
    assert!(matches!(response.status, 200 | 201), "{} {}", response.status, response.text());
    response.json()
}

/// A program without TLS: receives one request per connection and answers 200. Returns the requests.
async fn program(requests: usize) -> (SocketAddr, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test waits for it")]
    let received = tokio::spawn(async move {
        let mut received = Vec::new();
        while received.len() < requests {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            let is_complete = |bytes: &[u8]| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                bytes.len() >= head.len() + 4 + length.parse::<usize>().unwrap()
            };
            while !is_complete(&bytes) {
                assert_ne!(socket.read_buf(&mut bytes).await.unwrap(), 0);
            }
            socket
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .await
                .unwrap();
            received.push(String::from_utf8(bytes).unwrap());
        }
        received
    });
    (address, received)
}

fn assert_standard_webhook(request: &str, secret: &str) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let header = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("{name}: {head}")).to_owned()
    };
    let secret = delivery::signature::parse(secret).unwrap();
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let expected = delivery::signature::sign(&secret, &id, timestamp.parse().unwrap(), body.as_bytes());
    assert_eq!(header("webhook-signature"), expected);
    assert!(header("user-agent").starts_with("Vigie/") && header("content-type") == "application/json");
}

#[tokio::test]
async fn server_with_default_settings_is_explained() {
    let (data, folder) = (data_folder(), TempDir::new().unwrap());
    let key = run(data.path(), &["keys", "create", "--user", "a"]).succeeded().trim().to_owned();
    let server = Serving::start(data.path());
    let said = Run::of(listen(&server, &key, folder.path(), &[]).output().unwrap());
    let said = said.failed();
    assert!(said.contains("the server refuses to send webhooks to this machine. Start it with"), "{said}");
    let certificate = folder.path().join("certificate.pem");
    assert!(said.contains(&format!("VIGIE_DELIVERY__EXTRA_CA_FILE={}", certificate.display())), "{said}");
    assert!(certificate.exists());
    drop(server);

    // With one of the two settings, the other one is missing.
    let server =
        Serving::start_with(data.path(), &[("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true")]);
    let said = Run::of(listen(&server, &key, folder.path(), &[]).output().unwrap());
    assert!(said.failed().contains("the server does not trust the certificate"), "{said:?}");
    let said = Run::of(listen(&server, "vigie_wrong", folder.path(), &[]).output().unwrap());
    assert!(said.failed().contains("the API key is malformed"), "{said:?}");
    let said = Run::of(listen(&server, "", folder.path(), &[]).output().unwrap());
    assert!(said.failed().contains("VIGIE_API_KEY is set but empty"), "{said:?}");
    let said = Run::of(vigie().args(["listen", "--listen", "0.0.0.0:0"]).output().unwrap());
    assert!(said.failed().contains("--listen must be a loopback address"), "{said:?}");
}

#[tokio::test]
async fn webhooks_are_verified_printed_and_passed_on() {
    let (data, folder) = (data_folder(), TempDir::new().unwrap());
    let create = |user| {
        let scopes = ["keys", "create", "--user", user, "--scopes", "read,searches,ingest"];
        run(data.path(), &scopes).succeeded().trim().to_owned()
    };
    let (key, stranger) = (create("owner"), create("stranger"));
    let server = Serving::start(data.path());
    // The first start creates the certificate.
    Run::of(listen(&server, &key, folder.path(), &[]).output().unwrap()).failed();
    drop(server);
    let certificate = folder.path().join("certificate.pem");
    let settings = [
        ("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true"),
        ("VIGIE_DELIVERY__EXTRA_CA_FILE", certificate.to_str().unwrap()),
    ];
    let server = Serving::start_with(data.path(), &settings);
    let search = json!({"title": "Tout", "transactionType": 0, "propertyTypes": [0], "withCoherentPrice": false,
        "endpointRecipient": "https://own.example/hook"});
    let saved = call(&server, &key, "POST", "/searches", Some(search)).await;
    let path = saved["@id"].as_str().unwrap().to_owned();

    let (address, received) = program(2).await;
    let forward = format!("http://{address}/hook?x=1");
    let arguments = ["--search", &path, "--forward", &forward, "--count", "2", "--print-json"];
    let listening = Listening::start(listen(&server, &key, folder.path(), &arguments));
    assert!(
        listening.printed.contains("1 search sends here until this command ends"),
        "{}",
        listening.printed
    );
    let pointed = call(&server, &key, "GET", &path, None).await;
    assert_eq!(
        (&pointed["endpointRecipient"], &pointed["notificationEnabled"]),
        (&json!(listening.endpoint), &json!(true))
    );
    // The owner changes the search meanwhile.
    let change =
        json!({"title": "Presque tout", "transactionType": 0, "propertyTypes": [0, 1], "budgetMax": 900_000});
    call(&server, &key, "PUT", &path, Some(change)).await;
    // A message that another user's secret signed.
    let forged = format!("/webhook-tester?eventType=match&endpoint={}", listening.endpoint);
    let forged = exchange(server.address, &Request::new("GET", &forged).key(&stranger)).await;
    assert_eq!((forged.status, &forged.json()["receiver"]["status"]), (502, &json!(401)));

    call(&server, &key, "POST", "/adverts", Some(advert("1", json!({"title": "Studio", "price": 99_000}))))
        .await;
    let received = with_timeout(received).await.unwrap();
    let (code, printed) = with_timeout(tokio::task::spawn_blocking(|| listening.wait())).await.unwrap();
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("  REJECTED  no signature matches a known secret  ("), "{printed}");
    assert!(printed.contains("  verified  match: Studio, ? m², 99000 €"), "{printed}");
    assert!(printed.contains("  verified  property.ad.create: Studio"), "{printed}");
    assert_eq!(printed.matches("  → 200").count(), 2, "{printed}");
    assert!(printed.contains("  \"@type\": \"Match\""), "{printed}");
    let secret =
        call(&server, &key, "GET", "/webhook-secret", None).await["secret"].as_str().unwrap().to_owned();
    for request in &received {
        assert!(request.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{request}");
        assert_standard_webhook(request, &secret);
    }
    // The search has its own settings again.
    let restored = call(&server, &key, "GET", &path, None).await;
    for field in ["endpointRecipient", "eventEndpoint", "subscribedEvents", "notificationEnabled"] {
        assert_eq!(restored[field], saved[field], "{field}");
    }
    // What its owner changed stays.
    assert_eq!(
        (&restored["title"], &restored["propertyTypes"], &restored["budgetMax"]),
        (&json!("Presque tout"), &json!([0, 1]), &json!(900_000))
    );

    // A run that is killed leaves the search pointed here; the next one puts it back.
    let killed = Listening::start(listen(&server, &key, folder.path(), &["--all"]));
    killed.signal("KILL");
    assert_eq!(killed.wait().0, None);
    assert_ne!(
        call(&server, &key, "GET", &path, None).await["endpointRecipient"],
        saved["endpointRecipient"]
    );
    // Also if the server no longer sends to this machine.
    drop(server);
    let server = Serving::start(data.path());
    let next = Run::of(listen(&server, &key, folder.path(), &[]).output().unwrap());
    assert!(next.out.starts_with("An earlier run was killed"), "{next:?}");
    assert!(next.err.contains("the server refuses to send webhooks to this machine"), "{next:?}");
    assert_eq!(next.code, Some(1));
    assert_eq!(
        call(&server, &key, "GET", &path, None).await["endpointRecipient"],
        saved["endpointRecipient"]
    );
}
