//! `cargo xtask bare`: runs both commands of the README on a minimal Debian that has Rust and nothing else.
//!
//! debootstrap makes the minimal system once, in a folder that later runs use again. Each command runs in a fresh copy of it, on
//! a fresh clone of `HEAD`. The commands have to install whatever else they need, or the README has to name it.

mod system;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::format_duration;
use crate::step::{Step, root};
use system::System;

/// The second command of the README, as CI runs it.
const CI: [&str; 2] = ["bash", ".ci/run"];

/// The first command of the README.
const DEMO: [&str; 5] = ["cargo", "run", "--release", "--", "demo"];

/// What the README asks for beside Rust.
const C_COMPILER: [&str; 2] = ["gcc", "libc6-dev"];

/// A release build of all dependencies on a slow machine takes most of this.
const DEMO_READY_MAX: Duration = Duration::from_secs(90 * 60);

/// The server finishes requests and attempts that are under way before it exits.
const DEMO_STOP_MAX: Duration = Duration::from_secs(2 * 60);

const HTTP_TIMEOUT: Duration = Duration::from_secs(30);

/// Runs its arguments with a way to stop them: SIGINT when standard input has a line or ends. `exec` keeps the process id, and so
/// does `cargo run`, which replaces itself with the program.
const STOP_WITH_INPUT: &str =
    r#"exec 3<&0; { read -r _ <&3; kill -INT $$; } >/dev/null 2>&1 & exec "$@" </dev/null"#;

pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let folder = match arguments {
        [] => default_folder(),
        [folder] => PathBuf::from(folder),
        _ => return Err(Failure::Arguments { expected: "at most one folder" }),
    };
    check_tools()?;
    let base = system::make_base(&folder)?;
    let mut times = Vec::new();

    let system = System::copy_of(&base, &folder.join("ci"))?;
    times.push((CI.join(" "), timed(|| system.run(&CI))?));
    system.remove()?;

    let system = System::copy_of(&base, &folder.join("demo"))?;
    system.run(&["apt-get", "update"])?;
    let install =
        ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes", "--no-install-recommends"];
    system.run(&[&install[..], &C_COMPILER].concat())?;
    times.push((DEMO.join(" "), timed(|| demo(&system))?));
    system.remove()?;

    eprintln!("\nBoth commands pass on a minimal Debian with Rust:");
    for (command, time) in times {
        eprintln!("  {:28} {}", command, format_duration(time));
    }
    eprintln!("The minimal system is kept for the next run. To remove it:\n  {}", system::removal(&folder));
    Ok(())
}

fn default_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("bare")
}

fn check_tools() -> Result<(), Failure> {
    if Step::of("id", ["-u"]).output().is_none_or(|user| user != "0") {
        return Err(Failure::NotRoot);
    }
    let tools = [
        ("debootstrap", "apt-get install debootstrap"),
        ("git", "apt-get install git"),
        ("unshare", "apt-get install util-linux"),
    ];
    for (tool, install) in tools {
        if !Step::of(tool, ["--version"]).succeeds() {
            return Err(Failure::Missing { tool, install });
        }
    }
    Ok(())
}

fn timed(action: impl FnOnce() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let started = Instant::now();
    action().map(|()| started.elapsed())
}

/// Starts the demo, waits until it prints an address to try, sends one request there, and stops it.
fn demo(system: &System) -> Result<(), Failure> {
    let mut command = system.command(&[&["bash", "-c", STOP_WITH_INPUT, "demo"][..], &DEMO].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    eprintln!("\n$ {}", DEMO.join(" "));
    let child = command.spawn();
    let mut demo = KillOnDrop(child.map_err(|cause| Failure::NotStarted { step: DEMO.join(" "), cause })?);
    let lines = print_and_send_lines(&mut demo.0);

    let deadline = Instant::now() + DEMO_READY_MAX;
    let address = loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => match address_in(&line) {
                Some(address) => break address,
                None => continue,
            },
            Err(mpsc::RecvTimeoutError::Timeout) => return Err(Failure::Demo("was not ready in time")),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(Failure::Demo("ended before it was ready"));
            }
        }
    };
    let status = get(address, "/readyz").map_err(|cause| Failure::Request { address, cause })?;
    eprintln!("\nGET http://{address}/readyz: {status}");
    if !status.contains(" 200 ") {
        return Err(Failure::Demo("does not answer with 200"));
    }

    drop(demo.0.stdin.take());
    // Reading ends when the demo closes its output, which is when it exits.
    let deadline = Instant::now() + DEMO_STOP_MAX;
    loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(_) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => return Err(Failure::Demo("does not stop")),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    match demo.0.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::Failed { step: DEMO.join(" "), status }),
        Err(cause) => Err(Failure::NotStarted { step: DEMO.join(" "), cause }),
    }
}

/// A process that does not outlive an error. It takes its whole process namespace with it.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Prints what the child prints, as it comes, and sends each line on.
fn print_and_send_lines(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                println!("{line}");
                // The demo must be able to print until it exits, even if no one waits for its lines any more.
                let _ = sender.send(line);
            }
        });
    }
    lines
}

/// The address in the first `http://address:port` of a line.
fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, after) = line.split_once("http://")?;
    let end = after.find(|c: char| !(c.is_ascii_hexdigit() || ".:[]".contains(c))).unwrap_or(after.len());
    after[..end].trim_end_matches(['.', ':']).parse().ok()
}

/// The status line of the answer.
fn get(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, HTTP_TIMEOUT)?;
    stream.set_read_timeout(Some(HTTP_TIMEOUT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_what_the_demo_prints() {
        let line = "curl -s 'http://127.0.0.1:8080/properties?page=1' -H 'X-API-KEY: a'";
        assert_eq!(address_in(line), Some(SocketAddr::from(([127, 0, 0, 1], 8080))));
        assert!(address_in("Vigie listens on http://[::1]:80.").is_some());
        for line in ["", "http://", "see http://localhost:8080/", "https://127.0.0.1:8080"] {
            assert_eq!(address_in(line), None, "{line}");
        }
    }

    #[test]
    fn at_most_one_folder_is_taken() {
        let outcome = run(&["a".to_owned(), "b".to_owned()]);
        assert!(matches!(outcome, Err(Failure::Arguments { .. })));
    }
}
