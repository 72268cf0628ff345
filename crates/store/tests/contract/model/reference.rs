//! A naive model of the contract, without indexes: every read is a scan.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::grouping::PersonDecision;
use domain::{Advert, AdvertId, Identity, Property, PropertyId, SiteKey, Timestamp};
use store::{
    AdvertGrouping, AdvertRef, Change, ChangeSet, CommitOutcome, DecidedBy, Erased, Erasure, Expected,
    LineageRow, LiveAdvert, LogEntry, Position, PropertyCause, PutCause, PutProperty, RemovalCause,
    SignatureRow, Step, StoredProperty,
};

use super::matches::Matches;
use super::searches::Searches;

#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The current version of each property.
    current: BTreeMap<PropertyId, u32>,
    documents: BTreeMap<(PropertyId, u32), Property>,
    last_versions: BTreeMap<PropertyId, u32>,
    pub searches: Searches,
    pub matches: Matches,
    /// The revision of each property: how often it was written or removed.
    revisions: BTreeMap<PropertyId, u32>,
    /// When each advert was last crawled, and whether it is expired, as last written.
    sightings: BTreeMap<AdvertId, (Timestamp, bool)>,
    adverts_ever: BTreeSet<AdvertId>,
    /// The property of each advert.
    homes: BTreeMap<AdvertId, PropertyId>,
    groupings: BTreeMap<AdvertId, AdvertGrouping>,
    merged_into: BTreeMap<PropertyId, PropertyId>,
    /// The oldest first.
    lineage: Vec<LineageRow>,
    decisions: Vec<(u64, PersonDecision)>,
    decisions_ever: u64,
    log: Vec<LogEntry>,
}

pub struct Conflict;

impl From<Conflict> for CommitOutcome {
    fn from(Conflict: Conflict) -> Self {
        Self::Conflict
    }
}

impl Model {
    pub fn commit(&mut self, changes: &ChangeSet) -> CommitOutcome {
        let mut after = self.clone();
        let decided_by = changes.steps.iter().find_map(|step| match step {
            Step::PutDecision { decided_by, .. } => Some(DecidedBy::Person(decided_by.clone())),
            _ => None,
        });
        let decided_by = decided_by.unwrap_or(DecidedBy::Sender);
        for step in &changes.steps {
            if let Err(refused) = after.apply(step, &decided_by, changes.recorded_at) {
                return refused;
            }
        }
        let wrote = after.log.len() > self.log.len();
        *self = after;
        CommitOutcome::Committed(if wrote { self.head() } else { Position::START })
    }

    fn apply(&mut self, step: &Step, decided_by: &DecidedBy, at: Timestamp) -> Result<(), CommitOutcome> {
        let change = match step {
            Step::Put(put) => self.put(put, decided_by, at)?,
            Step::Remove { property, expected, advert: _, merged_into } => {
                self.check(*property, *expected)?;
                self.current.remove(property);
                *self.revisions.entry(*property).or_default() += 1;
                *self.last_versions.entry(*property).or_default() += 1;
                let into = merged_into.map(|into| self.survivor(into).unwrap_or(into));
                if let Some(into) = into {
                    let leading_here = |(id, to): (&PropertyId, &PropertyId)| (to == property).then_some(*id);
                    let led: Vec<_> = self.merged_into.iter().filter_map(leading_here).collect();
                    self.merged_into.extend(led.into_iter().chain([*property]).map(|id| (id, into)));
                }
                let cause = into.map_or(RemovalCause::AdvertLeft, |into| RemovalCause::Merged { into });
                Change::PropertyRemoved { property: *property, cause }
            }
            Step::PutDecision { decision, decided_by: _ } => {
                self.decisions_ever += 1;
                self.decisions.push((self.decisions_ever, decision.clone()));
                return Ok(());
            }
            Step::PutSearch(put) => self.searches.put(put, self.head().next())?,
            Step::RemoveSearch { search, owner } => match self.searches.remove(*search, *owner) {
                Some(change) => change,
                None => return Ok(()),
            },
        };
        self.append(change, at);
        Ok(())
    }

    fn put(&mut self, put: &PutProperty, decided_by: &DecidedBy, at: Timestamp) -> Result<Change, Conflict> {
        let PutProperty { property, expected, advert, cause, grouping } = put;
        let mut written = vec![*advert];
        self.check(property.id, *expected)?;
        let cause = match cause {
            PutCause::Created { claim, .. }
                if self.locate(claim).is_some() || self.locate(&Identity::Uuid(*advert)).is_some() =>
            {
                return Err(Conflict);
            }
            PutCause::Created { events, .. } | PutCause::Changed { events } => {
                PropertyCause::Advert { events: events.clone() }
            }
            PutCause::Regrouped { moved, from, events, automatic } => {
                let version = |id: &PropertyId| Some((*id, *self.current.get(id)?));
                let from: Option<Vec<_>> = from.iter().map(version).collect();
                let from = from.ok_or(Conflict)?;
                let decided_by = if *automatic { DecidedBy::Grouping } else { decided_by.clone() };
                self.record_move(property.id, moved, &decided_by, at);
                written.extend(moved);
                PropertyCause::Regrouped {
                    events: events.clone(),
                    moved: moved.clone(),
                    from,
                    automatic: *automatic,
                }
            }
            PutCause::Crawled => PropertyCause::Crawl,
            PutCause::Left => PropertyCause::AdvertLeft,
        };
        let version = match (&cause, self.current.get(&property.id)) {
            (PropertyCause::Crawl, Some(version)) => *version,
            _ => self.last_version(property.id) + 1,
        };
        let next = self.head().next();
        self.matches.first_logged.entry(property.id).or_insert(next);
        self.current.insert(property.id, version);
        *self.revisions.entry(property.id).or_default() += 1;
        self.last_versions.insert(property.id, version);
        self.documents.insert((property.id, version), Property::clone(property));
        self.adverts_ever.insert(*advert);
        self.merged_into.remove(&property.id);
        for known in written.iter().filter_map(|advert| property.advert(*advert)) {
            self.sightings.insert(known.id, (known.last_crawled_at, known.is_expired()));
            self.homes.insert(known.id, property.id);
        }
        if let (Some(grouping), true) = (grouping, property.advert(*advert).is_some()) {
            self.groupings.insert(*advert, grouping.clone());
        }
        let mut owners = HashMap::new();
        for (_, known) in self.adverts() {
            if let (Some(site), Some(reference)) = (&known.details.site, &known.details.reference)
                && *owners.entry((site.clone(), reference.clone())).or_insert(known.id) != known.id
            {
                return Err(Conflict);
            }
        }
        Ok(Change::Property { property: property.id, version, advert: *advert, cause })
    }

    fn record_move(&mut self, to: PropertyId, moved: &[AdvertId], decided_by: &DecidedBy, at: Timestamp) {
        let first_row = self.lineage.len();
        for advert in moved {
            let Some(from) = self.homes.get(advert).copied().filter(|from| *from != to) else { continue };
            match self.lineage[first_row..].iter_mut().find(|row| row.from == from) {
                Some(row) => row.adverts.push(*advert),
                None => {
                    let (adverts, decided_by) = (vec![*advert], decided_by.clone());
                    self.lineage.push(LineageRow { at, from, to, adverts, decided_by });
                }
            }
        }
    }

    fn check(&self, property: PropertyId, expected: Expected) -> Result<(), Conflict> {
        let holds = match expected {
            Expected::New => !self.current.contains_key(&property),
            Expected::Revision(revision) => {
                self.current.contains_key(&property) && self.revisions.get(&property) == Some(&revision)
            }
            Expected::WrittenBefore => true,
        };
        if holds { Ok(()) } else { Err(Conflict) }
    }

    pub fn erase(&mut self, erased: AdvertId, at: Timestamp) -> Option<Erased> {
        let property = self.locate(&Identity::Uuid(erased))?.property;
        let held = |document: &&Property| document.id != property && document.advert(erased).is_some();
        let previous_properties: BTreeSet<_> =
            self.documents.values().filter(held).map(|target| target.id).collect();
        let erasure = Erasure { previous_properties: previous_properties.into_iter().collect() };
        for document in self.documents.values_mut() {
            document.adverts.retain(|advert| advert.id != erased);
        }
        self.documents.retain(|_, document| !document.adverts.is_empty());
        for entry in &mut self.log {
            match &mut entry.change {
                Change::Property { advert, cause: PropertyCause::Advert { .. }, .. } if *advert == erased => {
                    entry.change = Change::Erased;
                }
                Change::Property {
                    advert, cause: PropertyCause::Regrouped { events, moved, .. }, ..
                } => {
                    moved.retain(|moved| *moved != erased);
                    if *advert == erased {
                        events.clear();
                    }
                }
                _ => {}
            }
        }
        self.homes.remove(&erased);
        self.groupings.remove(&erased);
        self.lineage.iter_mut().for_each(|row| row.adverts.retain(|advert| *advert != erased));
        self.lineage.retain(|row| !row.adverts.is_empty());
        for (_, decision) in &mut self.decisions {
            decision.left.retain(|advert| *advert != erased);
            decision.right.retain(|advert| *advert != erased);
        }
        self.decisions.retain(|(_, decision)| !decision.left.is_empty() && !decision.right.is_empty());
        let gone = |target: PropertyId| self.documents.keys().all(|(id, _)| *id != target);
        let gone: Vec<_> =
            erasure.previous_properties.iter().copied().filter(|target| gone(*target)).collect();
        self.matches.groups.retain(|group| !gone.contains(&group.property));
        let version = self.current[&property];
        *self.revisions.entry(property).or_default() += 1;
        let rest = self.documents.get(&(property, version)).cloned();
        let property_removed = rest.is_none();
        match rest {
            Some(rest) => {
                self.documents.insert((property, version + 1), rest);
                self.current.insert(property, version + 1);
                self.last_versions.insert(property, version + 1);
                let cause = PropertyCause::AdvertErased(erasure);
                self.append(Change::Property { property, version: version + 1, advert: erased, cause }, at);
            }
            None => {
                self.current.remove(&property);
                *self.last_versions.entry(property).or_default() += 1;
                let alerted = self.matches.by_property().remove(&property).unwrap_or_default();
                self.matches.erased.push((self.head().next(), property, alerted));
                self.matches.groups.retain(|group| group.property != property);
                let cause = RemovalCause::AdvertErased(erasure);
                self.append(Change::PropertyRemoved { property, cause }, at);
            }
        }
        Some(Erased { property, property_removed, position: Position(self.log.len() as u64) })
    }

    fn append(&mut self, change: Change, recorded_at: Timestamp) {
        let position = Position(self.log.len() as u64 + 1);
        self.log.push(LogEntry { position, recorded_at, change });
    }

    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    pub fn head(&self) -> Position {
        Position(self.log.len() as u64)
    }

    pub fn properties(&self) -> HashMap<PropertyId, StoredProperty> {
        let stored = |(id, version): (&PropertyId, &u32)| {
            let property = self.documents[&(*id, *version)].clone();
            (*id, StoredProperty { property, version: *version, revision: self.revisions[id] })
        };
        self.current.iter().map(stored).collect()
    }

    pub fn property(&self, id: PropertyId) -> Option<StoredProperty> {
        self.properties().remove(&id)
    }

    pub fn property_at(&self, id: PropertyId, version: u32) -> Option<&Property> {
        self.documents.get(&(id, version))
    }

    pub fn last_version(&self, id: PropertyId) -> u32 {
        self.last_versions.get(&id).copied().unwrap_or_default()
    }

    pub fn survivor(&self, id: PropertyId) -> Option<PropertyId> {
        let into = self.merged_into.get(&id).copied().filter(|_| !self.current.contains_key(&id));
        into.filter(|into| self.current.contains_key(into))
    }

    pub fn lineage(&self, id: PropertyId) -> Vec<LineageRow> {
        let is_subject =
            |property: &PropertyId| *property == id || self.merged_into.get(property) == Some(&id);
        let rows = self.lineage.iter().rev();
        rows.filter(|row| is_subject(&row.from) || is_subject(&row.to)).cloned().collect()
    }

    pub fn decisions(&self) -> &[(u64, PersonDecision)] {
        &self.decisions
    }

    /// Returns all signatures, by advert.
    pub fn signatures(&self) -> Vec<SignatureRow> {
        let row = |(advert, property): (&AdvertId, &PropertyId)| {
            let AdvertGrouping { signature, is_named } =
                self.groupings.get(advert).cloned().unwrap_or_default();
            let is_expired = self.adverts().any(|(_, known)| known.id == *advert && known.is_expired());
            let located = AdvertRef { advert: *advert, property: *property };
            SignatureRow { located, signature, is_named, is_expired }
        };
        self.homes.iter().map(row).collect()
    }

    /// Returns every current advert with its property.
    pub fn adverts(&self) -> impl Iterator<Item = (PropertyId, &Advert)> {
        self.current.iter().flat_map(|(id, version)| {
            let adverts = self.documents[&(*id, *version)].adverts.iter();
            // While adverts move, a property may still hold one that belongs to another.
            adverts.filter(|advert| self.homes.get(&advert.id) == Some(id)).map(|advert| (*id, advert))
        })
    }

    /// Returns every advert that ever existed.
    pub fn adverts_ever(&self) -> impl Iterator<Item = AdvertId> {
        self.adverts_ever.iter().copied()
    }

    /// Picks one of the adverts that ever existed.
    pub fn pick(&self, index: usize) -> Option<AdvertId> {
        self.adverts_ever().nth(index % self.adverts_ever.len().max(1))
    }

    pub fn locate(&self, identity: &Identity) -> Option<AdvertRef> {
        let details = |advert: &Advert| advert.details.clone();
        let is = |advert: &Advert| match identity {
            Identity::Uuid(id) => advert.id == *id,
            Identity::SiteReference(site, reference) => {
                details(advert).site.as_ref() == Some(site)
                    && details(advert).reference.is_some_and(|known| known.as_str() == &**reference)
            }
            Identity::Url(key) => details(advert).url.is_some_and(|url| url.comparison_key() == **key),
        };
        let found = self.adverts().filter(|(_, advert)| is(advert)).min_by_key(|(_, advert)| advert.id);
        found.map(|(property, advert)| AdvertRef { advert: advert.id, property })
    }

    pub fn counts(&self) -> (u64, u64) {
        (self.current.len() as u64, self.adverts().count() as u64)
    }

    pub fn live_adverts_of_site(&self, site: &SiteKey) -> Vec<LiveAdvert> {
        let mut live: Vec<LiveAdvert> = self
            .adverts()
            .filter(|(_, advert)| advert.details.site.as_ref() == Some(site))
            .map(|(property, advert)| (AdvertRef { advert: advert.id, property }, self.sightings[&advert.id]))
            .filter(|(_, (_, expired))| !expired)
            .map(|(located, (last_crawled_at, _))| LiveAdvert { located, last_crawled_at })
            .collect();
        live.sort_by_key(|live| live.located.advert);
        live
    }

    pub fn not_crawled_since(&self, timestamp: Timestamp) -> Vec<AdvertRef> {
        let mut found: Vec<_> = self
            .adverts()
            .map(|(property, advert)| (self.sightings[&advert.id], AdvertRef { advert: advert.id, property }))
            .filter(|((seen_at, expired), _)| !expired && *seen_at < timestamp)
            .collect();
        found.sort_by_key(|(_, located)| located.advert);
        found.into_iter().map(|(_, located)| located).collect()
    }
}
