//! A DNS server with fixed answers, over UDP and TCP.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;

/// The answer for a name.
#[derive(Debug, Clone)]
pub enum DnsAnswer {
    Addresses(Vec<IpAddr>),
    /// A CNAME with the addresses of its target, as a recursive server answers.
    Alias(&'static str, Vec<IpAddr>),
    /// A CNAME without addresses.
    AliasOnly(&'static str),
    /// Each IPv4 query gets the next list; the last one repeats.
    Rotating(Vec<Vec<IpAddr>>),
    NxDomain,
    ServFail,
    NoReply,
}

pub struct DnsServer {
    pub address: SocketAddr,
    queries: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

struct Zone {
    answers: HashMap<String, DnsAnswer>,
    turns: Mutex<HashMap<String, usize>>,
    queries: Arc<Mutex<Vec<String>>>,
}

const A: u16 = 1;
const CNAME: u16 = 5;
const AAAA: u16 = 28;

/// Maximum size of a UDP answer; larger ones are served over TCP.
const PACKET_BYTES_MAX: usize = 1_232;

impl DnsServer {
    pub async fn start<Name: Into<String>>(answers: impl IntoIterator<Item = (Name, DnsAnswer)>) -> Self {
        let (tcp, udp) = loop {
            let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free loopback port");
            // The port may be in use for UDP.
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().expect("the socket is bound")).await {
                break (tcp, udp);
            }
        };
        let address = tcp.local_addr().expect("the socket is bound");
        let queries = Arc::default();
        let answers = answers.into_iter().map(|(name, answers)| (name.into(), answers)).collect();
        let zone = Arc::new(Zone { answers, turns: Mutex::default(), queries: Arc::clone(&queries) });
        let mut tasks = JoinSet::new();
        tasks.spawn(serve_udp(udp, Arc::clone(&zone)));
        tasks.spawn(serve_tcp(tcp, zone));
        Self { address, queries, _tasks: tasks }
    }

    /// Returns the queried names, once per address family.
    pub fn queries(&self) -> Vec<String> {
        self.queries.lock().expect("lock is not poisoned").clone()
    }
}

async fn serve_udp(socket: UdpSocket, zone: Arc<Zone>) {
    let mut packet = [0; 4_096];
    loop {
        let (length, from) = socket.recv_from(&mut packet).await.expect("the socket works");
        let Some(mut answer) = zone.answer(&packet[..length]) else { continue };
        if answer.len() > PACKET_BYTES_MAX {
            // Only the question, with the truncation bit set.
            answer.truncate(question_end(&packet[..length]));
            answer[2] |= 0x02;
            answer[6..8].fill(0);
        }
        // The client may be gone.
        let _ = socket.send_to(&answer, from).await;
    }
}

async fn serve_tcp(listener: TcpListener, zone: Arc<Zone>) {
    let mut serving = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("the socket works");
        let zone = Arc::clone(&zone);
        serving.spawn(async move { drop(serve_stream(stream, &zone).await) });
    }
}

async fn serve_stream(mut stream: TcpStream, zone: &Zone) -> std::io::Result<()> {
    loop {
        let mut question = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut question).await?;
        if let Some(answer) = zone.answer(&question) {
            stream.write_u16(length(answer.len())).await?;
            stream.write_all(&answer).await?;
        }
    }
}

/// Lengths have two bytes.
fn length(length: usize) -> u16 {
    u16::try_from(length).expect("the length fits in two bytes")
}

/// Returns the end of the question, after type and class: RFC 1035, section 4.1.2.
fn question_end(question: &[u8]) -> usize {
    let mut at = 12;
    while question[at] != 0 {
        at += 1 + usize::from(question[at]);
    }
    at + 5
}

fn query_name(question: &[u8]) -> String {
    let mut labels = Vec::new();
    let mut at = 12;
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        labels.push(String::from_utf8_lossy(&question[at + 1..end]).to_lowercase());
        at = end;
    }
    labels.join(".")
}

impl Zone {
    fn answer(&self, question: &[u8]) -> Option<Vec<u8>> {
        let end = question_end(question);
        let kind = u16::from_be_bytes([question[end - 4], question[end - 3]]);
        let name = query_name(question);
        self.queries.lock().expect("lock is not poisoned").push(name.clone());
        let answers = self.answers.get(&name).unwrap_or(&DnsAnswer::NxDomain);
        let mut records = Vec::new();
        let mut code = 0;
        match answers {
            DnsAnswer::Addresses(addresses) => records = records_of_type(kind, addresses),
            DnsAnswer::Alias(other, addresses) => {
                records.push((CNAME, encode_name(other)));
                records.extend(records_of_type(kind, addresses));
            }
            DnsAnswer::AliasOnly(other) => records.push((CNAME, encode_name(other))),
            DnsAnswer::Rotating(answers) => {
                let mut turns = self.turns.lock().expect("lock is not poisoned");
                let turn = turns.entry(name).or_default();
                records = records_of_type(kind, &answers[(*turn).min(answers.len() - 1)]);
                *turn += usize::from(kind == A);
            }
            DnsAnswer::NxDomain => code = 3,
            DnsAnswer::ServFail => code = 2,
            DnsAnswer::NoReply => return None,
        }
        let mut answer = question[..end].to_vec();
        answer[2..4].copy_from_slice(&(0x8180_u16 | code).to_be_bytes());
        answer[6..8].copy_from_slice(&length(records.len()).to_be_bytes());
        answer[8..12].fill(0);
        // The first record belongs to the queried name, the others to the preceding alias.
        let mut owner: [u8; 2] = [0xc0, 12];
        for (kind, data) in records {
            answer.extend_from_slice(&owner);
            if kind == CNAME {
                let at = length(answer.len() + 10);
                owner = (0xc000 | at).to_be_bytes();
            }
            answer.extend_from_slice(&kind.to_be_bytes());
            // Class IN, TTL 0.
            answer.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
            answer.extend_from_slice(&length(data.len()).to_be_bytes());
            answer.extend_from_slice(&data);
        }
        Some(answer)
    }
}

fn records_of_type(kind: u16, addresses: &[IpAddr]) -> Vec<(u16, Vec<u8>)> {
    let data = |address: &IpAddr| match address {
        IpAddr::V4(address) if kind == A => Some((A, address.octets().to_vec())),
        IpAddr::V6(address) if kind == AAAA => Some((AAAA, address.octets().to_vec())),
        IpAddr::V4(_) | IpAddr::V6(_) => None,
    };
    addresses.iter().filter_map(data).collect()
}

fn encode_name(name: &str) -> Vec<u8> {
    let labels = name.split('.').flat_map(|label| {
        [u8::try_from(label.len()).expect("the label is short")]
            .into_iter()
            .chain(label.bytes())
            .collect::<Vec<u8>>()
    });
    labels.chain([0]).collect()
}
