//! Logs: one line per thing worth knowing, on standard error, never with personal data, keys or bodies in it.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::config::{Log, LogFormat};

/// Starts logging for the process.
pub fn start(log: &Log) -> Result<(), TryInitError> {
    let filter = log.level.parse::<EnvFilter>().unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    match log.format {
        LogFormat::Json => registry.with(layer.json().flatten_event(true)).try_init(),
        LogFormat::Text => registry.with(layer).try_init(),
    }
}
