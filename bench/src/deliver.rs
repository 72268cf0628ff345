//! `bench deliver`: webhook throughput and latency over TLS, and the effect of a receiver that hangs on the others.
//!
//! The server and the receiver share the cores of the machine. The peer is a simple loop over a table.

mod authority;
mod market;
mod peer;
mod receiver;
mod report;
mod steady;
mod sustained;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::search::dataset::Dataset;
use authority::Authority;
use peer::Marking;
use receiver::Hosts;

#[derive(Debug, Args)]
pub struct DeliverArgs {
    /// Messages pending when the server starts; each advert matches twenty searches
    #[arg(long, default_value_t = 60_000)]
    messages: u64,
    /// Receiving hosts in the second run
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    hosts: u8,
    /// Adverts sent per second while delays are measured
    #[arg(long, default_value_t = 200)]
    adverts_per_second: u64,
    /// Duration of the delay measurement in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Measurements to run
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Measurement::Sustained, Measurement::Delay])]
    parts: Vec<Measurement>,
    /// Print Markdown tables
    #[arg(long)]
    markdown: bool,
    /// Folder for temporary data [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Measurement {
    Sustained,
    Delay,
}

/// Adverts sent before delays count: the first ones meet cold caches and open all connections.
const WARM_UP: Duration = Duration::from_secs(2);

pub fn run(args: &DeliverArgs) -> anyhow::Result<()> {
    let above = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&above)?;
    let temporary = tempfile::Builder::new().prefix("deliver-").tempdir_in(above)?;
    let folder = temporary.path();
    let authority = Authority::new(folder)?;
    if args.parts.contains(&Measurement::Sustained) {
        let adverts = args.messages.div_ceil(sustained::SEARCHES as u64);
        let dataset = Dataset::new(adverts, args.seed)?;
        let (one, bodies) = sustained::ours(&folder.join("one"), &authority, &dataset, 1)?;
        let (several, _) = sustained::ours(&folder.join("several"), &authority, &dataset, args.hosts)?;
        let mut peers = Vec::new();
        for marking in [Marking::Batch, Marking::Each] {
            peers.push(sustained::peer(folder, &authority, &bodies, one.messages, marking)?);
        }
        print!("{}", report::sustained(&[one, several], &peers, args.markdown));
    }
    if args.parts.contains(&Measurement::Delay) {
        let adverts = args.adverts_per_second * (WARM_UP.as_secs() + args.seconds);
        let dataset = Dataset::new(adverts, args.seed)?;
        let measure = |name: &str, hosts| {
            let folder = folder.join(name);
            steady::measure(&folder, &authority, &dataset, hosts, args.adverts_per_second)
        };
        let healthy = measure("healthy", Hosts::Healthy)?;
        let hanging = measure("hanging", Hosts::LastHangs)?;
        print!("{}", report::delays(&healthy, &hanging, args.markdown));
    }
    Ok(())
}

/// Measures how many messages a server delivers per second to four hosts. Before that, `move_to` may copy its folder to a database, and
/// returns its address.
pub fn sustained_rate(
    folder: &Path,
    messages: u64,
    seed: u64,
    move_to: &dyn Fn(&Path) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<f64> {
    std::fs::create_dir_all(folder)?;
    let authority = Authority::new(folder)?;
    let dataset = Dataset::new(messages.div_ceil(sustained::SEARCHES as u64), seed)?;
    let data = folder.join("data");
    Ok(sustained::ours_on(&data, &authority, &dataset, 4, move_to)?.0.per_second())
}

/// Returns the settings for deliveries to loopback addresses.
fn settings(authority: &Authority) -> [(&'static str, String); 4] {
    [
        // Hides the warning about private addresses.
        ("VIGIE_LOG__LEVEL", "error,server::cli::serve=info".to_owned()),
        ("VIGIE_DELIVERY__EXTRA_CA_FILE", authority.file().display().to_string()),
        ("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true".to_owned()),
        ("VIGIE_DELIVERY__PER_HOST_MINUTE_MAX", "0".to_owned()),
    ]
}
