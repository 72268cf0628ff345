//! `bench alerts`: the time from the receipt of an advert to its recorded matches.
//!
//! A server with a market and saved searches ingests adverts at a steady rate. The benchmark reads the same data folder: the log
//! says which entry an advert created, and the checkpoint of the matcher says when that entry was matched. Matches and checkpoint
//! are committed in one transaction, so a reader that sees the checkpoint also sees the matches.

mod feed;
mod saved_searches;
mod trace;
mod watch;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use store::SqlStore;
use store::prelude::*;

use crate::search::dataset::Dataset;
use crate::serve::market;
use crate::serve::process::Process;
use feed::Feed;
use trace::Trace;
use watch::Watch;

#[derive(Debug, Args)]
pub struct AlertsArgs {
    /// Number of saved searches; one in ten has alerts
    #[arg(long, default_value_t = 100_000)]
    searches: u32,
    /// Number of properties before the measurement, with 1.5 adverts each
    #[arg(long, default_value_t = 100_000)]
    properties: u64,
    /// Adverts sent per second
    #[arg(long, default_value_t = 1_000)]
    adverts_per_second: u64,
    /// Duration of the measurement in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for temporary data [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// The target, printed next to the result.
const P99_BAR: Duration = Duration::from_millis(50);

/// Adverts sent before the measurement begins, because the first ones meet cold caches.
const WARM_UP: Duration = Duration::from_secs(2);

pub fn run(args: &AlertsArgs) -> anyhow::Result<()> {
    let above = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&above)?;
    let temporary = tempfile::Builder::new().prefix("alerts-").tempdir_in(above)?;
    let folder = temporary.path().join("data");
    let dataset = Dataset::new(args.properties, args.seed)?;
    let key = market::fill(&dataset, &folder)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = SqlStore::open(&folder)?;
    let started = Instant::now();
    runtime.block_on(saved_searches::insert_all(&store, &dataset, args.searches))?;
    let rate = f64::from(args.searches) / started.elapsed().as_secs_f64();
    println!("{} saved searches, one in ten with alerts, inserted at {rate:.0} per second", args.searches);

    let (server, ready) = Process::start(&folder)?;
    println!("start: ready after {:.1} s, {}", ready.as_secs_f64(), server.memory());
    let begun = Instant::now();
    let start = *store.head().borrow();
    watch::wait(&server, &key, start)?;
    println!(
        "the matcher caught up with {} log entries after another {:.1} s, {}",
        start.0,
        begun.elapsed().as_secs_f64(),
        server.memory()
    );

    let feed = Feed::new(&dataset, args.adverts_per_second, WARM_UP + Duration::from_secs(args.seconds))?;
    println!("{}", feed.describe());
    let watch = Watch::begin(&folder)?;
    let sent = feed.send(server.address, &key)?;
    let end = runtime.block_on(trace::head(&store, start))?;
    watch::wait(&server, &key, end)?;
    let seen = watch.end()?;
    let trace = runtime.block_on(Trace::read(&store, start, &sent))?;
    print!("{}", trace.report(&sent, &seen, WARM_UP, P99_BAR));
    println!("after that: {}", server.memory());
    server.stop()?;
    Ok(())
}
