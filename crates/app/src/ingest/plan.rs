//! Plans a batch of drafts: a pure function from [`Loaded`] records to steps and receipts.
//!
//! A plan does not read the store. It returns the records it still needs as [`Missing`], so that tests need no store and a batch
//! can be planned again after a conflict. Drafts of one batch see each other: the second draft of an advert is merged with the
//! first.

use std::collections::HashMap;

use domain::FieldUpdate;
use domain::attribute;
use domain::merge::{self, Effect, Merged};
use domain::property::ADVERTS_MAX;
use domain::restore;
use domain::{
    AdvertDetails, AdvertDraft, AdvertId, GivenPlace, IdSource, Identity, Placement, Property, PropertyId,
    Timestamp, Violation,
};
use places::Certainty;
use store::{AdvertRef, Expected, PutCause, PutProperty, Step, StoredProperty};

use super::{Creation, Outcome, Receipt};

/// The records read from the store so far. An absent key has not been read; `None` means that the store does not contain it.
#[derive(Debug, Default)]
pub struct Loaded {
    pub located: HashMap<Identity, Option<AdvertRef>>,
    pub properties: HashMap<PropertyId, Option<StoredProperty>>,
}

/// The records that a plan still needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Missing {
    pub identities: Vec<Identity>,
    pub properties: Vec<PropertyId>,
}

/// The steps of the first drafts of a batch: as many drafts as there are receipts, usually all.
#[derive(Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub receipts: Vec<Receipt>,
}

/// The approximate size that the steps of one plan may reach. Every step contains a whole property, so a few hundred small changes
/// of one property with hundreds of adverts would otherwise fill the memory.
const STEP_BYTES_MAX: usize = 64 * 1024 * 1024;

impl Missing {
    fn is_empty(&self) -> bool {
        self.identities.is_empty() && self.properties.is_empty()
    }

    fn add(&mut self, other: Self) {
        self.identities.extend(other.identities);
        self.properties.extend(other.properties);
    }
}

/// Resolves a given place with the gazetteer.
pub type Locator<'a> = &'a dyn Fn(&GivenPlace) -> Placed;

/// A resolved place.
#[derive(Debug, Default)]
pub struct Placed {
    pub placement: Option<Placement>,
    pub certainty: Option<Certainty>,
    pub warnings: Vec<Violation>,
}

pub fn plan(
    drafts: &[AdvertDraft],
    loaded: &Loaded,
    received_at: Timestamp,
    creation: Creation,
    ids: &dyn IdSource,
    locator: Locator<'_>,
) -> Result<Plan, Missing> {
    let missing = missing(drafts, loaded);
    if missing != Missing::default() {
        return Err(missing);
    }
    let mut batch = Batch {
        loaded,
        received_at,
        creation,
        ids,
        locator,
        located: HashMap::new(),
        properties: HashMap::new(),
        steps: Vec::new(),
        step_bytes: 0,
    };
    let mut receipts = Vec::with_capacity(drafts.len());
    // Collects what all drafts miss. Stopping at the first would cost one read per draft.
    let mut missing = Missing::default();
    for draft in drafts {
        match batch.apply(draft.clone()) {
            Ok(receipt) => receipts.push(receipt),
            Err(more) => missing.add(more),
        }
        if batch.step_bytes >= STEP_BYTES_MAX {
            break;
        }
    }
    if missing.is_empty() { Ok(Plan { steps: batch.steps, receipts }) } else { Err(missing) }
}

/// Returns the records that the drafts name directly, so that two reads are enough for most batches.
fn missing(drafts: &[AdvertDraft], loaded: &Loaded) -> Missing {
    let mut missing = Missing::default();
    for draft in drafts {
        let mut identities = vec![draft.identity.clone()];
        // A draft with a uuid only needs its reference to be free; reading it now saves a round trip.
        if let (Identity::Uuid(_), Some(key)) = (&draft.identity, given_reference(draft)) {
            identities.push(key);
        }
        for identity in identities {
            match loaded.located.get(&identity) {
                None => missing.identities.push(identity),
                Some(located) => missing.properties.extend(located.map(|located| located.property)),
            }
        }
        missing.properties.extend(draft.property);
    }
    missing.properties.retain(|id| !loaded.properties.contains_key(id));
    missing.properties.sort_unstable();
    missing.properties.dedup();
    missing
}

struct Batch<'a> {
    loaded: &'a Loaded,
    received_at: Timestamp,
    creation: Creation,
    ids: &'a dyn IdSource,
    locator: Locator<'a>,
    /// Identities that earlier drafts of this batch have added, moved or removed.
    located: HashMap<Identity, Option<AdvertRef>>,
    /// Properties as the steps so far leave them.
    properties: HashMap<PropertyId, PropertyState>,
    steps: Vec<Step>,
    step_bytes: usize,
}

/// A property after the steps so far, and the version that the next step expects in the store.
struct PropertyState {
    property: Option<Property>,
    expected: Expected,
}

impl Batch<'_> {
    fn apply(&mut self, draft: AdvertDraft) -> Result<Receipt, Missing> {
        match self.locate(&draft.identity)? {
            Some(located) => self.update(draft, located),
            None => self.create(draft),
        }
    }

    fn create(&mut self, draft: AdvertDraft) -> Result<Receipt, Missing> {
        let id = match draft.identity {
            Identity::Uuid(id) => id,
            Identity::SiteReference(..) | Identity::Url(_) => AdvertId::from_uuid(self.ids.fresh()),
        };
        let property_id = draft.property.unwrap_or_else(|| PropertyId::from_uuid(self.ids.fresh()));
        if let Some(violation) = self.check_capacity(property_id)? {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        let place = match &draft.patch.place {
            FieldUpdate::Set(place) => place.clone(),
            FieldUpdate::Keep => GivenPlace::default(),
        };
        let Placed { placement, certainty, warnings } = (self.locator)(&place);
        let claim = draft.identity.clone();
        let create = match self.creation {
            Creation::Derived => merge::create,
            Creation::Verbatim => restore::restore,
        };
        let Merged { advert, effect: _, events } = create(id, draft, placement, self.received_at);
        if let Some(violation) = self.check_reference(id, &advert.details, None)? {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        self.record_identities(id, property_id, &advert.details, None, &claim);
        let state = self.state(property_id)?;
        let property =
            state.property.get_or_insert_with(|| Property { id: property_id, adverts: Vec::new() });
        property.put(advert);
        self.put(property_id, id, PutCause::Created { claim, events })?;
        Ok(Receipt::Accepted {
            advert: id,
            property: property_id,
            outcome: Outcome::Created,
            certainty,
            warnings,
        })
    }

    fn update(&mut self, draft: AdvertDraft, located: AdvertRef) -> Result<Receipt, Missing> {
        let AdvertRef { advert: id, property: property_id } = located;
        let Some(current) =
            self.state(property_id)?.property.as_ref().and_then(|property| property.advert(id)).cloned()
        else {
            // The advert was erased or moved between the two reads; the commit would conflict. Read both again.
            return Err(Missing { identities: vec![draft.identity], properties: vec![property_id] });
        };
        let destination = draft.property.filter(|property| *property != property_id);
        if let Some(destination) = destination
            && let Some(violation) = self.check_capacity(destination)?
        {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        if self.creation == Creation::Verbatim
            && destination.is_none()
            && restore::describes(&draft, &current)
        {
            return Ok(Receipt::Accepted {
                advert: id,
                property: property_id,
                outcome: Outcome::Unchanged,
                certainty: None,
                warnings: Vec::new(),
            });
        }
        let Placed { placement, certainty, warnings } = match draft.updated_place(&current.details.place) {
            FieldUpdate::Set(place) => (self.locator)(&place),
            FieldUpdate::Keep => Placed::default(),
        };
        let claim = draft.identity.clone();
        let Merged { advert, effect, events } = merge::update(&current, draft, placement, self.received_at);
        if let Some(violation) = self.check_reference(id, &advert.details, Some(&current.details))? {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        let accepted =
            |property, outcome| Receipt::Accepted { advert: id, property, outcome, certainty, warnings };
        match (destination, effect) {
            (None, Effect::Unchanged) => Ok(accepted(property_id, Outcome::Unchanged)),
            (None, effect) => {
                self.record_identities(id, property_id, &advert.details, Some(&current.details), &claim);
                let crawled = effect == Effect::Crawled;
                let mut reads_alike = true;
                if let Some(property) = &mut self.state(property_id)?.property {
                    let before = crawled.then(|| property.clone());
                    property.put(advert);
                    reads_alike = before.is_none_or(|before| attribute::same_attributes(&before, property));
                }
                if crawled {
                    // A new crawl date may make the property take its values from another advert. If its attributes change, it is a new
                    // version.
                    let cause = if reads_alike { PutCause::Crawled } else { PutCause::Changed { events } };
                    self.put(property_id, id, cause)?;
                    Ok(accepted(property_id, Outcome::Unchanged))
                } else {
                    self.put(property_id, id, PutCause::Changed { events })?;
                    Ok(accepted(property_id, Outcome::Updated))
                }
            }
            (Some(destination), _) => {
                self.record_identities(id, destination, &advert.details, Some(&current.details), &claim);
                let state = self.state(destination)?;
                let property =
                    state.property.get_or_insert_with(|| Property { id: destination, adverts: Vec::new() });
                property.put(advert);
                let cause = PutCause::Regrouped {
                    moved: vec![id],
                    from: vec![property_id],
                    events,
                    automatic: false,
                };
                self.put(destination, id, cause)?;
                self.remove_advert(property_id, id, destination)?;
                Ok(accepted(destination, Outcome::Updated))
            }
        }
    }

    /// Removes an advert from a property, and the property if that was its last advert: then it is the same as the destination.
    fn remove_advert(
        &mut self,
        property_id: PropertyId,
        advert: AdvertId,
        destination: PropertyId,
    ) -> Result<(), Missing> {
        let state = self.state(property_id)?;
        let expected = std::mem::replace(&mut state.expected, Expected::WrittenBefore);
        let Some(property) = &mut state.property else { return Ok(()) };
        property.adverts.retain(|known| known.id != advert);
        let (step, bytes) = if property.adverts.is_empty() {
            state.property = None;
            (Step::Remove { property: property_id, expected, advert, merged_into: Some(destination) }, 0)
        } else {
            let bytes = approximate_bytes(property);
            let property = property.clone();
            (
                Step::Put(PutProperty { property, expected, advert, cause: PutCause::Left, grouping: None }),
                bytes,
            )
        };
        self.steps.push(step);
        self.step_bytes += bytes;
        Ok(())
    }

    fn put(&mut self, property_id: PropertyId, advert: AdvertId, cause: PutCause) -> Result<(), Missing> {
        let state = self.state(property_id)?;
        let expected = std::mem::replace(&mut state.expected, Expected::WrittenBefore);
        if let Some(property) = &state.property {
            let bytes = approximate_bytes(property);
            let step = Step::Put(PutProperty {
                property: property.clone(),
                expected,
                advert,
                cause,
                grouping: None,
            });
            self.steps.push(step);
            self.step_bytes += bytes;
        }
        Ok(())
    }

    fn state(&mut self, id: PropertyId) -> Result<&mut PropertyState, Missing> {
        if !self.properties.contains_key(&id) {
            let loaded = self.loaded.properties.get(&id);
            let state = match loaded {
                Some(Some(stored)) => PropertyState {
                    property: Some(stored.property.clone()),
                    expected: Expected::Revision(stored.revision),
                },
                // A fresh id was never read; an id from the client was read and not found. Neither exists.
                Some(None) | None => PropertyState { property: None, expected: Expected::New },
            };
            self.properties.insert(id, state);
        }
        self.properties.get_mut(&id).ok_or_else(|| Missing { identities: Vec::new(), properties: vec![id] })
    }

    fn locate(&self, identity: &Identity) -> Result<Option<AdvertRef>, Missing> {
        if let Some(located) = self.located.get(identity) {
            return Ok(*located);
        }
        match self.loaded.located.get(identity) {
            Some(located) => {
                // An earlier draft of this batch may have moved the advert.
                let moved = located.and_then(|located| self.located.get(&Identity::Uuid(located.advert)));
                Ok(moved.copied().flatten().or(*located))
            }
            None => Err(Missing { identities: vec![identity.clone()], properties: Vec::new() }),
        }
    }

    /// Records for the rest of the batch which identities locate the advert, and which no longer do.
    fn record_identities(
        &mut self,
        advert: AdvertId,
        property: PropertyId,
        details: &AdvertDetails,
        before: Option<&AdvertDetails>,
        claim: &Identity,
    ) {
        let located = AdvertRef { advert, property };
        for released in before.into_iter().flat_map(identities_of) {
            self.located.insert(released, None);
        }
        self.located.insert(Identity::Uuid(advert), Some(located));
        self.located.insert(claim.clone(), Some(located));
        for identity in identities_of(details) {
            match identity {
                // Several adverts may share a URL; it locates the first of them.
                Identity::Url(_) => {
                    self.located.entry(identity).or_default().get_or_insert(located);
                }
                Identity::Uuid(_) | Identity::SiteReference(..) => {
                    self.located.insert(identity, Some(located));
                }
            }
        }
    }

    /// Returns a violation if the reference of the site belongs to another advert.
    fn check_reference(
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

    fn check_capacity(&mut self, property: PropertyId) -> Result<Option<Violation>, Missing> {
        let count = self.state(property)?.property.as_ref().map_or(0, |property| property.adverts.len());
        Ok((count >= ADVERTS_MAX).then(|| {
            Violation::invalid(
                "property",
                format!("This property already has {ADVERTS_MAX} adverts, the maximum."),
            )
        }))
    }
}

/// Returns the identities of an advert besides its uuid.
fn identities_of(details: &AdvertDetails) -> impl Iterator<Item = Identity> {
    let address = details.url.as_ref().map(|url| Identity::Url(url.comparison_key().into()));
    reference_of(details).into_iter().chain(address)
}

/// Estimates the size of a property in bytes.
pub fn approximate_bytes(property: &Property) -> usize {
    let advert = |advert: &domain::Advert| {
        let details = &advert.details;
        let description = details.description.as_ref().map_or(0, |text| text.as_str().len());
        let lists = details.pictures.len() + details.pictures_remote.len() + details.features.len();
        1_000 + description + 100 * (lists + advert.events.len() + advert.timeline.crawls.len())
    };
    property.adverts.iter().map(advert).sum()
}

fn reference_of(details: &AdvertDetails) -> Option<Identity> {
    let (site, reference) = details.site.as_ref().zip(details.reference.as_ref())?;
    Some(Identity::SiteReference(site.clone(), reference.as_str().into()))
}

fn given_reference(draft: &AdvertDraft) -> Option<Identity> {
    let site = draft.patch.site.value()?.as_ref()?;
    let reference = draft.patch.reference.value()?.as_ref()?;
    Some(Identity::SiteReference(site.clone(), reference.as_str().into()))
}
