//! A temporary PostgreSQL server in a folder, which stops with this process, for tests and benchmarks, and a cluster of them ([`Patroni`]).
//! Nothing is installed: the programs must be there ([`Server::programs`]).

mod patroni;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::config::TargetSessionAttrs;

pub use patroni::{Patroni, Replication, free_port};

/// Nothing outlives the process, so nothing is synced. A store has ten connections, and tests run in parallel.
const TEST_SETTINGS: &str =
    "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 600";

static SHARED: OnceLock<Server> = OnceLock::new();
static PROTOTYPE: OnceLock<String> = OnceLock::new();

/// Returns a server that all tests of this process share. It ends with the process, and its data with it. Panics if there is none.
pub fn shared() -> &'static Server {
    SHARED.get_or_init(|| {
        let programs = Server::programs();
        let programs = programs.expect("PostgreSQL is not installed; on Debian: apt-get install postgresql");
        let folder = std::env::temp_dir().join(format!("vigie-postgres-{}", std::process::id()));
        Server::start(programs, &folder, TEST_SETTINGS).unwrap_or_else(|error| panic!("{error:#}"))
    })
}

/// Creates a database on the shared server, and returns its name. It is a copy of one that `prepare` got empty, by its address, before
/// the first call of this process: copying is faster than creating tables.
pub fn prepared_database(prepare: fn(&str)) -> String {
    let server = shared();
    let prototype = PROTOTYPE.get_or_init(|| {
        let name = server.create(None);
        prepare(&server.url(&name));
        name
    });
    server.create(Some(prototype))
}

/// Returns the address of a database on whichever of these servers accepts writes.
pub fn url_of(servers: &[&Server], database: &str) -> String {
    let host = |server: &&Server| server.sockets.display().to_string().replace('/', "%2F");
    let hosts: Vec<String> = servers.iter().map(host).collect();
    format!("postgres://{USER}@{}/{database}?sslmode=disable", hosts.join(","))
}

/// The database user.
pub const USER: &str = "vigie";

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

/// Runs a command until standard input ends, which happens when this process exits, in whatever way. Then removes the folder, and the
/// one above if that is empty. A server that is paused goes on for that. After the line `keep` it ends without removing anything.
const RUN_UNTIL_EOF: &str = r#"folder=$1; shift; "$@" & server=$!; read -r word; kill -QUIT $server 2>/dev/null; kill -CONT $server 2>/dev/null; wait $server
if [ "$word" = keep ]; then exit; fi
rm -rf "$folder"; rmdir "$(dirname "$folder")" 2>/dev/null; true"#;

/// How often a killed server is started: processes of the one before may take a moment to end, and prevent it.
const STARTS_MAX: u32 = 100;

/// The log line of a server that accepts connections, or "read-only connections" if it is a replica.
const READY: &str = "ready to accept";

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

    /// Starts a server with these settings, as in `postgresql.conf`. It listens on a socket in `folder` only.
    pub fn start(programs: PathBuf, folder: &Path, settings: &str) -> anyhow::Result<Self> {
        let (folder, owner) = owned_folder(folder)?;
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
        server.configure(settings)?;
        server.launch()?;
        Ok(server)
    }

    /// Starts a copy of this server that follows it, with these settings in addition. It accepts reads only, until [`Self::promote`].
    pub fn start_replica(&self, folder: &Path, settings: &str) -> anyhow::Result<Self> {
        let (folder, owner) = owned_folder(folder)?;
        let data = folder.join("data");
        let mut replica = Self { programs: self.programs.clone(), owner, data, sockets: folder, shell: None };
        let mut copy = replica.command(&self.client_program("pg_basebackup")?);
        copy.arg("-D").arg(&replica.data).arg("-h").arg(&self.sockets);
        copy.args(["-U", USER, "--checkpoint=fast", "--write-recovery-conf", "--no-sync"]);
        run(&mut copy)?;
        // After what the copy brought along, which says whom to follow.
        let followed = std::fs::read_to_string(replica.data.join("postgresql.auto.conf"))?;
        replica.configure(&format!("{followed}\n{settings}"))?;
        replica.launch()?;
        Ok(replica)
    }

    /// Lets a replica accept writes. What it has not received by then is lost to it.
    pub fn promote(&self) {
        self.execute("postgres", "SELECT pg_promote()");
    }

    /// Returns the id of the process that has started all others of the server.
    pub fn first_process(&self) -> anyhow::Result<u32> {
        let file = std::fs::read_to_string(self.data.join("postmaster.pid"))?;
        Ok(file.lines().next().context("the server does not run")?.parse()?)
    }

    /// Kills all processes of the server, as a crash would. The data stays.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        let first = &self.first_process()?.to_string();
        let children = std::fs::read_to_string(format!("/proc/{first}/task/{first}/children"))?;
        // The first of them would start the others again.
        run(Command::new("kill").arg("-STOP").arg(first))?;
        run(Command::new("kill").arg("-KILL").arg(first))?;
        for child in children.split_whitespace() {
            // Some have ended by themselves.
            let _ = run(Command::new("kill").arg("-KILL").arg(child));
        }
        let mut shell = self.shell.take().context("the server does not run")?;
        shell.stdin.take().context("the shell has no standard input")?.write_all(b"keep\n")?;
        shell.wait()?;
        Ok(())
    }

    /// Stops all processes of the server where they are, as if its disk did not answer. It takes connections, and answers nothing.
    pub fn pause(&self) -> anyhow::Result<()> {
        patroni::pause_all_in(&self.data)
    }

    /// Starts a server that was killed.
    pub fn restart(&mut self) -> anyhow::Result<()> {
        for _ in 1..STARTS_MAX {
            if self.launch().is_ok() {
                return Ok(());
            }
        }
        self.launch()
    }

    fn configure(&self, settings: &str) -> anyhow::Result<()> {
        let settings = format!(
            "{settings}\nlisten_addresses = ''\nunix_socket_directories = '{}'\n",
            self.sockets.display()
        );
        Ok(std::fs::write(self.data.join("postgresql.auto.conf"), settings)?)
    }

    /// Finds a program that is not needed to run a server, beside the real one of the server.
    fn client_program(&self, name: &str) -> anyhow::Result<String> {
        let server = std::fs::canonicalize(self.programs.join("postgres"))?;
        let program = server.with_file_name(name);
        ensure!(program.is_file(), "there is no {}", program.display());
        Ok(program.display().to_string())
    }

    /// Starts the server and waits until it accepts connections.
    fn launch(&mut self) -> anyhow::Result<()> {
        let mut server = self.command(&self.programs.join("postgres").display().to_string());
        server.arg("-D").arg(&self.data);
        let mut command = Command::new("sh");
        command.args(["-c", RUN_UNTIL_EOF, "sh"]).arg(&self.sockets);
        command.arg(server.get_program()).args(server.get_args()).current_dir("/");
        let shell = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let log_output = self.shell.insert(shell).stderr.take();
        let mut log_output = BufReader::new(log_output.context("the server has no standard error")?);
        let (mut all, mut line) = (String::new(), String::new());
        while log_output.read_line(&mut line)? > 0 {
            if line.contains(READY) {
                // Keep reading, or the server blocks when the pipe is full. The thread ends with the server.
                std::thread::spawn(move || std::io::copy(&mut log_output, &mut std::io::sink()));
                return Ok(());
            }
            all.push_str(&line);
            line.clear();
        }
        anyhow::bail!("the server stopped: {all}")
    }

    /// Returns the address of one of its databases. `postgres` exists from the beginning.
    pub fn url(&self, database: &str) -> String {
        url_of(&[self], database)
    }

    /// Runs statements in one of its databases. Panics if they fail.
    pub fn execute(&self, database: &str, sql: &str) {
        self.query(database, sql);
    }

    /// Does the same, and returns the first column of the rows, without those that are NULL.
    pub fn query(&self, database: &str, sql: &str) -> Vec<String> {
        let done = query_within(&self.url(database), sql, Duration::MAX);
        done.unwrap_or_else(|error| panic!("{sql}: {error:#}"))
    }

    /// Creates an empty database, and returns its name.
    pub fn create_database(&self) -> String {
        self.create(None)
    }

    /// Creates an empty database, or a copy of another one.
    fn create(&self, template: Option<&str>) -> String {
        static DATABASES: AtomicU64 = AtomicU64::new(0);
        let name = format!("database_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let template = template.map(|template| format!(" TEMPLATE {template}")).unwrap_or_default();
        self.execute("postgres", &format!("CREATE DATABASE {name}{template}"));
        name
    }

    /// Drops a database and its connections. If it is not possible in time, it stays until the server ends.
    pub fn drop_database(&self, name: &str) {
        let sql = format!("DROP DATABASE {name} WITH (FORCE)");
        if let Err(error) = query_within(&self.url("postgres"), &sql, Duration::from_secs(30)) {
            eprintln!("{name} stays: {error:#}");
        }
    }

    /// Returns the folder of the socket.
    pub fn sockets(&self) -> &Path {
        &self.sockets
    }

    /// Returns a command that runs as the owner of the server.
    fn command(&self, program: &str) -> Command {
        let mut command = command_as(self.owner, program);
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

/// Runs statements at an address, on the server that accepts writes if it names several. Returns the first column of the rows, without those
/// that are NULL.
fn query_within(url: &str, sql: &str, time: Duration) -> anyhow::Result<Vec<String>> {
    let mut config: tokio_postgres::Config = url.parse()?;
    if config.get_hosts().len() > 1 {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    // On a thread of its own, so that tests with a runtime can call it.
    std::thread::scope(|scope| {
        let run = scope.spawn(|| -> anyhow::Result<Vec<String>> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async { tokio::time::timeout(time, query_with(&config, sql)).await })?
        });
        run.join().unwrap_or_else(|_| panic!("running {sql} panicked"))
    })
}

async fn query_with(config: &tokio_postgres::Config, sql: &str) -> anyhow::Result<Vec<String>> {
    let (client, connection) = config.connect(tokio_postgres::NoTls).await?;
    let mut session = tokio::task::JoinSet::new();
    session.spawn(connection);
    let messages = client.simple_query(sql).await?;
    drop(client);
    while let Some(ended) = session.join_next().await {
        ended??;
    }
    let row = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    Ok(messages.iter().filter_map(row).collect())
}

/// Returns a command that runs as another user, if there is one.
fn command_as(owner: Option<Owner>, program: &str) -> Command {
    let Some(Owner { user, group }) = owner else { return Command::new(program) };
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={user}"), format!("--regid={group}")]);
    command.args(["--clear-groups", program]);
    command
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Creates the folder of a server, and returns it with the user that owns it, unless that is the user of this process.
fn owned_folder(folder: &Path) -> anyhow::Result<(PathBuf, Option<Owner>)> {
    let folder = std::path::absolute(folder)?.join("postgres");
    std::fs::create_dir_all(&folder)?;
    if number("id", &["-u"])? != 0 {
        return Ok((folder, None));
    }
    let owner = other_owner()?;
    chown(&folder, Some(owner.user), Some(owner.group))?;
    // Temporary folders are private; the server has to traverse this one.
    if let Some(above) = folder.parent() {
        let mode = std::fs::metadata(above)?.permissions().mode();
        std::fs::set_permissions(above, PermissionsExt::from_mode(mode | 0o011))?;
    }
    Ok((folder, Some(owner)))
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
