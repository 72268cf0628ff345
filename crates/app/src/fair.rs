//! Fair turns: work that many users want at the same time is shared between users, not between requests.
//!
//! Work waits in a queue per user, and the users take turns. A user who asks for a hundred expensive queries waits for them, while
//! another user's only query is next. The queues are bounded, and a caller that goes away leaves its queue. [`turns`] decides, without
//! waiting or reading a clock; [`FairQueue`] lets callers wait.

mod turns;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::UserId;
use tokio::sync::oneshot;

use crate::Error;
use turns::{Asked, Ticket, Turns};
pub use turns::{QueueFull, TurnLimits};

/// Work of one kind. Clones share the queue.
#[derive(Clone)]
pub struct FairQueue(Arc<Mutex<State>>);

struct State {
    turns: Turns<UserId>,
    waiting: HashMap<Ticket, oneshot::Sender<Turn>>,
}

impl FairQueue {
    pub fn new(limits: TurnLimits) -> Self {
        Self(Arc::new(Mutex::new(State { turns: Turns::new(limits), waiting: HashMap::new() })))
    }

    /// Waits for a turn of the user. Fails at once if too many callers wait already.
    pub async fn turn(&self, user: UserId) -> Result<Turn, Error> {
        let (ticket, granted) = {
            let mut state = self.lock();
            match state.turns.ask(user) {
                Asked::Granted => return Ok(Turn { queue: self.clone(), user }),
                Asked::Full(full) => return Err(Error::QueueFull(full)),
                Asked::Waiting(ticket) => {
                    let (grant, granted) = oneshot::channel();
                    state.waiting.insert(ticket, grant);
                    (ticket, granted)
                }
            }
        };
        let _leave = LeaveOnDrop { queue: self, user, ticket };
        granted.await.map_err(|_| Error::Interrupted)
    }

    /// Returns the number of callers that wait.
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, user: UserId) {
        let mut grants = Vec::new();
        let mut state = self.lock();
        state.turns.finish(user);
        while let Some((user, ticket)) = state.turns.next() {
            grants.extend(state.waiting.remove(&ticket).map(|grant| (grant, user)));
        }
        drop(state);
        for (grant, user) in grants {
            // Without the lock: if the caller has just gone away, its turn comes back and is finished here.
            let _ = grant.send(Turn { queue: self.clone(), user });
        }
    }
}

/// The right to do a piece of work. The turn ends when this is dropped.
pub struct Turn {
    queue: FairQueue,
    user: UserId,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.queue.finish(self.user);
    }
}

/// Takes a caller out of the queue if it goes away while it waits.
struct LeaveOnDrop<'a> {
    queue: &'a FairQueue,
    user: UserId,
    ticket: Ticket,
}

impl Drop for LeaveOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        if state.waiting.remove(&self.ticket).is_some() {
            state.turns.leave(self.user, self.ticket);
        }
    }
}

#[cfg(test)]
mod tests;
