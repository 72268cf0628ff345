//! The peers find what is meant: a peer that forgets something is fast, and proves nothing.

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
    let mut every = BruteForce::load(searches, SEARCHES).unwrap();
    let mut found = 0;
    for property in searches.dataset().properties() {
        let expected = every.matches(&property).unwrap();
        let mut answer = engine.matches(&property).unwrap();
        answer.sort_unstable();
        assert_eq!(answer, expected, "{}", property.id);
        found += expected.len();
    }
    assert!(found > 100, "{found} matches compare little");
}

#[test]
fn vigie_finds_what_every_search_says() {
    let dataset = Dataset::new(PROPERTIES, 3).unwrap();
    let searches = Searches::new(&dataset);
    check(&mut Vigie::load(&searches, SEARCHES).unwrap().0, &searches);
}

#[test]
fn sqlite_finds_what_every_search_says() {
    let (dataset, folder) = (Dataset::new(PROPERTIES, 3).unwrap(), tempfile::tempdir().unwrap());
    let searches = Searches::new(&dataset);
    check(&mut Sqlite::load(&searches, SEARCHES, folder.path()).unwrap(), &searches);
}

#[test]
fn searches_are_the_same_each_time_and_ask_for_words_that_are_said() {
    let dataset = Dataset::new(400, 3).unwrap();
    let (searches, again) = (Searches::new(&dataset), Searches::new(&dataset));
    let texts: Vec<Text> = dataset.properties().map(|property: Property| Text::of(&property)).collect();
    let (mut with_words, mut never_said) = (0, std::collections::BTreeSet::new());
    for number in 0..1_000 {
        let wanted = searches.get(number);
        assert_eq!(wanted, again.get(number));
        with_words += usize::from(!wanted.expressions.is_empty());
        for entry in wanted.expressions.iter().flatten().filter(|entry| entry.presence == Presence::Present) {
            let alone = [vec![entry.clone()]];
            if !texts.iter().any(|text| text.meets(&alone)) {
                never_said.insert(entry.wording.text().to_owned());
            }
        }
    }
    assert!((60..140).contains(&with_words), "{with_words} of 1,000 ask for words");
    assert!(never_said.is_empty(), "{never_said:?}");
}
