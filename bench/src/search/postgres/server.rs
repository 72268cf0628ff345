//! A temporary PostgreSQL server in a folder, which stops with this process. Nothing is installed.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, ensure};

/// Enough memory for the whole market, no just-in-time compilation, which costs more than a short query takes, and no crash safety.
/// Everything else has its default.
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

/// The database user.
pub const USER: &str = "bench";

/// System users to run the server as if this process is root: PostgreSQL refuses to run as root.
const OTHERS: [&str; 2] = ["postgres", "nobody"];

pub struct Server {
    programs: PathBuf,
    owner: Option<Owner>,
    data: PathBuf,
    sockets: PathBuf,
    /// The shell that runs the server.
    shell: Option<Child>,
}

/// Runs a command until standard input ends, which happens when this process exits, in whatever way.
const RUN_UNTIL_EOF: &str = "\"$@\" & server=$!; read -r _; kill -QUIT $server; wait $server";

/// The log line of a server that accepts connections.
const READY: &str = "ready to accept connections";

/// An unprivileged system user.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Server {
    /// Finds the folder of the programs: in the search path, or the newest version of the Debian packages.
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
            // Temporary folders are private; the server has to traverse this one.
            if let Some(above) = folder.parent() {
                let mode = std::fs::metadata(above)?.permissions().mode();
                std::fs::set_permissions(above, PermissionsExt::from_mode(mode | 0o011))?;
            }
        }
        let data = folder.join("data");
        let mut server = Self { programs, owner, data, sockets: folder, shell: None };
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
        server.launch()?;
        Ok(server)
    }

    /// Starts the server and waits until it accepts connections.
    fn launch(&mut self) -> anyhow::Result<()> {
        let mut command = self.command("sh");
        command
            .args(["-c", RUN_UNTIL_EOF, "sh"])
            .arg(self.programs.join("postgres"))
            .arg("-D")
            .arg(&self.data);
        let shell = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let log_output = self.shell.insert(shell).stderr.take();
        let mut log_output = BufReader::new(log_output.context("the server has no standard error")?);
        let (mut all, mut line) = (String::new(), String::new());
        while log_output.read_line(&mut line)? > 0 {
            if line.contains(READY) {
                let mut log = File::create(self.sockets.with_extension("log"))?;
                // Keep reading, or the server blocks when the pipe is full. The thread ends with the server.
                std::thread::spawn(move || std::io::copy(&mut log_output, &mut log));
                return Ok(());
            }
            all.push_str(&line);
            line.clear();
        }
        anyhow::bail!("the server stopped: {all}")
    }

    /// Returns the folder of the socket.
    pub fn sockets(&self) -> &Path {
        &self.sockets
    }

    /// Returns a command that runs as the owner of the server.
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
        let Some(shell) = &mut self.shell else { return };
        drop(shell.stdin.take());
        if let Err(error) = shell.wait() {
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
    found.context("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

fn number(program: &str, arguments: &[&str]) -> anyhow::Result<u32> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
