//! A temporary Patroni cluster: one etcd, and members that each run Patroni and a PostgreSQL server, on this machine only. It ends with this
//! process, and its data with it. `patroni` and `etcd` must be in the search path.
//!
//! Every process of the cluster works in a folder of its member, which is how it is found when it is killed or paused: Patroni starts
//! PostgreSQL as a process that is not its child.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use super::{Owner, Server, USER, command_as, owned_folder};

const MEMBERS: usize = 3;

/// How long a step such as a failover may take. It takes seconds; a busy machine may take longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Between two questions: Patroni's answers take the time of the processor that its work needs.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// A member that is paused takes connections and answers nothing.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// A switchover is answered when it is done.
const SWITCHOVER_WITHIN: Duration = Duration::from_secs(60);

/// How many lines of each log an error shows.
const LOG_LINES: usize = 15;

/// When a commit of the leader is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replication {
    /// When a replica has it as well; `synchronous_mode` and `synchronous_mode_strict`.
    Synchronous,
    /// At once: a failover may lose it.
    Asynchronous,
}

pub struct Patroni {
    owner: Option<Owner>,
    replication: Replication,
    etcd: Etcd,
    members: Vec<Member>,
    /// A shell that ends everything when its standard input ends, which happens when this process exits, in whatever way.
    guard: Child,
}

struct Etcd {
    folder: PathBuf,
    clients: u16,
    peers: u16,
    process: Option<Child>,
}

struct Member {
    name: String,
    folder: PathBuf,
    postgres: u16,
    api: u16,
    process: Option<Child>,
}

/// Kills all processes that work in a folder, and removes it, and the one above if that is empty.
const GUARD: &str = r#"folder=$1; read -r word
inside() { for process in /proc/[0-9]*; do
    case "$(readlink "$process/cwd" 2>/dev/null)" in "$folder"/*) echo "${process#/proc/}";; esac
done; }
while processes=$(inside); [ -n "$processes" ]; do kill -KILL $processes 2>/dev/null; done
rm -rf "$folder"; rmdir "$(dirname "$folder")" 2>/dev/null; true"#;

impl Patroni {
    /// Starts a cluster, and waits until all replicas follow the leader.
    pub fn start(folder: &Path, replication: Replication) -> anyhow::Result<Self> {
        let programs = Server::programs().context("PostgreSQL is not installed")?;
        let programs = std::fs::canonicalize(programs.join("postgres"))?;
        let programs = programs.parent().context("the programs have a folder")?;
        let (folder, owner) = owned_folder(folder)?;
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "sh"]).arg(&folder).current_dir("/");
        let guard = guard.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let etcd =
            Etcd { folder: folder.join("etcd"), clients: free_port()?, peers: free_port()?, process: None };
        let member = |number: usize| -> anyhow::Result<Member> {
            let name = format!("member-{number}");
            let folder = folder.join(&name);
            Ok(Member { name, folder, postgres: free_port()?, api: free_port()?, process: None })
        };
        let members = (0..MEMBERS).map(member).collect::<anyhow::Result<Vec<_>>>()?;
        let mut cluster = Self { owner, replication, etcd, members, guard };
        cluster.create_folder(&cluster.etcd.folder)?;
        cluster.start_etcd()?;
        for number in 0..MEMBERS {
            let member = &cluster.members[number];
            cluster.create_folder(&member.folder)?;
            let settings = member.settings(programs, cluster.etcd.clients, replication);
            std::fs::write(member.folder.join("patroni.yml"), settings)?;
            cluster.start_member(number)?;
        }
        cluster.wait_until_complete()?;
        Ok(cluster)
    }

    fn create_folder(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir(folder)?;
        if let Some(Owner { user, group }) = self.owner {
            std::os::unix::fs::chown(folder, Some(user), Some(group))?;
        }
        Ok(())
    }

    /// Starts a program in its folder. Its output goes to a file there.
    fn spawn(&self, folder: &Path, program: &str, arguments: &[String]) -> anyhow::Result<Child> {
        let log_file = File::options().create(true).append(true).open(log_file(folder))?;
        let mut command = command_as(self.owner, program);
        command.args(arguments).current_dir(folder).stdin(Stdio::null());
        command.stdout(log_file.try_clone()?).stderr(log_file);
        command.spawn().with_context(|| format!("cannot start {program}"))
    }

    pub fn start_etcd(&mut self) -> anyhow::Result<()> {
        let (clients, peers) = (
            format!("http://127.0.0.1:{}", self.etcd.clients),
            format!("http://127.0.0.1:{}", self.etcd.peers),
        );
        let arguments = [
            "--data-dir=data".to_owned(),
            // With its third API, Patroni 3.0 lets a leader that was paused take the lock back from the one that replaced it.
            "--enable-v2".to_owned(),
            format!("--listen-client-urls={clients}"),
            format!("--advertise-client-urls={clients}"),
            format!("--listen-peer-urls={peers}"),
            format!("--initial-advertise-peer-urls={peers}"),
            format!("--initial-cluster=default={peers}"),
        ];
        self.etcd.process = Some(self.spawn(&self.etcd.folder, "etcd", &arguments)?);
        self.wait("etcd answers", || {
            Ok((status(self.etcd.clients, "GET", "/health", "").ok() == Some(200)).then_some(()))
        })
    }

    pub fn kill_etcd(&mut self) -> anyhow::Result<()> {
        kill_all_in(&self.etcd.folder)?;
        reap(&mut self.etcd.process)
    }

    /// Starts a member that is new or was killed. It becomes a replica as soon as it can.
    pub fn start_member(&mut self, number: usize) -> anyhow::Result<()> {
        let process = self.spawn(&self.members[number].folder, "patroni", &["patroni.yml".to_owned()])?;
        self.members[number].process = Some(process);
        Ok(())
    }

    /// Kills Patroni and PostgreSQL of a member, as if its machine had gone.
    pub fn kill_member(&mut self, number: usize) -> anyhow::Result<()> {
        kill_all_in(&self.members[number].folder)?;
        reap(&mut self.members[number].process)
    }

    /// Kills PostgreSQL of a member. Its Patroni starts it again.
    pub fn kill_postgres(&self, number: usize) -> anyhow::Result<()> {
        let processes = processes_in(&self.members[number].data())?;
        ensure!(!processes.is_empty(), "{} runs no PostgreSQL", self.members[number].name);
        signal("KILL", &processes)
    }

    /// Stops all processes of a member where they are, until [`Self::resume`].
    pub fn pause(&self, number: usize) -> anyhow::Result<()> {
        pause_all_in(&self.members[number].folder)
    }

    pub fn resume(&self, number: usize) -> anyhow::Result<()> {
        signal("CONT", &processes_in(&self.members[number].folder)?)
    }

    /// Lets the leader hand over to a replica. Returns the new leader.
    pub fn switch_over(&self) -> anyhow::Result<usize> {
        let leader = self.wait_for_leader(None)?;
        let body = format!("{{\"leader\": \"{}\"}}", self.members[leader].name);
        self.wait("a switchover is accepted", || {
            let answer = status(self.members[leader].api, "POST", "/switchover", &body);
            // Without a replica that has everything, it is refused. After another failover, the former leader refuses it.
            Ok((answer.is_ok_and(|status| status == 200) || self.leads_other_than(Some(leader)).is_some())
                .then_some(()))
        })?;
        self.wait_for_leader(Some(leader))
    }

    /// Returns the leader, as soon as there is one that is not `other_than`.
    pub fn wait_for_leader(&self, other_than: Option<usize>) -> anyhow::Result<usize> {
        self.wait("a member leads", || Ok(self.leads_other_than(other_than)))
    }

    fn leads_other_than(&self, other_than: Option<usize>) -> Option<usize> {
        (0..MEMBERS).find(|number| Some(*number) != other_than && self.says(*number, "/primary"))
    }

    /// Returns a replica, in synchronous mode the one that the leader waits for.
    pub fn wait_for_replica(&self) -> anyhow::Result<usize> {
        let question = match self.replication {
            Replication::Synchronous => "/sync",
            Replication::Asynchronous => "/replica",
        };
        self.wait("there is a replica", || Ok((0..MEMBERS).find(|number| self.says(*number, question))))
    }

    /// Waits until all members run and follow the leader, and one of them may replace it.
    pub fn wait_until_complete(&self) -> anyhow::Result<()> {
        self.wait("all members follow the leader", || {
            let Some(leader) = self.leads_other_than(None) else { return Ok(None) };
            let followers = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
            let followers = self.query_member(leader, "postgres", followers).ok();
            Ok((followers == Some(vec![(MEMBERS - 1).to_string()])).then_some(()))
        })?;
        self.wait_for_replica().map(drop)
    }

    /// Waits until all replicas have what the leader has now.
    pub fn wait_for_replicas(&self) -> anyhow::Result<()> {
        let leader = self.wait_for_leader(None)?;
        let written = self.query_member(leader, "postgres", "SELECT pg_current_wal_lsn()")?.concat();
        let replayed = format!("SELECT pg_last_wal_replay_lsn() >= '{written}'");
        self.wait("all replicas have everything", || {
            let mut replicas = (0..MEMBERS).filter(|number| *number != leader);
            Ok(replicas
                .all(|number| {
                    self.query_member(number, "postgres", &replayed).is_ok_and(|answer| answer == ["t"])
                })
                .then_some(()))
        })
    }

    /// Lets all replicas receive nothing more from the leader, which does not know, until the leader is started again. Returns the leader.
    pub fn cut_replicas_off(&self) -> anyhow::Result<usize> {
        let leader = self.wait_for_leader(None)?;
        let file = self.members[leader].data().join("pg_hba.conf");
        let rules = std::fs::read_to_string(&file)?;
        // Patroni writes the file when it starts PostgreSQL, and leaves it alone then.
        std::fs::write(&file, format!("host replication all 127.0.0.1/32 reject\n{rules}"))?;
        let end = "SELECT pg_reload_conf(); SELECT pg_terminate_backend(pid) FROM pg_stat_replication";
        self.wait("no replica follows", || {
            self.query_member(leader, "postgres", end)?;
            let followers = self.query_member(leader, "postgres", "SELECT 1 FROM pg_stat_replication")?;
            Ok(followers.is_empty().then_some(()))
        })?;
        Ok(leader)
    }

    /// Runs statements on one member, and returns the first column of the rows.
    pub fn query_member(&self, number: usize, database: &str, sql: &str) -> anyhow::Result<Vec<String>> {
        super::query_within(&url(&self.members[number..=number], database), sql, ANSWER_WITHIN)
    }

    /// Does the same on the leader.
    pub fn query(&self, database: &str, sql: &str) -> anyhow::Result<Vec<String>> {
        super::query_within(&self.url(database), sql, PATIENCE)
    }

    pub fn members(&self) -> std::ops::Range<usize> {
        0..MEMBERS
    }

    /// Returns the address of a database on whichever member leads.
    pub fn url(&self, database: &str) -> String {
        url(&self.members, database)
    }

    fn says(&self, number: usize, question: &str) -> bool {
        status(self.members[number].api, "GET", question, "").is_ok_and(|status| status == 200)
    }

    fn wait<T>(&self, what: &str, mut ask: impl FnMut() -> anyhow::Result<Option<T>>) -> anyhow::Result<T> {
        let give_up_at = Instant::now() + PATIENCE;
        loop {
            match ask() {
                Ok(Some(answer)) => return Ok(answer),
                Err(error) if Instant::now() >= give_up_at => return Err(error.context(self.logs())),
                Ok(None) if Instant::now() >= give_up_at => {
                    bail!("waited for {PATIENCE:?}: {what}\n{}", self.logs())
                }
                Ok(None) | Err(_) => std::thread::park_timeout(ASK_EVERY),
            }
        }
    }

    /// Returns the ends of all logs.
    pub fn logs(&self) -> String {
        let folders = self.members.iter().map(|member| &member.folder).chain([&self.etcd.folder]);
        let end = |folder: &PathBuf| {
            let text = std::fs::read_to_string(log_file(folder)).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            format!("{}:\n{}\n", folder.display(), lines[lines.len().saturating_sub(LOG_LINES)..].join("\n"))
        };
        folders.map(end).collect()
    }
}

impl Drop for Patroni {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        if let Err(error) = self.guard.wait() {
            eprintln!("Patroni could not be stopped: {error}");
        }
        for process in
            self.members.iter_mut().map(|member| &mut member.process).chain([&mut self.etcd.process])
        {
            let _ = reap(process);
        }
    }
}

impl Member {
    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Returns its configuration. A leader that is gone is replaced after five seconds; nothing is synced, because no machine crashes.
    fn settings(&self, programs: &Path, etcd: u16, replication: Replication) -> String {
        let Self { name, folder, postgres, api, .. } = self;
        let (folder, programs) = (folder.display(), programs.display());
        let synchronous = replication == Replication::Synchronous;
        format!(
            r#"scope: vigie
name: {name}
restapi: {{listen: "127.0.0.1:{api}", connect_address: "127.0.0.1:{api}"}}
etcd: {{host: "127.0.0.1:{etcd}"}}
bootstrap:
  dcs:
    ttl: 5
    loop_wait: 1
    retry_timeout: 2
    maximum_lag_on_failover: 1073741824
    synchronous_mode: {synchronous}
    synchronous_mode_strict: {synchronous}
    postgresql:
      use_pg_rewind: true
      parameters: {{fsync: "off", max_connections: 200}}
  initdb: [{{auth: trust}}, {{encoding: UTF8}}, {{locale: C}}, no-sync]
postgresql:
  listen: "127.0.0.1:{postgres}"
  connect_address: "127.0.0.1:{postgres}"
  bin_dir: "{programs}"
  data_dir: "{folder}/data"
  pgpass: "{folder}/pgpass"
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication: {{superuser: {{username: {USER}}}, replication: {{username: replicator}}}}
  parameters: {{unix_socket_directories: "{folder}"}}
  pg_hba: [local all all trust, host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust]
"#
        )
    }
}

fn url(members: &[Member], database: &str) -> String {
    let hosts: Vec<String> = members.iter().map(|member| format!("127.0.0.1:{}", member.postgres)).collect();
    format!("postgres://{USER}@{}/{database}?sslmode=disable", hosts.join(","))
}

fn log_file(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// Sends a request, and returns the status of the answer.
fn status(port: u16, method: &str, path: &str, body: &str) -> anyhow::Result<u16> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut connection = TcpStream::connect_timeout(&address, ANSWER_WITHIN)?;
    let within = if method == "POST" { SWITCHOVER_WITHIN } else { ANSWER_WITHIN };
    connection.set_read_timeout(Some(within))?;
    let length = body.len();
    write!(
        connection,
        "{method} {path} HTTP/1.0\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    let mut line = String::new();
    BufReader::new(connection).read_line(&mut line)?;
    let status = line.split(' ').nth(1).context("the answer has no status")?;
    Ok(status.parse()?)
}

/// Returns the processes that work in a folder or below it.
fn processes_in(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        // Other entries have none, and the processes of others show none.
        let Ok(works_in) = std::fs::read_link(entry.path().join("cwd")) else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if works_in.starts_with(folder) && name.bytes().all(|byte| byte.is_ascii_digit()) {
            found.push(name);
        }
    }
    Ok(found)
}

/// Sends a signal to processes, of which some may have ended.
fn signal(name: &str, processes: &[String]) -> anyhow::Result<()> {
    if !processes.is_empty() {
        Command::new("kill").arg(format!("-{name}")).args(processes).stderr(Stdio::null()).status()?;
    }
    Ok(())
}

/// Kills all processes in a folder, also those that they start meanwhile.
fn kill_all_in(folder: &Path) -> anyhow::Result<()> {
    loop {
        let processes = processes_in(folder)?;
        if processes.is_empty() {
            return Ok(());
        }
        signal("KILL", &processes)?;
    }
}

/// Stops all processes in a folder where they are.
pub fn pause_all_in(folder: &Path) -> anyhow::Result<()> {
    // Again for what the first ones started in the meantime.
    for _ in 0..3 {
        signal("STOP", &processes_in(folder)?)?;
    }
    Ok(())
}

fn reap(process: &mut Option<Child>) -> anyhow::Result<()> {
    if let Some(mut process) = process.take() {
        process.wait()?;
    }
    Ok(())
}

/// Returns a port that is free now. No outgoing connection takes it while its server restarts: those use ports from 32768.
pub fn free_port() -> anyhow::Result<u16> {
    static OFFSET: AtomicU16 = AtomicU16::new(0);
    let first = u16::try_from(std::process::id() % 600).unwrap_or(0) * 20;
    for _ in 0..PORTS {
        let offset = first.wrapping_add(OFFSET.fetch_add(1, Ordering::Relaxed)) % PORTS;
        let port = PORT_FIRST + offset;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no port from {PORT_FIRST} is free")
}

const PORT_FIRST: u16 = 20_000;
const PORTS: u16 = 12_000;
