//! Reading custom files, and the errors about them.

use std::fs;
use std::path::PathBuf;

use places::{DataError, Gazetteer, SourceFile};

use crate::insee;

const COMMUNES: &str = "insee,kind,parent,article,name,dept,zips,population,lat,lon";

/// Returns the files of a small country: two cities, one with a district, and a merged village.
fn small_country() -> Vec<SourceFile> {
    [
        ("countries.csv", "code,id,name\nBE,56,Belgique\n"),
        ("regions.csv", "code,name\n2000,Région flamande\n"),
        ("departments.csv", "code,name,name_clean,region\n10000,Anvers,anvers,2000\n"),
        (
            "communes.csv",
            "insee,kind,parent,article,name,dept,zips,population,lat,lon\n\
             11001,C,,,Aartselaar,10000,2630,14493,51.13,4.38\n\
             11002,C,,,Anvers,10000,2000 2018,529247,51.22,4.40\n\
             1100201,A,11002,,Anvers 1er Arrondissement,10000,2000,1000,51.22,4.40\n\
             11003,D,11001,,Vieux-Village,10000,2630,,,\n",
        ),
    ]
    .map(|(name, content)| SourceFile { name: name.into(), content: content.into() })
    .into()
}

fn with(name: &str, content: &str) -> Vec<SourceFile> {
    let mut files = small_country();
    files.retain(|file| file.name != name);
    files.push(SourceFile { name: name.into(), content: content.into() });
    files
}

fn message(files: &[SourceFile]) -> String {
    match Gazetteer::from_files(files) {
        Ok(_) => "no error".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn custom_files_replace_the_embedded_data() {
    let gazetteer = Gazetteer::from_files(&small_country()).unwrap();
    let city = gazetteer.city(&insee("11002")).unwrap();
    assert_eq!((&*city.name, &*city.country.code), ("Anvers", "BE"));
    assert_eq!(city.districts, [insee("1100201")]);
    assert_eq!(gazetteer.city(&insee("11003")).unwrap().insee, insee("11001"));
    assert_eq!(gazetteer.resolve_text("Anvers").placement.unwrap().insee, insee("11002"));
    assert_eq!(gazetteer.stations().len(), 0);
}

#[test]
fn outlines_belong_to_france_only() {
    // 11001 is the code of a commune in France, too.
    let belgium = Gazetteer::from_files(&small_country()).unwrap();
    assert_eq!(belgium.city_outline(belgium.city(&insee("11001")).unwrap()), None);
    let france = with("countries.csv", "code,id,name\nFR,250,France\n");
    let france = Gazetteer::from_files(&france).unwrap();
    let city = france.city(&insee("11001")).unwrap();
    assert!(france.city_outline(city).is_some());
    let centre = domain::GeoPoint::new(43.23508, 2.53285).unwrap();
    assert_eq!((france.city_at(centre), belgium.city_at(centre)), (Some(city), None));
    // Paris is in no file of this country.
    assert_eq!(france.city_at(domain::GeoPoint::new(48.85, 2.35).unwrap()), None);
}

#[test]
fn additional_file_extends_the_geography() {
    let mut files = small_country();
    let more = format!("{COMMUNES}\n11004,C,,,Boechout,10000,2530,13000,51.16,4.49\n");
    files.push(SourceFile { name: "communes-more.csv".into(), content: more.into() });
    let countries = "name,code,id\nFrance,FR,250\n";
    files.push(SourceFile { name: "countries-fr.csv".into(), content: countries.into() });
    let regions = "code,name,country\n11,Île-de-France,FR\n";
    files.push(SourceFile { name: "regions-fr.csv".into(), content: regions.into() });
    let gazetteer = Gazetteer::from_files(&files).unwrap();
    assert_eq!(gazetteer.cities().len(), 4);
    assert_eq!(gazetteer.countries().len(), 2);
}

#[test]
fn errors_name_the_file_the_line_and_the_column() {
    let commune = |rows: &str| message(&with("communes.csv", &format!("{COMMUNES}\n{rows}\n")));
    let good = "11001,C,,,Aartselaar,10000,2630,14493,51.13,4.38";
    for (actual, expected) in [
        (commune("11001,C"), "communes.csv, line 2: not well-formed CSV"),
        (
            commune(&format!("{good}\n11002,C,,,X,10000,2000,many,51,4")),
            "communes.csv, line 3, column population: \"many\" is not a number of people",
        ),
        (
            commune("1x,C,,,X,10000,2000,1,51,4"),
            "communes.csv, line 2, column insee: \"1x\" is not a commune code",
        ),
        (
            commune("11001,Z,,,X,10000,2000,1,51,4"),
            "communes.csv, line 2, column kind: \"Z\" is not C, A, D or S",
        ),
        (commune("11001,C,,,,10000,2000,1,51,4"), "communes.csv, line 2, column name: \"\" is not a name"),
        (
            commune("11001,C,,,X,10000,2000,1,151,4"),
            "communes.csv, line 2, column lat: \"151\" is not on the globe",
        ),
        (
            commune("11001,C,,,X,10000,2000,1,NaN,4"),
            "communes.csv, line 2, column lat: \"NaN\" is not a latitude",
        ),
        (
            commune("11001,C,,,X,10000,2000,1,51,"),
            "communes.csv, line 2, column lon: \"\" is not given together with the latitude",
        ),
        (
            commune("11001,C,,,X,10000,20_00,1,51,4"),
            "communes.csv, line 2, column zips: \"20_00\" is not a list of zipcodes",
        ),
        (
            commune("11001,C,,,X,99,2000,1,51,4"),
            "communes.csv, line 2, column dept: \"99\" does not exist in departments",
        ),
        (
            commune(&format!("{good}\n{good}")),
            "communes.csv, line 3, column insee: duplicate value \"11001\"",
        ),
        (
            commune("11001,A,,,X,10000,2000,1,51,4"),
            "communes.csv, line 2, column parent: \"\" is not the code of the commune it belongs to",
        ),
        (
            commune("11001,D,11009,,X,10000,2000,1,51,4"),
            "communes.csv, line 2, column parent: \"11009\" does not exist in communes",
        ),
        (message(&with("communes.csv", "insee,kind\n")), "communes.csv, line 1: column parent is missing"),
        (message(&with("communes.csv", "")), "communes.csv, line 1: column insee is missing"),
        (
            message(&with("departments.csv", "code,name,name_clean,region\n1,A,a,3\n")),
            "departments.csv, line 2, column region: \"3\" does not exist in regions",
        ),
        (
            message(&with("regions.csv", "code,name,country\n1,A,FR\n")),
            "regions.csv, line 2, column country: \"FR\" does not exist in countries",
        ),
        (
            message(&with("regions.csv", "code,name\n1,A\n01,B\n")),
            "regions.csv, line 3, column code: duplicate value \"01\"",
        ),
        (
            message(&with("old_codes.csv", "old_insee,insee\n5,6\n")),
            "old_codes.csv, line 2, column insee: \"6\" does not exist in communes",
        ),
        (
            message(&with("well_known_places.csv", "name,insee\nLe Port,6\n")),
            "well_known_places.csv, line 2, column insee: \"6\" does not exist in communes",
        ),
        (
            message(&with("lines.csv", "id,name,number,route_name,color\n1,Metro,1,A-B,red\n")),
            "lines.csv, line 2, column color: \"red\" is not a colour such as #ffbe00",
        ),
        (
            message(&with("stations.csv", "id,name,lat,lon,line_ids\n1,Gare,51,4,7 8\n")),
            "stations.csv, line 2, column line_ids: \"7 8\" does not exist in lines",
        ),
    ] {
        assert_eq!(actual, expected);
    }
}

#[test]
fn name_that_is_not_utf8_is_malformed() {
    let mut row = b"insee,kind,parent,article,name,dept,zips,population,lat,lon\n11001,C,,,".to_vec();
    row.extend(b"Ch\xe2lons,10000,2000,1,51,4\n");
    let mut files = small_country();
    files.retain(|file| file.name != "communes.csv");
    files.push(SourceFile { name: "communes.csv".into(), content: row });
    let Err(DataError::Malformed { file, line, .. }) = Gazetteer::from_files(&files) else { panic!() };
    assert_eq!((file.as_str(), line), ("communes.csv", 2));
}

#[test]
fn unknown_and_missing_tables_are_rejected() {
    assert!(message(&with("comunes.csv", "")).starts_with("comunes.csv: unknown table"));
    let mut files = small_country();
    files.retain(|file| file.name != "regions.csv");
    assert_eq!(message(&files), "regions.csv is missing");
}

#[test]
fn directory_is_read_with_its_subdirectories() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("small-country");
    fs::create_dir_all(folder.join("geo")).unwrap();
    for file in small_country() {
        fs::write(folder.join("geo").join(file.name), file.content).unwrap();
    }
    assert_eq!(Gazetteer::from_directory(&folder).unwrap().cities().len(), 3);
    let Err(DataError::Unreadable { path, .. }) = Gazetteer::from_directory(&folder.join("none")) else {
        panic!()
    };
    assert!(path.ends_with("none"));
}
