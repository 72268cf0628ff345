//! Measurements of Vigie, each beside what a user would otherwise pick, in one run: read the ratios, not the seconds.

mod import;

use clap::{Parser, Subcommand};

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
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Import(args) => import::run(&args),
    }
}
