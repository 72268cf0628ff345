//! Compresses the reference data of `data/` for embedding, and generates the list of files.
//!
//! The repository contains plain CSV, which can be read, diffed and corrected. The binary contains a third of the bytes.
//! The outlines are in a public format, too, and are packed into one that loads faster.

#[path = "build/outlines.rs"]
mod outlines;

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let data = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../data");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut list = String::from("&[\n");
    for folder in ["geo", "transit"] {
        let folder = data.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut paths = fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
        // The order of directory entries depends on the file system; the binary must not.
        paths.sort();
        for path in paths {
            let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file name is not UTF-8")?;
            let content = fs::read(&path)?;
            let packed = out.join(name).with_extension("csv.z");
            let mut encoder =
                flate2::write::ZlibEncoder::new(fs::File::create(&packed)?, flate2::Compression::default());
            encoder.write_all(&content)?;
            encoder.finish()?;
            println!("cargo::rerun-if-changed={}", path.display());
            let length = content.len();
            writeln!(list, "    ({name:?}, {length}, include_bytes!({:?})),", packed.display().to_string())?;
        }
    }
    list.push_str("]\n");
    fs::write(out.join("embedded.rs"), list)?;

    let source = data.join("outlines/communes.topojson.gz");
    println!("cargo::rerun-if-changed={}", source.display());
    // Compression would save a quarter of 2.8 MB, and add a fifth to the time of loading them at every start.
    fs::write(out.join("outlines.bin"), outlines::pack(&fs::read(&source)?)?)?;
    Ok(())
}
