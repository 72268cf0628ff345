//! `vigie import`: imports a feed from a file or from standard input.
//!
//! While one batch is committed, the next one is planned, the one after that prepared, and another one read and decoded. Those last two
//! use what the others leave of the cores: at the same priority, they would first delay them and then wait for them.
//!
//! Every few seconds the position in the file is saved to the store as a checkpoint; an interrupted import resumes there. Ingesting a
//! line twice changes nothing, so the checkpoint may lag behind but must never run ahead.

mod full_feed;
mod records;
mod source;
mod summary;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use app::App;
use app::ingest::{Commit, IngestOptions, Receipt};
use clap::Args;
use domain::Violation;
use feed::{ColumnReport, Format, Mapping};
use indicatif::ProgressBar;
use tempfile::TempDir;
use tokio::sync::{Notify, mpsc};
use wire::advert_draft::ParseMode;

use self::full_feed::Listing;
use self::records::{Batch, Checkpoint, Collector, RecordName};
use self::source::{Resume, Source, SourceOptions};
use self::summary::Summary;
use super::{Common, output};
use crate::background::Background;
use crate::config::Config;
use crate::ndjson::{self, Decoder, Ingested, IngestingAdverts, PreparedAdverts};
use crate::open;

/// How often the checkpoint is saved, at most, with the next batch: an interrupted import repeats that long, and the few batches that were
/// being ingested.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(2);

const INTERRUPTED: &str = "import interrupted; run the same command again to resume";

/// Number of rejected records printed; all are counted, and written to the `--rejects` file.
const REJECTS_SHOWN: u64 = 10;

#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(flatten)]
    common: Common,
    /// Feed to import, or `-` for standard input; gzip and ZIP files are read directly
    file: PathBuf,
    /// Write the receipts of rejected records to this file
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Start at the first line, even if an earlier import of this file was interrupted
    #[arg(long)]
    from_start: bool,
    /// Format: ndjson, json, csv, poliris, openimmo, kyero or reso [default: recognised, otherwise ndjson]
    #[arg(long)]
    format: Option<Format>,
    /// Mapping file: which column or path of the feed is which field of an advert
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Site of adverts that name none
    #[arg(long)]
    site: Option<String>,
    /// Read and interpret everything, store nothing, and report which columns are used
    #[arg(long)]
    dry_run: bool,
    /// Accept exact values only, and exit with code 1 if a record was rejected
    #[arg(long)]
    strict: bool,
    /// Afterwards expire the adverts of this site that the feed does not list
    #[arg(long, value_name = "SITE")]
    snapshot: Option<String>,
    /// Expire nothing if more than this share of the known adverts is missing from the feed
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, requires = "snapshot")]
    snapshot_max_expired: f64,
    /// When the feed was written [default: now]; adverts crawled later do not expire
    #[arg(long, value_name = "DATE", requires = "snapshot")]
    snapshot_date: Option<String>,
}

pub async fn run(args: ImportArgs) -> anyhow::Result<ExitCode> {
    let config = args.common.load()?;
    let mapping = args.mapping.as_deref().map(read_mapping).transpose()?;
    let (app, _folder) = open_app(&config, args.dry_run)?;
    let listing = match &args.snapshot {
        Some(site) => {
            let (share_max, date) = (args.snapshot_max_expired, args.snapshot_date.as_deref());
            Some(Listing::new(site, share_max, date, app.clock().now(), &config.time_zone)?)
        }
        None => None,
    };
    let resume = match (args.dry_run, args.from_start || listing.is_some()) {
        (true, _) => Resume::Never,
        // A full feed has to be read in full: the lines before the checkpoint list adverts, too.
        (false, true) => Resume::FromStart,
        (false, false) => Resume::AtCheckpoint,
    };
    let site = args.site.clone().or_else(|| args.snapshot.clone());
    let options = SourceOptions {
        format: args.format,
        mapping,
        site: site.clone(),
        record_bytes_max: config.limits.line_bytes_max,
        resume,
    };
    let mut source = Source::open(&args.file, &app, options).await?;
    let mut import = Import {
        app: app.clone(),
        commit: if args.dry_run { Commit::DryRun } else { Commit::Store },
        committing: None,
        listing,
        checkpoint_saved: Instant::now(),
        checkpoint_due: None,
        bar: source.progress_bar(),
        started: Instant::now(),
        summary: Summary::of(source.unit),
        rejects: args.rejects.as_deref().map(|path| open_rejects(path, source.resumed)).transpose()?,
    };
    let decoder = Decoder {
        zone: config.time_zone.clone(),
        line_bytes_max: config.limits.line_bytes_max,
        sites: app.sites().await?,
        mode: if args.strict { ParseMode::Strict } else { ParseMode::Lenient },
    };
    let (sender, mut batches) = mpsc::channel::<io::Result<Batch>>(2);
    let collector = Collector::new(decoder, app.clone(), site, sender);
    let input = source.input.take();
    let ahead = Background::start().context("cannot start the threads that read ahead")?;
    let reading = ahead.handle().spawn_blocking(move || input.and_then(|input| collector.run(input)));

    let mut read_error = None;
    let (preparing, commit) = (app.clone(), import.commit);
    let mut next = async || match batches.recv().await {
        Some(Ok(batch)) => {
            let prepared = PreparedBatch::new(preparing.clone(), batch, commit);
            ahead.run(prepared).await.context(INTERRUPTED)?.map(Some)
        }
        Some(Err(error)) => {
            read_error = Some(error);
            Ok(None)
        }
        None => Ok(None),
    };
    let mut prepared = next().await?;
    while let Some(batch) = prepared {
        let is_ready = Notify::new();
        let following = async {
            let following = next().await;
            is_ready.notify_one();
            following
        };
        let saving = save_checkpoint(&source, &app, import.checkpoint_due.take());
        // An import that fails does not wait for more of the feed: that may take hours.
        let following = async { Ok(following.await) };
        let ((), following, ()) = tokio::try_join!(import.ingest(batch, &is_ready), following, saving)?;
        prepared = match following {
            Ok(following) => following,
            Err(error) => {
                import.finish().await?;
                return Err(error);
            }
        };
    }
    import.finish().await?;
    save_checkpoint(&source, &app, import.checkpoint_due.take()).await?;
    let columns = reading.await.context("reading the feed failed")?;
    let rejected = import.summary.rejected;
    import.print_summary();
    if let (true, Some(columns)) = (args.dry_run, &columns) {
        output::print_line(column_report(columns).trim_end());
    }
    if !args.dry_run {
        check_prices(&app).await?;
    }
    if let Some(error) = read_error {
        let nothing_expired = if import.listing.is_some() { "; nothing expired" } else { "" };
        let message = format!("cannot read {} to its end{nothing_expired}", args.file.display());
        return Err(anyhow::Error::new(error).context(message));
    }
    source.clear_checkpoint(&app).await?;
    if let Some(listing) = import.listing {
        listing.finish(&app, args.dry_run).await?;
    }
    Ok(if args.strict && rejected > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Checks the prices of the stock by the market that the feed leaves: its first adverts knew a part of it.
async fn check_prices(app: &App) -> anyhow::Result<()> {
    let mut changed = 0;
    loop {
        let checked = app.check_prices_again().await.context("cannot check the prices again")?;
        changed += checked.changed;
        // What others are changing at this moment is left to the server.
        if checked.skipped == 0 || checked.changed == 0 {
            break;
        }
    }
    if changed > 0 {
        output::print_line(&format!("Prices found otherwise in the market after the import: {}", changed));
    }
    Ok(())
}

async fn save_checkpoint(source: &Source, app: &App, checkpoint: Option<Checkpoint>) -> anyhow::Result<()> {
    match checkpoint {
        Some(checkpoint) => source.save_checkpoint(app, checkpoint).await,
        None => Ok(()),
    }
}

/// Opens the service. A dry run does not create a database: without one, it uses an empty folder that is removed at the end.
fn open_app(config: &Config, dry_run: bool) -> anyhow::Result<(App, Option<TempDir>)> {
    if !dry_run || !config.is_embedded() || config.data.join(store::sqlite::FILE_NAME).exists() {
        return Ok((open::app(config)?, None));
    }
    let folder = TempDir::new().context("cannot create a temporary folder")?;
    let app = open::app(&Config { data: folder.path().to_owned(), ..config.clone() })?;
    Ok((app, Some(folder)))
}

fn read_mapping(path: &Path) -> anyhow::Result<Mapping> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the mapping file {}", path.display()))?;
    Mapping::parse(&text).with_context(|| format!("cannot use the mapping file {}", path.display()))
}

fn open_rejects(path: &Path, resumed: bool) -> anyhow::Result<File> {
    let mut options = File::options();
    // Keep the receipts that the interrupted import wrote.
    options.create(true).write(true).append(resumed).truncate(!resumed);
    options.open(path).with_context(|| format!("cannot write to {}", path.display()))
}

/// A batch that is ready to be ingested.
struct PreparedBatch {
    adverts: PreparedAdverts,
    rest: BatchRest,
}

/// What else is known about a batch.
struct BatchRest {
    names: Vec<RecordName>,
    ignored_examples: Vec<(String, String)>,
    checkpoint: Option<Checkpoint>,
    bytes_read: u64,
}

impl PreparedBatch {
    async fn new(app: App, batch: Batch, commit: Commit) -> anyhow::Result<Self> {
        let Batch { names, decoded, creation, ignored_examples, checkpoint, bytes_read } = batch;
        let options = IngestOptions { creation, commit };
        let adverts = ndjson::prepare(&app, decoded, options).await.context(INTERRUPTED)?;
        Ok(Self { adverts, rest: BatchRest { names, ignored_examples, checkpoint, bytes_read } })
    }
}

/// A batch that is being committed, or was.
struct CommittingBatch {
    adverts: IngestingAdverts,
    /// `None` once it was recorded.
    rest: Option<BatchRest>,
}

/// The progress of an import.
struct Import {
    app: App,
    commit: Commit,
    committing: Option<CommittingBatch>,
    /// What a full feed lists.
    listing: Option<Listing>,
    checkpoint_saved: Instant,
    /// To be saved while the next batch is ingested.
    checkpoint_due: Option<Checkpoint>,
    bar: ProgressBar,
    started: Instant,
    summary: Summary,
    rejects: Option<File>,
}

impl Import {
    /// Begins to ingest a batch, and records the one before. Until the next one is ready, waits for this one: the next may not come for
    /// hours, and a batch that is refused is committed again only here.
    async fn ingest(&mut self, batch: PreparedBatch, is_next_ready: &Notify) -> anyhow::Result<()> {
        let PreparedBatch { adverts, rest } = batch;
        let (before, rest_before) = match self.committing.take() {
            Some(CommittingBatch { adverts, rest }) => (Some(adverts), rest),
            None => (None, None),
        };
        let (mut adverts, ingested) =
            ndjson::ingest_next(&self.app, adverts, before).await.context(INTERRUPTED)?;
        self.record(rest_before, ingested).await?;
        let has_ended = tokio::select! {
            biased;
            () = is_next_ready.notified() => false,
            () = adverts.end() => true,
        };
        self.committing = Some(CommittingBatch { adverts, rest: Some(rest) });
        if has_ended { self.finish().await } else { Ok(()) }
    }

    /// Waits for the last batch, and records it.
    async fn finish(&mut self) -> anyhow::Result<()> {
        let Some(CommittingBatch { adverts, rest }) = self.committing.take() else { return Ok(()) };
        let (adverts, ingested) = ndjson::finish_ingesting(&self.app, adverts).await.context(INTERRUPTED)?;
        self.committing = Some(CommittingBatch { adverts, rest: None });
        self.record(rest, ingested).await
    }

    /// Counts and reports what has become of a durable batch, unless that was done already.
    async fn record(
        &mut self,
        rest: Option<BatchRest>,
        ingested: Option<Vec<Ingested>>,
    ) -> anyhow::Result<()> {
        let Some((rest, ingested)) = rest.zip(ingested) else { return Ok(()) };
        let BatchRest { names, ignored_examples, checkpoint, bytes_read } = rest;
        let records: Vec<(RecordName, Ingested)> = names.into_iter().zip(ingested).collect();
        for (name, ingested) in &records {
            self.summary.add(name, ingested);
            if let Receipt::Rejected { violations } = &ingested.receipt {
                self.report_rejected(name, violations, ingested)?;
            }
        }
        for (field, value) in ignored_examples {
            self.summary.set_ignored_example(&field, &value);
        }
        self.bar.set_position(bytes_read);
        self.bar.set_message(format!("{:.0} adverts/s, {} rejected", self.rate(), self.summary.rejected));
        if let Some(listing) = &mut self.listing {
            listing.add(&self.app, &records).await?;
        }
        if checkpoint.is_some() && self.checkpoint_saved.elapsed() >= CHECKPOINT_INTERVAL {
            self.checkpoint_due = checkpoint;
            self.checkpoint_saved = Instant::now();
        }
        Ok(())
    }

    fn report_rejected(
        &mut self,
        name: &RecordName,
        violations: &[Violation],
        ingested: &Ingested,
    ) -> anyhow::Result<()> {
        if self.summary.rejected <= REJECTS_SHOWN {
            let format_violation = |violation: &Violation| match violation.path.as_str() {
                "" => violation.message.clone(),
                path => format!("{path}: {}", violation.message),
            };
            let messages: Vec<String> = violations.iter().map(format_violation).collect();
            let line = format!("{} {} rejected: {}", self.summary.unit, name.number, messages.join(" "));
            self.bar.suspend(|| output::eprint_line(&line));
        }
        if let Some(file) = &mut self.rejects {
            let mut receipt = ingested.clone().body();
            receipt.line = Some(name.number);
            let mut text = serde_json::to_vec(&receipt)?;
            text.push(b'\n');
            file.write_all(&text).context("cannot write to the --rejects file")?;
        }
        Ok(())
    }

    fn rate(&self) -> f64 {
        self.summary.total() as f64 / self.started.elapsed().as_secs_f64().max(0.001)
    }

    fn print_summary(&self) {
        self.bar.finish_and_clear();
        let verb = match self.commit {
            Commit::Store => "Imported",
            Commit::DryRun => "Dry run, nothing stored: read",
        };
        output::print_line(&format!(
            "{verb} {} adverts in {:.1} s ({:.0} per second): {}",
            self.summary.total(),
            self.started.elapsed().as_secs_f64(),
            self.rate(),
            self.summary.counts(),
        ));
        let tables = self.summary.tables();
        if !tables.is_empty() {
            output::print_line(tables.trim_end());
        }
    }
}

/// Formats which columns of the feed became which fields, and which are not used.
fn column_report(report: &ColumnReport) -> String {
    let mut text = String::from("Columns not used:\n");
    for (name, column) in report.unmapped() {
        text += &format!("{:>9}  {name} ({})\n", column.count, summary::truncated(&column.example));
    }
    text += "Columns used:\n";
    for (name, column) in report.mapped() {
        let fields = column.fields.join(", ");
        text +=
            &format!("{:>9}  {name} → {fields} ({})\n", column.count, summary::truncated(&column.example));
    }
    if report.left_off() > 0 {
        text += &format!("{:>9}  values of other columns\n", report.left_off());
    }
    text
}
