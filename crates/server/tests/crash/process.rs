//! The server as a process that can be killed.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::chance::Chance;

/// What a server says that finds deliveries of one that was killed.
const INTERRUPTED: &str = "leases of delivery attempts expired; retrying these deliveries";

/// A key for everything, made beside whatever runs on the folder.
pub fn make_key(folder: &Path) -> String {
    let arguments = ["keys", "create", "--user", "crash", "--scopes", "read,ingest,searches", "--data"];
    let made = vigie().args(arguments).arg(folder).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim_end().to_owned()
}

/// The command. Our own variables are no settings of it, and those of whoever runs the tests are none of its business.
fn vigie() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vigie"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("VIGIE_") {
            command.env_remove(name);
        }
    }
    command
}

/// A process that is killed whatever becomes of the test.
struct Mortal(Child);

impl Mortal {
    /// SIGKILL, and wait until it is gone.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that was started and may not listen yet.
pub struct Process {
    child: Mortal,
    log: BufReader<ChildStderr>,
}

impl Process {
    pub fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// With some settings, by the names of their variables.
    pub fn start_with(folder: &Path, settings: &[(&str, String)]) -> Self {
        let mut command = vigie();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder);
        command.envs(settings.iter().map(|(name, value)| (name, value)));
        command.env("VIGIE_LOG__FORMAT", "json").env("VIGIE_LOG__LEVEL", "warn,server::cli::serve=info");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child: Mortal(child), log }
    }

    /// Waits until it listens.
    pub fn listening(mut self) -> Listening {
        let mut told = String::new();
        loop {
            let begin = told.len();
            if self.log.read_line(&mut told).unwrap() == 0 {
                let status = self.child.0.wait().unwrap();
                panic!("the server ended ({status}) instead of listening:\n{told}");
            }
            let entry: serde_json::Value = serde_json::from_str(&told[begin..]).unwrap_or_default();
            if let Some(address) = entry["address"].as_str() {
                let address = address.parse().unwrap();
                let log = std::thread::spawn(move || self.log.lines().map_while(Result::ok).collect());
                return Listening { child: self.child, address, log };
            }
        }
    }

    /// Kills it at some moment between its first instruction and its first connection.
    pub fn kill_while_starting(mut self, chance: &mut Chance) {
        // Not a wait for anything: every number of turns is as good as any other.
        for _ in 0..chance.below(20_000) {
            std::thread::yield_now();
        }
        self.child.kill();
    }
}

/// A server that answers.
pub struct Listening {
    child: Mortal,
    address: SocketAddr,
    /// What it still has to say; read all the time, so that it never waits for us.
    log: std::thread::JoinHandle<Vec<String>>,
}

impl Listening {
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// SIGKILL. It must have been alive until then, and must have had nothing to complain about but the kill before.
    pub fn kill(mut self) {
        assert!(self.child.0.try_wait().unwrap().is_none(), "the server ended by itself");
        self.child.kill();
        self.check_complaints();
    }

    /// SIGTERM, and wait until it has finished what was under way.
    pub fn stop(mut self) {
        let id = self.child.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let status = self.child.0.wait().unwrap();
        assert!(status.success(), "{status}");
        self.check_complaints();
    }

    fn check_complaints(self) {
        let mut complaints = self.log.join().unwrap();
        complaints.retain(|line| !line.contains(INTERRUPTED));
        assert!(complaints.is_empty(), "{complaints:#?}");
    }
}
