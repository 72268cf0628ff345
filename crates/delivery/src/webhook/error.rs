//! Classifies errors of the HTTP, TLS and I/O libraries as faults.

use std::error::Error;
use std::io;

use domain::Fault;
use h2::Reason;

use super::socket::ResponseTooLarge;

/// Why there is no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendError {
    /// The receiver did not process the request: it can be sent again on another connection.
    NotProcessed(Fault),
    Failed(Fault),
}

impl SendError {
    pub fn fault(self) -> Fault {
        match self {
            Self::NotProcessed(fault) | Self::Failed(fault) => fault,
        }
    }

    pub fn of(error: &hyper::Error) -> Self {
        match find::<h2::Error>(error) {
            // The receiver states that it did not process the request (RFC 9113, sections 6.8 and 8.7): a GOAWAY
            // before this stream, or REFUSED_STREAM.
            Some(error) if error.is_remote() && error.is_go_away() => Self::NotProcessed(Fault::Closed),
            Some(error) if error.is_remote() && error.reason() == Some(Reason::REFUSED_STREAM) => {
                Self::NotProcessed(Fault::Closed)
            }
            _ => Self::Failed(fault_of_http(error)),
        }
    }
}

/// Classifies an error of sending a request or reading a response.
fn fault_of_http(error: &hyper::Error) -> Fault {
    if error.is_parse_too_large() {
        return Fault::TooLarge;
    }
    if let Some(error) = find::<io::Error>(error) {
        return fault_of_io(error);
    }
    if let Some(error) = find::<h2::Error>(error) {
        return fault_of_h2(error);
    }
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        return Fault::Closed;
    }
    Fault::Protocol
}

fn fault_of_h2(error: &h2::Error) -> Fault {
    if let Some(error) = error.get_io() {
        return fault_of_io(error);
    }
    match error.reason() {
        _ if error.is_remote() => Fault::Closed,
        // How the library ends a connection whose header section is too large.
        Some(Reason::COMPRESSION_ERROR | Reason::ENHANCE_YOUR_CALM) => Fault::TooLarge,
        _ => Fault::Protocol,
    }
}

/// Classifies an I/O error, including errors during the handshake.
pub(super) fn fault_of_io(error: &io::Error) -> Fault {
    match error.get_ref() {
        Some(inner) if inner.is::<ResponseTooLarge>() => Fault::TooLarge,
        Some(inner) if inner.is::<rustls::Error>() => Fault::Tls,
        Some(inner) => inner.downcast_ref::<io::Error>().map_or(Fault::Closed, fault_of_io),
        None => Fault::Closed,
    }
}

/// Returns the first cause of a type.
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
