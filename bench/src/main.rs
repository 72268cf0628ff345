//! Measurements of Vigie, each beside what a user would otherwise pick, in one run: read the ratios, not the seconds.

mod alerts;
mod deliver;
mod import;
mod latencies;
mod matching;
mod pace;
mod scan;
mod search;
mod serve;
mod table;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

/// That of the server, and so of every engine in this process: whoever makes more small things is not the slower for it.
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
    /// Adverts a second into an empty folder, and the memory it takes.
    Import(import::ImportArgs),
    /// Queries a second, beside Tantivy, SQLite and PostgreSQL.
    Search(search::SearchArgs),
    /// From an arriving property to the saved searches that want it, beside SQLite and PostgreSQL.
    Match(matching::MatchArgs),
    /// From the receipt of an advert to its recorded matches, in a whole server.
    Alerts(alerts::AlertsArgs),
    /// Webhooks a second, how long they take to arrive, and what a receiver that hangs does to others.
    Deliver(deliver::DeliverArgs),
    /// Reading every property of a folder, as a rebuild of the index does.
    Scan(scan::ScanArgs),
    /// A whole server: its start, its answers over HTTP, and what a stream of adverts does to them.
    Serve(serve::ServeArgs),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Import(args) => import::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Match(args) => matching::run(&args),
        Command::Alerts(args) => alerts::run(&args),
        Command::Deliver(args) => deliver::run(&args),
        Command::Scan(args) => scan::run(&args),
        Command::Serve(args) => serve::run(&args),
    }
}
