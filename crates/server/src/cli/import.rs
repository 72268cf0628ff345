//! `vigie import`: a feed from a file or from standard input.
//!
//! Reading and decoding one batch goes on while the one before is being committed. Every few seconds the place in the file
//! is noted in the store; an import that was interrupted goes on from there. Taking a line in twice changes nothing, so the
//! note may lag behind but never run ahead.

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

use super::{Common, output};
use crate::feed::{self, Decoded, Decoder, Line, LineSplitter};
use crate::open;

/// How often the place is noted: what an interrupted import does again at most.
const NOTE_EVERY: Duration = Duration::from_secs(2);

/// More than over HTTP: nobody waits for the receipts, and a larger batch touches each page of the indices less often.
const LINES_PER_BATCH: usize = 4_000;

const READ_BYTES: usize = 256 * 1024;

#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(flatten)]
    common: Common,
    /// A file with one advert a line, or `-` for standard input
    file: PathBuf,
    /// Write the receipts of refused lines into this file
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Begin at the first line even if an earlier import of this file was interrupted
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
    };
    let mut source = Source::open(&args.file, &app, args.from_start).await?;
    let mut rejects = match &args.rejects {
        Some(path) => {
            // What an interrupted import refused stays in the file.
            let resumed = source.offset > 0;
            let mut options = File::options();
            options.create(true).write(true).append(resumed).truncate(!resumed);
            Some(options.open(path).with_context(|| format!("cannot write to {}", path.display()))?)
        }
        None => None,
    };
    let mut tally = Tally::new(source.progress_bar());
    let (sender, mut batches) = mpsc::channel::<io::Result<Batch>>(2);
    let reader = source.take_reader();
    let (splitter, offset) = (LineSplitter::from_line(decoder.line_bytes_max, source.line), source.offset);
    let clock = app.clone();
    let reading = tokio::task::spawn_blocking(move || {
        // The time is asked for anew each time: a pipe may stay open for days.
        let decode = |line: &Line| decoder.decode_line(&line.content, clock.clock().now());
        read_batches(reader, splitter, offset, &sender, decode);
    });
    let mut noted = Instant::now();
    while let Some(batch) = batches.recv().await {
        let batch = batch.with_context(|| format!("cannot read {}", args.file.display()))?;
        let taken = feed::take_in(&app, batch.decoded)
            .await
            .context("the import stopped; start it again to go on")?;
        tally.add(&batch.numbers, taken, &mut rejects)?;
        tally.bar.set_position(batch.offset);
        if noted.elapsed() >= NOTE_EVERY {
            source.note(&app, batch.offset, batch.next_line).await?;
            noted = Instant::now();
        }
    }
    reading.await.context("reading the feed failed")?;
    source.forget(&app).await?;
    tally.finish();
    Ok(ExitCode::SUCCESS)
}

/// Lines read and decoded together, and where the next one begins.
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
        if feed::is_full(&lines, LINES_PER_BATCH) || (read == 0 && !lines.is_empty()) {
            let (numbers, decoded) = lines.drain(..).map(|line| (line.number, decode(&line))).unzip();
            let batch = Batch {
                numbers,
                decoded,
                offset: offset - splitter.held_back(),
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

/// Where the feed comes from, and how far an earlier import of it came.
struct Source {
    reader: Option<Box<dyn Read + Send>>,
    /// The name its progress is noted under; none for standard input, which cannot be read twice.
    note_name: Option<String>,
    length: Option<u64>,
    offset: u64,
    line: u64,
}

impl Source {
    async fn open(path: &Path, app: &App, from_start: bool) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            let reader = Some(Box::new(io::stdin()) as Box<dyn Read + Send>);
            return Ok(Self { reader, note_name: None, length: None, offset: 0, line: 1 });
        }
        let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let metadata = file.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_dir() {
            bail!("{} is a folder", path.display());
        }
        if !metadata.is_file() {
            // A pipe, say: like standard input it cannot be read twice.
            let reader = Some(Box::new(file) as Box<dyn Read + Send>);
            return Ok(Self { reader, note_name: None, length: None, offset: 0, line: 1 });
        }
        // A file that grew or was replaced is another feed: only the same name, size and age is the same file.
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let note_name = format!(
            "import {} {} {}",
            absolute.display(),
            metadata.len(),
            modified.map_or(0, |age| age.as_millis())
        );
        let (mut offset, mut line) = (0, 1);
        if !from_start && let Some(note) = app.bookmark(note_name.clone()).await? {
            let mut numbers = note.split(' ').map(str::parse::<u64>);
            if let (Some(Ok(noted_offset)), Some(Ok(noted_line))) = (numbers.next(), numbers.next()) {
                (offset, line) = (noted_offset, noted_line);
                output::note(&format!("Going on at line {line}, where an earlier import was interrupted."));
            }
        }
        file.seek(SeekFrom::Start(offset)).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self {
            reader: Some(Box::new(file)),
            note_name: Some(note_name),
            length: Some(metadata.len()),
            offset,
            line,
        })
    }

    fn take_reader(&mut self) -> Box<dyn Read + Send> {
        self.reader.take().unwrap_or_else(|| Box::new(io::empty()))
    }

    async fn note(&self, app: &App, offset: u64, line: u64) -> anyhow::Result<()> {
        if let Some(name) = &self.note_name {
            app.save_bookmark(name.clone(), Some(format!("{offset} {line}"))).await?;
        }
        Ok(())
    }

    async fn forget(&self, app: &App) -> anyhow::Result<()> {
        if let Some(name) = &self.note_name {
            app.save_bookmark(name.clone(), None).await?;
        }
        Ok(())
    }

    fn progress_bar(&self) -> ProgressBar {
        if !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let (bar, template) = match self.length {
            Some(length) => (ProgressBar::new(length), "{bar:30} {bytes}/{total_bytes} {msg} (still {eta})"),
            None => (ProgressBar::new_spinner(), "{spinner} {bytes} {msg}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar
    }
}

/// What has become of the lines so far.
struct Tally {
    bar: ProgressBar,
    started: Instant,
    created: u64,
    updated: u64,
    unchanged: u64,
    rejected: u64,
}

/// How many refused lines are shown; the rest is counted, and kept with `--rejects`.
const REJECTS_SHOWN: u64 = 10;

impl Tally {
    fn new(bar: ProgressBar) -> Self {
        Self { bar, started: Instant::now(), created: 0, updated: 0, unchanged: 0, rejected: 0 }
    }

    fn add(
        &mut self,
        numbers: &[u64],
        taken: Vec<feed::Taken>,
        rejects: &mut Option<File>,
    ) -> anyhow::Result<()> {
        for (number, taken) in numbers.iter().zip(taken) {
            match &taken.receipt {
                Receipt::Accepted { outcome: Outcome::Created, .. } => self.created += 1,
                Receipt::Accepted { outcome: Outcome::Updated, .. } => self.updated += 1,
                Receipt::Accepted { outcome: Outcome::Unchanged, .. } => self.unchanged += 1,
                Receipt::Rejected { violations } => {
                    self.rejected += 1;
                    if self.rejected <= REJECTS_SHOWN {
                        let told = |violation: &Violation| match violation.path.as_str() {
                            "" => violation.message.clone(),
                            path => format!("{path}: {}", violation.message),
                        };
                        let told: Vec<String> = violations.iter().map(told).collect();
                        let line = format!("line {number} refused: {}", told.join(" "));
                        self.bar.suspend(|| output::note(&line));
                    }
                    if let Some(file) = rejects {
                        let mut receipt = taken.body();
                        receipt.line = Some(*number);
                        let mut text = serde_json::to_vec(&receipt)?;
                        text.push(b'\n');
                        file.write_all(&text).context("cannot write the refused lines")?;
                    }
                }
            }
        }
        self.bar.set_message(format!("{:.0} adverts/s, {} refused", self.rate(), self.rejected));
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
        output::say(&format!(
            "{} adverts in {:.1} s ({:.0} a second): {created} created, {updated} updated, {unchanged} unchanged, \
             {rejected} refused",
            self.total(),
            self.started.elapsed().as_secs_f64(),
            self.rate(),
        ));
    }
}
