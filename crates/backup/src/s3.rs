//! Backups in S3-compatible storage.
//!
//! The file is uploaded in parts, so that memory does not grow with it, and the manifest last: a backup without one is not complete.
//! Rotation removes the manifest first, for the same reason.

use std::path::Path;

use domain::Timestamp;
use jiff::SignedDuration;
use objects::{Bucket, S3Settings, Upload};
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::files::PartialFile;
use crate::manifest::{Hasher, Manifest, Measured};
use crate::name::BackupName;
use crate::restore;
use crate::rotation::{Condition, Rotated, excess};
use crate::work::{self, Progress, Report, Stage};

/// A manifest is a few hundred bytes.
const MANIFEST_BYTES_MAX: u64 = 64 << 10;

/// A file without a manifest is removed after this time: until then, its upload may be in progress.
const INCOMPLETE_AFTER: SignedDuration = SignedDuration::from_hours(48);

/// A bucket and a prefix in it.
#[derive(Debug)]
pub(crate) struct S3(Bucket);

impl S3 {
    pub fn new(bucket: &str, prefix: &str, settings: &S3Settings) -> Result<Self, Error> {
        Ok(Self(Bucket::new(bucket, prefix, settings)?))
    }

    /// Returns the address of a backup.
    pub fn address(&self, name: BackupName) -> String {
        self.0.address(&name.to_string())
    }

    /// Fails if a backup with this name exists already.
    pub async fn check_free(&self, name: BackupName) -> Result<(), Error> {
        for file in [name.to_string(), name.manifest()] {
            if self.0.size(&file).await?.is_some() {
                return Err(Error::Exists(self.0.address(&file)));
            }
        }
        Ok(())
    }

    /// Uploads a complete file and then its manifest. Returns the address.
    pub async fn upload(
        &self,
        file: &Path,
        name: BackupName,
        manifest: &Manifest,
        report: &Report,
        stop: &CancellationToken,
    ) -> Result<String, Error> {
        let object = name.to_string();
        let begin = async { Ok(self.0.begin(&object).await?) };
        let mut upload = work::until(stop, begin).await?;
        let sending = send_parts(file, manifest.bytes, &mut upload, report);
        if let Err(error) = work::until(stop, sending).await {
            upload.abort().await;
            return Err(error);
        }
        let complete = async {
            let size = self.0.size(&object).await?.unwrap_or(0);
            if size != manifest.bytes {
                let name = self.address(name);
                return Err(Error::WrongSize { name, found: size, expected: manifest.bytes });
            }
            Ok(self.0.put(&name.manifest(), manifest.print()).await?)
        };
        work::until(stop, complete).await?;
        Ok(self.address(name))
    }

    /// Returns the complete backups, the oldest first.
    pub async fn list(&self) -> Result<Vec<BackupName>, Error> {
        Ok(self.objects().await?.complete())
    }

    async fn objects(&self) -> Result<Objects, Error> {
        let names = self.0.list().await?;
        let mut objects = Objects::default();
        for name in &names {
            match name.strip_suffix(crate::name::MANIFEST_SUFFIX) {
                Some(file) => objects.manifests.extend(BackupName::parse(file)),
                None => objects.files.extend(BackupName::parse(name)),
            }
        }
        objects.files.sort();
        Ok(objects)
    }

    /// Removes the complete backups that are in excess of `keep`, and what interrupted backups left behind.
    pub async fn rotate(&self, keep: usize, now: Timestamp) -> Rotated {
        let (objects, backups) = match self.conditions().await {
            Ok(found) => found,
            Err(error) => return Rotated::failed(error),
        };
        let complete = objects.complete();
        let mut rotated = Rotated::default();
        for name in excess(&backups, keep, now) {
            rotated.note(self.remove(name).await.map(|()| Some(name.to_string())));
        }
        let is_old = |name: &&BackupName| now.duration_since(name.date()) > INCOMPLETE_AFTER;
        for name in objects.files.iter().filter(|name| !complete.contains(name)).filter(is_old) {
            rotated.note(self.delete(&name.to_string()).await.map(|()| None));
        }
        rotated
    }

    /// Returns what is below the prefix, and what the manifests of the complete backups say.
    async fn conditions(&self) -> Result<(Objects, Vec<(BackupName, Condition)>), Error> {
        let objects = self.objects().await?;
        let mut backups = Vec::new();
        for name in objects.complete() {
            backups.push((name, Condition::of(self.manifest_of(name).await)?));
        }
        Ok((objects, backups))
    }

    async fn remove(&self, name: BackupName) -> Result<(), Error> {
        self.delete(&name.manifest()).await?;
        self.delete(&name.to_string()).await
    }

    async fn delete(&self, file: &str) -> Result<(), Error> {
        Ok(self.0.delete(file).await?)
    }

    /// Returns the newest complete backup.
    pub async fn newest(&self) -> Result<(BackupName, Manifest), Error> {
        let name = self.list().await?.last().copied().ok_or_else(|| Error::NoBackup(self.0.root()))?;
        let manifest = self.manifest_of(name).await?.ok_or_else(|| Error::NoBackup(self.0.root()))?;
        Ok((name, manifest))
    }

    /// Reads the manifest of a backup; `None` if it has none.
    pub async fn manifest_of(&self, name: BackupName) -> Result<Option<Manifest>, Error> {
        let file = name.manifest();
        let Some(found) = self.0.get(&file).await? else { return Ok(None) };
        let (path, bytes) = (self.0.address(&file), found.size());
        if bytes > MANIFEST_BYTES_MAX {
            return Err(Error::ManifestTooLarge { path, bytes });
        }
        let text = found.whole(MANIFEST_BYTES_MAX).await?;
        Manifest::parse(&path, &text).map(Some)
    }

    /// Downloads a backup. Returns what was received.
    pub async fn download(
        &self,
        name: BackupName,
        total: u64,
        to: &PartialFile,
        report: &Report,
        stop: &CancellationToken,
    ) -> Result<Measured, Error> {
        let object = name.to_string();
        let got = work::until(stop, async { Ok(self.0.get(&object).await?) }).await?;
        let mut found = got.ok_or_else(|| Error::NotComplete(self.address(name)))?;
        let mut hasher = Hasher::default();
        loop {
            let next = work::until(stop, async { Ok(found.next().await?) }).await?;
            let Some(chunk) = next else { return Ok(hasher.finish()) };
            hasher.update(&chunk);
            if hasher.bytes > total {
                let name = self.address(name);
                return Err(Error::WrongSize { name, found: hasher.bytes, expected: total });
            }
            restore::write(to, &chunk)?;
            report(Progress { stage: Stage::Download, done: hasher.bytes, total: Some(total) });
        }
    }
}

/// What is below the prefix, as far as it is ours.
#[derive(Default)]
struct Objects {
    /// In order.
    files: Vec<BackupName>,
    manifests: Vec<BackupName>,
}

impl Objects {
    fn complete(&self) -> Vec<BackupName> {
        self.files.iter().copied().filter(|name| self.manifests.contains(name)).collect()
    }
}

async fn send_parts(file: &Path, total: u64, upload: &mut Upload, report: &Report) -> Result<(), Error> {
    let part_bytes = objects::part_bytes(total);
    let mut source = tokio::fs::File::open(file).await.map_err(Error::file("cannot read", file))?;
    let mut done = 0;
    while done < total {
        let mut part = Vec::new();
        let mut rest = (&mut source).take(part_bytes);
        rest.read_to_end(&mut part).await.map_err(Error::file("cannot read", file))?;
        if part.is_empty() {
            let name = file.display().to_string();
            return Err(Error::WrongSize { name, found: done, expected: total });
        }
        let count = part.len() as u64;
        upload.send(part).await?;
        done += count;
        report(Progress { stage: Stage::Upload, done, total: Some(total) });
    }
    Ok(upload.complete().await?)
}
