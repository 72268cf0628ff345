//! `vigie serve` as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// A running server; killed on drop.
pub struct Service {
    child: Child,
    /// The log, read all the time, so that the server never blocks on it.
    log: Option<JoinHandle<Vec<Value>>>,
    address: SocketAddr,
    key: String,
    folder: TempDir,
}

fn vigie() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vigie"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("VIGIE_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

impl Service {
    /// Starts a server with settings, given as environment variables, and waits until it is ready.
    pub fn start(settings: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let mut command = vigie();
        test_database::reserve(folder.path());
        test_database::select(folder.path(), command.args(["serve", "--listen", "127.0.0.1:0"]));
        command.env("VIGIE_LOG__FORMAT", "json").env("VIGIE_LOG__LEVEL", "warn,server::cli::serve=info");
        command.envs(settings.iter().copied());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut entries = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap_or_default());
        let address = entries.by_ref().find_map(|entry| {
            entry["address"].as_str().or(entry["fields"]["address"].as_str())?.parse().ok()
        });
        let address = address.expect("the server ended before it listened");
        let log = Some(std::thread::spawn(move || entries.collect()));
        let mut service = Self { child, log, address, key: String::new(), folder };
        while service.get("/readyz") != 200 {}
        // Only now does the folder hold a database.
        service.key = Self::create_key(service.folder.path());
        service
    }

    fn create_key(folder: &Path) -> String {
        let arguments = ["keys", "create", "--user", "attacker", "--scopes", "ingest,searches"];
        let created = test_database::select(folder, vigie().args(arguments)).output().unwrap();
        assert!(created.status.success(), "{created:?}");
        String::from_utf8(created.stdout).unwrap().trim_end().to_owned()
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the status of a `GET`.
    pub fn get(&self, path: &str) -> u16 {
        self.exchange(path)[9..12].parse().unwrap()
    }

    pub fn metrics(&self) -> String {
        self.exchange("/metrics")
    }

    fn exchange(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Returns a line of the status of the process, in KiB.
    pub fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Starts to measure the peak of the memory anew.
    pub fn reset_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5").unwrap();
    }

    /// Shuts the server down. Returns its log.
    pub fn stop(mut self) -> Vec<Value> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
        self.log.take().unwrap().join().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Usually it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
