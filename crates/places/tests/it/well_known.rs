//! The list of well-known places inside communes.

use std::collections::HashSet;

use domain::fold;
use places::{Certainty, PlaceWarning, files};

use crate::{gazetteer, given, insee};

/// Returns the rows of the list: name, code and name of the commune.
fn rows() -> Vec<[String; 3]> {
    let files = files::embedded().expect("the embedded data is sound");
    let file = files.iter().find(|file| file.name == "well_known_places.csv").expect("the list is embedded");
    let text = std::str::from_utf8(&file.content).expect("the list is UTF-8");
    let row = |line: &str| -> [String; 3] {
        let fields: Vec<String> = line.split(',').map(Into::into).collect();
        fields.try_into().expect("three columns without commas")
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn every_place_is_in_the_commune_that_the_list_names() {
    let rows = rows();
    assert!(rows.len() >= 120);
    let mut seen = HashSet::new();
    for [name, code, commune] in rows {
        let city = gazetteer().city(&insee(&code)).unwrap_or_else(|| panic!("{name}: no commune {code}"));
        assert_eq!(city.insee.as_str(), code, "{name}: an obsolete code");
        assert_eq!(city.original_name(), commune, "{name}");
        assert_ne!(fold(&name), fold(&commune), "{name} needs no entry");
        assert!(seen.insert((fold(&name), code)), "{name} is listed twice");
    }
}

#[test]
fn every_place_is_found_by_its_name_in_its_department_and_zipcode() {
    let rows = rows();
    for [name, code, _] in &rows {
        let city = gazetteer().city(&insee(code)).expect("checked above");
        let zipcode = city.main_zipcode().expect("inhabited").as_str();
        let resolution = gazetteer().resolve(&given("", zipcode, name));
        let found = resolution.placement.as_ref().map(|placement| placement.insee.as_str());
        assert_eq!(
            (found, resolution.certainty),
            (Some(code.as_str()), Certainty::Exact),
            "{name}: {resolution:?}"
        );
        let [PlaceWarning::PlaceInside { selected, .. }] = resolution.warnings.as_slice() else {
            panic!("{name}: {resolution:?}")
        };
        assert_eq!(**selected, *city.name);
        // Some names are those of several places of a department.
        let of_department = |row: &&[String; 3]| fold(&row[0]) == fold(name) && row[1][..2] == code[..2];
        if rows.iter().filter(of_department).count() == 1 {
            let text = format!("{name} ({})", city.department.code);
            let resolution = gazetteer().resolve(&given("", "", &text));
            let found = resolution.placement.as_ref().map(|placement| placement.insee.as_str());
            assert_eq!(found, Some(code.as_str()), "{text}: {resolution:?}");
        }
    }
}

#[test]
fn commune_of_the_same_name_comes_first() {
    for (name, code) in [("Les Arcs", "83004"), ("Luynes", "37139"), ("Passy", "74208")] {
        let resolution = gazetteer().resolve_text(name);
        assert_eq!(resolution.placement.expect("a commune").insee.as_str(), code, "{name}");
    }
}
