//! Attacks on the memory of a server. It runs as a process of its own, so that its memory is measured and not estimated. The figures
//! are printed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]
#![cfg(target_os = "linux")]

mod process;

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};

use process::Service;
use socket2::{Domain, Socket, Type};

/// How much more memory than when idle an attack may cost.
const GROWTH_KIB_MAX: u64 = 400 * 1024;

/// Connects from an address of this machine.
fn connect(from: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::new(IpAddr::from(from), 0).into()).unwrap();
    socket.connect(&to.into()).unwrap();
    socket.into()
}

/// Sends a request, whose body may be refused before all of it was sent. Returns the status.
fn post(service: &Service, path: &str, framing: &str, body: &[u8]) -> u16 {
    let mut stream = connect([127, 0, 0, 1], service.address());
    let key = service.key();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: {key}\r\nContent-Type: application/json\r\n{framing}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(body);
    let mut answer = [0; 12];
    match stream.read_exact(&mut answer) {
        Ok(()) => String::from_utf8_lossy(&answer[9..]).parse().unwrap(),
        // A reset: the server closed the connection while the client was still sending.
        Err(_) => 0,
    }
}

/// Runs an attack of several clients at once. Returns their statuses, and the growth of the server's memory in KiB.
fn attack(service: &Service, clients: usize, attack: impl Fn(usize) -> u16 + Sync) -> (Vec<u16>, u64) {
    service.reset_peak();
    let idle = service.memory("VmRSS");
    let statuses = std::thread::scope(|scope| {
        let attack = &attack;
        let running: Vec<_> = (0..clients).map(|client| scope.spawn(move || attack(client))).collect();
        running.into_iter().map(|client| client.join().unwrap()).collect()
    });
    (statuses, growth(service, idle))
}

/// Returns how far the memory has grown at its peak, in KiB. A server gives memory of its start back only when it works, so what is left
/// afterwards may be less than before, and then is what the peak is compared with.
fn growth(service: &Service, before: u64) -> u64 {
    service.memory("VmHWM").saturating_sub(before.min(service.memory("VmRSS")))
}

#[test]
fn bodies_of_small_objects_take_bounded_memory() {
    let service = Service::start(&[]);
    let mebibytes = 16;
    let objects = "{\"a\":{}},".repeat((mebibytes << 20) / 9 - 10);
    let one_list = format!("[{objects}{{}}]");
    let elements = format!("{{\"a\":[{}{{}}]}},", "{\"a\":{}},".repeat(180));
    let adverts = format!("[{}{{}}]", elements.repeat(9_900));
    assert!(adverts.len() < mebibytes << 20 && adverts.len() > 15 << 20, "{}", adverts.len());
    for (name, path, chunked, clients, body) in [
        ("a search", "/searches", false, 8, &one_list),
        ("a search of unknown length", "/searches", true, 8, &one_list),
        ("an array of a million values", "/adverts", false, 8, &one_list),
        // Takes seconds of computation each.
        ("an array of adverts", "/adverts", false, 3, &adverts),
    ] {
        let (framing, body) = match chunked {
            false => (format!("Content-Length: {}", body.len()), body.clone()),
            true => {
                ("Transfer-Encoding: chunked".to_owned(), format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()))
            }
        };
        let (statuses, growth) =
            attack(&service, clients, |_client| post(&service, path, &framing, body.as_bytes()));
        println!("{name}: {clients} x 16 MiB, {} MiB more than idle, statuses {statuses:?}", growth / 1024);
        assert!(growth < GROWTH_KIB_MAX, "{name}: {growth} KiB");
        assert!(
            statuses.iter().all(|status| matches!(status, 0 | 200 | 408 | 413 | 422 | 503)),
            "{statuses:?}"
        );
    }
    assert_eq!(service.get("/healthz"), 200);
}

#[test]
fn clients_that_never_read_take_bounded_memory_and_are_closed() {
    let service = Service::start(&[("VIGIE_LIMITS__TRANSFER_TIMEOUT", "3s")]);
    let request = b"GET /docs.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(5);
    service.reset_peak();
    let idle = service.memory("VmRSS");
    let mut connections = Vec::new();
    for number in 0..800_u16 {
        let mut stream = connect([127, 0, 0, 2 + u8::try_from(number % 4).unwrap()], service.address());
        stream.write_all(&request).unwrap();
        connections.push(stream);
    }
    let closed = "vigie_http_connections_closed_total{reason=\"Unread\"} 800";
    while !service.metrics().contains(closed) {}
    let growth = growth(&service, idle);
    println!("800 clients that never read: {} MiB more than idle", growth / 1024);
    assert!(growth < GROWTH_KIB_MAX, "{growth} KiB");
    drop(connections);
}

#[test]
fn probes_are_not_logged() {
    let service = Service::start(&[("VIGIE_LOG__LEVEL", "info")]);
    for path in ["/healthz", "/metrics", "/nowhere", "/readyz"] {
        service.get(path);
    }
    let log = service.stop();
    let routes: Vec<&str> = log.iter().filter_map(|entry| entry["span"]["route"].as_str()).collect();
    assert_eq!(routes, ["unmatched"], "{log:#?}");
}
