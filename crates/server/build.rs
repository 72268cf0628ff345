//! Lists the built files of the console, which the binary embeds as they are: compressed.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let built = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../console/built");
    // Cargo looks at every file below.
    println!("cargo::rerun-if-changed={}", built.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    find(&built, &mut files)?;
    // The order of directory entries depends on the file system; the binary must not.
    files.sort();
    let mut list = String::from("&[\n");
    for path in files {
        let name = path.strip_prefix(&built)?.to_str().ok_or("a file name is not UTF-8")?;
        let name = name.strip_suffix(".gz").ok_or_else(|| format!("{name} does not end with .gz"))?;
        let name = name.replace('\\', "/");
        writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())?;
    }
    list.push(']');
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("console_files.rs"), list)?;
    Ok(())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
