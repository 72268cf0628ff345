//! Shares: how many requests, or streams, of one user may be in progress at the same time.
//!
//! There is a fixed number of slots. One caller may hold a part of them (`share`), and never more than are still free. So the last
//! free slots are only for callers that hold few: with one greedy caller at least half of the slots stay free, with two a third, and a
//! caller that holds none is refused only if no slot is free at all. Requests without a valid key are one caller per address, and
//! together have one share, because every client can send them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::UserId;
use http::{HeaderValue, StatusCode, header};

use super::error::Problem;

/// Who sends a request, as far as it matters for shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holder {
    User(UserId),
    /// A request without a valid key, from an address if that is known.
    WithoutKey(Option<IpAddr>),
}

/// Why a holder gets no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No slot is free.
    Full,
    /// The holder has this many, as many as it may have at the moment.
    Share(usize),
}

impl Refused {
    /// Returns the answer to a request that gets no slot.
    pub fn of_request(self, holder: Holder, shares: &Shares) -> Problem {
        match (self, holder) {
            (Self::Full, _) => Problem::unavailable("The server is overloaded; try again later.", 1),
            (Self::Share(_), Holder::WithoutKey(_)) => Problem::unavailable(
                "Too many requests without a valid key are in progress; try again later.",
                1,
            ),
            (Self::Share(own), Holder::User(_)) => too_many(format!(
                "{own} requests of this user are in progress. A user may have {} (a quarter of limits.requests_max), and no \
                 more than the server has left; try again when some have ended.",
                shares.share
            )),
        }
    }

    /// Returns the answer to a stream that gets no slot.
    pub fn of_stream(self, shares: &Shares) -> Problem {
        match self {
            Self::Full => Problem::unavailable("Too many streams are in progress; try again later.", 5),
            Self::Share(own) => too_many(format!(
                "{own} streams of this user are in progress. A user may have {} (limits.streams_per_user), and no more than the \
                 server has left; try again when some have ended.",
                shares.share
            )),
        }
    }
}

fn too_many(message: String) -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, message)
        .with(header::RETRY_AFTER, HeaderValue::from_static("1"))
}

#[derive(Debug)]
pub struct Shares {
    slots: usize,
    share: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    total: usize,
    without_key: usize,
    by_holder: HashMap<Holder, usize>,
}

impl Shares {
    /// Both numbers are at least 1.
    pub fn new(slots: usize, share: usize) -> Arc<Self> {
        Arc::new(Self { slots: slots.max(1), share: share.max(1), held: Mutex::default() })
    }

    /// Takes a slot, which is free again when the result is dropped.
    pub fn take(self: &Arc<Self>, holder: Holder) -> Result<Slot, Refused> {
        let mut held = self.lock();
        let free = self.slots - held.total;
        if free == 0 {
            return Err(Refused::Full);
        }
        let own = held.by_holder.get(&holder).copied().unwrap_or_default();
        let limit = self.share.min(free);
        let has_share = match holder {
            Holder::User(_) => own < limit,
            // One address has half of what all have together.
            Holder::WithoutKey(_) => held.without_key < limit && own < self.share.div_ceil(2),
        };
        if !has_share {
            return Err(Refused::Share(own));
        }
        held.total += 1;
        held.without_key += usize::from(matches!(holder, Holder::WithoutKey(_)));
        *held.by_holder.entry(holder).or_default() += 1;
        Ok(Slot { shares: Arc::clone(self), holder })
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn release(&self, holder: Holder) {
        let mut held = self.lock();
        held.total -= 1;
        held.without_key -= usize::from(matches!(holder, Holder::WithoutKey(_)));
        if let Some(own) = held.by_holder.get_mut(&holder) {
            *own -= 1;
            if *own == 0 {
                held.by_holder.remove(&holder);
            }
        }
    }
}

/// A slot in use.
#[derive(Debug)]
pub struct Slot {
    shares: Arc<Shares>,
    holder: Holder,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shares.release(self.holder);
    }
}

#[cfg(test)]
mod tests {
    use testkit::Random;
    use testkit::build::user_id;

    use super::*;

    fn user(number: u64) -> Holder {
        Holder::User(user_id(number))
    }

    /// Takes as many slots as the holder gets.
    fn greedy(shares: &Arc<Shares>, holder: Holder) -> Vec<Slot> {
        std::iter::from_fn(|| shares.take(holder).ok()).collect()
    }

    #[test]
    fn greedy_users_leave_slots_to_others() {
        let shares = Shares::new(1_000, 250);
        let first = greedy(&shares, user(1));
        assert_eq!((first.len(), shares.take(user(1)).unwrap_err()), (250, Refused::Share(250)));
        let others: Vec<_> = (2..=9).map(|number| greedy(&shares, user(number))).collect();
        let sizes: Vec<_> = others.iter().map(Vec::len).collect();
        assert_eq!(sizes, [250, 250, 125, 63, 31, 16, 8, 4]);
        assert!(shares.take(user(10)).is_ok());
        drop(first);
        assert_eq!(greedy(&shares, user(1)).len(), 127, "half of what is free");
    }

    #[test]
    fn requests_without_a_key_have_one_share_together() {
        let shares = Shares::new(1_000, 100);
        let address = |last: u8| Holder::WithoutKey(Some([192, 0, 2, last].into()));
        let first = greedy(&shares, address(1));
        let second = greedy(&shares, address(2));
        assert_eq!((first.len(), second.len()), (50, 50));
        assert_eq!(shares.take(address(3)).unwrap_err(), Refused::Share(0));
        assert!(shares.take(user(1)).is_ok());
        drop(first);
        assert!(shares.take(address(3)).is_ok());
    }

    #[test]
    fn one_slot_is_enough_to_serve_one_request_at_a_time() {
        let shares = Shares::new(1, 0);
        for holder in [user(1), user(2), Holder::WithoutKey(None)] {
            let slot = shares.take(holder).unwrap();
            assert_eq!(shares.take(user(3)).unwrap_err(), Refused::Full);
            drop(slot);
        }
    }

    #[test]
    fn holder_without_a_slot_is_refused_only_if_none_is_free() {
        let seed = testkit::random::seed();
        let mut random = Random::new(seed);
        let shares = Shares::new(40, 10);
        let mut slots: Vec<Slot> = Vec::new();
        for _ in 0..10_000 {
            if random.once_in(3) && !slots.is_empty() {
                slots.swap_remove(usize::try_from(random.below(slots.len() as u64)).unwrap());
                continue;
            }
            let holder = user(random.below(12));
            let own = slots.iter().filter(|slot| slot.holder == holder).count();
            let free = 40 - slots.len();
            match shares.take(holder) {
                Ok(slot) => {
                    assert!(own < 10 && own < free);
                    slots.push(slot);
                }
                Err(Refused::Full) => assert_eq!(free, 0),
                Err(Refused::Share(refused_at)) => {
                    assert_eq!(refused_at, own);
                    assert!(own > 0 && (own >= 10 || own >= free));
                }
            }
        }
        drop(slots);
        let held = shares.lock();
        assert_eq!((held.total, held.without_key, held.by_holder.len()), (0, 0, 0));
    }
}
