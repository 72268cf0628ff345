//! Letters as files in a folder, for the demo and for tests: what would have been sent, to be opened by any mail program.
//!
//! A email holds the link that ends emails, and what somebody looks for: nobody but the user of this process may read it.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use tokio::fs::{self, OpenOptions};
use tokio::io::AsyncWriteExt;

use crate::Email;

/// Makes the folder, if it is not there yet.
pub fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Writes a email whole or not at all: whoever watches the folder never sees half of one.
pub async fn write(folder: &Path, email: &Email, bytes: &[u8]) -> io::Result<()> {
    let name = format!("{}-{}.eml", email.at.strftime("%Y%m%dT%H%M%SZ"), email.id);
    let unfinished = folder.join(format!(".{name}.part"));
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished).await?;
    file.write_all(bytes).await?;
    file.sync_all().await?;
    fs::rename(unfinished, folder.join(name)).await
}
