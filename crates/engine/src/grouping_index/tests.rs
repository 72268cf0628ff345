//! The index against a comparison of all pairs, on the adverts of a generated market.

use std::collections::BTreeSet;

use domain::grouping::{BlockingKey, CommuneFacts, Comparison, DOUBTFUL_MARGIN, KEEP_SCORE, compare};
use domain::{AdvertId, Insee, Placement, merge};
use testkit::build::at;
use world::{Settings, World, sample};

use super::*;

const SEED: u64 = 14;

/// Adverts with their signatures and their properties in the market, in which the towns are few.
fn adverts(properties: u64) -> Vec<(AdvertId, GroupingEntry)> {
    let settings = Settings::new(properties, at(1_750_000_000));
    let world = World::new(SEED, sample::towns().into_iter().take(3).collect(), settings).unwrap();
    let mut adverts = Vec::new();
    for (number, property) in world.properties().enumerate() {
        for draft in property.drafts {
            let id = testkit::build::advert_id(u64::try_from(adverts.len()).unwrap());
            let place = draft.patch.place.value().cloned().unwrap_or_default();
            // Half of the portals only say "Paris".
            let is_city = number % 2 == 0;
            let commune = place.insee.as_ref().map(|insee| facts(insee, is_city));
            let placement =
                place.insee.map(|insee| Placement { insee, department: None, zipcode: None, centre: None });
            let advert = merge::create(id, draft, placement, at(1_750_000_000)).advert;
            let signature = Signature::of(&advert, commune);
            let price = CheckedPrice::of(&advert);
            adverts.push((id, GroupingEntry { property: property.id, signature, is_named: false, price }));
        }
    }
    adverts
}

fn facts(insee: &Insee, is_city: bool) -> CommuneFacts {
    let id = u32::try_from(insee.id()).unwrap();
    let city = if id / 1_000 == 75 { 75_056 } else { id };
    CommuneFacts { commune: if is_city { city } else { id }, city, population: 50_000 }
}

fn filled(adverts: &[(AdvertId, GroupingEntry)]) -> GroupingIndex {
    let mut index = GroupingIndex::default();
    for (advert, entry) in adverts {
        assert_eq!(index.put(*advert, entry.clone()), None);
    }
    index
}

#[test]
fn candidates_are_all_adverts_that_join() {
    let adverts = adverts(600);
    let index = filled(&adverts);
    let mut joined = 0;
    for (advert, entry) in &adverts {
        let Some(signature) = &entry.signature else { continue };
        let compared: Vec<(PropertyId, Comparison)> = adverts
            .iter()
            .filter_map(|(_, entry)| {
                let other = entry.signature.as_ref()?;
                let is_compared = BlockingKey::of(signature).admits(&BlockingKey::of(other));
                is_compared.then(|| (entry.property, compare(signature, other, &index)))
            })
            .collect();
        let expected = |is_near: &dyn Fn(&Comparison) -> bool| -> Vec<PropertyId> {
            let near = compared.iter().filter(|(_, comparison)| is_near(comparison));
            let properties: BTreeSet<PropertyId> = near.map(|(property, _)| *property).collect();
            properties.into_iter().collect()
        };
        let found = index.candidates(signature);
        assert_eq!(found, expected(&Comparison::joins), "seed {SEED}, advert {advert}");
        joined += found.len();
        for least in [JOIN_SCORE - DOUBTFUL_MARGIN, KEEP_SCORE] {
            let (found, _) = index.properties_reaching(signature, least);
            let reaches = |comparison: &Comparison| comparison.veto.is_none() && comparison.score >= least;
            assert_eq!(found, expected(&reaches), "seed {SEED}, advert {advert}, from {least} points on");
        }
    }
    assert!(joined > adverts.len() / 4, "{joined} of {}: the market has no groups", adverts.len());
}

#[test]
fn removed_adverts_leave_nothing_behind() {
    let adverts = adverts(200);
    let mut index = filled(&adverts);
    for (advert, entry) in &adverts {
        assert_eq!(index.get(*advert), Some(entry));
        // An advert that is put again replaces itself.
        assert_eq!(index.put(*advert, entry.clone()).as_ref(), Some(entry));
    }
    assert_eq!(index.len(), adverts.len());
    let shingles: Vec<u32> = adverts
        .iter()
        .filter_map(|(_, entry)| entry.signature.as_ref())
        .flat_map(Signature::counted)
        .collect();
    assert!(shingles.iter().all(|shingle| index.count(*shingle) >= 1));
    for (advert, entry) in &adverts {
        assert_eq!(index.remove(*advert).as_ref(), Some(entry));
        assert_eq!(index.remove(*advert), None);
    }
    assert!(index.is_empty() && index.blocks.is_empty() && index.properties.is_empty());
    assert_eq!(index.heap_bytes, 0);
    let left =
        shingles.iter().filter(|shingle| index.count(**shingle) > 0 && index.count(**shingle) < 255).count();
    assert_eq!(left, 0);
}

#[test]
fn members_are_the_adverts_of_a_property() {
    let adverts = adverts(100);
    let mut index = filled(&adverts);
    let (first, entry) = &adverts[0];
    let expected: BTreeSet<AdvertId> = adverts
        .iter()
        .filter(|(_, other)| other.property == entry.property)
        .map(|(advert, _)| *advert)
        .collect();
    let members = |index: &GroupingIndex| {
        index.members(entry.property).map(|member| member.advert).collect::<BTreeSet<_>>()
    };
    assert_eq!(members(&index), expected);
    index.remove(*first);
    assert!(!members(&index).contains(first));
    assert!(index.bytes() > 100 * index.len());
}
