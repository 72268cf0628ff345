//! Links in Markdown are valid.

use crate::finding::{self, Finding};
use crate::markdown;
use crate::tree::{Tree, folder_of, resolve};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (page, text) in tree.with_ending(".md") {
        for link in markdown::links(text).iter().filter(|link| !link.is_remote()) {
            if let Some(problem) = problem(tree, page, link) {
                findings.push(Finding::at(page, link.line, format!("({}) {problem}", link.target)));
            }
        }
    }
    findings
}

fn problem(tree: &Tree, page: &str, link: &markdown::Link) -> Option<String> {
    if link.target.starts_with('/') {
        return Some("is absolute: write it relative to the page".to_owned());
    }
    let target = match link.path() {
        "" => page.to_owned(),
        path => match resolve(folder_of(page), path) {
            Some(target) => target,
            None => return Some("leaves the repository".to_owned()),
        },
    };
    if !tree.has_file(&target) && !tree.has_folder(&target) {
        return Some(format!("is broken: there is no {target}"));
    }
    let anchor = link.anchor()?;
    match tree.text(&target).filter(|_| target.ends_with(".md")) {
        Some(text) if markdown::anchors(text).iter().any(|known| known == anchor) => None,
        Some(_) => Some(format!("{target} has no heading for #{anchor}")),
        None => Some("has an anchor to a file without headings; lines move, so link the file".to_owned()),
    }
}

#[test]
fn all_links_are_valid() {
    let rule = "Links between pages are relative, and point to existing files and headings.";
    finding::none(rule, &check(Tree::here()));
}

#[test]
fn broken_links_are_found() {
    let tree = Tree::of([
        (
            "docs/a.md",
            "[ok](b.md#one-two) [ok](../README.md) [ok](#here) [ok](../docs/) [ok](https://example.com/x)\n# Here\n\
             [x](c.md)\n[x](b.md#three)\n[x](#there)\n[x](/README.md)\n[x](../../up.md)\n[x](../src/lib.rs#L3)\n",
        ),
        ("docs/b.md", "## One two\n"),
        ("README.md", ""),
        ("src/lib.rs", ""),
    ]);
    finding::exactly(
        &check(&tree),
        &[
            "docs/a.md:3: (c.md) is broken: there is no docs/c.md",
            "docs/a.md:4: (b.md#three) docs/b.md has no heading for #three",
            "docs/a.md:5: (#there) docs/a.md has no heading for #there",
            "docs/a.md:6: (/README.md) is absolute: write it relative to the page",
            "docs/a.md:7: (../../up.md) leaves the repository",
            "docs/a.md:8: (../src/lib.rs#L3) has an anchor to a file without headings; lines move, so link the file",
        ],
    );
}
