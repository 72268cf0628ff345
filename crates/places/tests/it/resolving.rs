//! Resolution of codes and coordinates, and the warnings about inconsistent places.

use domain::{CountryCode, GeoAccuracy, GeoPoint, GivenPlace};
use places::{Certainty, PlaceWarning};

use crate::{gazetteer, given, insee, zipcode};

fn at(lat: f64, lon: f64) -> GivenPlace {
    GivenPlace { point: GeoPoint::new(lat, lon), ..GivenPlace::default() }
}

#[track_caller]
fn check(given: &GivenPlace, code: &str, certainty: Certainty, warnings: &[PlaceWarning]) {
    let resolution = gazetteer().resolve(given);
    let found = resolution.placement.as_ref().map(|placement| placement.insee.as_str());
    assert_eq!(found.unwrap_or_default(), code, "{resolution:?}");
    assert_eq!(resolution.certainty, certainty, "{resolution:?}");
    assert_eq!(resolution.warnings, warnings);
    assert_eq!(gazetteer().resolve(given), resolution, "the name is remembered now");
}

#[test]
fn remembered_name_does_not_keep_the_rest_of_the_place() {
    let reunion = GivenPlace { country: CountryCode::parse("RE"), ..given("", "", "Saint-Denis") };
    check(&given("", "93200", "Saint-Denis"), "93066", Certainty::Exact, &[]);
    check(&reunion, "97411", Certainty::Exact, &[]);
    check(&given("", "93200", "Saint-Denis"), "93066", Certainty::Exact, &[]);
}

#[test]
fn empty_place_is_unknown_without_a_warning() {
    check(&GivenPlace::default(), "", Certainty::Unknown, &[]);
}

#[test]
fn city_and_zipcode_of_a_district_resolve_to_the_district() {
    check(&given("75056", "75011", ""), "75111", Certainty::Exact, &[]);
    check(&given("75056", "", "Paris 11e"), "75111", Certainty::Exact, &[]);
    check(&given("75056", "", ""), "75056", Certainty::Exact, &[]);
    check(&given("69123", "69003", "LYON"), "69383", Certainty::Exact, &[]);
}

#[test]
fn district_number_that_contradicts_the_zipcode_resolves_to_the_city() {
    let warning = PlaceWarning::ZipcodeElsewhere { zipcode: zipcode("75012"), insee: insee("75111") };
    check(&given("", "75012", "Paris 11e"), "75056", Certainty::Likely, &[warning]);
}

#[test]
fn obsolete_code_resolves_to_its_successor_with_a_warning() {
    let warning = PlaceWarning::FormerInsee { given: insee("01039"), selected: insee("01138") };
    check(&given("01039", "", ""), "01138", Certainty::Exact, std::slice::from_ref(&warning));
    check(&given("01039", "01350", "Béon"), "01138", Certainty::Exact, &[warning]);
}

#[test]
fn unknown_code_is_ignored_with_a_warning() {
    let warning = PlaceWarning::UnknownInsee { insee: insee("99999") };
    check(&given("99999", "", ""), "", Certainty::Unknown, std::slice::from_ref(&warning));
    check(&given("99999", "75011", "Paris"), "75111", Certainty::Exact, &[warning]);
}

#[test]
fn code_has_precedence_over_zipcode_or_name() {
    let zip = PlaceWarning::ZipcodeElsewhere { zipcode: zipcode("69003"), insee: insee("33063") };
    check(&given("33063", "69003", "Bordeaux"), "33063", Certainty::Likely, &[zip]);
    let name = PlaceWarning::NameElsewhere { name: "Lyon".into(), insee: insee("33063") };
    check(&given("33063", "33000", "Lyon"), "33063", Certainty::Likely, &[name]);
    // The zipcode of a sorting office is not a contradiction.
    check(&given("33063", "33077", "BORDEAUX CEDEX"), "33063", Certainty::Exact, &[]);
    check(&given("75111", "75011", "Paris"), "75111", Certainty::Exact, &[]);
}

#[test]
fn neighbourhood_name_does_not_contradict_the_code() {
    let warning = PlaceWarning::UnknownName { name: "Les Trois Platanes".into() };
    check(&given("69123", "69004", "Les Trois Platanes"), "69384", Certainty::Exact, &[warning]);
    // A well-known one even tells the district.
    check(&given("69123", "", "La Croix-Rousse"), "69384", Certainty::Exact, &[]);
}

#[test]
fn zipcode_and_name_have_precedence_over_the_code() {
    // 69003 is the zipcode of a district of Lyon and the code of a village.
    let warning = PlaceWarning::InseeElsewhere { given: insee("69003"), selected: insee("69383") };
    check(&given("69003", "69003", "Lyon"), "69383", Certainty::Likely, &[warning]);
}

#[test]
fn zipcode_of_a_single_commune_is_exact() {
    check(&given("", "94240", ""), "94038", Certainty::Exact, &[]);
    check(&given("", "75011", ""), "75111", Certainty::Exact, &[]);
    check(&given("", "75000", ""), "75056", Certainty::Exact, &[]);
    let communes = gazetteer().cities_with_zipcode(&zipcode("01500")).count();
    assert!(communes > 1);
    let warning = PlaceWarning::ZipcodeShared { zipcode: zipcode("01500"), communes };
    check(&given("", "01500", ""), "01004", Certainty::Likely, &[warning]);
    let warning = PlaceWarning::UnknownZipcode { zipcode: zipcode("99999") };
    check(&given("", "99999", ""), "", Certainty::Unknown, &[warning]);
}

#[test]
fn name_in_the_area_of_the_zipcode_is_preferred_with_a_warning() {
    let warning = PlaceWarning::ZipcodeElsewhere { zipcode: zipcode("69100"), insee: insee("69123") };
    check(&given("", "69100", "Lyon"), "69123", Certainty::Likely, &[warning]);
}

#[test]
fn exact_name_in_the_department_beats_a_similar_name_at_the_zipcode() {
    // The zipcode is that of a commune whose name differs by one letter.
    for (zip, name, code) in [
        ("33210", "Lanton", "33229"),
        ("33138", "Langon", "33227"),
        ("69740", "Genay", "69278"),
        ("59220", "Fenain", "59227"),
        ("86480", "Vouillé", "86294"),
        ("68190", "Ingersheim", "68155"),
        ("91400", "Saclas", "91533"),
    ] {
        let warning = PlaceWarning::ZipcodeElsewhere { zipcode: zipcode(zip), insee: insee(code) };
        check(&given("", zip, name), code, Certainty::Likely, &[warning]);
    }
    // A zipcode that no commune has.
    let warning = PlaceWarning::UnknownZipcode { zipcode: zipcode("33999") };
    check(&given("", "33999", "Lanton"), "33229", Certainty::Likely, &[warning]);
    // A name that no commune of the department has is a typing error.
    let warning = PlaceWarning::NameCorrected { given: "Lantan".into(), selected: "Lanton".into() };
    check(&given("", "33138", "Lantan"), "33229", Certainty::Likely, &[warning]);
}

#[test]
fn repaired_name_never_beats_distant_coordinates() {
    // Dudelange is in Luxembourg, Audelange in the Jura, 262 km away.
    let unknown = PlaceWarning::UnknownName { name: "Dudelange".into() };
    let dudelange = given("", "", "Dudelange");
    let resolution =
        gazetteer().resolve(&GivenPlace { point: GeoPoint::new(49.48, 6.0875), ..dudelange.clone() });
    assert!(resolution.warnings.contains(&unknown), "{resolution:?}");
    assert_ne!(resolution.placement.map(|placement| placement.insee), Some(insee("39024")));
    // In the Atlantic there is no commune at all.
    let at_sea = GivenPlace { point: GeoPoint::new(45.0, -20.0), ..dudelange.clone() };
    check(&at_sea, "", Certainty::Unknown, &[unknown, PlaceWarning::PointNowhere]);
    // Near Audelange, the guess is a good one. It is still called a guess.
    let guess = PlaceWarning::NameCorrected { given: "Dudelange".into(), selected: "Audelange".into() };
    assert!(guess.to_string().ends_with("which is a guess."), "{guess}");
    let near = GivenPlace { point: GeoPoint::new(47.14, 5.58), ..dudelange };
    check(&near, "39024", Certainty::Likely, &[guess]);
    // The same holds for a town next to unknown words.
    let paris = GivenPlace { point: GeoPoint::new(48.8583, 2.3785), ..given("", "", "Toulon Platanes") };
    let resolution = gazetteer().resolve(&paris);
    assert_ne!(resolution.placement.map(|placement| placement.insee), Some(insee("83137")));
}

#[test]
fn name_alone_gives_way_to_distant_coordinates() {
    let at = |name: &str, lat, lon| GivenPlace { point: GeoPoint::new(lat, lon), ..given("", "", name) };
    let corrected = |given: &str, selected: &str| PlaceWarning::NameCorrected {
        given: given.into(),
        selected: selected.into(),
    };
    let elsewhere =
        |name: &str, code: &str| PlaceWarning::NameElsewhere { name: name.into(), insee: insee(code) };
    // The short form of the name of a commune near the coordinates.
    let boulogne = at("Boulogne", 48.8397, 2.2399);
    check(&boulogne, "92012", Certainty::Likely, &[corrected("Boulogne", "Boulogne-Billancourt")]);
    let evry = at("Évry", 48.6294, 2.44);
    let shared = PlaceWarning::NameShared { name: "Évry".into(), communes: 2 };
    check(&evry, "91228", Certainty::Likely, &[corrected("Évry", "Évry-Courcouronnes"), shared]);
    // No such name is near.
    let lyon = at("Aubeterre", 45.76, 4.85);
    check(&lyon, "69383", Certainty::Inside, &[elsewhere("Aubeterre", "69383")]);
    for (name, lat, lon) in [("La Réunion", -21.1, 55.5), ("Aubeterre", 44.0, 3.0)] {
        let resolution = gazetteer().resolve(&at(name, lat, lon));
        assert_eq!(resolution.certainty, Certainty::Inside, "{resolution:?}");
        let selected = resolution.placement.unwrap();
        assert_eq!(resolution.warnings, [elsewhere(name, selected.insee.as_str())]);
        assert!(GeoPoint::new(lat, lon).unwrap().distance_km(selected.centre.unwrap()) < 20.0, "{name}");
    }
    // A department supports the name, and coordinates where nothing is say nothing.
    for (name, lat, lon) in [("Toulon (83)", 45.76, 4.85), ("Toulon, Var", 45.76, 4.85), ("Toulon", 0.0, 0.0)]
    {
        let resolution = gazetteer().resolve(&at(name, lat, lon));
        assert_eq!(resolution.certainty, Certainty::Likely, "{resolution:?}");
        assert_eq!(resolution.placement.unwrap().insee, insee("83137"), "{name}");
        assert!(matches!(resolution.warnings[..], [PlaceWarning::PointElsewhere { .. }]), "{name}");
    }
    // So does the size of the town: the coordinates may be those of the middle of the country, or rounded to degrees.
    for (name, code, lat, lon) in [("Toulon", "83137", 46.2276, 2.2137), ("Paris", "75056", 48.0, 2.0)] {
        assert_eq!(gazetteer().resolve(&at(name, lat, lon)).placement.unwrap().insee, insee(code), "{name}");
    }
    // So do coordinates that are only a little farther than a commune reaches.
    let near = gazetteer().resolve(&at("Toulon", 43.45, 5.80));
    assert_eq!(near.placement.unwrap().insee, insee("83137"));
    assert!(matches!(near.warnings[..], [PlaceWarning::PointElsewhere { .. }]), "{:?}", near.warnings);
    // So does a zipcode.
    let zipcode = GivenPlace { point: GeoPoint::new(45.76, 4.85), ..given("", "83000", "Toulon") };
    assert_eq!(gazetteer().resolve(&zipcode).placement.unwrap().insee, insee("83137"));
}

#[test]
fn place_abroad_has_no_commune() {
    let abroad =
        |country: &str, place: GivenPlace| GivenPlace { country: CountryCode::parse(country), ..place };
    let warning = |country: &str| PlaceWarning::Abroad { country: CountryCode::parse(country).unwrap() };
    check(&abroad("LU", given("", "", "Dudelange")), "", Certainty::Unknown, &[warning("LU")]);
    // Neither by a name that exists, nor by coordinates near the border, nor by a zipcode.
    check(&abroad("Belgique", given("", "", "Menin")), "", Certainty::Unknown, &[warning("BE")]);
    check(&abroad("DE", at(48.57, 7.80)), "", Certainty::Unknown, &[warning("DE")]);
    check(&abroad("DE", given("", "67000", "Strasbourg")), "", Certainty::Unknown, &[warning("DE")]);
    // A code is unambiguous.
    check(&abroad("DE", given("67482", "", "")), "67482", Certainty::Exact, &[]);
    for country in ["FR", "france", "MC"] {
        check(&abroad(country, given("", "", "Toulon")), "83137", Certainty::Exact, &[]);
    }
    check(&abroad("RE", given("", "", "Saint-Denis")), "97411", Certainty::Exact, &[]);
    check(&abroad("GP", given("", "", "Les Abymes")), "97101", Certainty::Exact, &[]);
}

#[test]
fn prefix_of_a_zipcode_is_a_country() {
    let warning = |country: &str| PlaceWarning::Abroad { country: CountryCode::parse(country).unwrap() };
    for (zip, name, country) in [
        ("BE-7500", "", "BE"),
        ("B-7000", "", "BE"),
        ("BE-7500", "Tournai", "BE"),
        ("L-2450", "", "LU"),
        ("LUX 2450", "Luxembourg", "LU"),
        ("CH-1000", "Lausanne", "CH"),
        ("D-67480", "", "DE"),
        ("DE-67000", "Strasbourg", "DE"),
        ("I-20121", "Milano", "IT"),
        ("", "B-7500 Tournai", "BE"),
        ("", "I-20121 Milano", "IT"),
    ] {
        check(&given("", zip, name), "", Certainty::Unknown, &[warning(country)]);
    }
    // A country that is given on its own comes first, and so does a code.
    let french = GivenPlace { country: CountryCode::parse("FR"), ..given("", "B-7500", "Toulon") };
    assert_eq!(gazetteer().resolve(&french).placement.unwrap().insee, insee("83137"));
    assert_eq!(gazetteer().resolve(&given("67482", "D-67480", "")).placement.unwrap().insee, insee("67482"));
}

#[test]
fn added_zero_and_an_unknown_name_are_no_place() {
    for name in ["Lausanne", "Bruxelles"] {
        let warning = PlaceWarning::UnknownName { name: name.into() };
        check(&given("", "1000", name), "", Certainty::Unknown, std::slice::from_ref(&warning));
        // Coordinates near the zipcode support it, and so does the country.
        let near = GivenPlace { point: GeoPoint::new(46.2, 5.22), ..given("", "1000", name) };
        let resolution = gazetteer().resolve(&near);
        assert_eq!(resolution.certainty, Certainty::Likely, "{resolution:?}");
        assert!(resolution.warnings.contains(&warning), "{resolution:?}");
        let french = GivenPlace { country: CountryCode::parse("FR"), ..given("", "1000", name) };
        assert_eq!(gazetteer().resolve(&french).placement.unwrap().insee, insee("01053"));
    }
    check(
        &given("", "", "1000 Bruxelles"),
        "",
        Certainty::Unknown,
        &[PlaceWarning::UnknownName { name: "bruxelles".into() }],
    );
    check(&given("", "6000", ""), "06088", Certainty::Exact, &[]);
    check(&given("", "6000", "Nice"), "06088", Certainty::Exact, &[]);
}

#[test]
fn same_place_gives_the_same_result_again() {
    for text in ["Dudelange", "Toulouze", "Non renseigné", "Toulon Platanes", "Montpelier (34)"] {
        let first = gazetteer().resolve_text(text);
        for _ in 0..3 {
            assert_eq!(gazetteer().resolve_text(text), first, "{text}");
        }
        let another = places::Gazetteer::embedded().unwrap();
        assert_eq!(another.resolve_text(text), first, "{text}");
    }
}

#[test]
fn coordinates_decide_between_contradictory_zipcode_and_name() {
    let bordeaux_in_lyon = given("", "69003", "Bordeaux");
    let contradiction = PlaceWarning::Contradiction { zipcode: zipcode("69003"), name: "Bordeaux".into() };
    check(&bordeaux_in_lyon, "", Certainty::Unknown, &[contradiction]);
    let in_bordeaux = GivenPlace { point: GeoPoint::new(44.84, -0.58), ..bordeaux_in_lyon.clone() };
    let warning = PlaceWarning::ZipcodeElsewhere { zipcode: zipcode("69003"), insee: insee("33063") };
    check(&in_bordeaux, "33063", Certainty::Likely, &[warning]);
    let in_lyon = GivenPlace { point: GeoPoint::new(45.76, 4.85), ..bordeaux_in_lyon };
    let warning = PlaceWarning::NameElsewhere { name: "Bordeaux".into(), insee: insee("69383") };
    check(&in_lyon, "69383", Certainty::Likely, &[warning]);
}

#[test]
fn coordinates_decide_between_communes_of_the_same_name() {
    let near_paris = GivenPlace { point: GeoPoint::new(48.93, 2.36), ..given("", "", "Saint-Denis") };
    check(&near_paris, "93066", Certainty::Exact, &[]);
}

#[test]
fn distant_coordinates_are_reported() {
    let resolution =
        gazetteer().resolve(&GivenPlace { point: GeoPoint::new(45.76, 4.85), ..given("33063", "", "") });
    assert_eq!(resolution.placement.unwrap().insee.as_str(), "33063");
    assert_eq!(resolution.certainty, Certainty::Likely);
    let [PlaceWarning::PointElsewhere { distance_km, .. }] = resolution.warnings[..] else { panic!() };
    assert!((distance_km - 435.0).abs() < 15.0, "{distance_km}");
    // Maripasoula is larger than many departments; a point far from its centre can still be in it.
    let far_corner = GivenPlace { point: GeoPoint::new(2.8, -53.9), ..given("97353", "", "") };
    assert_eq!(gazetteer().resolve(&far_corner).warnings, []);
}

#[test]
fn coordinates_alone_resolve_to_the_outline_or_the_nearest_centre() {
    check(&at(48.8583, 2.3785), "75111", Certainty::Inside, &[]);
    check(&at(43.2500, 5.3850), "13208", Certainty::Inside, &[]);
    check(&at(47.99, 0.20), "72181", Certainty::Inside, &[]);
    check(&at(43.6850, 7.2500), "06088", Certainty::Nearest, &[]);
    check(&at(0.0, 0.0), "", Certainty::Unknown, &[PlaceWarning::PointNowhere]);
}

#[test]
fn only_coordinates_of_a_house_select_the_district() {
    let point = GeoPoint::new(48.8583, 2.3785);
    let paris = GivenPlace { point, ..given("", "", "Paris") };
    check(&paris, "75056", Certainty::Exact, &[]);
    let house = GivenPlace { accuracy: Some(GeoAccuracy::HouseNumber), ..paris.clone() };
    check(&house, "75111", Certainty::Likely, &[]);
    let quarter = GivenPlace { accuracy: Some(GeoAccuracy::Neighbourhood), ..paris };
    check(&quarter, "75056", Certainty::Exact, &[]);
}

#[test]
fn nearest_centre_is_that_of_a_full_scan() {
    let smallest: Vec<_> = gazetteer().cities().iter().filter(|city| city.districts.is_empty()).collect();
    for seed in 0..200_u32 {
        let point = GeoPoint::new(43.0 + f64::from(seed % 17) * 0.4, -1.0 + f64::from(seed) * 0.04).unwrap();
        let distance = |city: &domain::City| city.centre.map_or(f64::INFINITY, |it| it.distance_km(point));
        let expected = smallest.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
        let code = if distance(expected) <= places::resolve::FAR_KM { expected.insee.as_str() } else { "" };
        let found = gazetteer().nearest_city(point, places::resolve::FAR_KM);
        assert_eq!(found.map(|it| it.insee.as_str()).unwrap_or_default(), code, "{point:?}");
    }
}

#[test]
fn placement_keeps_a_zipcode_of_the_commune() {
    let placed = |code, zip| gazetteer().resolve(&given(code, zip, "")).placement.unwrap().zipcode;
    assert_eq!(placed("97411", "97490"), Some(zipcode("97490")));
    assert_eq!(placed("97411", ""), Some(zipcode("97400")));
    assert_eq!(placed("33063", "69003"), Some(zipcode("33000")));
}

#[test]
fn unusual_texts_do_not_panic() {
    let long = "saint ".repeat(10_000);
    for text in [
        &long,
        "\u{0}\u{7}",
        "é̂́",
        "////",
        "s/s/s/",
        "12 12 12",
        "e 5 e 5",
        "11",
        "cedex",
        "de paris 11e",
        "arrondissement",
        "75011 75012",
        "﷽",
        "🏠 Paris",
    ] {
        let resolution = gazetteer().resolve_text(text);
        assert_eq!(resolution.placement.is_none(), resolution.certainty == Certainty::Unknown, "{text:.40}");
    }
    assert_eq!(gazetteer().resolve_text("🏠 Paris").placement.unwrap().insee, insee("75056"));
}
