//! What a batch of drafts does to what is known: pure, from [`Knowledge`] to steps and receipts.
//!
//! The plan asks for what it does not know yet ([`Missing`]) instead of reading it, so that it needs no store to be tested
//! and can be made again after a conflict. Drafts of one batch see each other: the second draft of an advert is merged
//! with the first.

use std::collections::HashMap;

use domain::attribute;
use domain::FieldUpdate;
use domain::grouping::{self, Grouping};
use domain::merge::{self, Effect, Merged};
use domain::property::ADVERTS_MAX;
use domain::{
    AdvertDetails, AdvertDraft, AdvertId, GivenPlace, IdSource, Identity, Placement, Property, PropertyId,
    Timestamp, Violation,
};
use places::Certainty;
use store::{Expected, AdvertRef, PutCause, PutProperty, Step, StoredProperty};

use super::{Outcome, Receipt};

/// What has been read from the store so far. A key that is absent has not been asked for; `None` means it is not there.
#[derive(Debug, Default)]
pub struct Knowledge {
    pub located: HashMap<Identity, Option<AdvertRef>>,
    pub properties: HashMap<PropertyId, Option<StoredProperty>>,
}

/// What a plan needs to know before it can be made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Missing {
    pub identities: Vec<Identity>,
    pub properties: Vec<PropertyId>,
}

/// What the first drafts of a batch do: as many as there are receipts, usually all of them.
#[derive(Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub receipts: Vec<Receipt>,
}

/// Every step holds the whole property it makes. This is about how many bytes of them one plan may come to: a few hundred
/// small changes of one property with hundreds of adverts would otherwise fill the memory.
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

/// Puts a given place on the map.
pub type Locator<'a> = &'a dyn Fn(&GivenPlace) -> Placed;

/// What the map says of a given place.
#[derive(Debug, Default)]
pub struct Placed {
    pub placement: Option<Placement>,
    pub certainty: Option<Certainty>,
    pub warnings: Vec<Violation>,
}

pub fn plan(
    drafts: &[AdvertDraft],
    knowledge: &Knowledge,
    received_at: Timestamp,
    ids: &dyn IdSource,
    locator: Locator<'_>,
) -> Result<Plan, Missing> {
    let missing = missing(drafts, knowledge);
    if missing != Missing::default() {
        return Err(missing);
    }
    let mut batch = Batch {
        knowledge,
        received_at,
        ids,
        locator,
        located: HashMap::new(),
        slots: HashMap::new(),
        steps: Vec::new(),
        step_bytes: 0,
    };
    let mut receipts = Vec::with_capacity(drafts.len());
    // What one draft lacks is no reason not to ask for what the others lack: otherwise each would cost a read of its own.
    let mut missing = Missing::default();
    for draft in drafts {
        match batch.take(draft.clone()) {
            Ok(receipt) => receipts.push(receipt),
            Err(lacking) => missing.add(lacking),
        }
        if batch.step_bytes >= STEP_BYTES_MAX {
            break;
        }
    }
    if missing.is_empty() { Ok(Plan { steps: batch.steps, receipts }) } else { Err(missing) }
}

/// Everything a first look at the drafts says will be needed, so that two reads are enough for most batches.
fn missing(drafts: &[AdvertDraft], knowledge: &Knowledge) -> Missing {
    let mut missing = Missing::default();
    for draft in drafts {
        let mut identities = vec![draft.identity.clone()];
        // With a uuid the reference only has to be free; asking now saves a round.
        if let (Identity::Uuid(_), Some(key)) = (&draft.identity, given_reference(draft)) {
            identities.push(key);
        }
        for identity in identities {
            match knowledge.located.get(&identity) {
                None => missing.identities.push(identity),
                Some(located) => missing.properties.extend(located.map(|located| located.property)),
            }
        }
        missing.properties.extend(draft.property);
    }
    missing.properties.retain(|id| !knowledge.properties.contains_key(id));
    missing.properties.sort_unstable();
    missing.properties.dedup();
    missing
}

struct Batch<'a> {
    knowledge: &'a Knowledge,
    received_at: Timestamp,
    ids: &'a dyn IdSource,
    locator: Locator<'a>,
    /// What earlier drafts of this batch did to identities and properties.
    located: HashMap<Identity, Option<AdvertRef>>,
    slots: HashMap<PropertyId, Slot>,
    steps: Vec<Step>,
    step_bytes: usize,
}

/// A property in the state the steps so far leave it in.
struct Slot {
    property: Option<Property>,
    expected: Expected,
}

impl Batch<'_> {
    fn take(&mut self, draft: AdvertDraft) -> Result<Receipt, Missing> {
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
        let home = match grouping::choose(&draft) {
            Grouping::Join(property) => property,
            Grouping::NewProperty => PropertyId::from_uuid(self.ids.fresh()),
        };
        if let Some(violation) = self.full(home)? {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        let place = match &draft.patch.place {
            FieldUpdate::Set(place) => place.clone(),
            FieldUpdate::Keep => GivenPlace::default(),
        };
        let Placed { placement, certainty, warnings } = (self.locator)(&place);
        let claim = draft.identity.clone();
        let Merged { advert, effect: _, events } = merge::create(id, draft, placement, self.received_at);
        if let Some(violation) = self.reference_taken(id, &advert.details, None)? {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        self.remember(id, home, &advert.details, None, &claim);
        let slot = self.slot(home)?;
        let property = slot.property.get_or_insert_with(|| Property { id: home, adverts: Vec::new() });
        property.put(advert);
        self.put(home, id, PutCause::Created { claim, events })?;
        Ok(Receipt::Accepted { advert: id, property: home, outcome: Outcome::Created, certainty, warnings })
    }

    fn update(&mut self, mut draft: AdvertDraft, located: AdvertRef) -> Result<Receipt, Missing> {
        let AdvertRef { advert: id, property: home } = located;
        let Some(known) =
            self.slot(home)?.property.as_ref().and_then(|property| property.advert(id)).cloned()
        else {
            // Erased or moved between the two reads: what was located is stale, and the commit would conflict. Reading
            // again settles it.
            return Err(Missing { identities: vec![draft.identity], properties: vec![home] });
        };
        let destination = draft.property.filter(|property| *property != home);
        if let Some(destination) = destination
            && let Some(violation) = self.full(destination)?
        {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        draft.patch.place = draft.updated_place(&known.details.place);
        let Placed { placement, certainty, warnings } = match &draft.patch.place {
            FieldUpdate::Set(place) => (self.locator)(place),
            FieldUpdate::Keep => Placed { placement: known.placement.clone(), ..Placed::default() },
        };
        let claim = draft.identity.clone();
        let Merged { advert, effect, events } = merge::update(&known, draft, placement, self.received_at);
        if let Some(violation) = self.reference_taken(id, &advert.details, Some(&known.details))? {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        let accepted =
            |property, outcome| Receipt::Accepted { advert: id, property, outcome, certainty, warnings };
        match (destination, effect) {
            (None, Effect::Unchanged) => Ok(accepted(home, Outcome::Unchanged)),
            (None, effect) => {
                self.remember(id, home, &advert.details, Some(&known.details), &claim);
                let crawled = effect == Effect::Crawled;
                let mut reads_alike = true;
                if let Some(property) = &mut self.slot(home)?.property {
                    let before = crawled.then(|| property.clone());
                    property.put(advert);
                    reads_alike = before.is_none_or(|before| attribute::same_attributes(&before, property));
                }
                if crawled {
                    // A sighting may make another advert the one that a property takes its values from. Then it answers otherwise
                    // than before, and that is a version of its own.
                    let cause = if reads_alike { PutCause::Crawled } else { PutCause::Changed { events } };
                    self.put(home, id, cause)?;
                    Ok(accepted(home, Outcome::Unchanged))
                } else {
                    self.put(home, id, PutCause::Changed { events })?;
                    Ok(accepted(home, Outcome::Updated))
                }
            }
            (Some(destination), _) => {
                self.leave(home, id)?;
                self.remember(id, destination, &advert.details, Some(&known.details), &claim);
                let slot = self.slot(destination)?;
                let property =
                    slot.property.get_or_insert_with(|| Property { id: destination, adverts: Vec::new() });
                property.put(advert);
                self.put(destination, id, PutCause::Joined { from: home, events })?;
                Ok(accepted(destination, Outcome::Updated))
            }
        }
    }

    /// Takes an advert out of a property, and the property away if that was its last.
    fn leave(&mut self, home: PropertyId, advert: AdvertId) -> Result<(), Missing> {
        let slot = self.slot(home)?;
        let expected = std::mem::replace(&mut slot.expected, Expected::WrittenBefore);
        let Some(property) = &mut slot.property else { return Ok(()) };
        property.adverts.retain(|known| known.id != advert);
        let (step, bytes) = if property.adverts.is_empty() {
            slot.property = None;
            (Step::Remove { property: home, expected, advert }, 0)
        } else {
            let bytes = weight(property);
            let property = property.clone();
            (Step::Put(PutProperty { property, expected, advert, cause: PutCause::Left }), bytes)
        };
        self.steps.push(step);
        self.step_bytes += bytes;
        Ok(())
    }

    fn put(&mut self, home: PropertyId, advert: AdvertId, cause: PutCause) -> Result<(), Missing> {
        let slot = self.slot(home)?;
        let expected = std::mem::replace(&mut slot.expected, Expected::WrittenBefore);
        if let Some(property) = &slot.property {
            let bytes = weight(property);
            let step = Step::Put(PutProperty { property: property.clone(), expected, advert, cause });
            self.steps.push(step);
            self.step_bytes += bytes;
        }
        Ok(())
    }

    fn slot(&mut self, id: PropertyId) -> Result<&mut Slot, Missing> {
        if !self.slots.contains_key(&id) {
            let known = self.knowledge.properties.get(&id);
            let slot = match known {
                Some(Some(stored)) => Slot {
                    property: Some(stored.property.clone()),
                    expected: Expected::Revision(stored.revision),
                },
                // A fresh id was never asked for, and a property named by the sender was: neither exists.
                Some(None) | None => Slot { property: None, expected: Expected::New },
            };
            self.slots.insert(id, slot);
        }
        self.slots.get_mut(&id).ok_or_else(|| Missing { identities: Vec::new(), properties: vec![id] })
    }

    fn locate(&self, identity: &Identity) -> Result<Option<AdvertRef>, Missing> {
        if let Some(located) = self.located.get(identity) {
            return Ok(*located);
        }
        match self.knowledge.located.get(identity) {
            Some(located) => {
                // An earlier draft of this batch may have moved it.
                let moved = located.and_then(|located| self.located.get(&Identity::Uuid(located.advert)));
                Ok(moved.copied().flatten().or(*located))
            }
            None => Err(Missing { identities: vec![identity.clone()], properties: Vec::new() }),
        }
    }

    /// Keeps for the rest of the batch how the advert can be found, and how it no longer can.
    fn remember(
        &mut self,
        advert: AdvertId,
        property: PropertyId,
        details: &AdvertDetails,
        before: Option<&AdvertDetails>,
        claim: &Identity,
    ) {
        let located = AdvertRef { advert, property };
        for given_up in before.into_iter().flat_map(identities_of) {
            self.located.insert(given_up, None);
        }
        self.located.insert(Identity::Uuid(advert), Some(located));
        self.located.insert(claim.clone(), Some(located));
        for identity in identities_of(details) {
            match identity {
                // Several adverts may share an address, and the first that had it keeps it.
                Identity::Url(_) => {
                    self.located.entry(identity).or_default().get_or_insert(located);
                }
                Identity::Uuid(_) | Identity::SiteReference(..) => {
                    self.located.insert(identity, Some(located));
                }
            }
        }
    }

    /// A site's reference names one advert; whoever gives it to a second one is told.
    fn reference_taken(
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
            let message = format!("This reference of the site belongs to advert {}.", owner.advert);
            Violation::contradiction("reference", message)
        }))
    }

    fn full(&mut self, property: PropertyId) -> Result<Option<Violation>, Missing> {
        let count = self.slot(property)?.property.as_ref().map_or(0, |property| property.adverts.len());
        Ok((count >= ADVERTS_MAX).then(|| {
            Violation::invalid("property", format!("This property holds {ADVERTS_MAX} adverts already."))
        }))
    }
}

/// Everything besides its uuid that an advert can be found by.
fn identities_of(details: &AdvertDetails) -> impl Iterator<Item = Identity> {
    let address = details.url.as_ref().map(|url| Identity::Url(url.comparison_key().into()));
    reference_of(details).into_iter().chain(address)
}

/// DeliverySubject how many bytes a property takes.
fn weight(property: &Property) -> usize {
    let advert = |advert: &domain::Advert| {
        let details = &advert.details;
        let description = details.description.as_ref().map_or(0, |text| text.as_str().len());
        let lists = details.pictures.len() + details.pictures_remote.len() + details.features.len();
        1_000 + description + 100 * (lists + advert.events.len())
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
