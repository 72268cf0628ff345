//! Backups in a folder: publishing, listing, rotation.

use std::fs;
use std::path::Path;

use domain::Timestamp;

use crate::error::Error;
use crate::files::{self, PartialFile, is_left_over, remove_if_exists, remove_left_over, with_suffix};
use crate::manifest::Manifest;
use crate::name::{BackupName, MANIFEST_SUFFIX, PARTIAL_SUFFIX};
use crate::rotation::{Condition, Rotated, excess};

/// Publishes a complete, synced file and its manifest. The manifest first: a file with a final name always has one.
pub(crate) fn publish(partial: PartialFile, path: &Path, manifest: &Manifest) -> Result<(), Error> {
    let manifest_path = with_suffix(path, MANIFEST_SUFFIX);
    files::write_whole(&manifest_path, &manifest.print())?;
    if let Err(error) = partial.publish(path) {
        let _ = remove_if_exists(&manifest_path);
        return Err(error);
    }
    files::sync_folder(&files::folder_of(path))
}

/// Fails if a backup, or its manifest, exists already; and if a partial file does whose name is not one of ours, because it may be
/// anything.
pub(crate) fn check_free(path: &Path) -> Result<(), Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_dated = name.is_some_and(|name| BackupName::parse(name).is_some());
    for path in [path.to_owned(), with_suffix(path, MANIFEST_SUFFIX)] {
        if path.symlink_metadata().is_ok() {
            return Err(Error::Exists(path.display().to_string()));
        }
        let partial = with_suffix(&path, PARTIAL_SUFFIX);
        if !is_dated && is_left_over(&partial) {
            return Err(Error::LeftOver(partial));
        }
    }
    Ok(())
}

/// Returns the complete backups of a folder, the oldest first. A folder that does not exist has none.
pub(crate) fn list(folder: &Path) -> Result<Vec<BackupName>, Error> {
    let mut names: Vec<BackupName> =
        file_names(folder)?.iter().filter_map(|name| BackupName::parse(name)).collect();
    names.retain(|name| folder.join(name.manifest()).is_file());
    names.sort();
    Ok(names)
}

/// Reads the manifest of a backup file; `None` if it has none.
pub(crate) fn manifest_of(path: &Path) -> Result<Option<Manifest>, Error> {
    let path = with_suffix(path, MANIFEST_SUFFIX);
    match fs::read(&path) {
        Ok(text) => Manifest::parse(&path.display().to_string(), &text).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("cannot read", path)(error)),
    }
}

/// Removes what interrupted backups left behind.
pub(crate) fn clean(folder: &Path) -> Result<(), Error> {
    for name in file_names(folder)? {
        let path = folder.join(&name);
        let is_ours = |name: &str| BackupName::parse(name).is_some();
        let removed = if let Some(target) = name.strip_suffix(PARTIAL_SUFFIX) {
            let target = target.strip_suffix(MANIFEST_SUFFIX).unwrap_or(target);
            if is_ours(target) { remove_left_over(&path) } else { continue }
        } else if let Some(target) = name.strip_suffix(MANIFEST_SUFFIX) {
            let target_path = folder.join(target);
            let in_progress = with_suffix(&target_path, PARTIAL_SUFFIX).exists();
            if is_ours(target) && !in_progress && !target_path.exists() {
                remove_if_exists(&path)
            } else {
                continue;
            }
        } else {
            continue;
        };
        removed.map_err(Error::file("cannot remove", &path))?;
    }
    Ok(())
}

/// Removes the complete backups that are in excess of `keep`.
pub(crate) fn rotate(folder: &Path, keep: usize, now: Timestamp) -> Rotated {
    let condition = |name: BackupName| {
        let manifest = manifest_of(&folder.join(name.to_string()));
        Condition::of(manifest).map(|condition| (name, condition))
    };
    let backups =
        list(folder).and_then(|names| names.into_iter().map(condition).collect::<Result<Vec<_>, _>>());
    let backups = match backups {
        Ok(backups) => backups,
        Err(error) => return Rotated::failed(error),
    };
    let mut rotated = Rotated::default();
    for name in excess(&backups, keep, now) {
        rotated.note(remove(folder, name).map(|()| Some(name.to_string())));
    }
    if !rotated.removed.is_empty() {
        rotated.note(files::sync_folder(folder).map(|()| None));
    }
    rotated
}

fn remove(folder: &Path, name: BackupName) -> Result<(), Error> {
    // A manifest that is left alone is removed by the next backup; a file without one would stay for ever.
    for file in [name.to_string(), name.manifest()] {
        let path = folder.join(file);
        remove_if_exists(&path).map_err(Error::file("cannot remove", &path))?;
    }
    Ok(())
}

fn file_names(folder: &Path) -> Result<Vec<String>, Error> {
    let failed = |error| Error::file("cannot list", folder)(error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name()).map_err(failed));
    // A name that is not UTF-8 is not ours.
    names.filter_map(|name| name.map(|name| name.into_string().ok()).transpose()).collect()
}
