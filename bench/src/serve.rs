//! `bench serve`: a running server with a million properties.
//!
//! The queries are those of `bench search`, sent over HTTP by clients that share the cores of the machine. Each response has ten
//! whole documents and the exact total. The benchmark also measures start-up with and without a snapshot, and search latency
//! during ingest.

pub mod client;
pub mod load;
pub mod market;
pub mod path;
pub mod process;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::search::dataset::Dataset;
use load::Load;
use process::Process;

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Number of properties, with 1.5 adverts each
    #[arg(long, default_value_t = 1_000_000)]
    properties: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Data folder to keep and reuse [default: a temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Number of concurrent clients
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// Duration of each measurement in seconds
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Searches per second, before and during ingest
    #[arg(long, default_value_t = 400)]
    searches_per_second: u64,
    /// Adverts sent per second
    #[arg(long, default_value_t = 2_000)]
    adverts_per_second: u64,
}

pub fn run(args: &ServeArgs) -> anyhow::Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = args.folder.clone().unwrap_or_else(|| temporary.path().join("data"));
    let dataset = Dataset::new(args.properties, args.seed)?;
    let key = market::fill(&dataset, &folder)?;
    let _ = std::fs::remove_dir_all(folder.join("index"));

    let (server, ready) = Process::start(&folder)?;
    println!("start without a snapshot: ready after {:.1} s, {}", ready.as_secs_f64(), server.memory());
    let seconds = Duration::from_secs(args.seconds);
    let load = Load::new(&dataset, server.address, &key);
    println!("mix of five kinds, each connection sends its next query at once:");
    println!("  first run   {}", load.closed_loop(args.connections, seconds)?);
    println!("  second run  {}", load.closed_loop(args.connections, seconds)?);
    println!("{} searches per second, two connections:", args.searches_per_second);
    let quiet = load.open_loop(args.searches_per_second, seconds)?;
    println!("  without ingest              {quiet}");
    let feed = market::Feed::new(&dataset, args.adverts_per_second, seconds)?;
    let busy = std::thread::scope(|scope| {
        let feeding = scope.spawn(|| feed.send(server.address, &key));
        let busy = load.open_loop(args.searches_per_second, seconds);
        let sent = feeding.join().unwrap_or_else(|_| anyhow::bail!("the feeding thread panicked"));
        anyhow::Ok((busy?, sent?))
    })?;
    println!("  with {:.0} adverts per second {}", busy.1, busy.0);
    println!("  ratio of the 99th percentiles: {:.2}", busy.0.percentile(99.0) / quiet.percentile(99.0));
    println!("after that: {}", server.memory());
    let stopped = server.stop()?;
    println!("stop with a snapshot: {:.1} s", stopped.as_secs_f64());

    let (server, ready) = Process::start(&folder)?;
    println!("start from the snapshot: ready after {:.1} s, {}", ready.as_secs_f64(), server.memory());
    server.stop()?;
    Ok(())
}
