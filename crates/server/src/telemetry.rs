//! Logging to standard error, one line per event. Log lines never contain personal data, keys or bodies.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Registry, reload};

use crate::config::{Log, LogFormat};

/// Returns `true` if standard error is a terminal and `NO_COLOR` is unset or empty (no-color.org). In a file or a journal,
/// colour codes are noise.
fn use_colours(is_terminal: bool, no_colour: Option<&OsStr>) -> bool {
    is_terminal && no_colour.is_none_or(OsStr::is_empty)
}

/// Changes the level of a log while it is written.
pub struct LogControl {
    filter: reload::Handle<EnvFilter, Registry>,
    level: Mutex<String>,
}

impl LogControl {
    fn new(level: &str) -> (reload::Layer<EnvFilter, Registry>, Self) {
        let filter = level.parse::<EnvFilter>().unwrap_or_else(|_| EnvFilter::new("info"));
        let (layer, filter) = reload::Layer::new(filter);
        (layer, Self { filter, level: Mutex::new(level.to_owned()) })
    }

    pub fn level(&self) -> String {
        self.level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns `false` if the level is not valid, or the log has ended.
    pub fn set(&self, level: &str) -> bool {
        let Ok(filter) = level.parse::<EnvFilter>() else { return false };
        if self.filter.reload(filter).is_err() {
            return false;
        }
        level.clone_into(&mut self.level.lock().unwrap_or_else(PoisonError::into_inner));
        true
    }
}

/// Installs the logger of the process.
pub fn start(log: &Log) -> Result<LogControl, TryInitError> {
    let (filter, control) = LogControl::new(&log.level);
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
    }?;
    Ok(control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_changes_while_the_log_is_written() {
        let (layer, control) = LogControl::new("info");
        let _installed = tracing_subscriber::registry().with(layer).set_default();
        assert!(!tracing::enabled!(tracing::Level::DEBUG));
        assert!(control.set("debug"));
        assert!(tracing::enabled!(tracing::Level::DEBUG));
        assert_eq!(control.level(), "debug");
        assert!(!control.set("info,=x"));
        assert_eq!(control.level(), "debug");
    }

    #[test]
    fn colours_need_a_terminal_and_no_opt_out() {
        assert!(use_colours(true, None));
        assert!(use_colours(true, Some(OsStr::new(""))));
        assert!(!use_colours(true, Some(OsStr::new("1"))));
        assert!(!use_colours(false, None));
    }
}
