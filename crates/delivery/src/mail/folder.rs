//! Letters as files in a folder, for the demo and for tests: what would have been sent, to be opened by any mail program.

use std::io;
use std::path::Path;

use tokio::fs::{self, File};
use tokio::io::AsyncWriteExt;

use crate::Letter;

/// Writes a letter whole or not at all: whoever watches the folder never sees half of one.
pub async fn write(folder: &Path, letter: &Letter, bytes: &[u8]) -> io::Result<()> {
    let name = format!("{}-{}.eml", letter.at.strftime("%Y%m%dT%H%M%SZ"), letter.id);
    let unfinished = folder.join(format!(".{name}.part"));
    let mut file = File::create(&unfinished).await?;
    file.write_all(bytes).await?;
    file.sync_all().await?;
    fs::rename(unfinished, folder.join(name)).await
}
