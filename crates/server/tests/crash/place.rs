//! Where the servers of a test keep their data: in a folder or, if `VIGIE_TEST_POSTGRES` is set, in a PostgreSQL database.

use std::path::Path;
use std::process::Command;

use store::SqlStore;
use tempfile::TempDir;

pub struct Place {
    folder: TempDir,
    /// The address of the database, on PostgreSQL.
    database: Option<String>,
}

impl Place {
    /// Returns an empty place.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        test_database::reserve(folder.path());
        let database = test_database::address(folder.path());
        Self { folder, database }
    }

    /// Returns a folder of a further server on a database.
    pub fn on(database: String) -> Self {
        Self { folder: TempDir::new().unwrap(), database: Some(database) }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub const fn database(&self) -> Option<&String> {
        self.database.as_ref()
    }

    /// Lets a command work here.
    pub fn select<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.arg("--data").arg(self.folder());
        if let Some(database) = &self.database {
            command.env("VIGIE_STORE__DATABASE", database);
        }
        command
    }

    pub fn open(&self) -> SqlStore {
        match &self.database {
            None => SqlStore::open(self.folder()).unwrap(),
            Some(database) => SqlStore::connect(&database.parse().unwrap()).unwrap(),
        }
    }
}
