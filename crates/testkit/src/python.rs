//! Runs Python scripts: libraries that receivers use, and servers that receive e-mails.
//!
//! A test installs its packages itself, into a folder below the target directory that later runs reuse. `pip` uses
//! the configuration of the machine.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Shown if Python is missing.
const INSTALL: &str = "install it and try again; on Debian: apt-get install python3 python3-venv";

/// Returns a Python interpreter with only the standard library.
pub fn plain() -> PathBuf {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(found.is_ok_and(|status| status.success()), "this test needs python3: {INSTALL}");
    PathBuf::from("python3")
}

/// Returns a Python interpreter with these packages, each given as `name==version`.
pub fn with(requirements: &[&str]) -> PathBuf {
    environment(&folder_of(requirements), requirements)
}

/// Returns a Python interpreter with the packages of a file, one `name==version` per line.
pub fn with_file(file: &Path) -> PathBuf {
    let text = fs::read_to_string(file).unwrap_or_else(|cause| panic!("{}: {cause}", file.display()));
    let requirements: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let name = file.file_stem().expect("a file has a name");
    environment(&target().join("python").join(name), &requirements)
}

/// Returns the interpreter of a virtual environment, which is created if it does not have exactly these packages.
fn environment(folder: &Path, requirements: &[&str]) -> PathBuf {
    let python = folder.join("bin").join("python");
    fs::create_dir_all(folder.parent().expect("the path has a parent"))
        .expect("the target directory is writable");
    // Tests run concurrently in several processes: one of them creates the environment, the others wait.
    let lock = File::create(folder.with_extension("lock")).expect("the target directory is writable");
    lock.lock().expect("the lock can be acquired");
    // Written last: an interrupted installation leaves no marker.
    let (ready, wanted) = (folder.join("ready"), requirements.join("\n"));
    if !fs::read_to_string(&ready).is_ok_and(|installed| installed == wanted) {
        create_environment(folder, &python, requirements);
        fs::write(ready, wanted).expect("the folder exists");
    }
    python
}

/// Runs a script and returns its output. Panics if it fails.
pub fn run(python: &Path, script: &Path, input: &str) -> String {
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|cause| panic!("failed to start {}: {cause}", python.display()));
    let mut stdin = child.stdin.take().expect("stdin is piped");
    // Written in another thread: a script that prints line by line blocks if its output is not read.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        child.wait_with_output().expect("the process has started")
    });
    assert!(output.status.success(), "{} exited with {}", script.display(), output.status);
    String::from_utf8(output.stdout).expect("scripts print UTF-8")
}

fn create_environment(folder: &Path, python: &Path, requirements: &[&str]) {
    let _ = fs::remove_dir_all(folder);
    let made = Command::new(plain()).args(["-m", "venv"]).arg(folder).status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "this test needs python3-venv to create a virtual environment: {INSTALL}"
    );
    let installed = Command::new(python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(requirements)
        .status();
    assert!(
        installed.is_ok_and(|status| status.success()),
        "pip failed to install {requirements:?}; see its output above"
    );
}

/// The folder is named after the packages, so that tests with other requirements have another one.
fn folder_of(requirements: &[&str]) -> PathBuf {
    let mut sorted = requirements.to_vec();
    sorted.sort_unstable();
    let name: String = sorted
        .join("+")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '+' { c } else { '-' })
        .collect();
    target().join("python").join(name)
}

/// The target directory of cargo: a test is in `<target>/<profile>/deps`.
pub(crate) fn target() -> PathBuf {
    let this = std::env::current_exe().expect("the test executable has a path");
    let profile = this.ancestors().find(|folder| folder.ends_with("deps")).and_then(Path::parent);
    profile.and_then(Path::parent).expect("cargo builds tests below its target directory").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_name_ignores_the_order() {
        assert_eq!(folder_of(&["b==2", "a==1.0"]), folder_of(&["a==1.0", "b==2"]));
        assert!(folder_of(&["b==2", "a==1.0"]).ends_with("python/a--1-0+b--2"));
    }
}
