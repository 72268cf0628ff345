//! Why a use case could not be carried out. What is wrong with an input is not among these: that is a receipt.

/// A failure the caller did not cause.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("durable state could not be read or written")]
    Store(#[from] store::Error),
    /// Others changed the same properties again and again while we tried.
    #[error("too many concurrent changes of the same property")]
    Contended,
    /// The index has not caught up with the store yet; soon it will have.
    #[error("the index is being built")]
    Starting,
    /// Work on another thread ended before it was done: it panicked, or the process is ending.
    #[error("work was interrupted")]
    Interrupted,
    #[error("the machine gave no random numbers")]
    NoRandomness(#[source] getrandom::Error),
}
