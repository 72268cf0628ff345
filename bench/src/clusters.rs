//! `bench clusters`: counting a map's viewport by cell, in this process and over HTTP.
//!
//! In process, every request has the whole country as its viewport and three filters: the transaction, the types and the budget. Each
//! distinct request is compared with a naive count, which generates the market again and tests one property after the other. Over HTTP,
//! clients pan: each viewport is an eighth of a screen from the one before.

mod naive;
mod viewports;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Args;
use domain::Clusters;
use engine::{Budget, ClusterRequest, Searcher};

use crate::latencies::Latencies;
use crate::search::dataset::Dataset;
use crate::search::vigie::Vigie;
use crate::serve::load::Load;
use crate::serve::market;
use crate::serve::process::Process;
use crate::table;
use naive::NaiveCount;

#[derive(Debug, Args)]
pub struct ClustersArgs {
    /// Number of properties, with 1.5 adverts each
    #[arg(long, default_value_t = 1_000_000)]
    properties: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of requests in process
    #[arg(long, default_value_t = 5_000)]
    requests: usize,
    /// Skip the server; filling its folder takes minutes
    #[arg(long)]
    in_process_only: bool,
    /// Data folder to keep and reuse [default: a temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Number of clients that pan at the same time
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// Duration of the measurement over HTTP in seconds
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Print Markdown tables
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: &ClustersArgs) -> anyhow::Result<()> {
    let dataset = Dataset::new(args.properties, args.seed)?;
    let vigie = Vigie::load(dataset.properties());
    eprintln!("{}", vigie.describe());
    let requests = viewports::whole_country()?;
    let searcher = vigie.index().searcher();
    compare(&dataset, &searcher, &requests)?;
    println!("{} requests: totals and cells equal to the naive count", requests.len());
    print!("{}", in_process(&searcher, &requests, args)?);
    drop((searcher, vigie));
    if args.in_process_only {
        return Ok(());
    }
    let temporary = tempfile::tempdir()?;
    let folder = args.folder.clone().unwrap_or_else(|| temporary.path().join("data"));
    let key = market::fill(&dataset, &folder)?;
    let (server, _) = Process::start(&folder)?;
    let load = Load::of_paths(server.address, &key, viewports::panning());
    let times = load.closed_loop(args.connections, Duration::from_secs(args.seconds))?;
    println!("panning over HTTP, {} connections: {times}", args.connections);
    server.stop()?;
    Ok(())
}

/// Fails if a result differs from the naive count.
fn compare(dataset: &Dataset, searcher: &Searcher, requests: &[ClusterRequest]) -> anyhow::Result<()> {
    let mut counts: Vec<NaiveCount<'_>> = requests.iter().map(NaiveCount::new).collect();
    for property in dataset.properties() {
        counts.iter_mut().for_each(|count| count.add(&property));
    }
    for count in counts {
        let found = searcher.clusters(count.request, &Budget::unlimited())?;
        ensure!(count.agrees(&found), "{:?} differs from the naive count", count.request);
    }
    Ok(())
}

fn in_process(
    searcher: &Searcher,
    requests: &[ClusterRequest],
    args: &ClustersArgs,
) -> anyhow::Result<String> {
    let mut times = Vec::with_capacity(args.requests);
    let (mut total, mut cells) = (0, 0);
    for request in requests.iter().cycle().take(args.requests) {
        let started = Instant::now();
        let found: Clusters = searcher.clusters(request, &Budget::unlimited())?;
        times.push(started.elapsed());
        total += found.total;
        cells += found.cells.len();
    }
    let latencies = Latencies::of(times);
    let each = |sum: usize| format!("{:.0}", sum as f64 / latencies.len().max(1) as f64);
    let row = vec![
        "whole country, three filters".to_owned(),
        each(total),
        each(cells),
        table::microseconds(latencies.percentile(50)),
        table::microseconds(latencies.percentile(99)),
        table::microseconds(latencies.max()),
    ];
    let head = ["Clusters in process", "Properties", "Cells", "Median µs", "p99 µs", "Maximum µs"];
    let mut text = String::new();
    let title = format!("{} requests over {} properties", latencies.len(), searcher.len());
    table::table(&mut text, &title, &head, &[row], args.markdown);
    Ok(text)
}
