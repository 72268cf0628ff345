//! Backups in S3-compatible storage.
//!
//! The file is uploaded in parts, so that memory does not grow with it, and the manifest last: a backup without one is not complete.
//! Rotation removes the manifest first, for the same reason.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::Timestamp;
use futures_util::TryStreamExt;
use jiff::SignedDuration;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as ObjectPath;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

use crate::client::Connector;
use crate::endpoint::{self, Access, S3Settings};
use crate::error::Error;
use crate::files::PartialFile;
use crate::manifest::{Hasher, Manifest, Measured};
use crate::name::BackupName;
use crate::restore;
use crate::rotation::{Condition, Rotated, excess};
use crate::work::{self, Progress, Report, Stage};

/// The size of a part of an upload; one part is in memory. S3 allows 10,000 parts, so larger files have larger parts.
const PART_BYTES: u64 = 16 << 20;
const PARTS_MAX: u64 = 9_000;

/// How long to wait until the storage has forgotten the parts of an upload that failed. A shutdown waits for this.
const ABORT_TIMEOUT: Duration = Duration::from_secs(5);

/// A manifest is a few hundred bytes.
const MANIFEST_BYTES_MAX: u64 = 64 << 10;

/// A file without a manifest is removed after this time: until then, its upload may be in progress.
const INCOMPLETE_AFTER: SignedDuration = SignedDuration::from_hours(48);

/// A bucket and a prefix in it.
pub(crate) struct S3 {
    storage: Arc<AmazonS3>,
    bucket: String,
    prefix: String,
}

impl fmt::Debug for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3({})", self.root())
    }
}

impl S3 {
    pub fn new(bucket: &str, prefix: &str, settings: &S3Settings) -> Result<Self, Error> {
        let address = format!("s3://{bucket}/{prefix}");
        let access = settings.complete(&|name| std::env::var(name).ok());
        let Access { endpoint, region, access_key_id, secret_access_key, session_token } =
            access.ok_or_else(|| Error::NoCredentials(address.clone()))?;
        if let Some(endpoint) = &endpoint {
            endpoint::check_text(endpoint, settings.allow_http)?;
        }
        let mut builder = AmazonS3Builder::new().with_bucket_name(bucket);
        for (key, value) in [
            (AmazonS3ConfigKey::Endpoint, endpoint),
            (AmazonS3ConfigKey::Region, region),
            (AmazonS3ConfigKey::AccessKeyId, Some(access_key_id)),
            (AmazonS3ConfigKey::SecretAccessKey, Some(secret_access_key)),
            (AmazonS3ConfigKey::Token, session_token),
        ] {
            if let Some(value) = value {
                builder = builder.with_config(key, value);
            }
        }
        let connector = Connector::new(settings.extra_ca_pem.as_deref(), settings.allow_http)?;
        // One request per object: not every storage deletes several at once, and there are few.
        let builder = builder.with_disable_bulk_delete(true);
        let storage = builder.with_http_connector(connector).build();
        let storage =
            storage.map_err(|source| Error::Storage { action: "cannot set up", address, source })?;
        Ok(Self { storage: Arc::new(storage), bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }

    fn root(&self) -> String {
        match self.prefix.as_str() {
            "" => format!("s3://{}", self.bucket),
            prefix => format!("s3://{}/{prefix}", self.bucket),
        }
    }

    /// Returns the address of a backup.
    pub fn address(&self, name: BackupName) -> String {
        format!("{}/{name}", self.root())
    }

    fn path(&self, file: &str) -> ObjectPath {
        let parts = self.prefix.split('/').filter(|part| !part.is_empty());
        ObjectPath::from_iter(parts.chain([file]))
    }

    fn failed(&self, action: &'static str, file: &str) -> impl Fn(object_store::Error) -> Error + use<> {
        let address = format!("{}/{file}", self.root());
        move |source| Error::Storage { action, address: address.clone(), source }
    }

    /// Fails if a backup with this name exists already.
    pub async fn check_free(&self, name: BackupName) -> Result<(), Error> {
        for file in [name.to_string(), name.manifest()] {
            match self.storage.head(&self.path(&file)).await {
                Ok(_) => return Err(Error::Exists(format!("{}/{file}", self.root()))),
                Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(self.failed("cannot reach", &file)(error)),
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
        let failed = self.failed("cannot upload", &name.to_string());
        let path = self.path(&name.to_string());
        let begin = async { self.storage.put_multipart(&path).await.map_err(&failed) };
        let mut upload = work::until(stop, begin).await?;
        let sending = self.send_parts(file, name, manifest.bytes, &mut *upload, report);
        if let Err(error) = work::until(stop, sending).await {
            // If this fails as well, the storage keeps the parts, invisible, until its own rules remove them.
            let _ = tokio::time::timeout(ABORT_TIMEOUT, upload.abort()).await;
            return Err(error);
        }
        let complete = async {
            let size = self.storage.head(&path).await.map_err(&failed)?.size;
            if size != manifest.bytes {
                let name = self.address(name);
                return Err(Error::WrongSize { name, found: size, expected: manifest.bytes });
            }
            let failed = self.failed("cannot upload", &name.manifest());
            let content = PutPayload::from(manifest.print());
            self.storage.put(&self.path(&name.manifest()), content).await.map_err(failed)
        };
        work::until(stop, complete).await?;
        Ok(self.address(name))
    }

    async fn send_parts(
        &self,
        file: &Path,
        name: BackupName,
        total: u64,
        upload: &mut dyn MultipartUpload,
        report: &Report,
    ) -> Result<(), Error> {
        let failed = self.failed("cannot upload", &name.to_string());
        let part_bytes = part_bytes(total);
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
            upload.put_part(Bytes::from(part).into()).await.map_err(&failed)?;
            done += count;
            report(Progress { stage: Stage::Upload, done, total: Some(total) });
        }
        upload.complete().await.map_err(&failed)?;
        Ok(())
    }

    /// Returns the complete backups, the oldest first.
    pub async fn list(&self) -> Result<Vec<BackupName>, Error> {
        Ok(self.objects().await?.complete())
    }

    async fn objects(&self) -> Result<Objects, Error> {
        let prefix = (!self.prefix.is_empty()).then(|| self.path(""));
        let listed = self.storage.list_with_delimiter(prefix.as_ref()).await;
        let listed = listed.map_err(self.failed("cannot list", ""))?;
        let names = listed.objects.iter().filter_map(|object| object.location.filename());
        let mut objects = Objects::default();
        for name in names {
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
        match self.storage.delete(&self.path(file)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed("cannot delete", file)(error)),
        }
    }

    /// Returns the newest complete backup.
    pub async fn newest(&self) -> Result<(BackupName, Manifest), Error> {
        let name = self.list().await?.last().copied().ok_or_else(|| Error::NoBackup(self.root()))?;
        let manifest = self.manifest_of(name).await?.ok_or_else(|| Error::NoBackup(self.root()))?;
        Ok((name, manifest))
    }

    /// Reads the manifest of a backup; `None` if it has none.
    pub async fn manifest_of(&self, name: BackupName) -> Result<Option<Manifest>, Error> {
        let file = name.manifest();
        let failed = self.failed("cannot read", &file);
        let got = match self.storage.get(&self.path(&file)).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            got => got.map_err(&failed)?,
        };
        let (path, bytes) = (format!("{}/{file}", self.root()), got.meta.size);
        if bytes > MANIFEST_BYTES_MAX {
            return Err(Error::ManifestTooLarge { path, bytes });
        }
        let text = got.bytes().await.map_err(&failed)?;
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
        let failed = self.failed("cannot download", &name.to_string());
        let path = self.path(&name.to_string());
        let got = work::until(stop, async { self.storage.get(&path).await.map_err(&failed) }).await?;
        let mut chunks = got.into_stream();
        let mut hasher = Hasher::default();
        loop {
            let next = work::until(stop, async { chunks.try_next().await.map_err(&failed) }).await?;
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

fn part_bytes(total: u64) -> u64 {
    PART_BYTES.max(total.div_ceil(PARTS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_as_many_as_storage_allows() {
        assert_eq!(part_bytes(1), PART_BYTES);
        let huge = 2 << 40;
        assert!(huge / part_bytes(huge) <= 10_000);
    }
}
