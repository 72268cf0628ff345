//! `bench nodes`: servers on one PostgreSQL database, beside a server with the embedded database.
//!
//! The same market is in both: it is filled once and copied as `vigie migrate` does. PostgreSQL has its default durability, and shares
//! the cores with the servers and the clients.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use local_postgres::Server;
use store::transfer::{StoreAddress, TransferOptions, transfer};

use crate::deliver;
use crate::latencies::Latencies;
use crate::pace;
use crate::processor_time;
use crate::search::dataset::Dataset;
use crate::serve::client::Client;
use crate::serve::load::Load;
use crate::serve::market::{self, Feed};
use crate::serve::process::Process;

#[derive(Debug, Args)]
pub struct NodesArgs {
    /// Measure this only
    #[arg(long)]
    only: Option<Measurement>,
    /// Number of properties, with 1.5 adverts each
    #[arg(long, default_value_t = 100_000)]
    properties: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of concurrent clients that search
    #[arg(long, default_value_t = 9)]
    connections: usize,
    /// Duration of each measurement in seconds
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Adverts sent per second while the lag is measured
    #[arg(long, default_value_t = 2_000)]
    adverts_per_second: u64,
    /// How many of these adverts are in one request
    #[arg(long, default_value_t = 100)]
    adverts_per_request: u64,
    /// Number of connections that send these adverts
    #[arg(long, default_value_t = 4)]
    senders: usize,
    /// Messages pending when a server starts to deliver them
    #[arg(long, default_value_t = 40_000)]
    messages: u64,
    /// Folder for temporary data [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measurement {
    Search,
    Lag,
    Deliveries,
}

/// How often the position of one server is asked of another.
const PROBES_PER_SECOND: u64 = 50;

/// Searches are measured by turns, because the speed of a machine changes within minutes.
const ROUNDS: usize = 2;

pub fn run(args: &NodesArgs) -> anyhow::Result<()> {
    let above = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&above)?;
    let temporary = tempfile::Builder::new().prefix("nodes-").tempdir_in(above)?;
    let folder = temporary.path();
    let programs = Server::programs().context("PostgreSQL is not installed")?;
    let postgres = Server::start(programs, folder, "shared_buffers = 512MB\nmax_connections = 200")?;
    let measures = |part| args.only.is_none_or(|only| only == part);
    if measures(Measurement::Search) || measures(Measurement::Lag) {
        let embedded = folder.join("embedded");
        let dataset = Dataset::new(args.properties, args.seed)?;
        let key = market::fill(&dataset, &embedded)?;
        let database = copy(&embedded, &postgres)?;
        if measures(Measurement::Search) {
            search(args, folder, &embedded, (&postgres, &database), &dataset, &key)?;
        }
        if measures(Measurement::Lag) {
            lag(args, folder, &database, &dataset, &key)?;
        }
    }
    if measures(Measurement::Deliveries) {
        deliveries(args, folder, &postgres)?;
    }
    Ok(())
}

fn deliveries(args: &NodesArgs, folder: &Path, postgres: &Server) -> anyhow::Result<()> {
    let per_second = |name: &str, postgres: Option<&Server>| {
        let database = |folder: &Path| postgres.map(|postgres| copy(folder, postgres)).transpose();
        deliver::sustained_rate(&folder.join(name), args.messages, args.seed, &database)
    };
    let (ours, theirs) =
        (per_second("deliver-embedded", None)?, per_second("deliver-postgres", Some(postgres))?);
    println!("deliveries: embedded {ours:.0} per second, PostgreSQL {theirs:.0}, ratio {:.2}", theirs / ours);
    Ok(())
}

/// Copies a data folder to a new database. Returns its address.
fn copy(folder: &Path, postgres: &Server) -> anyhow::Result<String> {
    let url = postgres.url(&postgres.create_database());
    let (from, to) =
        (StoreAddress::Folder(folder.to_owned()), StoreAddress::Postgres(Box::new(url.parse()?)));
    let started = Instant::now();
    let copied =
        transfer(&from, &to, &TransferOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()))?;
    let rows: u64 = copied.tables.iter().map(|(_, rows)| rows).sum();
    println!("{rows} rows copied to PostgreSQL and compared in {:.1} s", started.elapsed().as_secs_f64());
    Ok(url)
}

fn start(folder: &Path, name: &str, database: &str) -> anyhow::Result<Process> {
    let settings = [("VIGIE_STORE__DATABASE", database.to_owned())];
    let (process, ready) = Process::start_with(&folder.join(name), &settings)?;
    println!("{name}: ready after {:.1} s, {}", ready.as_secs_f64(), process.memory());
    Ok(process)
}

/// Compares searches on one server of each database, and on three servers with those on one.
fn search(
    args: &NodesArgs,
    folder: &Path,
    embedded: &Path,
    (postgres, database): (&Server, &str),
    dataset: &Dataset,
    key: &str,
) -> anyhow::Result<()> {
    let seconds = Duration::from_secs(args.seconds);
    let (alone, _) = Process::start(embedded)?;
    let nodes = ["node-1", "node-2", "node-3"].map(|name| start(folder, name, database));
    let nodes = nodes.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let load = |address: SocketAddr| Load::new(dataset, address, key);
    let one_by_one: Vec<SocketAddr> =
        [&alone].into_iter().chain(&nodes).map(|server| server.address).collect();
    // Each server first reads the documents that it keeps in memory then.
    for address in &one_by_one {
        load(*address).closed_loop(args.connections, seconds)?;
    }
    let database_time = || processor_time::of_children(postgres.first_process()?);
    let (mut rates, mut medians, mut shared_rate) =
        (vec![0.0; one_by_one.len()], vec![0.0; one_by_one.len()], 0.0);
    let (mut servers_used, mut database_used) = (Used::default(), Used::default());
    let servers_time = || nodes.iter().map(Process::processor_time).sum::<anyhow::Result<Duration>>();
    for _ in 0..ROUNDS {
        let (servers_before, database_before) = (servers_time()?, database_time()?);
        let mut searches = 0;
        for (place, address) in one_by_one.iter().enumerate() {
            let times = load(*address).closed_loop(args.connections, seconds)?;
            rates[place] += times.per_second() / ROUNDS as f64;
            medians[place] += times.percentile(50.0) / ROUNDS as f64;
            searches += if place > 0 { times.len() } else { 0 };
        }
        servers_used.add(servers_time()? - servers_before, searches);
        database_used.add(database_time()? - database_before, searches);
        shared_rate += together(args, &nodes, &load)? / ROUNDS as f64;
    }
    let (ours, node, three) = (rates[0], rates[1], rates[1..].iter().sum::<f64>());
    println!(
        "searches: embedded {ours:.0} per second, a server on PostgreSQL {node:.0}, ratio {:.2}",
        node / ours
    );
    println!("  median {:.0} and {:.0} µs, ratio {:.2}", medians[0], medians[1], medians[1] / medians[0]);
    println!(
        "searches: three servers one after the other, each with all cores: {three:.0} per second in all, {:.2} times the first; \
         processor time of a search: {:.0} µs in the server, {:.1} µs in the database",
        three / node,
        servers_used.per_search(),
        database_used.per_search()
    );
    println!(
        "searches: three servers that share the cores of one {shared_rate:.0} per second, ratio {:.2}",
        shared_rate / node
    );
    alone.stop()?;
    for node in nodes {
        node.stop()?;
    }
    Ok(())
}

/// Searches on several servers at the same time. Returns how many searches per second they make in all.
fn together(
    args: &NodesArgs,
    nodes: &[Process],
    load: &(dyn Fn(SocketAddr) -> Load + Sync),
) -> anyhow::Result<f64> {
    let (connections, seconds) = (args.connections / nodes.len(), Duration::from_secs(args.seconds));
    std::thread::scope(|scope| {
        let running: Vec<_> = nodes
            .iter()
            .map(|node| {
                let load = load(node.address);
                scope.spawn(move || load.closed_loop(connections, seconds))
            })
            .collect();
        let rates = running.into_iter().map(|running| {
            let times = running.join().unwrap_or_else(|_| anyhow::bail!("a client panicked"))?;
            anyhow::Ok(times.per_second())
        });
        rates.sum()
    })
}

/// Processor time that was used for searches.
#[derive(Default)]
struct Used {
    time: Duration,
    searches: usize,
}

impl Used {
    fn add(&mut self, time: Duration, searches: usize) {
        self.time += time;
        self.searches += searches;
    }

    /// In microseconds.
    fn per_search(&self) -> f64 {
        self.time.as_secs_f64() * 1e6 / self.searches as f64
    }
}

/// Measures how much later a server shows what another one shows.
fn lag(args: &NodesArgs, folder: &Path, database: &str, dataset: &Dataset, key: &str) -> anyhow::Result<()> {
    let (first, second) = (start(folder, "node-1", database)?, start(folder, "node-2", database)?);
    let requests_per_second = (args.adverts_per_second / args.adverts_per_request).max(1);
    let each = usize::try_from(args.adverts_per_request)?;
    let adverts = args.adverts_per_second * args.seconds;
    let feed = Feed::in_requests_of(each, requests_per_second, dataset, adverts)?;
    let is_over = AtomicBool::new(false);
    let (rate, lags) = std::thread::scope(|scope| {
        let probing = scope.spawn(|| probe(first.address, second.address, key, &is_over));
        let rate = feed.send_over(args.senders, first.address, key);
        is_over.store(true, Ordering::Relaxed);
        let lags = probing.join().unwrap_or_else(|_| anyhow::bail!("the probing thread panicked"));
        anyhow::Ok((rate?, lags?))
    })?;
    println!(
        "lag between two servers at {rate:.0} adverts per second: median {:.1} ms, p99 {:.1} ms, maximum {:.1} ms of {} probes, two requests \
         included",
        millis(lags.percentile(50)),
        millis(lags.percentile(99)),
        millis(lags.max()),
        lags.len()
    );
    first.stop()?;
    second.stop()?;
    Ok(())
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Asks one server how far it is, and waits until the other one is there.
fn probe(
    first: SocketAddr,
    second: SocketAddr,
    key: &str,
    is_over: &AtomicBool,
) -> anyhow::Result<Latencies> {
    let (mut first, mut second) = (Client::connect(first, key)?, Client::connect(second, key)?);
    let path = "/documents/properties?itemsPerPage=1";
    let (begun, mut times) = (Instant::now(), Vec::new());
    for number in 0.. {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        pace::wait_for(pace::due(number, PROBES_PER_SECOND), begun);
        let asked = Instant::now();
        let position = first.get(path)?.log_position.context("no X-Log-Position")?;
        let seen = second.get_at(path, position)?;
        ensure!(seen.status == 200, "{}", String::from_utf8_lossy(seen.body));
        times.push(asked.elapsed());
    }
    Ok(Latencies::of(times))
}
