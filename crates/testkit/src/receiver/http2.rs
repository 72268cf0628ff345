//! Correct HTTP/2, with hyper. HTTP/2 faults use hand-written frames on their own connections; here every fault
//! resets its stream.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::server::TlsStream;

use super::request_log::{ReceivedRequest, Version};
use super::script::{Behaviour, IncomingConnection};
use super::{BODY_BYTES_MAX, Shared};

pub(super) async fn serve(
    shared: &Arc<Shared>,
    incoming: IncomingConnection,
    stream: TlsStream<TcpStream>,
) -> io::Result<()> {
    let service = service_fn(|request| answer(Arc::clone(shared), incoming, request));
    let served = http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service);
    served.await.map_err(io::Error::other)
}

async fn answer(
    shared: Arc<Shared>,
    incoming: IncomingConnection,
    request: Request<Incoming>,
) -> io::Result<Response<Empty<Bytes>>> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_BYTES_MAX).collect().await.map_err(io::Error::other)?.to_bytes();
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let path = head.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let request = ReceivedRequest {
        connection: incoming.connection,
        address: incoming.address,
        version: Version::Http2,
        method: head.method.to_string(),
        path,
        headers,
        body,
        at: Instant::now(),
    };
    let behaviour = shared.script.for_request(&request);
    shared.log.record(request, &behaviour).await?;
    match behaviour {
        Behaviour::Answer(status) => {
            let mut response = Response::new(Empty::new());
            *response.status_mut() = StatusCode::from_u16(status).map_err(io::Error::other)?;
            Ok(response)
        }
        Behaviour::Fault(_) | Behaviour::Steps(_) => Err(io::ErrorKind::ConnectionReset.into()),
    }
}
