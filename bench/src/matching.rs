//! `bench match`: matches the same properties against the same saved searches in Vigie and in its peers.
//!
//! Everything runs on one machine in one run: the ratios matter, not the absolute times. Engines process one property at a time on
//! one core. The time from the property to the numbers of the matching searches counts. A result that differs from that of Vigie
//! fails the run.

mod brute_force;
pub mod draw;
pub mod generated_search;
mod measure;
mod postgres;
mod report;
mod row;
mod sqlite;
#[cfg(test)]
mod tests;
mod text;
mod vigie;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};
use domain::Property;

use crate::search::dataset::Dataset;
use draw::Searches;
use measure::{Memory, OurResult, PeerResult};
use vigie::Vigie;

#[derive(Debug, Args)]
pub struct MatchArgs {
    /// Numbers of saved searches, each measured separately
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000])]
    searches: Vec<u32>,
    /// Number of properties to match, with 1.5 adverts each
    #[arg(long, default_value_t = 10_000)]
    properties: u64,
    /// Peers to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Peer::MEASURED)]
    peers: Vec<Peer>,
    /// Time limit per peer in seconds, doubled while its results are still compared; properties matched by then count
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the files of the peers [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Print Markdown tables
    #[arg(long)]
    markdown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Peer {
    /// Every saved search evaluated in turn
    #[value(alias = "every")]
    BruteForce,
    Sqlite,
    Postgres,
    /// Vigie alone
    None,
}

impl Peer {
    const MEASURED: [Self; 3] = [Self::BruteForce, Self::Sqlite, Self::Postgres];
}

/// An engine that has all saved searches and finds those that match a property.
pub trait Engine {
    fn name(&self) -> &str;

    /// Returns the numbers of the matching searches, each once, in any order.
    fn matches(&mut self, property: &Property) -> anyhow::Result<Vec<u32>>;
}

pub fn run(args: &MatchArgs) -> anyhow::Result<()> {
    let above = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&above)?;
    let folder = tempfile::Builder::new().prefix("match-").tempdir_in(above)?;
    let dataset = Dataset::new(args.properties, args.seed)?;
    let searches = Searches::new(&dataset);
    let properties: Vec<Property> = dataset.properties().collect();
    println!("{}", report::describe(&dataset, &properties));
    for count in args.searches.iter().copied() {
        let (ours, peers) = measure_all(args, count, &searches, &properties, folder.path())?;
        print!("\n{}", report::tables(count, &ours, &peers, args.markdown));
    }
    Ok(())
}

fn measure_all(
    args: &MatchArgs,
    count: u32,
    searches: &Searches<'_>,
    properties: &[Property],
    folder: &Path,
) -> anyhow::Result<(OurResult, Vec<PeerResult>)> {
    let (memory, started) = (Memory::now(), Instant::now());
    let (mut vigie, loading) = Vigie::load(searches, count)?;
    let memory = Memory::now().since(memory);
    eprintln!("Vigie: {count} searches loaded after {:.0} s", started.elapsed().as_secs_f64());
    let matched = measure::match_all(&mut vigie, properties);
    let times = measure::vigie(&mut vigie, properties);
    let churn = vigie.churn(searches, count)?;
    let ours = OurResult { matched, times, loading, churn, bytes: vigie.bytes(), memory };
    drop(vigie);
    let mut peers = Vec::new();
    for peer in &args.peers {
        // One at a time, so that only one takes memory.
        let Some(mut engine) = load(*peer, count, searches, folder)? else { continue };
        let budget = Duration::from_secs(args.seconds);
        peers.push(measure::peer(engine.as_mut(), properties, &ours, budget)?);
    }
    Ok((ours, peers))
}

/// Loads a peer with all searches; `None` if it is not installed.
fn load(
    peer: Peer,
    count: u32,
    searches: &Searches<'_>,
    folder: &Path,
) -> anyhow::Result<Option<Box<dyn Engine>>> {
    let started = Instant::now();
    let engine: Box<dyn Engine> = match peer {
        Peer::None => return Ok(None),
        Peer::BruteForce => Box::new(brute_force::BruteForce::load(searches, count)?),
        Peer::Sqlite => Box::new(sqlite::Sqlite::load(searches, count, folder).context("SQLite")?),
        Peer::Postgres => match postgres::Postgres::load(searches, count, folder).context("PostgreSQL")? {
            Some(engine) => Box::new(engine),
            None => return Ok(None),
        },
    };
    eprintln!("{}: loaded after {:.0} s", engine.name(), started.elapsed().as_secs_f64());
    Ok(Some(engine))
}
