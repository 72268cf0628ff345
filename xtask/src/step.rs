//! One command line, printed as it can be typed and run from the root of the repository.

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::Failure;

const CARGO: &str = "cargo";

/// A program with its arguments and variables.
pub struct Step {
    program: &'static str,
    variables: Vec<(&'static str, String)>,
    arguments: Vec<String>,
}

impl Step {
    pub fn cargo<const N: usize>(arguments: [&str; N]) -> Self {
        Self::of(CARGO, arguments)
    }

    pub fn of<const N: usize>(program: &'static str, arguments: [&str; N]) -> Self {
        Self { program, variables: Vec::new(), arguments: arguments.map(str::to_owned).to_vec() }
    }

    /// Sets an environment variable for this step.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    pub fn and(mut self, arguments: &[String]) -> Self {
        self.arguments.extend_from_slice(arguments);
        self
    }

    pub fn run(self) -> Result<(), Failure> {
        eprintln!("\n$ {self}");
        match self.command().status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure::Failed { step: self.to_string(), status }),
            Err(cause) => Err(Failure::NotStarted { step: self.to_string(), cause }),
        }
    }

    /// Runs the step without output and returns `true` if it succeeds. Used to find out what is installed.
    pub fn succeeds(self) -> bool {
        let status = self.command().stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Runs the step and returns its trimmed output; `None` if it fails.
    pub fn output(self) -> Option<String> {
        let output = self.command().stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn command(&self) -> Command {
        // Cargo sets this variable to its own path. Using it keeps to one version of cargo.
        let itself = std::env::var_os("CARGO").filter(|_| self.program == CARGO);
        let mut command = Command::new(itself.unwrap_or_else(|| self.program.into()));
        command.args(&self.arguments).current_dir(root());
        // What Cargo says about this program is not meant for others: build scripts that look at it would run again, and with them the
        // compiler for all that depends on them, each time Cargo is called in the other way.
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_about_this_program(name)) {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        f.write_str(self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

fn is_about_this_program(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// Quotes an argument for a shell.
fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=./:,+@".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the root of the repository, as of now: the folder may have moved since this program was built.
pub fn root() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    folder.and_then(|folder| Some(folder.parent()?.to_owned())).unwrap_or_else(|| ".".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_returned() {
        assert_eq!(Step::of("echo", ["a", "b"]).output().as_deref(), Some("a b"));
        assert_eq!(Step::of("false", []).output(), None);
    }

    #[test]
    fn steps_are_not_told_what_cargo_says_about_this_program() {
        assert!(std::env::vars().any(|(name, _)| name == "CARGO_PKG_NAME"));
        let variables = Step::of("env", []).output().unwrap();
        assert!(!variables.contains("CARGO_PKG_") && !variables.contains("CARGO_MANIFEST_"), "{variables}");
        assert!(variables.contains("PATH="), "{variables}");
    }

    #[test]
    fn a_step_is_printed_as_it_can_be_typed() {
        let step = Step::cargo(["doc", "--no-deps"]).with("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(step.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
        let step = Step::cargo(["test"]).and(&["it's".to_owned(), String::new()]);
        assert_eq!(step.to_string(), r"cargo test 'it'\''s' ''");
        assert_eq!(Step::of("apt-get", ["update"]).to_string(), "apt-get update");
    }
}
