//! Mapping files with the formats they are used for.

use feed::{FeedError, FeedItem, Format};
use serde_json::{Value, json};

use crate::support::{items, mapped, options, reader, references, show};

/// Reads a feed of one record.
fn advert(bytes: impl AsRef<[u8]>, options: feed::FeedOptions) -> Value {
    let shown = show(reader(bytes, options));
    assert_eq!(shown["failure"], Value::Null, "{shown:#}");
    shown["records"][0]["advert"].clone()
}

#[test]
fn columns_are_found_by_name_number_and_pattern() {
    let mapping = "[fields]\nreference = 1\nprice = \"PRIX\"\npictures = \"photo*\"\n";
    let feed = "id,prix,photo2,photo1\nA,10,https://x/2,https://x/1\n";
    assert_eq!(
        advert(feed, mapped(Format::Csv, mapping)),
        json!({"reference": "A", "price": "10", "pictures": ["https://x/1", "https://x/2"]})
    );
}

#[test]
fn files_without_a_header_are_mapped_by_number() {
    let mapping = "header = false\ndelimiter = \"|\"\n[fields]\nreference = 2\nprice = 9\n";
    let (items, failure, report) = items(reader("x|A|\ny|B|||||||5\n", mapped(Format::Csv, mapping)));
    assert!(failure.is_none());
    let FeedItem::Advert(second) = &items[1] else { panic!("{items:?}") };
    assert_eq!(Value::Object(second.advert.clone()), json!({"reference": "B", "price": "5"}));
    let unmapped: Vec<_> = report.unmapped().map(|(name, column)| (name, column.count)).collect();
    assert_eq!(unmapped, [("1", 2)]);
}

#[test]
fn dialects_and_encodings_are_read() {
    let check = |bytes: &[u8], head: &str| {
        let mapping = format!("{head}\n[fields]\nreference = \"réf\"\ntitle = \"titre\"\n");
        assert_eq!(
            advert(bytes, mapped(Format::Csv, &mapping)),
            json!({"reference": "A", "title": "été; œuvre 5 €"}),
            "{head}"
        );
    };
    let text = "réf;titre\nA;\"été; œuvre 5 €\"\n";
    let utf_16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(order).collect() };
    check(text.as_bytes(), "");
    check(format!("\u{feff}{text}").as_bytes(), "");
    check(format!("sep=;\r\n{text}").as_bytes(), "");
    check(text.replace(';', "\t").replace("été\t", "été;").as_bytes(), "");
    check(text.replace(';', "!#").replace("été!#", "été;").as_bytes(), "");
    check(text.replace(';', "::").replace("été::", "été;").as_bytes(), "delimiter = \"::\"");
    check(text.replace('"', "'").as_bytes(), "quote = \"'\"");
    check(b"r\xe9f;titre\nA;\"\xe9t\xe9; \x9cuvre 5 \x80\"\n", "encoding = \"windows-1252\"");
    check(b"r\xe9f;titre\nA;\"\xe9t\xe9; \x9cuvre 5 \x80\"\n", "");
    check(b"r\xe9f;titre\nA;\"\xe9t\xe9; \xbduvre 5 \xa4\"\n", "encoding = \"iso-8859-15\"");
    check(b"r\xe9f;titre\nA;\"\xe9t\xe9; \xbduvre 5 \xa4\"\n", "");
    check(&[b"\xff\xfe".as_slice(), &utf_16(u16::to_le_bytes)].concat(), "");
    check(&[b"\xfe\xff".as_slice(), &utf_16(u16::to_be_bytes)].concat(), "");
    check(&utf_16(u16::to_le_bytes), "encoding = \"utf-16\"");
}

#[test]
fn a_column_that_is_missing_ends_the_feed() {
    let mapping = "[fields]\nreference = \"id\"\nprice = \"prix\"\n";
    let (items, failure, _) = items(reader("id,preis\nA,1\n", mapped(Format::Csv, mapping)));
    assert!(items.is_empty());
    let message = failure.unwrap().to_string();
    assert!(message.contains("price") && message.contains("id, preis"), "{message}");
}

#[test]
fn columns_beyond_the_header_and_missing_features_end_the_feed() {
    for mapping in ["[fields]\nprice = 3\n", "[features]\ncave = \"cave\"\n"] {
        let (items, failure, _) = items(reader("reference,price\nA,1\n", mapped(Format::Csv, mapping)));
        assert!(items.is_empty());
        assert!(failure.unwrap().to_string().contains("the header has none"), "{mapping}");
    }
}

#[test]
fn a_header_that_cannot_be_read_ends_the_feed() {
    let (items, failure, _) = items(reader("\"reference,price\nA,1\n", options(Format::Csv)));
    assert!(items.is_empty());
    assert!(failure.unwrap().to_string().contains("header cannot be read"));
}

#[test]
fn features_can_be_added_to_columns_with_the_names_of_fields() {
    let mapping = "[features]\ncave = \"has_cellar\"\n[values.price]\nfree = 0\n";
    let expected = |cellar: Value| json!({"reference": "A", "price": 0, "features": ["balcon", "cave"], "has_cellar": cellar});
    let feed = "reference,price,features,has_cellar\nA,Free,balcon,oui\n";
    assert_eq!(advert(feed, mapped(Format::Csv, mapping)), expected(json!("oui")));
    let feed = "{\"reference\":\"A\",\"price\":\"free\",\"features\":[\"balcon\"],\"has_cellar\":true}";
    assert_eq!(advert(feed, mapped(Format::Ndjson, mapping)), expected(json!(true)));
}

#[test]
fn constants_values_and_the_site_complete_adverts_of_every_format() {
    let mapping = "[constants]\ntransactionType = 1\n\"contact.agency\" = \"Pont\"\n[values.price]\n\"0\" = \"\"\n[values.features]\n\"Pool\" = \"piscine\"\n";
    let check = |format: Format, feed: &str| {
        let options = feed::FeedOptions { site: Some("x.example".into()), ..mapped(format, mapping) };
        let advert = advert(feed, options);
        assert_eq!(advert["site"], "x.example", "{format}: {advert}");
        assert_eq!(advert["contact"]["agency"], "Pont", "{format}: {advert}");
    };
    check(Format::Ndjson, "{\"reference\":\"A\"}");
    check(Format::Json, "[{\"reference\":\"A\"}]");
    check(Format::Csv, "reference\nA\n");
    check(Format::Kyero, "<root><property><id>1</id></property></root>");
    check(Format::OpenImmo, "<openimmo><immobilie/></openimmo>");
    check(Format::Reso, "{\"ListingKey\":\"A\"}");
    check(Format::Poliris, &format!("\"A\"{}", "!#\"x\"".repeat(20)));
    let feed = "<root><property><price_freq>sale</price_freq><features><feature>pool</feature></features></property></root>";
    let advert = advert(feed, mapped(Format::Kyero, mapping));
    assert_eq!((&advert["transactionType"], &advert["features"]), (&json!(0), &json!(["piscine"])));
}

#[test]
fn mappings_that_do_not_fit_the_format_are_refused() {
    let check = |format: Format, mapping: &str, part: &str| {
        let opened = feed::open_reader(Box::new(std::io::empty()), mapped(format, mapping));
        let message = opened.err().unwrap().to_string();
        assert!(message.contains(part), "{message}");
    };
    check(Format::Json, "[fields]\nprice = 3\n", "`fields.price`");
    check(Format::Json, "[fields]\nprice = \"a[\"\n", "not a path");
    check(Format::Ndjson, "items = \"a\"\n", "`items`");
    check(Format::Csv, "items = \"a\"\n", "`items`");
    check(Format::Csv, "header = false\n", "by number");
    check(Format::Kyero, "[fields]\nprice = \"x\"\n", "kyero");
    check(Format::Poliris, "[features]\ncave = 3\n", "poliris");
    let opened = feed::open_reader(Box::new(std::io::empty()), mapped(Format::Reso, "items = \"x\"\n"));
    assert!(matches!(opened, Err(FeedError::MappedColumns(Format::Reso))));
}

#[test]
fn lists_in_usual_wrappers_are_found() {
    for document in [
        "[{\"reference\":\"A\"}]",
        "{\"total\":1,\"results\":[{\"reference\":\"A\"}]}",
        "{\"hydra:member\":[{\"reference\":\"A\"}],\"hydra:totalItems\":1}",
    ] {
        assert_eq!(references(reader(document, options(Format::Json))), (vec!["A".to_owned()], None));
    }
    let (items, failure, _) = items(reader("{\"stuff\":[{}]}", options(Format::Json)));
    assert!(failure.is_none());
    assert!(format!("{items:?}").contains("`items`"), "{items:?}");
}
