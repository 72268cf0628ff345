//! Pages of other origins that call the API.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::driver::Browser;
use crate::harness::TestServer;
use crate::harness::adverts::advert;

/// A page as another company could have it: it searches, saves a search, and suggests places.
const PAGE: &str = "<!doctype html><title>Elsewhere</title><script>
    const call = async (path, options = {}) => {
        try {
            const response = await fetch(api + path, options);
            const body = await response.json();
            return { status: response.status, body, location: response.headers.get('Location'), id: response.headers.get('X-Request-Id') };
        } catch (error) {
            return { refused: error.name };
        }
    };
    let api;
    const search = (key) => call('/documents/properties?budgetMax=300000', { headers: { 'X-API-KEY': key } });
    const save = (key) => call('/searches', {
        method: 'POST',
        headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ title: 'Maisons', transactionType: 0, propertyTypes: [1] }),
    });
    const suggest = () => call('/public/location-autocomplete?query=tours');
</script>";

/// Serves the page on a port of its own, which makes it another origin.
struct Elsewhere {
    address: SocketAddr,
    _serving: JoinSet<()>,
}

impl Elsewhere {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            // Side by side: a browser opens connections ahead, and closes some of them unused.
            let mut connections = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                connections.spawn(respond(socket));
            }
        });
        Self { address, _serving: serving }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

async fn respond(socket: TcpStream) -> std::io::Result<()> {
    let mut socket = BufReader::new(socket);
    let mut line = String::new();
    while socket.read_line(&mut line).await? > 2 {
        line.clear();
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        PAGE.len()
    );
    socket.write_all(head.as_bytes()).await?;
    socket.write_all(PAGE.as_bytes()).await?;
    socket.flush().await
}

/// Lets the page search, save a search and suggest places. Returns the three results.
async fn use_page(browser: &Browser, elsewhere: &Elsewhere, server: &TestServer) -> [Value; 3] {
    server.accept(&advert("1", json!({"propertyType": 1, "price": 250_000, "surface": 100}))).await;
    server.indexed().await;
    browser.open(&elsewhere.origin()).await;
    let script =
        "api = arguments[0]; return Promise.all([search(arguments[1]), save(arguments[1]), suggest()])";
    let arguments = [json!(format!("http://{}", server.address)), json!(server.keys.all)];
    let results = browser.run(script, &arguments).await;
    serde_json::from_value(results).unwrap()
}

pub async fn configured_origin_may_call(browser: &Browser) {
    let elsewhere = Elsewhere::start().await;
    let server = TestServer::with(&format!("[http]\ncors_origins = [\"{}\"]\n", elsewhere.origin())).await;
    let [found, saved, suggested] = use_page(browser, &elsewhere, &server).await;

    assert_eq!((&found["status"], &found["body"]["hydra:totalItems"]), (&json!(200), &json!(1)), "{found}");
    assert!(found["id"].is_string(), "{found}");
    assert_eq!((&saved["status"], &saved["body"]["title"]), (&json!(201), &json!("Maisons")), "{saved}");
    assert_eq!(saved["location"], saved["body"]["@id"]);
    assert_eq!(suggested["status"], 200, "{suggested}");
}

pub async fn other_origins_are_refused(browser: &Browser) {
    let elsewhere = Elsewhere::start().await;
    let server = TestServer::with("[http]\ncors_origins = [\"https://app.example\"]\n").await;
    let [found, saved, suggested] = use_page(browser, &elsewhere, &server).await;

    assert_eq!(found, json!({"refused": "TypeError"}));
    assert_eq!(saved, json!({"refused": "TypeError"}));
    assert_eq!(
        server.get("/searches").await.ok()["hydra:totalItems"],
        0,
        "the search was saved all the same"
    );
    // The autocomplete is open to every page.
    assert_eq!(suggested["status"], 200, "{suggested}");
}
