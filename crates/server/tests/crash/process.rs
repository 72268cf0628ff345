//! The server as a process that can be killed.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::chance::Chance;
use crate::place::Place;

/// Log line of a server that finds attempts of a killed one.
const INTERRUPTED: &str = "leases of delivery attempts expired; retrying these deliveries";

/// Creates a key with all scopes the tests need. Works next to a running server.
pub fn create_key(place: &Place) -> String {
    create_database(place);
    let arguments = ["keys", "create", "--user", "crash", "--scopes", "read,ingest,searches,admin"];
    let created = place.select(vigie().args(arguments)).output().unwrap();
    assert!(created.status.success(), "{created:?}");
    String::from_utf8(created.stdout).unwrap().trim_end().to_owned()
}

/// Creates the database, if there is none. A key alone does not.
fn create_database(place: &Place) {
    if place.database().is_none() && !place.folder().join(store::sqlite::FILE_NAME).exists() {
        let imported = place.select(vigie().args(["import", "/dev/null"])).output().unwrap();
        assert!(imported.status.success(), "{imported:?}");
    }
}

/// The command, without the test's own variables, which are not settings.
fn vigie() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vigie"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("VIGIE_") {
            command.env_remove(name);
        }
    }
    command
}

/// A command that prints nothing.
pub fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = vigie();
    place.select(command.args(arguments)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Asks again and again until the answer is not `None`. Fails after two minutes: a start on a busy machine takes seconds.
pub fn poll<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let give_up_at = Instant::now() + Duration::from_secs(120);
    while Instant::now() < give_up_at {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::yield_now();
    }
    panic!("waited for two minutes: {what}");
}

/// A process that is killed when dropped.
struct KillOnDrop(Child);

impl KillOnDrop {
    /// Sends SIGKILL and waits until the process has ended.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that was started but may not listen yet.
pub struct Process {
    child: KillOnDrop,
    log: BufReader<ChildStderr>,
}

impl Process {
    pub fn start(place: &Place) -> Self {
        Self::start_with(place, &[])
    }

    /// Starts a server with settings, given as environment variables.
    pub fn start_with(place: &Place, settings: &[(&str, String)]) -> Self {
        Self::launch(place, settings, 0)
    }

    /// Starts a server that listens on a port.
    pub fn start_on(port: u16, place: &Place, settings: &[(&str, String)]) -> Self {
        Self::launch(place, settings, port)
    }

    fn launch(place: &Place, settings: &[(&str, String)], port: u16) -> Self {
        let mut command = vigie();
        place.select(command.args(["serve", "--listen", &format!("127.0.0.1:{port}")]));
        command.envs(settings.iter().map(|(name, value)| (name, value)));
        command.env("VIGIE_LOG__FORMAT", "json").env("VIGIE_LOG__LEVEL", "warn,server::cli::serve=info");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child: KillOnDrop(child), log }
    }

    /// Waits until it listens.
    pub fn listening(self) -> Listening {
        self.listening_or_log().unwrap_or_else(|log| panic!("{log}"))
    }

    /// Does the same, or returns what it logged if it ends before that.
    pub fn listening_or_log(mut self) -> Result<Listening, String> {
        let mut text = String::new();
        loop {
            let start = text.len();
            if self.log.read_line(&mut text).unwrap() == 0 {
                let status = self.child.0.wait().unwrap();
                return Err(format!("the server ended ({status}) before it listened:\n{text}"));
            }
            let entry: serde_json::Value = serde_json::from_str(&text[start..]).unwrap_or_default();
            if let Some(address) = entry["address"].as_str() {
                let address = address.parse().unwrap();
                let log: Arc<Mutex<Vec<String>>> = Arc::default();
                let lines = Arc::clone(&log);
                let reader = std::thread::spawn(move || {
                    for line in self.log.lines().map_while(Result::ok) {
                        lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
                    }
                });
                return Ok(Listening { child: self.child, address, log, reader });
            }
        }
    }

    /// Kills it at a random time before its first connection.
    pub fn kill_while_starting(mut self, chance: &mut Chance) {
        // Not a wait for an event: any number of iterations is as good as another.
        for _ in 0..chance.below(20_000) {
            std::thread::yield_now();
        }
        self.child.kill();
    }
}

/// A server that accepts connections.
pub struct Listening {
    child: KillOnDrop,
    address: SocketAddr,
    /// The rest of its log; read all the time, so that the server never blocks on it.
    log: Arc<Mutex<Vec<String>>>,
    reader: std::thread::JoinHandle<()>,
}

impl Listening {
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends SIGKILL. The server must have run until then, and must have logged no warning except about an earlier kill.
    pub fn kill(mut self) {
        assert!(self.child.0.try_wait().unwrap().is_none(), "the server ended by itself");
        self.child.kill();
        self.check_log();
    }

    /// Stops it where it is, until [`Self::resume`].
    pub fn pause(&self) {
        kill_process(Pid::from_child(&self.child.0), Signal::STOP).unwrap();
    }

    pub fn resume(&self) {
        kill_process(Pid::from_child(&self.child.0), Signal::CONT).unwrap();
    }

    /// Sends a signal that ends it. Returns the warnings that it has logged.
    pub fn end(mut self, signal: Signal) -> Vec<String> {
        assert!(self.child.0.try_wait().unwrap().is_none(), "the server ended by itself");
        kill_process(Pid::from_child(&self.child.0), signal).unwrap();
        self.child.0.wait().unwrap();
        self.complete_log()
    }

    /// Sends SIGTERM and waits until the requests and attempts in progress are finished.
    pub fn stop(mut self) {
        kill_process(Pid::from_child(&self.child.0), Signal::TERM).unwrap();
        let status = self.child.0.wait().unwrap();
        assert!(status.success(), "{status}");
        self.check_log();
    }

    /// Returns what it has logged since it listened.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the same when it has ended.
    fn complete_log(self) -> Vec<String> {
        self.reader.join().unwrap();
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn check_log(self) {
        let mut warnings = self.complete_log();
        warnings.retain(|line| !line.contains(INTERRUPTED));
        assert!(warnings.is_empty(), "{warnings:#?}");
    }
}
