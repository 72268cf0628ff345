//! A PostgreSQL server of our own, started in a folder and stopped with whoever started it. Nothing is installed.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, ensure};

/// Memory for the whole market; no just-in-time compilation, which costs more than short queries take; and nothing
/// that is only there for crashes. The rest is as it comes.
const SETTINGS: &str = "
listen_addresses = ''
shared_buffers = 2GB
effective_cache_size = 6GB
work_mem = 64MB
maintenance_work_mem = 1GB
random_page_cost = 1.1
jit = off
fsync = off
full_page_writes = off
synchronous_commit = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 8GB
autovacuum = off
";

/// The name under which we come in.
pub const USER: &str = "bench";

/// Users a server may run as when we are the administrator, whom it refuses.
const OTHERS: [&str; 2] = ["postgres", "nobody"];

pub struct Server {
    programs: PathBuf,
    owner: Option<Owner>,
    data: PathBuf,
    sockets: PathBuf,
    /// A shell that holds the server.
    keeper: Option<Child>,
}

/// Runs a command until its own input ends: it does when we end, whatever way that is.
const KEEP: &str = "\"$@\" & server=$!; read -r _; kill -QUIT $server; wait $server";

/// What it says when it takes queries.
const READY: &str = "ready to accept connections";

/// Somebody without rights.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Server {
    /// The folder with the programs: one of the search path or, of those the packages make, the newest.
    pub fn programs() -> Option<PathBuf> {
        let has = |folder: &Path, name: &str| folder.join(name).is_file();
        let complete = |folder: &PathBuf| ["initdb", "postgres"].iter().all(|name| has(folder, name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        if let Some(folder) = std::env::split_paths(&path).find(complete) {
            return Some(folder);
        }
        let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
        let folders = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
        folders.filter(complete).max()
    }

    pub fn start(programs: PathBuf, folder: &Path) -> anyhow::Result<Self> {
        let folder = std::path::absolute(folder)?.join("postgres");
        std::fs::create_dir_all(&folder)?;
        let owner = if number("id", &["-u"])? == 0 { Some(other_owner()?) } else { None };
        if let Some(owner) = owner {
            chown(&folder, Some(owner.user), Some(owner.group))?;
            // It has to get there, too; temporary folders are closed to everybody else.
            if let Some(above) = folder.parent() {
                let mode = std::fs::metadata(above)?.permissions().mode();
                std::fs::set_permissions(above, PermissionsExt::from_mode(mode | 0o011))?;
            }
        }
        let data = folder.join("data");
        let mut server = Self { programs, owner, data, sockets: folder, keeper: None };
        let initdb = server.programs.join("initdb");
        let mut initdb = server.command(&initdb.display().to_string());
        initdb.arg("-D").arg(&server.data);
        initdb.args([
            "--username",
            USER,
            "--auth",
            "trust",
            "--encoding",
            "UTF8",
            "--locale",
            "C",
            "--no-sync",
        ]);
        run(&mut initdb)?;
        let settings = format!("{SETTINGS}unix_socket_directories = '{}'\n", server.sockets.display());
        std::fs::write(server.data.join("postgresql.auto.conf"), settings)?;
        server.keep()?;
        Ok(server)
    }

    /// Starts the server and waits until it takes queries.
    fn keep(&mut self) -> anyhow::Result<()> {
        let mut command = self.command("sh");
        command.args(["-c", KEEP, "sh"]).arg(self.programs.join("postgres")).arg("-D").arg(&self.data);
        let keeper = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let said = self.keeper.insert(keeper).stderr.take();
        let mut said = BufReader::new(said.context("the server has no voice")?);
        let (mut all, mut line) = (String::new(), String::new());
        while said.read_line(&mut line)? > 0 {
            if line.contains(READY) {
                let mut log = File::create(self.sockets.with_extension("log"))?;
                // Somebody has to go on listening, or the server waits for it. It ends with the server.
                std::thread::spawn(move || std::io::copy(&mut said, &mut log));
                return Ok(());
            }
            all.push_str(&line);
            line.clear();
        }
        anyhow::bail!("the server has stopped: {all}")
    }

    /// Where to knock.
    pub fn sockets(&self) -> &Path {
        &self.sockets
    }

    /// A command, run by whoever may run the server.
    fn command(&self, program: &str) -> Command {
        let mut command = match self.owner {
            None => Command::new(program),
            Some(Owner { user, group }) => {
                let mut command = Command::new("setpriv");
                command.args([format!("--reuid={user}"), format!("--regid={group}")]);
                command.args(["--clear-groups", program]);
                command
            }
        };
        command.current_dir(&self.sockets);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(keeper) = &mut self.keeper else { return };
        drop(keeper.stdin.take());
        if let Err(error) = keeper.wait() {
            eprintln!("PostgreSQL could not be stopped: {error}");
        }
    }
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn other_owner() -> anyhow::Result<Owner> {
    let found = OTHERS.iter().find_map(|name| {
        Some(Owner { user: number("id", &["-u", name]).ok()?, group: number("id", &["-g", name]).ok()? })
    });
    found.context("the server refuses the administrator, and there is nobody else to run it as")
}

fn number(program: &str, arguments: &[&str]) -> anyhow::Result<u32> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
