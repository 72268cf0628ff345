//! Where the database is, and how to connect to it.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio_postgres::config::{LoadBalanceHosts, SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::Error;
use crate::sql::connection::SqlResult;
use crate::sql::error::SqlError;

/// How long connecting may take, per address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

const DEFAULT_KEEPALIVES_IDLE: Duration = Duration::from_secs(2 * 60 * 60);

/// What every session starts with. Waiting for the turn to write is part of a statement. A session that hangs in the middle of a
/// transaction would keep all others from writing.
///
/// Statements are prepared once, and the server keeps the plan of a time when a table may have been empty: it would read the whole table
/// for each row when it is large. So an index is used wherever there is one. Plans without one then look expensive enough to be compiled,
/// which takes longer than they do.
const SESSION: &str =
    "SET enable_seqscan = off; SET jit = off; SET statement_timeout = '60s'; SET lock_timeout = '30s';
     SET idle_in_transaction_session_timeout = '30s'; SET client_min_messages = 'warning'";

/// An address of a PostgreSQL database, `postgres://user:password@host,host/database?sslmode=require`.
#[derive(Clone)]
pub struct PostgresOptions {
    config: Config,
    tls: Arc<rustls::ClientConfig>,
}

impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.description())
    }
}

impl FromStr for PostgresOptions {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self, Error> {
        // The driver's message names the part of the address and never the password.
        let mut config =
            Config::from_str(url).map_err(|error| Error::Unavailable(describe_fault(&error).into()))?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("vigie");
        }
        // A server that is gone without a word is noticed within half a minute. The driver's default is two hours.
        if config.get_keepalives_idle() >= DEFAULT_KEEPALIVES_IDLE {
            config.keepalives_idle(Duration::from_secs(10));
        }
        config.keepalives_interval(config.get_keepalives_interval().unwrap_or(Duration::from_secs(5)));
        config.keepalives_retries(config.get_keepalives_retries().unwrap_or(3));
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(30));
        }
        // After a failover, a former primary may still answer.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        // One that hangs takes connections and answers nothing. The next try begins with another one.
        config.load_balance_hosts(LoadBalanceHosts::Random);
        Ok(Self { config, tls: Arc::new(tls()?) })
    }
}

fn describe_fault(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("the address of the database cannot be read: {error}{cause}")
}

fn tls() -> Result<rustls::ClientConfig, Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let versions = versions.map_err(|error| Error::Unavailable(error.into()))?;
    Ok(versions.with_root_certificates(roots).with_no_client_auth())
}

impl PostgresOptions {
    /// Names the database without its password.
    pub fn description(&self) -> String {
        use tokio_postgres::config::Host;
        let host = |host: &Host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        };
        let hosts: Vec<String> = self.config.get_hosts().iter().map(host).collect();
        let database = self.config.get_dbname().or_else(|| self.config.get_user()).unwrap_or("?");
        format!("PostgreSQL database {database} on {}", hosts.join(", "))
    }

    /// Returns how long a try to connect may take in all: enough if one address cannot be reached. The next try begins with another one.
    pub(super) fn try_timeout(&self) -> Duration {
        self.config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT).saturating_mul(2)
    }

    /// Opens a session. `session` runs it.
    pub(super) async fn connect(&self, session: &mut JoinSet<()>) -> SqlResult<Client> {
        let client = if self.config.get_ssl_mode() == SslMode::Disable {
            let (client, connection) = self.config.connect(NoTls).await?;
            session.spawn(drive(connection));
            client
        } else {
            let tls = MakeRustlsConnect::new((*self.tls).clone());
            let (client, connection) = self.config.connect(tls).await?;
            session.spawn(drive(connection));
            client
        };
        client.batch_execute(SESSION).await.map_err(SqlError::from)?;
        Ok(client)
    }
}

/// Runs a session until it ends. The next statement that uses it gets the reason.
async fn drive(connection: impl Future<Output = Result<(), tokio_postgres::Error>>) {
    if let Err(error) = connection.await {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection to PostgreSQL was lost");
    }
}
