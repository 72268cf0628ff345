//! Starts and stops the server as a child process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::client::Client;
use crate::processor_time;

pub struct Process {
    child: Child,
    pub address: SocketAddr,
}

impl Process {
    /// Starts a server on a data folder. Returns the time until it was ready as well.
    pub fn start(folder: &Path) -> anyhow::Result<(Self, Duration)> {
        Self::start_with(folder, &[])
    }

    /// Does the same with additional environment variables.
    pub fn start_with(folder: &Path, settings: &[(&str, String)]) -> anyhow::Result<(Self, Duration)> {
        let started = Instant::now();
        let mut child = Command::new(std::env::current_exe()?.with_file_name("vigie"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder)
            .env("VIGIE_LOG__FORMAT", "json")
            .env("VIGIE_LOG__LEVEL", "warn,server::cli::serve=info")
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot run vigie; build it with `cargo build --release`")?;
        let mut log = BufReader::new(child.stderr.take().context("no standard error")?);
        let address = loop {
            let mut line = String::new();
            ensure!(log.read_line(&mut line)? > 0, "the server exited during start-up");
            let entry: serde_json::Value = serde_json::from_str(&line)?;
            if let Some(address) = entry["address"].as_str() {
                break address.parse()?;
            }
            eprint!("{line}");
        };
        // Keep reading, or the server blocks when the pipe is full.
        std::thread::spawn(move || log.lines().map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        let process = Self { child, address };
        let mut client = Client::connect(address, "")?;
        while client.get("/readyz")?.status != 200 {
            #[expect(clippy::disallowed_methods, reason = "readiness can only be polled")]
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok((process, started.elapsed()))
    }

    /// Returns the processor time used so far.
    pub fn processor_time(&self) -> anyhow::Result<Duration> {
        processor_time::of(self.child.id())
    }

    /// Describes the current and the peak memory.
    pub fn memory(&self) -> String {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let kilobytes = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok())
                .unwrap_or(f64::NAN)
        };
        format!("{:.0} MB of memory, {:.0} MB at peak", kilobytes("VmRSS:") / 1e3, kilobytes("VmHWM:") / 1e3)
    }

    /// Stops the server with SIGTERM. Returns the time until it exited.
    pub fn stop(mut self) -> anyhow::Result<Duration> {
        let started = Instant::now();
        kill_process(Pid::from_child(&self.child), Signal::TERM)
            .context("cannot send SIGTERM to the server")?;
        ensure!(self.child.wait()?.success(), "the server exited with an error");
        Ok(started.elapsed())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
