//! Chooses the property of an advert.

use super::compare::{CONTRADICTION_SCORE, JOIN_SCORE, KEEP_SCORE, Rarity, score};
use super::signature::Signature;
use super::verdict::{Verdict, Verdicts};
use crate::ids::{AdvertId, PropertyId};

/// More adverts than this do not come together by themselves: no home is on so many portals.
pub const MEMBERS_MAX: usize = 50;

/// An advert of a candidate.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub advert: AdvertId,
    pub signature: &'a Signature,
    /// Whether the sender named its property.
    pub is_named: bool,
}

/// A property that an advert may belong to.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    pub property: PropertyId,
    pub members: Vec<Member<'a>>,
}

/// The advert to decide about.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    pub member: Member<'a>,
    /// Its property so far. `None` for a new advert.
    pub current: Option<PropertyId>,
}

/// The property of an advert.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It stays where it is. A new advert becomes a property of its own.
    Stay,
    /// It leaves its property and becomes one of its own.
    Leave,
    /// It joins this property. The others turn out to be the same one: they are merged into it.
    Join { property: PropertyId, merge: Vec<PropertyId>, score: f32 },
}

/// Decides about an advert. `candidates` contains its current property, without the advert itself, if that has other adverts.
///
/// - A person's verdict counts before everything else.
/// - An advert joins the candidate with the highest score of a pair, if that is at least [`JOIN_SCORE`] and no advert of the
///   candidate vetoes or contradicts it ([`CONTRADICTION_SCORE`]). Equal scores: the older property.
/// - Other candidates that it would join as well are merged with that one, unless adverts of the two veto or contradict each other:
///   the advert is the missing link. Otherwise the order of arrival would decide.
/// - An advert leaves its property if an advert there vetoes it, or if no pair reaches [`KEEP_SCORE`]. It moves if no pair there
///   reaches [`JOIN_SCORE`], but one elsewhere does.
pub fn decide(
    judged: Judged<'_>,
    candidates: &[Candidate<'_>],
    verdicts: &Verdicts,
    rarity: &dyn Rarity,
) -> Decision {
    if judged.member.is_named {
        return Decision::Stay;
    }
    let link = |candidate: &Candidate<'_>, rule| link(judged.member, candidate, rule, verdicts, rarity);
    let current = candidates.iter().find(|candidate| Some(candidate.property) == judged.current);
    let kept = current.and_then(|current| Some((link(current, Rule::Stay)?, current)));
    let mut joined: Vec<(f32, &Candidate<'_>)> = candidates
        .iter()
        .filter(|candidate| Some(candidate.property) != judged.current)
        .filter(|candidate| candidate.members.len() < MEMBERS_MAX)
        .filter_map(|candidate| Some((link(candidate, Rule::Join)?, candidate)))
        .collect();
    joined.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.property.cmp(&other.1.property)));
    let best = match (kept, joined.first()) {
        (Some(kept), Some(_)) if kept.0 >= JOIN_SCORE => kept,
        (_, Some(best)) => *best,
        (Some(kept), None) => kept,
        (None, None) if current.is_some() => return Decision::Leave,
        (None, None) => return Decision::Stay,
    };
    let mut group = vec![best.1];
    let kept = kept.into_iter().filter(|kept| kept.1.property != best.1.property);
    for (_, candidate) in joined.into_iter().chain(kept) {
        let count: usize = group.iter().map(|known| known.members.len()).sum();
        if candidate.property != best.1.property
            && count + candidate.members.len() < MEMBERS_MAX
            && group.iter().all(|known| are_compatible(known, candidate, verdicts, rarity))
        {
            group.push(candidate);
        }
    }
    // The property that a sender named keeps its id, otherwise the oldest does: ids sort by time.
    let is_named = |candidate: &&Candidate<'_>| candidate.members.iter().any(|member| member.is_named);
    let survivor = group.iter().min_by_key(|candidate| (!is_named(candidate), candidate.property));
    let property = survivor.map_or(best.1.property, |candidate| candidate.property);
    let merge: Vec<PropertyId> =
        group.iter().map(|candidate| candidate.property).filter(|id| *id != property).collect();
    if judged.current == Some(property) && merge.is_empty() {
        return Decision::Stay;
    }
    Decision::Join { property, merge, score: best.0 }
}

/// What an advert must show to be in a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Join,
    /// It is there already.
    Stay,
}

/// Returns the best score of a pair if the advert fits the candidate.
fn link(
    judged: Member<'_>,
    candidate: &Candidate<'_>,
    rule: Rule,
    verdicts: &Verdicts,
    rarity: &dyn Rarity,
) -> Option<f32> {
    let verdict = |member: &Member<'_>| verdicts.about(judged.advert, member.advert);
    let is = |expected: Verdict| candidate.members.iter().any(|member| verdict(member) == Some(expected));
    if is(Verdict::Different) {
        return None;
    }
    // A person's verdict about one member beats the veto of another.
    if is(Verdict::Same) {
        return Some(f32::INFINITY);
    }
    let mut best = f32::NEG_INFINITY;
    for member in &candidate.members {
        let score = score(judged.signature, member.signature, rarity)?;
        if rule == Rule::Join && score < CONTRADICTION_SCORE {
            return None;
        }
        best = best.max(score);
    }
    let least = if rule == Rule::Join { JOIN_SCORE } else { KEEP_SCORE };
    (best >= least).then_some(best)
}

/// Returns `true` if two properties may be merged because of a third advert.
fn are_compatible(
    one: &Candidate<'_>,
    other: &Candidate<'_>,
    verdicts: &Verdicts,
    rarity: &dyn Rarity,
) -> bool {
    // A sender that names two properties says that they are different.
    let is_named = |candidate: &Candidate<'_>| candidate.members.iter().any(|member| member.is_named);
    if is_named(one) && is_named(other) {
        return false;
    }
    one.members.iter().all(|member| {
        other.members.iter().all(|peer| match verdicts.about(member.advert, peer.advert) {
            Some(verdict) => verdict == Verdict::Same,
            None => score(member.signature, peer.signature, rarity)
                .is_some_and(|score| score >= CONTRADICTION_SCORE),
        })
    })
}
