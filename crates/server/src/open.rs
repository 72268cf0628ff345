//! Opening the service on a data folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use app::App;
use app::dispatch::{DispatchLimits, DispatchSettings};
use app::system::{RandomIds, SystemClock};
use domain::Retries;
use places::Gazetteer;
use store::sqlite::SqliteStore;

use crate::config::{Config, EmailTransport};
use crate::transport::{self, ConfiguredTransport};

/// Opens the data folder, with the system clock. The server adds an index, a matcher and a dispatcher ([`serving`]).
pub fn app(config: &Config) -> anyhow::Result<App> {
    let places = gazetteer(config)?;
    let store = SqliteStore::open(&config.data)?;
    let app = App::new(Arc::new(store), Arc::new(SystemClock), Arc::new(RandomIds), Arc::new(places));
    Ok(configured(app, config))
}

/// Opens the data folder for a server: with an index, a matcher and a dispatcher.
pub fn serving(config: &Config) -> anyhow::Result<App> {
    with_dispatcher(app(config)?.with_index().with_matcher(), config)
}

/// Adds the configured transport, and a dispatcher that uses it.
pub fn with_dispatcher(app: App, config: &Config) -> anyhow::Result<App> {
    let transport = ConfiguredTransport::new(config)?;
    let settings = DispatchSettings {
        retries: Retries { interval: config.delivery.retry_interval },
        batch_window: config.email.gather,
        retention: config.delivery.keep,
        public_url: config.email.public_url.clone(),
        limits: DispatchLimits { emails: config.email.letters_max, ..config.delivery.limits },
    };
    Ok(configured(app, config).with_dispatch(Arc::new(transport), settings))
}

fn configured(app: App, config: &Config) -> App {
    app.with_time_zone(config.time_zone.clone()).with_document_cache(config.search.document_cache_bytes)
}

/// Opens an existing data folder, for commands that read it: a mistyped path must be an error and not an empty folder.
pub fn existing(config: &Config) -> anyhow::Result<App> {
    let database = config.data.join(store::sqlite::FILE_NAME);
    anyhow::ensure!(database.exists(), "no Vigie data in {}", config.data.display());
    app(config)
}

/// Loads the reference geography: the embedded one, or that of a folder.
pub fn gazetteer(config: &Config) -> anyhow::Result<Gazetteer> {
    match &config.geography {
        None => Gazetteer::embedded().context("cannot read the embedded geography"),
        Some(folder) => Gazetteer::from_directory(folder)
            .with_context(|| format!("cannot read the geography in {}", folder.display())),
    }
}

/// Returns why a server with these settings would not start. Builds what the server builds from them, but keeps nothing and sends
/// nothing.
pub fn startup_errors(config: &Config) -> Vec<anyhow::Error> {
    let mut errors = Vec::new();
    errors.extend(transport::webhook_sender(config).err());
    errors.extend(match config.email.transport {
        // The folder itself is not created here: it could get another owner than the server.
        EmailTransport::Folder => check_creatable(&config.email.folder).context("email.folder").err(),
        EmailTransport::Off | EmailTransport::Smtp => transport::mail_sender(config).err(),
    });
    errors.extend(check_creatable(&config.data).context("store.data").err());
    if config.geography.is_some() {
        errors.extend(gazetteer(config).context("places.folder").err());
    }
    errors
}

/// Checks that a folder exists or can be created. Creates it to find out, and removes it again.
fn check_creatable(folder: &Path) -> anyhow::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    let created = fs::create_dir_all(folder);
    for folder in missing {
        // Fails for a folder that was not created, or is in use by now; both stay as they are.
        let _ = fs::remove_dir(folder);
    }
    created.with_context(|| format!("cannot create the folder {}", folder.display()))
}
