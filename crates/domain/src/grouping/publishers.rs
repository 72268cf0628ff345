//! Evidence from who publishes the adverts, and where.

use super::evidence::{EvidenceCollector, EvidenceKind};
use super::signature::{Fact, Flag, List, Signature};

/// Returns `true` if both adverts have a value of this kind, and the same.
pub fn is_equal(one: &Signature, other: &Signature, fact: Fact) -> bool {
    one.hash(fact).is_some() && one.hash(fact) == other.hash(fact)
}

/// Returns `true` if one agency publishes both adverts, as far as they tell.
pub fn is_one_agency(one: &Signature, other: &Signature) -> bool {
    is_equal(one, other, Fact::Agency) || is_equal(one, other, Fact::Phone)
}

/// Returns `true` if two different adverts of one site are both live.
pub fn are_live_on_one_site(one: &Signature, other: &Signature) -> bool {
    let has_other_reference = match (one.hash(Fact::Reference), other.hash(Fact::Reference)) {
        (Some(reference), Some(others)) => reference != others,
        // An advert has one identity on its site: two adverts without a reference have different addresses.
        _ => true,
    };
    one.is_live && other.is_live && is_equal(one, other, Fact::Site) && has_other_reference
}

/// Returns `true` if both adverts name the same mandate.
pub fn is_one_mandate(one: &Signature, other: &Signature) -> bool {
    let others = other.list(List::Mandates);
    one.list(List::Mandates).iter().any(|mandate| others.contains(mandate))
}

/// Returns `true` if one agency publishes both adverts under references of its own that differ.
pub fn are_two_mandates(one: &Signature, other: &Signature) -> bool {
    let have_mandates = !one.list(List::Mandates).is_empty() && !other.list(List::Mandates).is_empty();
    have_mandates && !is_one_mandate(one, other) && is_one_agency(one, other)
}

pub fn weigh_publishers(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let is_person = one.flag(Flag::Person) == Some(true) && other.flag(Flag::Person) == Some(true);
    if is_equal(one, other, Fact::Phone) {
        // An agency has one number for all its homes.
        let points = if is_person { 2.5 } else { 0.5 };
        collector.add(EvidenceKind::Phone, points, || "the same telephone number".into());
    }
    if is_equal(one, other, Fact::Agency) {
        collector.add(EvidenceKind::Agency, 0.5, || "the same agency".into());
    }
    if is_one_mandate(one, other) {
        collector.add(EvidenceKind::Mandate, 5.0, || "the same reference of the mandate".into());
    } else if are_two_mandates(one, other) {
        collector.add(EvidenceKind::Mandate, -2.0, || "two mandates of one agency".into());
    }
    if are_live_on_one_site(one, other) {
        collector
            .add(EvidenceKind::Site, -2.0, || "both are live on one site under different references".into());
    }
}
