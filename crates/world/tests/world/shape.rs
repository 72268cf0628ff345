//! Every draft is well formed, and their distributions match the market.

use std::collections::HashSet;

use domain::{
    AdvertDetails, Identity, Insee, Lifecycle, PropertyType, PublisherType, TransactionType, price,
};
use world::{GeneratedProperty, Grouping, Settings, World, energy_letter, gas_letter, sample};

use crate::{key, start, world};

#[test]
fn every_draft_is_well_formed() {
    for seed in [1, 2, 3] {
        let mut keys = HashSet::new();
        let mut addresses = HashSet::new();
        let mut properties = HashSet::new();
        for (index, GeneratedProperty { id, drafts }) in world(seed, 1_500).properties().enumerate() {
            let at = format!("seed {seed}, property {index}");
            assert!(properties.insert(id), "{at}: duplicate id");
            assert!((1..=5).contains(&drafts.len()), "{at}: {} adverts", drafts.len());
            let sites: HashSet<_> = drafts.iter().map(|draft| key(draft).0).collect();
            assert_eq!(sites.len(), drafts.len(), "{at}: two adverts on one site");
            for draft in drafts {
                assert!(keys.insert(key(&draft)), "{at}: {:?} occurs twice", draft.identity);
                assert_eq!(draft.property, None, "{at}");
                let details = AdvertDetails::default().patched(draft.patch.clone());
                well_formed(&details, &at);
                assert!(addresses.insert(details.url.clone()), "{at}: duplicate URL");
                assert_eq!(
                    draft.identity,
                    Identity::SiteReference(
                        details.site.clone().unwrap(),
                        details.reference.as_ref().unwrap().as_str().into()
                    ),
                    "{at}"
                );
                let (created, crawled) = (draft.created_at.unwrap(), draft.last_crawled_at.unwrap());
                assert!(created <= crawled && crawled <= start(), "{at}: {created} to {crawled}");
                assert!(draft.updated_at.unwrap() >= created, "{at}");
                if let Lifecycle::Expired { at: gone } = draft.lifecycle {
                    assert!(gone.unwrap() >= created && gone.unwrap() <= start(), "{at}");
                }
                assert!(draft.history.is_sorted_by_key(|event| event.at), "{at}");
                assert!(draft.history.iter().all(|event| event.at >= created && event.at <= crawled), "{at}");
            }
        }
    }
}

fn well_formed(details: &AdvertDetails, at: &str) {
    assert!(details.url.is_some() && details.title.is_some() && details.description.is_some(), "{at}");
    for text in [details.title.as_ref().unwrap().as_str(), details.description.as_ref().unwrap().as_str()] {
        assert!(!text.contains(['{', '}']) && !text.contains("  "), "{at}: {text}");
    }
    let (price, surface) = (details.price.unwrap().get(), details.surface.unwrap().get());
    assert!(price >= 20.0 && surface >= 1.0, "{at}: {price} for {surface}");
    if let Some(without) = details.price_excluding_fees {
        assert!(without.get() <= price && without.get() >= price * 0.9, "{at}: {price}, {without}");
    }
    if let (Some(rooms), Some(bedrooms)) = (details.room, details.bedroom) {
        assert!(bedrooms < rooms && bedrooms >= 0, "{at}: {bedrooms} of {rooms}");
    }
    if let (Some(floor), Some(floors)) = (details.floor, details.floor_quantity) {
        assert!(floor <= floors, "{at}: floor {floor} of {floors}");
    }
    for (rating, letter) in
        [(details.energy, energy_letter as fn(f64) -> _), (details.green_house_gas, gas_letter)]
    {
        assert_eq!(rating.value.map(|value| letter(value.get())), rating.category, "{at}");
    }
    assert!((3..=12).contains(&details.pictures.len()), "{at}: {} pictures", details.pictures.len());
    let hosts = details.pictures.iter().chain(&*details.pictures_remote).chain(&details.url);
    assert!(hosts.into_iter().all(|address| address.host().ends_with(".example")), "{at}");
    let phone = details.contact.phone.as_ref().unwrap().as_str();
    let fictitious = ["01 99 00", "02 61 91", "03 53 01", "04 65 71", "05 36 49", "06 39 98"];
    assert!(fictitious.iter().any(|prefix| phone.starts_with(prefix)), "{at}: {phone}");
    assert!(details.contact.email.as_ref().is_none_or(|email| email.as_str().ends_with(".example")), "{at}");
    let individual = details.publisher.kind == Some(PublisherType::Individual);
    assert_eq!(details.contact.agency.is_none(), individual, "{at}");
    assert!(details.place.zipcode.is_some() && details.place.city_name.is_some(), "{at}");
    assert_eq!(details.place.point.is_some(), details.place.accuracy.is_some(), "{at}");
}

#[test]
fn drafts_name_their_property_if_configured() {
    let settings = Settings { grouping: Grouping::Named, ..Settings::new(200, start()) };
    let named = World::new(4, sample::towns(), settings).unwrap();
    for (property, open) in named.properties().zip(world(4, 200).properties()) {
        assert_eq!(property.id, open.id, "seed 4");
        assert!(property.drafts.iter().all(|draft| draft.property == Some(property.id)), "seed 4");
    }
}

#[test]
fn homes_are_near_their_town() {
    let world = world(8, 2_000);
    for draft in world.drafts() {
        let details = AdvertDetails::default().patched(draft.patch);
        let (Some(point), name) = (details.place.point, details.place.city_name.unwrap()) else { continue };
        let town = world
            .towns()
            .find(|town| town.name == name.as_str() && Some(&town.zipcode) == details.place.zipcode.as_ref())
            .unwrap();
        let distance = town.point.distance_km(point);
        assert!(distance < 13.0, "seed 8: {distance} km from {name}");
    }
}

#[test]
fn shares_match_the_market() {
    let world = world(9, 6_000);
    let (mut adverts, mut rents, mut long_enough) = (0_u32, 0_u32, 0_u32);
    let (mut located, mut individual, mut expired, mut with_history) = (0_u32, 0_u32, 0_u32, 0_u32);
    let mut kinds = [0_u32; 7];
    for draft in world.drafts() {
        adverts += 1;
        rents += u32::from(draft.transaction_type == TransactionType::Rent);
        kinds[usize::from(draft.property_type.code())] += 1;
        expired += u32::from(matches!(draft.lifecycle, Lifecycle::Expired { .. }));
        with_history += u32::from(!draft.history.is_empty());
        let details = AdvertDetails::default().patched(draft.patch);
        let words = details.description.unwrap().as_str().split_whitespace().count();
        long_enough += u32::from((40..=120).contains(&words));
        located += u32::from(details.place.point.is_some());
        individual += u32::from(details.publisher.kind == Some(PublisherType::Individual));
    }
    let mean = f64::from(adverts) / 6_000.0;
    assert!((1.4..=1.6).contains(&mean), "seed 9: {mean} adverts a property");
    let share = |count: u32| f64::from(count) / f64::from(adverts);
    let check = |what: &str, count: u32, range: std::ops::RangeInclusive<f64>| {
        assert!(range.contains(&share(count)), "seed 9: {what}: {}, not in {range:?}", share(count));
    };
    // Three in ten in the whole country. The sample has more cities, which have more rentals.
    check("to let", rents, 0.28..=0.38);
    check("of 40 to 120 words", long_enough, 0.99..=1.0);
    check("with coordinates", located, 0.8..=0.9);
    check("by individuals", individual, 0.1..=0.17);
    check("expired", expired, 0.06..=0.1);
    check("with a past", with_history, 0.1..=0.35);
    check("apartments", kinds[0], 0.55..=0.75);
    check("houses", kinds[1], 0.12..=0.3);
    assert!(kinds.iter().all(|count| *count > 20), "seed 9: {kinds:?}");
}

#[test]
fn prices_follow_the_town() {
    for (insee, property_type) in [
        ("75111", PropertyType::Apartment),
        ("31555", PropertyType::Apartment),
        ("06088", PropertyType::Apartment),
        ("87085", PropertyType::House),
        ("02691", PropertyType::House),
    ] {
        let insee = Insee::parse(insee).unwrap();
        let towns = sample::towns().into_iter().filter(|town| town.insee == insee).collect();
        let world = World::new(10, towns, Settings::new(2_000, start())).unwrap();
        let mut prices: Vec<f64> = world
            .drafts()
            .filter(|draft| {
                draft.property_type == property_type && draft.transaction_type == TransactionType::Sell
            })
            .filter_map(|draft| {
                let details = AdvertDetails::default().patched(draft.patch);
                Some(price::per_meter(details.price, details.surface)?.get())
            })
            .collect();
        prices.sort_by(f64::total_cmp);
        let median = prices[prices.len() / 2];
        let level = world.price_level(&insee).unwrap();
        let expected = if property_type == PropertyType::House { level.house } else { level.apartment };
        assert!((median / expected - 1.0).abs() < 0.15, "seed 10, {insee}: {median}, not {expected}");
        // Prices vary widely around the median.
        let (low, high) = (prices[prices.len() / 20], prices[prices.len() * 19 / 20]);
        assert!(low < 0.85 * median && high > 1.2 * median, "seed 10, {insee}: {low} {median} {high}");
    }
}

#[test]
fn rents_are_plausible() {
    let world = world(11, 2_000);
    for draft in world.drafts() {
        if draft.transaction_type != TransactionType::Rent || draft.property_type != PropertyType::Apartment {
            continue;
        }
        let details = AdvertDetails::default().patched(draft.patch);
        let per_meter = details.price.unwrap().get() / details.surface.unwrap().get();
        assert!((3.0..=90.0).contains(&per_meter), "seed 11: {per_meter} € a month and m²");
    }
}

#[test]
fn an_import_has_every_advert_and_a_fifth_of_second_versions() {
    let world = world(12, 400);
    let mut sent = HashSet::new();
    let mut versions = 0;
    for draft in world.import() {
        if !sent.insert(key(&draft)) {
            versions += 1;
        }
    }
    let stock: HashSet<_> = world.drafts().map(|draft| key(&draft)).collect();
    assert_eq!(sent, stock, "seed 12");
    let share = f64::from(versions) / (stock.len() as f64 + f64::from(versions));
    assert!((0.18..=0.21).contains(&share), "seed 12: {share} second versions");
}

/// Share of adverts that carry what feeds carry beyond the contract. Shares are in percent of the adverts that can.
#[test]
fn extras_are_as_common_as_in_feeds() {
    let details = |draft: &domain::AdvertDraft| AdvertDetails::default().patched(draft.patch.clone());
    let drafts: Vec<_> = world(4, 4_000).drafts().collect();
    let share = |can: &dyn Fn(&domain::AdvertDraft) -> bool, has: &dyn Fn(&AdvertDetails) -> bool| {
        let able: Vec<_> = drafts.iter().filter(|draft| can(draft)).collect();
        able.iter().filter(|draft| has(&details(draft))).count() as f64 * 100.0 / able.len() as f64
    };
    let dwelling = |draft: &domain::AdvertDraft| {
        matches!(draft.property_type, PropertyType::Apartment | PropertyType::House)
    };
    let sold =
        |draft: &domain::AdvertDraft| dwelling(draft) && draft.transaction_type == TransactionType::Sell;
    let to_let = |draft: &domain::AdvertDraft| draft.transaction_type == TransactionType::Rent;
    let shares = [
        ("district", share(&|_| true, &|it| it.district.is_some()), 10.0..50.0),
        ("exclusive mandate", share(&sold, &|it| it.exclusive_mandate.is_some()), 15.0..45.0),
        ("parking", share(&dwelling, &|it| it.parking_count.is_some()), 50.0..75.0),
        ("heating", share(&dwelling, &|it| it.heating.is_some()), 35.0..70.0),
        ("occupied", share(&sold, &|it| it.occupied.is_some()), 15.0..30.0),
        ("life annuity", share(&sold, &|it| it.life_annuity.is_given()), 0.3..2.0),
        ("new building", share(&sold, &|it| it.new_building.is_given()), 0.3..10.0),
        ("rent period", share(&to_let, &|it| it.rent_period.is_some()), 40.0..65.0),
    ];
    for (name, share, expected) in shares {
        assert!(expected.contains(&share), "seed 4: {name}: {share} %, not within {expected:?}");
    }
    for draft in drafts.iter().filter(|draft| !sold(draft)) {
        let details = details(draft);
        assert!(!details.life_annuity.is_given() && !details.new_building.is_given(), "seed 4: {draft:?}");
    }
    for draft in &drafts {
        let ranges = details(draft).new_building;
        assert_eq!(ranges.ordered(), ranges, "seed 4");
    }
}
