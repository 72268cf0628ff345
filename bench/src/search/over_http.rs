//! Vigie as a server, queried over HTTP, with ten whole documents per response.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use domain::PropertyId;
use serde_json::Value;

use super::Engine;
use super::dataset::Dataset;
use super::query::{Query, TopHits};
use crate::serve::client::Client;
use crate::serve::market;
use crate::serve::path::path;
use crate::serve::process::Process;

pub const NAME: &str = "Vigie, over HTTP";

/// The server closes idle connections, and the other engines run for minutes in between.
const IDLE_MAX: Duration = Duration::from_secs(2);

pub struct OverHttp {
    client: Client,
    last_query: Instant,
    /// Stops when dropped.
    _process: Process,
}

impl OverHttp {
    pub fn load(dataset: &Dataset, folder: &Path) -> anyhow::Result<Self> {
        let data = folder.join("vigie");
        let key = market::fill(dataset, &data)?;
        let (process, _) = Process::start(&data)?;
        let client = Client::connect(process.address, &key)?;
        Ok(Self { client, last_query: Instant::now(), _process: process })
    }
}

impl Engine for OverHttp {
    fn name(&self) -> &str {
        NAME
    }

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits> {
        if self.last_query.elapsed() > IDLE_MAX {
            self.client.reconnect()?;
        }
        let answer = self.client.get(&path(query))?;
        self.last_query = Instant::now();
        ensure!(answer.status == 200, "{}", String::from_utf8_lossy(answer.body));
        // Parsing the response counts, as it does for a client.
        let page: Value = serde_json::from_slice(answer.body)?;
        let total = page["hydra:totalItems"].as_u64().context("no total")?;
        let members = page["hydra:member"].as_array().context("no members")?;
        let id =
            |member: &Value| member["uuid"].as_str()?.parse::<PropertyId>().ok().map(|id| *id.as_bytes());
        Ok(TopHits { total, ids: members.iter().filter_map(id).collect() })
    }
}
