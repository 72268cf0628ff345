//! Real-world spellings with the expected place.

use places::Certainty::{self, Exact, Likely};

use crate::{gazetteer, given};

/// A line of text, the code of the expected place, and the expected certainty.
const LINES: &[(&str, &str, Certainty)] = &[
    // A department next to the name.
    ("st etienne 42", "42218", Exact),
    ("Saint-Étienne (42)", "42218", Exact),
    ("42 Saint Etienne", "42218", Exact),
    ("Saint-Étienne, Loire", "42218", Exact),
    ("Saint Denis La Réunion", "97411", Exact),
    ("Saint-Denis (Seine-Saint-Denis)", "93066", Exact),
    ("saint pierre 974", "97416", Exact),
    ("Ajaccio 2A", "2A004", Exact),
    ("bastia 2b", "2B033", Exact),
    ("Lyon 69", "69123", Exact),
    ("75 Paris", "75056", Exact),
    ("Nice, Alpes-Maritimes", "06088", Exact),
    // Districts.
    ("PARIS 11EME", "75111", Exact),
    ("Paris 11e", "75111", Exact),
    ("paris 11 ème arrondissement", "75111", Exact),
    ("11e arrondissement de Paris", "75111", Exact),
    ("75011 paris", "75111", Exact),
    ("Paris 75011", "75111", Exact),
    ("F-75011 PARIS", "75111", Exact),
    ("Paris 1er", "75101", Exact),
    ("Paris 01", "75101", Exact),
    ("Paris XVI", "75116", Exact),
    ("Paris XVIe", "75116", Exact),
    ("75116 Paris", "75116", Exact),
    ("marseille 8", "13208", Exact),
    ("MARSEILLE 08", "13208", Exact),
    ("Marseille 13ème", "13213", Exact),
    // The department of Marseille is also 13.
    ("marseille 13", "13213", Likely),
    ("Lyon 3ème arrondissement", "69383", Exact),
    ("LYON 7E ARRDT", "69387", Exact),
    ("69004 Lyon Croix-Rousse", "69384", Exact),
    ("69004 Lyon Bellecombe", "69384", Likely),
    // General zipcodes of cities with districts.
    ("75000 Paris", "75056", Exact),
    ("69000 Lyon", "69123", Exact),
    // CEDEX.
    ("Aix en provence cedex 2", "13001", Exact),
    ("13617 AIX EN PROVENCE CEDEX 1", "13001", Exact),
    ("Clermont-Ferrand Cedex 9", "63113", Exact),
    ("92042 Paris La Défense Cedex", "92026", Likely),
    ("33077 BORDEAUX CEDEX", "33063", Exact),
    // Resolver, accents, hyphens, apostrophes, articles, spaces.
    ("L Hay les Roses", "94038", Exact),
    ("L’HAŸ-LES-ROSES", "94038", Exact),
    ("hay les roses", "94038", Exact),
    ("Le mans ", "72181", Exact),
    ("LEMANS", "72181", Exact),
    ("mans", "72181", Exact),
    ("villefranchesursaone", "69264", Exact),
    ("Bourg la reine", "92014", Exact),
    ("SETE", "34301", Exact),
    ("Evreux", "27229", Exact),
    ("Roissy en France", "95527", Exact),
    ("Nice France", "06088", Exact),
    ("Ville de Strasbourg", "67482", Exact),
    ("Toulouse centre", "31555", Exact),
    ("Oeuilly 02", "02565", Exact),
    ("Cosne Cours sur Loire", "58086", Exact),
    // Abbreviations.
    ("St Germain en Laye", "78551", Exact),
    ("Ste Maxime", "83115", Exact),
    ("Stes maries de la mer", "13096", Exact),
    ("Mt de marsan", "40192", Exact),
    ("ND de Bondeville", "76474", Exact),
    ("Clermont-Fd", "63113", Exact),
    ("Issy les Mlx", "92040", Exact),
    ("Chalon s/ Saône", "71076", Exact),
    ("Fontenay s/Bois", "94033", Exact),
    ("Vitry/Seine", "94081", Exact),
    ("Neuilly s seine", "92051", Exact),
    ("Villeneuve lez Avignon", "30351", Exact),
    // Typing errors.
    ("Toulouze", "31555", Likely),
    ("marsielle", "13055", Likely),
    ("montpelier", "34172", Likely),
    ("Villeneuve d'Asq", "59009", Likely),
    ("boulogne billancour", "92012", Likely),
    ("34000 Montpelier", "34172", Likely),
    ("06400 Canne", "06029", Likely),
    ("59000 Lile", "59350", Likely),
    // Parts of names.
    ("92100 Boulogne", "92012", Likely),
    ("93400 st ouen", "93070", Likely),
    ("Le Touquet", "62826", Exact),
    ("Le Monetier", "05079", Likely),
    ("94210 La Varenne Saint Hilaire", "94068", Exact),
    // Names shared by several communes.
    ("Saint-Denis 93200", "93066", Exact),
    ("93210 Saint-Denis", "93066", Exact),
    ("Saint-Denis 97400", "97411", Exact),
    ("97490 SAINT DENIS", "97411", Exact),
    ("30500 saint denis", "30247", Exact),
    ("11310 St Denis", "11339", Exact),
    ("58120 Château-Chinon", "58062", Likely),
    ("58120 Château-Chinon Campagne", "58063", Exact),
    // Former communes.
    ("01350 Béon", "01138", Exact),
    ("01200 Chatillon en Michaille", "01033", Exact),
    // A code.
    ("75111", "75111", Exact),
    ("2A004", "", Certainty::Unknown),
    // No place.
    ("xyzzy", "", Certainty::Unknown),
    ("", "", Certainty::Unknown),
    ("99", "", Certainty::Unknown),
    ("Lyon 42", "", Certainty::Unknown),
    ("69003 Bordeaux", "", Certainty::Unknown),
];

#[test]
fn text_resolves_to_the_expected_place() {
    assert!(LINES.len() >= 60);
    let mut wrong = Vec::new();
    for (text, code, certainty) in LINES {
        let resolution = gazetteer().resolve_text(text);
        let found =
            resolution.placement.as_ref().map(|placement| placement.insee.as_str()).unwrap_or_default();
        if (found, resolution.certainty) != (*code, *certainty) {
            wrong.push(format!("{text:?}: expected {code} {certainty:?}, got {resolution:?}"));
        }
        // An uncertain result has a warning.
        if resolution.certainty == Likely {
            assert!(!resolution.warnings.is_empty(), "{text:?}");
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Zipcode and name in separate fields, as in adverts.
const FIELDS: &[(&str, &str, &str, Certainty)] = &[
    ("75011", "PARIS 11EME", "75111", Exact),
    ("75011", "Paris", "75111", Exact),
    ("93200", "Saint-Denis", "93066", Exact),
    ("93210", "La Plaine Saint Denis", "93066", Exact),
    ("97400", "St Denis", "97411", Exact),
    ("1000", "Bourg en Bresse", "01053", Exact),
    ("F-69003", "Lyon", "69383", Exact),
    ("13013", "Marseille 13", "13213", Exact),
    ("13008", "Marseille 13", "13208", Exact),
    ("13080", "Aix en Provence (Luynes)", "13001", Exact),
    ("13617", "Aix en provence cedex 1", "13001", Exact),
    ("13617", "Aix en provence", "13001", Likely),
    ("72000", "Le mans ", "72181", Exact),
    ("72100", "MANS (LE)", "72181", Exact),
    ("42620", "Saint-Pierre-Laval", "03250", Exact),
    ("20090", "Ajaccio", "2A004", Exact),
    ("35400", "Saint Malo", "35288", Exact),
    ("35400", "Paramé", "35288", Exact),
    ("94240", "", "94038", Exact),
    ("00000", "Toulouse", "31555", Likely),
    ("31000", "31000 Toulouse", "31555", Exact),
];

#[test]
fn zipcode_and_name_resolve_to_the_expected_place() {
    let mut wrong = Vec::new();
    for (zipcode, name, code, certainty) in FIELDS {
        let resolution = gazetteer().resolve(&given("", zipcode, name));
        let found =
            resolution.placement.as_ref().map(|placement| placement.insee.as_str()).unwrap_or_default();
        if (found, resolution.certainty) != (*code, *certainty) {
            wrong.push(format!("{zipcode} {name:?}: expected {code} {certainty:?}, got {resolution:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
