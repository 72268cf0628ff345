//! `bench serve`: a whole server with a million properties, from its start to its answers.
//!
//! The queries are those of `bench search`, asked over HTTP by clients on the same machine, which take their share of
//! its cores; each answer holds ten whole documents and the exact total. Beside the answers a second it shows how long a
//! start takes with and without a snapshot, and what a steady stream of adverts does to those who search.

pub mod client;
mod load;
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
    /// How many properties; there are half as many adverts again
    #[arg(long, default_value_t = 1_000_000)]
    properties: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A folder for the data, kept and used again; without it everything is made anew and thrown away
    #[arg(long)]
    folder: Option<PathBuf>,
    /// How many clients ask at the same time
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// How long each measurement takes
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// How many searches a second are asked while adverts come in, and before
    #[arg(long, default_value_t = 400)]
    searches_per_second: u64,
    /// How many adverts a second come in
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
    println!("each connection asks as soon as it is answered, the mix of five kinds:");
    println!("  first time  {}", load.flat_out(args.connections, seconds)?);
    println!("  once again  {}", load.flat_out(args.connections, seconds)?);
    println!("{} searches a second, two connections:", args.searches_per_second);
    let quiet = load.steady(args.searches_per_second, seconds)?;
    println!("  nothing else                {quiet}");
    let feed = market::Feed::new(&dataset, args.adverts_per_second, seconds)?;
    let busy = std::thread::scope(|scope| {
        let feeding = scope.spawn(|| feed.send(server.address, &key));
        let busy = load.steady(args.searches_per_second, seconds);
        let sent = feeding.join().unwrap_or_else(|_| anyhow::bail!("the feeding thread panicked"));
        anyhow::Ok((busy?, sent?))
    })?;
    println!("  {:.0} adverts a second as well {}", busy.1, busy.0);
    println!(
        "  the 99th percentile is {:.2} times as long",
        busy.0.percentile(99.0) / quiet.percentile(99.0)
    );
    println!("after that: {}", server.memory());
    let stopped = server.stop()?;
    println!("stop with a snapshot: {:.1} s", stopped.as_secs_f64());

    let (server, ready) = Process::start(&folder)?;
    println!("start from the snapshot: ready after {:.1} s, {}", ready.as_secs_f64(), server.memory());
    server.stop()?;
    Ok(())
}
