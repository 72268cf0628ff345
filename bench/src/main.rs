//! Benchmarks of Vigie against alternatives, in one run on one machine. The ratios matter, not the absolute times.

mod alerts;
mod backup;
mod clusters;
mod deliver;
mod fairness;
mod grouping;
mod grouping_quality;
mod growth;
mod import;
mod latencies;
mod matching;
mod nodes;
mod pace;
mod processor_time;
mod scan;
mod search;
mod serve;
mod table;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

/// The allocator of the server. All engines in this process use it, so none gains or loses by its allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[derive(Debug, Parser)]
#[command(name = "bench")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Import throughput into an empty folder, and peak memory
    Import(import::ImportArgs),
    /// What grouping costs per advert, for stocks of several sizes
    Grouping(grouping::GroupingArgs),
    /// Search latency and throughput, against Tantivy, SQLite and PostgreSQL
    Search(search::SearchArgs),
    /// Matching of a property against saved searches, against brute force, SQLite and PostgreSQL
    Match(matching::MatchArgs),
    /// Time from the receipt of an advert to its recorded matches, in a running server
    Alerts(alerts::AlertsArgs),
    /// A backup of a running server while adverts arrive, and its restoration
    Backup(backup::BackupArgs),
    /// Counting a map's viewport by cell, in process and over HTTP while panning
    Clusters(clusters::ClustersArgs),
    /// Webhook throughput and latency, and the effect of a receiver that hangs
    Deliver(deliver::DeliverArgs),
    /// What one user notices while another one attacks: latencies alone and under each attack
    Fairness(fairness::FairnessArgs),
    /// Precision and recall of grouping on a market with hard cases, by kind of case
    GroupingQuality(grouping_quality::GroupingQualityArgs),
    /// A year of a market in motion on a simulated clock: rows and bytes by month, with retention and without
    Growth(growth::GrowthArgs),
    /// Servers on one PostgreSQL database: searches and deliveries beside the embedded database, and the lag between servers
    Nodes(nodes::NodesArgs),
    /// Reading every property of a data folder, as an index rebuild does
    Scan(scan::ScanArgs),
    /// A running server: start-up time, searches over HTTP, and searches during ingest
    Serve(serve::ServeArgs),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Import(args) => import::run(&args),
        Command::Grouping(args) => grouping::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Match(args) => matching::run(&args),
        Command::Alerts(args) => alerts::run(&args),
        Command::Backup(args) => backup::run(&args),
        Command::Clusters(args) => clusters::run(&args),
        Command::Deliver(args) => deliver::run(&args),
        Command::Fairness(args) => fairness::run(&args),
        Command::GroupingQuality(args) => grouping_quality::run(&args),
        Command::Growth(args) => growth::run(&args),
        Command::Nodes(args) => nodes::run(&args),
        Command::Scan(args) => scan::run(&args),
        Command::Serve(args) => serve::run(&args),
    }
}
