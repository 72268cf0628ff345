//! Tests of the receiver itself, with a client that is independent of the sender.

mod client;
mod hostile;

use std::io::ErrorKind;
use std::net::IpAddr;

use client::{Client, post, read_answer};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncWriteExt;

use super::*;

#[tokio::test]
async fn good_receiver_records_requests() {
    let authority = Authority::new();
    let receiver = Receiver::good(&authority).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    for number in 0..3 {
        client.send(&post(&format!("/hook?n={number}"), "m-1", &format!("body {number}"))).await;
        assert_eq!(read_answer(&mut client).await, "HTTP/1.1 200 OK");
    }
    let received = receiver.wait_for(3).await;
    let bodies: Vec<&[u8]> = received.iter().map(|request| &*request.body).collect();
    assert_eq!(bodies, [b"body 0", b"body 1", b"body 2"]);
    assert_eq!(received[1].path, "/hook?n=1");
    assert_eq!(received[1].method, "POST");
    assert_eq!(received[1].webhook_id(), Some("m-1"));
    assert_eq!(received[1].version, Version::Http1);
    assert_eq!((receiver.connections(), received[2].connection), (1, 1));
    drop(client);
    receiver.wait_until_closed().await;
}

#[tokio::test]
async fn chunked_bodies_are_read() {
    let authority = Authority::new();
    let receiver = Receiver::good(&authority).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    let request =
        b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    for byte in request {
        client.stream.write_all(&[*byte]).await.unwrap();
        client.stream.flush().await.unwrap();
    }
    assert_eq!(read_answer(&mut client).await, "HTTP/1.1 200 OK");
    assert_eq!(receiver.received()[0].body, "abcde");
}

#[tokio::test]
async fn ambiguous_length_is_rejected() {
    let authority = Authority::new();
    let receiver = Receiver::good(&authority).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab").await;
    assert_eq!(client.read_to_end().await.1, Some(ErrorKind::UnexpectedEof));
    assert_eq!(receiver.count(), 0);
}

#[tokio::test]
async fn http2_works() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::Http2Only).await;
    let client = Client::connect_with(&authority, receiver.address(), Protocols::Both).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(client.stream))
            .await
            .unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    for number in 0..3 {
        let body = Full::new(bytes::Bytes::from(format!("body {number}")));
        let request =
            hyper::Request::post(receiver.url("/hook")).header("webhook-id", "m-1").body(body).unwrap();
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.into_body().collect().await.unwrap();
    }
    let received = receiver.wait_for(3).await;
    assert_eq!((received[2].version, received[2].path.as_str()), (Version::Http2, "/hook"));
    assert_eq!((received[2].webhook_id(), &*received[2].body), (Some("m-1"), &b"body 2"[..]));
}

#[tokio::test]
async fn requests_are_logged_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.log");
    let authority = Authority::new();
    let script = Script::new(|request| Behaviour::by_name(&request.path[1..]).unwrap());
    let config = ReceiverConfig {
        log_file: Some(path.clone()),
        retention: Retention::CountOnly,
        ..ReceiverConfig::new(script)
    };
    let receiver = Receiver::start(&authority, config).await.unwrap();
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let mut expected = String::new();
    for (id, name) in [("m-1", "status-200"), ("m-2", "status-503"), ("m-1", "interim")] {
        client.send(&post(&format!("/{name}"), id, "abc")).await;
        read_answer(&mut client).await;
        expected += &format!("{id} {abc} {name}\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        client.discard();
    }
    assert_eq!((receiver.count(), receiver.received().len()), (3, 0));
}

#[tokio::test]
async fn one_message_in_ten_fails_once() {
    let authority = Authority::new();
    let config = ReceiverConfig::new(Script::refusing_one_in(10));
    let receiver = Receiver::start(&authority, config).await.unwrap();
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    let mut refused = Vec::new();
    for round in 0..2 {
        for number in 0..300 {
            client.send(&post("/", &format!("m-{number}"), "abc")).await;
            match read_answer(&mut client).await.as_str() {
                "HTTP/1.1 200 OK" => {}
                _ => refused.push((round, number)),
            }
        }
    }
    assert!((15..=45).contains(&refused.len()), "{refused:?}");
    assert!(refused.iter().all(|(round, _)| *round == 0), "{refused:?}");
}

#[tokio::test]
async fn sequence_runs_in_order() {
    let authority = Authority::new();
    let sequence =
        [Behaviour::Answer(500), InjectedFault::AcceptReset.into(), InjectedFault::CutBeforeAnswer.into()];
    let config = ReceiverConfig::new(Script::sequence(sequence));
    let receiver = Receiver::start(&authority, config).await.unwrap();
    let mut seen = Vec::new();
    for _ in 0..5 {
        let Ok(mut client) = Client::connect(&authority, &receiver).await else {
            seen.push("nothing".to_owned());
            continue;
        };
        client.send(&post("/", "m-1", "abc")).await;
        let (answer, end) = client.read_to_end().await;
        seen.push(format!("{} {end:?}", answer.lines().next().unwrap_or_default()));
    }
    let good = "HTTP/1.1 200 As Asked None";
    let expected = ["HTTP/1.1 500 As Asked None", "nothing", " Some(UnexpectedEof)", good, good];
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn behaviour_by_path_and_address() {
    let authority = Authority::new();
    let hanging: IpAddr = "127.0.0.2".parse().unwrap();
    let script = Script::by_path().with_override(move |request| {
        (request.address == hanging).then_some(InjectedFault::HangBeforeAnswer.into())
    });
    let addresses = vec!["127.0.0.1".parse().unwrap(), hanging];
    let receiver = Receiver::start(&authority, ReceiverConfig { addresses, ..ReceiverConfig::new(script) })
        .await
        .unwrap();
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    for (path, answer) in [
        ("/hook", "HTTP/1.1 200 OK"),
        ("/fault/status-429", "HTTP/1.1 429 As Asked"),
        ("/fault/redirect-307", "HTTP/1.1 307 Elsewhere"),
        ("/fault/refuse", "HTTP/1.1 404 As Asked"),
        ("/fault/unheard-of", "HTTP/1.1 404 As Asked"),
    ] {
        client.send(&post(path, "m-1", "abc")).await;
        assert_eq!(read_answer(&mut client).await, answer);
    }
    let mut client = Client::connect_to(&authority, receiver.addresses()[1]).await.unwrap();
    client.send(&post("/hook", "m-1", "abc")).await;
    receiver.wait_for(6).await;
    assert!(client.is_silent().await);
}

#[tokio::test]
async fn canary_counts_connections() {
    let canary = Canary::start().unwrap();
    assert_eq!(canary.connections(), 0);
    for _ in 0..3 {
        TcpStream::connect(canary.address()).await.unwrap();
    }
    assert_eq!((canary.connections(), canary.connections()), (3, 0));
}

#[tokio::test]
async fn dropping_the_receiver_closes_connections() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::HangBeforeAnswer).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send(&post("/", "m-1", "abc")).await;
    receiver.wait_for(1).await;
    drop(receiver);
    assert_eq!(client.read_to_end().await, (String::new(), Some(ErrorKind::UnexpectedEof)));
}
