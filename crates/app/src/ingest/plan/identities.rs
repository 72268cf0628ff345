//! Which advert an identity leads to: the identities that a batch adds, moves and releases.

use domain::{Advert, AdvertDetails, AdvertDraft, AdvertId, Identity, PropertyId, Violation};
use store::AdvertRef;

use super::{Batch, Missing};

impl Batch<'_> {
    pub(super) fn locate(&self, identity: &Identity) -> Result<Option<AdvertRef>, Missing> {
        match self.loaded.located.get(identity) {
            Some(located) => Ok(self.located.follow(identity, *located)),
            None if self.located.contains(identity) => Ok(self.located.follow(identity, None)),
            None => Err(Missing { identities: vec![identity.clone()], properties: Vec::new() }),
        }
    }

    /// Returns `true` if a batch before has given an identity to an advert, and another process has taken it away since.
    pub(super) fn is_outdated(&self, identity: &Identity, advert: &Advert) -> bool {
        let is_handed_over = || self.loaded.relocated.iter().any(|relocated| relocated.contains(identity));
        !matches!(identity, Identity::Uuid(_))
            && !self.located.contains(identity)
            && is_handed_over()
            && identities_of(&advert.details).all(|known| known != *identity)
    }

    /// Records for the rest of the batch which identities locate the advert, and which no longer do.
    pub(super) fn record_identities(
        &mut self,
        advert: AdvertId,
        property: PropertyId,
        details: &AdvertDetails,
        before: Option<&AdvertDetails>,
        claim: &Identity,
    ) {
        let located = AdvertRef { advert, property };
        let kept: Vec<Identity> = identities_of(details).collect();
        let released = before.into_iter().flat_map(identities_of).filter(|identity| !kept.contains(identity));
        for identity in released {
            self.located.release(identity);
        }
        for identity in [Identity::Uuid(advert), claim.clone()].into_iter().chain(kept) {
            self.located.record(identity, located);
        }
    }

    /// Returns a violation if the reference of the site belongs to another advert.
    pub(super) fn check_reference(
        &self,
        advert: AdvertId,
        details: &AdvertDetails,
        before: Option<&AdvertDetails>,
    ) -> Result<Option<Violation>, Missing> {
        let Some(key) = reference_of(details) else { return Ok(None) };
        if before.and_then(reference_of).as_ref() == Some(&key) {
            return Ok(None);
        }
        Ok(self.locate(&key)?.filter(|owner| owner.advert != advert).map(|owner| {
            let message = format!("Advert {} of this site already has this reference.", owner.advert);
            Violation::contradiction("reference", message)
        }))
    }
}

/// Returns the identities of an advert besides its uuid.
fn identities_of(details: &AdvertDetails) -> impl Iterator<Item = Identity> {
    let address = details.url.as_ref().map(|url| Identity::Url(url.comparison_key().into()));
    reference_of(details).into_iter().chain(address)
}

fn reference_of(details: &AdvertDetails) -> Option<Identity> {
    let (site, reference) = details.site.as_ref().zip(details.reference.as_ref())?;
    Some(Identity::SiteReference(site.clone(), reference.as_str().into()))
}

pub(super) fn given_reference(draft: &AdvertDraft) -> Option<Identity> {
    let site = draft.patch.site.value()?.as_ref()?;
    let reference = draft.patch.reference.value()?.as_ref()?;
    Some(Identity::SiteReference(site.clone(), reference.as_str().into()))
}
