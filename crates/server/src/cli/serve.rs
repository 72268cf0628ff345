//! `vigie serve`

use std::fs::OpenOptions;
use std::io::{ErrorKind, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Context;
use app::App;
use clap::Args;
use delivery::webhook::AddressPolicy;
use domain::Scopes;
use store::StoreFailure;
use store::sqlite::ServerLock;
use tokio_util::sync::CancellationToken;

use super::{Common, load_config, output};
use crate::config::ConfigWarning;
use crate::http::Shared;
use crate::serve::{self, Server};
use crate::{file_limit, open, telemetry};

#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    common: Common,
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
}

pub async fn run(args: ServeArgs) -> anyhow::Result<ExitCode> {
    let config = load_config(args.common.sources()?.flag("--listen", "server.listen", args.listen))?;
    let log_control = telemetry::start(&config.log)?;
    if config.delivery.addresses == AddressPolicy::DangerAllowPrivate {
        warn_about_private_addresses();
    }
    for ConfigWarning { setting, message } in config.email.warnings() {
        tracing::warn!(setting, "{setting} {message}");
    }
    if let Some(problem) = open::check_storages(&config).pop() {
        return Err(problem);
    }
    file_limit::raise(&config);
    // Also with PostgreSQL: the folder holds the index of this server.
    let _lock = ServerLock::acquire(&config.data)?;
    let app = open::server_app(&config)?;
    let signalled = CancellationToken::new();
    let shared = Shared::new(app.clone(), config, signalled.child_token())?;
    let _ = shared.log_control.set(log_control);
    let server = Server::bind(shared.clone())
        .await
        .with_context(|| format!("cannot listen on {}", shared.config.listen))?;
    create_first_key(&app, &shared.config.data).await?;
    stop_on_signal(shared.leaving.clone())?;
    shared.tasks.spawn(stop_after_leaving(shared.clone(), signalled.clone()));
    tracing::info!(address = %server.address()?, data = %shared.config.data.display(), "vigie is listening");
    server.run().await;
    if app.store_failure() == Some(StoreFailure::WritesLost) && !shared.leaving.is_cancelled() {
        return Err(start_again(&serve::index_folder(&shared)));
    }
    Ok(exit_code(&app))
}

/// Stops the server after a signal, and after load balancers have had the time to learn of it.
async fn stop_after_leaving(shared: Shared, stop: CancellationToken) {
    tokio::select! {
        biased;
        () = shared.leaving.cancelled() => {}
        // It stops for another reason.
        () = shared.stop.cancelled() => return,
    }
    if let Some(delay) = shared.config.limits.shutdown_delay {
        tracing::info!(?delay, "stopping; requests are accepted for a while (limits.shutdown_delay)");
        let _ = tokio::time::timeout(delay, shared.stop.cancelled()).await;
    }
    stop.cancel();
}

/// Replaces this process by a new one, which builds its index from the database as it is now. Returns only if that fails.
fn start_again(index: &Path) -> anyhow::Error {
    tracing::warn!("starting again with an empty index: the database has lost changes in a failover");
    if let Err(error) = std::fs::remove_dir_all(index)
        && error.kind() != ErrorKind::NotFound
    {
        // A snapshot of another log is refused when it is read.
        tracing::warn!(%error, path = %index.display(), "cannot remove the snapshot of the index");
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return anyhow::Error::new(error).context("cannot find the program to start again"),
    };
    let error = Command::new(program).args(std::env::args_os().skip(1)).exec();
    anyhow::Error::new(error).context("cannot start again")
}

/// Returns a failure if the server stopped because its database accepts no more writes, so that a supervisor starts it again.
pub fn exit_code(app: &App) -> ExitCode {
    match app.store_failure() {
        None => ExitCode::SUCCESS,
        Some(failure) => {
            tracing::error!(
                reason = failure.description(),
                "vigie stopped because of a failure; start it again"
            );
            ExitCode::FAILURE
        }
    }
}

/// Warns that webhooks may reach private addresses.
pub fn warn_about_private_addresses() {
    tracing::warn!(
        setting = "delivery.danger_allow_private_addresses",
        "webhooks to private addresses are allowed: every user who can save a search can reach all services this machine can \
         reach. Do not use this in production"
    );
}

/// The file in the data folder that holds the admin key after the first start.
const ADMIN_KEY_FILE: &str = "admin-key";

/// Creates a key with all scopes if the store has no key yet: without one, no client could call the API. The key is written to a file.
/// Only a terminal shows it as well: other output ends in a journal that more people can read than the data folder.
async fn create_first_key(app: &App, data: &Path) -> anyhow::Result<()> {
    if !app.keys().await?.is_empty() {
        return Ok(());
    }
    let (_, text) = app.create_key("admin", Scopes::all()).await?;
    let (path, key) = (data.join(ADMIN_KEY_FILE), text.reveal());
    let written = write_secret(&path, &key);
    if let Err(error) = &written {
        tracing::error!(%error, path = %path.display(), "cannot write the admin key to a file");
    }
    // A key that is in no file would be lost.
    if written.is_err() || std::io::stdout().is_terminal() {
        output::print_line(&format!("Admin key, shown only once: {key}"));
    }
    if written.is_ok() {
        output::print_line(&format!(
            "The admin key is in {}, readable by this user only. Keep it elsewhere and delete the file.",
            path.display()
        ));
    }
    Ok(())
}

/// Writes a line to a file that only its owner can read. A file of an earlier folder is replaced, with its permissions.
fn write_secret(path: &Path, secret: &str) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{secret}")?;
    file.sync_all()
}

/// Shuts down gracefully on SIGINT or SIGTERM, and exits at once on a second signal.
pub fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot watch for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot watch for SIGTERM")?;
    let watch = async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        stop.cancel();
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        std::process::exit(130);
    };
    // Not tracked as a task: the shutdown waits for those, and this one starts the shutdown.
    #[expect(clippy::disallowed_methods, reason = "ends with the process; it cannot fail")]
    tokio::spawn(watch);
    Ok(())
}
