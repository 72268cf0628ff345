//! Opening the service on a data folder.

use std::sync::Arc;

use anyhow::Context;

use app::App;
use app::dispatch::DispatchSettings;
use app::system::{RandomIds, SystemClock};
use domain::Retries;
use places::Gazetteer;
use store::sqlite::SqliteStore;

use crate::carrier::Outgoing;
use crate::config::Config;
use crate::scribe::WireScribe;

/// The service on its data folder, with the machine's clock. Commands and the server open it alike; the server adds an index.
pub fn app(config: &Config) -> anyhow::Result<App> {
    let places = gazetteer(config)?;
    let store = SqliteStore::open(&config.data)?;
    Ok(App::new(Arc::new(store), Arc::new(SystemClock), Arc::new(RandomIds), Arc::new(places)))
}

/// The service as a server has it: with an index, a matcher, and somebody who brings what is owed.
pub fn serving(config: &Config) -> anyhow::Result<App> {
    bringing(app(config)?.with_index().with_matcher(), config)
}

/// A service with somebody who brings what is owed, as it is configured.
pub fn bringing(app: App, config: &Config) -> anyhow::Result<App> {
    let carrier = Outgoing::new(config)?;
    let scribe = WireScribe::new(config.time_zone.clone());
    let settings = DispatchSettings {
        retries: Retries { interval: config.delivery.retry_interval },
        gather: config.email.gather,
        keep: config.delivery.keep,
        public_url: config.email.public_url.clone(),
        limits: config.delivery.limits,
    };
    Ok(app.with_dispatch(Arc::new(scribe), Arc::new(carrier), settings))
}

/// The same, for commands that look at what is there: a mistyped folder must not be made and found empty.
pub fn existing(config: &Config) -> anyhow::Result<App> {
    let database = config.data.join(store::sqlite::FILE_NAME);
    anyhow::ensure!(database.exists(), "there is no Vigie data in {}", config.data.display());
    app(config)
}

/// The reference geography: the one compiled in, or that of a folder.
pub fn gazetteer(config: &Config) -> anyhow::Result<Gazetteer> {
    match &config.geography {
        None => Gazetteer::embedded().context("the embedded geography cannot be read"),
        Some(folder) => Gazetteer::from_directory(folder)
            .with_context(|| format!("the geography of {} cannot be read", folder.display())),
    }
}
