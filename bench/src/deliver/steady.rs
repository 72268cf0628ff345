//! Delivery delay while adverts arrive at a steady rate, and the effect of a host that hangs on the others.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::authority::Authority;
use super::market::{self, SearchScope};
use super::receiver::{Arrival, Hosts, Receiver};
use super::{WARM_UP, settings};
use crate::latencies::Latencies;
use crate::pace;
use crate::search::dataset::Dataset;
use crate::serve::client::Client;
use crate::serve::process::Process;

/// Hosts that always respond. There is one more, which may hang.
pub const HOSTS: u8 = 100;

/// Requests per second, like a crawler that reports its results every few milliseconds.
const SENDINGS_PER_SECOND: u64 = 100;

/// Connections that send in turn. A single one would still wait for its receipt when the next request is due.
const CONNECTIONS: usize = 4;

/// The result of one run.
pub struct Steady {
    pub adverts_per_second: f64,
    /// From the receipt of an advert to the arrival of its webhook.
    pub delay: Latencies,
    /// From sending an advert to its receipt.
    pub receipt: Latencies,
    /// Arrivals at the last host, which receives a webhook for every advert.
    pub at_the_last: usize,
}

/// Measures one run. Every advert matches a search of one of a hundred hosts, and that of the last host.
pub fn measure(
    folder: &Path,
    authority: &Authority,
    dataset: &Dataset,
    hosts: Hosts,
    per_second: u64,
) -> anyhow::Result<Steady> {
    let receiver = Receiver::start(authority, HOSTS + 1, hosts)?;
    let key = market::make_folder(folder)?;
    let (server, _) = Process::start_with(folder, &settings(authority))?;
    let routes = usize::from(HOSTS);
    let searches: Vec<SearchScope> =
        (0..routes).map(SearchScope::Route).chain([SearchScope::Everything]).collect();
    market::save(&server, &key, &receiver, &searches)?;

    let drafts = market::adverts_for(dataset, routes)?;
    let each = usize::try_from(per_second / SENDINGS_PER_SECOND)?.max(1);
    let mut bodies = Vec::new();
    let mut properties: Vec<Vec<String>> = Vec::new();
    for drafts in drafts.chunks(each) {
        bodies.push(market::to_json(drafts)?);
        properties.push(drafts.iter().map(market::property_of).collect::<anyhow::Result<_>>()?);
    }
    let mut awaited: HashSet<String> = properties.iter().flatten().cloned().collect();
    let (sent, arrivals) = std::thread::scope(|scope| {
        let sending = scope.spawn(|| send(server.address, &key, &bodies));
        let arrivals = receiver.take_until(|arrival| {
            if arrival.host < routes
                && let Some(name) = name(arrival)
            {
                awaited.remove(name);
            }
            awaited.is_empty()
        })?;
        let sent = sending.join().unwrap_or_else(|_| anyhow::bail!("a sender panicked"))?;
        anyhow::Ok((sent, arrivals))
    })?;
    // Do not wait for the host that hangs.
    drop(server);
    let mut receipts = HashMap::new();
    for (sending, properties) in sent.iter().zip(&properties) {
        receipts.extend(properties.iter().map(|property| (property.as_str(), sending)));
    }
    let mut delays = Vec::new();
    for arrival in arrivals.iter().filter(|arrival| arrival.host < routes) {
        let sending =
            name(arrival).and_then(|name| receipts.get(name)).context("a message for an unknown advert")?;
        if sending.due >= WARM_UP {
            delays.push(arrival.at.saturating_duration_since(sending.acknowledged_at));
        }
    }
    let seconds = sent.last().map_or(0.0, |last| last.due.as_secs_f64() + 1.0 / SENDINGS_PER_SECOND as f64);
    let measured = sent.iter().filter(|sending| sending.due >= WARM_UP);
    Ok(Steady {
        adverts_per_second: drafts.len() as f64 / seconds.max(1e-9),
        delay: Latencies::of(delays),
        receipt: Latencies::of(measured.map(|sending| sending.acknowledged_at - sending.sent_at).collect()),
        at_the_last: arrivals.iter().filter(|arrival| arrival.host == routes).count(),
    })
}

fn name(arrival: &Arrival) -> Option<&str> {
    std::str::from_utf8(arrival.about.as_ref()?).ok()
}

/// Adverts sent in one request.
struct Sending {
    number: usize,
    /// Time since the first request.
    due: Duration,
    sent_at: Instant,
    acknowledged_at: Instant,
}

fn send(address: SocketAddr, key: &str, bodies: &[Vec<u8>]) -> anyhow::Result<Vec<Sending>> {
    let begun = Instant::now();
    let one = |sender: usize| -> anyhow::Result<Vec<Sending>> {
        let mut client = Client::connect(address, key)?;
        let mut sent = Vec::new();
        for (number, body) in bodies.iter().enumerate().skip(sender).step_by(CONNECTIONS) {
            let due = pace::due(number as u64, SENDINGS_PER_SECOND);
            pace::wait_for(due, begun);
            let sent_at = Instant::now();
            let answer = client.post("/adverts", body).context("sending adverts")?;
            let acknowledged_at = Instant::now();
            ensure!(answer.status == 200, "{}", String::from_utf8_lossy(answer.body));
            sent.push(Sending { number, due, sent_at, acknowledged_at });
        }
        Ok(sent)
    };
    let mut sent = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..CONNECTIONS)
            .map(|sender| {
                scope.spawn({
                    let one = &one;
                    move || one(sender)
                })
            })
            .collect();
        let mut sent = Vec::with_capacity(bodies.len());
        for sender in senders {
            sent.extend(sender.join().unwrap_or_else(|_| anyhow::bail!("a sender panicked"))?);
        }
        anyhow::Ok(sent)
    })?;
    sent.sort_by_key(|sending| sending.number);
    Ok(sent)
}
