//! Compares what the folder must contain with what it contains.

use std::collections::HashMap;

use domain::advert_event::EventSubject;
use domain::{Advert, AdvertEvent, AdvertField, AdvertId, Identity, SiteKey};
use store::SqlStore;
use store::prelude::*;
use store::{Change, LogEntry, Position, PropertyCause};

use crate::place::Place;
use crate::sender::{Account, SITE, Sender};

/// The log as read so far. It is only read forward: entries must never change.
#[derive(Default)]
pub struct Ledger {
    last: Option<LogEntry>,
    /// Events of each advert, from the log.
    events: HashMap<AdvertId, Vec<AdvertEvent>>,
}

impl Ledger {
    /// Returns the number of adverts and of events.
    pub fn totals(&self) -> (u64, u64) {
        (self.events.len() as u64, self.events.values().map(|events| events.len() as u64).sum())
    }

    /// Verifies the whole folder. Adverts that were sent but not acknowledged count from here on as stored or as never sent, whichever
    /// is found. Returns how many were stored.
    pub fn verify(&mut self, place: &Place, senders: &mut [Sender]) -> usize {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = place.open();
            self.read_log(&store).await;
            let mut recovered = 0;
            for sender in senders.iter_mut() {
                let adverts = adverts(&store, &sender.accounts).await.unwrap();
                for (account, advert) in sender.accounts.iter().zip(&adverts) {
                    self.check(account, advert.as_ref());
                }
                recovered += settle_with(&adverts, sender);
            }
            let known: usize =
                senders.iter().flat_map(|sender| &sender.accounts).filter(|a| !a.prices.is_empty()).count();
            assert_eq!(self.events.len(), known, "the log has adverts that were never sent");
            recovered
        })
    }

    async fn read_log(&mut self, store: &SqlStore) {
        let position = self.last.as_ref().map_or(Position::START, |entry| entry.position);
        if let Some(last) = &self.last {
            let again = store.log_after(Position(position.0 - 1), 1).await.unwrap();
            assert_eq!(again, std::slice::from_ref(last), "an entry of the log has changed");
        }
        let entries = store.log_after(position, usize::MAX).await.unwrap();
        let mut expected = position;
        for entry in entries {
            expected = expected.next();
            assert_eq!(entry.position, expected, "the log has a gap");
            self.last = Some(entry.clone());
            // Other clients may write, too.
            let Change::Property { property, version, advert, cause } = &entry.change else { continue };
            let stored = store.property_at(*property, *version).await.unwrap();
            let stored = stored.unwrap_or_else(|| panic!("{entry:?} has no version"));
            let Some(stored) = stored.advert(*advert) else {
                assert!(matches!(cause, PropertyCause::AdvertLeft), "{entry:?} refers to another version");
                continue;
            };
            if stored.details.site.as_ref().is_none_or(|site| site.as_str() != SITE) {
                continue;
            }
            let PropertyCause::Advert { events } = cause else { panic!("unexpected {entry:?}") };
            assert_eq!(events.len(), 1, "{entry:?}");
            self.events.entry(*advert).or_default().extend(events.iter().cloned());
        }
        assert_eq!(*store.head().borrow(), expected);
    }

    /// Checks one advert: present if any of it was acknowledged, complete, with at least the acknowledged changes.
    fn check(&self, account: &Account, advert: Option<&Advert>) {
        let Some(advert) = advert else {
            assert_eq!(account.acknowledged, 0, "{account:?} is lost");
            return;
        };
        if let Some(uuid) = &account.uuid {
            assert_eq!(advert.id.to_string(), *uuid);
        }
        let taken = advert.events.len();
        assert!(
            (account.acknowledged.max(1)..=account.prices.len()).contains(&taken),
            "{taken} events of {account:?}"
        );
        assert_eq!(advert.events[0].subject, EventSubject::Created);
        for (index, event) in advert.events.iter().enumerate().skip(1) {
            assert_eq!(event.subject, EventSubject::Field(AdvertField::Price));
            let (old, new) = (event.old_value.as_deref(), event.new_value.as_deref());
            let price = |index: usize| account.prices[index].to_string();
            assert_eq!((old, new), (Some(price(index - 1).as_str()), Some(price(index).as_str())));
        }
        assert_eq!(self.events.get(&advert.id), Some(&advert.events), "the log has other events");
        let details = &advert.details;
        assert_eq!(details.price.map(|price| price.get()), Some(account.prices[taken - 1] as f64));
        assert_eq!(details.title.as_ref().map(|title| title.as_str()), Some(account.title().as_str()));
        let description = details.description.as_ref().map(|text| text.as_str());
        assert_eq!(description, Some(account.description().as_str()));
    }
}

/// Settles what a sender sent but got no receipt for. Returns how many prices were stored. Fails while the database restarts.
pub async fn settle(store: &SqlStore, sender: &mut Sender) -> Result<usize, store::Error> {
    let adverts = adverts(store, &sender.accounts).await?;
    Ok(settle_with(&adverts, sender))
}

/// What was sent but not acknowledged counts from here on as stored or as never sent, whichever it is.
fn settle_with(adverts: &[Option<Advert>], sender: &mut Sender) -> usize {
    let taken: Vec<usize> =
        adverts.iter().map(|advert| advert.as_ref().map_or(0, |advert| advert.events.len())).collect();
    for array in sender.open_arrays.drain(..) {
        let there = array.iter().filter(|sent| taken[sent.account] > sent.price).count();
        assert!(there == 0 || there == array.len(), "{there} of an array of {}", array.len());
    }
    let mut recovered = 0;
    for (account, taken) in sender.accounts.iter_mut().zip(taken) {
        assert!(taken >= account.acknowledged, "{account:?} is lost: {taken} are stored");
        recovered += taken - account.acknowledged;
        account.prices.truncate(taken);
        account.acknowledged = taken;
    }
    // What was not stored was never created; its references are free again.
    while sender.accounts.last().is_some_and(|account| account.prices.is_empty()) {
        sender.accounts.pop();
    }
    recovered
}

/// Returns the adverts of the accounts, where they exist.
async fn adverts(store: &SqlStore, accounts: &[Account]) -> Result<Vec<Option<Advert>>, store::Error> {
    let site = SiteKey::parse(SITE).unwrap();
    let identity =
        |account: &Account| Identity::SiteReference(site.clone(), account.reference.as_str().into());
    let located = store.locate(accounts.iter().map(identity).collect()).await?;
    let properties = located.iter().flatten().map(|located| located.property).collect();
    let properties = store.properties(properties).await?;
    let advert = |located: &Option<store::AdvertRef>| {
        let located = (*located)?;
        let property = &properties[&located.property].property;
        Some(property.advert(located.advert).expect("the located advert exists").clone())
    };
    Ok(located.iter().map(advert).collect())
}
