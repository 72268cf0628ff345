//! Runs JavaScript programs with packages of npm: libraries and tools that clients use.
//!
//! A test installs its packages itself, exactly those of a lock file, into a folder below the target directory that later runs
//! reuse. npm uses the configuration of the machine.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::python::target;

/// Shown if Node.js is missing.
const INSTALL: &str = "install it and try again; on Debian: apt-get install nodejs npm";

/// Returns Node.js, without packages.
pub fn plain() -> PathBuf {
    let found = Command::new("node").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(found.is_ok_and(|status| status.success()), "this test needs Node.js: {INSTALL}");
    PathBuf::from("node")
}

/// Installed packages.
pub struct Packages {
    folder: PathBuf,
}

/// Returns the packages of `package-lock.json` in this folder.
pub fn with(locked: &Path) -> Packages {
    let read = |name: &str| {
        let path = locked.join(name);
        fs::read_to_string(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
    };
    let (package, lock) = (read("package.json"), read("package-lock.json"));
    let folder = target().join("node");
    fs::create_dir_all(&folder).expect("the target directory is writable");
    // Tests run concurrently in several processes: one of them installs the packages, the others wait.
    let held = File::create(folder.join("lock")).expect("the target directory is writable");
    held.lock().expect("the lock can be acquired");
    // Written last: an interrupted installation leaves no marker.
    let ready = folder.join("ready");
    if fs::read_to_string(&ready).is_ok_and(|installed| installed == lock) {
        return Packages { folder };
    }
    let _ = fs::remove_file(&ready);
    fs::write(folder.join("package.json"), package).expect("the folder exists");
    fs::write(folder.join("package-lock.json"), &lock).expect("the folder exists");
    // No scripts: a test tool has no business running code while it is installed.
    let installed = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .status();
    match installed {
        Ok(status) => assert!(status.success(), "npm failed to install the packages of {}", locked.display()),
        Err(cause) => panic!("this test needs npm ({cause}): {INSTALL}"),
    }
    fs::write(ready, lock).expect("the folder exists");
    Packages { folder }
}

impl Packages {
    /// Returns a command of one of the packages.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join("node_modules/.bin").join(name));
        command.stdin(Stdio::null());
        command
    }

    /// Returns a program that imports these packages. Node.js looks for packages beside a program, so it is copied there.
    pub fn program(&self, path: &Path) -> Command {
        let name = path.file_name().expect("a program has a name");
        let copy = self.folder.join(name);
        let text = fs::read(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
        // Another test may be running the same program: replace it as a whole.
        let new = self.folder.join(format!("{}.{:?}", name.display(), std::thread::current().id()));
        fs::write(&new, text).expect("the target directory is writable");
        fs::rename(&new, &copy).expect("the target directory is writable");
        let mut command = Command::new(plain());
        command.arg(copy).stdin(Stdio::null());
        command
    }

    /// Returns the folder with `node_modules`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
