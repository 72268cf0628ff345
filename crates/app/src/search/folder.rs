//! Snapshots of the index in a folder: a file for each segment, and a manifest that names them.
//!
//! A segment's file is written once and never again. A snapshot becomes the one that counts at the moment its manifest takes
//! the place of the one before, after everything it names is on disk: a crash between any two steps leaves the old snapshot
//! or the new one, whole. Files that no manifest names are removed afterwards, or by the next snapshot.
//!
//! Nothing read here is trusted: lengths and checksums are compared before a byte is handed on. What is wrong with a
//! snapshot costs the time to build the index anew, and nothing else.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine::{CorruptSegment, SegmentId, SegmentReader};

use super::manifest::{Anchor, Manifest, SegmentEntry};

const MANIFEST: &str = "manifest";
const SEGMENT_PREFIX: &str = "segment-";
/// What is being written. A crash leaves it behind, and it counts for nothing.
const UNFINISHED_SUFFIX: &str = ".unfinished";

/// What a file is made of. The engine's segments are; tests bring their own.
pub trait Segment {
    fn id(&self) -> SegmentId;
    fn encode(&self) -> Vec<u8>;
    /// Which of its rows are live_docs.
    fn live_docs(&self) -> Vec<u8>;
}

impl Segment for SegmentReader {
    fn id(&self) -> SegmentId {
        self.id()
    }

    fn encode(&self) -> Vec<u8> {
        self.encode()
    }

    fn live_docs(&self) -> Vec<u8> {
        self.live_docs()
    }
}

/// The folder, and what is known to be in it.
#[derive(Debug)]
pub struct SnapshotFolder {
    path: PathBuf,
    life: u64,
    /// Segments of this life that are on disk.
    written: HashMap<SegmentId, (u64, u32)>,
}

/// Why there is no snapshot to begin with.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("there is none")]
    Missing,
    #[error("{file} cannot be read")]
    Unreadable {
        file: String,
        #[source]
        source: io::Error,
    },
    #[error("{file} is damaged")]
    Damaged { file: String },
    #[error("it has the format \"{found}\", and this release has \"{expected}\"")]
    Format { found: String, expected: String },
    #[error("the log has no entry {position}: the store is younger than the snapshot")]
    LogTooShort { position: u64 },
    #[error("entry {position} of the log is another one: the store was replaced")]
    OtherLog { position: u64 },
    #[error("the engine cannot read the segments")]
    Refused(#[source] CorruptSegment),
}

impl SnapshotFolder {
    /// The folder at a path; it is made when something is written.
    pub fn new(path: PathBuf) -> Self {
        let life = next_life(&path);
        Self { path, life, written: HashMap::new() }
    }

    /// What the snapshot says of itself, if its format is the one that is read here.
    pub fn manifest(&self, format: &str) -> Result<Manifest, Unusable> {
        let bytes = match fs::read(self.path.join(MANIFEST)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Unusable::Missing),
            Err(source) => return Err(Unusable::Unreadable { file: MANIFEST.to_owned(), source }),
        };
        let damaged = || Unusable::Damaged { file: MANIFEST.to_owned() };
        let manifest = Manifest::decode(&bytes).ok_or_else(damaged)?;
        if manifest.format != format {
            return Err(Unusable::Format { found: manifest.format, expected: format.to_owned() });
        }
        Ok(manifest)
    }

    /// The segments that a manifest names, each checked and then decoded. Two at a time: that is what a small machine can do
    /// at once, and the bytes of two fit into its memory beside the index.
    pub fn segments<T: Send>(
        &self,
        manifest: &Manifest,
        decode: impl Fn(SegmentId, &[u8], &[u8]) -> Result<T, CorruptSegment> + Sync,
    ) -> Result<Vec<T>, Unusable> {
        let read = |entry: &SegmentEntry| {
            let file = segment_name(manifest.life, entry.id);
            match fs::read(self.path.join(&file)) {
                Ok(bytes)
                    if bytes.len() as u64 == entry.length && crc32fast::hash(&bytes) == entry.checksum =>
                {
                    decode(entry.id, &bytes, &entry.live_docs).map_err(Unusable::Refused)
                }
                Ok(_) => Err(Unusable::Damaged { file }),
                Err(source) => Err(Unusable::Unreadable { file, source }),
            }
        };
        let (first, second) = manifest.segments.split_at(manifest.segments.len().div_ceil(2));
        let all = |entries: &[SegmentEntry]| entries.iter().map(read).collect::<Result<Vec<T>, Unusable>>();
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(|| all(second));
            let own = all(first);
            (own, other.join().unwrap_or(Err(Unusable::Refused(CorruptSegment))))
        });
        let mut segments = first?;
        segments.extend(second?);
        Ok(segments)
    }

    /// The index goes on from this snapshot: its files need not be written again, and its ids stay taken.
    pub fn go_on_from(&mut self, manifest: &Manifest) {
        self.life = manifest.life;
        let known = manifest.segments.iter().map(|entry| (entry.id, (entry.length, entry.checksum)));
        self.written = known.collect();
    }

    /// Writes a snapshot. One segment at a time is held in memory.
    pub fn save<S: Segment>(&mut self, format: &str, anchor: Anchor, segments: &[S]) -> io::Result<Manifest> {
        self.save_observed(format, anchor, segments, &mut |_| {})
    }

    /// The same; tells of each step when it is done, so that a test can look at what a crash would leave.
    fn save_observed<S: Segment>(
        &mut self,
        format: &str,
        anchor: Anchor,
        segments: &[S],
        observe: &mut dyn FnMut(&Path),
    ) -> io::Result<Manifest> {
        make_folder(&self.path)?;
        observe(&self.path);
        let mut entries = Vec::with_capacity(segments.len());
        for segment in segments {
            let id = segment.id();
            let (length, checksum) = match self.written.get(&id) {
                Some(known) => *known,
                None => {
                    let bytes = segment.encode();
                    write_whole(&self.path, &segment_name(self.life, id), &bytes, observe)?;
                    let known = (bytes.len() as u64, crc32fast::hash(&bytes));
                    self.written.insert(id, known);
                    known
                }
            };
            entries.push(SegmentEntry { id, length, checksum, live_docs: segment.live_docs() });
        }
        // The names of the segments must be durable before a manifest speaks of them.
        sync_folder(&self.path)?;
        let manifest = Manifest { format: format.to_owned(), life: self.life, anchor, segments: entries };
        write_whole(&self.path, MANIFEST, &manifest.encode(), observe)?;
        sync_folder(&self.path)?;
        observe(&self.path);
        self.tidy(&manifest, observe)?;
        Ok(manifest)
    }

    /// Removes every file of ours that the manifest does not name.
    fn tidy(&mut self, manifest: &Manifest, observe: &mut dyn FnMut(&Path)) -> io::Result<()> {
        let named: HashSet<_> =
            manifest.segments.iter().map(|segment| segment_name(manifest.life, segment.id)).collect();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = name.starts_with(SEGMENT_PREFIX) || name.ends_with(UNFINISHED_SUFFIX);
            if is_ours && !named.contains(&name) {
                fs::remove_file(entry.path())?;
                observe(&self.path);
            }
        }
        let ids: HashSet<_> = manifest.segments.iter().map(|segment| segment.id).collect();
        self.written.retain(|id, _| ids.contains(id));
        // What held erased words must not come back with a loss of power.
        sync_folder(&self.path)
    }
}

fn segment_name(life: u64, id: SegmentId) -> String {
    format!("{SEGMENT_PREFIX}{life}-{id}")
}

/// A number that no file in the folder has: an index that was built anew numbers its segments from the start, and must not
/// write over those of a snapshot that still counts.
fn next_life(path: &Path) -> u64 {
    let Ok(files) = fs::read_dir(path) else { return 1 };
    let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
    let lives =
        names.filter_map(|name| name.strip_prefix(SEGMENT_PREFIX)?.split('-').next()?.parse::<u64>().ok());
    lives.max().unwrap_or(0).saturating_add(1)
}

/// The words of adverts are in there, so that it is for its owner alone, as the folder around it.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A file that is there whole or not at all.
fn write_whole(folder: &Path, name: &str, bytes: &[u8], observe: &mut dyn FnMut(&Path)) -> io::Result<()> {
    let unfinished = folder.join(format!("{name}{UNFINISHED_SUFFIX}"));
    let written = (|| {
        let mut file = File::create(&unfinished)?;
        observe(folder);
        file.write_all(bytes)?;
        file.sync_all()?;
        observe(folder);
        fs::rename(&unfinished, folder.join(name))
    })();
    if written.is_err() {
        // Most likely the disk is full; what is half written only takes room.
        let _ = fs::remove_file(&unfinished);
    }
    observe(folder);
    written
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests;
