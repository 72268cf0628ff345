//! Listeners that must never receive a connection.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

/// A loopback port that never accepts: connections stay in the queue and can be counted.
pub struct Canary {
    listener: TcpListener,
    address: SocketAddr,
}

impl Canary {
    pub fn start() -> io::Result<Self> {
        Self::at(IpAddr::V4(Ipv4Addr::LOCALHOST))
    }

    pub fn at(address: IpAddr) -> io::Result<Self> {
        Self::on(SocketAddr::new(address, 0))
    }

    fn on(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address)
    }

    /// Returns the number of connections since the last call. The system completes connections by itself, so every
    /// earlier connection is counted.
    pub fn connections(&self) -> usize {
        std::iter::from_fn(|| self.listener.accept().ok()).count()
    }
}

/// The same port on several addresses of this machine.
pub struct Canaries {
    pub port: u16,
    canaries: Vec<Canary>,
}

/// Addresses on which the port must be free, besides 127.0.0.1.
const OTHERS: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)),
    IpAddr::V4(Ipv4Addr::new(127, 255, 255, 254)),
    IpAddr::V6(Ipv6Addr::LOCALHOST),
];

impl Canaries {
    /// The port may be in use on another address; then another port is tried.
    pub fn start() -> io::Result<Self> {
        (0..100).find_map(|_| Self::on_one_port().ok()).map_or_else(Self::on_one_port, Ok)
    }

    fn on_one_port() -> io::Result<Self> {
        let first = Canary::start()?;
        let port = first.address().port();
        let others = OTHERS.into_iter().map(|address| Canary::on(SocketAddr::new(address, port)));
        let canaries = std::iter::once(Ok(first)).chain(others).collect::<io::Result<_>>()?;
        Ok(Self { port, canaries })
    }

    /// Returns the number of connections to any of them since the last call.
    pub fn connections(&self) -> usize {
        self.canaries.iter().map(Canary::connections).sum()
    }
}
