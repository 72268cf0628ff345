//! Several servers on one PostgreSQL database.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::serve::Serving;
use crate::cli::{run_with, vigie};
use crate::deliveries::{TRUSTED, receiver};
use crate::harness::adverts::advert;
use crate::harness::client::{Request, Response, exchange, with_timeout};

/// A database, and a key that its servers accept.
pub struct Cluster {
    database: String,
    url: String,
    key: String,
}

/// A server with a folder of its own.
pub struct Node {
    serving: Serving,
    key: String,
    _folder: TempDir,
}

impl Cluster {
    pub fn new() -> Self {
        let server = local_postgres::shared();
        let database = server.create_database();
        let url = server.url(&database);
        let folder = TempDir::new().unwrap();
        let create = ["keys", "create", "--user", "nodes", "--scopes", "read,ingest,searches,admin"];
        let created =
            run_with(vigie().args(create).arg("--data").arg(folder.path()).args(["--database", &url]));
        Self { key: created.succeeded().trim().to_owned(), database, url }
    }

    fn start(&self) -> Node {
        self.start_with(&[])
    }

    /// Starts a server with more settings, as environment variables.
    pub fn start_with(&self, more: &[(&str, &str)]) -> Node {
        let folder = TempDir::new().unwrap();
        let authority = TRUSTED.file.path().join("ca.pem");
        let mut settings = vec![
            ("VIGIE_STORE__DATABASE", self.url.as_str()),
            ("VIGIE_DELIVERY__EXTRA_CA_FILE", authority.to_str().unwrap()),
            ("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true"),
        ];
        settings.extend(more);
        let serving = Serving::start_with(folder.path(), &settings);
        Node { serving, key: self.key.clone(), _folder: folder }
    }
}

impl Node {
    pub async fn send(&self, request: Request) -> Response {
        exchange(self.serving.address, &request.key(&self.key)).await
    }

    /// Sends something that must be accepted. Returns the log position after it.
    pub async fn post(&self, path: &str, body: &Value) -> String {
        let response = self.send(Request::new("POST", path).json(body)).await;
        assert!(matches!(response.status, 200 | 201), "{} {}", response.status, response.text());
        response.header("X-Log-Position").unwrap().to_owned()
    }

    /// Asks for something as it is at a log position or later.
    pub async fn get_at(&self, position: &str, path: &str) -> Response {
        self.send(Request::new("GET", path).header("X-Min-Log-Position", position)).await
    }

    /// Returns the number of properties at a log position or later.
    pub async fn properties_at(&self, position: &str) -> Value {
        self.get_at(position, "/documents/properties?withCoherentPrice=false").await.ok()["hydra:totalItems"]
            .clone()
    }

    /// Stops the server. Returns what it logged.
    pub fn stop(self) -> String {
        self.serving.stop("TERM").err
    }

    /// Asks again and again until all deliveries are sent and recorded.
    async fn wait_until_delivered(&self, count: u64) {
        let path = "/deliveries?state=delivered";
        with_timeout(async {
            while self.send(Request::new("GET", path)).await.ok()["hydra:totalItems"] != count {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

/// A search that every advert of these tests matches.
fn search(endpoint: &str) -> Value {
    json!({
        "title": "Tout", "transactionType": 0, "propertyTypes": [0, 1], "withCoherentPrice": false,
        "notificationEnabled": true, "endpointRecipient": endpoint,
    })
}

#[tokio::test]
async fn what_one_server_takes_all_servers_show_and_one_sends() {
    let cluster = Cluster::new();
    let nodes = [cluster.start(), cluster.start()];
    let hook = receiver().await;
    nodes[0].post("/searches", &search(&hook.url("/hook"))).await;
    let mut position = String::new();
    for number in 0..6 {
        let advert = advert(&number.to_string(), json!({"surface": 40 + 10 * number}));
        position = nodes[number % 2].post("/adverts", &advert).await;
    }
    for node in &nodes {
        assert_eq!(node.properties_at(&position).await, 6);
    }
    let received = with_timeout(hook.wait_for(6)).await;
    let mut properties: Vec<String> = received.iter().map(|request| property_of(&request.body)).collect();
    properties.sort();
    properties.dedup();
    assert_eq!(properties.len(), 6, "each match is sent");
    nodes[1].wait_until_delivered(6).await;
    assert_eq!(hook.count(), 6, "and sent once");
}

#[tokio::test]
async fn a_server_says_when_it_is_behind() {
    let node = Cluster::new().start();
    let position = node.post("/adverts", &advert("1", json!({}))).await;
    assert_eq!(node.properties_at(&position).await, 1);
    let behind = node.get_at("1000", "/documents/properties").await;
    assert!(behind.problem(503).contains("log position 1000"));
    assert_eq!(behind.header("Retry-After"), Some("1"));
    let wrong = node.get_at("soon", "/documents/properties").await;
    assert!(wrong.problem(400).contains("X-Min-Log-Position"));
}

#[tokio::test]
async fn another_server_takes_over_the_work_of_a_killed_one() {
    let cluster = Cluster::new();
    let mut first = cluster.start();
    let other = cluster.start();
    let hook = receiver().await;
    first.post("/searches", &search(&hook.url("/hook"))).await;
    first.post("/adverts", &advert("1", json!({}))).await;
    // An attempt that is not recorded is repeated when its lease has ended.
    other.wait_until_delivered(1).await;
    first.serving.kill();
    let position = other.post("/adverts", &advert("2", json!({"surface": 99}))).await;
    let received = with_timeout(hook.wait_for(2)).await;
    assert_ne!(property_of(&received[0].body), property_of(&received[1].body));
    // A server that comes back finds everything.
    let again = cluster.start();
    assert_eq!(again.properties_at(&position).await, 2);
    other.wait_until_delivered(2).await;
    assert_eq!(hook.count(), 2);
}

/// Ends the turn of a server during its first attempt to commit, and refuses two attempts. Notes during the third one how many have a turn.
const LOSE_TURN: &str = "
    CREATE SEQUENCE attempt;
    CREATE TABLE turns_seen (count BIGINT);
    CREATE VIEW turns AS SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    CREATE FUNCTION lose_turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempt') > 2 THEN
            INSERT INTO turns_seen SELECT count(*) FROM turns;
            RETURN NEW;
        END IF;
        PERFORM pg_terminate_backend(pid, 10000) FROM turns;
        -- A turn can be joined for a tenth of a second after it began.
        PERFORM pg_sleep(0.2);
        RAISE EXCEPTION 'taken' USING ERRCODE = 'unique_violation', CONSTRAINT = 'advert_pkey';
    END $$;
    CREATE TRIGGER lose_turn BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION lose_turn();";

#[tokio::test]
async fn a_batch_that_has_lost_its_turn_takes_another_one() {
    let cluster = Cluster::new();
    let node = cluster.start();
    let server = local_postgres::shared();
    server.execute(&cluster.database, LOSE_TURN);
    let position = node.post("/adverts", &advert("1", json!({}))).await;
    assert_eq!(node.properties_at(&position).await, 1);
    assert_eq!(server.query(&cluster.database, "SELECT count FROM turns_seen"), ["1"]);
}

/// Returns the id of the property that a webhook is about.
fn property_of(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap();
    body["property"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned()
}
