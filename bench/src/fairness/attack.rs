//! The attacks: what one user, or a client without a key, may send to slow others down.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use socket2::{Domain, Socket, Type};

use crate::serve::client::Client;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attack {
    Phrases,
    Previews,
    Lists,
    SlowSenders,
    SlowReaders,
    UnknownKeys,
}

/// Clients that send their next request after each answer.
const CLIENTS: usize = 32;

/// Connections that stay open.
const SLOW: usize = 1_000;

/// How often a connection that stays open looks whether the attack is over.
const LOOK: Duration = Duration::from_millis(100);

/// Pairs of words that many texts have, in this order or not.
const PHRASES: [&str; 4] = ["cuisine+equipee", "salle+de+bains", "proche+des+commerces", "sejour+lumineux"];

impl Attack {
    pub const ALL: [Self; 6] =
        [Self::Phrases, Self::Previews, Self::Lists, Self::SlowSenders, Self::SlowReaders, Self::UnknownKeys];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Phrases => "phrase searches, 32 clients",
            Self::Previews => "previews, 32 clients",
            Self::Lists => "lists of large searches, 32 clients",
            Self::SlowSenders => "1,000 streams that send nothing",
            Self::SlowReaders => "1,000 exports that are not read",
            Self::UnknownKeys => "unknown keys, 32 clients",
        }
    }
}

pub struct Attackers<'a> {
    pub address: SocketAddr,
    pub key: &'a str,
    /// A key of another server.
    pub unknown: &'a str,
    pub stop: &'a AtomicBool,
}

/// The answers to attackers, by status.
type Answers = Mutex<BTreeMap<u16, u64>>;

impl Attackers<'_> {
    /// Attacks until it is stopped. Returns the number of answers by status.
    pub fn run(&self, attack: Attack) -> anyhow::Result<String> {
        let answers = Answers::default();
        match attack {
            Attack::Phrases => self.repeat(&answers, self.key, |client, number| {
                let phrase = PHRASES[number % PHRASES.len()];
                // Different each time, so that no cache helps.
                let path =
                    format!("/documents/properties?expressions[]={phrase}&budgetMax={}", 900_000 + number);
                Ok(client.get(&path)?.status)
            })?,
            Attack::Previews => self.repeat(&answers, self.key, |client, number| {
                let phrase = PHRASES[number % PHRASES.len()].replace('+', " ");
                let search =
                    json!({"transactionType": 0, "propertyTypes": [0, 1], "expressions": [[{"word": phrase}]]});
                Ok(client.post("/searches/preview", &serde_json::to_vec(&search)?)?.status)
            })?,
            Attack::Lists => {
                self.repeat(&answers, self.key, |client, _| {
                    Ok(client.get("/searches?itemsPerPage=30")?.status)
                })?;
            }
            Attack::UnknownKeys => {
                self.repeat(&answers, self.unknown, |client, _| {
                    Ok(client.get("/documents/properties")?.status)
                })?;
            }
            Attack::SlowSenders => self.hold(
                &answers,
                "POST /adverts HTTP/1.1",
                "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n",
            ),
            Attack::SlowReaders => self.hold(&answers, "GET /documents/properties.ndjson HTTP/1.1", ""),
        }
        let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let counts: Vec<String> =
            answers.iter().map(|(status, count)| format!("{count} × {status}")).collect();
        Ok(counts.join(", "))
    }

    /// Connects from another address than the user who does not attack: connections are limited per address.
    fn connect_from_elsewhere(&self) -> std::io::Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), 0)).into())?;
        socket.connect(&self.address.into())?;
        Ok(socket.into())
    }

    /// Waits a moment, so that the queues of the server are full when the measurement begins.
    #[expect(clippy::disallowed_methods, reason = "an attack has no event to wait for")]
    pub fn wait_until_begun(&self) {
        std::thread::sleep(Duration::from_secs(1));
    }

    /// Sends requests over many connections, each after the answer to the one before.
    fn repeat(
        &self,
        answers: &Answers,
        key: &str,
        send: impl Fn(&mut Client, usize) -> anyhow::Result<u16> + Sync,
    ) -> anyhow::Result<()> {
        let one = |first: usize| -> anyhow::Result<()> {
            let mut client = Client::connect(self.address, key)?;
            for number in (first..).step_by(CLIENTS) {
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
                match send(&mut client, number) {
                    Ok(status) => count(answers, status),
                    // The server may close the connection of an attacker.
                    Err(_) => client.reconnect()?,
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(move || one(number))).collect();
            clients
                .into_iter()
                .try_for_each(|client| client.join().unwrap_or_else(|_| anyhow::bail!("a client panicked")))
        })
    }

    /// Begins requests, and neither ends them nor reads more than the status of their answers.
    #[expect(clippy::disallowed_methods, reason = "the attack is to do nothing")]
    fn hold(&self, answers: &Answers, line: &str, headers: &str) {
        let mut held = Vec::new();
        for _ in 0..SLOW {
            let request = format!("{line}\r\nHost: bench\r\nX-API-KEY: {}\r\n{headers}\r\n", self.key);
            let Ok(mut stream) = self.connect_from_elsewhere() else { continue };
            let mut status = [0; 12];
            if stream.write_all(request.as_bytes()).is_ok() && stream.read_exact(&mut status).is_ok() {
                let status = std::str::from_utf8(&status[9..]).ok().and_then(|status| status.parse().ok());
                status.into_iter().for_each(|status| count(answers, status));
            }
            held.push(stream);
        }
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        drop(held);
    }
}

fn count(answers: &Answers, status: u16) {
    *answers.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
}
