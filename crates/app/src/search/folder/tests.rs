//! What is on disk, whatever happens to it.

use std::cell::Cell;

use tempfile::TempDir;

use super::*;

/// What a segment gives to be kept, and gets back.
type Kept = (SegmentId, Vec<u8>, Vec<u8>);

const FORMAT: &str = "test 1";

/// A segment that counts how often it was asked for its bytes.
struct Fake {
    id: SegmentId,
    content: Vec<u8>,
    dead: Vec<u8>,
    encoded: Cell<u32>,
}

fn fake(id: u64, content: &str, dead: &str) -> Fake {
    Fake { id: SegmentId(id), content: content.into(), dead: dead.into(), encoded: Cell::new(0) }
}

impl Segment for Fake {
    fn id(&self) -> SegmentId {
        self.id
    }

    fn encode(&self) -> Vec<u8> {
        self.encoded.set(self.encoded.get() + 1);
        self.content.clone()
    }

    fn live_docs(&self) -> Vec<u8> {
        self.dead.clone()
    }
}

fn anchor(position: u64) -> Anchor {
    Anchor { position, recorded_at_millisecond: 1_000, subject: vec![7; 16] }
}

fn parts(segments: &[Fake]) -> Vec<Kept> {
    segments.iter().map(|segment| (segment.id, segment.content.clone(), segment.dead.clone())).collect()
}

/// The position and the segments of the snapshot at a path, as a fresh process reads them.
fn load(path: &Path) -> Result<(u64, Vec<Kept>), Unusable> {
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
fn a_snapshot_reads_as_it_was_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("index");
    assert!(matches!(load(&path), Err(Unusable::Missing)));
    let segments = [fake(1, "un", ""), fake(2, "deux", "x"), fake(9, "", "")];
    SnapshotFolder::new(path.clone()).save(FORMAT, anchor(5), &segments).unwrap();
    assert_eq!(load(&path).unwrap(), (5, parts(&segments)));
}

#[test]
fn a_segment_is_written_once_and_removed_when_nobody_names_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let mut writer = SnapshotFolder::new(path.to_owned());
    let (first, second, third) = (fake(1, "un", ""), fake(2, "deux", ""), fake(3, "trois", ""));
    writer.save(FORMAT, anchor(5), &[first, second]).unwrap();
    assert_eq!(files(path), ["manifest", "segment-1-1", "segment-1-2"]);

    // After a restart, too.
    let mut writer = SnapshotFolder::new(path.to_owned());
    let manifest = writer.manifest(FORMAT).unwrap();
    writer.go_on_from(&manifest);
    let second = fake(2, "deux", "mort");
    let segments = [second, third];
    writer.save(FORMAT, anchor(6), &segments).unwrap();
    assert_eq!([segments[0].encoded.get(), segments[1].encoded.get()], [0, 1]);
    assert_eq!(files(path), ["manifest", "segment-1-2", "segment-1-3"]);
    assert_eq!(load(path).unwrap(), (6, parts(&segments)));
}

#[test]
fn an_index_that_was_built_anew_writes_over_nothing_that_counts() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    SnapshotFolder::new(path.to_owned()).save(FORMAT, anchor(5), &[fake(1, "vieux", "")]).unwrap();
    let rebuilt = [fake(1, "neuf", "")];
    let mut kept_until_the_end = 0;
    let mut writer = SnapshotFolder::new(path.to_owned());
    writer
        .save_observed(FORMAT, anchor(6), &rebuilt, &mut |path| {
            kept_until_the_end += u32::from(load(path).unwrap().0 == 5);
        })
        .unwrap();
    assert!(kept_until_the_end > 3);
    assert_eq!(load(path).unwrap(), (6, parts(&rebuilt)));
    assert_eq!(files(path), ["manifest", "segment-2-1"]);
}

#[test]
fn a_crash_between_any_two_steps_leaves_the_old_snapshot_or_the_new_one() {
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
        // Whoever goes on from there writes a whole snapshot, and leaves no litter.
        let mut writer = SnapshotFolder::new(crashed.clone());
        let manifest = writer.manifest(FORMAT).unwrap();
        writer.go_on_from(&manifest);
        writer.save(FORMAT, anchor(7), &new).unwrap();
        assert_eq!(load(crashed).unwrap(), (7, parts(&new)));
        assert_eq!(files(crashed), ["manifest", "segment-1-2", "segment-1-3", "segment-1-4"]);
    }
    assert!(seen_new);
}

#[test]
fn whatever_is_wrong_with_a_file_is_noticed() {
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
    let told = load(folder.path()).unwrap_err().to_string();
    assert_eq!(told, "it has the format \"test 2\", and this release has \"test 1\"");
}

#[test]
fn what_cannot_be_written_leaves_the_snapshot_before() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let old = [fake(1, "un", "")];
    let mut writer = SnapshotFolder::new(path.to_owned());
    writer.save(FORMAT, anchor(5), &old).unwrap();
    // A folder in the place of the file that is to be written.
    fs::create_dir(path.join("segment-1-2")).unwrap();
    assert!(writer.save(FORMAT, anchor(6), &[fake(2, "deux", "")]).is_err());
    assert_eq!(load(path).unwrap(), (5, parts(&old)));
    assert_eq!(files(path), ["manifest", "segment-1-1", "segment-1-2"]);
}
