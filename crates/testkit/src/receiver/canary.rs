//! Listeners that nobody may ever connect to.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

/// A port on loopback with room for connections that nobody takes: whoever connects to it stays visible until it is asked.
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

    /// How many have connected since it was asked last. The system completes connections by itself, so whoever had connected
    /// before this was called is counted.
    pub fn connections(&self) -> usize {
        std::iter::from_fn(|| self.listener.accept().ok()).count()
    }
}

/// The same port on several addresses of this machine.
pub struct Canaries {
    pub port: u16,
    canaries: Vec<Canary>,
}

/// What the port must be free on beside 127.0.0.1.
const OTHERS: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)),
    IpAddr::V4(Ipv4Addr::new(127, 255, 255, 254)),
    IpAddr::V6(Ipv6Addr::LOCALHOST),
];

impl Canaries {
    /// Somebody else may have the port of the first on another address; then it is tried again with another port.
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

    /// How many have connected to any of them since they were asked last.
    pub fn connections(&self) -> usize {
        self.canaries.iter().map(Canary::connections).sum()
    }
}
