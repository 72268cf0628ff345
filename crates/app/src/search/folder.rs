//! Snapshots of the index in a folder: a file for each segment, and a manifest that names them.
//!
//! A segment file is written once and never changed. A snapshot becomes valid when its manifest replaces the previous one, after
//! all files it names are on disk: a crash at any point leaves either the old snapshot or the new one, complete. Files that
//! the manifest does not name are removed afterwards, or by the next snapshot.
//!
//! Lengths and checksums are verified before segments are decoded. A damaged snapshot costs only the time to build the index from
//! the store.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine::{CorruptSegment, SegmentId, SegmentReader};

use super::manifest::{Anchor, Manifest, SegmentEntry};

const MANIFEST: &str = "manifest";
const SEGMENT_PREFIX: &str = "segment-";
/// The suffix of a file that is being written. A crash may leave one behind; it is ignored.
const UNFINISHED_SUFFIX: &str = ".unfinished";

/// A segment that can be written to a file. Implemented by the segments of the engine, and by test doubles.
pub trait Segment {
    fn id(&self) -> SegmentId;
    fn encode(&self) -> Vec<u8>;
    /// Returns the bit set of the rows that are not deleted.
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

/// The folder, and which segments it contains.
#[derive(Debug)]
pub struct SnapshotFolder {
    path: PathBuf,
    generation: u64,
    /// Segments of this generation on disk: length and checksum.
    written: HashMap<SegmentId, (u64, u32)>,
}

/// Why the snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("there is no snapshot")]
    Missing,
    #[error("cannot read {file}")]
    Unreadable {
        file: String,
        #[source]
        source: io::Error,
    },
    #[error("{file} is damaged")]
    Damaged { file: String },
    #[error("its format is \"{found}\", and this release reads \"{expected}\"")]
    Format { found: String, expected: String },
    #[error("the log has no entry {position}: the store is older than the snapshot")]
    LogTooShort { position: u64 },
    #[error("the log begins at entry {oldest}, and the snapshot is of entry {position} (retention.log)")]
    LogPruned { position: u64, oldest: u64 },
    #[error("entry {position} of the log differs: the store was replaced")]
    OtherLog { position: u64 },
    #[error("the engine cannot decode the segments")]
    Refused(#[source] CorruptSegment),
}

impl SnapshotFolder {
    /// Returns the folder at a path. It is created when the first snapshot is written.
    pub fn new(path: PathBuf) -> Self {
        let generation = next_generation(&path);
        Self { path, generation, written: HashMap::new() }
    }

    /// Reads the manifest, if it has the given format.
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

    /// Reads, verifies and decodes the segments of a manifest. Two at a time: a small machine has two cores, and the bytes of two
    /// segments fit into its memory besides the index.
    pub fn segments<T: Send>(
        &self,
        manifest: &Manifest,
        decode: impl Fn(SegmentId, &[u8], &[u8]) -> Result<T, CorruptSegment> + Sync,
    ) -> Result<Vec<T>, Unusable> {
        let read = |entry: &SegmentEntry| {
            let file = segment_name(manifest.generation, entry.id);
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

    /// Continues from a restored snapshot: its files are not written again, and its segment ids stay in use.
    pub fn continue_from(&mut self, manifest: &Manifest) {
        self.generation = manifest.generation;
        let written = manifest.segments.iter().map(|entry| (entry.id, (entry.length, entry.checksum)));
        self.written = written.collect();
    }

    /// Forgets the segments on disk. An index that continues from none of them numbers its own anew, in files of their own.
    pub fn start_over(&mut self) {
        self.generation = next_generation(&self.path);
        self.written.clear();
    }

    /// Opens the segment files of a snapshot, in its order. They stay readable when a later snapshot removes them.
    pub fn open_segments(&self, manifest: &Manifest) -> io::Result<Vec<File>> {
        let path = |entry: &SegmentEntry| self.path.join(segment_name(manifest.generation, entry.id));
        manifest.segments.iter().map(|entry| File::open(path(entry))).collect()
    }

    /// Creates the file of a segment that comes from elsewhere. It is unfinished until [`SnapshotFolder::finish_segment`].
    pub fn begin_segment(&self, id: SegmentId) -> io::Result<File> {
        create_folder(&self.path)?;
        let path = self.path.join(unfinished(&segment_name(self.generation, id)));
        File::options().read(true).write(true).create(true).truncate(true).open(path)
    }

    /// Gives a segment its name, once it is on disk.
    pub fn finish_segment(&self, id: SegmentId, file: &File) -> io::Result<()> {
        file.sync_all()?;
        let name = segment_name(self.generation, id);
        fs::rename(self.path.join(unfinished(&name)), self.path.join(name))
    }

    /// Takes over a segment of an earlier generation under its new id.
    pub fn take_over_segment(&self, generation: u64, from: SegmentId, to: SegmentId) -> io::Result<()> {
        let [from, to] = [segment_name(generation, from), segment_name(self.generation, to)];
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Returns the generation of the segments that are written now.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Makes a snapshot of another server this server's own. All its segments were finished before.
    pub fn adopt(&mut self, manifest: Manifest) -> io::Result<()> {
        let manifest = Manifest { generation: self.generation, ..manifest };
        create_folder(&self.path)?;
        self.commit(&manifest, &mut |_| {})
    }

    /// Writes a snapshot. Only one encoded segment is in memory at a time.
    pub fn save<S: Segment>(&mut self, format: &str, anchor: Anchor, segments: &[S]) -> io::Result<Manifest> {
        self.save_observed(format, anchor, segments, &mut |_| {})
    }

    /// Calls `observe` after each step, so that a test can check what a crash would leave.
    fn save_observed<S: Segment>(
        &mut self,
        format: &str,
        anchor: Anchor,
        segments: &[S],
        observe: &mut dyn FnMut(&Path),
    ) -> io::Result<Manifest> {
        create_folder(&self.path)?;
        observe(&self.path);
        let mut entries = Vec::with_capacity(segments.len());
        for segment in segments {
            let id = segment.id();
            let (length, checksum) = match self.written.get(&id) {
                Some(known) => *known,
                None => {
                    let bytes = segment.encode();
                    write_atomically(&self.path, &segment_name(self.generation, id), &bytes, observe)?;
                    let known = (bytes.len() as u64, crc32fast::hash(&bytes));
                    self.written.insert(id, known);
                    known
                }
            };
            entries.push(SegmentEntry { id, length, checksum, live_docs: segment.live_docs() });
        }
        let manifest =
            Manifest { format: format.to_owned(), generation: self.generation, anchor, segments: entries };
        self.commit(&manifest, observe)?;
        Ok(manifest)
    }

    /// Makes a snapshot the valid one, and removes the files of others.
    fn commit(&mut self, manifest: &Manifest, observe: &mut dyn FnMut(&Path)) -> io::Result<()> {
        // The segment files must be durable before the manifest that names them.
        sync_folder(&self.path)?;
        write_atomically(&self.path, MANIFEST, &manifest.encode(), observe)?;
        sync_folder(&self.path)?;
        observe(&self.path);
        self.remove_unused(manifest, observe)
    }

    /// Removes segment files and unfinished files that the manifest does not name.
    fn remove_unused(&mut self, manifest: &Manifest, observe: &mut dyn FnMut(&Path)) -> io::Result<()> {
        let named: HashSet<_> =
            manifest.segments.iter().map(|segment| segment_name(manifest.generation, segment.id)).collect();
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
        // A power failure must not bring back files with erased data.
        sync_folder(&self.path)
    }
}

fn segment_name(generation: u64, id: SegmentId) -> String {
    format!("{SEGMENT_PREFIX}{generation}-{id}")
}

fn unfinished(name: &str) -> String {
    format!("{name}{UNFINISHED_SUFFIX}")
}

/// Returns a generation that no file in the folder has. A rebuilt index numbers its segments from the start, and must not
/// overwrite those of a snapshot that is still valid.
fn next_generation(path: &Path) -> u64 {
    let Ok(files) = fs::read_dir(path) else { return 1 };
    let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
    let generations =
        names.filter_map(|name| name.strip_prefix(SEGMENT_PREFIX)?.split('-').next()?.parse::<u64>().ok());
    generations.max().unwrap_or(0).saturating_add(1)
}

/// Creates the folder, readable by its owner only: like the data folder around it, it contains the text of adverts.
fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file so that it exists completely or not at all.
fn write_atomically(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    observe: &mut dyn FnMut(&Path),
) -> io::Result<()> {
    let unfinished = folder.join(unfinished(name));
    let written = (|| {
        let mut file = File::create(&unfinished)?;
        observe(folder);
        file.write_all(bytes)?;
        file.sync_all()?;
        observe(folder);
        fs::rename(&unfinished, folder.join(name))
    })();
    if written.is_err() {
        // The disk is most likely full; the unfinished file would only take space.
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
