//! Completeness of the embedded data.

use std::collections::HashSet;

use domain::place::code_as_number;
use places::{Certainty, Gazetteer, files};

use crate::{gazetteer, given, insee};

#[test]
fn row_counts_match_the_readme() {
    let gazetteer = gazetteer();
    let districts = gazetteer.cities().iter().filter(|city| city.parent.is_some()).count();
    assert_eq!(gazetteer.cities().len() - districts, 34_969);
    assert_eq!(districts, 45);
    assert_eq!(gazetteer.departments().len(), 109);
    assert_eq!(gazetteer.regions().len(), 26);
    assert_eq!(gazetteer.countries().len(), 1);
    assert_eq!(gazetteer.old_codes().count(), 4_240);
    assert_eq!(gazetteer.stations().len(), 3_577);
    let former: usize = gazetteer.cities().iter().map(|city| city.grouped_names.len()).sum();
    // Communes group their delegated and associated communes; three communes group their districts.
    assert_eq!(former, 1_521 + 471 + 45);
    let lines: HashSet<u32> =
        gazetteer.stations().iter().flat_map(|it| &it.lines).map(|line| line.id).collect();
    assert_eq!(lines.len(), 60);
}

#[test]
fn every_city_is_found_by_its_code_and_by_its_id() {
    for city in gazetteer().cities() {
        assert_eq!(gazetteer().city(&city.insee), Some(city));
        assert_eq!(gazetteer().city_by_id(city.id()), Some(city));
        let resolution = gazetteer().resolve(&given(city.insee.as_str(), "", ""));
        assert_eq!(resolution.certainty, Certainty::Exact);
        assert_eq!(resolution.warnings, []);
        let placement = resolution.placement.unwrap();
        assert_eq!(placement.insee, city.insee);
        assert_eq!(placement.zipcode.as_ref(), city.main_zipcode());
        assert_eq!(placement.centre, city.centre);
    }
}

#[test]
fn every_city_is_found_by_each_of_its_zipcodes_with_its_name() {
    for city in gazetteer().cities() {
        for zipcode in &city.zipcodes {
            for name in [&city.name, city.original_name()] {
                let resolution = gazetteer().resolve(&given("", zipcode.as_str(), name));
                let found = resolution.placement.as_ref().map(|placement| &placement.insee);
                let expected = if city.districts.is_empty() {
                    vec![&city.insee]
                } else {
                    // In a city with districts, the zipcode identifies the district.
                    let districts = gazetteer().cities_with_zipcode(zipcode);
                    districts.filter(|it| it.parent.is_some()).map(|it| &it.insee).collect()
                };
                assert!(
                    expected.len() == 1 && found == Some(expected[0]),
                    "{zipcode} {name}: {resolution:?}"
                );
                assert_eq!(resolution.certainty, Certainty::Exact, "{zipcode} {name}");
                assert_eq!(resolution.warnings, [], "{zipcode} {name}");
                assert_eq!(resolution.placement.unwrap().zipcode.as_ref(), Some(zipcode));
            }
        }
    }
}

#[test]
fn departments_and_regions_are_found_by_their_codes() {
    for department in gazetteer().departments() {
        assert_eq!(code_as_number(&department.code), Some(department.id));
        assert_eq!(gazetteer().department_by_id(department.id), Some(department));
        assert!(department.capital.is_some(), "{}", department.name);
        let capital = gazetteer().city(department.capital_insee.as_ref().unwrap()).unwrap();
        assert_eq!(department.capital.as_deref(), Some(&*capital.name));
    }
    for region in gazetteer().regions() {
        assert_eq!(code_as_number(&region.code), Some(region.id));
        assert_eq!(gazetteer().region_by_id(region.id), Some(region));
    }
    assert_eq!(gazetteer().department_by_id(201).unwrap().name.as_ref(), "Corse-du-Sud");
    assert_eq!(gazetteer().department_by_id(6).unwrap().name_clean.as_ref(), "alpes-maritimes");
    assert_eq!(gazetteer().department_by_id(20), None);
    assert_eq!(gazetteer().region_by_id(94).unwrap().name.as_ref(), "Corse");
    assert_eq!(gazetteer().country_by_id(250).unwrap().code.as_ref(), "FR");
}

#[test]
fn every_obsolete_code_has_a_current_commune() {
    for (old, city) in gazetteer().old_codes() {
        assert_eq!(gazetteer().city(old), Some(city), "{old}");
        assert_ne!(*old, city.insee);
        assert!(city.parent.is_none());
        assert_eq!(gazetteer().resolve(&given(old.as_str(), "", "")).certainty, Certainty::Exact);
    }
    assert_eq!(gazetteer().city(&insee("01039")).unwrap().name.as_ref(), "Culoz-Béon");
}

#[test]
fn ids_are_not_codes() {
    for code in ["201004", "99999", "75121", "1"] {
        assert_eq!(gazetteer().city(&insee(code)), None, "{code}");
    }
    // A spreadsheet drops the leading zero.
    assert_eq!(gazetteer().city(&insee("1001")).unwrap().insee.as_str(), "01001");
}

#[test]
fn city_has_the_fields_of_the_contract() {
    let city = |code| gazetteer().city(&insee(code)).unwrap();
    let paris = city("75056");
    assert_eq!((paris.id(), paris.parent_id()), (75_056, None));
    assert_eq!((paris.districts.len(), paris.zipcodes.len()), (20, 21));
    assert!(paris.has_grouped_names() && paris.has_grouped_zipcodes() && paris.is_open());
    assert_eq!(paris.all_names().nth(11), Some("Paris 11e"));

    let district = city("75111");
    assert_eq!((district.id(), district.parent_id()), (75_111, Some(75_056)));
    assert_eq!((&*district.name, district.original_name()), ("Paris 11e", "Paris 11e Arrondissement"));
    assert!(!district.has_grouped_names() && !district.has_grouped_zipcodes());
    assert_eq!(&*district.department.region.name, "Île-de-France");
    assert_eq!(&*district.country.name, "France");

    let le_mans = city("72181");
    assert_eq!((&*le_mans.name, le_mans.article.as_deref()), ("Le Mans", Some("Le")));
    assert_eq!((le_mans.original_name(), le_mans.name_without_article()), ("Le Mans", "Mans"));
    assert_eq!(city("94038").name_without_article(), "Haÿ-les-Roses");

    assert_eq!(city("2A004").id(), 201_004);
    assert_eq!(city("01138").all_names().collect::<Vec<_>>(), ["Culoz-Béon", "Béon"]);
    // Destroyed in 1916 and uninhabited since.
    assert!(!city("55050").is_open());
    assert_eq!(gazetteer().cities().iter().filter(|city| !city.is_open()).count(), 12);
    assert_eq!(gazetteer().cities().iter().filter(|city| city.zipcodes.is_empty()).count(), 5);
}

#[test]
fn data_directory_and_embedded_data_are_equal() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data");
    let from_folder = files::in_directory(folder.as_ref()).unwrap();
    let embedded = files::embedded().unwrap();
    assert_eq!(from_folder.len(), embedded.len());
    for (a, b) in from_folder.iter().zip(&embedded) {
        assert_eq!(a.name, b.name);
        assert!(a.content == b.content, "{}", a.name);
    }
    let gazetteer = Gazetteer::from_directory(folder.as_ref()).unwrap();
    assert_eq!(gazetteer.cities(), crate::gazetteer().cities());
}
