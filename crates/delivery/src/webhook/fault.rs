//! What went wrong, told from the errors of the libraries.

use std::error::Error;
use std::io;

use domain::Fault;
use h2::Reason;

use super::socket::TooMuch;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The receiver has certainly not taken the request up: on another connection it would be the first.
    NotSent(Fault),
    Failed(Fault),
}

impl NoAnswer {
    pub fn fault(self) -> Fault {
        match self {
            Self::NotSent(fault) | Self::Failed(fault) => fault,
        }
    }

    pub fn of(error: &hyper::Error) -> Self {
        match find::<h2::Error>(error) {
            // With these words a receiver says that it has not begun with the request (RFC 9113, sections 6.8 and 8.7): it is told of a
            // stream after the last one taken up, or of this one alone.
            Some(error) if error.is_remote() && error.is_go_away() => Self::NotSent(Fault::Closed),
            Some(error) if error.is_remote() && error.reason() == Some(Reason::REFUSED_STREAM) => {
                Self::NotSent(Fault::Closed)
            }
            _ => Self::Failed(of_exchange(error)),
        }
    }
}

/// While a request was sent or an answer read.
fn of_exchange(error: &hyper::Error) -> Fault {
    if error.is_parse_too_large() {
        return Fault::TooLarge;
    }
    if let Some(error) = find::<io::Error>(error) {
        return of_io(error);
    }
    if let Some(error) = find::<h2::Error>(error) {
        return of_h2(error);
    }
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        return Fault::Closed;
    }
    Fault::Protocol
}

fn of_h2(error: &h2::Error) -> Fault {
    if let Some(error) = error.get_io() {
        return of_io(error);
    }
    match error.reason() {
        _ if error.is_remote() => Fault::Closed,
        // How the library ends a connection whose header section has no end.
        Some(Reason::COMPRESSION_ERROR | Reason::ENHANCE_YOUR_CALM) => Fault::TooLarge,
        _ => Fault::Protocol,
    }
}

/// While bytes were moved, also during a handshake.
pub(super) fn of_io(error: &io::Error) -> Fault {
    match error.get_ref() {
        Some(inner) if inner.is::<TooMuch>() => Fault::TooLarge,
        Some(inner) if inner.is::<rustls::Error>() => Fault::Tls,
        Some(inner) => inner.downcast_ref::<io::Error>().map_or(Fault::Closed, of_io),
        None => Fault::Closed,
    }
}

/// The first cause of a kind.
fn find<E: Error + 'static>(error: &hyper::Error) -> Option<&E> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}
