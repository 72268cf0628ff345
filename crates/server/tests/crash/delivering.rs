//! Whatever is owed arrives, through every kill.
//!
//! Searches hear of every advert at a receiver that keeps its own ledger and refuses one message in ten. The server is killed again
//! and again while it delivers. Afterwards each thing the matcher recorded as owed has one delivery and each delivery has arrived,
//! with the same bytes each time. It has arrived twice only where a kill fell between the answer and its record.

use std::path::Path;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::market::{Fed, Market};
use crate::owed::{self, Account};
use crate::process::{self, Listening, Process};
use crate::receiving::{Receiving, Seen};

/// About so many kills, unless they would be further apart than this many arrivals: that is some seconds.
const KILLS: u64 = 10;
const ARRIVALS_BETWEEN_KILLS_MAX: u64 = 5_000;

/// A run without kills need not be long.
const DELIVERIES_UNDISTURBED: u64 = 1_000;

#[test]
fn what_is_owed_arrives_through_every_kill() {
    let deliveries =
        std::env::var("VIGIE_CRASH_DELIVERIES").map_or(10_000, |deliveries| deliveries.parse().unwrap());
    let mut chance = Chance::from_environment();
    let between = (deliveries / KILLS).min(ARRIVALS_BETWEEN_KILLS_MAX);
    let (account, kills) = run(deliveries, Killing::Every(between), &mut chance);
    assert!(account.deliveries >= deliveries && kills > 1, "hardly anything was put to the test");
    assert!(account.interrupted > 0 || kills < KILLS, "no kill fell into an attempt");
}

#[test]
fn nothing_arrives_twice_when_nobody_is_killed() {
    let mut chance = Chance::from_environment();
    let (account, kills) = run(DELIVERIES_UNDISTURBED, Killing::Never, &mut chance);
    assert_eq!((account.repeats, account.interrupted, kills), (0, 0, 0));
    assert!(account.refusals > 0, "nothing had to be sent again");
}

#[derive(Debug, Clone, Copy)]
enum Killing {
    /// After so many arrivals, on average.
    Every(u64),
    Never,
}

impl Killing {
    /// How many more arrivals there are to be before the next kill.
    fn next(self, chance: &mut Chance) -> u64 {
        match self {
            Self::Every(arrivals) => 1 + chance.below(2 * arrivals),
            Self::Never => u64::MAX,
        }
    }

    /// Whether a server is not to live long enough to listen.
    fn while_starting(self, chance: &mut Chance) -> bool {
        matches!(self, Self::Every(_)) && chance.below(7) == 0
    }
}

/// Delivers, and checks all of it; tells how many kills there were as well.
fn run(deliveries: u64, killing: Killing, chance: &mut Chance) -> (Account, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let folder = TempDir::new().unwrap();
    let key = process::make_key(folder.path());
    let receiving = Receiving::start();
    let mut market = Market::new(deliveries);
    let mut scene = Scene { folder: folder.path(), receiving: &receiving, killing, chance, kills: 0 };

    let server = Process::start_with(folder.path(), &receiving.settings()).listening();
    Market::save_searches(server.address(), &key, &receiving, scene.chance);
    let mut fed = scene.feed(server, &key, &mut market);
    while fed == Fed::Killed {
        let server = scene.start();
        fed = scene.feed(server, &key, &mut market);
    }
    let owed = runtime.block_on(owed::match_all(folder.path()));
    while scene.deliver(owed) == Left::More {}
    let kills = scene.kills;
    let account = runtime.block_on(owed::verify(folder.path(), &receiving.ledger()));
    let (adverts, changes) = market.totals();
    println!("{kills} kills, {adverts} adverts, {changes} changes acknowledged: {account}");
    (account, kills)
}

/// Whether something owed has not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    More,
    Nothing,
}

/// What goes on while servers come and go.
struct Scene<'a> {
    folder: &'a Path,
    receiving: &'a Receiving,
    killing: Killing,
    chance: &'a mut Chance,
    kills: u64,
}

impl Scene<'_> {
    /// A server that listens, after some that did not get that far.
    fn start(&mut self) -> Listening {
        let settings = self.receiving.settings();
        while self.killing.while_starting(self.chance) {
            Process::start_with(self.folder, &settings).kill_while_starting(self.chance);
            self.kills += 1;
            println!("kill {}: while starting", self.kills);
        }
        Process::start_with(self.folder, &settings).listening()
    }

    /// How many arrivals are enough for a server.
    fn limit(&mut self) -> u64 {
        self.receiving.seen().arrivals.saturating_add(self.killing.next(self.chance))
    }

    /// Adverts come in and deliveries go out, until enough is owed or the time has come for a kill.
    fn feed(&mut self, server: Listening, key: &str, market: &mut Market) -> Fed {
        let limit = self.limit();
        let (killed, ended) = (CancellationToken::new(), CancellationToken::new());
        let mut chance = self.chance.split();
        std::thread::scope(|scope| {
            let (address, receiving, killed_too) = (server.address(), self.receiving, killed.clone());
            // Also when it panics.
            let end = ended.clone().drop_guard();
            let feeding = scope.spawn(move || {
                let _end = end;
                market.feed(address, key, receiving, &killed_too, &mut chance)
            });
            self.receiving.wait(|seen| seen.arrivals >= limit, ended.cancelled());
            self.end(server);
            killed.cancel();
            feeding.join().unwrap()
        })
    }

    /// Deliveries go out, until there are none left or the time has come for a kill.
    fn deliver(&mut self, owed: u64) -> Left {
        let server = self.start();
        let limit = self.limit();
        let enough = |seen: Seen| seen.arrivals >= limit || seen.taken >= owed;
        self.receiving.wait(enough, std::future::pending());
        if self.receiving.seen().taken >= owed {
            // What is under way is recorded before it ends.
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
                println!("kill {}: {:?}", self.kills, self.receiving.seen());
            }
        }
    }
}
