//! The work on one file, on a thread of its own with the lowest priority: copy, verify, measure.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use store::Finding;
use store::lower_thread_priority_most;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::manifest::{Measured, measure};
use crate::pace::Pace;

/// What a backup or a restoration does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// In bytes.
    Copy,
    /// In records, whose total is not known.
    Verify,
    /// In bytes.
    Checksum,
    /// In bytes.
    Upload,
    /// In bytes.
    Download,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    pub done: u64,
    pub total: Option<u64>,
}

/// Called with the progress, often and from any thread.
pub(crate) type Report = Arc<dyn Fn(Progress) + Send + Sync>;

/// What to do with a copy whose verification finds damaged records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamagePolicy {
    Refuse,
    /// Keep it. The manifest of a backup counts the problems. A backup whose pages or indexes are damaged is refused all the same.
    Accept,
}

/// How long cancelled work on a thread may take to clean up. A disk that does not answer must not hold up a shutdown: what is left behind
/// is removed when the thread ends, or by the next backup.
const GRACE: Duration = Duration::from_secs(5);

/// Waits for work, or until it is cancelled.
pub(crate) async fn until<T>(
    stop: &CancellationToken,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::select! {
        () = stop.cancelled() => Err(Error::Cancelled),
        result = work => result,
    }
}

/// Runs work on a thread of its own, with the lowest priority. The work looks itself whether it is cancelled.
pub(crate) async fn on_thread<T: Send + 'static>(
    stop: &CancellationToken,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (reply, mut answer) = oneshot::channel();
    let run = move || {
        lower_thread_priority_most();
        let _ = reply.send(work());
    };
    let spawned = std::thread::Builder::new().name("backup".to_owned()).spawn(run);
    spawned.map_err(Error::file("cannot start a thread for", "the backup"))?;
    let answer = tokio::select! {
        answer = &mut answer => answer,
        () = stop.cancelled() => match tokio::time::timeout(GRACE, answer).await {
            Ok(answer) => answer,
            Err(_elapsed) => return Err(Error::Cancelled),
        },
    };
    answer.map_err(|_panicked| Error::Panicked)?
}

/// The findings in a file, and how many records were verified.
pub(crate) struct Verified {
    pub records: Option<u64>,
    pub findings: Vec<Finding>,
}

/// How much of the processor a verification takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// Half of a core at most, and none that a server beside it wants. The thread stays that way.
    HalfOfIdle,
    Whole,
}

/// Checks the pages of a database file and, if `records` is given, every record in it.
pub(crate) fn verify(
    path: &Path,
    records: Option<Share>,
    pace: &Pace,
    report: &Report,
) -> Result<Verified, Error> {
    if records == Some(Share::HalfOfIdle) {
        store::run_thread_when_idle();
    }
    let page_problem = store::sqlite::check_copy(path).map_err(Error::Verify)?;
    let mut verified = Verified { records: None, findings: page_problem.into_iter().collect() };
    if let Some(share) = records {
        let checked = store::sqlite::verify_copy(path, &mut |records| {
            report(Progress { stage: Stage::Verify, done: records, total: None });
            match share {
                Share::HalfOfIdle => pace.rest(),
                Share::Whole => pace.is_cancelled(),
            }
        });
        let checked = checked.map_err(Error::Verify)?.ok_or(Error::Cancelled)?;
        verified.records = Some(checked.records);
        verified.findings.extend(checked.findings);
    }
    Ok(verified)
}

/// Returns size and checksum of a file.
pub(crate) fn measured(path: &Path, pace: &Pace, report: &Report) -> Result<Measured, Error> {
    let total = std::fs::metadata(path).ok().map(|file| file.len());
    let mut between = |done| -> ControlFlow<()> {
        report(Progress { stage: Stage::Checksum, done, total });
        pace.is_cancelled()
    };
    let measured = measure(path, &mut between).map_err(Error::file("cannot read", path))?;
    measured.ok_or(Error::Cancelled)
}
