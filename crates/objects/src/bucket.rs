//! Objects in S3-compatible storage.

use std::fmt;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as ObjectPath;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use crate::client::Connector;
use crate::endpoint::{self, Access, S3Settings};
use crate::error::Error;

/// The size of a part of an upload; one part is in memory. S3 allows 10,000 parts, so larger objects have larger parts.
const PART_BYTES: u64 = 16 << 20;
const PARTS_MAX: u64 = 9_000;

/// How long to wait until the storage has forgotten the parts of an upload that failed. A shutdown waits for this.
const ABORT_TIMEOUT: Duration = Duration::from_secs(5);

/// A bucket and a prefix in it.
pub struct Bucket {
    storage: Arc<AmazonS3>,
    bucket: String,
    prefix: String,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bucket({})", self.root())
    }
}

impl Bucket {
    /// Connects nothing yet.
    pub fn new(bucket: &str, prefix: &str, settings: &S3Settings) -> Result<Self, Error> {
        let address = format!("s3://{bucket}/{prefix}");
        let access = settings.complete(&|name| std::env::var(name).ok());
        let no_credentials = || Error::NoCredentials { address: address.clone(), section: settings.section };
        let Access { endpoint, region, access_key_id, secret_access_key, session_token } =
            access.ok_or_else(no_credentials)?;
        if let Some(endpoint) = &endpoint {
            endpoint::check_text(endpoint, settings)?;
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
        let connector = Connector::new(settings)?;
        // One request per object: not every storage deletes several at once, and there are few.
        let builder = builder.with_disable_bulk_delete(true);
        let storage = builder.with_http_connector(connector).build();
        let storage =
            storage.map_err(|source| Error::Storage { action: "cannot set up", address, source })?;
        Ok(Self { storage: Arc::new(storage), bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }

    /// Returns the address of the prefix.
    pub fn root(&self) -> String {
        match self.prefix.as_str() {
            "" => format!("s3://{}", self.bucket),
            prefix => format!("s3://{}/{prefix}", self.bucket),
        }
    }

    /// Returns the address of an object.
    pub fn address(&self, object: &str) -> String {
        format!("{}/{object}", self.root())
    }

    fn path(&self, object: &str) -> ObjectPath {
        let parts = self.prefix.split('/').filter(|part| !part.is_empty());
        ObjectPath::from_iter(parts.chain([object]))
    }

    fn failed(&self, action: &'static str, object: &str) -> impl Fn(object_store::Error) -> Error + use<> {
        let address = self.address(object);
        move |source| Error::Storage { action, address: address.clone(), source }
    }

    /// Returns the size of an object; `None` if there is none.
    pub async fn size(&self, object: &str) -> Result<Option<u64>, Error> {
        match self.storage.head(&self.path(object)).await {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed("cannot reach", object)(error)),
        }
    }

    /// Writes an object at once.
    pub async fn put(&self, object: &str, content: Vec<u8>) -> Result<(), Error> {
        let put = self.storage.put(&self.path(object), PutPayload::from(content)).await;
        put.map(drop).map_err(self.failed("cannot upload", object))
    }

    /// Begins an upload in parts. The object appears when it is complete.
    pub async fn begin(&self, object: &str) -> Result<Upload, Error> {
        let upload = self.storage.put_multipart(&self.path(object)).await;
        let upload = upload.map_err(self.failed("cannot upload", object))?;
        Ok(Upload { upload, address: self.address(object) })
    }

    /// Uploads `length` bytes of a file, with one part of it in memory. If that fails or is cancelled, it lets the storage forget the
    /// parts.
    pub async fn upload_file(
        &self,
        object: &str,
        file: File,
        length: u64,
        stop: &CancellationToken,
    ) -> Result<(), Error> {
        let mut file = tokio::fs::File::from_std(file);
        if length <= PART_BYTES {
            let content = self.next_part(&mut file, object, length).await?;
            return until(stop, self.put(object, content)).await;
        }
        let mut upload = until(stop, self.begin(object)).await?;
        let sending = async {
            let mut rest = length;
            while rest > 0 {
                let part = self.next_part(&mut file, object, part_bytes(length).min(rest)).await?;
                rest -= part.len() as u64;
                upload.send(part).await?;
            }
            upload.complete().await
        };
        if let Err(error) = until(stop, sending).await {
            upload.abort().await;
            return Err(error);
        }
        Ok(())
    }

    async fn next_part(
        &self,
        file: &mut tokio::fs::File,
        object: &str,
        bytes: u64,
    ) -> Result<Vec<u8>, Error> {
        let mut part = Vec::new();
        let read = file.take(bytes).read_to_end(&mut part).await;
        read.map_err(Error::file("cannot read the file for", object))?;
        if part.len() as u64 != bytes {
            let (address, found) = (self.address(object), part.len() as u64);
            return Err(Error::TooShort { address, found, expected: bytes });
        }
        Ok(part)
    }

    /// Returns the names of the objects directly below the prefix.
    pub async fn list(&self) -> Result<Vec<String>, Error> {
        let prefix = (!self.prefix.is_empty()).then(|| self.path(""));
        let listed = self.storage.list_with_delimiter(prefix.as_ref()).await;
        let listed = listed.map_err(self.failed("cannot list", ""))?;
        Ok(listed.objects.iter().filter_map(|object| object.location.filename()).map(str::to_owned).collect())
    }

    /// Deletes an object, if it exists.
    pub async fn delete(&self, object: &str) -> Result<(), Error> {
        match self.storage.delete(&self.path(object)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed("cannot delete", object)(error)),
        }
    }

    /// Begins to read an object; `None` if there is none.
    pub async fn get(&self, object: &str) -> Result<Option<Download>, Error> {
        let got = match self.storage.get(&self.path(object)).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            got => got.map_err(self.failed("cannot download", object))?,
        };
        let (size, address) = (got.meta.size, self.address(object));
        Ok(Some(Download { size, chunks: got.into_stream(), address }))
    }
}

/// An upload in parts.
pub struct Upload {
    upload: Box<dyn MultipartUpload>,
    address: String,
}

impl Upload {
    fn failed(&self) -> impl Fn(object_store::Error) -> Error + use<> {
        let address = self.address.clone();
        move |source| Error::Storage { action: "cannot upload", address: address.clone(), source }
    }

    /// Sends the next part. All but the last must have [`part_bytes`].
    pub async fn send(&mut self, part: Vec<u8>) -> Result<(), Error> {
        let sent = self.upload.put_part(Bytes::from(part).into()).await;
        sent.map_err(self.failed())
    }

    pub async fn complete(&mut self) -> Result<(), Error> {
        let completed = self.upload.complete().await;
        completed.map(drop).map_err(self.failed())
    }

    /// Lets the storage forget the parts. If this fails as well, it keeps them, invisible, until its own rules remove them.
    pub async fn abort(&mut self) {
        let _ = tokio::time::timeout(ABORT_TIMEOUT, self.upload.abort()).await;
    }
}

/// Returns the size of the parts of an object.
pub fn part_bytes(total: u64) -> u64 {
    PART_BYTES.max(total.div_ceil(PARTS_MAX))
}

/// An object that is being read.
pub struct Download {
    size: u64,
    chunks: BoxStream<'static, object_store::Result<Bytes>>,
    address: String,
}

impl Download {
    /// Returns the size of the object.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the next bytes; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let chunk = self.chunks.try_next().await;
        chunk.map_err(|source| Error::Storage {
            action: "cannot download",
            address: self.address.clone(),
            source,
        })
    }

    /// Reads a small object into memory.
    pub async fn whole(mut self, bytes_max: u64) -> Result<Vec<u8>, Error> {
        let mut whole = Vec::new();
        let too_large = |address: &str, bytes| Error::TooLarge { address: address.to_owned(), bytes };
        if self.size > bytes_max {
            return Err(too_large(&self.address, self.size));
        }
        while let Some(chunk) = self.next().await? {
            whole.extend_from_slice(&chunk);
            if whole.len() as u64 > bytes_max {
                return Err(too_large(&self.address, whole.len() as u64));
            }
        }
        Ok(whole)
    }

    /// Copies at most `bytes_max` bytes to a file.
    pub async fn save(mut self, file: File, bytes_max: u64) -> Result<(), Error> {
        let mut file = tokio::fs::File::from_std(file);
        let address = self.address.clone();
        let failed = || Error::file("cannot write the file for", &address);
        let mut rest = bytes_max;
        while rest > 0
            && let Some(chunk) = self.next().await?
        {
            let count = usize::try_from(rest).unwrap_or(usize::MAX).min(chunk.len());
            file.write_all(chunk.get(..count).unwrap_or_default()).await.map_err(failed())?;
            rest -= count as u64;
        }
        file.flush().await.map_err(failed())
    }
}

/// Waits for work, or until it is cancelled.
async fn until<T>(
    stop: &CancellationToken,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::select! {
        // Before the work, which may be done at once.
        biased;
        () = stop.cancelled() => Err(Error::Cancelled),
        result = work => result,
    }
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
