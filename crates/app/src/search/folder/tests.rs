//! Snapshots on disk, through crashes and damage.

use std::cell::Cell;

use tempfile::TempDir;

use super::*;

/// A segment as it is read back: id, contents, live rows.
type ReadSegment = (SegmentId, Vec<u8>, Vec<u8>);

const FORMAT: &str = "test 1";

/// A segment that counts how often it was encoded.
struct FakeSegment {
    id: SegmentId,
    content: Vec<u8>,
    live_docs: Vec<u8>,
    encoded: Cell<u32>,
}

fn fake(id: u64, content: &str, live_docs: &str) -> FakeSegment {
    FakeSegment {
        id: SegmentId(id),
        content: content.into(),
        live_docs: live_docs.into(),
        encoded: Cell::new(0),
    }
}

impl Segment for FakeSegment {
    fn id(&self) -> SegmentId {
        self.id
    }

    fn encode(&self) -> Vec<u8> {
        self.encoded.set(self.encoded.get() + 1);
        self.content.clone()
    }

    fn live_docs(&self) -> Vec<u8> {
        self.live_docs.clone()
    }
}

fn anchor(position: u64) -> Anchor {
    Anchor { position, recorded_at_millisecond: 1_000, subject: vec![7; 16] }
}

fn parts(segments: &[FakeSegment]) -> Vec<ReadSegment> {
    segments.iter().map(|segment| (segment.id, segment.content.clone(), segment.live_docs.clone())).collect()
}

/// Reads the position and the segments of a snapshot, as a new process does.
fn load(path: &Path) -> Result<(u64, Vec<ReadSegment>), Unusable> {
    let folder = SnapshotFolder::new(path.to_owned());
    let manifest = folder.manifest(FORMAT)?;
    Ok((
        manifest.anchor.position,
        folder.segments(&manifest, |id, bytes, live_docs| Ok((id, bytes.to_vec(), live_docs.to_vec())))?,
    ))
}

fn files(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in files(from) {
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

#[test]
fn a_snapshot_round_trips() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("index");
    assert!(matches!(load(&path), Err(Unusable::Missing)));
    let segments = [fake(1, "un", ""), fake(2, "deux", "x"), fake(9, "", "")];
    SnapshotFolder::new(path.clone()).save(FORMAT, anchor(5), &segments).unwrap();
    assert_eq!(load(&path).unwrap(), (5, parts(&segments)));
}

#[test]
fn a_segment_is_written_once_and_removed_when_unused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let mut writer = SnapshotFolder::new(path.to_owned());
    let (first, second, third) = (fake(1, "un", ""), fake(2, "deux", ""), fake(3, "trois", ""));
    writer.save(FORMAT, anchor(5), &[first, second]).unwrap();
    assert_eq!(files(path), ["manifest", "segment-1-1", "segment-1-2"]);

    // The same after a restart.
    let mut writer = SnapshotFolder::new(path.to_owned());
    let manifest = writer.manifest(FORMAT).unwrap();
    writer.continue_from(&manifest);
    let second = fake(2, "deux", "mort");
    let segments = [second, third];
    writer.save(FORMAT, anchor(6), &segments).unwrap();
    assert_eq!([segments[0].encoded.get(), segments[1].encoded.get()], [0, 1]);
    assert_eq!(files(path), ["manifest", "segment-1-2", "segment-1-3"]);
    assert_eq!(load(path).unwrap(), (6, parts(&segments)));
}

#[test]
fn a_rebuilt_index_does_not_overwrite_the_valid_snapshot() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    SnapshotFolder::new(path.to_owned()).save(FORMAT, anchor(5), &[fake(1, "vieux", "")]).unwrap();
    let rebuilt = [fake(1, "neuf", "")];
    let mut steps_with_old_snapshot = 0;
    let mut writer = SnapshotFolder::new(path.to_owned());
    writer
        .save_observed(FORMAT, anchor(6), &rebuilt, &mut |path| {
            steps_with_old_snapshot += u32::from(load(path).unwrap().0 == 5);
        })
        .unwrap();
    assert!(steps_with_old_snapshot > 3);
    assert_eq!(load(path).unwrap(), (6, parts(&rebuilt)));
    assert_eq!(files(path), ["manifest", "segment-2-1"]);
}

#[test]
fn a_crash_leaves_the_old_snapshot_or_the_new_one() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("index");
    let mut writer = SnapshotFolder::new(path.clone());
    let old = [fake(1, "un", ""), fake(2, "deux", "")];
    let new = [fake(2, "deux", "mort"), fake(3, "trois", ""), fake(4, "quatre", "")];
    writer.save(FORMAT, anchor(5), &old).unwrap();
    let mut crashes = Vec::new();
    writer
        .save_observed(FORMAT, anchor(6), &new, &mut |path| {
            let crashed = folder.path().join(format!("crash-{}", crashes.len()));
            copy(path, &crashed);
            crashes.push(crashed);
        })
        .unwrap();
    assert!(crashes.len() > 10, "{}", crashes.len());
    let mut seen_new = false;
    for crashed in &crashes {
        match load(crashed).unwrap() {
            (5, segments) => assert!(segments == parts(&old) && !seen_new, "{}", crashed.display()),
            (6, segments) => {
                assert_eq!(segments, parts(&new), "{}", crashed.display());
                seen_new = true;
            }
            other => panic!("{other:?}"),
        }
        // Continuing from there writes a complete snapshot and leaves no unused files.
        let mut writer = SnapshotFolder::new(crashed.clone());
        let manifest = writer.manifest(FORMAT).unwrap();
        writer.continue_from(&manifest);
        writer.save(FORMAT, anchor(7), &new).unwrap();
        assert_eq!(load(crashed).unwrap(), (7, parts(&new)));
        assert_eq!(files(crashed), ["manifest", "segment-1-2", "segment-1-3", "segment-1-4"]);
    }
    assert!(seen_new);
}

#[test]
fn any_damage_of_a_file_is_detected() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let segments = [fake(1, "un deux", ""), fake(2, "trois", "x")];
    SnapshotFolder::new(path.to_owned()).save(FORMAT, anchor(5), &segments).unwrap();
    for name in files(path) {
        let file = path.join(&name);
        let sound = fs::read(&file).unwrap();
        for index in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[index] ^= 1;
            for wrong in [&damaged[..], &sound[..index]] {
                fs::write(&file, wrong).unwrap();
                assert!(
                    matches!(load(path), Err(Unusable::Damaged { file }) if file == name),
                    "{name}, {index}"
                );
            }
        }
        fs::remove_file(&file).unwrap();
        assert!(matches!(load(path), Err(Unusable::Missing | Unusable::Unreadable { .. })), "{name}");
        fs::write(&file, &sound).unwrap();
    }
    assert_eq!(load(path).unwrap(), (5, parts(&segments)));
}

#[test]
fn another_format_is_not_read() {
    let folder = TempDir::new().unwrap();
    SnapshotFolder::new(folder.path().to_owned()).save("test 2", anchor(5), &[fake(1, "un", "")]).unwrap();
    let error = load(folder.path()).unwrap_err().to_string();
    assert_eq!(error, "its format is \"test 2\", and this release reads \"test 1\"");
}

#[test]
fn a_failed_write_leaves_the_previous_snapshot() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let old = [fake(1, "un", "")];
    let mut writer = SnapshotFolder::new(path.to_owned());
    writer.save(FORMAT, anchor(5), &old).unwrap();
    // A folder has the name of the file to be written.
    fs::create_dir(path.join("segment-1-2")).unwrap();
    assert!(writer.save(FORMAT, anchor(6), &[fake(2, "deux", "")]).is_err());
    assert_eq!(load(path).unwrap(), (5, parts(&old)));
    assert_eq!(files(path), ["manifest", "segment-1-1", "segment-1-2"]);
}
