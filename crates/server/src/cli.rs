//! The command line of `vigie`.

pub(crate) mod backup;
mod backup_progress;
mod check_config;
mod client;
mod compact;
mod deliveries;
mod demo;
mod import;
mod keys;
mod listen;
mod mcp;
mod migrate;
mod output;
mod properties;
mod receiver;
mod regroup;
mod restore;
mod serve;
mod sites;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use rustix::fs::Mode;
use rustix::process::umask;

use crate::config::{Config, Sources};

/// Stores real-estate adverts, searches them, and notifies clients of new matches by webhook and e-mail.
#[derive(Debug, Parser)]
#[command(name = "vigie", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server.
    Serve(serve::ServeArgs),
    /// Run a demo server with a generated market, and print example requests.
    Demo(demo::DemoArgs),
    /// Rewrite the database: removes all traces of erased adverts from its files and frees disk space.
    Compact(compact::CompactArgs),
    /// Check every record and index of the database, and repair what is damaged. Works while a server is running.
    Verify(verify::VerifyArgs),
    /// Back up the database to a folder, a file or S3-compatible storage. Works while a server is running.
    Backup(backup::BackupArgs),
    /// Restore a backup into a new data folder.
    Restore(restore::RestoreArgs),
    /// Copy everything to another database: from a data folder to PostgreSQL, or back. No server may be running.
    Migrate(migrate::MigrateArgs),
    /// Import a feed: one advert per line, an export of another Vigie, CSV, or a format of the trade.
    Import(import::ImportArgs),
    /// Create, list, change and revoke API keys. A running server applies changes at once.
    Keys(keys::KeysArgs),
    /// Name sites and assign them to categories. A running server applies changes at once.
    Sites(sites::SitesArgs),
    /// Merge and split properties, and show why adverts are one property. Works while a server is running.
    Properties(properties::PropertiesArgs),
    /// Judge all adverts again: which are one property? Works while a server is running.
    Regroup(regroup::RegroupArgs),
    /// List, inspect and replay deliveries, or hold them all. Works while a server is running.
    Deliveries(deliveries::DeliveriesArgs),
    /// Receive webhooks on this machine, verify and print them. For the development of a receiver.
    Listen(listen::ListenArgs),
    /// Offer the API to an assistant: the Model Context Protocol on standard input and output.
    Mcp(mcp::McpArgs),
    /// Validate the settings and print the effective values.
    CheckConfig(check_config::CheckConfigArgs),
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct Common {
    /// Data folder [default: ./vigie-data]
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
    /// PostgreSQL database, postgres://user:password@host/database [default: embedded in the data folder]
    #[arg(long, value_name = "ADDRESS")]
    database: Option<String>,
    /// Configuration file; `vigie check-config --defaults` prints all settings
    #[arg(long, value_name = "FILE", env = "VIGIE_CONFIG")]
    config: Option<PathBuf>,
}

impl Common {
    fn sources(&self) -> anyhow::Result<Sources> {
        let mut sources = Sources::defaults();
        if let Some(path) = &self.config {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read the configuration file {}", path.display()))?;
            sources = sources.file(&path.display().to_string(), &text);
        }
        let sources = sources.environment(std::env::vars_os().filter_map(|(name, value)| {
            // A variable that is not valid UTF-8 is not a setting of ours.
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }));
        Ok(sources.flag("--data", "store.data", self.data.clone()).flag(
            "--database",
            "store.database",
            self.database.clone(),
        ))
    }

    fn load(&self) -> anyhow::Result<Config> {
        load_config(self.sources()?)
    }
}

fn load_config(sources: Sources) -> anyhow::Result<Config> {
    Config::load(sources).map_err(|problems| {
        let list: Vec<String> = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        anyhow::anyhow!("invalid configuration, {} problem(s):{}", problems.len(), list.concat())
    })
}

/// Makes files of this process readable by its own user only: the database and the files next to it contain keys, secrets and
/// addresses of all users. Must run before other threads start, because the umask applies to the whole process.
fn restrict_umask() {
    let others = Mode::RWXG | Mode::RWXO;
    let inherited = umask(others);
    // Keep an inherited umask that is stricter.
    umask(inherited | others);
}

/// Runs a command and returns its exit code.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    restrict_umask();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let result = runtime.block_on(async {
        match cli.command {
            Command::Serve(args) => serve::run(args).await,
            Command::Demo(args) => demo::run(args).await,
            Command::Compact(args) => compact::run(args).await,
            Command::Verify(args) => verify::run(args).await,
            Command::Backup(args) => backup::run(args).await,
            Command::Restore(args) => restore::run(args).await,
            Command::Migrate(args) => migrate::run(args).await,
            Command::Import(args) => import::run(args).await,
            Command::Keys(args) => keys::run(args).await,
            Command::Sites(args) => sites::run(args).await,
            Command::Properties(args) => properties::run(args).await,
            Command::Regroup(args) => regroup::run(args).await,
            Command::Deliveries(args) => deliveries::run(args).await,
            Command::Listen(args) => listen::run(args).await,
            Command::Mcp(args) => mcp::run(args).await,
            Command::CheckConfig(args) => check_config::run(args),
        }
    });
    match result {
        Err(error) if error.is::<output::OutputClosed>() => Ok(ExitCode::SUCCESS),
        result => result,
    }
}

/// Prints why a command failed: the error and its causes on one line.
pub fn print_error(error: &anyhow::Error) {
    output::eprint_line(&format!("vigie: {error:#}"));
}
