//! How much is delivered when much is owed: from the first arrival to the last, by us and by a peer.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;
use store::prelude::*;
use store::sqlite::SqliteStore;

use super::authority::Authority;
use super::market::{self, Wanted};
use super::peer::{Marking, Peer};
use super::receiver::{Arrival, Hosts, Receiver};
use super::settings;
use crate::search::dataset::Dataset;
use crate::serve::process::Process;

/// So many hear of every advert.
pub const SEARCHES: usize = 20;

/// What the server allows one host, and so what the peer is allowed.
const PER_HOST: usize = 16;

/// What one sender did.
pub struct Sustained {
    pub name: String,
    pub messages: usize,
    /// Attempts that may be under way at once.
    pub under_way: usize,
    /// From the first arrival to the last.
    pub took: Duration,
    /// Of a message's body.
    pub bytes: usize,
}

impl Sustained {
    fn of(name: String, under_way: usize, arrivals: &[Arrival]) -> Self {
        let first = arrivals.iter().map(|arrival| arrival.at).min();
        let last = arrivals.iter().map(|arrival| arrival.at).max();
        let took = first.zip(last).map_or(Duration::ZERO, |(first, last)| last - first);
        let bytes = arrivals.iter().map(|arrival| arrival.bytes).sum::<usize>() / arrivals.len().max(1);
        Self { name, messages: arrivals.len(), under_way, took, bytes }
    }

    pub fn per_second(&self) -> f64 {
        self.messages as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

/// Ours, and some of what was sent.
pub fn ours(
    folder: &Path,
    authority: &Authority,
    dataset: &Dataset,
    hosts: u8,
) -> anyhow::Result<(Sustained, Vec<Vec<u8>>)> {
    let receiver = Receiver::start(authority, hosts, Hosts::Healthy)?;
    let settings = settings(authority);
    let key = market::make_folder(folder)?;
    let (server, _) = Process::start_with(folder, &settings)?;
    market::save(&server, &key, &receiver, &[Wanted::Everything; SEARCHES])?;
    server.stop()?;
    let drafts = market::adverts_for(dataset, 1)?;
    let messages = drafts.len() * SEARCHES;
    let started = Instant::now();
    market::take_in(folder, drafts)?;
    println!(
        "{} adverts taken in and matched with {SEARCHES} searches in {:.1} s, {messages} messages owed, {hosts} hosts",
        dataset.len(),
        started.elapsed().as_secs_f64()
    );
    let (server, _) = Process::start_with(folder, &settings)?;
    let arrivals = receiver.take(messages)?;
    println!("after that: {}", server.memory());
    server.stop()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let depth = runtime.block_on(SqliteStore::open(folder)?.queue_depth())?;
    ensure!((depth.pending, depth.leased) == (0, 0), "{depth:?}");
    let plural = if hosts == 1 { "" } else { "s" };
    let sustained =
        Sustained::of(format!("Vigie, {hosts} host{plural}"), PER_HOST * usize::from(hosts), &arrivals);
    Ok((sustained, receiver.samples()))
}

/// A peer's, with as much under way as one host is allowed.
pub fn peer(
    folder: &Path,
    authority: &Authority,
    bodies: &[Vec<u8>],
    messages: usize,
    marking: Marking,
) -> anyhow::Result<Sustained> {
    let receiver = Receiver::start(authority, 1, Hosts::Healthy)?;
    let (name, file) = match marking {
        Marking::Each => ("a loop over a table, each marked", "each.sqlite"),
        Marking::Batch => ("a loop over a table, a hundred marked at once", "batch.sqlite"),
    };
    let mut peer = Peer::new(&folder.join(file), bodies, messages, PER_HOST, receiver.address(), authority)?;
    peer.run(marking)?;
    Ok(Sustained::of(name.to_owned(), PER_HOST, &receiver.take(messages)?))
}
