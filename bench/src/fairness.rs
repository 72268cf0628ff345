//! `bench fairness`: what one user notices while another one attacks.
//!
//! A server with a market. One user searches and looks up saved searches at a steady rate, first alone and then under each attack of
//! another user, in the same run. Latency counts from the scheduled time, so it includes queueing. The attackers share the cores of the
//! machine with the server and the user.

mod attack;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use app::App;
use app::system::{RandomIds, SystemClock};
use clap::Args;
use domain::Scopes;
use places::Gazetteer;
use serde_json::{Value, json};
use store::SqlStore;

use crate::search::dataset::Dataset;
use crate::serve::client::Client;
use crate::serve::load::{Load, Times};
use crate::serve::market;
use crate::serve::process::Process;
use crate::table::table;
use attack::{Attack, Attackers};

#[derive(Debug, Args)]
pub struct FairnessArgs {
    /// Number of properties, with 1.5 adverts each
    #[arg(long, default_value_t = 1_000_000)]
    properties: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Data folder to keep and reuse [default: a temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Duration of each measurement in seconds
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Searches, and then look-ups, per second of the user who does not attack
    #[arg(long, default_value_t = 50)]
    per_second: u64,
    /// Print the table as Markdown
    #[arg(long)]
    markdown: bool,
}

/// The target: the p99 under an attack, divided by that alone.
const BAR: f64 = 3.0;

/// Saved searches of the attacker, for lists.
const SEARCHES: usize = 100;

/// Cities in each of them.
const CITIES: usize = 2_000;

pub fn run(args: &FairnessArgs) -> anyhow::Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = args.folder.clone().unwrap_or_else(|| temporary.path().join("data"));
    let dataset = Dataset::new(args.properties, args.seed)?;
    let attacker = market::fill(&dataset, &folder)?;
    let user = key_of(&folder, "modest")?;
    let unknown = key_of(&temporary.path().join("elsewhere"), "unknown")?;

    let (server, ready) = Process::start(&folder)?;
    println!("ready after {:.1} s, {}", ready.as_secs_f64(), server.memory());
    save_large_searches(&dataset, &server, &attacker)?;
    let looked_up = save(&server, &user, &search("T3", json!({"roomMin": 3})))?;
    let victims = [
        ("search", Load::new(&dataset, server.address, &user)),
        ("look-up", Load::of_paths(server.address, &user, vec![looked_up])),
    ];

    let seconds = Duration::from_secs(args.seconds);
    let measure = || -> anyhow::Result<Vec<Times>> {
        victims.iter().map(|(_, load)| load.open_loop(args.per_second, seconds)).collect()
    };
    // The first searches read documents from disk.
    measure()?;
    let alone = measure()?;
    let mut rows = vec![row("alone", &alone, &alone, "–".to_owned())];
    let mut worst: f64 = 0.0;
    for attack in Attack::ALL {
        let stop = AtomicBool::new(false);
        let attackers = Attackers { address: server.address, key: &attacker, unknown: &unknown, stop: &stop };
        let (measured, answers) = std::thread::scope(|scope| {
            let attacking = scope.spawn(|| attackers.run(attack));
            attackers.wait_until_begun();
            let measured = measure();
            stop.store(true, Ordering::Relaxed);
            let answers = attacking.join().unwrap_or_else(|_| anyhow::bail!("the attackers panicked"));
            anyhow::Ok((measured?, answers?))
        })
        .with_context(|| attack.title())?;
        worst =
            measured.iter().zip(&alone).map(|(times, alone)| ratio(times, alone, 99.0)).fold(worst, f64::max);
        rows.push(row(attack.title(), &measured, &alone, answers));
        eprintln!("{}: {}", attack.title(), rows.last().map(|row| row[1..].join(" ")).unwrap_or_default());
    }
    let head = [
        "Attack",
        "search p50 µs",
        "p99 µs",
        "p50 ×",
        "p99 ×",
        "look-up p50 µs",
        "p99 µs",
        "p50 ×",
        "p99 ×",
        "answers to the attacker",
    ];
    let mut text = String::new();
    table(&mut text, "Another user under attack", &head, &rows, args.markdown);
    print!("{text}");
    let verdict = if worst <= BAR { "within" } else { "beyond" };
    println!("the largest ratio of p99 is {worst:.2}, {verdict} the bar of {BAR}; {}", server.memory());
    server.stop()?;
    Ok(())
}

fn row(title: &str, measured: &[Times], alone: &[Times], answers: String) -> Vec<String> {
    let mut cells = vec![title.to_owned()];
    for (times, alone) in measured.iter().zip(alone) {
        cells.extend([50.0, 99.0].map(|percent| format!("{:.0}", times.percentile(percent))));
        cells.extend([50.0, 99.0].map(|percent| format!("{:.2}", ratio(times, alone, percent))));
    }
    cells.push(answers);
    cells
}

fn ratio(times: &Times, alone: &Times, percent: f64) -> f64 {
    times.percentile(percent) / alone.percentile(percent)
}

/// Creates a key of a user in a data folder.
fn key_of(folder: &Path, user: &str) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (store, places) = (Arc::new(SqlStore::open(folder)?), Arc::new(Gazetteer::embedded()?));
        let app = App::new(store, Arc::new(SystemClock), Arc::new(RandomIds), places);
        Ok(app.create_key(user, Scopes::all()).await?.1.reveal())
    })
}

fn save_large_searches(dataset: &Dataset, server: &Process, key: &str) -> anyhow::Result<()> {
    let cities =
        dataset.gazetteer().cities().iter().filter(|city| city.districts.is_empty() && city.is_open());
    let cities: Vec<String> =
        cities.take(CITIES).map(|city| format!("/cities/{}", city.insee.id())).collect();
    for number in 0..SEARCHES {
        save(server, key, &search(&format!("large {number}"), json!({"includedCities": cities})))?;
    }
    Ok(())
}

/// Returns the body of a search with some fields.
fn search(title: &str, mut fields: Value) -> Value {
    for (name, value) in
        [("title", json!(title)), ("transactionType", json!(0)), ("propertyTypes", json!([0, 1]))]
    {
        fields[name] = value;
    }
    fields
}

/// Saves a search. Returns its path.
fn save(server: &Process, key: &str, search: &Value) -> anyhow::Result<String> {
    let mut client = Client::connect(server.address, key)?;
    let response = client.post("/searches", &serde_json::to_vec(search)?)?;
    ensure!(response.status == 201, "{}", String::from_utf8_lossy(response.body));
    let saved: Value = serde_json::from_slice(response.body)?;
    Ok(saved["@id"].as_str().context("the search has no id")?.to_owned())
}
