//! Making a backup: copy, verify, measure, publish, rotate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::Timestamp;
use store::sqlite::CopiedState;
use store::{Finding, RecordKind};
use tokio_util::sync::CancellationToken;

use crate::error::{self, Error};
use crate::files::{self, PartialFile};
use crate::folder;
use crate::manifest::{Manifest, Measured};
use crate::name::BackupName;
use crate::pace::Pace;
use crate::rotation::Rotated;
use crate::target::{Place, Target};
use crate::work::{self, DamagePolicy, Progress, Share, Stage, Verified};

/// How many pages are copied at once: 1 MiB, a few milliseconds, after which the copy waits for its turn.
const PAGES_PER_STEP: u32 = 256;

/// What to back up, and how.
pub struct MakeOptions {
    /// The data folder.
    pub data: PathBuf,
    /// Where the copy is made and verified before it is uploaded. For a folder or a file it is made in place.
    pub staging: PathBuf,
    pub bytes_per_second: u64,
    /// How many intact backups to keep, and how many others; `None` keeps all.
    pub keep: Option<usize>,
    /// `false` checks the pages of the copy only, not its records.
    pub verify_records: bool,
    pub damage: DamagePolicy,
    pub now: Timestamp,
    pub vigie_version: &'static str,
    pub report: Arc<dyn Fn(Progress) + Send + Sync>,
    pub stop: CancellationToken,
}

/// A complete backup.
#[derive(Debug)]
pub struct Made {
    /// Its path or URL.
    pub address: String,
    pub manifest: Manifest,
    /// What is damaged in it, if that was accepted.
    pub findings: Vec<Finding>,
    /// Older backups that were removed.
    pub removed: Vec<String>,
    /// Why older backups could not be removed. The backup is complete all the same.
    pub rotation_error: Option<Error>,
    /// Size of the write-ahead log of the original at the end of the copy.
    pub wal_bytes: u64,
}

/// Backs up the database of a data folder, with or without a running server.
pub async fn make(target: &Target, options: MakeOptions) -> Result<Made, Error> {
    let name = BackupName::at(options.now);
    let (stop, options) = (options.stop.clone(), Arc::new(options));
    let place = match &target.0 {
        Place::Folder(folder) => folder.join(name.to_string()),
        Place::File(path) => path.clone(),
        Place::S3(s3) => {
            work::until(&stop, s3.check_free(name)).await?;
            options.staging.join(name.to_string())
        }
        Place::S3Backup(s3, name) => return Err(Error::NotATarget(s3.address(*name))),
    };
    let is_dated = !matches!(target.0, Place::File(_));
    let working = Arc::clone(&options);
    let pace = Pace::new(options.bytes_per_second, stop.clone());
    let path = place.clone();
    let finish = move || {
        if is_dated {
            let folder = files::folder_of(&path);
            files::create_folder(&folder)?;
            folder::clean(&folder)?;
        }
        finish_copy(&path, &working, &pace)
    };
    let finished = work::on_thread(&stop, finish).await?;
    let FinishedCopy { partial, copied, measured, verified } = finished;
    let manifest = manifest(&options, &copied, &measured, &verified);
    let address = match &target.0 {
        Place::Folder(_) | Place::File(_) | Place::S3Backup(..) => {
            let (path, published) = (place.clone(), manifest.clone());
            work::on_thread(&stop, move || folder::publish(partial, &path, &published)).await?;
            place.display().to_string()
        }
        Place::S3(s3) => {
            let address = s3.upload(partial.path(), name, &manifest, &options.report, &stop).await?;
            drop(partial);
            address
        }
    };
    let findings = verified.findings;
    let rotated = match options.keep {
        None => Rotated::default(),
        Some(keep) => rotate(target, keep, options.now, &stop).await.unwrap_or_else(Rotated::failed),
    };
    let Rotated { removed, error: rotation_error } = rotated;
    Ok(Made { address, manifest, findings, removed, rotation_error, wal_bytes: copied.wal_bytes })
}

async fn rotate(
    target: &Target,
    keep: usize,
    now: Timestamp,
    stop: &CancellationToken,
) -> Result<Rotated, Error> {
    match &target.0 {
        Place::File(_) | Place::S3Backup(..) => Ok(Rotated::default()),
        Place::Folder(folder) => {
            let folder = folder.clone();
            work::on_thread(stop, move || Ok(folder::rotate(&folder, keep, now))).await
        }
        Place::S3(s3) => work::until(stop, async { Ok(s3.rotate(keep, now).await) }).await,
    }
}

/// A copy that is ready to be published.
struct FinishedCopy {
    partial: PartialFile,
    copied: CopiedState,
    measured: Measured,
    verified: Verified,
}

fn finish_copy(path: &Path, options: &MakeOptions, pace: &Pace) -> Result<FinishedCopy, Error> {
    folder::check_free(path)?;
    let needed = store::sqlite::database_bytes(&options.data).map_err(Error::Copy)?;
    files::check_space(&files::folder_of(path), needed)?;
    let partial = PartialFile::create(path)?;
    let copied = copy(partial.path(), options, pace).map_err(|error| match error {
        Error::Copy(store::Error::CannotWrite(_)) => {
            // The disk may have filled up meanwhile; say so rather than what SQLite was doing.
            let space = files::check_space(&files::folder_of(path), needed);
            space.err().unwrap_or(error)
        }
        error => error,
    })?;
    let report = &options.report;
    let verified =
        work::verify(partial.path(), options.verify_records.then_some(Share::HalfOfIdle), pace, report)?;
    check_damage(&verified.findings, options.damage)?;
    let measured = work::measured(partial.path(), pace, report)?;
    Ok(FinishedCopy { partial, copied, measured, verified })
}

/// Fails if the damage is not acceptable. That of pages or indexes never is: what a query finds in such a copy cannot be relied on.
fn check_damage(findings: &[Finding], policy: DamagePolicy) -> Result<(), Error> {
    let of_file = findings.iter().find(|finding| finding.kind == RecordKind::Database);
    if let Some(finding) = of_file {
        return Err(Error::DamagedFile { problem: finding.problem.clone() });
    }
    match (findings.first(), policy) {
        (Some(first), DamagePolicy::Refuse) => {
            Err(Error::Damaged { first: error::shown(first), count: findings.len() })
        }
        _ => Ok(()),
    }
}

fn copy(path: &Path, options: &MakeOptions, pace: &Pace) -> Result<CopiedState, Error> {
    let copied = store::sqlite::copy_database(&options.data, path, PAGES_PER_STEP, &mut |progress| {
        let done = progress.pages * progress.page_bytes;
        let total = Some(progress.pages_total * progress.page_bytes);
        (options.report)(Progress { stage: Stage::Copy, done, total });
        pace.wait_for(done)
    });
    copied.map_err(Error::Copy)?.ok_or(Error::Cancelled)
}

fn manifest(
    options: &MakeOptions,
    copied: &CopiedState,
    measured: &Measured,
    verified: &Verified,
) -> Manifest {
    let CopiedState { position, schema_version, properties, adverts, searches, wal_bytes: _ } = *copied;
    Manifest {
        format: Manifest::FORMAT,
        created_at: domain::ports::whole_second(options.now),
        log_position: position.0,
        bytes: measured.bytes,
        sha256: measured.sha256.clone(),
        schema_version,
        vigie_version: options.vigie_version.to_owned(),
        properties,
        adverts,
        searches,
        verified_records: verified.records,
        damaged_records: verified.findings.len() as u64,
    }
}
