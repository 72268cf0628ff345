//! Measures the gazetteer: loading, autocomplete, resolving, outlines, stations.
//!
//! Run it with `cargo run --release -p places --example measure_places`. It has no assertions, because the results depend on
//! the machine.

use std::error::Error;
use std::time::{Duration, Instant};

use domain::{GeoPoint, GivenPlace, ShortText};
use places::{Exclusions, Gazetteer, Outlines, files};

const LOADS: usize = 15;
const QUERIES: usize = 4_000;
const POINTS: usize = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut unpacked = Vec::new();
    let mut loaded = Vec::new();
    let mut first = None;
    for _ in 0..LOADS {
        let start = Instant::now();
        let files = files::embedded()?;
        unpacked.push(start.elapsed());
        let gazetteer = Gazetteer::from_files(&files)?;
        loaded.push(start.elapsed());
        first.get_or_insert(*loaded.last().ok_or("no load was timed")?);
        drop(gazetteer);
    }
    println!("first load: {:?}", first.unwrap_or_default());
    report("decompress", unpacked);
    report("load, including decompression", loaded);

    let gazetteer = Gazetteer::embedded()?;
    let mut numbers = Numbers(1);
    let cities = gazetteer.cities();
    let names: Vec<&str> = (0..QUERIES).map(|_| &*cities[numbers.below(cities.len())].name).collect();
    let none = Exclusions::default();
    for length in [1, 2, 3, 5, 8, 12] {
        let prefixes: Vec<String> = names.iter().map(|name| name.chars().take(length).collect()).collect();
        report(
            &format!("complete, {length} letters"),
            timed(&prefixes, |prefix| gazetteer.complete(prefix, 10, &none).len()),
        );
    }
    let mistyped: Vec<String> = names
        .iter()
        .map(|name| {
            let mut letters: Vec<char> = name.chars().take(5 + numbers.below(10)).collect();
            let index = numbers.below(letters.len());
            letters[index] = char::from(b'a' + numbers.below(26) as u8);
            letters.into_iter().collect()
        })
        .collect();
    report(
        "complete, 5 to 14 letters with one error",
        timed(&mistyped, |typed| gazetteer.complete(typed, 10, &none).len()),
    );
    let zipcodes: Vec<String> =
        cities.iter().filter_map(|city| Some(city.main_zipcode()?.to_string())).collect();
    let parts: Vec<&str> = (0..QUERIES)
        .map(|_| {
            let zipcode = &zipcodes[numbers.below(zipcodes.len())];
            &zipcode[..(1 + numbers.below(5)).min(zipcode.len())]
        })
        .collect();
    report("complete, by zipcode", timed(&parts, |part| gazetteer.complete(part, 10, &none).len()));

    let by_code: Vec<GivenPlace> = (0..QUERIES)
        .map(|_| GivenPlace {
            insee: Some(cities[numbers.below(cities.len())].insee.clone()),
            ..GivenPlace::default()
        })
        .collect();
    report("resolve, code", timed(&by_code, |given| gazetteer.resolve(given)));
    let by_words: Vec<GivenPlace> = (0..QUERIES)
        .map(|_| {
            let city = &cities[numbers.below(cities.len())];
            GivenPlace {
                zipcode: city.main_zipcode().cloned(),
                city_name: ShortText::new(&city.name).ok().flatten(),
                ..GivenPlace::default()
            }
        })
        .collect();
    report("resolve, zipcode and name", timed(&by_words, |given| gazetteer.resolve(given)));
    report("resolve, name alone", timed(&names, |name| gazetteer.resolve_text(name)));
    report("resolve, mistyped name alone", timed(&mistyped, |typed| gazetteer.resolve_text(typed)));
    let unknown: Vec<String> = (0..QUERIES).map(|_| numbers.word()).collect();
    report(
        "resolve, unknown name, each for the first time",
        timed(&unknown, |name| gazetteer.resolve_text(name)),
    );
    report("resolve, unknown name, each again", timed(&unknown, |name| gazetteer.resolve_text(name)));
    // A feed repeats the names of its region: two hundred names in turn.
    rate("resolve, known names of a feed", &names[..200], |name| gazetteer.resolve_text(name));
    rate("resolve, unknown names of a feed", &unknown[..200], |name| gazetteer.resolve_text(name));
    let points: Vec<GeoPoint> = (0..QUERIES)
        .filter_map(|_| {
            let centre = cities[numbers.below(cities.len())].centre?;
            GeoPoint::new(centre.lat() + 0.01, centre.lon() - 0.01)
        })
        .collect();
    let by_point: Vec<GivenPlace> =
        points.iter().map(|point| GivenPlace { point: Some(*point), ..GivenPlace::default() }).collect();
    report("resolve, point", timed(&by_point, |given| gazetteer.resolve(given)));
    measure_outlines(&gazetteer, &mut numbers)?;
    let station_points: Vec<GeoPoint> =
        (0..QUERIES).map(|_| gazetteer.stations()[numbers.below(gazetteer.stations().len())].point).collect();
    report("stations near a station", timed(&station_points, |point| gazetteer.stations_near(*point)));
    report("stations near a commune", timed(&points, |point| gazetteer.stations_near(*point)));
    Ok(())
}

/// Measures unpacking, memory, and the look-up of a point by outline and by the nearest centre.
fn measure_outlines(gazetteer: &Gazetteer, numbers: &mut Numbers) -> Result<(), Box<dyn Error>> {
    let mut unpacked = Vec::new();
    for _ in 0..LOADS {
        let start = Instant::now();
        drop(Outlines::load(gazetteer.cities(), gazetteer.departments())?);
        unpacked.push(start.elapsed());
    }
    report("unpack outlines", unpacked);
    println!("outlines: {} kB in memory", gazetteer.outlines().bytes() / 1_000);
    // Points on the mainland and in Corsica, drawn evenly by area and in a random order.
    let mut points = Vec::with_capacity(POINTS);
    while points.len() < POINTS {
        let mut between =
            |low: f64, high: f64| low + (high - low) * numbers.below(1 << 53) as f64 / 2_f64.powi(53);
        let point = GeoPoint::new(between(41.3, 51.1), between(-5.2, 9.6)).ok_or("not on the globe")?;
        if gazetteer.city_at(point).is_some() {
            points.push(point);
        }
    }
    let by_outline = average(&points, |point| gazetteer.city_at(*point).is_some());
    let by_centre = average(&points, |point| gazetteer.nearest_city(*point, 30.0).is_some());
    let given = |point: &GeoPoint| GivenPlace { point: Some(*point), ..GivenPlace::default() };
    let resolved = average(&points, |point| gazetteer.resolve(&given(point)));
    println!(
        "point on land, by outline: {by_outline} ns; by nearest centre: {by_centre} ns; resolved: {resolved} ns"
    );
    let same =
        points.iter().filter(|point| gazetteer.city_at(**point) == gazetteer.nearest_city(**point, 30.0));
    println!(
        "nearest centre is that of the outline for {:.1} % of them",
        same.count() as f64 / POINTS as f64 * 100.0
    );
    report(
        "point on land, by outline, one at a time",
        timed(&points, |point| gazetteer.city_at(*point).is_some()),
    );
    Ok(())
}

/// Returns the average time of a query in nanoseconds.
fn average<Q, A>(queries: &[Q], mut run: impl FnMut(&Q) -> A) -> u128 {
    let start = Instant::now();
    for query in queries {
        std::hint::black_box(run(query));
    }
    start.elapsed().as_nanos() / queries.len().max(1) as u128
}

fn timed<Q, A>(queries: &[Q], mut run: impl FnMut(&Q) -> A) -> Vec<Duration> {
    queries
        .iter()
        .map(|query| {
            let start = Instant::now();
            std::hint::black_box(run(query));
            start.elapsed()
        })
        .collect()
}

/// Prints how many queries are answered in a second, in the fastest of some rounds.
fn rate<Q, A>(what: &str, queries: &[Q], mut run: impl FnMut(&Q) -> A) {
    const ROUNDS: usize = 50;
    let round = |_| {
        let start = Instant::now();
        queries.iter().for_each(|query| {
            std::hint::black_box(run(query));
        });
        start.elapsed()
    };
    let fastest = (0..ROUNDS).map(round).min().unwrap_or_default();
    println!("{what}: {:.0} a second", queries.len() as f64 / fastest.as_secs_f64());
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let Some(last) = times.len().checked_sub(1) else { return };
    let at = |percent: usize| times[last * percent / 100];
    println!(
        "{what}: median {:?}, 99th percentile {:?}, maximum {:?} ({} times)",
        at(50),
        at(99),
        at(100),
        times.len()
    );
}

/// A deterministic generator (splitmix64).
struct Numbers(u64);

impl Numbers {
    /// Returns a name that no commune has: syllables in random order.
    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 12] =
            ["du", "lan", "esch", "wil", "kayl", "ver", "berg", "dorf", "mon", "zol", "ger", "tra"];
        (0..4).map(|_| SYLLABLES[self.below(SYLLABLES.len())]).collect()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ number >> 31) % bound.max(1) as u64) as usize
    }
}
