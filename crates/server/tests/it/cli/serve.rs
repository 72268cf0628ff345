//! `vigie serve` as a process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use tempfile::TempDir;

use super::{Run, data_folder, new_folder, run, vigie, without_settings};
use crate::harness::adverts::minimal;
use crate::harness::client::{Request, exchange, with_timeout};

/// A running server; killed if a test ends without stopping it.
pub struct Serving {
    child: Child,
    log: BufReader<ChildStderr>,
    pub address: SocketAddr,
}

impl Serving {
    pub fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// Starts it with settings, as environment variables.
    pub fn start_with(folder: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = vigie();
        command.envs(settings.iter().copied());
        test_database::select(folder, command.args(["serve", "--listen", "127.0.0.1:0"]));
        command.env("VIGIE_LOG__FORMAT", "json").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let address = address_in(&mut log);
        Self { child, log, address }
    }

    /// Kills it and waits until it has ended.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let kill = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", signal, &id]).status().unwrap();
        assert!(kill.success());
    }

    /// Stops it with a signal. Returns its output.
    pub fn stop(mut self, signal: &str) -> Run {
        self.signal(signal);
        let (mut out, mut err) = (String::new(), String::new());
        self.log.read_to_string(&mut err).unwrap();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        Run { code: self.child.wait().unwrap().code(), out, err }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Usually it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the log up to the line with the server's address.
fn address_in(log: &mut impl BufRead) -> SocketAddr {
    let mut text = String::new();
    loop {
        let start = text.len();
        assert_ne!(log.read_line(&mut text).unwrap(), 0, "it ended: {text}");
        let entry: serde_json::Value = serde_json::from_str(&text[start..]).unwrap();
        if let Some(address) = entry["address"].as_str() {
            return address.parse().unwrap();
        }
    }
}

async fn status_with(address: SocketAddr, key: &str) -> u16 {
    exchange(address, &Request::new("POST", "/adverts").key(key).json(&minimal("1"))).await.status
}

#[tokio::test]
async fn admin_key_is_created_at_the_first_start_only() {
    let folder = new_folder();
    let file = folder.path().join("admin-key");
    // Of an earlier database in the same folder, and readable by all.
    std::fs::write(&file, "vigie_old\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let server = Serving::start(folder.path());
    let address = server.address;
    let stopped = server.stop("TERM");
    let key = std::fs::read_to_string(&file).unwrap().trim_end().to_owned();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // Standard output is not a terminal here, and may end in a journal.
    assert_eq!(
        stopped.succeeded(),
        format!(
            "The admin key is in {}, readable by this user only. Keep it elsewhere and delete the file.\n",
            file.display()
        )
    );
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "still listening");
    // Keys must not appear in logs.
    assert!(!stopped.err.contains(&key[28..]), "{}", stopped.err);

    let server = Serving::start(folder.path());
    assert_eq!(status_with(server.address, &key).await, 201);
    let stopped = server.stop("INT");
    assert_eq!(stopped.succeeded(), "");
    assert!(!stopped.err.contains(&key[28..]), "{}", stopped.err);
}

#[tokio::test]
async fn existing_key_prevents_an_admin_key() {
    let folder = data_folder();
    run(folder.path(), &["keys", "create", "--user", "a"]).succeeded();
    assert_eq!(Serving::start(folder.path()).stop("TERM").succeeded(), "");
}

#[tokio::test]
async fn second_server_on_a_folder_is_rejected() {
    let folder = new_folder();
    let first = Serving::start(folder.path());
    let second = run(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
    let error = second.failed();
    assert!(
        error.contains(&format!("another vigie server is running on {}", folder.path().display())),
        "{error}"
    );
    // Commands may run next to a server, which notices their changes: a new key at once, a revoked one within a second.
    let key = run(folder.path(), &["keys", "create", "--user", "b", "--scopes", "ingest"])
        .succeeded()
        .trim()
        .to_owned();
    assert_eq!(status_with(first.address, &key).await, 201);
    run(folder.path(), &["keys", "revoke", &key]).succeeded();
    with_timeout(async { while status_with(first.address, &key).await != 401 {} }).await;
    first.stop("TERM").succeeded();
    // The lock is released with the process.
    Serving::start(folder.path()).stop("TERM").succeeded();
}

#[tokio::test]
async fn occupied_port_is_an_error() {
    let folder = TempDir::new().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = run(folder.path(), &["serve", "--listen", &address]);
    assert!(refused.failed().contains(&format!("cannot listen on {address}")), "{refused:?}");
}

#[tokio::test]
async fn foreign_file_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    std::fs::write(
        folder.path().join("vigie.db"),
        "not a database at all, but long enough to be read as one",
    )
    .unwrap();
    let refused = run(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
    refused.failed();
    assert!(std::fs::read(folder.path().join("vigie.db")).unwrap().starts_with(b"not a database"));
}

/// Runs a command that fails because the port is taken. Returns what it logged until then.
fn log_before_bind(command: &mut Command, listen: &str) -> String {
    let folder = TempDir::new().unwrap();
    let refused = Run::of(command.args(["--listen", listen, "--data"]).arg(folder.path()).output().unwrap());
    assert!(refused.failed().contains(&format!("cannot listen on {listen}")), "{refused:?}");
    refused.err
}

/// Returns files and folders that other users may access.
fn open_to_others(folder: &Path) -> Vec<PathBuf> {
    let is_open = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o077 != 0;
    let mut found: Vec<PathBuf> = is_open(folder).then(|| folder.to_owned()).into_iter().collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(open_to_others(&path));
        } else if is_open(&path) {
            found.push(path);
        }
    }
    found
}

#[tokio::test]
async fn files_are_private_to_the_user() {
    let folder = TempDir::new().unwrap();
    let of_commands = folder.path().join("commands").join("data");
    let mut shell = without_settings(Command::new("sh"));
    shell.args(["-c", "umask 022 && exec \"$0\" \"$@\""]).arg(env!("CARGO_BIN_EXE_vigie"));
    shell.args(["import", "/dev/null", "--data"]).arg(&of_commands);
    Run::of(shell.output().unwrap()).succeeded();
    assert!(of_commands.join("vigie.db").exists());
    assert_eq!(open_to_others(&of_commands), Vec::<PathBuf>::new());

    let of_a_server = folder.path().join("server");
    let server = Serving::start(&of_a_server);
    assert!(of_a_server.join("vigie.db-wal").exists() && of_a_server.join("vigie.db-shm").exists());
    assert_eq!(open_to_others(&of_a_server), Vec::<PathBuf>::new());
    let key = run(&of_a_server, &["keys", "create", "--user", "b", "--scopes", "ingest"]);
    assert_eq!(status_with(server.address, key.succeeded().trim()).await, 201);
    server.stop("TERM").succeeded();
    assert!(of_a_server.join("index").exists(), "an advert was indexed");
    assert_eq!(open_to_others(&of_a_server), Vec::<PathBuf>::new());
}

const PRIVATE_ADDRESSES_WARNING: &str = "webhooks to private addresses are allowed";

#[test]
fn private_addresses_are_warned_about() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let warns = |command: &str, host: &str, setting: &str| {
        let mut process = vigie();
        process.arg(command).env("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", setting);
        log_before_bind(&mut process, &format!("{host}:{port}")).contains(PRIVATE_ADDRESSES_WARNING)
    };
    assert!(!warns("serve", "127.0.0.1", "false"));
    assert!(warns("serve", "127.0.0.1", "true"));
    // The demo always sends to its own receiver on loopback.
    assert!(!warns("demo", "127.0.0.1", "false"));
    assert!(warns("demo", "0.0.0.0", "false"), "0.0.0.0 includes the address whose port is taken");
}

#[test]
fn open_file_limit_is_raised_and_checked() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let log = |command: &str, connections_max: &str| {
        let mut shell = without_settings(Command::new("sh"));
        shell
            .args(["-c", "ulimit -S -n 280 && ulimit -H -n 600 && exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_vigie"))
            .arg(command)
            .env("VIGIE_LIMITS__CONNECTIONS_MAX", connections_max)
            .env("VIGIE_DELIVERY__TOTAL_MAX", "10");
        log_before_bind(&mut shell, &listen)
    };
    for command in ["serve", "demo"] {
        // 10 connections, 2 × 10 for attempts and 256 other files: more than 280, fewer than 600.
        let enough = log(command, "10");
        assert!(!enough.contains("files"), "{enough}");
        let most = log(command, "324");
        assert!(!most.contains("files"), "{most}");
        let too_few = log(command, "325");
        assert!(too_few.contains("limit of open files is 600, but the settings allow for 601"), "{too_few}");
        assert!(too_few.contains("limits.connections_max"), "{too_few}");
    }
}

#[tokio::test]
async fn a_server_that_leaves_answers_until_load_balancers_know() {
    let folder = new_folder();
    let server = Serving::start_with(folder.path(), &[("VIGIE_LIMITS__SHUTDOWN_DELAY", "1h")]);
    let key = std::fs::read_to_string(folder.path().join("admin-key")).unwrap();
    let address = server.address;
    let wait_for = |status: u16| async move {
        let probe = Request::new("GET", "/readyz");
        with_timeout(async { while exchange(address, &probe).await.status != status {} }).await;
    };
    wait_for(200).await;
    server.signal("TERM");
    wait_for(503).await;
    assert_eq!(status_with(address, key.trim()).await, 201);
    // The second signal does not wait.
    assert_eq!(server.stop("TERM").code, Some(130));
}
