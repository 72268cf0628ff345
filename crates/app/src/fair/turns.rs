//! Whose turn it is: a pure scheduler, without waiting.
//!
//! Every user who waits is in one round. A free place goes to the first user of the round who has not reached the limit per user, and
//! that user moves to the end. So a user below that limit waits for at most one turn of each other user, however much they ask for.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// How much may run and wait.
#[derive(Debug, Clone, Copy)]
pub struct TurnLimits {
    pub running_max: usize,
    pub running_per_user_max: usize,
    pub waiting_max: usize,
    pub waiting_per_user_max: usize,
}

/// Identifies a caller that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket(u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Granted,
    Waiting(Ticket),
    Full(QueueFull),
}

/// Which queue has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueFull {
    /// The user's own, of this size.
    User(usize),
    /// That of all users together.
    All,
}

pub struct Turns<K> {
    limits: TurnLimits,
    running: HashMap<K, usize>,
    running_total: usize,
    waiting: HashMap<K, VecDeque<Ticket>>,
    waiting_total: usize,
    /// Each user who waits, once. The first is next.
    round: VecDeque<K>,
    next_ticket: u64,
}

impl<K: Eq + Hash + Clone> Turns<K> {
    pub fn new(limits: TurnLimits) -> Self {
        Self {
            limits,
            running: HashMap::new(),
            running_total: 0,
            waiting: HashMap::new(),
            waiting_total: 0,
            round: VecDeque::new(),
            next_ticket: 0,
        }
    }

    /// Asks for a turn. It is granted at once if there is a place: then every user who waits has reached the limit per user, and is
    /// not overtaken.
    pub fn ask(&mut self, user: K) -> Asked {
        if self.running_total < self.limits.running_max && self.may_run(&user) {
            self.start(user);
            return Asked::Granted;
        }
        let waiting = self.waiting.get(&user).map_or(0, VecDeque::len);
        if waiting >= self.limits.waiting_per_user_max {
            return Asked::Full(QueueFull::User(self.limits.waiting_per_user_max));
        }
        if self.waiting_total >= self.limits.waiting_max {
            return Asked::Full(QueueFull::All);
        }
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        if waiting == 0 {
            self.round.push_back(user.clone());
        }
        self.waiting.entry(user).or_default().push_back(ticket);
        self.waiting_total += 1;
        Asked::Waiting(ticket)
    }

    /// Ends a turn. The caller then calls [`next`](Self::next) until there is none.
    pub fn finish(&mut self, user: K) {
        if let Some(running) = self.running.get_mut(&user) {
            *running -= 1;
            self.running_total -= 1;
            if *running == 0 {
                self.running.remove(&user);
            }
        }
    }

    /// Grants the next turn, if there is a place and a user for it.
    pub fn next(&mut self) -> Option<(K, Ticket)> {
        if self.running_total >= self.limits.running_max {
            return None;
        }
        let position = self.round.iter().position(|user| self.may_run(user))?;
        let user = self.round.remove(position)?;
        let tickets = self.waiting.get_mut(&user)?;
        let ticket = tickets.pop_front()?;
        self.waiting_total -= 1;
        if tickets.is_empty() {
            self.waiting.remove(&user);
        } else {
            self.round.push_back(user.clone());
        }
        self.start(user.clone());
        Some((user, ticket))
    }

    /// Takes a caller out of its queue. The caller must be waiting.
    pub fn leave(&mut self, user: K, ticket: Ticket) {
        let Some(tickets) = self.waiting.get_mut(&user) else { return };
        let before = tickets.len();
        tickets.retain(|waiting| *waiting != ticket);
        self.waiting_total -= before - tickets.len();
        if tickets.is_empty() {
            self.waiting.remove(&user);
            self.round.retain(|waiting| *waiting != user);
        }
    }

    fn may_run(&self, user: &K) -> bool {
        self.running.get(user).is_none_or(|running| *running < self.limits.running_per_user_max)
    }

    fn start(&mut self, user: K) {
        *self.running.entry(user).or_default() += 1;
        self.running_total += 1;
    }
}

#[cfg(test)]
mod tests;
