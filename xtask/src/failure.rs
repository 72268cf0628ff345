//! Why a command stopped, and the exit code it leaves.

use std::fmt;
use std::io;
use std::process::{ExitCode, ExitStatus};

#[derive(Debug)]
pub enum Failure {
    /// A step ran and said no.
    Failed { step: String, status: ExitStatus },
    /// A step could not even start.
    NotStarted { step: String, cause: io::Error },
    /// A tool that is not part of Rust is needed and missing.
    Missing { tool: &'static str, install: &'static str },
    /// No command has this name.
    UnknownCommand,
    /// The command takes other arguments.
    Arguments { expected: &'static str },
}

impl Failure {
    /// 2 for what was typed, 1 for what was run.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Failed { .. } | Self::NotStarted { .. } | Self::Missing { .. } => ExitCode::from(1),
            Self::UnknownCommand | Self::Arguments { .. } => ExitCode::from(2),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { step, status } => write!(f, "stopped, since this failed with {status}:\n  {step}"),
            Self::NotStarted { step, cause } => {
                write!(f, "stopped, since this could not be started: {cause}\n  {step}")
            }
            Self::Missing { tool, install } => {
                write!(f, "{tool} is not installed; `{install}` installs it")
            }
            Self::UnknownCommand => f.write_str("there is no such command; `cargo xtask` lists them all"),
            Self::Arguments { expected } => write!(f, "wrong arguments; expected: {expected}"),
        }
    }
}
