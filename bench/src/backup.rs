//! `bench backup`: a backup of a running server while adverts arrive.
//!
//! A server with a market receives adverts at a steady rate, first alone and then while `vigie backup` copies it. Latency counts from the
//! scheduled time, so it includes queueing. Then the backup is restored elsewhere and compared with the original, record by record, at
//! the log position that its manifest names.

mod writers;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use domain::{Advert, Property};
use serde_json::Value;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use store::{Position, VersionLookup};

use crate::latencies::Latencies;
use crate::search::dataset::Dataset;
use crate::serve::market;
use crate::serve::process::Process;
use writers::{Load, Requests, Writers};

#[derive(Debug, Args)]
pub struct BackupArgs {
    /// Number of properties, with 1.5 adverts each
    #[arg(long, default_value_t = 100_000)]
    properties: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Data folder to keep and reuse [default: a temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Folder for the backup and the restored copy [default: a temporary folder]
    #[arg(long)]
    target: Option<PathBuf>,
    /// Adverts per second that arrive over HTTP
    #[arg(long, default_value_t = 2_000)]
    per_second: u64,
    /// Requests per second, in which they arrive
    #[arg(long, default_value_t = 100)]
    requests_per_second: u64,
    /// Duration of the measurement without a backup, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Longest duration of the backup in seconds: for how long adverts are prepared
    #[arg(long, default_value_t = 180)]
    backup_seconds_max: u64,
    /// Rate of the backup [default: that of the settings]
    #[arg(long)]
    rate: Option<String>,
    /// Only restore and compare the backup that an earlier run has left
    #[arg(long, requires_all = ["folder", "target"])]
    restore_only: bool,
}

/// Time before the first measurement, for caches and the first checkpoint.
const WARM_UP: Duration = Duration::from_secs(10);

/// How long to wait until the server has caught up with what arrived while it was warming up. If it takes longer, the load is too high for
/// it, and the latencies say so.
const CATCH_UP_MAX: Duration = Duration::from_secs(60);

/// A server that takes requests within this time has caught up.
const IN_TIME: Duration = Duration::from_secs(1);

/// The target: the p99 of writers during the backup, divided by that before.
const BAR: f64 = 2.0;

/// Records compared at once.
const PAGE: usize = 500;

pub fn run(args: &BackupArgs) -> anyhow::Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = args.folder.clone().unwrap_or_else(|| temporary.path().join("data"));
    let target = args.target.clone().unwrap_or_else(|| temporary.path().join("target"));
    let (backups, elsewhere) = (target.join("backups"), target.join("restored"));
    if args.restore_only {
        let position = position_of(&newest_manifest(&backups)?)?;
        return restore(&folder, &backups, &elsewhere, position);
    }
    let dataset = Dataset::new(args.properties, args.seed)?;
    let key = market::fill(&dataset, &folder)?;
    let duration = WARM_UP + CATCH_UP_MAX + Duration::from_secs(args.seconds + args.backup_seconds_max);
    let load = Load { adverts_per_second: args.per_second, requests_per_second: args.requests_per_second };
    let requests = Requests::prepare(&dataset, load, duration)?;
    let (server, ready) = Process::start(&folder)?;
    println!("ready after {:.1} s, {}", ready.as_secs_f64(), server.memory());

    let writers = Writers::new(server.address, &key, requests);
    // A server that has just started takes its first adverts when the signatures of grouping are in memory.
    let started = Instant::now();
    writers.send_first()?;
    println!("first adverts taken after another {:.1} s", started.elapsed().as_secs_f64());
    // The largest size of the write-ahead log that was seen.
    let wal_max = AtomicU64::new(0);
    let (manifest, seconds) = std::thread::scope(|scope| {
        let sending = scope.spawn(|| writers.send());
        let measured = || -> anyhow::Result<_> {
            wait(WARM_UP);
            catch_up(&writers);
            wait(Duration::from_secs(args.seconds));
            let before = writers.take();
            print_latencies("before", &before);
            let started = Instant::now();
            let made = vigie_backup(&folder, &backups, args.rate.as_deref(), &wal_max)?;
            let seconds = started.elapsed().as_secs_f64();
            let meanwhile = writers.take();
            print_latencies("during the backup", &meanwhile);
            print_ratio(&before, &meanwhile);
            Ok((made["manifest"].clone(), seconds))
        };
        let measured = measured();
        writers.stop();
        let sent = sending.join().unwrap_or_else(|_| anyhow::bail!("the sender panicked"))?;
        println!("{sent} adverts were acknowledged in all; {}", server.memory());
        measured
    })?;
    let bytes = manifest["bytes"].as_f64().context("no size")?;
    println!(
        "backup: {:.2} GB in {seconds:.1} s with verification, {} records verified; write-ahead log {:.2} GB at most",
        bytes / 1e9,
        manifest["verifiedRecords"],
        wal_max.load(Ordering::Relaxed) as f64 / 1e9
    );
    server.stop()?;
    restore(&folder, &backups, &elsewhere, position_of(&manifest)?)
}

fn position_of(manifest: &Value) -> anyhow::Result<Position> {
    Ok(Position(manifest["logPosition"].as_u64().context("no position")?))
}

/// Returns the manifest of the newest backup in a folder: names are dated.
fn newest_manifest(backups: &Path) -> anyhow::Result<Value> {
    let files = std::fs::read_dir(backups)?.map(|entry| Ok(entry?.path()));
    let files = files.collect::<anyhow::Result<Vec<PathBuf>>>()?;
    let manifests = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "json"));
    let newest = manifests.max().context("there is no backup")?;
    Ok(serde_json::from_slice(&std::fs::read(newest)?)?)
}

/// Restores the newest backup elsewhere, and compares it with the original.
fn restore(folder: &Path, backups: &Path, elsewhere: &Path, position: Position) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut restore = vigie();
    restore.arg("restore").arg(backups).arg("--hold-deliveries").arg("--data").arg(elsewhere);
    let restored = restore.stderr(Stdio::inherit()).output().context("cannot run vigie")?;
    ensure!(restored.status.success(), "the restoration failed");
    print!(
        "restored in {:.1} s: {}",
        started.elapsed().as_secs_f64(),
        String::from_utf8_lossy(&restored.stdout)
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(compare(folder, elsewhere, position))
}

#[expect(clippy::disallowed_methods, reason = "measuring for a while is waiting")]
fn wait(duration: Duration) {
    std::thread::sleep(duration);
}

/// Waits until requests are taken in time.
fn catch_up(writers: &Writers<'_>) {
    let started = Instant::now();
    writers.take();
    while started.elapsed() < CATCH_UP_MAX {
        wait(IN_TIME);
        let taken = writers.take();
        if taken.len() > 0 && taken.max() < IN_TIME {
            break;
        }
    }
    println!("caught up after another {:.1} s", started.elapsed().as_secs_f64());
}

fn milliseconds(latency: Duration) -> f64 {
    latency.as_secs_f64() * 1e3
}

fn print_latencies(title: &str, latencies: &Latencies) {
    println!(
        "writers {title}: {} requests, p50 {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
        latencies.len(),
        milliseconds(latencies.percentile(50)),
        milliseconds(latencies.percentile(99)),
        milliseconds(latencies.max())
    );
}

fn print_ratio(before: &Latencies, meanwhile: &Latencies) {
    let ratio =
        |percent| milliseconds(meanwhile.percentile(percent)) / milliseconds(before.percentile(percent));
    let verdict = if ratio(99) <= BAR { "within" } else { "beyond" };
    println!("p50 × {:.2}, p99 × {:.2}, {verdict} the bar of {BAR}", ratio(50), ratio(99));
}

/// The command beside this program.
fn vigie() -> Command {
    let path = std::env::current_exe().map(|path| path.with_file_name("vigie"));
    Command::new(path.unwrap_or_else(|_| PathBuf::from("vigie")))
}

/// Runs a backup and watches the write-ahead log meanwhile. Returns what it printed.
fn vigie_backup(
    folder: &Path,
    target: &Path,
    rate: Option<&str>,
    wal_max: &AtomicU64,
) -> anyhow::Result<Value> {
    let mut command = vigie();
    command.arg("backup").arg(target).arg("--json").arg("--data").arg(folder);
    if let Some(rate) = rate {
        command.args(["--rate", rate]);
    }
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot run vigie")?;
    let wal = folder.join(format!("{FILE_NAME}-wal"));
    while child.try_wait()?.is_none() {
        wal_max.fetch_max(std::fs::metadata(&wal).map_or(0, |file| file.len()), Ordering::Relaxed);
        wait(Duration::from_millis(50));
    }
    let ended = child.wait_with_output()?;
    ensure!(ended.status.success(), "the backup failed");
    Ok(serde_json::from_slice(&ended.stdout)?)
}

/// Returns a version without the dates of crawls: a crawl that changes nothing is noted in the version that it found.
fn without_crawls(property: &Property) -> Property {
    let adverts = property.adverts.iter().map(|advert| {
        let advert = advert.without_timeline();
        Advert { last_crawled_at: advert.created_at, updated_at: advert.created_at, ..advert }
    });
    Property { adverts: adverts.collect(), ..property.clone() }
}

/// Compares a restored folder with the original as it was at a position.
async fn compare(original: &Path, restored: &Path, position: Position) -> anyhow::Result<()> {
    let (original, restored) = (SqlStore::open(original)?, SqlStore::open(restored)?);
    let head = *restored.head().borrow();
    ensure!(head == position, "the copy is at {head:?}, its manifest says {position:?}");
    let mut at = Position::START;
    while at < position {
        let mut expected = original.log_after(at, PAGE).await?;
        expected.retain(|entry| entry.position <= position);
        let found = restored.log_after(at, PAGE).await?;
        ensure!(expected == found, "the logs differ after {at:?}");
        at = found.last().context("the log ends too early")?.position;
    }
    let mut properties = 0;
    for part in restored.scan_parts(1).await? {
        let mut next = Some(part);
        while let Some(part) = next {
            let page = restored.scan(part, PAGE).await?;
            ensure!(page.damaged.is_empty(), "damaged: {:?}", page.damaged);
            let versions = page.properties.iter().map(|found| (found.property.id, found.version)).collect();
            let expected = original.properties_at(versions).await?;
            for (found, expected) in page.properties.iter().zip(expected) {
                let is_equal = matches!(&expected, VersionLookup::Intact(property)
                    if without_crawls(property) == without_crawls(&found.property));
                ensure!(is_equal, "property {} differs", found.property.id);
                properties += 1;
            }
            next = page.rest;
        }
    }
    println!(
        "the copy is equal to the original at position {}: {} log entries, {properties} properties; the original is at {}",
        position.0,
        at.0,
        original.head().borrow().0
    );
    Ok(())
}
