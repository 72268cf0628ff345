//! The scheduler against a model, on random arrivals.

use std::collections::BTreeMap;

use testkit::Random;

use super::*;

type User = u64;

/// What the scheduler must do, in the plainest way: every caller by itself, in lists.
#[derive(Default)]
struct Model {
    running: Vec<User>,
    waiting: Vec<Waiting>,
}

struct Waiting {
    user: User,
    ticket: Ticket,
    /// Turns that other users were granted while this was the first of its user, which could have run.
    overtaken: BTreeMap<User, usize>,
}

impl Model {
    fn running_of(&self, user: User) -> usize {
        self.running.iter().filter(|other| **other == user).count()
    }

    fn waiting_of(&self, user: User) -> usize {
        self.waiting.iter().filter(|waiting| waiting.user == user).count()
    }

    fn check(&self, limits: TurnLimits) {
        assert!(self.running.len() <= limits.running_max);
        assert!(self.waiting.len() <= limits.waiting_max);
        for user in self.running.iter().chain(self.waiting.iter().map(|waiting| &waiting.user)) {
            assert!(self.running_of(*user) <= limits.running_per_user_max);
            assert!(self.waiting_of(*user) <= limits.waiting_per_user_max);
        }
        // No place stays empty while a user who may run waits.
        let idle = self.running.len() < limits.running_max;
        let eligible = |waiting: &Waiting| self.running_of(waiting.user) < limits.running_per_user_max;
        assert!(!(idle && self.waiting.iter().any(eligible)), "a place stays empty");
    }

    fn granted(&mut self, user: User, limits: TurnLimits) {
        let mut seen = Vec::new();
        for index in 0..self.waiting.len() {
            let other = self.waiting[index].user;
            let is_first = !seen.contains(&other);
            seen.push(other);
            if other != user && is_first && self.running_of(other) < limits.running_per_user_max {
                let overtaken = self.waiting[index].overtaken.entry(user).or_default();
                *overtaken += 1;
                assert!(*overtaken <= 1, "user {other} waits for a second turn of user {user}");
            }
        }
        self.running.push(user);
    }
}

fn run(seed: u64) {
    let mut random = Random::new(seed);
    let limits = TurnLimits {
        running_max: 1 + random.below(4) as usize,
        running_per_user_max: 1 + random.below(3) as usize,
        waiting_max: 4 + random.below(30) as usize,
        waiting_per_user_max: 1 + random.below(8) as usize,
    };
    let users = 1 + random.below(6);
    let (mut turns, mut model) = (Turns::new(limits), Model::default());
    for _ in 0..400 {
        match random.below(5) {
            0..=2 => {
                // The first user asks most of the time.
                let user = if random.below(2) == 0 { 0 } else { random.below(users) };
                match turns.ask(user) {
                    Asked::Granted => model.granted(user, limits),
                    Asked::Waiting(ticket) => {
                        model.waiting.push(Waiting { user, ticket, overtaken: BTreeMap::new() });
                    }
                    Asked::Full(QueueFull::User(size)) => assert_eq!(model.waiting_of(user), size),
                    Asked::Full(QueueFull::All) => assert_eq!(model.waiting.len(), limits.waiting_max),
                }
            }
            3 if !model.running.is_empty() => {
                let user = model.running.swap_remove(random.below(model.running.len() as u64) as usize);
                turns.finish(user);
                while let Some((user, ticket)) = turns.next() {
                    let first = model.waiting.iter().position(|waiting| waiting.user == user).unwrap();
                    assert_eq!(
                        model.waiting.remove(first).ticket,
                        ticket,
                        "callers of one user keep their order"
                    );
                    model.granted(user, limits);
                }
            }
            4 if !model.waiting.is_empty() => {
                let gone = model.waiting.remove(random.below(model.waiting.len() as u64) as usize);
                turns.leave(gone.user, gone.ticket);
            }
            _ => {}
        }
        model.check(limits);
        assert_eq!(turns.running_total, model.running.len());
        assert_eq!(turns.waiting_total, model.waiting.len());
        assert_eq!(turns.round.len(), turns.waiting.len());
    }
    // Everything that waits gets its turn, and nothing is left behind.
    while let Some(user) = model.running.pop() {
        turns.finish(user);
        while let Some((user, ticket)) = turns.next() {
            let first = model.waiting.iter().position(|waiting| waiting.ticket == ticket).unwrap();
            model.waiting.remove(first);
            model.granted(user, limits);
        }
    }
    assert_eq!((model.waiting.len(), turns.waiting_total, turns.running_total), (0, 0, 0));
    assert!(turns.waiting.is_empty() && turns.running.is_empty() && turns.round.is_empty());
}

#[test]
fn no_user_waits_for_more_than_one_turn_of_each_other_user() {
    for seed in 0..2_000 {
        if let Err(panic) = std::panic::catch_unwind(|| run(seed)) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn one_request_is_next_behind_a_hundred_of_another_user() {
    let limits =
        TurnLimits { running_max: 1, running_per_user_max: 1, waiting_max: 200, waiting_per_user_max: 100 };
    let mut turns = Turns::new(limits);
    assert_eq!(turns.ask("greedy"), Asked::Granted);
    for _ in 0..100 {
        assert!(matches!(turns.ask("greedy"), Asked::Waiting(_)));
    }
    assert_eq!(turns.ask("greedy"), Asked::Full(QueueFull::User(100)));
    assert!(matches!(turns.ask("modest"), Asked::Waiting(_)));
    let mut order = Vec::new();
    turns.finish("greedy");
    while let Some((user, _)) = turns.next() {
        order.push(user);
        turns.finish(user);
    }
    assert_eq!(order[..3], ["greedy", "modest", "greedy"]);
    assert_eq!(order.len(), 101);
}
