//! Decisions of people, which beat automatic ones.

use std::collections::{BTreeSet, HashMap};

use crate::ids::AdvertId;

/// What a person decided about two adverts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They are of one property.
    Same,
    /// They are of two properties.
    Different,
}

/// A decision about two sets of adverts: each of one set with each of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonDecision {
    pub verdict: Verdict,
    pub left: Vec<AdvertId>,
    pub right: Vec<AdvertId>,
}

/// All decisions of people. The latest one about two adverts counts.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    decisions: Vec<PersonDecision>,
    /// The decisions about an advert, in order, and on which side it is.
    by_advert: HashMap<AdvertId, Vec<(usize, Side)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Verdicts {
    /// Adds a decision that is later than all others.
    pub fn add(&mut self, decision: &PersonDecision) {
        let number = self.decisions.len();
        self.decisions.push(decision.clone());
        for (side, adverts) in [(Side::Left, &decision.left), (Side::Right, &decision.right)] {
            for advert in adverts {
                self.by_advert.entry(*advert).or_default().push((number, side));
            }
        }
    }

    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Returns the latest decision about two adverts.
    pub fn about(&self, one: AdvertId, other: AdvertId) -> Option<Verdict> {
        let (ones, others) = (self.by_advert.get(&one)?, self.by_advert.get(&other)?);
        let both = |(number, side): &&(usize, Side)| {
            others.iter().any(|(other, other_side)| other == number && other_side != side)
        };
        ones.iter().rev().find(both).map(|(number, _)| self.decisions[*number].verdict)
    }

    /// Returns the adverts that are of one property with this one, as people decided.
    pub fn same_as(&self, advert: AdvertId) -> BTreeSet<AdvertId> {
        let mut same = BTreeSet::new();
        for (number, side) in self.by_advert.get(&advert).into_iter().flatten() {
            let decision = &self.decisions[*number];
            let others = match side {
                Side::Left => &decision.right,
                Side::Right => &decision.left,
            };
            same.extend(others.iter().filter(|other| self.about(advert, **other) == Some(Verdict::Same)));
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advert(number: u8) -> AdvertId {
        AdvertId::from_bytes([number; 16])
    }

    #[test]
    fn the_latest_decision_about_two_adverts_counts() {
        let mut verdicts = Verdicts::default();
        let left = vec![advert(1), advert(2)];
        verdicts.add(&PersonDecision { verdict: Verdict::Same, left: left.clone(), right: vec![advert(3)] });
        assert_eq!(verdicts.about(advert(3), advert(2)), Some(Verdict::Same));
        assert_eq!(verdicts.same_as(advert(3)), BTreeSet::from([advert(1), advert(2)]));
        assert_eq!(verdicts.about(advert(1), advert(2)), None, "both are on one side");
        verdicts.add(&PersonDecision { verdict: Verdict::Different, left: vec![advert(3)], right: left });
        assert_eq!(verdicts.about(advert(3), advert(2)), Some(Verdict::Different));
        assert_eq!(verdicts.about(advert(3), advert(4)), None);
        assert_eq!(verdicts.same_as(advert(3)), BTreeSet::new());
    }
}
