//! Storage in memory that can fail, lose objects, and be replaced while it is read.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{Read, Write};
use std::sync::Mutex;

use async_trait::async_trait;
use tokio::sync::watch;

use crate::search::shared::{SharedSnapshots, StorageError};

pub type Objects = BTreeMap<String, Vec<u8>>;

#[derive(Debug)]
pub struct Storage {
    objects: watch::Sender<Objects>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    written: Vec<String>,
    downloads: Vec<String>,
    missed: usize,
    refuses: bool,
    downloads_left: Option<usize>,
    /// What takes the place of all objects before the next downloads.
    replacements: VecDeque<Objects>,
}

impl Default for Storage {
    fn default() -> Self {
        Self { objects: watch::Sender::new(Objects::new()), state: Mutex::default() }
    }
}

impl Storage {
    pub fn objects(&self) -> Objects {
        self.objects.borrow().clone()
    }

    pub fn set(&self, name: &str, content: Option<Vec<u8>>) {
        self.objects.send_modify(|objects| {
            match content {
                Some(content) => objects.insert(name.to_owned(), content),
                None => objects.remove(name),
            };
        });
    }

    pub fn replace_all(&self, objects: Objects) {
        self.objects.send_replace(objects);
    }

    /// Replaces all objects before each of the next downloads.
    pub fn replace_at_download(&self, replacements: impl IntoIterator<Item = Objects>) {
        self.state.lock().unwrap().replacements = replacements.into_iter().collect();
    }

    /// Fails every request, or no longer.
    pub fn refuse(&self, refuses: bool) {
        self.state.lock().unwrap().refuses = refuses;
    }

    pub fn fail_downloads_after(&self, count: usize) {
        self.state.lock().unwrap().downloads_left = Some(count);
    }

    /// Returns the names of all objects that were written, in order.
    pub fn written(&self) -> Vec<String> {
        self.state.lock().unwrap().written.clone()
    }

    /// Returns the names of all objects that were asked for, in order.
    pub fn downloads(&self) -> Vec<String> {
        self.state.lock().unwrap().downloads.clone()
    }

    /// Returns how many of them were missing.
    pub fn missed(&self) -> usize {
        self.state.lock().unwrap().missed
    }

    pub async fn wait_for(&self, is_reached: impl Fn(&Objects) -> bool) {
        self.objects.subscribe().wait_for(|objects| is_reached(objects)).await.unwrap();
    }

    fn check(&self) -> Result<(), StorageError> {
        match self.state.lock().unwrap().refuses {
            true => Err(StorageError::new("refused")),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl SharedSnapshots for Storage {
    async fn list(&self) -> Result<Vec<String>, StorageError> {
        self.check()?;
        Ok(self.objects.borrow().keys().cloned().collect())
    }

    async fn read(&self, name: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, StorageError> {
        self.check()?;
        let found = self.objects.borrow().get(name).cloned();
        match found {
            Some(content) if content.len() as u64 > bytes_max => Err(StorageError::new("too large")),
            found => Ok(found),
        }
    }

    async fn write(&self, name: &str, content: Vec<u8>) -> Result<(), StorageError> {
        self.check()?;
        self.state.lock().unwrap().written.push(name.to_owned());
        self.set(name, Some(content));
        Ok(())
    }

    async fn upload(&self, name: &str, mut file: File, length: u64) -> Result<(), StorageError> {
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(StorageError::new)?;
        assert_eq!(content.len() as u64, length);
        self.write(name, content).await
    }

    async fn download(&self, name: &str, mut file: File, bytes_max: u64) -> Result<bool, StorageError> {
        self.check()?;
        {
            let mut state = self.state.lock().unwrap();
            state.downloads.push(name.to_owned());
            if let Some(left) = &mut state.downloads_left {
                *left = left.checked_sub(1).ok_or_else(|| StorageError::new("refused"))?;
            }
            if let Some(objects) = state.replacements.pop_front() {
                self.objects.send_replace(objects);
            }
        }
        let found = self.objects.borrow().get(name).cloned();
        let Some(content) = found else {
            self.state.lock().unwrap().missed += 1;
            return Ok(false);
        };
        let count = content.len().min(usize::try_from(bytes_max).unwrap());
        file.write_all(&content[..count]).map_err(StorageError::new)?;
        Ok(true)
    }

    async fn remove(&self, name: &str) -> Result<(), StorageError> {
        self.check()?;
        self.set(name, None);
        Ok(())
    }
}
