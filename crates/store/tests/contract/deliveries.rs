//! Deliveries: the outbox, the queue, the history, webhook secrets.

pub mod listing;
pub mod outbox;
pub mod queue;
pub mod queue_model;
pub mod secrets;
pub mod subject;
