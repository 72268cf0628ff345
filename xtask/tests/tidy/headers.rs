//! Every module starts with a comment on its purpose.

use crate::finding::{self, Finding};
use crate::tree::{Tree, is_test};

fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.with_ending(".rs").filter(|(path, _)| path.contains("/src/") && !is_test(path));
    sources
        .filter(|(_, text)| !text.lines().next().is_some_and(|line| line.starts_with("//! ")))
        .map(|(path, _)| Finding::at(path, 1, "begin with `//!` and the purpose of the module"))
        .collect()
}

#[test]
fn every_module_says_what_it_is_for() {
    finding::none("The first line of a module says what it is for.", &check(Tree::here()));
}

#[test]
fn modules_without_a_header_are_found() {
    let tree = Tree::of([
        ("a/src/lib.rs", "//! A.\n"),
        ("a/src/b.rs", "use x;\n//! Late.\n"),
        ("a/src/empty.rs", ""),
        ("a/src/b/tests.rs", "use super::*;\n"),
        ("a/tests/it.rs", "use a;\n"),
    ]);
    let found: Vec<String> = check(&tree).into_iter().map(|finding| finding.path).collect();
    assert_eq!(found, ["a/src/b.rs", "a/src/empty.rs"]);
}
