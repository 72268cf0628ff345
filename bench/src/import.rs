//! `bench import`: imports a feed of generated adverts into an empty folder.
//!
//! The peer does the minimum: it parses each line and stores the text in SQLite under its site and reference, with the same
//! durability and transaction size. It does not validate, diff, group or log.
//!
//! With `--messy`, the same adverts are also imported as ten portals would write them, each with its own dialect and faults. The two
//! feeds take turns, because the speed of a machine changes within minutes. With `--ungrouped`, so do imports with and without
//! automatic grouping, and with `--postgres` imports into a folder and into a PostgreSQL database.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use domain::{AdvertDraft, FieldUpdate, WebAddress};
use local_postgres::Server;
use serde_json::Value;
use world::{Random, Settings, World, messy_feed};

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Number of adverts; one in five is a second version of an earlier one
    #[arg(long, default_value_t = 200_000)]
    adverts: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep the feed in this file, for manual imports
    #[arg(long)]
    keep_feed: Option<PathBuf>,
    /// Also import the same adverts in the dialects of ten portals, this many times by turns with the clean feed
    #[arg(long, value_name = "ROUNDS")]
    messy: Option<usize>,
    /// Also import the same adverts with automatic grouping turned off, this many times by turns
    #[arg(long, value_name = "ROUNDS")]
    ungrouped: Option<usize>,
    /// Also import the same adverts into PostgreSQL, this many times by turns
    #[arg(long, value_name = "ROUNDS")]
    postgres: Option<usize>,
    /// The program to measure [default: vigie in the folder of this program]
    #[arg(long)]
    vigie: Option<PathBuf>,
}

/// The batch size of `vigie import`.
const PER_TRANSACTION: usize = 500;

pub fn run(args: &ImportArgs) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let feed = folder.path().join("feed.ndjson");
    let messy_feed = folder.path().join("messy.ndjson");
    let bytes = write_feeds(&feed, &messy_feed, args)?;
    let per_advert = bytes as f64 / args.adverts as f64;
    if let Some(path) = &args.keep_feed {
        std::fs::copy(&feed, path)?;
    }
    println!("{} adverts (seed {}), {per_advert:.0} bytes each", args.adverts, args.seed);

    let peer = plain_sqlite(&feed, &folder.path().join("peer.db"))?;
    print_rate("plain SQLite, text only", args.adverts, peer);
    let vigie = match &args.vigie {
        Some(path) => path.clone(),
        None => std::env::current_exe()?.with_file_name("vigie"),
    };
    let grouped = Variant { name: "clean feed", feed: &feed, is_grouped: true, postgres: None };
    let (elapsed, memory_bytes) = import(&vigie, grouped, &folder.path().join("data"))?;
    print_rate("vigie import", args.adverts, elapsed);
    println!("vigie import: {:.0} MB of memory at peak", memory_bytes as f64 / 1e6);
    println!(
        "ratio: vigie takes {:.1} times as long as text only",
        elapsed.as_secs_f64() / peer.as_secs_f64()
    );
    let comparison = Comparison { vigie: &vigie, folder: folder.path(), adverts: args.adverts };
    if let Some(rounds) = args.messy {
        let messy = Variant { name: "messy feed", feed: &messy_feed, ..grouped };
        comparison.run(grouped, messy, rounds)?;
    }
    if let Some(rounds) = args.ungrouped {
        let ungrouped = Variant { name: "ungrouped", is_grouped: false, ..grouped };
        comparison.run(ungrouped, grouped, rounds)?;
    }
    if let Some(rounds) = args.postgres {
        let programs = Server::programs().context("PostgreSQL is not installed")?;
        let server = Server::start(programs, folder.path(), "shared_buffers = 512MB")?;
        let on_postgres = Variant { name: "PostgreSQL", postgres: Some(&server), ..grouped };
        comparison.run(Variant { name: "embedded", ..grouped }, on_postgres, rounds)?;
    }
    Ok(())
}

/// One way to import.
#[derive(Clone, Copy)]
struct Variant<'a> {
    name: &'a str,
    feed: &'a Path,
    is_grouped: bool,
    postgres: Option<&'a Server>,
}

struct Comparison<'a> {
    vigie: &'a Path,
    folder: &'a Path,
    adverts: usize,
}

impl Comparison<'_> {
    /// Imports by turns, each time into an empty folder, and prints both rates and the ratio of the second to the first.
    fn run(&self, first: Variant<'_>, second: Variant<'_>, rounds: usize) -> anyhow::Result<()> {
        let mut totals = [Duration::ZERO; 2];
        for round in 0..rounds {
            for (total, variant) in totals.iter_mut().zip([first, second]) {
                let data = self.folder.join("round");
                let (elapsed, _) = import(self.vigie, variant, &data)?;
                let _ = std::fs::remove_dir_all(&data);
                print_rate(&format!("round {}, {}", round + 1, variant.name), self.adverts, elapsed);
                *total += elapsed;
            }
        }
        let adverts = (self.adverts * rounds) as f64;
        let rates = totals.map(|total| adverts / total.as_secs_f64());
        println!("{}: {:.0} adverts per second in all rounds", second.name, rates[1]);
        println!(
            "ratio: {} runs at {:.2} times the speed of {}",
            second.name,
            rates[1] / rates[0],
            first.name
        );
        Ok(())
    }
}

fn print_rate(name: &str, adverts: usize, elapsed: Duration) {
    let seconds = elapsed.as_secs_f64();
    println!("{name}: {seconds:.1} s, {:.0} adverts per second", adverts as f64 / seconds);
}

/// Writes the clean feed, and the messy one if it is wanted. Returns the bytes of the clean feed.
fn write_feeds(path: &Path, messy_path: &Path, args: &ImportArgs) -> anyhow::Result<u64> {
    let start = "2026-01-01T00:00:00Z".parse()?;
    // More properties than needed: the import stops at the number of adverts.
    let settings = Settings::new(args.adverts as u64, start);
    let towns = server::market::towns(&places::Gazetteer::embedded()?);
    let world = World::new(args.seed, towns, settings)?;
    let mut file = BufWriter::new(File::create(path)?);
    let mut messy_file = match args.messy {
        Some(_) => Some(BufWriter::new(File::create(messy_path)?)),
        None => None,
    };
    let mut random = Random::new(args.seed);
    let mut bytes = 0;
    for mut draft in world.import().take(args.adverts) {
        add_originals(&mut draft);
        let clean = wire::advert_draft::write(&draft);
        let mut line = serde_json::to_vec(&clean)?;
        line.push(b'\n');
        bytes += line.len() as u64;
        file.write_all(&line)?;
        if let (Some(messy_file), Some(clean)) = (&mut messy_file, clean.as_object()) {
            messy_file.write_all(&messy_feed::line(clean, &mut random).bytes)?;
            messy_file.write_all(b"\n")?;
        }
    }
    file.into_inner()?.sync_all()?;
    if let Some(messy_file) = messy_file {
        messy_file.into_inner()?.sync_all()?;
    }
    Ok(bytes)
}

/// Adds the original pictures, which crawlers send besides the copies, so that adverts have a realistic size.
fn add_originals(draft: &mut AdvertDraft) {
    let (FieldUpdate::Set(pictures), FieldUpdate::Set(Some(site))) =
        (&draft.patch.pictures, &draft.patch.site)
    else {
        return;
    };
    let original = |number: usize| {
        WebAddress::parse(&format!(
            "https://www.{site}/annonces/photos/grand-format/{number:04}-original.jpg"
        ))
        .ok()
    };
    draft.patch.pictures_remote = FieldUpdate::Set((0..pictures.len()).filter_map(original).collect());
}

/// Runs `vigie import` and measures its time and peak memory.
fn import(vigie: &Path, variant: Variant<'_>, data: &Path) -> anyhow::Result<(Duration, u64)> {
    let mut command = Command::new(vigie);
    command.arg("import").arg(variant.feed).arg("--data").arg(data);
    command.env("VIGIE_GROUPING__AUTOMATIC", variant.is_grouped.to_string());
    if let Some(postgres) = variant.postgres {
        command.env("VIGIE_STORE__DATABASE", postgres.url(&postgres.create_database()));
    }
    let started = Instant::now();
    let mut child =
        command.stdout(Stdio::null()).spawn().with_context(|| format!("cannot run {}", vigie.display()))?;
    let memory_bytes = watch(&mut child)?;
    let elapsed = started.elapsed();
    ensure!(child.wait()?.success(), "the import failed");
    Ok((elapsed, memory_bytes))
}

/// Returns the peak memory of a child, polled while it runs.
fn watch(child: &mut Child) -> anyhow::Result<u64> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        #[expect(clippy::disallowed_methods, reason = "memory use can only be polled")]
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(peak)
}

fn plain_sqlite(feed: &Path, path: &Path) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let mut connection = rusqlite::Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE advert (site TEXT, reference TEXT, url TEXT, text BLOB, PRIMARY KEY (site, reference));
         CREATE INDEX advert_by_url ON advert (url);",
    )?;
    let mut lines = BufReader::new(File::open(feed)?).split(b'\n').peekable();
    while lines.peek().is_some() {
        let transaction = connection.transaction()?;
        for line in lines.by_ref().take(PER_TRANSACTION) {
            let line = line?;
            let advert: Value = serde_json::from_slice(&line)?;
            let text = |name: &str| advert[name].as_str().map(str::to_owned);
            transaction
                .prepare_cached("INSERT OR REPLACE INTO advert VALUES (?1, ?2, ?3, ?4)")?
                .execute((text("site"), text("reference"), text("url"), &line))?;
        }
        transaction.commit()?;
    }
    Ok(started.elapsed())
}
