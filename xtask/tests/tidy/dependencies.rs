//! Versions and lints are stated once, in the workspace, and every dependency is used.

use crate::finding::{self, Finding};
use crate::manifest;
use crate::tree::Tree;

/// Dependencies that no code names, each with a reason: crate, dependency, reason.
const UNNAMED: &[(&str, &str, &str)] = &[];

fn check(tree: &Tree, unnamed: &[(&str, &str, &str)]) -> Vec<Finding> {
    let packages = manifest::packages(tree);
    let mut findings = Vec::new();
    for package in &packages {
        let path = &package.path;
        if !package.inherits_lints {
            findings.push(Finding::of(path, "add `[lints] workspace = true`"));
        }
        for dependency in &package.dependencies {
            let (name, line) = (&dependency.name, dependency.line);
            if !dependency.inherited {
                let message =
                    format!("write `{name}.workspace = true`, and the version into the root's Cargo.toml");
                findings.push(Finding::at(path, line, message));
            }
            let word = name.replace('-', "_");
            let inside = format!("{}/", package.folder());
            let used =
                tree.with_ending(".rs").any(|(path, text)| path.starts_with(&inside) && names(text, &word));
            let excused = unnamed.iter().any(|(from, to, _)| from == &package.name && to == name);
            let message = match (used, excused) {
                (true, false) | (false, true) => continue,
                (false, false) => format!("no code of {} names {name}: remove it", package.name),
                (true, true) => {
                    format!("{} uses {name} now: take the pair off the list in dependencies.rs", package.name)
                }
            };
            findings.push(Finding::at(path, line, message));
        }
    }
    for (name, line) in manifest::workspace_dependencies(tree) {
        let ours = packages.iter().any(|package| package.name == name);
        if !ours && !packages.iter().flat_map(|package| &package.dependencies).any(|it| it.name == name) {
            findings.push(Finding::at("Cargo.toml", line, format!("no crate uses {name}: remove it")));
        }
    }
    findings
}

/// Returns `true` if code names a crate: `use word…`, `word::…`, `#[word(…)]`.
fn names(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.match_indices(word).map(move |(at, _)| (line, at))).any(|(line, at)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let whole = !before.ends_with(part) && !after.starts_with(part);
        whole && (after.starts_with("::") || before.ends_with("use ") || before.ends_with("#["))
    })
}

#[test]
fn dependencies_are_stated_once_and_used() {
    let rule = "Every version is stated once, in the root's Cargo.toml, and every dependency is used.";
    finding::none(rule, &check(Tree::here(), UNNAMED));
}

#[test]
fn local_versions_and_unused_dependencies_are_found() {
    let tree = Tree::of([
        ("Cargo.toml", "[workspace.dependencies]\nserde = \"1\"\nurl = \"2\""),
        ("a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nserde.workspace = true\ntoml = \"1\""),
        ("a/src/lib.rs", "use toml;\n// serde::Serialize would be nice\n"),
    ]);
    finding::exactly(
        &check(&tree, &[("a", "toml", "")]),
        &[
            "a/Cargo.toml: add `[lints] workspace = true`",
            "a/Cargo.toml:4: no code of a names serde: remove it",
            "a/Cargo.toml:5: write `toml.workspace = true`, and the version into the root's Cargo.toml",
            "a/Cargo.toml:5: a uses toml now: take the pair off the list in dependencies.rs",
            "Cargo.toml:3: no crate uses url: remove it",
        ],
    );
}

#[test]
fn a_crate_is_named_by_use_path_or_attribute() {
    for code in ["use serde;", "x: serde::Value", "#[serde(rename)]", "pub use serde::de"] {
        assert!(names(code, "serde"), "{code}");
    }
    for code in ["use serde_json;", "let serde = 1;", "// serde::x", "my_serde::x"] {
        assert!(!names(code, "serde"), "{code}");
    }
}
