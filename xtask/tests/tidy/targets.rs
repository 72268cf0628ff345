//! Examples have unique names: cargo puts all of them into one folder, where the last one built overwrites others.

use std::collections::BTreeMap;

use crate::finding::{self, Finding};
use crate::tree::Tree;

fn check(tree: &Tree) -> Vec<Finding> {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for (path, _) in tree.with_ending(".rs") {
        let Some(name) = example(path) else { continue };
        match seen.insert(name, path) {
            None => {}
            Some(other) => {
                findings.push(Finding::of(path, format!("has the same name as {other}: rename one")))
            }
        }
    }
    findings
}

/// Returns the name of the example whose root is this file.
fn example(path: &str) -> Option<&str> {
    let (_, inside) = path.split_once("/examples/")?;
    let name = inside.strip_suffix("/main.rs").or_else(|| inside.strip_suffix(".rs"))?;
    (!name.contains('/')).then_some(name)
}

#[test]
fn examples_have_unique_names() {
    finding::none("Two examples with the same name overwrite each other.", &check(Tree::here()));
}

#[test]
fn examples_with_the_same_name_are_found() {
    let tree = Tree::of([
        ("a/examples/measure.rs", ""),
        ("b/examples/measure/main.rs", ""),
        ("b/examples/measure/part.rs", ""),
        ("b/examples/other.rs", ""),
    ]);
    let message = "b/examples/measure/main.rs: has the same name as a/examples/measure.rs: rename one";
    finding::exactly(&check(&tree), &[message]);
}
