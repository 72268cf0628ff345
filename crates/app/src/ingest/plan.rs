//! Plans a batch of drafts: a pure function from [`Loaded`] records to steps and receipts.
//!
//! A plan does not read the store. It returns the records it still needs as [`Missing`], so that tests need no store and a batch
//! can be planned again after a conflict. Drafts of one batch see each other: the second draft of an advert is merged with the
//! first. `group` decides which property an advert belongs to.

mod group;
mod identities;
mod relocated;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use domain::FieldUpdate;
use domain::attribute;
use domain::grouping::{Decision, Member, Signature};
use domain::merge::{self, Effect, Merged};
use domain::price::{self, CheckedPrice, PriceFinding};
use domain::property::ADVERTS_MAX;
use domain::restore;
use domain::{
    Advert, AdvertDraft, AdvertEvent, AdvertId, GivenPlace, IdSource, Identity, Placement, PriceProblem,
    Property, PropertyId, Timestamp, Violation,
};
use foldhash::fast::RandomState;
use places::Certainty;
use store::{AdvertRef, Expected, PutCause, PutProperty, Step, StoredProperty};

use self::group::{Group, Move, Signed};
use self::identities::given_reference;
pub use self::relocated::Relocated;
use super::{Creation, Outcome, Receipt};
use crate::grouping::{GroupingState, Reservation};

/// An advert has three identities, each looked up several times: the default hash takes a few per cent of a plan. This one is seeded
/// as well, so that a client cannot choose which keys collide.
pub type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// The records read from the store so far. An absent key has not been read; `None` means that the store does not contain it.
#[derive(Debug, Default)]
pub struct Loaded {
    pub located: HashMap<Identity, Option<AdvertRef>>,
    pub properties: HashMap<PropertyId, Option<KnownProperty>>,
    /// Properties that exist and cannot be read; `None` in `properties`.
    pub damaged: HashSet<PropertyId>,
    /// What the batches before have changed that the store may not show yet, in order.
    relocated: Vec<Arc<Relocated>>,
    /// Whether a draft is about an address that those batches have released.
    is_uncertain: bool,
    /// New adverts by the index of their draft. They depend on nothing else, and a batch is planned again after each read.
    created: CreatedAdverts,
    /// Whether the properties that these join were looked for.
    is_joined_ahead: bool,
}

/// A property as it is stored, or as it will be after a batch.
#[derive(Debug, Clone)]
pub struct KnownProperty {
    pub property: Arc<Property>,
    /// Every step that writes the property raises it by one.
    pub revision: u32,
}

impl From<StoredProperty> for KnownProperty {
    fn from(StoredProperty { property, version: _, revision }: StoredProperty) -> Self {
        Self { property: property.into(), revision }
    }
}

/// What a batch leaves to the next one: how the store is after its commit, except that the revision of a property which existed and was
/// removed is higher (the next batch that changes it conflicts), and that an address may lead to an older advert ([`Relocated`]).
#[derive(Debug, Default)]
pub struct Handover {
    pub relocated: Arc<Relocated>,
    /// The properties that it writes; `None` for those that it removes.
    properties: HashMap<PropertyId, Option<KnownProperty>>,
}

impl Handover {
    /// What a batch leaves whose properties can be read.
    pub fn of(relocated: Arc<Relocated>) -> Self {
        Self { relocated, properties: HashMap::default() }
    }
}

/// In boxes, because an advert takes kilobytes and is moved from map to map.
type CreatedAdverts = HashMap<usize, Box<CreatedAdvert>>;

/// A draft that became an advert, before it has a property.
#[derive(Debug, Clone)]
struct CreatedAdvert {
    advert: Advert,
    events: Vec<AdvertEvent>,
    certainty: Option<Certainty>,
    warnings: Vec<Violation>,
    signed: Signed,
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
    /// What the plan changed in the state of grouping, to be undone if the steps are not committed.
    pub reservation: Reservation,
    pub handover: Handover,
}

/// Why a batch cannot be planned yet.
#[derive(Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// These records have to be read first.
    Missing(Missing),
    /// An advert joins a property that a batch under way creates: wait for that batch.
    Pending(PropertyId),
}

impl From<Missing> for Obstacle {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

/// What a plan is made with, besides the drafts.
pub struct Context<'a> {
    pub received_at: Timestamp,
    pub creation: Creation,
    pub ids: &'a dyn IdSource,
    pub locator: Locator<'a>,
    /// Computes the signature of an advert.
    pub signer: Signer<'a>,
    /// Whether adverts are grouped by evidence.
    pub automatic: bool,
}

/// Computes the signature of an advert. `None` for one without a commune.
pub type Signer<'a> = &'a (dyn Fn(&Advert) -> Option<Signature> + Sync);

/// From this many drafts on, some of them most likely join properties of the stock.
const DRAFTS_FOR_JOINS: usize = 128;

/// The approximate size that the steps of one plan may reach. Every step contains a whole property, so a few hundred small changes
/// of one property with hundreds of adverts would otherwise fill the memory.
const STEP_BYTES_MAX: usize = 64 * 1024 * 1024;

impl Loaded {
    /// Makes the adverts that are probably new. Needs the identities of the drafts.
    ///
    /// On one thread: other batches are read, planned and written meanwhile. A thread that is started for half of the work takes its
    /// memory from new pages, and gives it back to threads that have to collect it.
    pub fn create_ahead(&mut self, drafts: &[AdvertDraft], context: &Context<'_>) {
        for (index, draft) in drafts.iter().enumerate() {
            if matches!(self.located.get(&draft.identity), Some(None)) {
                let id = new_id(draft, context.ids);
                self.created.insert(index, Box::new(CreatedAdvert::new(draft, id, context)));
            }
        }
    }

    /// Takes over what the batch before leaves, although it is not committed yet.
    pub fn take_over(&mut self, handover: &Handover) {
        self.relocate(Arc::clone(&handover.relocated));
        let properties = handover.properties.iter().map(|(id, property)| (*id, property.clone()));
        self.properties.extend(properties);
    }

    /// Takes over what a batch has changed since the identities were looked up.
    pub fn relocate(&mut self, relocated: Arc<Relocated>) {
        if relocated.is_empty() {
            return;
        }
        for (identity, located) in &mut self.located {
            *located = relocated.follow(identity, *located);
            self.is_uncertain |= relocated.is_released_address(identity);
        }
        self.relocated.push(relocated);
    }

    /// Returns `true` if only the store can tell what a draft is about, once the batches before are committed.
    pub fn is_uncertain(&self) -> bool {
        self.is_uncertain
    }

    /// Adds what the store says about an identity.
    pub fn locate(&mut self, identity: Identity, located: Option<AdvertRef>) {
        let located =
            self.relocated.iter().fold(located, |located, relocated| relocated.follow(&identity, located));
        self.located.insert(identity, located);
    }
}

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
pub type Locator<'a> = &'a (dyn Fn(&GivenPlace) -> Placed + Sync);

/// A resolved place.
#[derive(Debug, Default)]
pub struct Placed {
    pub placement: Option<Placement>,
    pub certainty: Option<Certainty>,
    pub warnings: Vec<Violation>,
}

/// Plans a batch. If it returns an obstacle, the state is as it was.
pub fn plan(
    drafts: &[AdvertDraft],
    loaded: &mut Loaded,
    context: &Context<'_>,
    grouping: &mut GroupingState,
) -> Result<Plan, Obstacle> {
    let missing = missing(drafts, loaded);
    if !missing.is_empty() {
        return Err(missing.into());
    }
    if drafts.len() >= DRAFTS_FOR_JOINS && !std::mem::replace(&mut loaded.is_joined_ahead, true) {
        // Most batches have adverts that join properties of the stock. Finding these first is cheaper than planning twice.
        let missing = joined_ahead(loaded, context, grouping);
        if !missing.is_empty() {
            return Err(missing.into());
        }
    }
    let mut created = std::mem::take(&mut loaded.created);
    /// An advert has a uuid, a reference and an address.
    const IDENTITIES: usize = 3;
    let mut batch = Batch {
        loaded,
        context,
        grouping,
        reservation: Reservation::default(),
        located: Relocated::with_capacity(IDENTITIES * drafts.len()),
        properties: HashMap::with_capacity_and_hasher(drafts.len(), RandomState::default()),
        steps: Vec::with_capacity(drafts.len()),
        step_bytes: 0,
    };
    let mut receipts = Vec::with_capacity(drafts.len());
    // Collects what all drafts miss. Stopping at the first would cost one read per draft.
    let (mut missing, mut pending) = (Missing::default(), None);
    for (index, draft) in drafts.iter().enumerate() {
        if batch.located.is_released_address(&draft.identity) {
            // The next part asks the store whether another advert has it.
            break;
        }
        match batch.apply(index, draft, &mut created) {
            Ok(receipt) => receipts.push(receipt),
            Err(Obstacle::Missing(more)) => missing.add(more),
            Err(Obstacle::Pending(property)) => pending = Some(property),
        }
        if batch.step_bytes >= STEP_BYTES_MAX {
            break;
        }
    }
    let Batch { steps, reservation, grouping, located, properties, .. } = batch;
    let obstacle = match (missing.is_empty(), pending) {
        (true, None) => {
            let written = properties.into_iter().filter_map(|(id, state)| Some((id, state.written()?)));
            let handover = Handover { relocated: located.into(), properties: written.collect() };
            return Ok(Plan { steps, receipts, reservation, handover });
        }
        (false, _) => Obstacle::Missing(missing),
        (true, Some(property)) => Obstacle::Pending(property),
    };
    grouping.roll_back(reservation);
    loaded.created = created;
    Err(obstacle)
}

/// Returns the properties of the stock that new adverts join and that have not been read.
fn joined_ahead(loaded: &Loaded, context: &Context<'_>, grouping: &GroupingState) -> Missing {
    let mut properties = BTreeSet::new();
    for created in loaded.created.values().filter(|_| context.automatic) {
        let CreatedAdvert { advert, signed: Signed { signature, is_named, .. }, .. } = &**created;
        let Some(signature) = signature.as_ref().filter(|_| !is_named) else { continue };
        let member = Member { advert: advert.id, signature, is_named: *is_named };
        if let Decision::Join { property, merge, .. } = grouping.decide(member, None) {
            properties.extend(std::iter::once(property).chain(merge));
        }
    }
    properties.retain(|id| !loaded.properties.contains_key(id));
    Missing { identities: Vec::new(), properties: properties.into_iter().collect() }
}

fn new_id(draft: &AdvertDraft, ids: &dyn IdSource) -> AdvertId {
    match draft.identity {
        Identity::Uuid(id) => id,
        Identity::SiteReference(..) | Identity::Url(_) => AdvertId::from_uuid(ids.fresh()),
    }
}

impl CreatedAdvert {
    fn new(draft: &AdvertDraft, id: AdvertId, context: &Context<'_>) -> Self {
        let Context { received_at, creation, locator, signer, .. } = context;
        let place = match &draft.patch.place {
            FieldUpdate::Set(place) => place.clone(),
            FieldUpdate::Keep => GivenPlace::default(),
        };
        let Placed { placement, certainty, warnings } = locator(&place);
        let create = match creation {
            Creation::Derived => merge::create,
            Creation::Verbatim => restore::restore,
        };
        let Merged { advert, effect: _, events } = create(id, draft.clone(), placement, *received_at);
        // The price is checked later, in the market of that moment.
        let (is_named, price) = (draft.property.is_some(), CheckedPrice::of(&advert));
        let signed = Signed { signature: signer(&advert), is_named, price };
        Self { advert, events, certainty, warnings, signed }
    }
}

/// Returns the identities of drafts, to be looked up first.
pub fn identities(drafts: &[AdvertDraft]) -> Vec<Identity> {
    missing(drafts, &Loaded::default()).identities
}

/// Returns the records that the drafts name directly, so that two reads are enough for most batches.
fn missing(drafts: &[AdvertDraft], loaded: &Loaded) -> Missing {
    let mut missing = Missing::default();
    for draft in drafts {
        // A draft with a uuid only needs its reference to be free; reading it now saves a round trip.
        let reference = match &draft.identity {
            Identity::Uuid(_) => given_reference(draft),
            Identity::SiteReference(..) | Identity::Url(_) => None,
        };
        for identity in std::iter::once(&draft.identity).chain(&reference) {
            match loaded.located.get(identity) {
                None => missing.identities.push(identity.clone()),
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
    context: &'a Context<'a>,
    grouping: &'a mut GroupingState,
    reservation: Reservation,
    /// Identities that earlier drafts of this batch have added, moved or removed.
    located: Relocated,
    /// Properties as the steps so far leave them.
    properties: HashMap<PropertyId, PropertyState>,
    steps: Vec<Step>,
    step_bytes: usize,
}

/// A property after the steps so far, and the version that the next step expects in the store.
struct PropertyState {
    /// Shared with the step that writes it, until a later step changes it again.
    property: Option<Arc<Property>>,
    expected: Expected,
    /// The revision after the steps so far. Counted from zero for one that does not exist, even if it was removed before.
    revision: u32,
}

impl PropertyState {
    /// Returns what the next step expects, and counts that step.
    fn expect(&mut self) -> Expected {
        self.revision += 1;
        std::mem::replace(&mut self.expected, Expected::WrittenBefore)
    }

    /// Returns how the steps leave the property. `None` if there are none about it.
    fn written(self) -> Option<Option<KnownProperty>> {
        let Self { property, expected, revision } = self;
        (expected == Expected::WrittenBefore)
            .then(|| property.map(|property| KnownProperty { property, revision }))
    }
}

impl Batch<'_> {
    fn apply(
        &mut self,
        index: usize,
        draft: &AdvertDraft,
        created: &mut CreatedAdverts,
    ) -> Result<Receipt, Obstacle> {
        match self.locate(&draft.identity)? {
            Some(located) => self.update(draft.clone(), located),
            None => {
                let advert = created.remove(&index).unwrap_or_else(|| {
                    let id = new_id(draft, self.context.ids);
                    Box::new(CreatedAdvert::new(draft, id, self.context))
                });
                match self.group_of_created(draft, &advert) {
                    Ok(Ok(group)) => Ok(self.create(draft, *advert, &group)?),
                    Ok(Err(violation)) => Ok(Receipt::Rejected { violations: vec![violation] }),
                    Err(obstacle) => {
                        created.insert(index, advert);
                        Err(obstacle)
                    }
                }
            }
        }
    }

    /// Returns the property of a new advert, or why the advert is refused.
    fn group_of_created(
        &mut self,
        draft: &AdvertDraft,
        created: &CreatedAdvert,
    ) -> Result<Result<Group, Violation>, Obstacle> {
        let CreatedAdvert { advert, signed, .. } = created;
        if let Some(violation) = self.check_reference(advert.id, &advert.details, None)? {
            return Ok(Err(violation));
        }
        let group = match draft.property {
            Some(property) if self.is_damaged(property) => return Ok(Err(damaged(property))),
            Some(property) => Group::only(property),
            None => self.group_of_new(advert.id, signed)?,
        };
        Ok(match self.check_capacity(group.property)? {
            Some(violation) => Err(violation),
            None => Ok(group),
        })
    }

    fn create(
        &mut self,
        draft: &AdvertDraft,
        created: CreatedAdvert,
        group: &Group,
    ) -> Result<Receipt, Missing> {
        let CreatedAdvert { mut advert, events, certainty, mut warnings, mut signed } = created;
        match draft.price_check {
            Some(price_check) if self.context.creation == Creation::Verbatim => {
                advert.price_check = price_check
            }
            _ => {
                let finding = price::evaluate(&mut advert, None, &self.grouping.prices);
                warnings.extend(finding.and_then(price_warning));
            }
        }
        signed.price = signed.price.with_check(advert.price_check);
        let (id, property_id) = (advert.id, group.property);
        let claim = draft.identity.clone();
        self.record_identities(id, property_id, &advert.details, None, &claim);
        let state = self.state(property_id)?;
        let property =
            state.property.get_or_insert_with(|| Property { id: property_id, adverts: Vec::new() }.into());
        Arc::make_mut(property).put(advert);
        self.put(property_id, id, PutCause::Created { claim, events }, Some(signed))?;
        self.merge_into(property_id, &group.merge)?;
        Ok(Receipt::Accepted {
            advert: id,
            property: property_id,
            outcome: Outcome::Created,
            certainty,
            warnings,
        })
    }

    fn update(&mut self, draft: AdvertDraft, located: AdvertRef) -> Result<Receipt, Obstacle> {
        let AdvertRef { advert: id, property: property_id } = located;
        let unreadable =
            [Some(property_id), draft.property].into_iter().flatten().find(|it| self.is_damaged(*it));
        if let Some(property) = unreadable {
            return Ok(Receipt::Rejected { violations: vec![damaged(property)] });
        }
        let Some(current) =
            self.state(property_id)?.property.as_ref().and_then(|property| property.advert(id)).cloned()
        else {
            // The advert was erased or moved between the two reads; the commit would conflict. Read both again.
            return Err(Missing { identities: vec![draft.identity], properties: vec![property_id] }.into());
        };
        if self.is_outdated(&draft.identity, &current) {
            // However often it is read: then the batch is planned once those before are committed.
            return Err(Missing { identities: vec![draft.identity], properties: vec![property_id] }.into());
        }
        let named = draft.property;
        let destination = named.filter(|property| *property != property_id);
        if let Some(destination) = destination
            && let Some(violation) = self.check_capacity(destination)?
        {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        if self.context.creation == Creation::Verbatim
            && destination.is_none()
            && restore::describes(&draft, &current)
        {
            if let Some(price_check) =
                draft.price_check.filter(|check| !check.agrees_with(current.price_check))
            {
                return Ok(self.take_over_check(property_id, Advert { price_check, ..current })?);
            }
            return Ok(Receipt::Accepted {
                advert: id,
                property: property_id,
                outcome: Outcome::Unchanged,
                certainty: None,
                warnings: Vec::new(),
            });
        }
        let Placed { placement, certainty, mut warnings } = match draft.updated_place(&current.details.place)
        {
            FieldUpdate::Set(place) => (self.context.locator)(&place),
            FieldUpdate::Keep => Placed::default(),
        };
        let claim = draft.identity.clone();
        let Merged { mut advert, effect, events } =
            merge::update(&current, draft, placement, self.context.received_at);
        let finding = price::evaluate(&mut advert, Some(&current), &self.grouping.prices);
        warnings.extend(finding.and_then(price_warning));
        if let Some(violation) = self.check_reference(id, &advert.details, Some(&current.details))? {
            return Ok(Receipt::Rejected { violations: vec![violation] });
        }
        let accepted =
            |property, outcome| Receipt::Accepted { advert: id, property, outcome, certainty, warnings };
        let signed = match effect {
            Effect::Unchanged | Effect::Crawled if destination.is_none() => None,
            _ => self.signed_again(&advert, named.is_some()),
        };
        let group = match (destination, &signed) {
            (Some(destination), _) => Group::only(destination),
            (None, Some(signed)) => self.group_of_changed(id, property_id, signed)?,
            (None, None) => Group::only(property_id),
        };
        if group.property != property_id {
            // The advert may have been changed by the same request.
            self.record_identities(id, group.property, &advert.details, Some(&current.details), &claim);
            let (from, to, automatic) = (property_id, group.property, destination.is_none());
            self.move_advert(Move { from, to, advert, events, signed, automatic })?;
            self.merge_into(group.property, &group.merge)?;
            return Ok(accepted(group.property, Outcome::Updated));
        }
        if effect == Effect::Unchanged {
            return Ok(accepted(property_id, Outcome::Unchanged));
        }
        self.record_identities(id, property_id, &advert.details, Some(&current.details), &claim);
        let crawled = effect == Effect::Crawled;
        let mut reads_alike = true;
        if let Some(property) = &mut self.state(property_id)?.property {
            let before = crawled.then(|| Arc::clone(property));
            Arc::make_mut(property).put(advert);
            reads_alike = before.is_none_or(|before| attribute::same_attributes(&before, property));
        }
        // A new crawl date may make the property take its values from another advert. If its attributes change, it is a new
        // version.
        let cause = if crawled && reads_alike { PutCause::Crawled } else { PutCause::Changed { events } };
        self.put(property_id, id, cause, signed)?;
        self.merge_into(property_id, &group.merge)?;
        Ok(accepted(property_id, if crawled { Outcome::Unchanged } else { Outcome::Updated }))
    }

    /// Stores what a later export says of the price of an advert about which it says nothing else that is new.
    fn take_over_check(&mut self, property: PropertyId, advert: Advert) -> Result<Receipt, Missing> {
        let (id, signed) = (advert.id, self.signed_again(&advert, false));
        if let Some(known) = &mut self.state(property)?.property {
            Arc::make_mut(known).put(advert);
        }
        self.put(property, id, PutCause::Changed { events: Vec::new() }, signed)?;
        let (certainty, warnings) = (None, Vec::new());
        Ok(Receipt::Accepted { advert: id, property, outcome: Outcome::Updated, certainty, warnings })
    }

    /// Adds the step that writes a property as it is now. `signed` is what grouping knows about the advert, if that has changed.
    fn put(
        &mut self,
        property_id: PropertyId,
        advert: AdvertId,
        cause: PutCause,
        signed: Option<Signed>,
    ) -> Result<(), Missing> {
        let grouping = signed.map(|signed| self.record_signed(advert, property_id, signed));
        let state = self.state(property_id)?;
        let expected = state.expect();
        if let Some(property) = &state.property {
            let bytes = approximate_bytes(property);
            let property = Arc::clone(property);
            self.steps.push(Step::Put(PutProperty { property, expected, advert, cause, grouping }));
            self.step_bytes += bytes;
        }
        Ok(())
    }

    fn state(&mut self, id: PropertyId) -> Result<&mut PropertyState, Missing> {
        if !self.properties.contains_key(&id) {
            let loaded = self.loaded.properties.get(&id);
            let state = match loaded {
                Some(Some(known)) => PropertyState {
                    property: Some(Arc::clone(&known.property)),
                    expected: Expected::Revision(known.revision),
                    revision: known.revision,
                },
                // A fresh id was never read; an id from the client was read and not found. Neither exists.
                Some(None) | None => PropertyState { property: None, expected: Expected::New, revision: 0 },
            };
            self.properties.insert(id, state);
        }
        self.properties.get_mut(&id).ok_or_else(|| Missing { identities: Vec::new(), properties: vec![id] })
    }

    fn is_damaged(&self, property: PropertyId) -> bool {
        self.loaded.damaged.contains(&property)
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

/// Says that the property of an advert cannot be read. Only this advert is refused.
fn damaged(property: PropertyId) -> Violation {
    let message = format!(
        "The stored record of property {property} is damaged, and the advert was not changed. Send it again once the operator of \
         the service has repaired the record."
    );
    Violation::contradiction("", message)
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

/// Says that a price looks wrong. A missing price is no mistake.
fn price_warning(finding: PriceFinding) -> Option<Violation> {
    (finding.problem != PriceProblem::NoPrice).then(|| Violation::invalid("price", finding))
}
