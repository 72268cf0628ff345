//! Autocomplete.

use std::collections::HashSet;

use domain::{City, fold};
use places::{Exclusions, Suggested, SuggestedKinds, Suggestion, complete};

use crate::gazetteer;

fn suggestions(query: &str) -> Vec<String> {
    let found = gazetteer().complete(query, 6, &Exclusions::default());
    found
        .iter()
        .map(|suggestion| match &suggestion.place {
            Suggested::City(city) => city.name.to_string(),
            Suggested::Department(department) => format!("{} ({})", department.name, department.code),
        })
        .collect()
}

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let found = suggestions(query);
    assert_eq!(found[..expected.len().min(found.len())], *expected, "{query:?} gave {found:?}");
}

#[test]
fn larger_places_come_first() {
    check("par", &["Paris", "Paris (75)", "Paris 15e"]);
    check("montr", &["Montreuil", "Montrouge"]);
    check("saint", &["Saint-Étienne", "Saint-Denis", "Saint-Denis"]);
}

#[test]
fn whole_name_comes_before_longer_names() {
    check("eu", &["Eu"]);
    check("var", &["Var (83)"]);
    check("saint-denis", &["Saint-Denis", "Saint-Denis"]);
    check("paris 1", &["Paris 1er", "Paris 15e"]);
}

#[test]
fn case_accents_hyphens_articles_and_abbreviations_are_ignored() {
    check("SAINT ETI", &["Saint-Étienne"]);
    check("st-eti", &["Saint-Étienne"]);
    check("ste max", &["Sainte-Maxime"]);
    check("mans", &["Le Mans"]);
    check("l hay", &["L'Haÿ-les-Roses"]);
    check("réunion", &["La Réunion (974)"]);
    check("œui", &["Œuilly"]);
}

#[test]
fn other_words_of_a_name_match_after_prefixes() {
    check("provence", &["Alpes-de-Haute-Provence (04)", "Aix-en-Provence", "Salon-de-Provence"]);
    check("billanc", &["Billancelles", "Billancourt", "Boulogne-Billancourt"]);
    // Names with this prefix come first, however small.
    let found = suggestions("bains");
    assert!(fold(&found[0]).starts_with("bains"), "{found:?}");
    assert!(found.iter().any(|name| name.contains("-Bains")), "{found:?}");
}

#[test]
fn zipcodes_and_department_codes_are_completed() {
    check("75", &["Paris (75)", "Paris", "Paris 15e"]);
    check("75011", &["Paris 11e"]);
    check("9320", &["Saint-Denis"]);
    check("2a", &["Corse-du-Sud (2A)", "Ajaccio"]);
    check("974", &["La Réunion (974)", "Saint-Denis"]);
    assert_eq!(suggestions("99999"), [""; 0]);
}

#[test]
fn number_next_to_a_name_narrows_the_result() {
    check("paris 11", &["Paris 11e"]);
    check("paris 11eme arr", &["Paris 11e"]);
    check("saint-denis 93", &["Saint-Denis"]);
    check("saint-denis 11", &["Saint-Denis"]);
    assert!(suggestions("saint-denis 11").len() < 6);
    check("93200 sai", &["Saint-Denis"]);
    assert_eq!(suggestions("st etienne 42")[0], "Saint-Étienne");
}

#[test]
fn fuzzy_matches_come_after_exact_ones() {
    check("bordaux", &["Bordeaux"]);
    check("marsiel", &["Marseille"]);
    check("toulosue", &["Toulouse"]);
    check("strazbourg", &["Strasbourg"]);
    check("montpelier", &["Montpellier"]);
    let found = gazetteer().complete("toulou", 20, &Exclusions::default());
    assert!(found.is_sorted_by_key(|suggestion| suggestion.edits));
    assert!(found.iter().any(|it| it.place.name() == "Toulon" && it.edits == 1));
    // Queries of two letters allow no edits.
    assert!(gazetteer().complete("zz", 10, &Exclusions::default()).iter().all(|it| it.edits == 0));
}

#[test]
fn former_commune_suggests_its_successor() {
    let found = gazetteer().complete("chatillon en mich", 3, &Exclusions::default());
    assert_eq!(found[0].place.name(), "Valserhône");
    assert_eq!(found[0].former_name.as_deref(), Some("Châtillon-en-Michaille"));
}

#[test]
fn excluded_places_are_not_suggested() {
    let exclusions = Exclusions {
        cities: HashSet::from([75_056, 75_115]),
        departments: HashSet::from([75]),
        ..Exclusions::default()
    };
    let found = gazetteer().complete("par", 2, &exclusions);
    let names: Vec<&str> = found.iter().map(|suggestion| suggestion.place.name()).collect();
    assert_eq!(names, ["Paris 20e", "Paris 18e"]);
}

#[test]
fn only_the_kinds_asked_for_are_suggested() {
    let first = |kinds: SuggestedKinds| {
        let exclusions = Exclusions { kinds, ..Exclusions::default() };
        let found = gazetteer().complete("pari", 10, &exclusions);
        let is_city = |suggestion: &Suggestion| matches!(suggestion.place, Suggested::City(_));
        (found[0].place.name().to_owned(), found.iter().filter(|it| is_city(it)).count(), found.len())
    };
    assert_eq!(first(SuggestedKinds::Cities), ("Paris".to_owned(), 10, 10));
    let (name, cities, _) = first(SuggestedKinds::Departments);
    assert_eq!((name.as_str(), cities), ("Paris", 0));
}

#[test]
fn suggestions_are_unique_and_limited() {
    for query in ["saint saint", "saint", "la", "bains les bains", "75", "1", "saint martn"] {
        for limit in [0, 1, 7, usize::MAX] {
            let found = gazetteer().complete(query, limit, &Exclusions::default());
            assert!(found.len() <= limit.min(complete::SUGGESTIONS_MAX));
            let distinct: HashSet<String> = found
                .iter()
                .map(|suggestion| match &suggestion.place {
                    Suggested::City(city) => city.insee.to_string(),
                    Suggested::Department(department) => format!("department {}", department.code),
                })
                .collect();
            assert_eq!(distinct.len(), found.len(), "{query}");
        }
    }
}

#[test]
fn unusual_queries_do_not_panic() {
    let long = "saint martin ".repeat(10_000);
    for query in
        ["", " ", "-", "é̂́", "\u{0}", "''", "0", "000000000000000000000", "2a2a", "11e", "e", "🏠", &long]
    {
        gazetteer().complete(query, 10, &Exclusions::default());
    }
}

/// The minimum length of a query that should tolerate an error.
const LETTERS_MIN: usize = 5;

/// A deterministic generator (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ number >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Draws a commune, weighted by population.
fn random_commune<'a>(numbers: &mut Numbers, sums: &[u64], communes: &[&'a City]) -> &'a City {
    let inhabitant = numbers.next() % sums[sums.len() - 1];
    communes[sums.partition_point(|sum| *sum <= inhabitant)]
}

/// Returns the number of letters that identify a place: at least five, and enough to be among the five largest communes
/// with that prefix. `None` if even the whole name is not enough, as for the ninth Saint-Martin.
fn letters_needed(name: &str, rivals: &[(String, u32)], population: u32) -> Option<usize> {
    let enough = |length: &usize| {
        let larger =
            |(other, people): &&(String, u32)| other.starts_with(&name[..*length]) && *people > population;
        rivals.iter().filter(larger).count() < 5
    };
    (LETTERS_MIN..=name.len()).find(enough)
}

/// Adds one typing error: a substitution, deletion, insertion or transposition at any position. At least five letters remain:
/// `pars` may stand for Paris, but is too ambiguous.
fn with_error(typed: &str, numbers: &mut Numbers) -> String {
    loop {
        let mut letters: Vec<char> = typed.chars().collect();
        let place = numbers.below(letters.len());
        let letter = char::from(b'a' + numbers.below(26) as u8);
        match numbers.below(4) {
            0 => letters[place] = letter,
            1 => drop(letters.remove(place)),
            2 => letters.insert(place, letter),
            _ => letters.swap(place, place.saturating_sub(1)),
        }
        let result: String = letters.into_iter().collect();
        if result != typed && result.len() >= LETTERS_MIN {
            return result;
        }
    }
}

#[test]
fn prefix_with_one_typing_error_finds_95_percent_of_places() {
    const QUERIES: usize = 1_000;
    let communes: Vec<&City> =
        gazetteer().cities().iter().map(|city| &**city).filter(|city| city.parent.is_none()).collect();
    let rivals: Vec<(String, u32)> =
        communes.iter().map(|city| (fold(&city.name), city.population)).collect();
    let sums: Vec<u64> = communes
        .iter()
        .scan(0, |sum, city| {
            *sum += u64::from(city.population);
            Some(*sum)
        })
        .collect();
    for seed in [1_u64, 2, 3] {
        println!("seed {seed}");
        let mut numbers = Numbers(seed);
        let mut missed = Vec::new();
        let mut asked = 0;
        while asked < QUERIES {
            let city = random_commune(&mut numbers, &sums, &communes);
            let name = fold(&city.name);
            let Some(needed) = letters_needed(&name, &rivals, city.population) else { continue };
            // Users type the required letters or a few more.
            let length = needed + numbers.below(name.len() - needed + 1);
            let typed = with_error(&name[..length], &mut numbers);
            asked += 1;
            let found = gazetteer().complete(&typed, 5, &Exclusions::default());
            if !found.iter().any(|it| matches!(&it.place, Suggested::City(found) if found.id() == city.id()))
            {
                missed.push(format!("{typed:?} for {}", city.name));
            }
        }
        println!("{} of {QUERIES} missed: {missed:#?}", missed.len());
        assert!(missed.len() * 100 <= QUERIES * 5, "seed {seed}: {} missed", missed.len());
    }
}
