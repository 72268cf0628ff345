//! What an operator sees of a running server beyond its metrics: the last hour and the last day as series, what each site sent, and
//! which adverts were refused. All of it is in memory, bounded, and begins anew with the process.

pub mod history;
pub mod received;
mod sample;

use std::fs;
use std::path::Path;

use self::history::History;
use self::received::ReceivedAdverts;
pub use self::sample::Sample;

#[derive(Default)]
pub struct Status {
    pub history: History,
    pub received: ReceivedAdverts,
}

/// Returns the resident memory of this process. `None` on systems that do not tell.
pub fn memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1_024)
}

/// Returns the free and the whole size of the disk that has a folder.
pub fn disk_bytes(folder: &Path) -> Option<(u64, u64)> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some((disk.f_bavail.saturating_mul(disk.f_frsize), disk.f_blocks.saturating_mul(disk.f_frsize)))
}
