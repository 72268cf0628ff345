//! Every delivery arrives despite kills.
//!
//! Searches match every advert and notify a receiver that keeps its own ledger and rejects one message in ten. The server is killed
//! again and again while it delivers. Afterwards each notification of the outbox has one delivery and each delivery has arrived, with
//! the same bytes each time. A delivery may arrive twice only if a kill fell between the receiver's response and its record.

use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::connection::Connection;
use crate::delivery_check::{self, Account};
use crate::market::{Fed, Market};
use crate::place::Place;
use crate::process::{self, Listening, Process};
use crate::receiver::{LedgerReceiver, Seen};

/// Approximate number of kills, unless that would put them further apart than this many arrivals, which take some seconds.
const KILLS: u64 = 10;
const ARRIVALS_BETWEEN_KILLS_MAX: u64 = 5_000;

/// A run without kills can be short.
const DELIVERIES_UNDISTURBED: u64 = 1_000;

#[test]
fn every_delivery_arrives_despite_kills() {
    let deliveries =
        std::env::var("VIGIE_CRASH_DELIVERIES").map_or(10_000, |deliveries| deliveries.parse().unwrap());
    let mut chance = Chance::from_environment();
    let between = (deliveries / KILLS).min(ARRIVALS_BETWEEN_KILLS_MAX);
    let (account, kills) = run(deliveries, Killing::Every(between), &mut chance);
    assert!(account.deliveries >= deliveries && kills > 1, "too few deliveries for a meaningful test");
    assert!(account.interrupted > 0 || kills < KILLS, "no kill interrupted an attempt");
}

#[test]
fn nothing_arrives_twice_without_kills() {
    let mut chance = Chance::from_environment();
    let (account, kills) = run(DELIVERIES_UNDISTURBED, Killing::Never, &mut chance);
    assert_eq!((account.repeats, account.interrupted, kills), (0, 0, 0));
    assert!(account.refusals > 0, "nothing had to be retried");
}

#[derive(Debug, Clone, Copy)]
enum Killing {
    /// After this many arrivals, on average.
    Every(u64),
    Never,
}

impl Killing {
    /// Returns the number of arrivals before the next kill.
    fn next(self, chance: &mut Chance) -> u64 {
        match self {
            Self::Every(arrivals) => 1 + chance.below(2 * arrivals),
            Self::Never => u64::MAX,
        }
    }

    /// Returns `true` if the next server is killed before it listens.
    fn while_starting(self, chance: &mut Chance) -> bool {
        matches!(self, Self::Every(_)) && chance.below(7) == 0
    }
}

/// Runs the test and verifies the result. Returns the account and the number of kills.
fn run(deliveries: u64, killing: Killing, chance: &mut Chance) -> (Account, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let place = Place::new();
    let key = process::create_key(&place);
    let receiver = LedgerReceiver::start();
    let mut market = Market::new(deliveries);
    let mut run = Run { place: &place, receiver: &receiver, killing, chance, kills: 0 };

    let server = Process::start_with(&place, &receiver.settings()).listening();
    Market::save_searches(server.address(), &key, &receiver, run.chance);
    let mut fed = run.feed(server, &key, &mut market);
    while fed == Fed::Killed {
        let server = run.start();
        fed = run.feed(server, &key, &mut market);
    }
    let expected = runtime.block_on(delivery_check::match_all(&place));
    while run.deliver(expected) == Left::More {}
    let kills = run.kills;
    let account = runtime.block_on(delivery_check::verify(&place, &receiver.ledger()));
    let (adverts, changes) = market.totals();
    println!("{kills} kills, {adverts} adverts, {changes} changes acknowledged: {account}");
    (account, kills)
}

/// Whether deliveries are outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    More,
    Nothing,
}

/// State that survives the servers.
struct Run<'a> {
    place: &'a Place,
    receiver: &'a LedgerReceiver,
    killing: Killing,
    chance: &'a mut Chance,
    kills: u64,
}

impl Run<'_> {
    /// Starts a server that listens, possibly after some that are killed before.
    fn start(&mut self) -> Listening {
        let settings = self.receiver.settings();
        while self.killing.while_starting(self.chance) {
            Process::start_with(self.place, &settings).kill_while_starting(self.chance);
            self.kills += 1;
            println!("kill {}: while starting", self.kills);
        }
        Process::start_with(self.place, &settings).listening()
    }

    /// Returns the number of arrivals at which the server is killed.
    fn limit(&mut self) -> u64 {
        self.receiver.seen().arrivals.saturating_add(self.killing.next(self.chance))
    }

    /// Ingests adverts while deliveries are sent, until enough notifications exist or the server is killed.
    fn feed(&mut self, server: Listening, key: &str, market: &mut Market) -> Fed {
        let limit = self.limit();
        let (killed, ended) = (CancellationToken::new(), CancellationToken::new());
        let mut chance = self.chance.split();
        std::thread::scope(|scope| {
            let (address, receiver, killed_too) = (server.address(), self.receiver, killed.clone());
            // Also on panic.
            let end = ended.clone().drop_guard();
            let feeding = scope.spawn(move || {
                let _end = end;
                market.feed(&|| Connection::open(address), key, receiver, &killed_too, &mut chance)
            });
            self.receiver.wait(|seen| seen.arrivals >= limit, ended.cancelled());
            self.end(server);
            killed.cancel();
            feeding.join().unwrap()
        })
    }

    /// Lets a server deliver until everything has arrived or it is killed.
    fn deliver(&mut self, expected: u64) -> Left {
        let server = self.start();
        let limit = self.limit();
        let enough = |seen: Seen| seen.arrivals >= limit || seen.taken >= expected;
        self.receiver.wait(enough, std::future::pending());
        if self.receiver.seen().taken >= expected {
            // A graceful stop records the attempts in progress.
            server.stop();
            return Left::Nothing;
        }
        self.end(server);
        Left::More
    }

    fn end(&mut self, server: Listening) {
        match self.killing {
            Killing::Never => server.stop(),
            Killing::Every(_) => {
                server.kill();
                self.kills += 1;
                println!("kill {}: {:?}", self.kills, self.receiver.seen());
            }
        }
    }
}
