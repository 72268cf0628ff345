//! The peer: a table of messages, and a loop that reads a batch, posts it and marks it as done.
//!
//! The table is in SQLite, with the same durability as Vigie. The client is that of hyper with rustls and persistent connections. It
//! signs nothing, checks no address, renders no payload, records no attempt and has no fairness between receivers.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::ensure;
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rusqlite::{Connection, params};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use super::authority::Authority;

/// Messages per batch.
const BATCH: u32 = 100;

/// How sent messages are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// One by one: after a crash, at most one message per connection is sent again.
    Each,
    /// A batch per transaction: after a crash, up to a batch is sent again.
    Batch,
}

pub struct Peer {
    queue: Connection,
    clients: Vec<SendRequest<Full<Bytes>>>,
    runtime: tokio::runtime::Runtime,
    /// The tasks that drive the connections.
    _drivers: JoinSet<()>,
}

struct Row {
    id: i64,
    body: Bytes,
}

impl Peer {
    /// Fills the queue with `messages` messages and opens `connections` connections.
    pub fn new(
        folder: &Path,
        bodies: &[Vec<u8>],
        messages: usize,
        connections: usize,
        receiver: SocketAddr,
        authority: &Authority,
    ) -> anyhow::Result<Self> {
        let mut queue = Connection::open(folder)?;
        queue.pragma_update(None, "journal_mode", "WAL")?;
        queue.pragma_update(None, "synchronous", "FULL")?;
        queue.execute_batch(
            "CREATE TABLE message (id INTEGER PRIMARY KEY, body BLOB NOT NULL, done INTEGER NOT NULL DEFAULT 0);
             CREATE INDEX message_open ON message (id) WHERE done = 0;",
        )?;
        let filling = queue.transaction()?;
        for body in bodies.iter().cycle().take(messages) {
            filling.prepare_cached("INSERT INTO message (body) VALUES (?1)")?.execute([body])?;
        }
        filling.commit()?;
        queue.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let tls = TlsConnector::from(authority.client()?);
        let mut drivers = JoinSet::new();
        let clients = runtime.block_on(async {
            let mut clients = Vec::new();
            for _ in 0..connections {
                clients.push(connect(receiver, &tls, &mut drivers).await?);
            }
            anyhow::Ok(clients)
        })?;
        Ok(Self { queue, clients, runtime, _drivers: drivers })
    }

    /// Sends everything.
    pub fn run(&mut self, marking: Marking) -> anyhow::Result<()> {
        loop {
            let rows = self.next()?;
            if rows.is_empty() {
                return Ok(());
            }
            let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
            self.post(rows)?;
            self.mark(&ids, marking)?;
        }
    }

    fn next(&self) -> anyhow::Result<Vec<Row>> {
        let mut statement = self.queue.prepare_cached(
            "SELECT id, body FROM message INDEXED BY message_open WHERE done = 0 ORDER BY id LIMIT ?1",
        )?;
        let rows = statement
            .query_map([BATCH], |row| Ok(Row { id: row.get(0)?, body: row.get::<_, Vec<u8>>(1)?.into() }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Each connection takes the next message after its response.
    fn post(&mut self, rows: Vec<Row>) -> anyhow::Result<()> {
        let rows = Arc::new(Mutex::new(VecDeque::from(rows)));
        let clients = std::mem::take(&mut self.clients);
        self.clients = self.runtime.block_on(async move {
            let mut posting = JoinSet::new();
            for mut client in clients {
                let rows = Arc::clone(&rows);
                posting.spawn(async move {
                    loop {
                        let row = rows.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                        let Some(row) = row else { return anyhow::Ok(client) };
                        post_one(&mut client, row.body).await?;
                    }
                });
            }
            let mut clients = Vec::new();
            while let Some(client) = posting.join_next().await {
                clients.push(client??);
            }
            anyhow::Ok(clients)
        })?;
        Ok(())
    }

    fn mark(&mut self, ids: &[i64], marking: Marking) -> anyhow::Result<()> {
        const MARK: &str = "UPDATE message SET done = 1 WHERE id = ?1";
        match marking {
            Marking::Each => {
                let mut statement = self.queue.prepare_cached(MARK)?;
                for id in ids {
                    statement.execute(params![id])?;
                }
            }
            Marking::Batch => {
                let marking = self.queue.transaction()?;
                for id in ids {
                    marking.prepare_cached(MARK)?.execute(params![id])?;
                }
                marking.commit()?;
            }
        }
        Ok(())
    }
}

async fn connect(
    receiver: SocketAddr,
    tls: &TlsConnector,
    drivers: &mut JoinSet<()>,
) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(receiver).await?;
    stream.set_nodelay(true)?;
    let stream = tls.connect(ServerName::from(receiver.ip()), stream).await?;
    let (client, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It fails when the receiver closes the connection; the request then fails, too.
    drivers.spawn(async move {
        let _ = connection.await;
    });
    Ok(client)
}

async fn post_one(client: &mut SendRequest<Full<Bytes>>, body: Bytes) -> anyhow::Result<()> {
    client.ready().await?;
    let request = Request::post("/hook")
        .header("host", "bench")
        .header("content-type", "application/json")
        .body(Full::new(body))?;
    let answer = client.send_request(request).await?;
    ensure!(answer.status() == StatusCode::OK, "{}", answer.status());
    answer.into_body().collect().await?;
    Ok(())
}
