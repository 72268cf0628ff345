//! The commands of `vigie`.

mod check_config;
mod compact;
mod deliveries;
mod demo;
mod import;
mod keys;
mod output;
mod serve;
mod sites;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use rustix::fs::Mode;
use rustix::process::umask;

use crate::config::{Config, Sources};

/// Holds the real-estate adverts of a country, answers searches over them, and tells clients what they wait for.
#[derive(Debug, Parser)]
#[command(name = "vigie", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service.
    Serve(serve::ServeArgs),
    /// See it alive: a generated market in a folder of its own, and what to try.
    Demo(demo::DemoArgs),
    /// Rewrite the database so that no byte of erased adverts is left in its files, and give room back.
    Compact(compact::CompactArgs),
    /// Take in a feed: one advert a line, as JSON.
    Import(import::ImportArgs),
    /// Make, list and revoke API keys. Works beside a running server, which honours it at once.
    Keys(keys::KeysArgs),
    /// Name sites and sort them into categories. Works beside a running server, which honours it at once.
    Sites(sites::SitesArgs),
    /// See what was sent and what came of it, and send it again. Works beside a running server.
    Deliveries(deliveries::DeliveriesArgs),
    /// Check the settings and print what they come to.
    CheckConfig(check_config::CheckConfigArgs),
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct Common {
    /// The folder that holds everything [default: ./vigie-data]
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
    /// A file with settings; `vigie check-config` prints them all
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
            // Variables that are no text are nobody's settings.
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }));
        Ok(sources.flag("--data", "store.data", self.data.clone()))
    }

    fn load(&self) -> anyhow::Result<Config> {
        loaded(self.sources()?)
    }
}

fn loaded(sources: Sources) -> anyhow::Result<Config> {
    Config::load(sources).map_err(|problems| {
        let list: Vec<String> = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        anyhow::anyhow!("the configuration has {} problem(s):{}", problems.len(), list.concat())
    })
}

/// Everything this process makes is for its own user alone: the database holds everybody's keys, secrets and addresses, and so do the
/// files beside it. Set before there is a second thread, because it holds for all of them.
fn keep_to_ourselves() {
    let ours_alone = Mode::RWXG | Mode::RWXO;
    let before = umask(ours_alone);
    // Whoever wanted it stricter still has it so.
    umask(before | ours_alone);
}

/// Runs a command to its end.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    keep_to_ourselves();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let ended = runtime.block_on(async {
        match cli.command {
            Command::Serve(args) => serve::run(args).await,
            Command::Demo(args) => demo::run(args).await,
            Command::Compact(args) => compact::run(args).await,
            Command::Import(args) => import::run(args).await,
            Command::Keys(args) => keys::run(args).await,
            Command::Sites(args) => sites::run(args).await,
            Command::Deliveries(args) => deliveries::run(args).await,
            Command::CheckConfig(args) => check_config::run(args),
        }
    });
    match ended {
        Err(error) if error.is::<output::ReaderGone>() => Ok(ExitCode::SUCCESS),
        ended => ended,
    }
}

/// Says why a command failed: the whole chain on one line.
pub fn report(error: &anyhow::Error) {
    output::note(&format!("vigie: {error:#}"));
}
