//! `bench alerts`: how long it takes from the receipt of an advert until its matches are recorded.
//!
//! A server on a folder with a market and saved searches takes adverts in at a steady pace. The same folder is read beside it:
//! the log says which entry an advert made, and the matcher's checkpoint when that entry was matched. Matches and checkpoint are
//! one transaction, so that whoever sees the one could read the other.

mod feed;
mod trace;
mod waiting;
mod watch;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use store::prelude::*;
use store::sqlite::SqliteStore;

use crate::search::dataset::Dataset;
use crate::serve::market;
use crate::serve::process::Process;
use feed::Feed;
use trace::Trace;
use watch::Watch;

#[derive(Debug, Args)]
pub struct AlertsArgs {
    /// How many saved searches; one in ten has alerts
    #[arg(long, default_value_t = 100_000)]
    searches: u32,
    /// How many properties are there before; there are half as many adverts again
    #[arg(long, default_value_t = 100_000)]
    properties: u64,
    /// How many adverts a second come in
    #[arg(long, default_value_t = 1_000)]
    adverts_per_second: u64,
    /// How long they do
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the data is kept while it is measured [default: the system's folder for such]
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// What was hoped for; told beside the figures.
const P99_BAR: Duration = Duration::from_millis(50);

/// Adverts that come in before the measurement begins: the first ones meet cold caches, as they do once after every start.
const WARM_UP: Duration = Duration::from_secs(2);

pub fn run(args: &AlertsArgs) -> anyhow::Result<()> {
    let above = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&above)?;
    let temporary = tempfile::Builder::new().prefix("alerts-").tempdir_in(above)?;
    let folder = temporary.path().join("data");
    let dataset = Dataset::new(args.properties, args.seed)?;
    let key = market::fill(&dataset, &folder)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = SqliteStore::open(&folder)?;
    let started = Instant::now();
    runtime.block_on(waiting::put_all(&store, &dataset, args.searches))?;
    let rate = f64::from(args.searches) / started.elapsed().as_secs_f64();
    println!("{} saved searches, one in ten with alerts, put in at {rate:.0} a second", args.searches);

    let (server, ready) = Process::start(&folder)?;
    println!("start: ready after {:.1} s, {}", ready.as_secs_f64(), server.memory());
    let begun = Instant::now();
    let start = *store.head().borrow();
    watch::wait(&server, &key, start)?;
    println!(
        "the matcher has caught up with {} entries of the log after {:.1} s more, {}",
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
