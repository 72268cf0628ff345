//! Every district of Paris, Lyon and Marseille in every spelling that portals use.

use domain::City;
use places::Certainty::{self, Exact, Likely};
use places::{PlaceWarning, Resolution};

use crate::{gazetteer, given};

/// The spellings. `{n}` is the number, `{nn}` the same with two digits, `{e}` and `{eme}` the short and the long ordinal,
/// `{r}` the Roman numeral, `{word}` the ordinal as a word, `{en}` the English ordinal, `{dep}` the code of the department,
/// `{department}` and `{region}` their names, `{zip}` the zipcode.
const SPELLINGS: &[&str] = &[
    "{city} {eme} ({dep})",
    "{city} {e} ({dep})",
    "{city} {n} ({dep})",
    "{city} ({dep}) {eme}",
    "{city} ({eme})",
    "{city} ({e})",
    "{city} ({e} arrondissement)",
    "{dep} - {city} {eme}",
    "{dep} - {city} {e}",
    "{dep} {city} {e}",
    "{dep} - {city} {n}",
    "{city} {e}",
    "{city} {eme}",
    "{CITY} {EME} ARRONDISSEMENT",
    "{CITY} {EME}",
    "{city} {r}e",
    "{city} {R}",
    "{city} {R}ème",
    "{R}e arrondissement de {city}",
    "{city} {R} e arrondissement",
    "{city} {n}",
    "{city} {nn}",
    "{CITY} {nn}",
    "{city}{n}",
    "{CITY}{EME}",
    "{city}-{n}",
    "{city}_{n}",
    "{city}-{e}-Arrondissement",
    "{city}-{eme}-arrondissement",
    "{city} {e} Arrondissement",
    "{city} {eme} arr.",
    "{city} {e} arrdt",
    "{city} {e} ardt",
    "{city} {n} arrondissement",
    "{city} arrondissement {n}",
    "{city}, arrondissement {n}",
    "{city} {n} ème",
    "{city} {n} e",
    "{city} {n} eme arrondissement",
    "{city} {n}°",
    "{city} {n}è",
    "{city} {n}ième",
    "{city} {n}iem",
    "{city} {n}me",
    "{city} {n}re",
    "{city} {n} iem",
    "{city} {n}o",
    "{city} {n} arrt",
    "{city}, {e} arrt",
    "{city} n°{n}",
    "{city} {word}",
    "{city}, {word} arrondissement",
    "{city}, {e}",
    "{city} - {e}",
    "{city} – {eme}",
    "{city} / {e}",
    "{e} arrondissement de {city}",
    "{eme} arrondissement, {city}",
    "{e} {city}",
    "{city} {en} arrondissement",
    "{city}, {en} arrondissement, France",
    "{zip} {city}",
    "{city} {zip}",
    "{city} ({zip})",
    "{zip} {city} {n}",
    "{zip} {city} {e}",
    "{city} {e} ({zip})",
    "{city} {eme} arrondissement ({zip})",
    "{zip} {CITY} {EME} ARRONDISSEMENT",
    "F-{zip} {city}",
    "FR-{zip} {city} {e}",
    "{city} {e}, France",
    "{city} {e}, {department}",
    "{city} {e}, {department}, {region}, France",
    "{city} {e} ({department})",
    "{city} {e} - {region}",
    "{city} {e} Centre",
    "{city} {e} - Proche du parc",
    "{city} {e} - Quartier de la gare inconnue",
    "Quartier de la gare inconnue, {city} {e}",
    "{city} {e} proche métro ligne 4",
    "{city} {e} Les Trois Platanes",
    "Les Trois Platanes {city} {e}",
    "Appartement 12, {city} {e}",
    "12 rue de la Paix, {city} {e}",
    "12 bis rue de la Paix, {zip} {city}",
    "12 rue de la Paix {zip} {city}",
    "3e étage, {city} {e}",
    "{city}, {city} {e}",
    "  {city}   {e}  ",
    "{city} {n} {dep}",
    "{city} {e} {dep}",
    "ville de {city} {e}",
    "Secteur {city} {e}",
];

fn arabic_and_roman(number: usize) -> [String; 2] {
    const ROMAN: [&str; 20] = [
        "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI",
        "XVII", "XVIII", "XIX", "XX",
    ];
    [number.to_string(), ROMAN[number - 1].into()]
}

fn word(number: usize) -> &'static str {
    const WORDS: [&str; 20] = [
        "premier",
        "deuxième",
        "troisième",
        "quatrième",
        "cinquième",
        "sixième",
        "septième",
        "huitième",
        "neuvième",
        "dixième",
        "onzième",
        "douzième",
        "treizième",
        "quatorzième",
        "quinzième",
        "seizième",
        "dix-septième",
        "dix-huitième",
        "dix-neuvième",
        "vingtième",
    ];
    WORDS[number - 1]
}

fn written(spelling: &str, city: &str, number: usize, district: &City) -> String {
    let [arabic, roman] = arabic_and_roman(number);
    let (short, long) = if number == 1 {
        ("1er".into(), "1er".into())
    } else {
        (format!("{number}e"), format!("{number}ème"))
    };
    let english = match number {
        1 => "1st".into(),
        2 => "2nd".into(),
        3 => "3rd".into(),
        _ => format!("{number}th"),
    };
    spelling
        .replace("{city}", city)
        .replace("{CITY}", &city.to_uppercase())
        .replace("{n}", &arabic)
        .replace("{nn}", &format!("{number:02}"))
        .replace("{e}", &short)
        .replace("{eme}", &long)
        .replace("{EME}", &long.to_uppercase())
        .replace("{r}", &roman.to_lowercase())
        .replace("{R}", &roman)
        .replace("{word}", word(number))
        .replace("{en}", &english)
        .replace("{dep}", &district.department.code)
        .replace("{department}", &district.department.name)
        .replace("{region}", &district.department.region.name)
        .replace("{zip}", district.main_zipcode().expect("districts have zipcodes").as_str())
}

/// A number alone may be the department: only `Marseille 13` is ambiguous.
fn expected_certainty(spelling: &str, number: usize, district: &City) -> Certainty {
    let says_only_the_number = matches!(
        spelling,
        "{city} {n}"
            | "{city} {nn}"
            | "{CITY} {nn}"
            | "{city}{n}"
            | "{city}-{n}"
            | "{city}_{n}"
            | "{city} n°{n}"
    );
    if says_only_the_number && *district.department.code == *number.to_string() { Likely } else { Exact }
}

fn code(resolution: &Resolution) -> &str {
    resolution.placement.as_ref().map(|placement| placement.insee.as_str()).unwrap_or_default()
}

#[test]
fn every_district_is_found_in_every_spelling() {
    assert!(SPELLINGS.len() >= 40);
    let mut wrong = Vec::new();
    let mut districts = 0;
    for city in gazetteer().cities().iter().filter(|city| !city.districts.is_empty()) {
        for (number, insee) in (1..).zip(&city.districts) {
            districts += 1;
            let district = gazetteer().city(insee).expect("the district exists");
            for spelling in SPELLINGS {
                let text = written(spelling, &city.name, number, district);
                let expected = (insee.as_str(), expected_certainty(spelling, number, district));
                for resolution in
                    [gazetteer().resolve_text(&text), gazetteer().resolve(&given("", "", &text))]
                {
                    if (code(&resolution), resolution.certainty) != expected {
                        wrong.push(format!("{text:?}: expected {expected:?}, got {resolution:?}"));
                    }
                }
            }
        }
    }
    assert_eq!(districts, 45);
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn district_that_does_not_exist_is_reported() {
    for (text, city, number) in [
        ("Paris 21e", "75056", "21e"),
        ("Paris 21ème (75)", "75056", "21eme"),
        ("Lyon 10e", "69123", "10e"),
        ("Lyon 10ème arrondissement", "69123", "10eme"),
        ("Marseille 17e", "13055", "17e"),
        ("Paris XXIe", "75056", "xxie"),
    ] {
        let resolution = gazetteer().resolve_text(text);
        assert_eq!((code(&resolution), resolution.certainty), (city, Likely), "{text}: {resolution:?}");
        let warning = PlaceWarning::UnknownDistrict { number: number.into(), insee: crate::insee(city) };
        assert_eq!(resolution.warnings, [warning], "{text}");
    }
}

#[test]
fn number_before_a_place_in_the_city_is_its_district() {
    for (text, expected, certainty) in [
        ("Lyon 3 Part Dieu", "69383", Exact),
        ("Paris 18 Montmartre", "75118", Exact),
        ("Paris 16 Auteuil", "75116", Exact),
        ("Paris XVIe Auteuil", "75116", Exact),
        ("Paris XVI Auteuil", "75116", Exact),
        ("Auteuil Paris XVIe", "75116", Exact),
        ("Paris 75 Montmartre", "75118", Exact),
        ("Paris 9 Montmartre", "75109", Likely),
        ("Marseille 12e Les Caillols", "13212", Exact),
        ("Marseille 12e Les Caillols (13)", "13212", Exact),
        ("Paris 12e Gare de Lyon", "75112", Exact),
        ("Gare de Lyon Paris 12e", "75112", Exact),
        // What is counted is no district.
        ("Paris 3 pièces", "75056", Likely),
        ("Lyon 4 personnes", "69123", Likely),
    ] {
        let resolution = gazetteer().resolve_text(text);
        assert_eq!(
            (code(&resolution), resolution.certainty),
            (expected, certainty),
            "{text}: {resolution:?}"
        );
    }
}

#[test]
fn repair_never_changes_a_number() {
    for (text, expected) in [
        ("Paris 2ex", "75102"),
        ("Pari 2ex", "75102"),
        ("Marseille 1x", "13201"),
        ("8ème arrondissement", ""),
        ("2e", ""),
    ] {
        let resolution = gazetteer().resolve_text(text);
        assert_eq!(code(&resolution), expected, "{text}: {resolution:?}");
        assert_ne!(resolution.certainty, Exact, "{text}: {resolution:?}");
    }
}

#[test]
fn number_of_the_department_is_not_a_district() {
    for (text, expected) in [
        ("Paris (75)", "75056"),
        ("75 - Paris", "75056"),
        ("75 Paris", "75056"),
        ("Paris 75", "75056"),
        ("Lyon (69)", "69123"),
        ("Lyon 69", "69123"),
        ("Marseille (13)", "13055"),
        ("13 - Marseille", "13055"),
        ("13 Marseille", "13055"),
        ("Marseille, 13", "13055"),
        ("Marseille, Bouches-du-Rhône", "13055"),
        ("Paris", "75056"),
        ("Paris, France", "75056"),
        ("Paris centre", "75056"),
    ] {
        let resolution = gazetteer().resolve_text(text);
        assert_eq!((code(&resolution), resolution.certainty), (expected, Exact), "{text}: {resolution:?}");
        assert_eq!(resolution.warnings, [], "{text}");
    }
}

#[test]
fn several_districts_leave_only_the_city() {
    for (text, expected) in
        [("Paris 15e/16e", "75056"), ("Lyon 3ème et 6ème", "69123"), ("Paris 1er, 2e, 3e", "75056")]
    {
        let resolution = gazetteer().resolve_text(text);
        assert_eq!((code(&resolution), resolution.certainty), (expected, Likely), "{text}: {resolution:?}");
    }
}

#[test]
fn district_of_the_code_agrees_with_its_spellings() {
    for (insee, text) in [
        ("75115", "Paris 15ème (75)"),
        ("75115", "75 - Paris"),
        ("69383", "Lyon 3ème (69)"),
        ("13213", "Marseille (13)"),
    ] {
        let resolution = gazetteer().resolve(&given(insee, "", text));
        assert_eq!((code(&resolution), resolution.certainty), (insee, Exact), "{text}: {resolution:?}");
    }
}
