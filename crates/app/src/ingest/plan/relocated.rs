//! Where a batch leaves the adverts.

use domain::Identity;
use store::AdvertRef;

use super::HashMap;

/// The identities that the drafts of a batch added, moved or removed.
///
/// Several adverts may share an address, and it leads to the oldest of them. So when an advert gives one up, only the store knows
/// whether it leads to another one now, and only after the commit.
#[derive(Debug, Clone, Default)]
pub struct Relocated(HashMap<Identity, Location>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Location {
    /// For an address: it leads there, or to an older advert that the store knows.
    At(AdvertRef),
    Released,
}

impl Relocated {
    pub fn with_capacity(capacity: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(capacity, super::RandomState::default()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, identity: &Identity) -> bool {
        self.0.contains_key(identity)
    }

    /// Records that an identity leads to an advert.
    pub fn record(&mut self, identity: Identity, located: AdvertRef) {
        self.add(identity, Location::At(located));
    }

    /// Records that an advert has an identity no more.
    pub fn release(&mut self, identity: Identity) {
        self.0.insert(identity, Location::Released);
    }

    /// Returns `true` for an address that an advert has given up.
    pub fn is_released_address(&self, identity: &Identity) -> bool {
        matches!(identity, Identity::Url(_)) && self.0.get(identity) == Some(&Location::Released)
    }

    /// Adds what the drafts after these have changed.
    pub fn extend(&mut self, next: Self) {
        for (identity, location) in next.0 {
            self.add(identity, location);
        }
    }

    fn add(&mut self, identity: Identity, location: Location) {
        use Location::{At, Released};
        if !matches!(identity, Identity::Url(_)) {
            self.0.insert(identity, location);
            return;
        }
        let known = self.0.entry(identity).or_insert(location);
        *known = match (*known, location) {
            (At(known), At(located)) if known.advert < located.advert => At(known),
            (At(_), location) => location,
            (Released, _) => Released,
        };
    }

    /// Returns where an identity leads after the batch, if it led there before.
    pub fn follow(&self, identity: &Identity, before: Option<AdvertRef>) -> Option<AdvertRef> {
        let located = match self.0.get(identity) {
            None => before,
            Some(Location::Released) => None,
            Some(Location::At(located)) => match identity {
                Identity::Url(_) => before.into_iter().chain([*located]).min_by_key(|located| located.advert),
                Identity::Uuid(_) | Identity::SiteReference(..) => Some(*located),
            },
        };
        // The advert may have been moved without its other identities.
        located.map(|located| match self.0.get(&Identity::Uuid(located.advert)) {
            Some(Location::At(moved)) => *moved,
            Some(Location::Released) | None => located,
        })
    }
}
