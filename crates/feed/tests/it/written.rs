//! What is written by the rules of a format is read back as it was, whatever the values are.

use feed::{FeedItem, Format};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{items, mapped, options, reader};

/// Texts full of what separates and quotes, without outer spaces, which readers remove.
fn text() -> impl Strategy<Value = String> {
    "[a-cé€œ\"';,|!#<>&\\\\{}\\[\\]: \n\t]{0,12}".prop_map(|text| text.trim().to_owned())
}

fn adverts(bytes: &str, options: feed::FeedOptions) -> Vec<Map<String, Value>> {
    let (items, failure, _) = items(reader(bytes, options));
    assert!(failure.is_none(), "{failure:?}");
    items
        .into_iter()
        .map(|item| match item {
            FeedItem::Advert(record) => record.advert,
            FeedItem::Unreadable { number, message } => panic!("record {number}: {message}"),
        })
        .collect()
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

proptest! {
    #[test]
    fn quoted_values_are_read_back(
        rows in prop::collection::vec((text(), text()), 1..8),
        delimiter in proptest::sample::select(vec![",", ";", "\t", "|", "::"]),
        line_break in proptest::sample::select(vec!["\n", "\r\n"]),
    ) {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut feed = format!("reference{delimiter}title{delimiter}price{line_break}");
        for (number, (title, price)) in rows.iter().enumerate() {
            let fields = [quoted(&number.to_string()), quoted(title), quoted(price)];
            feed.push_str(&fields.join(delimiter));
            feed.push_str(line_break);
        }
        let mapping = format!("delimiter = {delimiter:?}\n");
        let expected: Vec<Map<String, Value>> = rows
            .iter()
            .enumerate()
            .map(|(number, (title, price))| {
                let mut advert = Map::from_iter([("reference".to_owned(), Value::from(number.to_string()))]);
                for (field, text) in [("title", title), ("price", price)] {
                    if !text.is_empty() {
                        advert.insert(field.to_owned(), Value::from(text.as_str()));
                    }
                }
                advert
            })
            .collect();
        prop_assert_eq!(adverts(&feed, mapped(Format::Csv, &mapping)), expected);
    }

    #[test]
    fn values_of_json_are_read_back(values in prop::collection::vec(json_value(), 0..6), pretty in any::<bool>()) {
        let items: Vec<Value> = values.into_iter().map(|value| json!({"title": value})).collect();
        let document = json!({"skipped": items, "before": {"data": [1]}, "data": items});
        let text = if pretty { format!("{document:#}") } else { document.to_string() };
        let read: Vec<Value> = adverts(&text, options(Format::Json)).into_iter().map(Value::Object).collect();
        prop_assert_eq!(&read, &items);
        let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
        let read: Vec<Value> = adverts(&lines, options(Format::Ndjson)).into_iter().map(Value::Object).collect();
        prop_assert_eq!(&read, &items);
    }

    #[test]
    fn texts_of_xml_are_read_back(texts in prop::collection::vec((text(), any::<bool>()), 1..6)) {
        let mut feed = String::from("<root>");
        for (text, in_cdata) in &texts {
            let content = if *in_cdata && !text.contains("]]>") { format!("<![CDATA[{text}]]>") } else { escaped(text) };
            feed.push_str(&format!("<property><desc><fr>{content}</fr></desc></property>\n"));
        }
        feed.push_str("</root>");
        let read: Vec<String> = adverts(&feed, options(Format::Kyero))
            .iter()
            .map(|advert| advert.get("description").and_then(Value::as_str).unwrap_or_default().to_owned())
            .collect();
        let expected: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
        prop_assert_eq!(read, expected);
    }
}
