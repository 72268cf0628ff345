//! The database behind several servers: one PostgreSQL server, or a Patroni cluster.

use local_postgres::{Patroni, Replication, Server};
use tempfile::TempDir;

/// A commit reaches the operating system before it is acknowledged, so that it survives the end of all processes.
const SETTINGS: &str = "fsync = off\nfull_page_writes = off\nmax_connections = 200";

pub struct Database {
    kind: Kind,
    name: String,
    _folder: TempDir,
}

enum Kind {
    One(Box<Server>),
    Patroni(Box<Patroni>),
}

impl Database {
    pub fn one() -> Self {
        let folder = TempDir::new().unwrap();
        let programs = Server::programs().expect("PostgreSQL is not installed");
        let server = Server::start(programs, folder.path(), SETTINGS).unwrap();
        let name = server.create_database();
        Self { kind: Kind::One(Box::new(server)), name, _folder: folder }
    }

    pub fn replicated(replication: Replication) -> Self {
        let folder = TempDir::new().unwrap();
        let patroni = Patroni::start(folder.path(), replication).unwrap_or_else(|error| panic!("{error:#}"));
        let name = "vigie".to_owned();
        patroni.query("postgres", &format!("CREATE DATABASE {name}")).unwrap();
        Self { kind: Kind::Patroni(Box::new(patroni)), name, _folder: folder }
    }

    pub fn url(&self) -> String {
        match &self.kind {
            Kind::One(server) => server.url(&self.name),
            Kind::Patroni(patroni) => patroni.url(&self.name),
        }
    }

    /// Returns the first column of the rows. Fails while no server accepts writes.
    pub fn query(&self, sql: &str) -> anyhow::Result<Vec<String>> {
        match &self.kind {
            Kind::One(server) => Ok(server.query(&self.name, sql)),
            Kind::Patroni(patroni) => patroni.query(&self.name, sql),
        }
    }

    /// Kills the only server and starts it again.
    pub fn kill_and_restart(&mut self) {
        let Kind::One(server) = &mut self.kind else { panic!("there are several servers") };
        server.kill().unwrap();
        server.restart().unwrap();
    }

    pub fn patroni(&mut self) -> &mut Patroni {
        let Kind::Patroni(patroni) = &mut self.kind else { panic!("there is no Patroni") };
        patroni
    }

    /// Waits until all servers work.
    pub fn wait_until_complete(&self) {
        if let Kind::Patroni(patroni) = &self.kind {
            patroni.wait_until_complete().unwrap_or_else(|error| panic!("{error:#}"));
        }
    }

    /// Checks that all servers have the same log.
    pub fn check_members(&self) {
        let Kind::Patroni(patroni) = &self.kind else { return };
        self.wait_until_complete();
        patroni.wait_for_replicas().unwrap();
        let digest = "SELECT count(*) || ' ' || md5(string_agg(log::text, ',' ORDER BY position)) FROM log";
        let digest = |number| patroni.query_member(number, &self.name, digest).unwrap();
        let digests: Vec<Vec<String>> = patroni.members().map(digest).collect();
        assert!(digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
    }

    /// Returns the ends of the logs of Patroni.
    pub fn logs(&self) -> Option<String> {
        match &self.kind {
            Kind::One(_) => None,
            Kind::Patroni(patroni) => Some(patroni.logs()),
        }
    }
}
