//! Weighs the evidence about two adverts.

use super::evidence::{Evidence, EvidenceCollector, EvidenceKind, Veto};
use super::facts::{surface_relation, weigh_facts, weigh_surface};
use super::prices::{relation, weigh_costs, weigh_price};
use super::publishers::weigh_publishers;
use super::signature::{Fact, Signature};
use super::texts::{texts_may_add, weigh_pictures, weigh_texts};
use super::vetoes;
use crate::kinds::PropertyType;

/// From this score on, an advert joins the property of another. It was lowered from 8 while reading hand-written pairs: of 112 pairs of
/// two homes none reaches 7 (the highest has 6.5), of 112 pairs of one home 106 do.
pub const JOIN_SCORE: f32 = 7.0;

/// Below this score, an advert whose facts changed leaves its property. Lower than [`JOIN_SCORE`], because one portal is updated
/// before the other.
pub const KEEP_SCORE: f32 = 2.0;

/// Below this score, two adverts are not brought into one property by a third one that fits both.
pub const CONTRADICTION_SCORE: f32 = -3.0;

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

impl EvidenceCollector for Comparison {
    fn add(&mut self, kind: EvidenceKind, points: f32, detail: impl FnOnce() -> String) {
        self.score += points;
        self.evidence.push(Evidence { kind, points, detail: detail() });
    }

    fn sum(&self) -> f32 {
        self.score
    }
}

/// Only the sum of the evidence.
struct Score(f32);

impl EvidenceCollector for Score {
    fn add(&mut self, _: EvidenceKind, points: f32, _: impl FnOnce() -> String) {
        self.0 += points;
    }

    fn sum(&self) -> f32 {
        self.0
    }
}

/// Compares two adverts and explains the result, which does not depend on their order. Adverts that cannot be compared have no other
/// evidence.
pub fn compare(one: &Signature, other: &Signature, rarity: &dyn Rarity) -> Comparison {
    let mut comparison = Comparison::default();
    comparison.veto = weigh(one, other, rarity, f32::NEG_INFINITY, &mut comparison);
    comparison
}

/// Compares two adverts without explaining the result: `None` if it is vetoed.
pub(super) fn score(one: &Signature, other: &Signature, rarity: &dyn Rarity) -> Option<f32> {
    let mut score = Score(0.0);
    let veto = weigh(one, other, rarity, f32::NEG_INFINITY, &mut score);
    veto.is_none().then_some(score.0)
}

/// Returns whether two adverts have at least this score and no veto, as fast as possible: most pairs are decided before their texts are
/// compared. With [`JOIN_SCORE`], it is [`Comparison::joins`].
pub fn reaches(one: &Signature, other: &Signature, least: f32, rarity: &dyn Rarity) -> bool {
    let mut score = Score(0.0);
    weigh(one, other, rarity, least, &mut score).is_none() && score.0 >= least
}

/// Weighs all evidence. Leaves out the texts if they cannot lift the sum to `least`.
fn weigh(
    one: &Signature,
    other: &Signature,
    rarity: &dyn Rarity,
    least: f32,
    collector: &mut impl EvidenceCollector,
) -> Option<Veto> {
    let (price, surface) = (relation(one, other), surface_relation(one, other));
    let veto = vetoes::veto(one, other, price, surface);
    if veto == Some(Veto::NotComparable) || veto.is_some() && least > f32::NEG_INFINITY {
        return veto;
    }
    weigh_place(one, other, collector);
    weigh_price(one, other, price, collector);
    weigh_surface(one, other, surface, collector);
    weigh_facts(one, other, collector);
    weigh_costs(one, other, collector);
    weigh_publishers(one, other, collector);
    weigh_pictures(one, other, collector);
    if texts_may_add(one, other, least - collector.sum()) {
        weigh_texts(one, other, (price, surface), rarity, collector);
    }
    veto
}

/// Returns how rare homes of this kind and size are: a point for each factor of ten. There are ten times as many flats and houses as
/// buildings, shops and offices. One flat in ten has 110 m², one in a hundred 160 m²; houses are larger. One house in thirty has a
/// hectare of land.
fn rareness(signature: &Signature) -> f32 {
    const HECTARE: f32 = 10_000.0;
    let surface = signature.surface().unwrap_or_default();
    let by_surface = |[tenth, hundredth, thousandth]: [f32; 3]| match surface {
        _ if surface >= thousandth => 2.0,
        _ if surface >= hundredth => 1.0,
        _ if surface >= tenth => 0.5,
        _ => 0.0,
    };
    match signature.property_type {
        PropertyType::Building | PropertyType::Shop | PropertyType::Office => 1.0,
        PropertyType::Apartment => by_surface([110.0, 160.0, 250.0]),
        PropertyType::House => {
            let has_hectare = signature.number(Fact::LandSurface).is_some_and(|land| land >= HECTARE);
            by_surface([180.0, 250.0, 400.0]).max(if has_hectare { 1.0 } else { 0.0 })
        }
        _ => 0.0,
    }
}

/// Equal facts mean less where there are more homes: a point for each factor of ten.
fn weigh_place(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    /// Half of the communes have fewer than 500 inhabitants. Below this, the figure says little about the market.
    const POPULATION_MIN: u32 = 300;
    let population = one.commune.population.max(other.commune.population);
    let points = 1.5 - (population.max(POPULATION_MIN) as f32 / 1_000.0).log10();
    let rareness = rareness(one).min(rareness(other));
    collector.add(EvidenceKind::Place, points + rareness, || {
        let unusual = if rareness > 0.0 { ", a rare kind or size" } else { "" };
        format!("{population} inhabitants{unusual}")
    });
    if one.property_type != other.property_type {
        let is_flat = [one, other].iter().any(|signature| signature.property_type == PropertyType::Apartment);
        let points = if is_flat { -2.5 } else { -1.0 };
        collector.add(EvidenceKind::PropertyType, points, || "different types".into());
    }
}
