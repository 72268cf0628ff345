//! Programs written in Python by others, to hold ours against: libraries that receivers use, servers that take letters.
//!
//! What a test needs is installed by the test itself, into a folder below the target directory that is used again next time.
//! Where packages come from is the reader's own setting of `pip`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What to do where there is no Python.
const INSTALL: &str = "install it and try again; on Debian: apt-get install python3 python3-venv";

/// A Python with nothing but its standard library.
pub fn plain() -> PathBuf {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(found.is_ok_and(|status| status.success()), "this test needs python3: {INSTALL}");
    PathBuf::from("python3")
}

/// A Python that has these packages, each given as `name==version`.
pub fn with(requirements: &[&str]) -> PathBuf {
    let folder = folder_of(requirements);
    let python = folder.join("bin").join("python");
    fs::create_dir_all(folder.parent().expect("it was joined")).expect("the target directory is ours");
    // Tests run side by side, in one process and in several: one of them makes it, the others wait.
    let lock = File::create(folder.with_extension("lock")).expect("the target directory is ours");
    lock.lock().expect("nobody holds the lock for ever");
    // Written last: whoever was stopped half-way leaves none.
    let ready = folder.join("ready");
    if !ready.exists() {
        make(&folder, &python, requirements);
        File::create(ready).expect("the folder was made");
    }
    python
}

/// Runs a script to its end and gives back what it printed. It has to end well.
pub fn run(python: &Path, script: &Path, input: &str) -> String {
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|cause| panic!("{} does not start: {cause}", python.display()));
    let mut stdin = child.stdin.take().expect("it was asked for");
    // Beside reading: a script that answers line by line stops when nobody reads its answers.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        child.wait_with_output().expect("it was started")
    });
    assert!(output.status.success(), "{} ended with {}", script.display(), output.status);
    String::from_utf8(output.stdout).expect("scripts print UTF-8")
}

fn make(folder: &Path, python: &Path, requirements: &[&str]) {
    let _ = fs::remove_dir_all(folder);
    let made = Command::new(plain()).args(["-m", "venv"]).arg(folder).status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "this test needs a virtual environment of Python, which python3-venv makes: {INSTALL}"
    );
    let installed = Command::new(python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(requirements)
        .status();
    assert!(
        installed.is_ok_and(|status| status.success()),
        "pip could not install {requirements:?}; it says why above"
    );
}

/// Named after what is in it, so that tests with other needs have another one.
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

/// The directory cargo builds into: a test lies in `<target>/<profile>/deps`.
fn target() -> PathBuf {
    let this = std::env::current_exe().expect("a test is a file");
    let profile = this.ancestors().find(|folder| folder.ends_with("deps")).and_then(Path::parent);
    profile.and_then(Path::parent).expect("cargo puts tests below its target directory").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_name_the_folder_in_any_order() {
        assert_eq!(folder_of(&["b==2", "a==1.0"]), folder_of(&["a==1.0", "b==2"]));
        assert!(folder_of(&["b==2", "a==1.0"]).ends_with("python/a--1-0+b--2"));
    }
}
