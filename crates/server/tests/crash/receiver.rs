//! A webhook receiver that survives all kills, because it runs in the test process. It writes its ledger before it responds.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use testkit::receiver::{Authority, Behaviour, Protocols, Receiver, ReceiverConfig, Retention, Script};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// One message in this many is rejected on its first attempt.
const REFUSES_ONE_IN: u64 = 10;

/// Several hosts, so that more attempts are in flight than one host may have.
const HOSTS: u8 = 4;

/// If nothing arrives for this long, the test fails. A start on a busy machine takes seconds.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Counts of messages so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub arrivals: u64,
    /// Number of distinct messages accepted at least once.
    pub taken: u64,
}

pub struct LedgerReceiver {
    receiver: Receiver,
    runtime: Runtime,
    folder: TempDir,
    seen: watch::Receiver<Seen>,
}

impl LedgerReceiver {
    pub fn start() -> Self {
        let folder = TempDir::new().unwrap();
        // A thread of its own: it receives while the test does other work.
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let authority = Authority::new();
        std::fs::write(authority_file(&folder), authority.pem()).unwrap();
        let (sender, seen) = watch::channel(Seen::default());
        let refusing = Script::refusing_one_in(REFUSES_ONE_IN);
        let taken = Mutex::new(HashSet::new());
        let script = Script::new(move |request| {
            let behaviour = refusing.for_request(request);
            let new = behaviour == Behaviour::GOOD && {
                let id = request.webhook_id().unwrap_or_default().to_owned();
                taken.lock().unwrap_or_else(PoisonError::into_inner).insert(id)
            };
            sender.send_modify(|seen| {
                seen.arrivals += 1;
                seen.taken += u64::from(new);
            });
            behaviour
        });
        let plan = ReceiverConfig {
            addresses: (1..=HOSTS).map(|host| IpAddr::V4(Ipv4Addr::new(127, 0, 0, host))).collect(),
            protocols: Protocols::Http1,
            retention: Retention::CountOnly,
            log_file: Some(ledger_file(&folder)),
            ..ReceiverConfig::new(script)
        };
        let receiver = runtime.block_on(Receiver::start(&authority, plan)).unwrap();
        Self { receiver, runtime, folder, seen }
    }

    /// Returns the settings a server needs to deliver here.
    pub fn settings(&self) -> [(&'static str, String); 4] {
        [
            ("VIGIE_DELIVERY__EXTRA_CA_FILE", authority_file(&self.folder).display().to_string()),
            ("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true".to_owned()),
            // One receiver gets everything, as fast as possible.
            ("VIGIE_DELIVERY__PER_HOST_MINUTE_MAX", "0".to_owned()),
            ("VIGIE_DELIVERY__RETRY_INTERVAL", "1s".to_owned()),
        ]
    }

    /// Returns an endpoint; hosts take turns by number.
    pub fn url(&self, number: usize, path: &str) -> String {
        let addresses = self.receiver.addresses();
        format!("https://{}/{path}", addresses[number % addresses.len()])
    }

    pub fn seen(&self) -> Seen {
        *self.seen.borrow()
    }

    /// Waits until enough has arrived or `other` completes. Returns which of the two it was.
    pub fn wait(&self, enough: impl Fn(Seen) -> bool, other: impl Future<Output = ()>) -> Waited {
        self.runtime.block_on(async {
            let mut seen = self.seen.clone();
            let mut other = std::pin::pin!(other);
            loop {
                if enough(*seen.borrow_and_update()) {
                    return Waited::Enough;
                }
                tokio::select! {
                    changed = tokio::time::timeout(TIMEOUT, seen.changed()) => match changed {
                        Ok(changed) => changed.unwrap(),
                        Err(_) => panic!("no message arrived for {TIMEOUT:?}: {:?}", self.seen()),
                    },
                    () = &mut other => return Waited::Other,
                }
            }
        })
    }

    pub fn ledger(&self) -> PathBuf {
        ledger_file(&self.folder)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    Enough,
    Other,
}

fn authority_file(folder: &TempDir) -> PathBuf {
    folder.path().join("authority.pem")
}

fn ledger_file(folder: &TempDir) -> PathBuf {
    folder.path().join("ledger")
}
