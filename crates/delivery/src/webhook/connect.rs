//! Opening a connection: to one of the addresses that were judged, and to nothing else.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::Fault;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::address::Addresses;

/// How long an address is waited for before the next one is tried beside it; RFC 8305 recommends it.
const NEXT_AFTER: Duration = Duration::from_millis(250);

/// The first of several addresses that answers. They are tried in their order, each a moment after the one before it, or at once
/// when that one fails.
pub(super) async fn connect(
    places: &[SocketAddr],
    source: Option<IpAddr>,
    addresses: Addresses,
) -> Result<TcpStream, Fault> {
    let of_this_kind = |place: &&SocketAddr| source.is_none_or(|own| own.is_ipv4() == place.is_ipv4());
    let mut waiting = places.iter().filter(of_this_kind).copied().peekable();
    let mut under_way = FuturesUnordered::new();
    let mut fault = Fault::Connect;
    loop {
        if let Some(place) = waiting.next() {
            under_way.push(open(place, source, addresses));
        }
        let ended = match waiting.peek() {
            Some(_) => timeout(NEXT_AFTER, under_way.next()).await,
            None => Ok(under_way.next().await),
        };
        match ended {
            Ok(Some(Ok(stream))) => return Ok(stream),
            Ok(Some(Err(why))) => fault = why,
            Ok(None) => return Err(fault),
            Err(_) => {}
        }
    }
}

async fn open(place: SocketAddr, source: Option<IpAddr>, addresses: Addresses) -> Result<TcpStream, Fault> {
    // Judged before it came here. But this is where it counts, and a second look costs nothing.
    if !addresses.allow(place.ip()) {
        return Err(Fault::Refused);
    }
    let stream = dial(place, source).await.map_err(|error| match error.kind() {
        ErrorKind::TimedOut => Fault::Timeout,
        _ => Fault::Connect,
    })?;
    // Whatever the system made of the address: nothing is said to anybody who may not be spoken to.
    let peer = stream.peer_addr().map_err(|_| Fault::Connect)?;
    if !addresses.allow(peer.ip()) {
        return Err(Fault::Refused);
    }
    Ok(stream)
}

/// Whether connections can come from an address: this machine must have it.
pub(super) fn check_source(source: IpAddr) -> io::Result<()> {
    socket_for(source)?.bind((source, 0).into())
}

fn socket_for(address: IpAddr) -> io::Result<TcpSocket> {
    if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }
}

async fn dial(place: SocketAddr, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = socket_for(place.ip())?;
    // A request is written as a whole; waiting for more to send would only delay it.
    socket.set_nodelay(true)?;
    if let Some(source) = source {
        socket.bind((source, 0).into())?;
    }
    socket.connect(place).await
}
