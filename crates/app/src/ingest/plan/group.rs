//! The property of an advert: grouping within a batch.

use std::sync::Arc;

use domain::grouping::{Decision, Member, Signature};
use domain::price::CheckedPrice;
use domain::{Advert, AdvertEvent, AdvertId, Identity, Property, PropertyId};
use engine::GroupingEntry;
use store::{AdvertGrouping, AdvertRef, PutCause, PutProperty, Step};

use super::{Batch, Missing, Obstacle, approximate_bytes};
use crate::grouping::encode_row;

/// What grouping knows about an advert.
#[derive(Debug, Clone)]
pub(super) struct Signed {
    /// `None` for an advert without a commune.
    pub signature: Option<Signature>,
    /// Whether the sender named the property of the advert.
    pub is_named: bool,
    pub price: CheckedPrice,
}

/// The property of an advert, and properties that turn out to be the same one.
pub(super) struct Group {
    pub property: PropertyId,
    pub merge: Vec<PropertyId>,
}

impl Group {
    pub fn only(property: PropertyId) -> Self {
        Self { property, merge: Vec::new() }
    }
}

/// An advert that moves from one property to another.
pub(super) struct Move {
    pub from: PropertyId,
    pub to: PropertyId,
    pub advert: Advert,
    pub events: Vec<AdvertEvent>,
    /// `None` if grouping knows the advert as it is.
    pub signed: Option<Signed>,
    /// Whether evidence moves it, and not its sender.
    pub automatic: bool,
}

impl Batch<'_> {
    pub(super) fn sign(&self, advert: &Advert) -> Option<Signature> {
        (self.context.signer)(advert)
    }

    /// Signs an advert that has changed. `None` if what grouping knows has not.
    pub(super) fn signed_again(&self, advert: &Advert, is_named: bool) -> Option<Signed> {
        let known = self.grouping.index.get(advert.id);
        // A property that was named once stays named: the next crawl does not repeat it.
        let is_named = is_named || known.is_some_and(|known| known.is_named);
        let signature = self.sign(advert);
        let price = CheckedPrice::of(advert);
        let is_known = known.is_some_and(|known| {
            known.is_named == is_named && known.price == price && known.signature == signature
        });
        (!is_known).then_some(Signed { signature, is_named, price })
    }

    /// Returns the property of a new advert.
    pub(super) fn group_of_new(&mut self, advert: AdvertId, signed: &Signed) -> Result<Group, Obstacle> {
        match self.decide(advert, signed, None) {
            Decision::Join { property, merge, .. } if !self.is_damaged(property) => {
                self.group(property, merge)
            }
            // A damaged property takes no advert. `vigie regroup` joins them once it is repaired.
            Decision::Join { .. } | Decision::Stay | Decision::Leave => {
                Ok(Group::only(PropertyId::from_uuid(self.context.ids.fresh())))
            }
        }
    }

    /// Returns the property of an advert whose facts have changed.
    pub(super) fn group_of_changed(
        &mut self,
        advert: AdvertId,
        current: PropertyId,
        signed: &Signed,
    ) -> Result<Group, Obstacle> {
        match self.decide(advert, signed, Some(current)) {
            Decision::Join { property, .. } if self.is_damaged(property) => Ok(Group::only(current)),
            Decision::Stay => Ok(Group::only(current)),
            Decision::Leave => Ok(Group::only(PropertyId::from_uuid(self.context.ids.fresh()))),
            Decision::Join { property, merge, .. } => self.group(property, merge),
        }
    }

    fn decide(&self, advert: AdvertId, signed: &Signed, current: Option<PropertyId>) -> Decision {
        match &signed.signature {
            Some(signature) if self.context.automatic => {
                let member = Member { advert, signature, is_named: signed.is_named };
                self.grouping.decide(member, current)
            }
            Some(_) | None => Decision::Stay,
        }
    }

    /// Checks that the properties of a group can be written.
    fn group(&mut self, property: PropertyId, mut merge: Vec<PropertyId>) -> Result<Group, Obstacle> {
        merge.retain(|id| !self.is_damaged(*id));
        let mut missing = Missing::default();
        for id in std::iter::once(&property).chain(&merge) {
            if self.properties.contains_key(id) {
                continue;
            }
            match self.loaded.properties.get(id) {
                Some(Some(_)) => {}
                Some(None) => return Err(Obstacle::Pending(*id)),
                None => missing.properties.push(*id),
            }
        }
        if missing.is_empty() { Ok(Group { property, merge }) } else { Err(missing.into()) }
    }

    /// Records what grouping knows about an advert, for the rest of the batch and for the store.
    pub(super) fn record_signed(
        &mut self,
        advert: AdvertId,
        property: PropertyId,
        signed: Signed,
    ) -> AdvertGrouping {
        let Signed { signature, is_named, price } = signed;
        let encoded = encode_row(signature.as_ref(), &price);
        let entry = GroupingEntry { property, signature, is_named, price };
        self.grouping.put(advert, entry, &mut self.reservation);
        AdvertGrouping { signature: Some(encoded), is_named }
    }

    /// Moves an advert to another property. A property that has lost its last advert leads to the other one.
    pub(super) fn move_advert(&mut self, advert: Move) -> Result<(), Missing> {
        let Move { from, to, advert, events, signed, automatic } = advert;
        let id = advert.id;
        self.add_adverts(to, vec![advert])?;
        let signed = signed.or_else(|| self.known(id));
        let cause = PutCause::Regrouped { moved: vec![id], from: vec![from], events, automatic };
        self.put(to, id, cause, signed)?;
        self.take_adverts(from, &[id], to)
    }

    /// Moves all adverts of properties to another one.
    pub(super) fn merge_into(&mut self, to: PropertyId, merged: &[PropertyId]) -> Result<(), Missing> {
        for from in merged {
            let adverts = match &self.state(*from)?.property {
                Some(property) => property.adverts.clone(),
                None => continue,
            };
            let moved: Vec<AdvertId> = adverts.iter().map(|advert| advert.id).collect();
            let Some(first) = moved.first().copied() else { continue };
            for advert in &moved {
                let located = AdvertRef { advert: *advert, property: to };
                self.located.record(Identity::Uuid(*advert), located);
                if let Some(known) = self.known(*advert) {
                    self.record_signed(*advert, to, known);
                }
            }
            self.add_adverts(to, adverts)?;
            let (from_list, events) = (vec![*from], Vec::new());
            let cause =
                PutCause::Regrouped { moved: moved.clone(), from: from_list, events, automatic: true };
            self.put(to, first, cause, None)?;
            self.take_adverts(*from, &moved, to)?;
        }
        Ok(())
    }

    fn known(&self, advert: AdvertId) -> Option<Signed> {
        let GroupingEntry { signature, is_named, price, .. } = self.grouping.index.get(advert)?.clone();
        Some(Signed { signature, is_named, price })
    }

    fn add_adverts(&mut self, to: PropertyId, adverts: Vec<Advert>) -> Result<(), Missing> {
        let state = self.state(to)?;
        let property = state.property.get_or_insert_with(|| Property { id: to, adverts: Vec::new() }.into());
        let property = Arc::make_mut(property);
        for advert in adverts {
            property.put(advert);
        }
        Ok(())
    }

    /// Removes adverts from a property, and the property if they were its last ones.
    fn take_adverts(
        &mut self,
        from: PropertyId,
        adverts: &[AdvertId],
        to: PropertyId,
    ) -> Result<(), Missing> {
        let Some(advert) = adverts.first().copied() else { return Ok(()) };
        let state = self.state(from)?;
        let expected = state.expect();
        let Some(property) = &mut state.property else { return Ok(()) };
        Arc::make_mut(property).adverts.retain(|known| !adverts.contains(&known.id));
        let (step, bytes) = if property.adverts.is_empty() {
            state.property = None;
            (Step::Remove { property: from, expected, advert, merged_into: Some(to) }, 0)
        } else {
            let bytes = approximate_bytes(property);
            let (property, cause, grouping) = (Arc::clone(property), PutCause::Left, None);
            (Step::Put(PutProperty { property, expected, advert, cause, grouping }), bytes)
        };
        self.steps.push(step);
        self.step_bytes += bytes;
        Ok(())
    }
}
