//! Restoring a backup into an empty data folder.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::Timestamp;
use store::Finding;
use store::sqlite::{FILE_NAME, ServerLock};
use tokio_util::sync::CancellationToken;

use crate::error::{self, Error};
use crate::files::{self, PartialFile, with_suffix};
use crate::folder;
use crate::manifest::{Hasher, Manifest, Measured};
use crate::name::PARTIAL_SUFFIX;
use crate::pace::Pace;
use crate::target::{Place, Target};
use crate::work::{self, DamagePolicy, Progress, Report, Share, Stage};

/// How much of a file is copied at once.
const CHUNK_BYTES: usize = 1 << 20;

/// Whether a file without a manifest is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manifests {
    Required,
    Optional,
}

/// Where to restore, and how.
pub struct RestoreOptions {
    /// The data folder; empty, or missing.
    pub data: PathBuf,
    /// Since when deliveries are held; `None` sends them as soon as a server starts.
    pub hold_deliveries: Option<Timestamp>,
    pub damage: DamagePolicy,
    pub manifests: Manifests,
    pub report: Arc<dyn Fn(Progress) + Send + Sync>,
    pub stop: CancellationToken,
}

/// A restored database.
#[derive(Debug, Clone)]
pub struct Restored {
    /// Path or URL of the backup.
    pub source: String,
    /// `None` only with [`Manifests::Optional`].
    pub manifest: Option<Manifest>,
    /// The last position of its change log.
    pub log_position: u64,
    pub records: u64,
    /// What is damaged in it, if that was accepted.
    pub findings: Vec<Finding>,
    /// `true` if a server holds its deliveries until they are released.
    pub deliveries_held: bool,
}

/// Restores a file, the newest complete backup of a folder, the newest one in object storage, or a certain one there.
pub async fn restore(source: &Target, options: RestoreOptions) -> Result<Restored, Error> {
    let RestoreOptions { data, hold_deliveries, damage, manifests, report, stop } = options;
    check_empty(&data)?;
    files::create_folder(&data)?;
    let lock = ServerLock::acquire(&data).map_err(|error| match error {
        store::Error::InUse { path } => Error::ServerRunning(path),
        error => Error::Prepare(error),
    })?;
    let target = data.join(FILE_NAME);
    let partial = PartialFile::create(&target)?;
    let pace = Pace::new(u64::MAX, stop.clone());
    let (address, manifest, partial) = match &source.0 {
        Place::S3(s3) | Place::S3Backup(s3, _) => {
            let (name, manifest) = match &source.0 {
                Place::S3Backup(_, name) => {
                    let manifest = work::until(&stop, s3.manifest_of(*name)).await?;
                    (*name, manifest.ok_or_else(|| Error::NotComplete(s3.address(*name)))?)
                }
                _ => work::until(&stop, s3.newest()).await?,
            };
            files::check_space(&data, manifest.bytes)?;
            let measured = s3.download(name, manifest.bytes, &partial, &report, &stop).await?;
            manifest.check(&s3.address(name), &measured)?;
            (s3.address(name), Some(manifest), partial)
        }
        Place::Folder(_) | Place::File(_) => {
            let file = match &source.0 {
                Place::File(path) => path.clone(),
                _ => newest_file(source, &stop).await?,
            };
            let manifest = match folder::manifest_of(&file)? {
                None if manifests == Manifests::Required => {
                    // A missing file is not a file without a manifest.
                    File::open(&file).map_err(Error::file("cannot read", &file))?;
                    return Err(Error::NoManifest(file.display().to_string()));
                }
                manifest => manifest,
            };
            if manifest.is_none() {
                check_whole(&file)?;
            }
            let (path, expected, report) = (file.clone(), manifest.clone(), Arc::clone(&report));
            let pace = Pace::new(u64::MAX, stop.clone());
            let partial =
                work::on_thread(&stop, move || copy_file(&path, partial, expected.as_ref(), &pace, &report))
                    .await?;
            (file.display().to_string(), manifest, partial)
        }
    };
    work::on_thread(&stop, move || {
        if manifest.is_none() {
            // Its checksum is unknown, so that its pages are checked before anything is written to them.
            check_damage(&work::verify(partial.path(), None, &pace, &report)?.findings, damage)?;
        }
        let hold_since = hold_deliveries.map(|at| at.to_string());
        let state = store::sqlite::prepare_restored(partial.path(), hold_since.as_deref());
        let state = state.map_err(Error::Prepare)?;
        let verified = work::verify(partial.path(), Some(Share::Whole), &pace, &report)?;
        check_damage(&verified.findings, damage)?;
        partial.publish(&target)?;
        files::sync_folder(&data)?;
        drop(lock);
        Ok(Restored {
            source: address,
            manifest,
            log_position: state.position.0,
            records: verified.records.unwrap_or(0),
            findings: verified.findings,
            deliveries_held: state.deliveries_held.is_some(),
        })
    })
    .await
}

fn check_damage(findings: &[Finding], policy: DamagePolicy) -> Result<(), Error> {
    match (findings.first(), policy) {
        (Some(first), DamagePolicy::Refuse) => {
            Err(Error::DamagedBackup { first: error::shown(first), count: findings.len() })
        }
        _ => Ok(()),
    }
}

/// Fails if a folder holds anything but locks and an interrupted restoration: neither a database, nor the write-ahead log or the index of
/// another one, which a server would apply to this one.
fn check_empty(data: &Path) -> Result<(), Error> {
    const LOCKS: [&str; 2] = ["server.lock", "opening.lock"];
    let entries = match std::fs::read_dir(data) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::file("cannot list", data))?,
    };
    let partial = format!("{FILE_NAME}{PARTIAL_SUFFIX}");
    for entry in entries {
        let name = entry.map_err(Error::file("cannot list", data))?.file_name();
        let name = name.to_string_lossy();
        if !LOCKS.contains(&&*name) && !name.starts_with(&partial) {
            return Err(Error::NotEmpty(data.to_owned()));
        }
    }
    Ok(())
}

async fn newest_file(source: &Target, stop: &CancellationToken) -> Result<PathBuf, Error> {
    let Place::Folder(folder) = &source.0 else { return Err(Error::NoBackup(String::new())) };
    // A mistyped path is not an empty folder.
    std::fs::read_dir(folder).map_err(Error::file("cannot list", folder))?;
    let newest = source.list(stop).await?.last().map(|name| folder.join(name.to_string()));
    newest.ok_or_else(|| Error::NoBackup(folder.display().to_string()))
}

/// Fails if there are changes beside a file, in a write-ahead log or a journal, without which it is another database or none. A manifest
/// would say so by its checksum.
fn check_whole(file: &Path) -> Result<(), Error> {
    for suffix in ["-wal", "-journal"] {
        let beside = with_suffix(file, suffix);
        if beside.metadata().is_ok_and(|beside| beside.len() > 0) {
            return Err(Error::ChangesBeside(beside));
        }
    }
    Ok(())
}

/// Copies a backup and compares it with its manifest.
fn copy_file(
    from: &Path,
    to: PartialFile,
    manifest: Option<&Manifest>,
    pace: &Pace,
    report: &Report,
) -> Result<PartialFile, Error> {
    let mut source = File::open(from).map_err(Error::file("cannot read", from))?;
    let total = source.metadata().map_err(Error::file("cannot read", from))?.len();
    if let Some(manifest) = manifest
        && manifest.bytes != total
    {
        let name = from.display().to_string();
        return Err(Error::WrongSize { name, found: total, expected: manifest.bytes });
    }
    files::check_space(&files::folder_of(to.path()), total)?;
    let mut hasher = Hasher::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = source.read(&mut chunk).map_err(Error::file("cannot read", from))?;
        if count == 0 {
            break;
        }
        let bytes = chunk.get(..count).unwrap_or_default();
        hasher.update(bytes);
        write(&to, bytes)?;
        report(Progress { stage: Stage::Copy, done: hasher.bytes, total: Some(total) });
        if pace.is_cancelled().is_break() {
            return Err(Error::Cancelled);
        }
    }
    let measured: Measured = hasher.finish();
    if let Some(manifest) = manifest {
        manifest.check(&from.display().to_string(), &measured)?;
    }
    Ok(to)
}

/// Appends to a partial file.
pub(crate) fn write(partial: &PartialFile, bytes: &[u8]) -> Result<(), Error> {
    let written = partial.file().map_or(Ok(()), |mut file| file.write_all(bytes));
    written.map_err(Error::file("cannot write", with_suffix(partial.path(), "")))
}
