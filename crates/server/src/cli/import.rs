//! `vigie import`: imports a feed from a file or from standard input.
//!
//! One batch is read and decoded while the one before is committed. Every few seconds the position in the file is saved to the
//! store as a checkpoint; an interrupted import resumes there. Ingesting a line twice changes nothing, so the checkpoint may lag
//! behind but must never run ahead.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use app::App;
use app::ingest::{Outcome, Receipt};
use clap::Args;
use domain::Violation;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::mpsc;
use wire::advert_draft::ParseMode;

use super::{Common, output};
use crate::ndjson::{self, Decoded, Decoder, Line, LineSplitter};
use crate::open;

/// How often the checkpoint is saved: the most an interrupted import repeats.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(2);

/// Larger than over HTTP: no client waits for receipts, and a larger batch touches each index page less often.
const LINES_PER_BATCH: usize = 4_000;

const READ_BYTES: usize = 256 * 1024;

#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(flatten)]
    common: Common,
    /// NDJSON file with one advert per line, or `-` for standard input
    file: PathBuf,
    /// Write the receipts of rejected lines to this file
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Start at the first line, even if an earlier import of this file was interrupted
    #[arg(long)]
    from_start: bool,
}

pub async fn run(args: ImportArgs) -> anyhow::Result<ExitCode> {
    let config = args.common.load()?;
    let app = open::app(&config)?;
    let decoder = Decoder {
        zone: config.time_zone.clone(),
        line_bytes_max: config.limits.line_bytes_max,
        sites: app.sites().await?,
        mode: ParseMode::Lenient,
    };
    let mut source = Source::open(&args.file, &app, args.from_start).await?;
    let mut rejects = match &args.rejects {
        Some(path) => {
            // Keep the receipts that the interrupted import wrote.
            let resumed = source.offset > 0;
            let mut options = File::options();
            options.create(true).write(true).append(resumed).truncate(!resumed);
            Some(options.open(path).with_context(|| format!("cannot write to {}", path.display()))?)
        }
        None => None,
    };
    let mut stats = ImportStats::new(source.progress_bar());
    let (sender, mut batches) = mpsc::channel::<io::Result<Batch>>(2);
    let reader = source.take_reader();
    let (splitter, offset) = (LineSplitter::from_line(decoder.line_bytes_max, source.line), source.offset);
    let clock = app.clone();
    let reading = tokio::task::spawn_blocking(move || {
        // Read the clock for every line: a pipe may stay open for days.
        let decode = |line: &Line| decoder.decode_line(&line.content, clock.clock().now());
        read_batches(reader, splitter, offset, &sender, decode);
    });
    let mut checkpoint_saved = Instant::now();
    while let Some(batch) = batches.recv().await {
        let batch = batch.with_context(|| format!("cannot read {}", args.file.display()))?;
        let ingested = ndjson::ingest(&app, batch.decoded)
            .await
            .context("import interrupted; run the same command again to resume")?;
        stats.add(&batch.numbers, ingested, &mut rejects)?;
        stats.bar.set_position(batch.offset);
        if checkpoint_saved.elapsed() >= CHECKPOINT_INTERVAL {
            source.save_checkpoint(&app, batch.offset, batch.next_line).await?;
            checkpoint_saved = Instant::now();
        }
    }
    reading.await.context("reading the feed failed")?;
    source.clear_checkpoint(&app).await?;
    stats.finish();
    Ok(ExitCode::SUCCESS)
}

/// Lines decoded together, and the position of the next line.
struct Batch {
    numbers: Vec<u64>,
    decoded: Vec<Decoded>,
    offset: u64,
    next_line: u64,
}

fn read_batches(
    mut reader: Box<dyn Read + Send>,
    mut splitter: LineSplitter,
    mut offset: u64,
    sender: &mpsc::Sender<io::Result<Batch>>,
    decode: impl Fn(&Line) -> Decoded,
) {
    let mut buffer = vec![0; READ_BYTES];
    let mut lines = Vec::new();
    loop {
        let read = match reader.read(&mut buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        if read == 0 {
            splitter.finish(&mut lines);
        } else {
            splitter.push(&buffer[..read], &mut lines);
            offset += read as u64;
        }
        if ndjson::is_full(&lines, LINES_PER_BATCH) || (read == 0 && !lines.is_empty()) {
            let (numbers, decoded) = lines.drain(..).map(|line| (line.number, decode(&line))).unzip();
            let batch = Batch {
                numbers,
                decoded,
                offset: offset - splitter.buffered(),
                next_line: splitter.next_number(),
            };
            if sender.blocking_send(Ok(batch)).is_err() {
                return;
            }
        }
        if read == 0 {
            return;
        }
    }
}

/// The feed, and the position where an earlier import of it stopped.
struct Source {
    reader: Option<Box<dyn Read + Send>>,
    /// Name of its checkpoint in the store; `None` for standard input and pipes, which cannot be read twice.
    checkpoint_name: Option<String>,
    length: Option<u64>,
    offset: u64,
    line: u64,
}

impl Source {
    async fn open(path: &Path, app: &App, from_start: bool) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            let reader = Some(Box::new(io::stdin()) as Box<dyn Read + Send>);
            return Ok(Self { reader, checkpoint_name: None, length: None, offset: 0, line: 1 });
        }
        let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let metadata = file.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_dir() {
            bail!("{} is a folder, not a file", path.display());
        }
        if !metadata.is_file() {
            // For example a named pipe: like standard input it cannot be read twice.
            let reader = Some(Box::new(file) as Box<dyn Read + Send>);
            return Ok(Self { reader, checkpoint_name: None, length: None, offset: 0, line: 1 });
        }
        // A checkpoint is valid only for the same path, size and modification time: a file that changed is another feed.
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let checkpoint_name = format!(
            "import {} {} {}",
            absolute.display(),
            metadata.len(),
            modified.map_or(0, |age| age.as_millis())
        );
        let (mut offset, mut line) = (0, 1);
        if !from_start && let Some(checkpoint) = app.import_checkpoint(checkpoint_name.clone()).await? {
            let mut numbers = checkpoint.split(' ').map(str::parse::<u64>);
            if let (Some(Ok(saved_offset)), Some(Ok(saved_line))) = (numbers.next(), numbers.next()) {
                (offset, line) = (saved_offset, saved_line);
                output::eprint_line(&format!(
                    "Resuming at line {line}, where an earlier import was interrupted (--from-start imports everything)."
                ));
            }
        }
        file.seek(SeekFrom::Start(offset)).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self {
            reader: Some(Box::new(file)),
            checkpoint_name: Some(checkpoint_name),
            length: Some(metadata.len()),
            offset,
            line,
        })
    }

    fn take_reader(&mut self) -> Box<dyn Read + Send> {
        self.reader.take().unwrap_or_else(|| Box::new(io::empty()))
    }

    async fn save_checkpoint(&self, app: &App, offset: u64, line: u64) -> anyhow::Result<()> {
        if let Some(name) = &self.checkpoint_name {
            app.save_import_checkpoint(name.clone(), Some(format!("{offset} {line}"))).await?;
        }
        Ok(())
    }

    async fn clear_checkpoint(&self, app: &App) -> anyhow::Result<()> {
        if let Some(name) = &self.checkpoint_name {
            app.save_import_checkpoint(name.clone(), None).await?;
        }
        Ok(())
    }

    fn progress_bar(&self) -> ProgressBar {
        if !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let (bar, template) = match self.length {
            Some(length) => (ProgressBar::new(length), "{bar:30} {bytes}/{total_bytes} {msg} ({eta} left)"),
            None => (ProgressBar::new_spinner(), "{spinner} {bytes} {msg}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar
    }
}

/// Counts of lines by outcome.
struct ImportStats {
    bar: ProgressBar,
    started: Instant,
    created: u64,
    updated: u64,
    unchanged: u64,
    rejected: u64,
}

/// Number of rejected lines printed; all are counted, and written to the `--rejects` file.
const REJECTS_SHOWN: u64 = 10;

impl ImportStats {
    fn new(bar: ProgressBar) -> Self {
        Self { bar, started: Instant::now(), created: 0, updated: 0, unchanged: 0, rejected: 0 }
    }

    fn add(
        &mut self,
        numbers: &[u64],
        ingested: Vec<ndjson::Ingested>,
        rejects: &mut Option<File>,
    ) -> anyhow::Result<()> {
        for (number, ingested) in numbers.iter().zip(ingested) {
            match &ingested.receipt {
                Receipt::Accepted { outcome: Outcome::Created, .. } => self.created += 1,
                Receipt::Accepted { outcome: Outcome::Updated, .. } => self.updated += 1,
                Receipt::Accepted { outcome: Outcome::Unchanged, .. } => self.unchanged += 1,
                Receipt::Rejected { violations } => {
                    self.rejected += 1;
                    if self.rejected <= REJECTS_SHOWN {
                        let format_violation = |violation: &Violation| match violation.path.as_str() {
                            "" => violation.message.clone(),
                            path => format!("{path}: {}", violation.message),
                        };
                        let messages: Vec<String> = violations.iter().map(format_violation).collect();
                        let line = format!("line {number} rejected: {}", messages.join(" "));
                        self.bar.suspend(|| output::eprint_line(&line));
                    }
                    if let Some(file) = rejects {
                        let mut receipt = ingested.body();
                        receipt.line = Some(*number);
                        let mut text = serde_json::to_vec(&receipt)?;
                        text.push(b'\n');
                        file.write_all(&text).context("cannot write to the --rejects file")?;
                    }
                }
            }
        }
        self.bar.set_message(format!("{:.0} adverts/s, {} rejected", self.rate(), self.rejected));
        Ok(())
    }

    fn total(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.rejected
    }

    fn rate(&self) -> f64 {
        self.total() as f64 / self.started.elapsed().as_secs_f64().max(0.001)
    }

    fn finish(self) {
        self.bar.finish_and_clear();
        let Self { created, updated, unchanged, rejected, .. } = self;
        output::print_line(&format!(
            "Imported {} adverts in {:.1} s ({:.0} per second): {created} created, {updated} updated, {unchanged} unchanged, \
             {rejected} rejected",
            self.total(),
            self.started.elapsed().as_secs_f64(),
            self.rate(),
        ));
    }
}
