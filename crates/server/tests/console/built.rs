//! The built console in the repository is what its sources give.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// What the build reads.
const SOURCES: &[&str] = &[
    ".npmrc",
    "index.html",
    "package.json",
    "package-lock.json",
    "scripts",
    "src",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
];

const REBUILT: &str = "rebuilt";

fn console() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../console")
}

/// Returns a copy of the sources with the packages of the lock file. Made once for all tests.
pub fn packages() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("console");
        for name in SOURCES {
            let _ = fs::remove_dir_all(folder.join(name));
            copy(&console().join(name), &folder.join(name));
        }
        npm(&folder, &["ci", "--no-audit", "--no-fund"]);
        folder
    });
    &FOLDER
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

fn npm(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("npm");
    // A build leaves alone what the other test compares with.
    command.args(arguments).current_dir(folder).env("BUILT", folder.join(REBUILT));
    let output = command.output().unwrap_or_else(|cause| {
        panic!("this test needs npm ({cause}); on Debian: apt-get install nodejs npm")
    });
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "npm {}: {said}", arguments.join(" "));
}

fn files_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn built_files_are_those_of_the_sources() {
    let folder = packages();
    npm(folder, &["run", "build"]);
    let expected = files_in(&folder.join(REBUILT));
    let kept = files_in(&console().join("built"));
    let advice = "run `npm ci && npm run build` in console/ and commit console/built";
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&kept), names(&expected), "{advice}");
    for (name, bytes) in &expected {
        assert!(kept[name] == *bytes, "{} differs: {advice}", name.display());
    }
}

/// Types, lints of the components, unit tests, and the size of what is loaded first.
#[test]
fn sources_pass_their_checks() {
    let folder = packages();
    // The generator reads the document beside the console.
    copy(&console().join("tests"), &folder.join("tests"));
    copy(&console().join("built"), &folder.join("built"));
    copy(&console().join("../docs/openapi.json"), &folder.join("../docs/openapi.json"));
    npm(folder, &["run", "check"]);
}
