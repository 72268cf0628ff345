//! The limit of open files and connections (`RLIMIT_NOFILE`).
//!
//! A process starts with a low soft limit, often 1,024, and may raise it to the hard limit. Without free file descriptors the server
//! can neither accept connections nor resolve names nor write, so it raises the limit at startup, and warns if that is not enough.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;

/// Files open besides connections: the database and its readers, the index, DNS, mail, the runtimes.
const OTHER_FILES: u64 = 256;

/// Raises the limit of open files to the hard limit, and warns if that is too low for the settings.
pub fn raise(config: &Config) {
    let needed = needed(config);
    if let Err(error) = raise_soft_limit() {
        tracing::warn!(error = &error as &dyn std::error::Error, "failed to raise the limit of open files");
    }
    // `None` means unlimited.
    if let Some(limit) = getrlimit(Resource::Nofile).current
        && limit < needed
    {
        tracing::warn!(
            limit,
            needed,
            "limit of open files is {limit}, but the settings allow for {needed}: connections may fail under load. Raise the \
             hard limit (ulimit -Hn, LimitNOFILE in systemd), or lower limits.connections_max or delivery.total_max"
        );
    }
}

/// Returns how many files the settings allow to be open. Delivery attempts count twice: each has a connection, and as many idle
/// connections may be kept for reuse.
fn needed(config: &Config) -> u64 {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let attempts = count(config.delivery.limits.total).saturating_mul(2);
    count(config.limits.connections_max).saturating_add(attempts).saturating_add(OTHER_FILES)
}

fn raise_soft_limit() -> Result<(), Errno> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return Ok(());
    }
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn all_configured_connections_are_counted() {
        let file = "[limits]\nconnections_max = 100\n[delivery]\ntotal_max = 10\n";
        let config = Config::load(Sources::defaults().file("vigie.toml", file)).unwrap();
        assert_eq!(needed(&config), 100 + 2 * 10 + 256);
    }
}
