//! A client that creates, changes and deletes searches, and records every version of each.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::net::SocketAddr;

use domain::criteria::{Entry, Presence, RawCriteria, RawCriterion};
use domain::{Alerts, Endpoint, EventName, Filter, Phrase, SearchId, SiteKey, Strictness};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::connection::Connection;

/// The centre of Tours, where an advert without coordinates is shown, and a circle around it.
pub const CENTRE: (f64, f64) = (47.3943, 0.6949);
const RADIUS_KM: f64 = 3.0;

/// A request in progress when the server was killed; it may have been applied or not.
#[derive(Clone)]
enum Unsettled {
    Created(Value),
    Changed(SearchId, Value),
    Deleted(SearchId),
}

#[derive(Default)]
pub struct SearchClient {
    /// Bodies of each search, by version.
    pub versions: HashMap<SearchId, Vec<Value>>,
    live: BTreeSet<SearchId>,
    unsettled: Option<Unsettled>,
    created: u64,
    /// Whether its searches have no endpoints.
    is_silent: bool,
}

impl SearchClient {
    /// Returns a client whose searches have matches and no deliveries.
    pub fn silent() -> Self {
        Self { is_silent: true, ..Self::default() }
    }

    /// Takes note of a search that another client saved and that never changes.
    pub fn add_constant(&mut self, path: &str, body: Value) {
        self.versions.insert(id_in(path), vec![body]);
    }

    pub fn count(&self) -> usize {
        self.live.len()
    }

    /// Creates searches. The server must not be killed meanwhile.
    pub fn save(&mut self, address: SocketAddr, key: &str, chance: &mut Chance, count: usize) {
        let mut connection = Connection::open(address).unwrap();
        for _ in 0..count {
            self.create(&mut connection, key, chance).unwrap();
        }
    }

    /// Creates, changes, switches and deletes searches until the server is gone.
    pub fn run(&mut self, open: &dyn Fn() -> io::Result<Connection>, key: &str, chance: &mut Chance) {
        let ended: io::Result<()> = (|| {
            let mut connection = open()?;
            self.settle(&mut connection, key)?;
            loop {
                match chance.below(6) {
                    0 => self.create(&mut connection, key, chance)?,
                    1 => self.delete(&mut connection, key, chance)?,
                    2 | 3 => self.switch(&mut connection, key, chance)?,
                    _ => self.change(&mut connection, key, chance)?,
                }
            }
        })();
        // The loop ends only when the server is killed.
        assert!(ended.is_err());
    }

    /// Finds out whether the last request before a kill was applied.
    pub fn settle(&mut self, connection: &mut Connection, key: &str) -> io::Result<()> {
        // Cleared only when settled: the next kill may come before the response.
        let Some(unsettled) = self.unsettled.clone() else { return Ok(()) };
        match unsettled {
            Unsettled::Created(body) => {
                let path = format!("/searches?title={}", body["title"].as_str().unwrap());
                let (status, page) = connection.request("GET", key, &path, None)?;
                assert_eq!(status, 200, "{page}");
                for found in page["hydra:member"].as_array().unwrap() {
                    if found["title"] == body["title"] {
                        self.record(found, body.clone());
                    }
                }
            }
            Unsettled::Changed(id, body) => {
                let (status, found) = connection.request("GET", key, &format!("/searches/{id}"), None)?;
                assert_eq!(status, 200, "{found}");
                if found["title"] == body["title"] {
                    self.versions.get_mut(&id).unwrap().push(body);
                }
            }
            Unsettled::Deleted(id) => {
                let (status, found) = connection.request("GET", key, &format!("/searches/{id}"), None)?;
                assert!(matches!(status, 200 | 404), "{status} {found}");
                if status == 404 {
                    self.live.remove(&id);
                }
            }
        }
        self.unsettled = None;
        Ok(())
    }

    fn create(&mut self, connection: &mut Connection, key: &str, chance: &mut Chance) -> io::Result<()> {
        let body = self.body(chance);
        self.unsettled = Some(Unsettled::Created(body.clone()));
        let (status, created) = connection.request("POST", key, "/searches", Some(&body))?;
        assert_eq!(status, 201, "{created}");
        self.unsettled = None;
        self.record(&created, body);
        Ok(())
    }

    fn change(&mut self, connection: &mut Connection, key: &str, chance: &mut Chance) -> io::Result<()> {
        let Some(id) = self.pick(chance) else { return Ok(()) };
        let body = self.body(chance);
        self.put(connection, key, id, body)
    }

    /// Switches a search on or off and leaves the rest of it alone.
    fn switch(&mut self, connection: &mut Connection, key: &str, chance: &mut Chance) -> io::Result<()> {
        let Some(id) = self.pick(chance) else { return Ok(()) };
        let mut body = self.versions[&id].last().unwrap().clone();
        body["title"] = self.title().into();
        body["notificationEnabled"] = (body["notificationEnabled"] == false).into();
        self.put(connection, key, id, body)
    }

    fn put(&mut self, connection: &mut Connection, key: &str, id: SearchId, body: Value) -> io::Result<()> {
        self.unsettled = Some(Unsettled::Changed(id, body.clone()));
        let (status, updated) = connection.request("PUT", key, &format!("/searches/{id}"), Some(&body))?;
        assert_eq!(status, 200, "{updated}");
        self.unsettled = None;
        self.versions.get_mut(&id).unwrap().push(body);
        Ok(())
    }

    fn delete(&mut self, connection: &mut Connection, key: &str, chance: &mut Chance) -> io::Result<()> {
        let Some(id) = self.pick(chance) else { return Ok(()) };
        self.unsettled = Some(Unsettled::Deleted(id));
        let (status, response) = connection.request("DELETE", key, &format!("/searches/{id}"), None)?;
        assert_eq!(status, 204, "{response}");
        self.unsettled = None;
        self.live.remove(&id);
        Ok(())
    }

    fn record(&mut self, created: &Value, body: Value) {
        let id = id_in(created["@id"].as_str().unwrap());
        assert!(self.versions.insert(id, vec![body]).is_none(), "{id} was created twice");
        self.live.insert(id);
    }

    fn pick(&self, chance: &mut Chance) -> Option<SearchId> {
        let count = self.live.len() as u64;
        if count == 0 {
            return None;
        }
        self.live.iter().nth(chance.below(count) as usize).copied()
    }

    /// Returns a title that no other version has, so that a version is recognised by it.
    fn title(&mut self) -> String {
        self.created += 1;
        format!("search{:06}x", self.created)
    }

    /// Returns a search with a unique title. Every field is set, so that an update keeps nothing of the version before.
    fn body(&mut self, chance: &mut Chance) -> Value {
        let min = 100_000 + 50_000 * chance.below(12);
        let words = match chance.below(60) {
            0 => json!([[{"word": "terrasse"}]]),
            1 => json!([[{"word": "terrasse", "options": {"includes": false}}]]),
            _ => json!([]),
        };
        // Half of the homes give coordinates, and half of these lie in the circle.
        let circle = chance.below(6) == 0;
        let in_circle = |number: f64| if circle { json!(number) } else { Value::Null };
        let subscribes = chance.below(2) == 0 && !self.is_silent;
        json!({
            "title": self.title(),
            "transactionType": 0, "propertyTypes": [1], "withCoherentPrice": false,
            "budgetMin": if chance.below(2) == 0 { json!(min) } else { Value::Null },
            "budgetMax": if chance.below(4) > 0 { json!(min + 50_000 * chance.below(10)) } else { Value::Null },
            "expressions": words,
            "includedSites": if chance.below(4) == 0 { json!(["moving0.example"]) } else { json!([]) },
            "lat": in_circle(CENTRE.0), "lon": in_circle(CENTRE.1), "radius": in_circle(RADIUS_KM),
            "notificationEnabled": chance.below(3) > 0,
            "endpointRecipient": if subscribes { json!("https://hook.example/matches") } else { Value::Null },
            "eventEndpoint": if subscribes { json!("https://hook.example/events") } else { Value::Null },
            "subscribedEvents": if subscribes { json!(["ad.update.price", "property.ad.create"]) } else { json!([]) },
        })
    }
}

fn id_in(path: &str) -> SearchId {
    path.strip_prefix("/searches/").unwrap().parse().unwrap()
}

/// Parses a body independently of the server: only the few fields that [`SearchClient`] sets.
pub fn parse(body: &Value) -> (RawCriteria, Alerts) {
    let mut raw_criteria = RawCriteria::default();
    let mut put =
        |name: &str, criterion: RawCriterion| raw_criteria.put(Filter::named(name).unwrap(), criterion);
    put("transactionType", RawCriterion::Codes(vec![0]));
    put("propertyTypes", RawCriterion::Codes(vec![1]));
    put("withCoherentPrice", RawCriterion::Flag(false));
    for bound in ["budgetMin", "budgetMax"] {
        if let Some(number) = body[bound].as_f64() {
            put(bound, RawCriterion::Number(number));
        }
    }
    if let Some(entry) = body["expressions"][0].get(0) {
        let phrase = Phrase::new(entry["word"].as_str().unwrap(), Strictness::Inflected).unwrap();
        let absent = entry["options"]["includes"] == false;
        let presence = if absent { Presence::Absent } else { Presence::Present };
        put("expressions", RawCriterion::Expressions(vec![vec![Entry { phrase, presence }]]));
    }
    if let Some(site) = body["includedSites"][0].as_str() {
        put("includedSites", RawCriterion::Sites(vec![SiteKey::parse(site).unwrap()]));
    }
    for name in ["lat", "lon", "radius"] {
        if let Some(number) = body[name].as_f64() {
            put(name, RawCriterion::Number(number));
        }
    }
    let endpoint = |name: &str| body[name].as_str().map(|text| Endpoint::parse(text).unwrap());
    let subscribes = !body["subscribedEvents"].as_array().unwrap().is_empty();
    let events =
        if subscribes { [EventName::UpdatePrice, EventName::AdCreate].into() } else { BTreeSet::new() };
    let alerts = Alerts {
        enabled: body["notificationEnabled"] == true,
        endpoint: endpoint("endpointRecipient"),
        event_endpoint: endpoint("eventEndpoint"),
        events,
        ..Alerts::default()
    };
    (raw_criteria, alerts)
}
