//! Logs: one line per thing worth knowing, on standard error, never with personal data, keys or bodies in it.

use std::ffi::OsStr;
use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::config::{Log, LogFormat};

/// Colours are for eyes: in a file or a journal they are noise. Whoever sets `NO_COLOR` to anything wants none at all
/// (no-color.org).
fn wants_colours(is_terminal: bool, no_colour: Option<&OsStr>) -> bool {
    is_terminal && no_colour.is_none_or(OsStr::is_empty)
}

/// Starts logging for the process.
pub fn start(log: &Log) -> Result<(), TryInitError> {
    let filter = log.level.parse::<EnvFilter>().unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(wants_colours(std::io::stderr().is_terminal(), std::env::var_os("NO_COLOR").as_deref()))
        // It would tell standard error that standard error is gone, and panic.
        .log_internal_errors(false);
    match log.format {
        LogFormat::Json => registry.with(layer.json().flatten_event(true)).try_init(),
        LogFormat::Text => registry.with(layer).try_init(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_whose_owner_wants_them() {
        assert!(wants_colours(true, None));
        assert!(wants_colours(true, Some(OsStr::new(""))));
        assert!(!wants_colours(true, Some(OsStr::new("1"))));
        assert!(!wants_colours(false, None));
    }
}
