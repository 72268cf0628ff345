//! `vigie import`: the summary, dry runs, `--strict`, compressed feeds and full feeds.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use store::prelude::*;
use testkit::build::site;

use super::import::{import_piped, open, summary};
use super::{Run, new_folder, run};
use crate::harness::adverts::{advert, minimal};

const SITE: &str = "portail.example";

fn lines(adverts: &[Value]) -> String {
    adverts.iter().map(|advert| format!("{advert}\n")).collect()
}

/// Writes the adverts with these references to a file.
fn feed_of(folder: &Path, references: std::ops::Range<usize>) -> PathBuf {
    let adverts: Vec<Value> = references.map(|number| minimal(&format!("A-{number}"))).collect();
    write(folder, "feed.ndjson", lines(&adverts).as_bytes())
}

fn write(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, content).unwrap();
    file
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn import(folder: &Path, file: &Path, options: &[&str]) -> Run {
    let arguments: Vec<&str> =
        ["import", file.to_str().unwrap()].into_iter().chain(options.iter().copied()).collect();
    run(folder, &arguments)
}

/// Returns the number of live adverts of the site.
fn live(folder: &Path) -> usize {
    let (runtime, store) = open(folder);
    runtime.block_on(store.live_adverts_of_site(site(SITE))).unwrap().len()
}

fn counts(folder: &Path) -> (u64, u64) {
    let (runtime, store) = open(folder);
    runtime.block_on(store.counts()).unwrap()
}

#[test]
fn summary_groups_what_was_ignored_doubted_and_rejected() {
    let folder = new_folder();
    let feed = lines(&[
        advert("A-1", json!({"colour": "red", "contact": {"skype": "x"}})),
        advert("A-2", json!({"colour": "blue", "zipcode": "37000", "cityName": "Lyon"})),
        advert("A-3", json!({"zipcode": "37100", "cityName": "Lyon"})),
        json!({"site": SITE, "reference": "A-4", "transactionType": 0}),
        json!({"site": SITE, "reference": "A-5", "transactionType": 0}),
    ]);
    let imported = import_piped(folder.path(), "-", &feed);
    assert_eq!(summary(&imported), "3 created, 0 updated, 0 unchanged, 2 rejected");
    let table = |title: &str| -> Vec<&str> {
        let rows = imported.out.lines().skip_while(|line| *line != title).skip(1);
        rows.take_while(|line| line.starts_with(' ')).map(str::trim).collect()
    };
    assert_eq!(
        table("Rejected, the first of each kind:"),
        ["2  propertyType: This value should not be blank. (line 4, reference A-4)"]
    );
    assert_eq!(
        table("Ignored names, with the first value:"),
        ["2  colour (line 1, reference A-1: \"red\")", "1  contact.skype (line 1, reference A-1: \"x\")"]
    );
    // The two messages name different zipcodes, and are one kind of problem.
    let warnings = table("Warnings, the first of each kind:");
    assert!(
        warnings.iter().any(|row| row.starts_with("2  ") && row.contains("line 2, reference A-2")),
        "{warnings:?}"
    );
}

#[test]
fn dry_run_stores_nothing() {
    let folder = new_folder();
    let data = folder.path().join("data");
    test_database::reserve(&data);
    let file = feed_of(folder.path(), 0..5);
    let arguments = ["--dry-run", "--snapshot", SITE];
    let first = import(&data, &file, &arguments);
    assert_eq!(summary(&first), "5 created, 0 updated, 0 unchanged, 0 rejected");
    assert!(first.out.starts_with("Dry run, nothing stored: read 5 adverts in "), "{first:?}");
    assert!(!data.exists(), "a dry run does not create a database");

    import(&data, &file, &[]).succeeded();
    let other = feed_of(folder.path(), 2..7);
    let second = import(&data, &other, &arguments);
    // Adverts without a crawl date are crawled again, which is no change of theirs.
    assert_eq!(summary(&second), "2 created, 0 updated, 3 unchanged, 0 rejected");
    assert!(second.out.ends_with("Would expire 2 of 5 known adverts of portail.example.\n"), "{second:?}");
    assert_eq!((counts(&data), live(&data)), ((5, 5), 5));
}

/// The crate of feeds has its own list of the names that a mapping may fill.
#[test]
fn every_field_of_a_mapping_is_known_to_the_parser() {
    let folder = new_folder();
    let mut advert = minimal("A-1");
    for name in feed::FIELDS {
        match name.split_once('.') {
            Some((object, member)) => {
                if !advert[object].is_object() {
                    advert[object] = json!({});
                }
                advert[object][member] = json!("x");
            }
            None if advert[*name].is_null() => advert[*name] = json!("x"),
            None => {}
        }
    }
    let all =
        import(folder.path(), &write(folder.path(), "all.ndjson", lines(&[advert.clone()]).as_bytes()), &[]);
    assert!(!all.out.contains("Ignored names"), "{}", all.out);
    advert["contact"]["pager"] = json!("x");
    let unknown =
        import(folder.path(), &write(folder.path(), "one.ndjson", lines(&[advert]).as_bytes()), &[]);
    assert!(unknown.out.contains("contact.pager"), "{}", unknown.out);
}

#[test]
fn strict_import_fails_if_a_record_was_rejected() {
    let folder = new_folder();
    let good = write(folder.path(), "good.ndjson", lines(&[minimal("A-1")]).as_bytes());
    let bad = write(folder.path(), "bad.ndjson", lines(&[minimal("A-2"), json!({"price": 1})]).as_bytes());
    import(folder.path(), &good, &["--strict"]).succeeded();
    import(folder.path(), &bad, &[]).succeeded();
    let strict = import(folder.path(), &bad, &["--strict"]);
    assert_eq!(strict.code, Some(1), "{strict:?}");
    assert!(strict.out.contains("0 created, 0 updated, 1 unchanged, 1 rejected"), "{strict:?}");
}

#[test]
fn gzip_feeds_are_read_directly() {
    let folder = new_folder();
    let text = lines(&[minimal("A-1"), minimal("A-2")]);
    // Two members, as tools that append to a compressed file write them.
    let twice = [gzip(&text), gzip(&lines(&[minimal("A-3")]))].concat();
    for name in ["feed.ndjson.gz", "without-an-ending"] {
        let data = new_folder();
        let file = write(folder.path(), name, &twice);
        assert_eq!(
            summary(&import(data.path(), &file, &[])),
            "3 created, 0 updated, 0 unchanged, 0 rejected"
        );
    }
}

#[test]
fn cut_feed_is_imported_as_far_as_it_goes_and_expires_nothing() {
    let folder = new_folder();
    import(folder.path(), &feed_of(folder.path(), 0..4), &[]).succeeded();
    let complete = gzip(&lines(&[minimal("A-0"), minimal("A-1"), minimal("A-2"), minimal("A-9")]));
    let cut = write(folder.path(), "cut.ndjson.gz", &complete[..complete.len() - 4]);
    let imported = import(folder.path(), &cut, &["--snapshot", SITE]);
    assert_eq!(imported.code, Some(1), "{imported:?}");
    assert!(imported.out.starts_with("Imported 4 adverts in "), "{imported:?}");
    assert!(imported.err.contains("to its end; nothing expired"), "{imported:?}");
    assert_eq!(live(folder.path()), 5);
}

#[test]
fn full_feed_expires_what_it_does_not_list() {
    let folder = new_folder();
    import(folder.path(), &feed_of(folder.path(), 0..10), &[]).succeeded();
    let other = advert("B-1", json!({"site": "autre.example"}));
    import_piped(folder.path(), "-", &other.to_string()).succeeded();
    // A-5 to A-9 are gone, A-10 is new.
    let imported =
        import(folder.path(), &feed_of(folder.path(), 5..11), &["--snapshot", "www.Portail.example"]);
    assert_eq!(summary(&imported), "1 created, 0 updated, 5 unchanged, 0 rejected");
    assert!(imported.out.ends_with("Expired 5 of 10 known adverts of portail.example.\n"), "{imported:?}");
    assert_eq!((live(folder.path()), counts(folder.path())), (6, (12, 12)));
    let (runtime, store) = open(folder.path());
    assert_eq!(runtime.block_on(store.live_adverts_of_site(site("autre.example"))).unwrap().len(), 1);
}

/// Imports a full feed after a feed of ten adverts. It must fail and expire nothing.
#[track_caller]
fn check_refused(content: &str, options: &[&str], message: &str) {
    let folder = new_folder();
    import(folder.path(), &feed_of(folder.path(), 0..10), &[]).succeeded();
    let file = write(folder.path(), "full.ndjson", content.as_bytes());
    for dry_run in [&["--dry-run"][..], &[]] {
        let options = [&["--snapshot", SITE], options, dry_run].concat();
        let refused = import(folder.path(), &file, &options);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.err.contains("nothing expired: ") && refused.err.contains(message), "{refused:?}");
        assert_eq!(live(folder.path()), 10);
    }
}

#[test]
fn full_feed_that_looks_incomplete_expires_nothing() {
    let feed =
        |count: usize| lines(&(0..count).map(|number| minimal(&format!("A-{number}"))).collect::<Vec<_>>());
    check_refused("", &[], "the feed lists no advert");
    check_refused(&feed(4), &[], "6 of 10 known adverts are missing");
    check_refused(&feed(8), &["--snapshot-max-expired", "0.1"], "2 of 10 known adverts are missing");
    // The last line was cut.
    check_refused(&feed(9)[..feed(9).len() - 10], &[], "1 records of the feed could not be read");
    check_refused(
        &format!("{}{}\n", feed(9), json!({"price": 1})),
        &[],
        "1 records of the feed could not be read",
    );
}

#[test]
fn cut_table_expires_nothing() {
    let folder = new_folder();
    let rows: String = (0..10).map(|number| format!("A-{number};0;1;10000{number}\n")).collect();
    let table = format!("reference;transactionType;propertyType;price\n{rows}");
    let full = |content: &str| {
        let file = write(folder.path(), "full.csv", content.as_bytes());
        import(folder.path(), &file, &["--format", "csv", "--snapshot", SITE])
    };
    let all = write(folder.path(), "all.csv", table.as_bytes());
    import(folder.path(), &all, &["--format", "csv", "--site", SITE]).succeeded();
    // Cut in the type of the sixth advert: the price and four adverts are missing.
    let cut = full(&table[..table.find("A-5;0;1").unwrap() + "A-5;0;1".len()]);
    assert_eq!(cut.code, Some(1), "{cut:?}");
    assert!(cut.err.contains("the file seems to be cut"), "{cut:?}");
    assert!(cut.err.contains("nothing expired: 1 records of the feed could not be read"), "{cut:?}");
    assert_eq!(live(folder.path()), 10);
    // Without the last line end, all columns are there.
    let complete = full(table.trim_end());
    assert!(complete.out.ends_with("Expired 0 of 10 known adverts of portail.example.\n"), "{complete:?}");
    assert_eq!(live(folder.path()), 10);
}

#[test]
fn rejected_record_is_not_missing() {
    let folder = new_folder();
    import(folder.path(), &feed_of(folder.path(), 0..4), &[]).succeeded();
    let adverts = [minimal("A-0"), minimal("A-1"), json!({"site": SITE, "reference": "A-2"})];
    let file = write(folder.path(), "full.ndjson", lines(&adverts).as_bytes());
    let imported = import(folder.path(), &file, &["--snapshot", SITE]);
    assert_eq!(summary(&imported), "0 created, 0 updated, 2 unchanged, 1 rejected");
    assert!(imported.out.ends_with("Expired 1 of 4 known adverts of portail.example.\n"), "{imported:?}");
}

#[test]
fn full_feed_of_a_date_leaves_later_crawls_alone() {
    let folder = new_folder();
    let crawled = |number: usize, date: &str| advert(&format!("A-{number}"), json!({"lastCrawledAt": date}));
    let known = lines(&[crawled(0, "2026-01-01"), crawled(1, "2026-01-01"), crawled(2, "2026-01-05")]);
    import_piped(folder.path(), "-", &known).succeeded();
    let file = write(folder.path(), "full.ndjson", lines(&[crawled(0, "2026-01-03")]).as_bytes());
    let options = ["--snapshot", SITE, "--snapshot-date", "2026-01-03"];
    let imported = import(folder.path(), &file, &options);
    assert!(
        imported.succeeded().ends_with("Expired 1 of 3 known adverts of portail.example.\n"),
        "{imported:?}"
    );
    let tomorrow = import(folder.path(), &file, &["--snapshot", SITE, "--snapshot-date", "2999-01-01"]);
    assert!(tomorrow.failed().contains("--snapshot-date is in the future"), "{tomorrow:?}");
    for (option, value) in [("--snapshot-date", "soon"), ("--snapshot-max-expired", "2")] {
        let refused = import(folder.path(), &file, &["--snapshot", SITE, option, value]);
        assert!(refused.failed().contains(option), "{refused:?}");
    }
    // These options mean nothing without a full feed.
    assert_eq!(import(folder.path(), &file, &["--snapshot-date", "2026-01-03"]).code, Some(2));
}

#[test]
fn adverts_without_a_site_get_the_given_one() {
    let folder = new_folder();
    let adverts = [
        json!({"reference": "A-1", "transactionType": 0, "propertyType": 0}),
        json!({"reference": "A-2", "transactionType": 0, "propertyType": 0, "site": " "}),
        advert("A-3", json!({"site": "autre.example"})),
    ];
    let file = write(folder.path(), "feed.ndjson", lines(&adverts).as_bytes());
    let imported = import(folder.path(), &file, &["--site", SITE]);
    assert_eq!(summary(&imported), "3 created, 0 updated, 0 unchanged, 0 rejected");
    assert_eq!(live(folder.path()), 2);
}

#[test]
fn wrong_format_or_mapping_is_an_error() {
    let folder = new_folder();
    let file = feed_of(folder.path(), 0..1);
    let format = import(folder.path(), &file, &["--format", "excel"]);
    assert_eq!(format.code, Some(2));
    assert!(format.err.contains("excel"), "{format:?}");
    let missing = import(folder.path(), &file, &["--mapping", "/nowhere/mapping.toml"]);
    assert!(missing.failed().contains("cannot read the mapping file /nowhere/mapping.toml"), "{missing:?}");
}

const MAPPING: &str = r#"
[fields]
reference = "Référence"
price = "Prix"
propertyType = "Type"

[values.propertyType]
Maison = 1
Appartement = 0

[constants]
transactionType = 0
"#;

const CSV: &str =
    "Référence;Prix;Type;Couleur\nA-1;250000;Maison;rouge\nA-2;99000;Appartement;\nA-3;1;Igloo;\n";

#[test]
fn table_is_imported_with_a_mapping() {
    let folder = new_folder();
    let (csv, mapping) = (
        write(folder.path(), "agence.csv", CSV.as_bytes()),
        write(folder.path(), "m.toml", MAPPING.as_bytes()),
    );
    let options = ["--mapping", mapping.to_str().unwrap(), "--site", SITE];
    let dry_run = import(folder.path(), &csv, &[&options[..], &["--dry-run"]].concat());
    assert_eq!(summary(&dry_run), "2 created, 0 updated, 0 unchanged, 1 rejected");
    assert!(
        dry_run.out.contains("\nColumns not used:\n        1  Couleur (rouge)\nColumns used:\n"),
        "{dry_run:?}"
    );
    assert!(dry_run.out.contains("\n        3  Prix → price (250000)\n"), "{dry_run:?}");
    assert!(dry_run.err.contains("record 4 rejected: propertyType: "), "{dry_run:?}");
    // The same inside a ZIP file.
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("Annonces.csv", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(CSV.as_bytes()).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    let file = write(folder.path(), "agence.zip", &archive);
    assert_eq!(
        summary(&import(folder.path(), &file, &options)),
        "2 created, 0 updated, 0 unchanged, 1 rejected"
    );
    assert_eq!(live(folder.path()), 2);
    let cut = write(folder.path(), "cut.zip", &archive[..archive.len() / 2]);
    let refused = import(folder.path(), &cut, &[&options[..], &["--snapshot", SITE]].concat());
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert_eq!(live(folder.path()), 2);
}

#[test]
fn mistake_in_a_mapping_file_is_named() {
    let folder = new_folder();
    let mapping = write(folder.path(), "m.toml", b"[fields]\ncolour = \"Couleur\"\n");
    let csv = write(folder.path(), "agence.csv", CSV.as_bytes());
    let refused = import(folder.path(), &csv, &["--mapping", mapping.to_str().unwrap()]);
    assert!(refused.failed().contains("m.toml: line 2: "), "{refused:?}");
}

#[test]
fn lines_of_json_may_be_called_json() {
    let folder = new_folder();
    let adverts = [minimal("A-1"), minimal("A-2")];
    let as_lines = write(folder.path(), "lines.json", lines(&adverts).as_bytes());
    let as_array = write(folder.path(), "array.json", json!(adverts).to_string().as_bytes());
    assert_eq!(
        summary(&import(folder.path(), &as_lines, &[])),
        "2 created, 0 updated, 0 unchanged, 0 rejected"
    );
    assert_eq!(
        summary(&import(folder.path(), &as_array, &[])),
        "0 created, 0 updated, 2 unchanged, 0 rejected"
    );
}

#[test]
fn strict_import_takes_no_value_that_is_not_exact() {
    let folder = new_folder();
    let feed =
        lines(&[advert("A-1", json!({"price": "295 000 €"})), advert("A-2", json!({"price": "environ"}))]);
    let file = write(folder.path(), "feed.ndjson", feed.as_bytes());
    let strict = import(folder.path(), &file, &["--strict"]);
    assert_eq!(strict.code, Some(1), "{strict:?}");
    assert!(strict.out.contains("0 created, 0 updated, 0 unchanged, 2 rejected"), "{strict:?}");
    let lenient = import(folder.path(), &file, &[]);
    assert_eq!(summary(&lenient), "2 created, 0 updated, 0 unchanged, 0 rejected");
    assert!(lenient.out.contains("        1  price: \"environ\" "), "{lenient:?}");
}

#[test]
fn receipts_of_rejected_records_name_the_advert() {
    let folder = new_folder();
    let rejects = folder.path().join("rejects.ndjson");
    let feed = [
        r#"{"reference": "A-1", "url": "https://a.example/1", "price": 5}"#,
        r#"{"reference": "A-2", "url": "https://a.example/2", "price":"#,
        "nothing",
    ]
    .join("\n");
    let file = write(folder.path(), "feed.ndjson", feed.as_bytes());
    import(folder.path(), &file, &["--rejects", rejects.to_str().unwrap()]).succeeded();
    let receipts = std::fs::read_to_string(&rejects).unwrap();
    let names: Vec<Value> = receipts
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|receipt| json!([receipt["line"], receipt["reference"], receipt["url"]]))
        .collect();
    assert_eq!(
        names,
        [
            json!([1, "A-1", "https://a.example/1"]),
            json!([2, "A-2", "https://a.example/2"]),
            json!([3, null, null])
        ]
    );
}

/// The samples of the formats, and how many of their records are adverts and how many are broken on purpose.
const SAMPLES: &[(&str, &[&str], u32, u32)] = &[
    ("adverts.ndjson", &[], 2, 2),
    ("agency.csv", &["agency.toml"], 4, 1),
    ("names.csv", &[], 2, 0),
    ("kyero.xml", &[], 3, 2),
    ("openimmo.xml", &[], 3, 2),
    ("poliris.csv", &[], 4, 3),
    ("portal.json", &["portal.toml"], 3, 2),
    ("reso.json", &[], 2, 1),
    ("reso.ndjson", &[], 2, 1),
];

#[test]
fn samples_of_every_format_are_imported() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../feed/tests/samples");
    for (name, mapping, adverts, broken) in SAMPLES {
        let folder = new_folder();
        let mapping = mapping.first().map(|mapping| samples.join(mapping).to_str().unwrap().to_owned());
        let mut options = vec!["--site", SITE];
        options.extend(mapping.iter().flat_map(|mapping| ["--mapping", mapping.as_str()]));
        let file = samples.join(name);
        let expected = format!("{adverts} created, 0 updated, 0 unchanged, {broken} rejected");
        assert_eq!(summary(&import(folder.path(), &file, &options)), expected, "{name}");
        // Importing the same feed again creates nothing.
        let again = import(folder.path(), &file, &options);
        assert!(summary(&again).starts_with("0 created, 0 updated, "), "{name}: {again:?}");
    }
}
