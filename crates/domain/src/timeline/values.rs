//! The values of an advert as fingerprints: what a request gives, what an advert has, and the rules by which a crawl changes what is
//! known.

use super::slot::{FieldPart, SLOT_COUNT, Slot, SlotSet};
use crate::advert::Advert;
use crate::advert_fields::{AdvertField, Rating};
use crate::draft::AdvertDraft;
use crate::fingerprint::{EMPTY, Fingerprint, combined};
use crate::place::{GivenPlace, Placement};

/// One fingerprint for each slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values([u64; SLOT_COUNT]);

impl Values {
    pub(crate) const UNKNOWN: Self = Self([EMPTY; SLOT_COUNT]);

    pub(crate) const fn get(&self, slot: Slot) -> u64 {
        self.0[slot.index()]
    }

    pub(crate) const fn set(&mut self, slot: Slot, fingerprint: u64) {
        self.0[slot.index()] = fingerprint;
    }

    /// Returns the values of an advert.
    pub(crate) fn of_advert(advert: &Advert) -> Self {
        let mut values = Self::UNKNOWN;
        let details = &advert.details;
        details.for_each_fingerprint(|field, fingerprint| values.set(Slot::Field(field), fingerprint));
        values.set(Slot::Field(AdvertField::TransactionType), kind(advert.transaction_type.code()));
        values.set(Slot::Field(AdvertField::PropertyType), kind(advert.property_type.code()));
        let place = &details.place;
        values.set(Slot::Field(AdvertField::Place), commune(place, advert.placement.as_ref()));
        let publisher = &details.publisher;
        let (energy, gas) = (&details.energy, &details.green_house_gas);
        for part in FieldPart::ALL {
            let fingerprint = match part {
                FieldPart::PublisherName => publisher.name.fingerprint(),
                FieldPart::PublisherType => publisher.kind.fingerprint(),
                FieldPart::EnergyLetter => energy.category.fingerprint(),
                FieldPart::EnergyValue => energy.value.fingerprint(),
                FieldPart::GasLetter => gas.category.fingerprint(),
                FieldPart::GasValue => gas.value.fingerprint(),
                FieldPart::Insee => place.insee.fingerprint(),
                FieldPart::Zipcode => place.zipcode.fingerprint(),
                FieldPart::CityName => place.city_name.fingerprint(),
                FieldPart::Point => place.point.fingerprint(),
                FieldPart::Accuracy => place.accuracy.fingerprint(),
                FieldPart::Country => place.country.fingerprint(),
            };
            values.set(Slot::FieldPart(*part), fingerprint);
        }
        values
    }

    /// Returns the same with the commune of an advert.
    pub(crate) fn with_commune_of(mut self, advert: &Advert) -> Self {
        let commune = commune(&advert.details.place, advert.placement.as_ref());
        self.set(Slot::Field(AdvertField::Place), commune);
        self
    }

    /// Returns the slots that are known.
    pub(crate) fn known(&self) -> SlotSet {
        Slot::all().filter(|slot| self.get(*slot) != EMPTY).collect()
    }

    /// Applies what a crawl gives. A part that it does not give stays if the rest of its field shows that it is still true.
    pub(crate) fn apply(&mut self, given: SlotSet, crawl: &Self) {
        for slot in given.iter() {
            match slot {
                Slot::Field(AdvertField::Publisher) => {
                    self.apply_pair(FieldPart::PublisherName, FieldPart::PublisherType, given, crawl);
                }
                Slot::Field(AdvertField::Energy) => {
                    self.apply_pair(FieldPart::EnergyLetter, FieldPart::EnergyValue, given, crawl);
                }
                Slot::Field(AdvertField::GreenHouseGas) => {
                    self.apply_pair(FieldPart::GasLetter, FieldPart::GasValue, given, crawl);
                }
                Slot::Field(AdvertField::Place) => self.apply_place(given, crawl),
                Slot::Field(_) => self.set(slot, crawl.get(slot)),
                // An accuracy or a country without a place changes that of the known place.
                Slot::FieldPart(FieldPart::Accuracy | FieldPart::Country)
                    if !given.contains(Slot::Field(AdvertField::Place)) =>
                {
                    self.set(slot, crawl.get(slot));
                }
                Slot::FieldPart(_) => {}
            }
        }
    }

    /// Applies a field of two parts. If one is given alone and is the known one, the other one stays.
    fn apply_pair(&mut self, first: FieldPart, second: FieldPart, given: SlotSet, crawl: &Self) {
        let slots = [Slot::FieldPart(first), Slot::FieldPart(second)];
        let [same_first, same_second] =
            slots.map(|slot| given.contains(slot) && self.get(slot) == crawl.get(slot));
        for (slot, other_is_same) in slots.into_iter().zip([same_second, same_first]) {
            if given.contains(slot) {
                self.set(slot, crawl.get(slot));
            } else if !other_is_same {
                self.set(slot, EMPTY);
            }
        }
    }

    /// Applies a place. If it is in the known commune, the parts that are not given stay.
    fn apply_place(&mut self, given: SlotSet, crawl: &Self) {
        let commune = Slot::Field(AdvertField::Place);
        let same_commune = crawl.get(commune) != EMPTY && crawl.get(commune) == self.get(commune);
        self.set(commune, crawl.get(commune));
        let (point, accuracy) = (Slot::FieldPart(FieldPart::Point), Slot::FieldPart(FieldPart::Accuracy));
        let stays = if given.contains(point) { self.get(point) == crawl.get(point) } else { same_commune };
        if given.contains(accuracy) {
            self.set(accuracy, crawl.get(accuracy));
        } else if !stays {
            self.set(accuracy, EMPTY);
        }
        // The commune was found with the country of the same request, so a country that is not given does not stay.
        let country = Slot::FieldPart(FieldPart::Country);
        self.set(country, if given.contains(country) { crawl.get(country) } else { EMPTY });
        for part in [FieldPart::Insee, FieldPart::Zipcode, FieldPart::CityName, FieldPart::Point] {
            let slot = Slot::FieldPart(part);
            if given.contains(slot) {
                self.set(slot, crawl.get(slot));
            } else if !same_commune {
                self.set(slot, EMPTY);
            }
        }
    }
}

/// What one request says about the values of an advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub given: SlotSet,
    /// Only the given slots have a meaning.
    pub values: Values,
}

impl Reading {
    /// A request that gives no value.
    pub(crate) fn nothing() -> Self {
        Self { given: SlotSet::default(), values: Values::UNKNOWN }
    }

    /// Reads a draft. `placement` is the commune of its place.
    pub(crate) fn of_draft(draft: &AdvertDraft, placement: Option<&Placement>) -> Self {
        let mut reading = Self::nothing();
        reading.give(Slot::Field(AdvertField::TransactionType), kind(draft.transaction_type.code()));
        reading.give(Slot::Field(AdvertField::PropertyType), kind(draft.property_type.code()));
        draft.patch.for_each_given(|field, fingerprint| reading.give(Slot::Field(field), fingerprint));
        if let Some(publisher) = draft.patch.publisher.value() {
            reading.give_known(FieldPart::PublisherName, &publisher.name);
            reading.give_known(FieldPart::PublisherType, &publisher.kind);
        }
        if let Some(Rating { category, value }) = draft.patch.energy.value() {
            reading.give_known(FieldPart::EnergyLetter, category);
            reading.give_known(FieldPart::EnergyValue, value);
        }
        if let Some(Rating { category, value }) = draft.patch.green_house_gas.value() {
            reading.give_known(FieldPart::GasLetter, category);
            reading.give_known(FieldPart::GasValue, value);
        }
        if let Some(place) = draft.patch.place.value() {
            let GivenPlace { insee, zipcode, city_name, point, accuracy, country } = place;
            reading.give_known(FieldPart::Country, country);
            if place.is_empty() && (accuracy.is_some() || country.is_some()) {
                reading.given.remove(Slot::Field(AdvertField::Place));
                reading.give_known(FieldPart::Accuracy, accuracy);
            } else {
                reading.give(Slot::Field(AdvertField::Place), commune(place, placement));
                reading.give_known(FieldPart::Insee, insee);
                reading.give_known(FieldPart::Zipcode, zipcode);
                reading.give_known(FieldPart::CityName, city_name);
                reading.give_known(FieldPart::Point, point);
                // An accuracy describes the point of the same request.
                if point.is_some() {
                    reading.give_known(FieldPart::Accuracy, accuracy);
                }
            }
        }
        reading
    }

    fn give(&mut self, slot: Slot, fingerprint: u64) {
        self.given.insert(slot);
        self.values.set(slot, fingerprint);
    }

    fn give_known(&mut self, part: FieldPart, value: &impl Fingerprint) {
        let fingerprint = value.fingerprint();
        if fingerprint != EMPTY {
            self.give(Slot::FieldPart(part), fingerprint);
        }
    }
}

/// The fingerprint of a kind, by its code.
fn kind(code: u8) -> u64 {
    u64::from(code) + 1
}

/// Returns the code of a kind.
pub(crate) fn kind_code(fingerprint: u64) -> Option<u8> {
    fingerprint.checked_sub(1).and_then(|code| u8::try_from(code).ok())
}

/// Returns the fingerprint of the commune of a place. A place that is not resolved is compared by its text.
fn commune(place: &GivenPlace, placement: Option<&Placement>) -> u64 {
    match placement {
        Some(placement) => placement.insee.fingerprint(),
        None => {
            combined([place.insee.fingerprint(), place.zipcode.fingerprint(), place.city_name.fingerprint()])
        }
    }
}
