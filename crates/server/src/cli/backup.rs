//! `vigie backup`

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use backup::{DamagePolicy, Location, Made, MakeOptions};
use clap::Args;
use serde_json::json;
use store::Finding;
use tokio_util::sync::CancellationToken;

use super::backup_progress::ProgressPrinter;
use super::serve::stop_on_signal;
use super::{Common, output};
use crate::config::Config;
use crate::config::value;
use app::system::SystemClock;
use domain::Clock;

#[derive(Debug, Args)]
pub struct BackupArgs {
    #[command(flatten)]
    common: Common,
    /// Folder, file that ends in .db, or s3://BUCKET/PREFIX [default: the setting backup.target]
    target: Option<String>,
    /// Bytes to copy per second at most, such as 50MiB [default: the setting backup.rate]
    #[arg(long, value_name = "SIZE")]
    rate: Option<String>,
    /// Remove all but the newest backups of the target, after this one is complete
    #[arg(long, value_name = "COUNT")]
    keep: Option<usize>,
    /// Check the pages of the copy only, not every record in it
    #[arg(long)]
    no_verify: bool,
    /// Keep a backup whose records are damaged like those of the original
    #[arg(long)]
    accept_damage: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn run(args: BackupArgs) -> anyhow::Result<ExitCode> {
    let config = args.common.load()?;
    let bytes_per_second = match &args.rate {
        None => config.backup.bytes_per_second,
        Some(rate) => {
            let read = value::bytes(value::BACKUP_RATE_MAX)(rate);
            read.map_err(|wrong| anyhow::anyhow!("--rate: \"{rate}\" {wrong}"))?
        }
    };
    anyhow::ensure!(args.keep != Some(0), "--keep: at least one backup is kept");
    let location = match &args.target {
        Some(text) => Location::parse(text)?,
        None => config.backup.target.clone().context("name a target, or set backup.target")?,
    };
    anyhow::ensure!(
        config.is_embedded(),
        "`vigie backup` copies the embedded database; back up PostgreSQL with its own means (docs/operations.md)"
    );
    anyhow::ensure!(
        config.data.join(store::sqlite::FILE_NAME).exists(),
        "no Vigie database in {}: check --data or the setting store.data",
        config.data.display()
    );
    let target = location.open(&config.backup.s3)?;
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let printer = ProgressPrinter::new();
    let options = MakeOptions {
        keep: args.keep,
        verify_records: !args.no_verify,
        damage: if args.accept_damage { DamagePolicy::Accept } else { DamagePolicy::Refuse },
        report: printer.report(),
        ..options(&config, &SystemClock, bytes_per_second, stop)
    };
    let made = backup::make(&target, options).await;
    printer.finish();
    let made = made?;
    output::print(&if args.json { as_json(&made) } else { as_text(&made) })?;
    if let Some(error) = &made.rotation_error {
        output::eprint_line(&format!(
            "The backup is complete, but older ones could not be removed: {}",
            chain(error)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The options of a backup without anything special.
pub fn options(
    config: &Config,
    clock: &dyn Clock,
    bytes_per_second: usize,
    stop: CancellationToken,
) -> MakeOptions {
    MakeOptions {
        data: config.data.clone(),
        staging: staging(config),
        bytes_per_second: bytes_per_second as u64,
        keep: None,
        verify_records: true,
        damage: DamagePolicy::Refuse,
        now: clock.now(),
        vigie_version: env!("CARGO_PKG_VERSION"),
        report: std::sync::Arc::new(|_| {}),
        stop,
    }
}

/// Where a copy is made before it is uploaded.
fn staging(config: &Config) -> std::path::PathBuf {
    let default = || config.data.join("backup");
    config.backup.staging.as_deref().map_or_else(default, Path::to_path_buf)
}

fn as_text(made: &Made) -> String {
    let Made { address, manifest, findings, removed, rotation_error: _, wal_bytes: _ } = made;
    let mut text = format!(
        "{address}\t{} bytes\tlog position {}\t{} properties\n",
        manifest.bytes, manifest.log_position, manifest.properties
    );
    for name in removed {
        text += &format!("removed\t{name}\n");
    }
    for finding in findings {
        text += &format!("damaged\t{}\t{}\t{}\n", finding.kind.name(), finding.id, finding.problem);
    }
    text
}

fn as_json(made: &Made) -> String {
    let Made { address, manifest, findings, removed, rotation_error, wal_bytes } = made;
    let finding =
        |Finding { kind, id, problem }: &Finding| json!({"kind": kind.name(), "id": id, "problem": problem});
    let document = json!({
        "address": address,
        "manifest": manifest,
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "removed": removed,
        "rotationError": rotation_error.as_ref().map(chain),
        "walBytes": wal_bytes,
    });
    format!("{document}\n")
}

/// An error with its causes.
fn chain(error: &backup::Error) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
