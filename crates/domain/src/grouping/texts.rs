//! Evidence from texts and pictures.

use super::compare::Rarity;
use super::evidence::{EvidenceCollector, EvidenceKind};
use super::facts::{SurfaceRelation, floors_differ, text_floors_differ};
use super::features::{POINTS_MAX as FEATURE_POINTS_MAX, SharedFeatures};
use super::prices::PriceRelation;
use super::programmes::may_be_two_units;
use super::publishers::{are_two_mandates, is_one_agency};
use super::signature::{Fact, List, Signature};
use super::sketch::{Overlap, common_count, have_common, overlap};
use crate::closeness::percent_apart;
use crate::kinds::PropertyType;

/// The most points that a common text can add.
const TEXT_POINTS_MAX: f32 = 5.0;

/// The most points that common numbers, and common words, can add.
const NUMBER_POINTS_MAX: f32 = 2.5;
const WORD_POINTS_MAX: f32 = 4.0;

/// The points of a street that both texts name.
const STREET_POINTS: f32 = 2.0;

/// Fewer shingles than this are too few to tell by themselves.
const SHINGLES_ENOUGH: f32 = 12.0;

/// Returns the weight of a part of a text that occurs in so many adverts. A home on five portals has its shingles in five adverts; a
/// phrase in ten counts half, one in a hundred hardly.
fn weight(count: u32) -> f32 {
    const HALF: f32 = 10.0;
    HALF / (HALF + count.saturating_sub(1) as f32)
}

fn shared(one: &Signature, other: &Signature, list: List) -> impl Iterator<Item = u32> {
    one.list(list).iter().copied().filter(move |value| other.list(list).contains(value))
}

/// Returns the streets that both texts name. Those of flats tell nothing: a building has many of them.
fn shared_streets(one: &Signature, other: &Signature) -> impl Iterator<Item = u32> {
    let is_flat = [one, other].iter().any(|signature| signature.property_type == PropertyType::Apartment);
    shared(one, other, List::Streets).filter(move |_| !is_flat)
}

fn overlap_of(one: &Signature, other: &Signature, rarity: &dyn Rarity) -> Overlap {
    overlap(one.shingles(), one.shingle_count(), other.shingles(), other.shingle_count(), |shingle| {
        weight(rarity.count(shingle))
    })
}

/// Returns `false` if two texts cannot add so many points. What has not been looked at counts in full, and what takes longest comes last;
/// rarities, which take longer than all the rest, are not looked up.
pub fn texts_may_add(one: &Signature, other: &Signature, wanted: f32) -> bool {
    /// Sums in another order differ by as little.
    const ROUNDING: f32 = 0.001;
    let mut possible =
        TEXT_POINTS_MAX + FEATURE_POINTS_MAX + NUMBER_POINTS_MAX + STREET_POINTS + WORD_POINTS_MAX + ROUNDING;
    let parts: [(f32, &dyn Fn() -> f32); 5] = [
        (FEATURE_POINTS_MAX, &|| shared_features(one, other).points),
        (NUMBER_POINTS_MAX, &|| shared(one, other, List::Numbers).count() as f32),
        (STREET_POINTS, &|| shared_streets(one, other).next().map_or(0.0, |_| STREET_POINTS)),
        (WORD_POINTS_MAX, &|| common_count(one.list(List::Words), other.list(List::Words)) as f32),
        (TEXT_POINTS_MAX, &|| {
            if have_common(one.shingles(), other.shingles()) { TEXT_POINTS_MAX } else { 0.0 }
        }),
    ];
    for (max, points) in parts {
        if possible < wanted || wanted <= 0.0 {
            break;
        }
        possible -= max - points().min(max);
    }
    possible >= wanted
}

fn shared_features(one: &Signature, other: &Signature) -> SharedFeatures {
    one.features().shared(other.features(), [one.property_type, other.property_type])
}

/// What two adverts share besides the wording. A second agency rewords the text, but gives the same sizes, names and features.
#[derive(Debug, Clone, Copy)]
struct SharedDetails {
    numbers: usize,
    words: Overlap,
    /// The weight of the rarest street that both name.
    street: f32,
    features: SharedFeatures,
}

impl SharedDetails {
    fn of(one: &Signature, other: &Signature, rarity: &dyn Rarity) -> Self {
        let (words, others) = (one.list(List::Words), other.list(List::Words));
        let weight = |word| weight(rarity.count(word));
        Self {
            numbers: shared(one, other, List::Numbers).count(),
            words: overlap(words, one.word_count(), others, other.word_count(), weight),
            street: shared_streets(one, other).map(weight).fold(0.0, f32::max),
            features: shared_features(one, other),
        }
    }

    fn number_points(self) -> f32 {
        (self.numbers as f32).min(NUMBER_POINTS_MAX)
    }

    /// Two texts about different homes of a town have a tenth of their uncommon words in common.
    fn word_points(self) -> f32 {
        let Overlap { share, rarity, common, .. } = self.words;
        (10.0 * (share - 0.1)).clamp(0.0, WORD_POINTS_MAX).min(common as f32) * rarity.sqrt()
    }

    /// Weighs them. What a copied text contains has been counted with the text, so that only the `rest` of it counts.
    fn weigh(self, rest: f32, collector: &mut impl EvidenceCollector) {
        if self.numbers > 0 {
            collector.add(EvidenceKind::Numbers, self.number_points() * rest, || {
                format!("{} numbers in common", self.numbers)
            });
        }
        if self.street > 0.0 {
            collector.add(EvidenceKind::Street, STREET_POINTS * self.street * rest, || {
                "both name the same street".into()
            });
        }
        if self.features.points > 0.0 {
            collector.add(EvidenceKind::Features, self.features.points * rest, || {
                format!("both have: {}", self.features.names())
            });
        }
        if self.words.share > 0.0 {
            let Overlap { share, compared, .. } = self.words;
            collector.add(EvidenceKind::Words, self.word_points() * rest, || {
                format!("{:.0} % of {compared} uncommon words in common", share * 100.0)
            });
        }
    }
}

/// Weighs the pictures and the number of the unit.
pub fn weigh_pictures(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let pictures = shared(one, other, List::Pictures).count();
    if pictures > 0 {
        let points = if pictures == 1 { 2.5 } else { 4.0 };
        collector.add(EvidenceKind::Pictures, points, || format!("{pictures} pictures of the same name"));
    }
    if shared(one, other, List::Marks).next().is_some() {
        let is_series = matches!(one.property_type, PropertyType::Parking | PropertyType::Land);
        collector.add(EvidenceKind::Mark, if is_series { 4.0 } else { 2.0 }, || {
            "the same number of the unit".into()
        });
    }
}

/// Weighs the texts. Two relations say whether the facts that differ between units of one building agree.
pub fn weigh_texts(
    one: &Signature,
    other: &Signature,
    (price, surface): (PriceRelation, SurfaceRelation),
    rarity: &dyn Rarity,
    collector: &mut impl EvidenceCollector,
) {
    let Overlap { share, rarity: rareness, compared, .. } = overlap_of(one, other, rarity);
    let points: f32 = match share {
        0.75.. => TEXT_POINTS_MAX,
        0.55.. => 4.0,
        0.35.. => 3.0,
        0.2.. => 1.5,
        0.1.. => 0.5,
        _ => 0.0,
    };
    let enough = (compared as f32 / SHINGLES_ENOUGH).min(1.0);
    if points > 0.0 {
        collector.add(EvidenceKind::Text, points * enough * rareness.sqrt(), || {
            format!("{:.0} % of the shorter text in common", share * 100.0)
        });
    }
    SharedDetails::of(one, other, rarity).weigh(1.0 - share, collector);
    weigh_another_unit(one, other, (price, surface), share, collector);
}

/// One agency describes the flats of a building, the houses of a programme or the plots of an estate with one text. Then the price
/// and the surface tell them apart, or the floor.
fn weigh_another_unit(
    one: &Signature,
    other: &Signature,
    (price, surface): (PriceRelation, SurfaceRelation),
    share: f32,
    collector: &mut impl EvidenceCollector,
) {
    const COPIED: f32 = 0.3;
    let is_known = one.hash(Fact::Agency).or(one.hash(Fact::Phone)).is_some()
        && other.hash(Fact::Agency).or(other.hash(Fact::Phone)).is_some();
    if share < COPIED || is_known && !is_one_agency(one, other) {
        return;
    }
    let differs = |fact, percent_max| {
        let pair = one.number(fact).zip(other.number(fact));
        pair.and_then(|(one, other)| percent_apart(one, other)).is_some_and(|percent| percent > percent_max)
    };
    let is_other_price = matches!(price, PriceRelation::Apart(percent) if percent > 0.1);
    if may_be_two_units(one, other) {
        // A programme has a price list: one price for each unit, on all sites.
        if is_other_price || floors_differ(one, other) {
            collector.add(EvidenceKind::AnotherUnit, -6.0, || {
                "one text of a programme with another price or floor".into()
            });
            return;
        }
        if price == PriceRelation::Unknown {
            collector.add(EvidenceKind::AnotherUnit, -3.0, || "one text of a programme, and no price".into());
            return;
        }
    }
    let is_other = [
        is_other_price,
        surface.differs(),
        floors_differ(one, other),
        are_two_mandates(one, other),
        differs(Fact::Energy, 1.0),
        differs(Fact::Charges, 1.0),
    ];
    // One fact may be wrong on a site.
    if is_other.iter().filter(|is_other| **is_other).count() >= 2 {
        collector.add(EvidenceKind::AnotherUnit, -6.0, || "one text with two other facts".into());
    } else if text_floors_differ(one, other) {
        collector.add(EvidenceKind::AnotherUnit, -3.0, || "one text with another floor".into());
    }
}
