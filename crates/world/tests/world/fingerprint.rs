//! The same seed gives the same world. The fingerprints below are pinned: if one changes, so does the world, and with it every
//! benchmark figure. Change them only on purpose, and say so in the commit.

use domain::{AdvertDetails, AdvertDraft};
use world::{Settings, World, sample};

use crate::{key, start, world};

#[test]
fn the_stock_of_seed_one_never_changes() {
    let fingerprint = fingerprint(world(1, 1_000).drafts());
    assert_eq!(fingerprint, 0x8385_8081_a90a_2330, "seed 1: the stock changed: {fingerprint:#018x}");
}

#[test]
fn the_timeline_of_seed_one_never_changes() {
    let world = world(1, 300);
    let fingerprint = fingerprint(world.timeline().take(1_000).map(|event| event.draft));
    assert_eq!(fingerprint, 0x4ef7_a14d_6164_9679, "seed 1: the timeline changed: {fingerprint:#018x}");
}

#[test]
fn the_hard_market_of_seed_one_never_changes() {
    let fingerprint = fingerprint(world(1, 1_000).hard_market().map(|advert| advert.draft));
    assert_eq!(fingerprint, 0x18dc_7af9_e6c2_4867, "seed 1: the hard market changed: {fingerprint:#018x}");
}

#[test]
fn a_property_does_not_depend_on_iteration() {
    let world = world(5, 50);
    for (index, property) in (0..).zip(world.properties()) {
        assert_eq!(world.property(index), property, "seed 5, property {index}");
    }
}

#[test]
fn a_larger_stock_extends_a_smaller_one() {
    let (small, large) = (world(6, 20), world(6, 2_000));
    assert!(small.properties().zip(large.properties()).all(|(a, b)| a == b), "seed 6");
}

#[test]
fn another_seed_is_another_world() {
    assert_ne!(world(1, 5).property(0), world(2, 5).property(0));
}

#[test]
fn a_world_without_towns_is_refused() {
    assert!(World::new(1, Vec::new(), Settings::new(1, start())).is_err());
    assert!(World::new(1, sample::towns(), Settings::new(0, start())).is_ok());
}

/// FNV-1a over the values of the drafts, written out because the hashes of the standard library may change. Values are printed
/// one by one, so that a new field of the domain does not change the fingerprint.
fn fingerprint(drafts: impl Iterator<Item = AdvertDraft>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for draft in drafts {
        for byte in values(&draft).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

fn values(draft: &AdvertDraft) -> String {
    let details = AdvertDetails::default().patched(draft.patch.clone());
    let seconds = [draft.created_at, draft.updated_at, draft.last_crawled_at]
        .map(|at| at.map(|at| at.as_second()).unwrap_or_default());
    let amounts = [
        details.price,
        details.price_excluding_fees,
        details.fees_percentage,
        details.condominium_fees,
        details.property_tax,
        details.rental_charges,
        details.rental_pledge,
        details.surface,
        details.land_surface,
        details.energy.value,
        details.green_house_gas.value,
    ]
    .map(|amount| amount.map(|amount| amount.get().to_bits()).unwrap_or_default());
    let numbers = [details.room, details.bedroom, details.floor, details.construction_year]
        .map(Option::unwrap_or_default);
    let point = details.place.point.map(|point| [point.lat(), point.lon()].map(f64::to_bits));
    let mut said = format!(
        "{}{}{seconds:?}{amounts:?}{numbers:?}{point:?}{}",
        draft.transaction_type.code(),
        draft.property_type.code(),
        draft.history.len(),
    );
    let (site, reference) = key(draft);
    let contact = details.contact;
    let short = [details.title, contact.name, contact.phone, contact.email];
    let texts = short.iter().flatten().chain(&*details.features).map(|text| text.as_str());
    let addresses = details.url.iter().chain(&*details.pictures).map(|address| address.as_str());
    let description = details.description.iter().map(|text| text.as_str());
    said.extend(texts.chain(addresses).chain(description).chain([site.as_str(), reference.as_str()]));
    said
}
