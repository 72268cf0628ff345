//! The slots of a timeline: the values that it follows. A field is one slot; a field that is merged part by part has one more for each
//! of its parts.

use crate::advert_fields::AdvertField;

/// A value that a timeline follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// A whole field. For a field with parts, only whether it was given; for the place, the commune it was resolved to.
    Field(AdvertField),
    FieldPart(FieldPart),
}

/// A part of a field. A crawl may give one part and not the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldPart {
    PublisherName,
    PublisherType,
    EnergyLetter,
    EnergyValue,
    GasLetter,
    GasValue,
    Insee,
    Zipcode,
    CityName,
    Point,
    Accuracy,
    Country,
}

/// The number of slots.
pub const SLOT_COUNT: usize = AdvertField::ALL.len() + FieldPart::ALL.len();

// A set of slots has one bit for each.
const _: () = assert!(SLOT_COUNT <= 128);

impl FieldPart {
    pub const ALL: &'static [Self] = &[
        Self::PublisherName,
        Self::PublisherType,
        Self::EnergyLetter,
        Self::EnergyValue,
        Self::GasLetter,
        Self::GasValue,
        Self::Insee,
        Self::Zipcode,
        Self::CityName,
        Self::Point,
        Self::Accuracy,
        Self::Country,
    ];

    /// Returns the field that the part belongs to.
    pub const fn field(self) -> AdvertField {
        match self {
            Self::PublisherName | Self::PublisherType => AdvertField::Publisher,
            Self::EnergyLetter | Self::EnergyValue => AdvertField::Energy,
            Self::GasLetter | Self::GasValue => AdvertField::GreenHouseGas,
            Self::Insee | Self::Zipcode | Self::CityName | Self::Point | Self::Accuracy | Self::Country => {
                AdvertField::Place
            }
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::PublisherName => "publisher.name",
            Self::PublisherType => "publisher.type",
            Self::EnergyLetter => "energy.category",
            Self::EnergyValue => "energy.value",
            Self::GasLetter => "green_house_gas.category",
            Self::GasValue => "green_house_gas.value",
            Self::Insee => "place.insee",
            Self::Zipcode => "place.zipcode",
            Self::CityName => "place.city_name",
            Self::Point => "place.point",
            Self::Accuracy => "place.accuracy",
            Self::Country => "place.country",
        }
    }
}

impl Slot {
    pub fn all() -> impl Iterator<Item = Self> {
        let fields = AdvertField::ALL.iter().map(|field| Self::Field(*field));
        fields.chain(FieldPart::ALL.iter().map(|part| Self::FieldPart(*part)))
    }

    /// Returns the position of the slot in this build. A new field moves it, so it is never stored.
    pub const fn index(self) -> usize {
        match self {
            Self::Field(field) => field as usize,
            Self::FieldPart(part) => AdvertField::ALL.len() + part as usize,
        }
    }

    fn at_index(index: usize) -> Option<Self> {
        match AdvertField::ALL.get(index) {
            Some(field) => Some(Self::Field(*field)),
            None => FieldPart::ALL.get(index - AdvertField::ALL.len()).map(|part| Self::FieldPart(*part)),
        }
    }

    /// Returns the name of the slot, from which stored numbers are assigned.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Field(field) => field.name(),
            Self::FieldPart(part) => part.name(),
        }
    }

    /// Returns `true` if the fingerprint of the slot contains an amount.
    pub(crate) const fn is_amount(self) -> bool {
        match self {
            Self::Field(field) => field.is_amount(),
            Self::FieldPart(part) => matches!(part, FieldPart::EnergyValue | FieldPart::GasValue),
        }
    }
}

/// A set of slots.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct SlotSet(u128);

impl SlotSet {
    pub const fn contains(self, slot: Slot) -> bool {
        self.0 & (1 << slot.index()) != 0
    }

    pub const fn insert(&mut self, slot: Slot) {
        self.0 |= 1 << slot.index();
    }

    pub const fn remove(&mut self, slot: Slot) {
        self.0 &= !(1 << slot.index());
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the set as one bit for each index of a slot.
    pub const fn index_bits(self) -> u128 {
        self.0
    }

    pub fn iter(self) -> impl Iterator<Item = Slot> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            Slot::at_index(index).filter(|_| index < 128)
        })
    }
}

impl FromIterator<Slot> for SlotSet {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> Self {
        let mut set = Self::default();
        for slot in slots {
            set.insert(slot);
        }
        set
    }
}

impl std::fmt::Debug for SlotSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter().map(Slot::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_numbered_without_gaps() {
        let slots: Vec<Slot> = Slot::all().collect();
        assert_eq!(slots.len(), SLOT_COUNT);
        for (index, slot) in slots.iter().enumerate() {
            assert_eq!((slot.index(), Slot::at_index(index)), (index, Some(*slot)));
        }
        let set: SlotSet = slots.iter().copied().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), slots);
        let mut one = SlotSet::default();
        one.insert(slots[5]);
        assert_eq!(one.iter().collect::<Vec<_>>(), [slots[5]]);
        one.remove(slots[5]);
        assert!(one.is_empty() && one.iter().next().is_none());
    }
}
