//! The memory that bodies of requests in progress may take, over all requests.
//!
//! A reservation grows while the bytes arrive. It is not made from the declared length: a declaration costs its sender nothing, and a
//! few of them would lock out everyone. What is parsed from a body is added before it is parsed. All of it is given back when the
//! body is dropped.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::access::Caller;
use domain::UserId;
use http::Extensions;
use tokio::sync::Notify;

use super::error::Problem;
use crate::connection::Peer;

/// Who sent a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    User(UserId),
    Address(IpAddr),
    /// This process: a tool of an assistant whose request was counted when it arrived.
    Local,
}

impl Owner {
    /// Returns the user of a request with a key, and else its address.
    pub fn of(extensions: &Extensions) -> Self {
        match (extensions.get::<Caller>(), extensions.get::<Peer>()) {
            (Some(caller), _) => Self::User(caller.user.id),
            (None, Some(Peer(address))) => Self::Address(*address),
            (None, None) => Self::Local,
        }
    }
}

/// The budget. Clones share it.
#[derive(Debug, Clone)]
pub struct BodyBudget(Arc<Shares>);

#[derive(Debug)]
struct Shares {
    total_max: usize,
    used: Mutex<Used>,
    /// Told when bytes are given back.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Used {
    total: usize,
    by_owner: HashMap<Owner, usize>,
}

/// Why bytes cannot be reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// All requests together take as much as they may.
    Total,
    /// The requests of this owner take as much as one owner may.
    Share,
}

/// `Retry-After`: bodies take a moment to be read.
const RETRY_SECONDS: u64 = 1;

impl From<Exhausted> for Problem {
    fn from(exhausted: Exhausted) -> Self {
        let description = match exhausted {
            Exhausted::Total => "The requests in progress take all memory for bodies; try again.",
            Exhausted::Share => {
                "Your requests in progress take all the memory for bodies that one user may have; send fewer at a time."
            }
        };
        Self::unavailable(description, RETRY_SECONDS)
    }
}

impl BodyBudget {
    pub fn new(total_max: usize) -> Self {
        Self(Arc::new(Shares { total_max, used: Mutex::default(), freed: Notify::new() }))
    }

    /// Starts with no bytes.
    pub fn reservation(&self, owner: Owner) -> Reservation {
        Reservation { budget: self.clone(), owner, bytes: 0 }
    }

    /// Returns how many bytes are reserved.
    pub fn used_bytes(&self) -> usize {
        self.used().total
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A part of the budget, given back when dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: BodyBudget,
    owner: Owner,
    bytes: usize,
}

impl Reservation {
    /// Adds bytes, or changes nothing if there are not enough. One owner gets at most half of the budget.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let mut used = self.budget.used();
        fits(&used, self.budget.0.total_max, self.owner, bytes)?;
        used.total += bytes;
        *used.by_owner.entry(self.owner).or_default() += bytes;
        drop(used);
        self.bytes += bytes;
        Ok(())
    }

    /// Adds bytes as soon as there are enough. Fails if that takes longer than `timeout`.
    ///
    /// For streams, which hold nothing that others wait for while they wait themselves.
    pub async fn grow_when_free(&mut self, bytes: usize, timeout: Duration) -> Result<(), Exhausted> {
        let budget = self.budget.clone();
        let grown = async {
            loop {
                // Registered before looking, so that nothing freed meanwhile is missed.
                let mut freed = std::pin::pin!(budget.0.freed.notified());
                freed.as_mut().enable();
                if self.grow(bytes).is_ok() {
                    return;
                }
                freed.await;
            }
        };
        match tokio::time::timeout(timeout, grown).await {
            Ok(()) => Ok(()),
            Err(_elapsed) => self.grow(bytes),
        }
    }

    /// Fails if so many more bytes could not be added now.
    pub fn check(&self, bytes: usize) -> Result<(), Exhausted> {
        fits(&self.budget.used(), self.budget.0.total_max, self.owner, bytes)
    }

    /// Gives bytes back.
    pub fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        let mut used = self.budget.used();
        used.total -= bytes;
        if let Some(share) = used.by_owner.get_mut(&self.owner) {
            *share -= bytes;
            if *share == 0 {
                used.by_owner.remove(&self.owner);
            }
        }
        drop(used);
        self.budget.0.freed.notify_waiters();
    }
}

fn fits(used: &Used, total_max: usize, owner: Owner, bytes: usize) -> Result<(), Exhausted> {
    let share = used.by_owner.get(&owner).copied().unwrap_or_default();
    if share.saturating_add(bytes) > total_max / 2 {
        return Err(Exhausted::Share);
    }
    if used.total.saturating_add(bytes) > total_max {
        return Err(Exhausted::Total);
    }
    Ok(())
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Owner {
        Owner::Address(IpAddr::from([127, 0, 0, last]))
    }

    #[test]
    fn one_owner_gets_half_and_all_get_the_total() {
        let budget = BodyBudget::new(100);
        let (mut first, mut again) = (budget.reservation(address(1)), budget.reservation(address(1)));
        assert_eq!((first.grow(30), again.grow(21)), (Ok(()), Err(Exhausted::Share)));
        assert_eq!((again.grow(20), first.grow(1)), (Ok(()), Err(Exhausted::Share)));
        let mut other = budget.reservation(address(2));
        assert_eq!(other.grow(40), Ok(()));
        let mut third = budget.reservation(address(3));
        assert_eq!((third.check(11), third.grow(11)), (Err(Exhausted::Total), Err(Exhausted::Total)));
        assert_eq!((third.grow(10), budget.used_bytes()), (Ok(()), 100));
        drop(first);
        assert_eq!((third.grow(30), budget.used_bytes()), (Ok(()), 100));
        third.shrink(40);
        drop((other, again, third));
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.used().by_owner.is_empty());
    }
}
