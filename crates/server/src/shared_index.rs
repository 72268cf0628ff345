//! The storage in which servers on one database share snapshots of the index: a folder or S3-compatible storage.

use std::fs::File;
use std::sync::Arc;

use app::search::shared::{SharedSnapshots, StorageError};
use async_trait::async_trait;
use objects::{Address, Bucket, Error, Folder, S3Settings};
use tokio_util::sync::CancellationToken;

/// Storage that is ready for use. Whatever it does ends when it is cancelled.
#[derive(Debug)]
pub struct SharedIndexStorage {
    place: Place,
    stop: CancellationToken,
}

#[derive(Debug)]
enum Place {
    Folder(Arc<Folder>),
    Bucket(Bucket),
}

impl SharedIndexStorage {
    /// Connects nothing yet. `writer` is a random number that identifies this process.
    pub fn open(
        address: &Address,
        settings: &S3Settings,
        writer: u64,
        stop: CancellationToken,
    ) -> Result<Self, Error> {
        let place = match address {
            Address::Folder(path) => Place::Folder(Arc::new(Folder::new(path.clone(), writer))),
            Address::S3 { bucket, prefix } => Place::Bucket(Bucket::new(bucket, prefix, settings)?),
        };
        Ok(Self { place, stop })
    }

    /// Runs work on a folder. A folder on another machine may not answer: then the thread is left alone.
    async fn in_folder<T: Send + 'static>(
        &self,
        folder: &Arc<Folder>,
        work: impl FnOnce(&Folder, &CancellationToken) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (folder, stop) = (Arc::clone(folder), self.stop.clone());
        let worked = tokio::task::spawn_blocking(move || work(&folder, &stop));
        self.until(async { worked.await.unwrap_or(Err(Error::Cancelled)) }).await
    }

    async fn until<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, StorageError> {
        let result = tokio::select! {
            // Before the work, which may be done at once.
            biased;
            () = self.stop.cancelled() => Err(Error::Cancelled),
            result = work => result,
        };
        result.map_err(StorageError::new)
    }
}

#[async_trait]
impl SharedSnapshots for SharedIndexStorage {
    async fn list(&self) -> Result<Vec<String>, StorageError> {
        match &self.place {
            Place::Folder(folder) => self.in_folder(folder, |folder, _| folder.list()).await,
            Place::Bucket(bucket) => self.until(bucket.list()).await,
        }
    }

    async fn read(&self, name: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, StorageError> {
        match &self.place {
            Place::Folder(folder) => {
                let name = name.to_owned();
                self.in_folder(folder, move |folder, _| folder.read(&name, bytes_max)).await
            }
            Place::Bucket(bucket) => {
                let read = async {
                    let Some(found) = bucket.get(name).await? else { return Ok(None) };
                    found.whole(bytes_max).await.map(Some)
                };
                self.until(read).await
            }
        }
    }

    async fn write(&self, name: &str, content: Vec<u8>) -> Result<(), StorageError> {
        match &self.place {
            Place::Folder(folder) => {
                let name = name.to_owned();
                let write =
                    move |folder: &Folder, stop: &_| folder.write(&name, &mut content.as_slice(), stop);
                self.in_folder(folder, write).await
            }
            Place::Bucket(bucket) => self.until(bucket.put(name, content)).await,
        }
    }

    async fn upload(&self, name: &str, mut file: File, length: u64) -> Result<(), StorageError> {
        match &self.place {
            Place::Folder(folder) => {
                let name = name.to_owned();
                self.in_folder(folder, move |folder, stop| folder.write(&name, &mut file, stop)).await
            }
            // Not cut off at once: the storage has to forget the parts that it has.
            Place::Bucket(bucket) => {
                let uploaded = bucket.upload_file(name, file, length, &self.stop).await;
                uploaded.map_err(StorageError::new)
            }
        }
    }

    async fn download(&self, name: &str, mut file: File, bytes_max: u64) -> Result<bool, StorageError> {
        match &self.place {
            Place::Folder(folder) => {
                let name = name.to_owned();
                let save = move |folder: &Folder, stop: &_| folder.save(&name, &mut file, bytes_max, stop);
                self.in_folder(folder, save).await
            }
            Place::Bucket(bucket) => {
                let download = async {
                    let Some(found) = bucket.get(name).await? else { return Ok(false) };
                    found.save(file, bytes_max).await?;
                    Ok(true)
                };
                self.until(download).await
            }
        }
    }

    async fn remove(&self, name: &str) -> Result<(), StorageError> {
        match &self.place {
            Place::Folder(folder) => {
                let name = name.to_owned();
                self.in_folder(folder, move |folder, _| folder.remove(&name)).await
            }
            Place::Bucket(bucket) => self.until(bucket.delete(name)).await,
        }
    }
}

#[cfg(test)]
mod tests;
