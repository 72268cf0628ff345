//! `vigie serve` as a process, with the real clock: clients check the time of a signature. It may send to this machine.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;
use tempfile::TempDir;

/// Returns a path in the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The command, without settings from the environment of the tests.
pub fn vigie() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vigie"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("VIGIE_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// Runs a command that must succeed. Returns its output.
#[track_caller]
pub fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out
}

/// A running server; killed on drop.
pub struct Service {
    child: Child,
    /// Warnings, collected all the time, so that the server never blocks on its log.
    warnings: Option<JoinHandle<Vec<String>>>,
    address: SocketAddr,
    key: String,
    folder: TempDir,
}

impl Service {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with settings, given as environment variables.
    pub fn start_with(settings: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("data");
        let scopes = "read,ingest,searches,admin";
        // A key does not create the data folder; an import does.
        test_database::reserve(&data);
        output(test_database::select(&data, vigie().args(["import", "/dev/null"])));
        let create = ["keys", "create", "--user", "client", "--scopes", scopes];
        let key = output(test_database::select(&data, vigie().args(create))).trim_end().to_owned();
        output(Command::new(repository("examples/certificate.sh")).current_dir(folder.path()));
        let mut command = vigie();
        test_database::select(&data, command.args(["serve", "--listen", "127.0.0.1:0"]));
        command.env("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true");
        command.env("VIGIE_DELIVERY__EXTRA_CA_FILE", folder.path().join("certificate.pem"));
        command.env("VIGIE_LOG__FORMAT", "json").env("VIGIE_LOG__LEVEL", "warn,server::cli::serve=info");
        command.envs(settings.iter().copied());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let entries = log.by_ref().map(|line| serde_json::from_str::<Value>(&line).unwrap_or_default());
        let address = entries.filter_map(|entry| entry["address"].as_str()?.parse().ok()).next();
        let address = address.expect("the server ended before it listened");
        let warnings = std::thread::spawn(move || {
            log.filter(|line| line.contains("WARN") || line.contains("ERROR") || line.contains("panicked"))
                .collect()
        });
        Self { child, warnings: Some(warnings), address, key, folder }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// A folder for the files of a client. It has the certificate of its receiver.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a command on the same data, next to the server.
    pub fn command(&self) -> Command {
        let mut command = vigie();
        let data = self.folder().join("data");
        if let Some(database) = test_database::address(&data) {
            command.env("VIGIE_STORE__DATABASE", database);
        }
        command.env("VIGIE_STORE__DATA", data);
        command
    }

    /// Imports a few adverts and saves a search. Returns the path of the search.
    pub fn fill(&self) -> String {
        let feed = repository("examples/feeds/adverts.ndjson");
        output(self.command().args(["import", feed.to_str().unwrap()]));
        let search = r#"{"title": "Tours", "transactionType": 0, "propertyTypes": [0], "includedCities": ["/cities/37261"],
                         "includedDepartments": ["/departments/37"], "expressions": ["balcon"]}"#;
        let mut curl = Command::new("curl");
        curl.args(["-sSf", &format!("{}/searches", self.url()), "-H", &format!("X-API-KEY: {}", self.key)]);
        let created = output(curl.args(["-H", "Content-Type: application/json", "-d", search]));
        let created: Value = serde_json::from_str(&created).unwrap();
        created["@id"].as_str().unwrap().to_owned()
    }

    /// Returns a client with the variables that the examples read.
    pub fn client(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.folder()).stdin(Stdio::null());
        command.env("API_URL", self.url()).env("API_KEY", self.key()).env("RECEIVER_PORT", "0");
        command
    }

    /// Stops the server. Returns the warnings and errors that it has logged.
    pub fn stop(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.warnings.take().unwrap().join().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Usually it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
