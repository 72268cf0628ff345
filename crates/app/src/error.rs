//! Why a use case failed. Invalid input is not an error here: receipts and violations report it.

use engine::WorkKind;

use crate::fair::QueueFull;

/// A failure that the caller did not cause.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the store cannot be read or written")]
    Store(#[from] store::Error),
    /// Concurrent writers changed the same properties in every attempt.
    #[error("too many concurrent changes of the same property")]
    Contended,
    /// The index has not caught up with the store yet; retry shortly.
    #[error("the index is being built")]
    Starting,
    /// A task on another thread did not complete: it panicked, or the process is shutting down.
    #[error("the task was interrupted")]
    Interrupted,
    /// A computation for a request, or a step of a worker, panicked.
    #[error("a computation panicked")]
    Panicked,
    /// Too much work waits already; retry later.
    #[error("too much work waits already")]
    QueueFull(QueueFull),
    /// A query needs more than the work that one query may do, most of it of one kind.
    #[error("a query needs more than {work_max} units of work")]
    TooExpensive { work_max: u64, most: WorkKind },
    #[error("the operating system returned no random numbers")]
    NoRandomness(#[source] getrandom::Error),
}
