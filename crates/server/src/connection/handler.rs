//! The service that hyper calls: the router, and notes about which request is where.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::body::{Body, Bytes};
use http::{HeaderValue, Request, Response, header};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::service::Service;
use tower_service::Service as _;

use super::{ConnectionState, LongQuery, Peer};

/// Passes requests of one connection to the router.
pub struct Handler {
    router: Router,
    state: Arc<ConnectionState>,
    peer: IpAddr,
}

impl Handler {
    pub const fn new(router: Router, state: Arc<ConnectionState>, peer: IpAddr) -> Self {
        Self { router, state, peer }
    }
}

impl Service<Request<Incoming>> for Handler {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let state = Arc::clone(&self.state);
        let number = state.started.load(Ordering::Acquire) + 1;
        state.streams.store(false, Ordering::Release);
        state.head_begun.store(false, Ordering::Release);
        state.started.store(number, Ordering::Release);
        let in_progress = InProgress { state: Arc::clone(&state), number };
        let mut request = request.map(|body| {
            let body = RequestBody { body, state: Arc::clone(&state), number };
            body.note_end();
            Body::new(body)
        });
        request.extensions_mut().insert(Peer(self.peer));
        if let Some(query) = state.take_long_query() {
            request.extensions_mut().insert(LongQuery(query));
        }
        let mut router = self.router.clone();
        Box::pin(async move {
            // A router is always ready, and always answers.
            let response = router.call(request).await?;
            let is_stream = response.headers().get(header::CONTENT_TYPE)
                == Some(&HeaderValue::from_static("application/x-ndjson"));
            state.streams.store(is_stream, Ordering::Release);
            Ok(response.map(|body| Body::new(ResponseBody { body, _in_progress: in_progress })))
        })
    }
}

/// Notes the end of a request when dropped.
struct InProgress {
    state: Arc<ConnectionState>,
    number: u64,
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.state.responded.fetch_max(self.number, Ordering::AcqRel);
    }
}

/// A request body that notes its end.
struct RequestBody {
    body: Incoming,
    state: Arc<ConnectionState>,
    number: u64,
}

impl RequestBody {
    fn note_end(&self) {
        if self.body.is_end_stream() {
            self.state.body_ended.fetch_max(self.number, Ordering::AcqRel);
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            None => {
                self.state.body_ended.fetch_max(self.number, Ordering::AcqRel);
            }
            Some(Ok(_)) => self.note_end(),
            Some(Err(_)) => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response body that marks its request as in progress until it is dropped.
struct ResponseBody {
    body: Body,
    _in_progress: InProgress,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
