//! Weighs the evidence about two adverts.

use super::evidence::{Evidence, EvidenceKind, Veto};
use super::signature::Signature;

/// From this score on, an advert joins the property of another.
pub const JOIN_SCORE: f32 = 7.0;

/// Below this score, an advert whose facts changed leaves its property. Lower than [`JOIN_SCORE`], because one portal is updated
/// before the other.
pub const KEEP_SCORE: f32 = 0.0;

/// How common a part of a text is.
pub trait Rarity {
    /// Returns in how many adverts a shingle occurs, about.
    fn count(&self, shingle: u32) -> u32;
}

/// Treats all shingles as rare.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unweighted;

impl Rarity for Unweighted {
    fn count(&self, _: u32) -> u32 {
        1
    }
}

/// The result of comparing two adverts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// The sum of the evidence.
    pub score: f32,
    pub veto: Option<Veto>,
    pub evidence: Vec<Evidence>,
}

impl Comparison {
    /// Returns `true` if the adverts are of one property as far as these two tell.
    pub fn joins(&self) -> bool {
        self.veto.is_none() && self.score >= JOIN_SCORE
    }
}

/// Compares two adverts. The result does not depend on their order.
pub fn compare(one: &Signature, other: &Signature, _rarity: &dyn Rarity) -> Comparison {
    let mut comparison = Comparison::default();
    if one.commune.city != other.commune.city
        || one.transaction_type != other.transaction_type
        || one.property_type != other.property_type
    {
        comparison.veto = Some(Veto::NotComparable);
    }
    let mut add = |kind, points: f32| {
        comparison.score += points;
        comparison.evidence.push(Evidence { kind, points });
    };
    if one.price.is_some() && one.price == other.price {
        add(EvidenceKind::Price, 4.0);
    }
    if one.surface.is_some() && one.surface == other.surface {
        add(EvidenceKind::Surface, 3.0);
    }
    if one.room.is_some() && one.room == other.room {
        add(EvidenceKind::Rooms, 1.0);
    }
    comparison
}
