//! Senders: each creates adverts, changes their prices, and records every receipt.

use std::io;
use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::chance::Chance;
use crate::connection::Connection;

pub const SITE: &str = "crash.example";

/// A sender with this many adverts only changes them: a long run tests kills, not the size of the ledger.
const ADVERTS_MAX: usize = 200;

/// An advert keeps its last thousand events, but the ledger counts all: a long run switches to another advert before that.
const CHANGES_MAX: usize = 900;

/// Properties shared by adverts of all senders, so that they conflict. Other clients know other ones.
const SHARED_PROPERTIES: u64 = 10;

/// How a sender sends adverts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Single,
    Array,
    Lines,
}

/// An advert as its sender knows it.
#[derive(Debug)]
pub struct Account {
    pub reference: String,
    property: Option<String>,
    /// Every price that was sent, in order; each differs from the one before.
    pub prices: Vec<u64>,
    /// Number of acknowledged prices.
    pub acknowledged: usize,
    pub uuid: Option<String>,
}

impl Account {
    pub fn title(&self) -> String {
        format!("Advert {}", self.reference)
    }

    /// Returns a text long enough to fill pages, different for each advert.
    pub fn description(&self) -> String {
        format!("{} ", self.reference).repeat(20 + self.reference.len() * 13 % 97).trim().to_owned()
    }

    fn body(&self, price: u64) -> Value {
        json!({
            "transactionType": 0, "propertyType": 1, "site": SITE, "reference": self.reference, "price": price,
            "title": self.title(), "description": self.description(), "property": self.property
        })
    }
}

/// A price of an account, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    pub account: usize,
    pub price: usize,
}

pub struct Sender {
    number: usize,
    style: Style,
    pub accounts: Vec<Account>,
    /// Arrays that were sent but not acknowledged: each is stored completely or not at all.
    pub open_arrays: Vec<Vec<Sent>>,
}

impl Sender {
    pub const fn new(number: usize, style: Style) -> Self {
        Self { number, style, accounts: Vec::new(), open_arrays: Vec::new() }
    }

    /// Returns the number of prices sent but not acknowledged.
    pub fn unsettled(&self) -> usize {
        self.accounts.iter().map(|account| account.prices.len() - account.acknowledged).sum()
    }

    /// Sends until the server is gone.
    pub fn run(
        &mut self,
        open: &dyn Fn() -> io::Result<Connection>,
        key: &str,
        chance: &mut Chance,
        count: &dyn Fn(usize),
    ) {
        let ended: io::Result<()> = (|| {
            let mut connection = open()?;
            loop {
                match self.style {
                    Style::Single => self.single(&mut connection, key, chance, count)?,
                    Style::Array => self.array(&mut connection, key, chance, count)?,
                    Style::Lines => self.lines(&mut connection, key, chance, count)?,
                }
            }
        })();
        // The loop ends only when the server is killed.
        assert!(ended.is_err());
    }

    pub fn send_one(&mut self, address: SocketAddr, key: &str, chance: &mut Chance) {
        let mut connection = Connection::open(address).unwrap();
        self.single(&mut connection, key, chance, &|_| {}).unwrap();
    }

    /// Returns a new advert, or a new price of a recent one: recent ones are most likely not yet completely on disk.
    fn next(&mut self, chance: &mut Chance) -> (Sent, Value) {
        let known = self.accounts.len();
        let account = if known == 0 || (known < ADVERTS_MAX && chance.below(3) == 0) {
            let shared = chance.below(20) == 0;
            let property = shared.then(|| {
                format!("/properties/0190a1b2-c3d4-7e5f-8a9c-{:012x}", 1 + chance.below(SHARED_PROPERTIES))
            });
            let reference = format!("{}-{known}", self.number);
            let account = Account { reference, property, prices: Vec::new(), acknowledged: 0, uuid: None };
            self.accounts.push(account);
            known
        } else if chance.below(4) == 0 {
            chance.below(known as u64) as usize
        } else {
            known - 1 - chance.below(known.min(8) as u64) as usize
        };
        let account = if self.accounts[account].prices.len() < CHANGES_MAX {
            account
        } else {
            let changes = |index: &usize| self.accounts[*index].prices.len();
            (0..self.accounts.len()).min_by_key(changes).unwrap_or(account)
        };
        let last = self.accounts[account].prices.last().copied();
        let price =
            Some(100_000 + chance.below(900_000)).filter(|price| Some(*price) != last).unwrap_or(99_999);
        self.accounts[account].prices.push(price);
        let sent = Sent { account, price: self.accounts[account].prices.len() - 1 };
        (sent, self.accounts[account].body(price))
    }

    fn acknowledge(&mut self, sent: Sent, receipt: &Value) {
        let account = &mut self.accounts[sent.account];
        let outcome = if sent.price == 0 { "created" } else { "updated" };
        assert_eq!(receipt["outcome"], outcome, "{receipt} for price {} of {account:?}", sent.price);
        assert_eq!(account.acknowledged, sent.price, "receipts are out of order");
        let uuid = receipt["uuid"].as_str().unwrap().to_owned();
        assert!(account.uuid.as_ref().is_none_or(|known| *known == uuid), "{uuid} is not {account:?}");
        account.uuid = Some(uuid);
        account.acknowledged += 1;
    }

    fn single(
        &mut self,
        connection: &mut Connection,
        key: &str,
        chance: &mut Chance,
        count: &dyn Fn(usize),
    ) -> io::Result<()> {
        let (sent, body) = self.next(chance);
        let receipt = connection.post(key, &body)?;
        self.acknowledge(sent, &receipt);
        count(1);
        Ok(())
    }

    fn array(
        &mut self,
        connection: &mut Connection,
        key: &str,
        chance: &mut Chance,
        count: &dyn Fn(usize),
    ) -> io::Result<()> {
        let (sent, bodies): (Vec<Sent>, Vec<Value>) =
            (0..1 + chance.below(20)).map(|_| self.next(chance)).unzip();
        self.open_arrays.push(sent.clone());
        let receipts = connection.post(key, &json!(bodies))?;
        let receipts = receipts["hydra:member"].as_array().unwrap();
        assert_eq!(receipts.len(), sent.len());
        for (sent, receipt) in sent.iter().zip(receipts) {
            self.acknowledge(*sent, receipt);
        }
        self.open_arrays.pop();
        count(sent.len());
        Ok(())
    }

    /// Sends a stream in a few bursts and reads the receipts of each.
    fn lines(
        &mut self,
        connection: &mut Connection,
        key: &str,
        chance: &mut Chance,
        count: &dyn Fn(usize),
    ) -> io::Result<()> {
        connection.begin_lines(key)?;
        for _ in 0..1 + chance.below(5) {
            let (sent, bodies): (Vec<Sent>, Vec<Value>) =
                (0..1 + chance.below(30)).map(|_| self.next(chance)).unzip();
            connection.send_chunk(&bodies.iter().map(|body| format!("{body}\n")).collect::<String>())?;
            for sent in sent {
                let receipt = connection.receipt()?;
                self.acknowledge(sent, &receipt);
                count(1);
            }
        }
        connection.end_lines()
    }
}

/// Reads some adverts over HTTP. They must include everything that was acknowledged.
pub fn check_over_http(address: SocketAddr, key: &str, senders: &[Sender], chance: &mut Chance) {
    let mut connection = Connection::open(address).unwrap();
    for sender in senders {
        for _ in 0..4.min(sender.accounts.len()) {
            let account = &sender.accounts[chance.below(sender.accounts.len() as u64) as usize];
            let Some(uuid) = &account.uuid else { continue };
            let read = connection.get(key, &format!("/adverts/{uuid}")).unwrap();
            assert_eq!(
                (&read["reference"], &read["title"]),
                (&json!(account.reference), &json!(account.title()))
            );
            let changes = read["events"].as_array().unwrap().len();
            assert!(
                (account.acknowledged..=account.prices.len()).contains(&changes),
                "{read} is not {account:?}"
            );
            assert_eq!(read["price"], account.prices[changes - 1]);
        }
    }
}
