//! A file has one subject and fits in about 400 lines. Past 500 it must be parted, or stand in the list below.

use crate::finding::{self, Finding};
use crate::tree::Tree;

const LINES_GOOD: usize = 400;
const LINES_MAX: usize = 500;

struct Long {
    path: &'static str,
    /// Its length when it was listed: it may shrink, never grow.
    lines: usize,
    #[expect(dead_code, reason = "for the reader")]
    reason: &'static str,
}

const LONG: &[Long] = &[];

fn check(tree: &Tree, long: &[Long]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, lines) in lengths(tree).filter(|(_, lines)| *lines > LINES_MAX) {
        match long.iter().find(|it| it.path == path) {
            Some(it) if lines <= it.lines => {}
            Some(it) => {
                let message = format!("{lines} lines; it was listed with {} and may only shrink", it.lines);
                findings.push(Finding::of(path, message));
            }
            None => findings.push(Finding::of(path, format!("{lines} lines; {LINES_MAX} are allowed"))),
        }
    }
    for it in long {
        if !lengths(tree).any(|(path, lines)| path == it.path && lines > LINES_MAX) {
            findings.push(Finding::of(it.path, "is no longer too long: take it off the list in length.rs"));
        }
    }
    findings
}

fn lengths(tree: &Tree) -> impl Iterator<Item = (&str, usize)> {
    let sources = tree.with_ending(".rs").filter(|(path, _)| path.contains("/src/"));
    sources.map(|(path, text)| (path, text.lines().count()))
}

#[test]
fn source_files_are_short() {
    for (path, lines) in lengths(Tree::here()).filter(|(_, lines)| *lines > LINES_GOOD) {
        println!("warning: {path} has {lines} lines; about {LINES_GOOD} read well");
    }
    let rule = "A source file has one subject: make a folder of the same name and move a part there.";
    finding::none(rule, &check(Tree::here(), LONG));
}

#[test]
fn long_files_are_found_and_the_list_only_shrinks() {
    let text = |lines: usize| "\n".repeat(lines);
    let tree = Tree::of([
        ("a/src/fits.rs", &text(500)),
        ("a/src/long.rs", &text(501)),
        ("a/src/listed.rs", &text(600)),
        ("a/src/grown.rs", &text(601)),
        ("a/src/cured.rs", &text(10)),
        ("a/tests/long.rs", &text(900)),
    ]);
    let listed = |path| Long { path, lines: 600, reason: "" };
    let long = [listed("a/src/listed.rs"), listed("a/src/grown.rs"), listed("a/src/cured.rs")];
    finding::exactly(
        &check(&tree, &long),
        &[
            "a/src/grown.rs: 601 lines; it was listed with 600 and may only shrink",
            "a/src/long.rs: 501 lines; 500 are allowed",
            "a/src/cured.rs: is no longer too long: take it off the list in length.rs",
        ],
    );
}
