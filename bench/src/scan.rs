//! `bench scan`: reads every property of a data folder, as an index rebuild does.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use store::ScanPart;
use store::SqlStore;
use store::prelude::*;
use tokio::task::JoinSet;

#[derive(Debug, Args)]
pub struct ScanArgs {
    /// The data folder
    #[arg(long)]
    data: PathBuf,
    /// Number of partitions read in parallel
    #[arg(long, default_value_t = 2)]
    parts: usize,
    /// Properties per read
    #[arg(long, default_value_t = 512)]
    piece: usize,
}

#[tokio::main]
pub async fn run(args: &ScanArgs) -> anyhow::Result<()> {
    let store = Arc::new(SqlStore::open(&args.data)?);
    let start = Instant::now();
    let mut parts = JoinSet::new();
    for part in store.scan_parts(args.parts).await? {
        parts.spawn(read(Arc::clone(&store), part, args.piece));
    }
    let (mut properties, mut adverts) = (0, 0);
    while let Some(read) = parts.join_next().await {
        let read = read??;
        properties += read.0;
        adverts += read.1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{properties} properties in {adverts} adverts, in {} partitions: {seconds:.2} s, {:.1} µs per property",
        args.parts,
        seconds * 1e6 / f64::from(properties.max(1))
    );
    Ok(())
}

async fn read(store: Arc<SqlStore>, part: ScanPart, piece: usize) -> Result<(u32, usize), store::Error> {
    let (mut properties, mut adverts, mut next) = (0, 0, Some(part));
    while let Some(part) = next {
        let read = store.scan(part, piece).await?;
        properties += u32::try_from(read.properties.len()).unwrap_or(u32::MAX);
        adverts += read.properties.iter().map(|stored| stored.property.adverts.len()).sum::<usize>();
        next = read.rest;
    }
    Ok((properties, adverts))
}
