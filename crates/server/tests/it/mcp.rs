//! Sessions of assistants, held by the client of the official SDK: over HTTP, and with `vigie mcp` on standard input and output.

use std::process::{Child, Stdio};

use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, UnixSocketHttpClient};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::unix::pipe;
use tokio::net::{TcpStream, UnixListener};
use tokio::task::JoinSet;

use crate::cli::vigie;
use crate::harness::TestServer;
use crate::harness::adverts::{full, merge};
use crate::harness::client::{Request, Response, with_timeout};

type Session = RunningService<RoleClient, ()>;

/// Connects the SDK's client to a server. It speaks HTTP over a Unix socket, which a task connects to the server's port.
async fn over_http(server: &TestServer, key: &str) -> (Session, Relay) {
    let relay = Relay::start(server);
    let uri = format!("http://{}/mcp", server.address);
    let client = UnixSocketHttpClient::new(relay.path.to_str().unwrap(), &uri);
    let config = StreamableHttpClientTransportConfig::with_uri(uri).auth_header(key);
    let transport = StreamableHttpClientTransport::with_client(client, config);
    (with_timeout(().serve(transport)).await.unwrap(), relay)
}

/// A Unix socket in front of a server.
struct Relay {
    path: std::path::PathBuf,
    _tasks: JoinSet<()>,
    _folder: TempDir,
}

impl Relay {
    fn start(server: &TestServer) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("socket");
        let (listener, address) = (UnixListener::bind(&path).unwrap(), server.address);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                connections.spawn(async move {
                    let Ok(mut server) = TcpStream::connect(address).await else { return };
                    // Either side may close first.
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self { path, _tasks: tasks, _folder: folder }
    }
}

/// Starts `vigie mcp` and connects the SDK's client to its pipes.
async fn over_stdio(server: &TestServer) -> (Session, Child) {
    let mut command = vigie();
    command
        .args(["mcp", "--url", &format!("http://{}", server.address)])
        .env("VIGIE_API_KEY", &server.keys.all);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let input = pipe::Sender::from_owned_fd(child.stdin.take().unwrap().into()).unwrap();
    let output = pipe::Receiver::from_owned_fd(child.stdout.take().unwrap().into()).unwrap();
    (with_timeout(().serve((output, input))).await.unwrap(), child)
}

async fn call(session: &Session, tool: &'static str, arguments: Value) -> CallToolResult {
    let request = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
    with_timeout(session.call_tool(request)).await.unwrap()
}

fn blocks(result: &CallToolResult) -> Vec<&str> {
    result.content.iter().map(|block| block.as_text().unwrap().text.as_str()).collect()
}

/// Calls a tool that must succeed. Returns its sentence and its values.
async fn told(session: &Session, tool: &'static str, arguments: Value) -> (String, Value) {
    let result = call(session, tool, arguments).await;
    let blocks = blocks(&result);
    assert_eq!(result.is_error, Some(false), "{tool}: {blocks:?}");
    let values = blocks.get(1).map_or(Value::Null, |values| serde_json::from_str(values).unwrap());
    (blocks[0].to_owned(), values)
}

/// Calls a tool that must fail. Returns what it says.
async fn refused(session: &Session, tool: &'static str, arguments: Value) -> String {
    let result = call(session, tool, arguments).await;
    assert_eq!((result.is_error, result.content.len()), (Some(true), 1), "{tool}: {result:?}");
    blocks(&result)[0].to_owned()
}

/// Starts a server with one property.
async fn server() -> (TestServer, String) {
    let server = TestServer::start().await;
    // Indicators leave life annuities and programmes out.
    let mut advert = full("12");
    merge(&mut advert, json!({"lifeAnnuity": null, "newBuilding": null}));
    let receipt = server.accept(&advert).await;
    server.indexed().await;
    (server, receipt["property"].as_str().unwrap().trim_start_matches("/properties/").to_owned())
}

/// The whole story, as an assistant would go about it.
async fn hold_session(session: &Session, property: &str) {
    let tools = with_timeout(session.list_all_tools()).await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    // The names of the live service's assistant server.
    for name in [
        "search-properties",
        "get-property",
        "find-similar-properties",
        "get-cities",
        "location-autocomplete",
        "get-price-per-meter",
        "create-search",
        "list-searches",
        "get-search",
        "update-search",
        "delete-search",
        "test-webhook",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(tools.iter().all(|tool| tool.input_schema["type"] == "object" && tool.description.is_some()));
    assert!(session.peer_info().unwrap().instructions.as_ref().unwrap().contains("location-autocomplete"));

    let (_, places) = told(session, "location-autocomplete", json!({"query": "pari"})).await;
    assert_eq!((&places[0]["@id"], &places[0]["name"]), (&json!("/cities/75056"), &json!("Paris")));
    let filters = json!({"transactionType": 0, "propertyTypes": [0], "includedCities": ["/cities/75056"],
        "budgetMax": 400_000, "expressions": [[{"word": "balcons"}, {"word": "jardin", "options": {"includes": false}}]]});
    let (sentence, found) = told(session, "search-properties", filters.clone()).await;
    assert_eq!(sentence, "Properties: 1; shown: 1.");
    assert_eq!((&found[0]["id"], &found[0]["price"]), (&json!(property), &json!(320_000)));
    assert_eq!(
        (&found[0]["propertyType"], &found[0]["transactionType"]),
        (&json!("apartment"), &json!("for sale"))
    );
    let (_, none) =
        told(session, "search-properties", json!({"budgetMax": 1, "order": {"price": "asc"}})).await;
    assert_eq!(none, json!([]));

    let (sentence, document) = told(session, "get-property", json!({"id": property})).await;
    assert_eq!(sentence, format!("Property {property}; adverts: 1."));
    assert_eq!(document["adverts"][0]["contact"]["agency"], "Agence du Canal");
    let url = document["adverts"][0]["url"].clone();
    assert_eq!(told(session, "get-property", json!({"url": url})).await.1["uuid"], property);
    assert_eq!(told(session, "find-similar-properties", json!({"id": property})).await.1, json!([]));
    let (sentence, _) = told(session, "get-price-per-meter", json!({"transactionType": 0})).await;
    assert_eq!(sentence, "Price per square metre: average 5120 €, median 5120 €.");
    let (_, cities) = told(session, "get-cities", json!({"zipcode": ["37000"]})).await;
    assert!(cities.as_array().unwrap().iter().any(|city| city["name"] == "Tours"), "{cities}");

    let mut search = filters;
    let (sentence, _) = told(session, "preview-search", search.clone()).await;
    assert!(sentence.starts_with("Properties found now: 1. It would have announced"), "{sentence}");
    search["title"] = json!("Balcon à Paris");
    let (_, created) = told(session, "create-search", search.clone()).await;
    let id = created["@id"].as_str().unwrap();
    assert_eq!((&created["title"], created.get("token")), (&json!("Balcon à Paris"), None));
    assert_eq!(told(session, "list-searches", json!({"title": "balcon"})).await.1[0]["@id"], id);
    assert_eq!(told(session, "get-search", json!({"id": id})).await.1["budgetMax"], 400_000);
    let (explained, details) =
        told(session, "explain-match", json!({"search": id, "property": property})).await;
    assert!(explained.starts_with("The property is on offer and meets all criteria"), "{explained}");
    assert_eq!(details["held"], true);
    search["id"] = json!(id);
    search["budgetMax"] = json!(300_000);
    told(session, "update-search", search).await;
    let (explained, _) = told(session, "explain-match", json!({"search": id, "property": property})).await;
    assert!(explained.contains("does not meet the search"), "{explained}");
    assert_eq!(
        told(session, "list-matches", json!({"id": id})).await,
        ("Matches: 0; shown: 0.".to_owned(), json!([]))
    );

    bad_arguments(session, id).await;
    assert_eq!(told(session, "delete-search", json!({"id": id})).await.0, "Deleted.");
    assert_eq!(
        refused(session, "get-search", json!({"id": id})).await,
        "Refused with status 404. Not Found. Nothing has this id, or it belongs to another user."
    );
}

async fn bad_arguments(session: &Session, search: &str) {
    let bad = |tool, arguments| refused(session, tool, arguments);
    let said = bad("search-properties", json!({"budgetMax": "cheap", "propertyTypes": [9]})).await;
    assert!(said.contains("budgetMax: \"cheap\" is not a number."), "{said}");
    assert!(said.contains("propertyTypes: \"9\" is not one of 0 Apartment, 1 House, 2 Building"), "{said}");
    // A misspelt filter does not find everything.
    assert!(bad("search-properties", json!({"maxBudget": 5})).await.contains("maxBudget"));
    assert!(bad("create-search", json!({"transactionType": 0})).await.contains("title"));
    assert!(
        bad("create-search", json!({"title": "x", "transactionType": 0, "propertyTypes": [1], "colour": 1}))
            .await
            .contains("colour")
    );
    assert!(bad("explain-match", json!({"search": search, "property": "x"})).await.contains("property"));
    assert_eq!(bad("explain-match", json!({"search": search})).await, "property: this argument is required.");
    assert_eq!(bad("get-property", json!({})).await, "id: this argument is required.");
    let said = bad("test-webhook", json!({"endpoint": "http://a.example/", "eventType": "match"})).await;
    assert!(said.contains("endpoint: "), "{said}");
    // Only a tool that does not exist is an error of the protocol.
    let unknown = with_timeout(session.call_tool(CallToolRequestParams::new("dance"))).await;
    assert!(matches!(unknown, Err(ServiceError::McpError(error)) if error.message.contains("dance")));
}

#[tokio::test]
async fn official_client_holds_a_session_over_http() {
    let (mut server, property) = server().await;
    let (session, _relay) = over_http(&server, &server.keys.all).await;
    hold_session(&session, &property).await;

    // The rights are those of the key.
    let (reader, _relay) = over_http(&server, &server.keys.read).await;
    told(&reader, "search-properties", json!({})).await;
    let said = refused(&reader, "list-searches", json!({})).await;
    assert!(said.starts_with("Refused with status 403."), "{said}");

    // An open session does not delay a shutdown.
    with_timeout(server.shut_down()).await;
}

#[tokio::test]
async fn official_client_holds_a_session_on_stdio() {
    let (mut server, property) = server().await;
    let (session, mut child) = over_stdio(&server).await;
    hold_session(&session, &property).await;
    with_timeout(server.shut_down()).await;
    let said = refused(&session, "list-searches", json!({})).await;
    assert!(said.contains("cannot connect to"), "{said}");
    // The command ends with its client.
    with_timeout(session.cancel()).await.unwrap();
    let ended = with_timeout(tokio::task::spawn_blocking(move || child.wait().unwrap())).await.unwrap();
    assert!(ended.success(), "{ended}");
}

#[tokio::test]
async fn endpoint_checks_key_origin_and_method() {
    let server = TestServer::start().await;
    let post = |headers: &'static [(&'static str, &'static str)], key: Option<String>| {
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let mut request =
            Request::new("POST", "/mcp").json(&list).header("Accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(key) = key {
            request = request.header("Authorization", &format!("bearer {key}"));
        }
        server.send(request)
    };
    let check = |response: Response, status: u16| assert_eq!(response.status, status, "{}", response.text());
    check(post(&[], None).await, 401);
    check(post(&[("X-API-KEY", "vigie_nonsense")], Some(server.keys.all.clone())).await, 401);
    check(post(&[("Origin", "https://evil.example")], Some(server.keys.all.clone())).await, 403);
    check(post(&[("Origin", "null")], Some(server.keys.all.clone())).await, 403);
    let listed = post(&[], Some(server.keys.ingest.clone())).await;
    assert_eq!(listed.header("content-type"), Some("application/json"));
    assert!(listed.ok()["result"]["tools"].as_array().unwrap().len() > 10);
    let get = Request::new("GET", "/mcp").key(&server.keys.all).header("Accept", "text/event-stream");
    check(server.send(get).await, 405);
}
