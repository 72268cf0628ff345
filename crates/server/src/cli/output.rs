//! Output of commands. If the reader closes the pipe (`vigie deliveries list | head -1`), that is neither an error nor a panic.

use std::fmt;
use std::io::{self, Write};

use anyhow::Context;

/// Standard output was closed by its reader.
#[derive(Debug)]
pub struct OutputClosed;

impl fmt::Display for OutputClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output was closed")
    }
}

impl std::error::Error for OutputClosed {}

/// Prints the result of a command to standard output. [`OutputClosed`] ends the command with success.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(OutputClosed.into()),
        written => written.context("cannot write to standard output"),
    }
}

/// Prints a line to standard output, for a process that continues even if its output is not read.
pub fn print_line(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Prints a message to standard error.
pub fn eprint_line(line: &str) {
    // In one write, so that lines of several threads do not mix.
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
