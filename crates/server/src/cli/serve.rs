//! `vigie serve`

use std::process::ExitCode;

use anyhow::Context;
use app::App;
use clap::Args;
use delivery::webhook::AddressPolicy;
use domain::Scopes;
use store::sqlite::ServerLock;
use tokio_util::sync::CancellationToken;

use super::{Common, loaded, output};
use crate::config::ConfigWarning;
use crate::http::Shared;
use crate::serve::Server;
use crate::{open, open_files, telemetry};

#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    common: Common,
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
}

pub async fn run(args: ServeArgs) -> anyhow::Result<ExitCode> {
    let config = loaded(args.common.sources()?.flag("--listen", "server.listen", args.listen))?;
    telemetry::start(&config.log)?;
    if config.delivery.addresses == AddressPolicy::DangerAllowPrivate {
        warn_of_private_addresses();
    }
    for ConfigWarning { setting, message } in config.email.warnings() {
        tracing::warn!(setting, "{setting} {message}");
    }
    open_files::allow(&config);
    let _lock = ServerLock::acquire(&config.data)?;
    let app = open::serving(&config)?;
    let stop = CancellationToken::new();
    let shared = Shared::new(app.clone(), config, stop.clone())?;
    let server = Server::bind(shared.clone())
        .await
        .with_context(|| format!("cannot listen on {}", shared.config.listen))?;
    greet(&app).await?;
    stop_on_signal(stop)?;
    tracing::info!(address = %server.address()?, data = %shared.config.data.display(), "vigie is listening");
    server.run().await;
    Ok(ExitCode::SUCCESS)
}

/// Says what it means that messages may go to private addresses.
pub fn warn_of_private_addresses() {
    tracing::warn!(
        setting = "delivery.danger_allow_private_addresses",
        "messages may go to private addresses: whoever may save a search can reach whatever this machine can"
    );
}

/// On a store without any key nobody could ever call: the first start makes one that may do everything.
async fn greet(app: &App) -> anyhow::Result<()> {
    if app.keys().await?.is_empty() {
        let (_, text) = app.create_key("admin", Scopes::all()).await?;
        output::say(&format!("Admin key, shown this once: {}", text.reveal()));
    }
    Ok(())
}

/// Ctrl-C and SIGTERM end the process gracefully; a second one ends it at once.
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
    // Not one of the tasks a shutdown waits for: it is what starts the shutdown.
    #[expect(clippy::disallowed_methods, reason = "ends with the process; it cannot fail")]
    tokio::spawn(watch);
    Ok(())
}
