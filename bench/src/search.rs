//! `bench search`: the same properties in Vigie and in the engines a user would pick instead, the same queries to each.
//!
//! All of it happens in one run on one machine: read the ratios, not the seconds. Engines answer one query at a time,
//! each first the queries whose answers are compared, so that nobody is measured cold.

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
mod vigie;
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
    /// How many properties; there are half as many adverts again
    #[arg(long, default_value_t = 1_000_000)]
    properties: u64,
    /// How many queries of each kind
    #[arg(long, alias = "questions", default_value_t = 2_000)]
    queries: usize,
    /// How long an engine may take over the queries of a kind; what it has answered by then is counted
    #[arg(long, default_value_t = 20)]
    seconds_per_kind: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which kinds of queries to ask
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Kind::ALL)]
    kinds: Vec<Kind>,
    /// Which peers to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Peer::MEASURED)]
    peers: Vec<Peer>,
    /// Where the peers keep their files while they are measured [default: the system's folder for such]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// How many properties change a second while the mix is asked once more
    #[arg(long, default_value_t = 2_000)]
    changes_per_second: u64,
    /// Ask a server as well, over HTTP; its folder has to be filled first, which takes minutes
    #[arg(long)]
    http: bool,
    /// Print tables for a page
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

/// Something that knows all properties and answers queries about them, one at a time.
pub trait Engine {
    fn name(&self) -> &str;

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits>;
}

pub fn run(args: &SearchArgs) -> anyhow::Result<()> {
    let above = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&above)?;
    // Gone after the engines, which are below.
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

/// A peer with everything in it; none where this machine does not have it, or none was asked for.
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
            postgres::Start::NotThere(reason) => {
                println!("PostgreSQL is not there: {reason}");
                return Ok(None);
            }
        },
    };
    eprintln!("{} has them after {:.0} s", engine.name(), started.elapsed().as_secs_f64());
    Ok(Some(engine))
}
