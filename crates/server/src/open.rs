//! Opening the service on a data folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use app::App;
use app::dispatch::{DispatchLimits, DispatchSettings};
use app::system::{RandomIds, SystemClock};
use domain::RetryPolicy;
use places::Gazetteer;
use store::sqlite::{Priority, SqliteStore};

use crate::config::{Config, EmailTransport};
use crate::renderer::WireRenderer;
use crate::transport::{self, Outgoing};

/// The service on its data folder, with the machine's clock. Commands and the server open it alike; the server adds an index.
pub fn app(config: &Config) -> anyhow::Result<App> {
    let places = gazetteer(config)?;
    let store = SqliteStore::open(&config.data)?;
    let background = Arc::new(store.with_priority(Priority::Background));
    let app = App::new(Arc::new(store), Arc::new(SystemClock), Arc::new(RandomIds), Arc::new(places));
    Ok(app.with_background_store(background))
}

/// The service as a server has it: with an index, a matcher, and somebody who brings what is owed.
pub fn serving(config: &Config) -> anyhow::Result<App> {
    bringing(app(config)?.with_index().with_matcher(), config)
}

/// A service with somebody who brings what is owed, as it is configured.
pub fn bringing(app: App, config: &Config) -> anyhow::Result<App> {
    let transport = Outgoing::new(config)?;
    let renderer = WireRenderer::new(config.time_zone.clone());
    let settings = DispatchSettings {
        retries: RetryPolicy { interval: config.delivery.retry_interval },
        gather: config.email.gather,
        keep: config.delivery.keep,
        public_url: config.email.public_url.clone(),
        limits: DispatchLimits { emails: config.email.letters_max, ..config.delivery.limits },
    };
    Ok(app.with_dispatch(Arc::new(renderer), Arc::new(transport), settings))
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

/// Why a server would not start with settings that can be read: everything it makes of them is made here, too, but nothing is kept
/// and nobody is asked.
pub fn obstacles(config: &Config) -> Vec<anyhow::Error> {
    let mut obstacles = Vec::new();
    obstacles.extend(transport::webhooks_of(config).err());
    obstacles.extend(match config.email.transport {
        // A folder that was made in passing could belong to somebody who is not the server.
        EmailTransport::Folder => makeable(&config.email.folder).context("email.folder").err(),
        EmailTransport::Off | EmailTransport::Smtp => transport::mail_of(config).err(),
    });
    obstacles.extend(makeable(&config.data).context("store.data").err());
    if config.geography.is_some() {
        obstacles.extend(gazetteer(config).context("places.folder").err());
    }
    obstacles
}

/// Whether a folder is there or can be made: only making it tells. What was made for that goes again.
fn makeable(folder: &Path) -> anyhow::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    let made = fs::create_dir_all(folder);
    for folder in missing {
        // One that was not made, or that somebody has begun to use, stays as it is.
        let _ = fs::remove_dir(folder);
    }
    made.with_context(|| format!("the folder {} cannot be made", folder.display()))
}
