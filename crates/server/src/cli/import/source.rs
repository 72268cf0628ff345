//! The file or stream that an import reads, and where an earlier import of it stopped.
//!
//! Only a plain NDJSON file can be resumed in the middle. A compressed file or another format has to be read from its beginning, and
//! ingesting a record twice changes nothing, so such an import starts again.

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use app::App;
use feed::{FeedOptions, Format, Mapping};
use indicatif::{ProgressBar, ProgressStyle};

use super::records::{Checkpoint, Input};
use super::summary::Unit;
use crate::cli::output;

/// Bytes that are enough to recognise a format.
const FIRST_BYTES: usize = 4_096;

const GZIP: &[u8] = b"\x1f\x8b";
/// A ZIP file with entries, and one without.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

pub struct SourceOptions {
    /// `None` to recognise it.
    pub format: Option<Format>,
    pub mapping: Option<Mapping>,
    /// The site of adverts that name none.
    pub site: Option<String>,
    pub record_bytes_max: usize,
    pub resume: Resume,
}

/// What happens to checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// Continue at the checkpoint, and save new ones.
    AtCheckpoint,
    /// Start at the beginning, and save new ones.
    FromStart,
    /// Start at the beginning, and leave checkpoints alone.
    Never,
}

pub struct Source {
    pub input: Option<Input>,
    pub unit: Unit,
    /// Whether it starts where an earlier import was interrupted.
    pub resumed: bool,
    /// Name of its checkpoint in the store; `None` if it cannot be resumed.
    checkpoint_name: Option<String>,
    length: Option<u64>,
}

const BEGINNING: Checkpoint = Checkpoint { offset: 0, next_line: 1 };

impl Source {
    pub async fn open(path: &Path, app: &App, options: SourceOptions) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Self::of_stream(Box::new(io::stdin()), options);
        }
        let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let cannot_read = || format!("cannot read {}", path.display());
        let metadata = file.metadata().with_context(cannot_read)?;
        if metadata.is_dir() {
            bail!("{} is a folder, not a file", path.display());
        }
        if !metadata.is_file() {
            // For example a named pipe: like standard input it cannot be read twice.
            return Self::of_stream(Box::new(file), options);
        }
        let mut magic = Vec::new();
        file.by_ref().take(4).read_to_end(&mut magic).with_context(cannot_read)?;
        file.seek(SeekFrom::Start(0)).with_context(cannot_read)?;
        let is_zip = ZIP.contains(&magic.as_slice());
        let format = match options.format {
            Some(format) => format,
            None => recognise(path, is_zip, options.mapping.is_some())?,
        };
        let length = Some(metadata.len());
        if format != Format::Ndjson || options.mapping.is_some() || is_zip {
            let input = Input::Feed(feed::open(path, feed_options(format, options))?);
            let unit = if format == Format::Ndjson { Unit::Line } else { Unit::Record };
            return Ok(Self { input: Some(input), unit, resumed: false, checkpoint_name: None, length });
        }
        let bytes_read = Arc::new(AtomicU64::new(0));
        let counted =
            |file: File| Box::new(Counted { reader: Box::new(file), bytes_read: Arc::clone(&bytes_read) });
        if magic.starts_with(GZIP) {
            let reader = feed::decompress(counted(file))?;
            let input = Input::Lines { reader, start: BEGINNING, bytes_read };
            return Ok(Self {
                input: Some(input),
                unit: Unit::Line,
                resumed: false,
                checkpoint_name: None,
                length,
            });
        }
        let checkpoint_name = (options.resume != Resume::Never).then(|| checkpoint_name(path, &metadata));
        let checkpoint = match (&checkpoint_name, options.resume) {
            (Some(name), Resume::AtCheckpoint) => saved_checkpoint(app, name).await?,
            (_, Resume::AtCheckpoint | Resume::FromStart | Resume::Never) => None,
        };
        let start = checkpoint.unwrap_or(BEGINNING);
        if checkpoint.is_some() {
            output::eprint_line(&format!(
                "Resuming at line {}, where an earlier import was interrupted (--from-start imports everything).",
                start.next_line
            ));
        }
        file.seek(SeekFrom::Start(start.offset)).with_context(cannot_read)?;
        bytes_read.store(start.offset, Ordering::Relaxed);
        let reader = counted(file);
        Ok(Self {
            input: Some(Input::Lines { reader, start, bytes_read }),
            unit: Unit::Line,
            resumed: start.offset > 0,
            checkpoint_name,
            length,
        })
    }

    /// Reads standard input or a pipe.
    fn of_stream(reader: Box<dyn Read + Send>, options: SourceOptions) -> anyhow::Result<Self> {
        let format = options.format.unwrap_or(Format::Ndjson);
        let (input, unit) = if format != Format::Ndjson || options.mapping.is_some() {
            let unit = if format == Format::Ndjson { Unit::Line } else { Unit::Record };
            (Input::Feed(feed::open_reader(reader, feed_options(format, options))?), unit)
        } else {
            let bytes_read = Arc::new(AtomicU64::new(0));
            let counted = Counted { reader, bytes_read: Arc::clone(&bytes_read) };
            let reader = feed::decompress(Box::new(counted))?;
            (Input::Lines { reader, start: BEGINNING, bytes_read }, Unit::Line)
        };
        Ok(Self { input: Some(input), unit, resumed: false, checkpoint_name: None, length: None })
    }

    pub async fn save_checkpoint(&self, app: &App, checkpoint: Checkpoint) -> anyhow::Result<()> {
        if let Some(name) = &self.checkpoint_name {
            let Checkpoint { offset, next_line } = checkpoint;
            app.save_import_checkpoint(name.clone(), Some(format!("{offset} {next_line}"))).await?;
        }
        Ok(())
    }

    pub async fn clear_checkpoint(&self, app: &App) -> anyhow::Result<()> {
        if let Some(name) = &self.checkpoint_name {
            app.save_import_checkpoint(name.clone(), None).await?;
        }
        Ok(())
    }

    pub fn progress_bar(&self) -> ProgressBar {
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

fn feed_options(format: Format, options: SourceOptions) -> FeedOptions {
    let SourceOptions { format: _, mapping, site, record_bytes_max, resume: _ } = options;
    FeedOptions { format, mapping, site, record_bytes_max }
}

/// Recognises the format of a file. What is not recognised is NDJSON, as it has always been, unless there is a mapping file: then the
/// feed is of some other format.
fn recognise(path: &Path, is_zip: bool, mapped: bool) -> anyhow::Result<Format> {
    let recognised = if is_zip {
        feed::detect(path)?
    } else {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let mut first = Vec::new();
        // A damaged file is reported when it is imported.
        let _ = feed::decompress(Box::new(file))?.take(FIRST_BYTES as u64).read_to_end(&mut first);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_array = first.trim_ascii_start().starts_with(b"[");
        // Lines of JSON are often called `.json`, too.
        Format::detect(name.trim_end_matches(".gz"), &first)
            .filter(|format| *format != Format::Json || is_array || mapped)
    };
    match recognised {
        Some(format) => Ok(format),
        None if mapped => bail!("the format of {} is not recognised: name it with --format", path.display()),
        None => Ok(Format::Ndjson),
    }
}

/// A checkpoint is valid only for the same path, size and modification time: a file that changed is another feed.
fn checkpoint_name(path: &Path, metadata: &Metadata) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    format!("import {} {} {}", absolute.display(), metadata.len(), modified.map_or(0, |age| age.as_millis()))
}

async fn saved_checkpoint(app: &App, name: &str) -> anyhow::Result<Option<Checkpoint>> {
    let Some(saved) = app.import_checkpoint(name.to_owned()).await? else { return Ok(None) };
    let mut numbers = saved.split(' ').map(str::parse::<u64>);
    Ok(match (numbers.next(), numbers.next()) {
        (Some(Ok(offset)), Some(Ok(next_line))) => Some(Checkpoint { offset, next_line }),
        _ => None,
    })
}

/// Counts the bytes that are read.
struct Counted {
    reader: Box<dyn Read + Send>,
    bytes_read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
