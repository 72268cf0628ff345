//! Finds the pairs of adverts that automatic grouping nearly decided the other way, so that a person can decide them.

use super::compare::{CONTRADICTION_SCORE, JOIN_SCORE, KEEP_SCORE, Rarity, score};
use super::decide::{Candidate, MEMBERS_MAX, Member};
use super::verdict::Verdicts;
use crate::ids::AdvertId;

/// How far from [`JOIN_SCORE`] a decision is doubtful. It is what an equal surface is worth: one fact that a site left out or got wrong
/// would have changed the decision.
pub const DOUBTFUL_MARGIN: f32 = 2.5;

/// Two adverts and their score, near the one that decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredPair {
    /// Of two properties, the advert of the older property is the first. In one property, the second is the advert that is held there.
    pub adverts: [AdvertId; 2],
    pub score: f32,
    /// The score that decides: above it, they are one property.
    pub needed: f32,
}

impl ScoredPair {
    /// Returns how far the score is from the one that decides.
    pub fn distance(&self) -> f32 {
        (self.score - self.needed).abs()
    }
}

/// Returns the closest pair of two properties, if a few more points would have made them one.
///
/// There is none if a person decided about two of their adverts, or if two of them veto or contradict each other: more points would then
/// not have helped. Nor if the sender of one of the two adverts named its property.
pub fn doubtful_between(
    one: &Candidate<'_>,
    other: &Candidate<'_>,
    verdicts: &Verdicts,
    rarity: &dyn Rarity,
) -> Option<ScoredPair> {
    let [one, other] = if one.property <= other.property { [one, other] } else { [other, one] };
    if one.members.len() + other.members.len() > MEMBERS_MAX {
        return None;
    }
    let mut closest: Option<(f32, [&Member<'_>; 2])> = None;
    for member in &one.members {
        for peer in &other.members {
            if verdicts.about(member.advert, peer.advert).is_some() {
                return None;
            }
            let score = score(member.signature, peer.signature, rarity)?;
            if !(CONTRADICTION_SCORE..JOIN_SCORE).contains(&score) {
                return None;
            }
            if closest.is_none_or(|(best, _)| score > best) {
                closest = Some((score, [member, peer]));
            }
        }
    }
    let (score, pair) = closest.filter(|(score, _)| *score >= JOIN_SCORE - DOUBTFUL_MARGIN)?;
    let is_named = pair.iter().any(|member| member.is_named);
    (!is_named).then(|| ScoredPair { adverts: pair.map(|member| member.advert), score, needed: JOIN_SCORE })
}

/// Returns the advert of a property that the least evidence holds there, with the one that is closest to it, if the evidence is hardly
/// enough.
///
/// An advert is not doubtful if its sender named the property, or if a person decided about it and another advert of the property.
pub fn doubtful_within(
    property: &Candidate<'_>,
    verdicts: &Verdicts,
    rarity: &dyn Rarity,
) -> Option<ScoredPair> {
    if property.members.len() > MEMBERS_MAX {
        return None;
    }
    let held = property.members.iter().filter(|member| !member.is_named);
    let doubtful = held.filter_map(|member| {
        let others = || property.members.iter().filter(|other| other.advert != member.advert);
        if others().any(|other| verdicts.about(member.advert, other.advert).is_some()) {
            return None;
        }
        let scored =
            others().filter_map(|other| Some((score(member.signature, other.signature, rarity)?, other)));
        let (score, closest) = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let is_doubtful = score < JOIN_SCORE + DOUBTFUL_MARGIN && !closest.is_named;
        let adverts = [closest.advert, member.advert];
        is_doubtful.then(|| ScoredPair { adverts, score, needed: needed_within(score) })
    });
    // Of two adverts that hold each other, the newer one is held: ids sort by time.
    doubtful
        .min_by(|one, other| one.score.total_cmp(&other.score).then(other.adverts[1].cmp(&one.adverts[1])))
}

/// Returns the score that is nearer: the one from which on an advert joins a property, or the one below which it leaves.
fn needed_within(score: f32) -> f32 {
    if score < f32::midpoint(JOIN_SCORE, KEEP_SCORE) { KEEP_SCORE } else { JOIN_SCORE }
}
