//! What is in a target.

use domain::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::folder;
use crate::manifest::Manifest;
use crate::name::BackupName;
use crate::rotation::Condition;
use crate::target::{Place, Target};
use crate::work;

/// The newest backups of a target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contents {
    /// The newest complete backup that is not dated in the future.
    pub newest: Option<BackupName>,
    /// The newest one of these that was verified and has no damage.
    pub newest_intact: Option<BackupName>,
    /// Problems of the newest one.
    pub damaged_records: u64,
    /// Complete backups that are dated in the future: made with a wrong clock, or the clock is wrong now.
    pub dated_later: Vec<BackupName>,
}

impl Target {
    /// Returns the complete backups, the oldest first. A file has no dated name.
    pub async fn list(&self, stop: &CancellationToken) -> Result<Vec<BackupName>, Error> {
        match &self.0 {
            Place::Folder(path) => {
                let path = path.clone();
                work::on_thread(stop, move || folder::list(&path)).await
            }
            Place::File(_) | Place::S3Backup(..) => Ok(Vec::new()),
            Place::S3(s3) => work::until(stop, s3.list()).await,
        }
    }

    /// Returns the newest backups.
    pub async fn contents(&self, now: Timestamp, stop: &CancellationToken) -> Result<Contents, Error> {
        let (mut names, dated_later): (Vec<_>, Vec<_>) =
            self.list(stop).await?.into_iter().partition(|name| name.date() <= now);
        let mut contents = Contents { newest: names.last().copied(), dated_later, ..Contents::default() };
        while let Some(name) = names.pop() {
            let manifest = self.manifest_of(name, stop).await;
            if let Ok(Some(manifest)) = &manifest
                && contents.newest == Some(name)
            {
                contents.damaged_records = manifest.damaged_records;
            }
            if Condition::of(manifest)? == Condition::Intact {
                contents.newest_intact = Some(name);
                break;
            }
        }
        Ok(contents)
    }

    async fn manifest_of(
        &self,
        name: BackupName,
        stop: &CancellationToken,
    ) -> Result<Option<Manifest>, Error> {
        match &self.0 {
            Place::Folder(path) => {
                let path = path.join(name.to_string());
                work::on_thread(stop, move || folder::manifest_of(&path)).await
            }
            Place::File(_) | Place::S3Backup(..) => Ok(None),
            Place::S3(s3) => work::until(stop, s3.manifest_of(name)).await,
        }
    }
}
