//! How many files and connections the process may have open.
//!
//! Systems give a process a small number to begin with, often 1,024, and let it have far more if it asks. A server that has none left can
//! accept nobody, look up nothing and write nothing down, so it asks at the start, and says so if what it got is not enough.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;

/// What is open beside connections: the database and its readers, the index, look-ups of names, mail, the runtimes.
const OTHERS: u64 = 256;

/// Raises the limit of open files as far as the system lets us, and warns if that is too little for the settings.
pub fn allow(config: &Config) {
    let needed = needed(config);
    if let Err(error) = raise() {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the limit of open files could not be raised"
        );
    }
    // No limit is none that could be too small.
    if let Some(limit) = getrlimit(Resource::Nofile).current
        && limit < needed
    {
        tracing::warn!(
            limit,
            needed,
            "this process may open {limit} files and connections, and its settings allow for {needed}: raise the hard limit \
             (ulimit -Hn, LimitNOFILE of systemd), or lower limits.connections_max or delivery.in_all_max"
        );
    }
}

/// As many as the settings allow at once: each attempt has a connection, and as many may wait for their next message.
fn needed(config: &Config) -> u64 {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let attempts = count(config.delivery.limits.total).saturating_mul(2);
    count(config.limits.connections_max).saturating_add(attempts).saturating_add(OTHERS)
}

fn raise() -> Result<(), Errno> {
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
    fn every_connection_that_the_settings_allow_is_counted() {
        let file = "[limits]\nconnections_max = 100\n[delivery]\nin_all_max = 10\n";
        let config = Config::load(Sources::defaults().file("vigie.toml", file)).unwrap();
        assert_eq!(needed(&config), 100 + 2 * 10 + 256);
    }
}
