//! Why a command failed, and the exit code for it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

#[derive(Debug)]
pub enum Failure {
    /// A step ran and failed.
    Failed { step: String, status: ExitStatus },
    /// A step could not be started.
    NotStarted { step: String, cause: io::Error },
    /// A required tool that is not part of Rust is missing.
    Missing { tool: &'static str, install: &'static str },
    /// Tools that the tests run are missing.
    MissingTools { tools: String, install: String },
    /// The command needs the rights of root.
    NotRoot,
    /// A file could not be read or written.
    File { path: PathBuf, cause: io::Error },
    /// A folder is to be removed, and something is mounted in it.
    Mounted { path: PathBuf },
    /// The demo did not do what its page promises.
    Demo(&'static str),
    /// The demo printed an address that could not be reached.
    Request { address: SocketAddr, cause: io::Error },
    /// No command has this name.
    UnknownCommand,
    /// The command takes other arguments.
    Arguments { expected: &'static str },
}

impl Failure {
    /// 2 for a mistake on the command line, 1 for everything else.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::UnknownCommand | Self::Arguments { .. } => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { step, status } => write!(f, "this step failed with {status}:\n  {step}"),
            Self::NotStarted { step, cause } => {
                write!(f, "this step could not be started: {cause}\n  {step}")
            }
            Self::Missing { tool, install } => {
                write!(f, "{tool} is not installed; `{install}` installs it")
            }
            Self::MissingTools { tools, install } => {
                write!(f, "not installed, or too old: {tools}; on Debian, `{install}` installs them")
            }
            Self::NotRoot => f.write_str("this command needs root; run it with sudo or as root"),
            Self::File { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Mounted { path } => {
                let path = path.display();
                write!(f, "{path} is a mount point and is not removed; unmount it with `umount {path}`")
            }
            Self::Demo(problem) => write!(f, "the demo {problem}; its output is above"),
            Self::Request { address, cause } => write!(f, "no answer from http://{address}: {cause}"),
            Self::UnknownCommand => f.write_str("unknown command; `cargo xtask` lists all commands"),
            Self::Arguments { expected } => write!(f, "wrong arguments; expected: {expected}"),
        }
    }
}
