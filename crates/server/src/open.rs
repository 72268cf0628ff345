//! Opens the service on a data folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use app::App;
use app::dispatch::{DispatchLimits, DispatchSettings};
use app::search::ExecutionSettings;
use app::system::{RandomIds, SystemClock};
use domain::RetryPolicy;
use places::Gazetteer;
use store::{Priority, SqlStore};
use tokio_util::sync::CancellationToken;

use crate::config::{Config, Database, EmailTransport};
use crate::shared_index::SharedIndexStorage;
use crate::transport::{self, ConfiguredTransport};

/// Opens the service on its data folder with the system clock. Enough for commands; [`server_app`] adds the workers.
pub fn app(config: &Config) -> anyhow::Result<App> {
    app_on(store(config)?, config)
}

/// Opens the service for a server: with index, matcher and dispatcher. Its writes yield to the requests it answers.
pub fn server_app(config: &Config) -> anyhow::Result<App> {
    let store = store(config)?;
    store.lower_write_priority();
    with_dispatcher(app_on(store, config)?.with_index().with_matcher(), config)
}

fn store(config: &Config) -> anyhow::Result<SqlStore> {
    match &config.database {
        Database::Embedded => Ok(SqlStore::open(&config.data)?),
        Database::Postgres(options) => {
            SqlStore::connect(options).with_context(|| format!("cannot open the {}", options.description()))
        }
    }
}

fn app_on(store: SqlStore, config: &Config) -> anyhow::Result<App> {
    let places = gazetteer(config)?;
    let background = Arc::new(store.with_priority(Priority::Background));
    let app = App::new(Arc::new(store), Arc::new(SystemClock), Arc::new(RandomIds), Arc::new(places));
    Ok(configured(app.with_background_store(background), config))
}

/// Adds the dispatcher, as configured.
pub fn with_dispatcher(app: App, config: &Config) -> anyhow::Result<App> {
    let transport = ConfiguredTransport::new(config)?;
    let settings = DispatchSettings {
        retries: RetryPolicy { interval: config.delivery.retry_interval },
        batch_window: config.email.batch_window,
        retention: config.delivery.retention,
        public_url: config.email.public_url.clone(),
        match_form: config.delivery.match_form,
        confirmation: config.email.confirmation,
        limits: DispatchLimits {
            emails: config.email.smtp_connections_max,
            emails_per_address_hour: config.email.per_address_hour,
            emails_per_user_day: config.email.per_user_day,
            ..config.delivery.limits
        },
    };
    Ok(configured(app, config).with_dispatch(Arc::new(transport), settings))
}

/// Applies the settings that every part of the service needs.
pub fn configured(app: App, config: &Config) -> App {
    app.with_time_zone(config.time_zone.clone())
        .with_execution(ExecutionSettings {
            document_cache_bytes: config.search.document_cache_bytes,
            query_work_max: config.limits.query_work_max as u64,
            waiting_per_user_max: config.limits.waiting_per_user,
        })
        .with_grouping(config.grouping)
}

/// Like [`app()`], but fails if the data folder holds no database. A mistyped path must not create an empty one.
pub fn existing_app(config: &Config) -> anyhow::Result<App> {
    let database = config.data.join(store::sqlite::FILE_NAME);
    anyhow::ensure!(
        !config.is_embedded() || database.exists(),
        "no Vigie database in {}: check --data or the setting store.data; the first `vigie serve` creates it",
        config.data.display()
    );
    app(config)
}

/// Loads the reference geography: the embedded one, or the one in `places.folder`.
pub fn gazetteer(config: &Config) -> anyhow::Result<Gazetteer> {
    match &config.places_folder {
        None => Gazetteer::embedded().context("cannot load the embedded reference geography"),
        Some(folder) => Gazetteer::from_directory(folder)
            .with_context(|| format!("cannot load the reference geography from {}", folder.display())),
    }
}

/// Checks that the storages of the settings can be used. Contacts none of them.
pub fn check_storages(config: &Config) -> Vec<anyhow::Error> {
    let backups = config.backup.target.as_ref();
    let backups =
        backups.map(|target| target.clone().open(&config.backup.s3).map(drop).context("backup.target"));
    let shared = config.index.shared.as_ref().map(|address| {
        let opened = SharedIndexStorage::open(address, &config.index.s3, 0, CancellationToken::new());
        opened.map(drop).context("index.shared")
    });
    backups.into_iter().chain(shared).filter_map(Result::err).collect()
}

/// Returns the reasons why a server would not start with valid settings. Builds everything a server builds from them, keeps nothing,
/// and contacts no other host.
pub fn startup_problems(config: &Config) -> Vec<anyhow::Error> {
    let mut problems = Vec::new();
    problems.extend(transport::webhook_sender(config).err());
    problems.extend(match config.email.transport {
        // The folder is not left behind: it might belong to another user than the server's.
        EmailTransport::Folder => check_creatable(&config.email.folder).context("email.folder").err(),
        EmailTransport::Off | EmailTransport::Smtp => transport::mail_sender(config).err(),
    });
    problems.extend(check_creatable(&config.data).context("store.data").err());
    problems.extend(check_storages(config));
    if config.places_folder.is_some() {
        problems.extend(gazetteer(config).context("places.folder").err());
    }
    problems
}

/// Checks that a folder exists or can be created. Creates it to find out, and removes it again.
fn check_creatable(folder: &Path) -> anyhow::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    let created = fs::create_dir_all(folder);
    for folder in missing {
        // Fails, harmlessly, for folders that were not created or are already in use by another process.
        let _ = fs::remove_dir(folder);
    }
    created.with_context(|| format!("cannot create the folder {}", folder.display()))
}
