//! `bench search`: runs the same queries over the same properties in Vigie and in its peers.
//!
//! Everything runs on one machine in one run: the ratios matter, not the absolute times. Engines answer one query at a time. The
//! queries whose results are compared come first and warm up each engine.

pub mod dataset;
mod measure;
mod over_http;
pub mod postgres;
pub mod query;
mod report;
mod row;
#[cfg(test)]
mod scan;
pub mod sphere;
mod sqlite;
mod tantivy;
#[cfg(test)]
mod tests;
mod top_k;
pub mod vigie;
pub mod words;
mod writing;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};

use dataset::Dataset;
use measure::Run;
use query::{Kind, Query, TopHits};

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Number of properties, with 1.5 adverts each
    #[arg(long, default_value_t = 1_000_000)]
    properties: u64,
    /// Number of queries of each kind
    #[arg(long, alias = "questions", default_value_t = 2_000)]
    queries: usize,
    /// Time limit per engine and kind in seconds; queries answered by then count
    #[arg(long, default_value_t = 20)]
    seconds_per_kind: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Kinds of queries
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Kind::ALL)]
    kinds: Vec<Kind>,
    /// Peers to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Peer::MEASURED)]
    peers: Vec<Peer>,
    /// Folder for the files of the peers [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Properties changed per second in the measurement with writes
    #[arg(long, default_value_t = 2_000)]
    changes_per_second: u64,
    /// Measure a server over HTTP as well; filling its folder takes minutes
    #[arg(long)]
    http: bool,
    /// Print Markdown tables
    #[arg(long)]
    markdown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Peer {
    Tantivy,
    Sqlite,
    Postgres,
    /// Vigie alone
    None,
}

impl Peer {
    const MEASURED: [Self; 3] = [Self::Tantivy, Self::Sqlite, Self::Postgres];
}

/// An engine that has all properties and answers one query at a time.
pub trait Engine {
    fn name(&self) -> &str;

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits>;
}

pub fn run(args: &SearchArgs) -> anyhow::Result<()> {
    let above = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&above)?;
    // Dropped after the engines, which are declared below.
    let folder = tempfile::Builder::new().prefix("search-").tempdir_in(above)?;
    let dataset = Dataset::new(args.properties, args.seed)?;
    eprintln!("{}", report::describe(&dataset));

    let started = Instant::now();
    let vigie = vigie::Vigie::load(dataset.properties());
    eprintln!("{}, after {:.0} s", vigie.describe(), started.elapsed().as_secs_f64());
    let index = vigie.index();
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(vigie)];
    if args.http {
        engines.push(Box::new(over_http::OverHttp::load(&dataset, folder.path())?));
    }
    for peer in &args.peers {
        engines.extend(load(*peer, &dataset, folder.path())?);
    }
    let run = Run {
        queries: args.queries,
        budget: Duration::from_secs(args.seconds_per_kind),
        kinds: args.kinds.clone(),
    };
    let kinds = measure::measure(&run, &dataset, &mut engines)?;
    print!("{}", report::tables(&kinds, args.markdown));
    let long = Duration::from_secs(args.seconds_per_kind);
    print!("\n{}", writing::measure(&dataset, &index, args.changes_per_second, long)?);
    Ok(())
}

/// Loads a peer with all properties; `None` if it is not installed.
fn load(peer: Peer, dataset: &Dataset, folder: &Path) -> anyhow::Result<Option<Box<dyn Engine>>> {
    let started = Instant::now();
    let engine: Box<dyn Engine> = match peer {
        Peer::None => return Ok(None),
        Peer::Tantivy => Box::new(tantivy::Tantivy::load(dataset.rows(), folder).context("Tantivy")?),
        Peer::Sqlite => Box::new(sqlite::Sqlite::load(dataset.rows(), folder).context("SQLite")?),
        Peer::Postgres => match postgres::Postgres::start(folder).context("PostgreSQL")? {
            postgres::Start::Ready(mut server) => {
                server.load(dataset.rows()).context("PostgreSQL")?;
                server
            }
            postgres::Start::NotAvailable(reason) => {
                println!("PostgreSQL is not available: {reason}");
                return Ok(None);
            }
        },
    };
    eprintln!("{}: loaded after {:.0} s", engine.name(), started.elapsed().as_secs_f64());
    Ok(Some(engine))
}
