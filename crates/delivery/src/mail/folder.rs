//! Writes e-mails as files, for the demo and for tests. Any mail program can open them.
//!
//! An e-mail holds an unsubscribe link and reveals what a user searches for, so only the user of this process may
//! read the files.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use tokio::fs::{self, OpenOptions};
use tokio::io::AsyncWriteExt;

use super::email::ComposedEmail;

/// Creates the folder if it is missing.
pub fn create(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Writes an e-mail atomically: a watcher of the folder never sees a partial file.
pub async fn write(folder: &Path, email: &ComposedEmail) -> io::Result<()> {
    let name = format!("{}-{}.eml", email.at.strftime("%Y%m%dT%H%M%SZ"), email.id);
    let partial = folder.join(format!(".{name}.part"));
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&partial).await?;
    file.write_all(&email.bytes).await?;
    file.sync_all().await?;
    fs::rename(partial, folder.join(name)).await
}
