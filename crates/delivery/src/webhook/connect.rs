//! Opens a connection to one of the checked addresses.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::Fault;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::address::AddressCheck;

/// Delay before the next address is tried in parallel, as RFC 8305 recommends.
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// Connects to the first address that responds. Addresses are tried in order, each after [`ATTEMPT_DELAY`], or at
/// once if the previous one failed.
pub(super) async fn connect(
    targets: &[SocketAddr],
    source: Option<IpAddr>,
    check: &AddressCheck,
) -> Result<TcpStream, Fault> {
    let same_family = |target: &&SocketAddr| source.is_none_or(|own| own.is_ipv4() == target.is_ipv4());
    let mut waiting = targets.iter().filter(same_family).copied().peekable();
    let mut in_flight = FuturesUnordered::new();
    let mut fault = Fault::Connect;
    loop {
        if let Some(target) = waiting.next() {
            in_flight.push(open(target, source, check));
        }
        let ended = match waiting.peek() {
            Some(_) => timeout(ATTEMPT_DELAY, in_flight.next()).await,
            None => Ok(in_flight.next().await),
        };
        match ended {
            Ok(Some(Ok(stream))) => return Ok(stream),
            Ok(Some(Err(error))) => fault = error,
            Ok(None) => return Err(fault),
            Err(_) => {}
        }
    }
}

async fn open(target: SocketAddr, source: Option<IpAddr>, check: &AddressCheck) -> Result<TcpStream, Fault> {
    // Already checked, but this is where it matters, and a second check is cheap.
    if !check.allows(target.ip()) {
        return Err(Fault::Refused);
    }
    let stream = dial(target, source).await.map_err(|error| match error.kind() {
        ErrorKind::TimedOut => Fault::Timeout,
        _ => Fault::Connect,
    })?;
    // Check the actual peer: nothing may be sent to a refused address.
    let peer = stream.peer_addr().map_err(|_| Fault::Connect)?;
    if !check.allows(peer.ip()) {
        return Err(Fault::Refused);
    }
    Ok(stream)
}

/// Checks that this machine has an address to bind to.
pub(super) fn check_source(source: IpAddr) -> io::Result<()> {
    socket_for(source)?.bind((source, 0).into())
}

fn socket_for(address: IpAddr) -> io::Result<TcpSocket> {
    if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }
}

async fn dial(target: SocketAddr, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = socket_for(target.ip())?;
    // A request is written at once; Nagle's algorithm would only delay it.
    socket.set_nodelay(true)?;
    if let Some(source) = source {
        socket.bind((source, 0).into())?;
    }
    socket.connect(target).await
}
