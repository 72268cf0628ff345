//! Measures the percolator on a generated market: throughput, memory, and the latency of changes.
//!
//! `cargo run --release -p engine --example measure_percolator -- 100000 1000000`
//!
//! Towns are generated, a few large and many small, so that no geography is needed. One search in fifty has no place; the others
//! name one or two towns, zipcodes, a department, a circle, or a city with its districts. One in ten has words. Two in three have
//! a budget; other filters are as frequent as in the generated searches, plus a few rare ones.

#![allow(clippy::unwrap_used, reason = "a measurement may panic")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use domain::criteria::{Condition, CriteriaBuilder, CriterionValue, Entry, Presence};
use domain::{
    AdvertAttribute, AdvertId, Circle, Criteria, Filter, GeoPoint, Insee, Key, KeyRange, Phrase, Placement,
    Property, PropertyView, SearchNumber, Strictness, Timestamp, TransactionType, Zipcode, merge,
};
use engine::{Percolator, PercolatorScratch};
use world::{Random, SampleSearch, Settings, Town, World};

const TOWNS: u32 = 3_000;
const PROPERTIES: u64 = 20_000;
const ROUNDS: usize = 5;

/// Phrases that searches look for.
const WORDS: &[&str] = &[
    "terrasse",
    "balcon",
    "jardin",
    "vue mer",
    "dernier étage",
    "sans vis-à-vis",
    "garage",
    "piscine",
    "cave",
    "parking",
    "lumineux",
    "calme",
    "rénové",
    "cheminée",
    "plain-pied",
    "proche gare",
    "loft",
    "viager",
    "T3",
    "ascenseur",
    "pierre",
    "poutres apparentes",
    "cuisine équipée",
    "double vitrage",
    "sous-sol",
    "atelier",
];

fn main() {
    let counts: Vec<u32> = std::env::args().skip(1).filter_map(|count| count.parse().ok()).collect();
    let counts = if counts.is_empty() { vec![100_000] } else { counts };
    let start = Timestamp::from_second(1_750_000_000).unwrap();
    let world = World::new(7, towns(), Settings::new(PROPERTIES, start)).unwrap();
    let properties: Vec<Property> = (0..PROPERTIES).map(|index| property(&world, index, start)).collect();
    let adverts: usize = properties.iter().map(|property| property.adverts.len()).sum();
    let texts = properties
        .iter()
        .flat_map(|property| domain::criteria::texts(property, domain::criteria::AdvertScope::All));
    let words: usize = texts.map(|text| text.split_whitespace().count()).sum();
    println!(
        "{PROPERTIES} properties of {:.2} adverts with {} words each",
        adverts as f64 / PROPERTIES as f64,
        words / adverts
    );
    let began = cpu_time();
    properties.iter().for_each(|property| drop(black_box(PropertyView::new(black_box(property)))));
    println!("deriving the values of a property: {:?}", (cpu_time() - began) / PROPERTIES as u32);
    for count in counts {
        measure(&world, &properties, count);
    }
}

fn measure(world: &World, properties: &[Property], count: u32) {
    let mut random = Random::new(11);
    let criteria: Vec<Criteria> = (0..count).map(|_| search(world, &mut random)).collect();
    let mut percolator = Percolator::default();
    let began = cpu_time();
    for (number, criteria) in criteria.iter().enumerate() {
        percolator.put(SearchNumber(number as u32), criteria);
    }
    println!("put: mean {:?}", (cpu_time() - began) / count);
    let bytes = percolator.bytes() as f64 / f64::from(count);
    println!("{count} searches, {bytes:.0} bytes each");

    let mut scratch = PercolatorScratch::default();
    let (mut found, mut scanned, mut evaluated) = (0, 0, 0);
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        (found, scanned, evaluated) = (0, 0, 0);
        let began = cpu_time();
        for property in properties {
            let result = black_box(percolator.matches(black_box(property), &mut scratch));
            found += result.searches.len();
            scanned += result.scanned;
            evaluated += result.evaluated;
        }
        best = best.min(cpu_time() - began);
    }
    let each = |sum: usize| sum / properties.len();
    println!(
        "{:.0} properties/s ({:.2} µs each): {} found, {} scanned, {} evaluated",
        properties.len() as f64 / best.as_secs_f64(),
        best.as_secs_f64() * 1e6 / properties.len() as f64,
        each(found),
        each(scanned),
        each(evaluated)
    );
    // Check a few results against the definition.
    for property in properties.iter().step_by(properties.len() / 2) {
        let expected = criteria.iter().filter(|criteria| criteria.accepts(property)).count();
        assert_eq!(percolator.matches(property, &mut scratch).searches.len(), expected);
    }
    // Measure changes one by one: matching waits for the slowest of them.
    let (mut removed, mut again) = (Vec::new(), Vec::new());
    for _ in 0..20_000 {
        let number = random.below(u64::from(count)) as usize;
        let began = Instant::now();
        percolator.remove(SearchNumber(number as u32));
        removed.push(began.elapsed());
        let began = Instant::now();
        percolator.put(SearchNumber(number as u32), &criteria[number]);
        again.push(began.elapsed());
    }
    print_latencies("remove", &mut removed);
    print_latencies("put again", &mut again);
}

/// Returns the CPU time of this thread, which excludes the load of a shared machine. Returns the wall-clock time outside Linux.
fn cpu_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedstat.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn print_latencies(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    println!("{what}: mean {mean:?}, 99% {:?}, 99.99% {:?}, longest {:?}", at(0.99), at(0.9999), at(1.0));
}

/// Generates towns of decreasing population.
fn towns() -> Vec<Town> {
    let mut random = Random::new(3);
    let town = |number: u32| {
        let department = 1 + number % 90;
        let code = format!("{department:02}{:03}", 1 + number / 90);
        Town {
            insee: Insee::parse(&code).unwrap(),
            name: format!("Ville {number}"),
            zipcode: Zipcode::parse(&format!("{department:02}{:02}0", number / 90 / 2 + 10)).unwrap(),
            population: 2_000_000 / (number + 3),
            point: GeoPoint::new(random.uniform(43.0, 50.0), random.uniform(-1.0, 7.0)).unwrap(),
        }
    };
    (0..TOWNS).map(town).collect()
}

fn property(world: &World, index: u64, now: Timestamp) -> Property {
    let generated = world.property(index);
    let mut property = Property { id: generated.id, adverts: Vec::new() };
    for (position, draft) in generated.drafts.into_iter().enumerate() {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&index.to_be_bytes());
        id[15] = position as u8;
        let given = draft.patch.place.value().cloned();
        let placement = given.and_then(|place| {
            let insee = place.insee?;
            let town = world.towns().find(|town| town.insee == insee)?;
            let department = insee.department();
            Some(Placement {
                insee,
                department,
                zipcode: Some(town.zipcode.clone()),
                centre: Some(town.point),
            })
        });
        property.put(merge::create(AdvertId::from_bytes(id), draft, placement, now).advert);
    }
    property
}

fn search(world: &World, random: &mut Random) -> Criteria {
    let sample = world.draw_search(random);
    let mut builder = CriteriaBuilder::default();
    let mut put = |name: &str, given: CriterionValue| builder.put(Filter::named(name).unwrap(), given);
    put("transactionType", CriterionValue::Codes(vec![sample.transaction_type.code()]));
    let mut types = vec![sample.property_type.code()];
    if random.chance(20.0) {
        types.extend([0, 1]);
    }
    put("propertyTypes", CriterionValue::Codes(types));
    if random.chance(67.0) {
        put("budgetMax", CriterionValue::Number(sample.budget.max));
        sample.budget.min.into_iter().for_each(|min| put("budgetMin", CriterionValue::Number(min)));
    }
    sample.surface_min.into_iter().for_each(|min| put("surfaceMin", CriterionValue::Number(min)));
    sample.room_min.into_iter().for_each(|min| put("roomMin", CriterionValue::Number(f64::from(min))));
    if random.chance(15.0) {
        put("bedroomMin", CriterionValue::Number(f64::from(sample.room_min.unwrap_or(3) - 1)));
    }
    if random.chance(5.0) {
        put("landSurfaceMin", CriterionValue::Number(400.0));
    }
    if random.chance(40.0) {
        put("expired", CriterionValue::Flag(false));
    }
    if sample.transaction_type == TransactionType::Rent && random.chance(20.0) {
        put("furnished", CriterionValue::Flag(random.chance(50.0)));
    }
    if random.chance(10.0) {
        put("expressions", CriterionValue::Expressions(vec![entries(random)]));
    }
    place(world, &sample, random, &mut put);
    let mut criteria = builder.build().unwrap().criteria;
    if random.chance(2.0) {
        let range = KeyRange { least: None, most: Some(Key::number(200.0)) };
        let predicate = domain::criteria::Predicate::Within(range);
        criteria.advert.conditions.push(Condition { attribute: AdvertAttribute::EnergyValue, predicate });
    }
    if random.chance(12.0) && criteria.places.any_of.is_none() {
        criteria.places.circle =
            Some(Circle { centre: sample.town.point, radius_km: f64::from(random.between(2, 30)) });
    }
    criteria
}

fn entries(random: &mut Random) -> Vec<Entry> {
    let entry = |random: &mut Random| {
        let strictness = random.pick(&[Strictness::Exact, Strictness::Inflected]);
        let presence = random.pick(&[Presence::Present, Presence::Present, Presence::Absent]);
        Entry { phrase: Phrase::new(random.pick::<&str>(WORDS), *strictness).unwrap(), presence: *presence }
    };
    (0..=random.below(2)).map(|_| entry(random)).collect()
}

fn place(
    world: &World,
    sample: &SampleSearch<'_>,
    random: &mut Random,
    put: &mut impl FnMut(&str, CriterionValue),
) {
    let id = |insee: &Insee| Key::commune(insee).get() as u64;
    match random.weighted(&[2, 40, 14, 12, 20, 8, 4]) {
        0 => {}
        1 => put("includedCities", CriterionValue::Places(vec![id(&sample.town.insee)])),
        2 => {
            let other = world.draw_search(random).town;
            put("includedCities", CriterionValue::Places(vec![id(&sample.town.insee), id(&other.insee)]));
        }
        3 => put("includedZipcodes", CriterionValue::Zipcodes(vec![sample.town.zipcode.clone()])),
        4 => put(
            "includedDepartments",
            CriterionValue::Places(sample.town.insee.department().into_iter().collect()),
        ),
        // A city with its districts: the same set in every search that names it.
        5 => {
            let first = id(&sample.town.insee) / 20 * 20;
            put("includedCities", CriterionValue::Places((first..first + 20).collect()));
        }
        _ => {
            let radius_km = f64::from(random.between(2, 30));
            put("lat", CriterionValue::Number(sample.town.point.lat()));
            put("lon", CriterionValue::Number(sample.town.point.lon()));
            put("radius", CriterionValue::Number(radius_km));
        }
    }
}
