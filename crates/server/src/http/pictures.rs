//! Pictures of adverts, through the server, so that portals do not learn who looks at an advert.
//!
//! Nothing is kept: a picture may be withdrawn, and the viewer's browser has its own cache. Failures are remembered for some minutes,
//! by server if it cannot be reached, so that a page of thirty cards asks a dead server once and not thirty times.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use app::access::Caller;
use app::fair::{FairQueue, TurnLimits};
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use delivery::webhook::{Picture, PictureError};
use domain::{Advert, AdvertId, Endpoint, WebAddress};
use http::{HeaderName, HeaderValue, StatusCode, header};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::Instant;

use super::Shared;
use super::budget::{Owner, Reservation};
use super::error::Problem;

/// Pictures that are fetched at a time: each may take 10 MiB.
const RUNNING_MAX: usize = 16;
/// As many as a browser asks for at a time over HTTP/1.1.
const RUNNING_PER_USER_MAX: usize = 6;
const WAITING_PER_USER_MAX: usize = 200;
const WAITING_MAX: usize = 1_000;

/// How much is handed to the connection at a time.
const FRAME_BYTES: usize = 64 << 10;

/// How long a failure is remembered.
const REMEMBERED: Duration = Duration::from_secs(5 * 60);

/// How many failures are remembered at most.
const FAILURES_MAX: usize = 10_000;

/// The response is a picture and nothing else, even if a browser opens it as a page.
const POLICY: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

pub struct Pictures {
    turns: FairQueue,
    failures: Failures,
}

impl Pictures {
    pub fn new() -> Self {
        let turns = FairQueue::new(TurnLimits {
            running_max: RUNNING_MAX,
            running_per_user_max: RUNNING_PER_USER_MAX,
            waiting_max: WAITING_MAX,
            waiting_per_user_max: WAITING_PER_USER_MAX,
        });
        Self { turns, failures: Failures::default() }
    }
}

/// `GET /adverts/{uuid}/pictures/{n}`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path((advert, number)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let id: AdvertId = advert.parse().map_err(|_| Problem::not_found())?;
    let number: usize = number.parse().map_err(|_| Problem::not_found())?;
    let (advert, _) = shared.app.advert(id).await?.ok_or_else(Problem::not_found)?;
    let address = addresses(&advert).get(number).ok_or_else(Problem::not_found)?;
    let endpoint = secure(address).ok_or_else(|| failed(PictureError::Unreachable))?;
    let transport = shared.app.transport();
    let transport = transport.ok_or_else(|| Problem::unavailable("This server fetches no pictures.", 60))?;
    let server = transport.check_endpoint(&endpoint).map_err(|_| failed(PictureError::Unreachable))?;

    let failures = &shared.pictures.failures;
    let _turn = {
        failures.check(&server, &endpoint, Instant::now())?;
        let turn = shared.pictures.turns.turn(caller.user.id).await?;
        // Another request may have found out in the meantime.
        failures.check(&server, &endpoint, Instant::now())?;
        turn
    };
    match transport.fetch_picture(&endpoint).await {
        Ok(picture) => {
            // Slow readers keep it in memory, as slow senders do with their bodies.
            let mut reservation = shared.body_budget.reservation(Owner::User(caller.user.id));
            reservation.grow(picture.bytes.len())?;
            Ok(respond(picture, reservation))
        }
        Err(error) => {
            failures.remember(&server, &endpoint, error, Instant::now());
            Err(failed(error))
        }
    }
}

/// The pictures of an advert: those that a crawler copied or, if there are none, those of the portal.
fn addresses(advert: &Advert) -> &[WebAddress] {
    let details = &advert.details;
    if details.pictures.is_empty() { &details.pictures_remote } else { &details.pictures }
}

/// Returns an address with TLS: over plain HTTP anybody on the way could change the picture.
fn secure(address: &WebAddress) -> Option<Endpoint> {
    let text = address.as_str();
    let secure = match text.get(..7) {
        Some(head) if head.eq_ignore_ascii_case("http://") => format!("https://{}", &text[7..]),
        _ => text.to_owned(),
    };
    Endpoint::parse(&secure).ok()
}

fn respond(picture: Picture, reservation: Reservation) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(picture.media_type)),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=86400")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    ];
    let body = PictureBody { rest: picture.bytes, _reservation: reservation };
    (headers, Body::new(body)).into_response()
}

/// A picture on its way to the client, and the memory it takes meanwhile.
struct PictureBody {
    rest: Bytes,
    _reservation: Reservation,
}

impl HttpBody for PictureBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(FRAME_BYTES);
        // Copied: a part that waits in the connection would keep the whole picture in memory.
        let part = Bytes::copy_from_slice(&self.rest.split_to(length));
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

fn failed(error: PictureError) -> Problem {
    Problem::new(StatusCode::BAD_GATEWAY, format!("The picture cannot be fetched: {error}."))
}

/// Recent failures, by hash of the server or of the whole address.
#[derive(Default)]
struct Failures {
    hasher: RandomState,
    known: Mutex<HashMap<u64, (PictureError, Instant)>>,
}

impl Failures {
    fn check(&self, server: &str, endpoint: &Endpoint, now: Instant) -> Result<(), Problem> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for key in [self.hasher.hash_one(server), self.hasher.hash_one(endpoint.as_str())] {
            if let Some((error, until)) = known.get(&key)
                && *until > now
            {
                return Err(failed(*error));
            }
        }
        Ok(())
    }

    fn remember(&self, server: &str, endpoint: &Endpoint, error: PictureError, now: Instant) {
        let name = if error.concerns_server() { server } else { endpoint.as_str() };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= FAILURES_MAX {
            known.retain(|_, (_, until)| *until > now);
        }
        // All of them are recent: forgetting them costs no more than asking again.
        if known.len() >= FAILURES_MAX {
            known.clear();
        }
        known.insert(self.hasher.hash_one(name), (error, now + REMEMBERED));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> Endpoint {
        Endpoint::parse(text).unwrap()
    }

    #[test]
    fn failures_are_remembered_for_some_minutes() {
        let (failures, now) = (Failures::default(), Instant::now());
        let (one, two) = (endpoint("https://dead.example/1.jpg"), endpoint("https://dead.example/2.jpg"));
        failures.remember("live.example:443", &one, PictureError::Status(404), now);
        assert!(failures.check("live.example:443", &one, now).is_err());
        assert!(failures.check("live.example:443", &two, now).is_ok(), "only this picture is missing");
        failures.remember("dead.example:443", &one, PictureError::Unreachable, now);
        assert!(failures.check("dead.example:443", &two, now).is_err(), "the server is dead");
        assert!(failures.check("dead.example:443", &two, now + REMEMBERED).is_ok());
    }

    #[test]
    fn failures_take_bounded_memory() {
        let failures = Failures::default();
        let address = endpoint("https://dead.example/1.jpg");
        for number in 0..=FAILURES_MAX {
            failures.remember(&number.to_string(), &address, PictureError::Unreachable, Instant::now());
        }
        assert!(failures.known.lock().unwrap().len() <= FAILURES_MAX);
    }

    #[test]
    fn plain_http_becomes_https() {
        let secure =
            |text| secure(&WebAddress::parse(text).unwrap()).map(|endpoint| endpoint.as_str().to_owned());
        assert_eq!(secure("http://p.example/1.jpg"), Some("https://p.example/1.jpg".to_owned()));
        assert_eq!(secure("https://p.example/1.jpg"), Some("https://p.example/1.jpg".to_owned()));
    }
}
