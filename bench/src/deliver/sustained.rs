//! Throughput with a full queue, from the first arrival to the last, of Vigie and of the peer.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;
use store::SqlStore;
use store::prelude::*;

use super::authority::Authority;
use super::market::{self, SearchScope};
use super::peer::{Marking, Peer};
use super::receiver::{Arrival, Hosts, Receiver};
use super::settings;
use crate::search::dataset::Dataset;
use crate::serve::process::Process;

/// The number of searches that match every advert.
pub const SEARCHES: usize = 20;

/// The in-flight limit per host of the server, and of the peer.
const PER_HOST: usize = 16;

/// The result of one sender.
pub struct Sustained {
    pub name: String,
    pub messages: usize,
    /// The maximum number of attempts in flight.
    pub in_flight: usize,
    /// From the first arrival to the last.
    pub took: Duration,
    /// The mean size of a body.
    pub bytes: usize,
}

impl Sustained {
    fn of(name: String, in_flight: usize, arrivals: &[Arrival]) -> Self {
        let first = arrivals.iter().map(|arrival| arrival.at).min();
        let last = arrivals.iter().map(|arrival| arrival.at).max();
        let took = first.zip(last).map_or(Duration::ZERO, |(first, last)| last - first);
        let bytes = arrivals.iter().map(|arrival| arrival.bytes).sum::<usize>() / arrivals.len().max(1);
        Self { name, messages: arrivals.len(), in_flight, took, bytes }
    }

    pub fn per_second(&self) -> f64 {
        self.messages as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

/// Measures Vigie. Returns some of the sent bodies as well.
pub fn ours(
    folder: &Path,
    authority: &Authority,
    dataset: &Dataset,
    hosts: u8,
) -> anyhow::Result<(Sustained, Vec<Vec<u8>>)> {
    ours_on(folder, authority, dataset, hosts, &|_| Ok(None))
}

/// Does the same. Before the server delivers, `move_to` may copy the folder to a database, and returns its address.
pub fn ours_on(
    folder: &Path,
    authority: &Authority,
    dataset: &Dataset,
    hosts: u8,
    move_to: &dyn Fn(&Path) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<(Sustained, Vec<Vec<u8>>)> {
    let receiver = Receiver::start(authority, hosts, Hosts::Healthy)?;
    let mut settings: Vec<(&str, String)> = settings(authority).into();
    let key = market::make_folder(folder)?;
    let (server, _) = Process::start_with(folder, &settings)?;
    market::save(&server, &key, &receiver, &[SearchScope::Everything; SEARCHES])?;
    server.stop()?;
    let drafts = market::adverts_for(dataset, 1)?;
    let messages = drafts.len() * SEARCHES;
    let started = Instant::now();
    market::ingest_and_match(folder, drafts)?;
    println!(
        "{} adverts ingested and matched with {SEARCHES} searches in {:.1} s, {messages} messages pending, {hosts} hosts",
        dataset.len(),
        started.elapsed().as_secs_f64()
    );
    let database = move_to(folder)?;
    settings.extend(database.clone().map(|database| ("VIGIE_STORE__DATABASE", database)));
    let (server, _) = Process::start_with(folder, &settings)?;
    let arrivals = receiver.take(messages)?;
    println!("after that: {}", server.memory());
    server.stop()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = match database {
        None => SqlStore::open(folder)?,
        Some(database) => SqlStore::connect(&database.parse()?)?,
    };
    let depth = runtime.block_on(store.queue_depth())?;
    ensure!((depth.pending, depth.leased) == (0, 0), "{depth:?}");
    let plural = if hosts == 1 { "" } else { "s" };
    let sustained =
        Sustained::of(format!("Vigie, {hosts} host{plural}"), PER_HOST * usize::from(hosts), &arrivals);
    Ok((sustained, receiver.samples()))
}

/// Measures the peer, with the in-flight limit of one host.
pub fn peer(
    folder: &Path,
    authority: &Authority,
    bodies: &[Vec<u8>],
    messages: usize,
    marking: Marking,
) -> anyhow::Result<Sustained> {
    let receiver = Receiver::start(authority, 1, Hosts::Healthy)?;
    let (name, file) = match marking {
        Marking::Each => ("a loop over a table, one mark per message", "each.sqlite"),
        Marking::Batch => ("a loop over a table, one mark per hundred", "batch.sqlite"),
    };
    let mut peer = Peer::new(&folder.join(file), bodies, messages, PER_HOST, receiver.address(), authority)?;
    peer.run(marking)?;
    Ok(Sustained::of(name.to_owned(), PER_HOST, &receiver.take(messages)?))
}
