//! The peers return correct results: a comparison with a peer that skips work proves nothing.

use domain::Property;
use domain::criteria::Presence;

use super::Engine;
use super::brute_force::BruteForce;
use super::draw::Searches;
use super::sqlite::Sqlite;
use super::text::Text;
use super::vigie::Vigie;
use crate::search::dataset::Dataset;

/// Small enough for a debug build, large enough for every kind of search to find something.
const SEARCHES: u32 = 3_000;
const PROPERTIES: u64 = 40;

fn check(engine: &mut dyn Engine, searches: &Searches<'_>) {
    let mut oracle = BruteForce::load(searches, SEARCHES).unwrap();
    let mut found = 0;
    for property in searches.dataset().properties() {
        let expected = oracle.matches(&property).unwrap();
        let mut answer = engine.matches(&property).unwrap();
        answer.sort_unstable();
        assert_eq!(answer, expected, "{}", property.id);
        found += expected.len();
    }
    assert!(found > 100, "only {found} matches were compared");
}

#[test]
fn vigie_agrees_with_brute_force() {
    let dataset = Dataset::new(PROPERTIES, 3).unwrap();
    let searches = Searches::new(&dataset);
    check(&mut Vigie::load(&searches, SEARCHES).unwrap().0, &searches);
}

#[test]
fn sqlite_agrees_with_brute_force() {
    let (dataset, folder) = (Dataset::new(PROPERTIES, 3).unwrap(), tempfile::tempdir().unwrap());
    let searches = Searches::new(&dataset);
    check(&mut Sqlite::load(&searches, SEARCHES, folder.path()).unwrap(), &searches);
}

#[test]
fn searches_are_repeatable_and_their_words_occur() {
    let dataset = Dataset::new(400, 3).unwrap();
    let (searches, again) = (Searches::new(&dataset), Searches::new(&dataset));
    let texts: Vec<Text> = dataset.properties().map(|property: Property| Text::of(&property)).collect();
    let (mut with_words, mut missing) = (0, std::collections::BTreeSet::new());
    for number in 0..1_000 {
        let search = searches.get(number);
        assert_eq!(search, again.get(number));
        with_words += usize::from(!search.expressions.is_empty());
        for entry in search.expressions.iter().flatten().filter(|entry| entry.presence == Presence::Present) {
            let alone = [vec![entry.clone()]];
            if !texts.iter().any(|text| text.satisfies(&alone)) {
                missing.insert(entry.phrase.text().to_owned());
            }
        }
    }
    assert!((60..140).contains(&with_words), "{with_words} of 1,000 have words");
    assert!(missing.is_empty(), "{missing:?}");
}
