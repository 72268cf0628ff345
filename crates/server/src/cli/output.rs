//! What commands print. A reader who has seen enough and goes (`vigie deliveries list | head -1`) is no error and no reason to panic.

use std::fmt;
use std::io::{self, Write};

use anyhow::Context;

/// Whoever read standard output has gone: there is nothing left to do for them.
#[derive(Debug)]
pub struct ReaderGone;

impl fmt::Display for ReaderGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads the output any more")
    }
}

impl std::error::Error for ReaderGone {}

/// Prints what a command was asked for. [`ReaderGone`] ends the command, quietly.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(ReaderGone.into()),
        written => written.context("cannot write to standard output"),
    }
}

/// Prints a line of a process that goes on whether or not somebody reads it.
pub fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Tells whoever runs a command something that is not what they asked for, on standard error.
pub fn note(line: &str) {
    // In one piece, so that lines of several threads do not mix.
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
