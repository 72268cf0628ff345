//! Logging to standard error, one line per event. Log lines never contain personal data, keys or bodies.

use std::ffi::OsStr;
use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::config::{Log, LogFormat};

/// Returns `true` if standard error is a terminal and `NO_COLOR` is unset or empty (no-color.org). In a file or a journal,
/// colour codes are noise.
fn use_colours(is_terminal: bool, no_colour: Option<&OsStr>) -> bool {
    is_terminal && no_colour.is_none_or(OsStr::is_empty)
}

/// Installs the logger of the process.
pub fn start(log: &Log) -> Result<(), TryInitError> {
    let filter = log.level.parse::<EnvFilter>().unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(use_colours(std::io::stderr().is_terminal(), std::env::var_os("NO_COLOR").as_deref()))
        // It would write the error to standard error, which just failed, and panic.
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
    fn colours_need_a_terminal_and_no_opt_out() {
        assert!(use_colours(true, None));
        assert!(use_colours(true, Some(OsStr::new(""))));
        assert!(!use_colours(true, Some(OsStr::new("1"))));
        assert!(!use_colours(false, None));
    }
}
