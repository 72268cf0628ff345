use std::collections::BTreeSet;

use super::*;

/// Collects every reference in a document.
fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str() {
                    Some(target) if key == "$ref" => {
                        found.insert(target);
                    }
                    _ => references(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document("1.2.3");
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for target in found {
        let pointer = target.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
}

#[test]
fn nested_names_are_shown_with_their_first_index() {
    assert_eq!(concrete("geoShapes[shape][point][1]"), "geoShapes[0][0][1]");
    assert_eq!(concrete("expressions[group][entry][word]"), "expressions[0][0][word]");
}
