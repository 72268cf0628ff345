//! Points searches at the receiver for a while, and puts their own settings back afterwards.
//!
//! What has to be put back is in a file before it is changed, so that the next start puts it back if this process is killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use domain::EventName;
use http::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use wire::names;

use super::{Addresses, ok, refusal};
use crate::cli::client::ApiClient;
use crate::cli::output;
use crate::mcp::api::{Answer, Api, Call};

const FILE: &str = "put-back.json";

/// Fields that an update must repeat, and those that are changed for a while.
const REPEATED: [&str; 3] = ["title", "transactionType", "propertyTypes"];
const CHANGED: [&str; 4] = ["endpointRecipient", "eventEndpoint", "subscribedEvents", "notificationEnabled"];

/// Limit on pages of searches: more than a user may save.
const PAGES_MAX: u32 = 10_000;

/// Returns the paths of all searches of the key's owner.
pub async fn all(client: &ApiClient) -> anyhow::Result<Vec<String>> {
    let mut searches = Vec::new();
    for page in 1..PAGES_MAX {
        let body =
            ok(client, "cannot list the searches", Call::get(format!("/searches?page={page}"))).await?;
        let members = body["hydra:member"].as_array().map(Vec::as_slice).unwrap_or_default();
        searches.extend(members.iter().filter_map(|search| search["@id"].as_str().map(str::to_owned)));
        if members.is_empty() || !body["hydra:view"]["hydra:next"].is_string() {
            break;
        }
    }
    if searches.is_empty() {
        bail!("the owner of this key has no saved searches");
    }
    Ok(searches)
}

/// The searches that are pointed at the receiver.
pub struct Pointed<'a> {
    client: &'a ApiClient,
    file: PathBuf,
}

impl<'a> Pointed<'a> {
    pub fn new(client: &'a ApiClient, folder: &Path) -> Self {
        Self { client, file: folder.join(FILE) }
    }

    /// Puts back what an earlier run left behind, if it was killed.
    pub async fn put_back_earlier(&self) -> anyhow::Result<()> {
        if self.load()?.is_empty() {
            return Ok(());
        }
        output::print_line("An earlier run was killed; its searches get their own settings back.");
        self.put_back().await
    }

    pub async fn point(
        &self,
        searches: &[String],
        to: &Addresses,
        events: &[EventName],
    ) -> anyhow::Result<()> {
        let mut own_settings = self.load()?;
        for search in searches {
            let path = path_of(search);
            let what = format!("cannot read the search {search}");
            let body = ok(self.client, &what, Call::get(&path)).await?;
            let set = json!({
                "endpointRecipient": to.matches.as_str(),
                "eventEndpoint": to.events.as_str(),
                "subscribedEvents": subscription(&body["subscribedEvents"], events),
                "notificationEnabled": true,
            });
            let own = picked(&body, CHANGED.iter());
            own_settings.insert(path.clone(), json!({"own": own, "set": set.clone()}));
            self.save(&own_settings)?;
            let mut update = picked(&body, REPEATED.iter());
            for name in CHANGED {
                update[name] = set[name].clone();
            }
            let what = format!("cannot point the search {search} at this receiver");
            ok(self.client, &what, Call { method: Method::PUT, target: path, body: Some(update) }).await?;
        }
        Ok(())
    }

    /// Gives all searches their own settings back, except those that were changed meanwhile.
    pub async fn put_back(&self) -> anyhow::Result<()> {
        let mut own_settings = self.load()?;
        while let Some((path, kept)) =
            own_settings.iter().next().map(|(path, kept)| (path.clone(), kept.clone()))
        {
            let what = format!("cannot put the settings of {path} back; {} holds them", self.file.display());
            if let Some(present) = self.existing(Call::get(&path), &what).await? {
                let mut update = picked(&present, REPEATED.iter());
                for name in CHANGED.into_iter().filter(|name| present[*name] == kept["set"][*name]) {
                    update[name] = kept["own"][name].clone();
                }
                let update = Call { method: Method::PUT, target: path.clone(), body: Some(update) };
                self.existing(update, &what).await?;
            }
            own_settings.remove(&path);
            self.save(&own_settings)?;
        }
        Ok(())
    }

    /// Calls the API about a search. `None` if it was deleted meanwhile: then nothing has to be put back.
    async fn existing(&self, call: Call, what: &str) -> anyhow::Result<Option<Value>> {
        let Answer { status, body, .. } = self.client.call(call).await.with_context(|| what.to_owned())?;
        match status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => Ok(Some(body)),
            status => bail!("{}", refusal(what, status, &body)),
        }
    }

    fn load(&self) -> anyhow::Result<Map<String, Value>> {
        match fs::read(&self.file) {
            Ok(text) => {
                serde_json::from_slice(&text).with_context(|| format!("{} is damaged", self.file.display()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", self.file.display())),
        }
    }

    fn save(&self, own_settings: &Map<String, Value>) -> anyhow::Result<()> {
        let saved = if own_settings.is_empty() {
            fs::remove_file(&self.file)
        } else {
            fs::write(&self.file, json!(own_settings).to_string())
        };
        saved.with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// Returns the path of a search, given its path, id or token.
fn path_of(search: &str) -> String {
    let id = search.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    format!("/searches/{}", utf8_percent_encode(id, NON_ALPHANUMERIC))
}

fn picked<'a>(body: &Value, names: impl Iterator<Item = &'a &'a str>) -> Value {
    names.map(|name| ((*name).to_owned(), body[*name].clone())).collect::<Map<_, _>>().into()
}

/// Returns the events to subscribe to: those given, else those of the search, else all.
fn subscription(own: &Value, given: &[EventName]) -> Value {
    let names =
        |events: &[EventName]| events.iter().map(|name| names::event_name(*name)).collect::<Vec<_>>().into();
    match (given, own.as_array().is_some_and(|own| !own.is_empty())) {
        ([], true) => own.clone(),
        ([], false) => names(EventName::ALL),
        (given, _) => names(given),
    }
}
