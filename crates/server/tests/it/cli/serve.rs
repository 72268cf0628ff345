//! `vigie serve` as a process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use tempfile::TempDir;

use super::{Run, run, vigie, without_settings};
use crate::harness::adverts::least;
use crate::harness::client::{Request, exchange};

/// A server that listens; killed if a test ends without stopping it.
pub struct Serving {
    child: Child,
    log: BufReader<ChildStderr>,
    pub address: SocketAddr,
}

impl Serving {
    pub fn start(folder: &Path) -> Self {
        let mut command = vigie();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder);
        command.env("VIGIE_LOG__FORMAT", "json").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let address = address_in(&mut log);
        Self { child, log, address }
    }

    /// Asks it to stop with a signal; what it printed in the end.
    pub fn stop(mut self, signal: &str) -> Run {
        let id = self.child.id().to_string();
        let kill = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", signal, &id]).status().unwrap();
        assert!(kill.success());
        let (mut out, mut err) = (String::new(), String::new());
        self.log.read_to_string(&mut err).unwrap();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        Run { code: self.child.wait().unwrap().code(), out, err }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Most often it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the log until it says where the server listens.
fn address_in(log: &mut impl BufRead) -> SocketAddr {
    let mut told = String::new();
    loop {
        let begin = told.len();
        assert_ne!(log.read_line(&mut told).unwrap(), 0, "it ended: {told}");
        let entry: serde_json::Value = serde_json::from_str(&told[begin..]).unwrap();
        if let Some(address) = entry["address"].as_str() {
            return address.parse().unwrap();
        }
    }
}

async fn status_with(address: SocketAddr, key: &str) -> u16 {
    exchange(address, &Request::new("POST", "/adverts").key(key).json(&least("1"))).await.status
}

#[tokio::test]
async fn the_first_start_prints_an_admin_key_and_no_later_one_does() {
    let folder = TempDir::new().unwrap();
    let server = Serving::start(folder.path());
    let address = server.address;
    let stopped = server.stop("TERM");
    let printed = stopped.succeeded();
    let key = printed.strip_prefix("Admin key, shown this once: ").unwrap().trim_end().to_owned();
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "still listening");
    // Where logs end up, keys must not.
    assert!(!stopped.err.contains(&key[28..]), "{}", stopped.err);

    let server = Serving::start(folder.path());
    assert_eq!(status_with(server.address, &key).await, 201);
    let stopped = server.stop("INT");
    assert_eq!(stopped.succeeded(), "");
    assert!(!stopped.err.contains(&key[28..]), "{}", stopped.err);
}

#[tokio::test]
async fn a_store_with_a_key_gets_no_other() {
    let folder = TempDir::new().unwrap();
    run(folder.path(), &["keys", "create", "--user", "a"]).succeeded();
    assert_eq!(Serving::start(folder.path()).stop("TERM").succeeded(), "");
}

#[tokio::test]
async fn two_servers_do_not_share_a_folder() {
    let folder = TempDir::new().unwrap();
    let first = Serving::start(folder.path());
    let second = run(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
    let told = second.failed();
    assert!(
        told.contains(&format!("another vigie server is running on {}", folder.path().display())),
        "{told}"
    );
    // Commands may; and what they do counts at once.
    let key = run(folder.path(), &["keys", "create", "--user", "b", "--scopes", "ingest"])
        .succeeded()
        .trim()
        .to_owned();
    assert_eq!(status_with(first.address, &key).await, 201);
    run(folder.path(), &["keys", "revoke", &key]).succeeded();
    assert_eq!(status_with(first.address, &key).await, 401);
    first.stop("TERM").succeeded();
    // The lock goes with the process.
    Serving::start(folder.path()).stop("TERM").succeeded();
}

#[tokio::test]
async fn an_address_that_is_taken_is_an_error() {
    let folder = TempDir::new().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = run(folder.path(), &["serve", "--listen", &address]);
    assert!(refused.failed().contains(&format!("cannot listen on {address}")), "{refused:?}");
}

#[tokio::test]
async fn a_folder_that_holds_something_else_is_left_alone() {
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

/// What a command says that comes as far as the port, and finds it taken.
fn told_before_the_port(command: &mut Command, listen: &str) -> String {
    let folder = TempDir::new().unwrap();
    let refused = Run::of(command.args(["--listen", listen, "--data"]).arg(folder.path()).output().unwrap());
    assert!(refused.failed().contains(&format!("cannot listen on {listen}")), "{refused:?}");
    refused.err
}

/// What is in a folder, and below, that others than its owner may touch.
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
async fn nobody_else_may_read_the_folder() {
    let folder = TempDir::new().unwrap();
    let of_commands = folder.path().join("commands").join("data");
    let mut shell = without_settings(Command::new("sh"));
    shell.args(["-c", "umask 022 && exec \"$0\" \"$@\""]).arg(env!("CARGO_BIN_EXE_vigie"));
    shell.args(["keys", "create", "--user", "a", "--data"]).arg(&of_commands);
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
    assert!(of_a_server.join("index").exists(), "there is something to be indexed");
    assert_eq!(open_to_others(&of_a_server), Vec::<PathBuf>::new());
}

const OF_PRIVATE_ADDRESSES: &str = "messages may go to private addresses";

#[test]
fn that_messages_may_go_to_private_addresses_is_said_where_others_could_use_it() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let told = |command: &str, host: &str, setting: &str| {
        let mut process = vigie();
        process.arg(command).env("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", setting);
        told_before_the_port(&mut process, &format!("{host}:{port}")).contains(OF_PRIVATE_ADDRESSES)
    };
    assert!(!told("serve", "127.0.0.1", "false"));
    assert!(told("serve", "127.0.0.1", "true"));
    // A demo sends to its own receiver on loopback in any case.
    assert!(!told("demo", "127.0.0.1", "false"));
    assert!(told("demo", "0.0.0.0", "false"), "all addresses include the one whose port is taken");
}

#[test]
fn the_limit_of_open_files_is_raised_and_one_that_is_too_small_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let told = |command: &str, connections_max: &str| {
        let mut shell = without_settings(Command::new("sh"));
        shell
            .args(["-c", "ulimit -S -n 280 && ulimit -H -n 600 && exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_vigie"))
            .arg(command)
            .env("VIGIE_LIMITS__CONNECTIONS_MAX", connections_max)
            .env("VIGIE_DELIVERY__IN_ALL_MAX", "10");
        told_before_the_port(&mut shell, &listen)
    };
    for command in ["serve", "demo"] {
        // 10 connections, 2 × 10 for attempts and 256 others: more than 280, and fewer than 600.
        let enough = told(command, "10");
        assert!(!enough.contains("files"), "{enough}");
        let most = told(command, "324");
        assert!(!most.contains("files"), "{most}");
        let too_few = told(command, "325");
        assert!(
            too_few.contains("may open 600 files and connections, and its settings allow for 601"),
            "{too_few}"
        );
        assert!(too_few.contains("limits.connections_max"), "{too_few}");
    }
}
