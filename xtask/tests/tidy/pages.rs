//! Pages that name code are up to date, and the changelog has a section for the next release.

use crate::finding::{self, Finding};
use crate::markdown::{self, Row};
use crate::tree::Tree;

const CHANGELOG: &str = "CHANGELOG.md";
const GAPS: &str = "docs/spec-gaps.md";
const ARCHITECTURE: &str = "ARCHITECTURE.md";

fn changelog(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(CHANGELOG) else {
        return vec![Finding::of(CHANGELOG, "is missing")];
    };
    match markdown::headings(text).into_iter().find(|(_, heading)| !heading.eq_ignore_ascii_case("changelog"))
    {
        Some((_, heading)) if heading.trim_matches(['[', ']']) == "Unreleased" => Vec::new(),
        Some((line, _)) => vec![Finding::at(CHANGELOG, line, "the first section must be `## Unreleased`")],
        None => vec![Finding::of(CHANGELOG, "has no section `## Unreleased`")],
    }
}

/// In tables with a column whose name contains "test", every name in backticks is a test or a file.
fn gaps(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(GAPS) else { return Vec::new() };
    let rows = markdown::rows(text);
    let named = |row: &Row| -> Vec<String> {
        let cells = row.cells.iter().filter(|(column, _)| column.to_lowercase().contains("test"));
        cells.flat_map(|(_, cell)| markdown::code_spans(cell)).map(str::to_owned).collect()
    };
    if rows.iter().all(|row| named(row).is_empty()) {
        return vec![Finding::of(
            GAPS,
            "names no test: give its table a column \"Test\" with names in backticks",
        )];
    }
    let missing = rows.iter().flat_map(|row| named(row).into_iter().map(|name| (row.line, name)));
    missing
        .filter(|(_, name)| !is_file(tree, name) && !is_function(tree, name, &|_| true))
        .map(|(line, name)| {
            Finding::at(GAPS, line, format!("there is no test `{name}`: it was renamed or does not exist"))
        })
        .collect()
}

/// In the table on the life of an advert, files exist and functions are in the files of their row.
fn life_of_an_advert(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(ARCHITECTURE) else { return Vec::new() };
    let headings = markdown::headings(text);
    let Some(index) =
        headings.iter().position(|(_, heading)| heading.to_lowercase().contains("life of an advert"))
    else {
        return vec![Finding::of(ARCHITECTURE, "has no section on the life of an advert")];
    };
    let first = headings[index].0;
    let last = headings.get(index + 1).map_or(usize::MAX, |(line, _)| *line);
    let rows: Vec<Row> =
        markdown::rows(text).into_iter().filter(|row| (first..last).contains(&row.line)).collect();
    if rows.is_empty() {
        return vec![Finding::at(ARCHITECTURE, first, "the life of an advert has no table")];
    }
    rows.iter().flat_map(|row| problems_of_step(tree, row)).collect()
}

fn problems_of_step(tree: &Tree, row: &Row) -> Vec<Finding> {
    let spans = || row.cells.iter().flat_map(|(_, cell)| markdown::code_spans(cell));
    let (files, functions): (Vec<&str>, Vec<&str>) = spans()
        .filter(|span| is_path(span) || span.contains("::") || span.ends_with("()"))
        .partition(|it| is_path(it));
    let places: Vec<String> = files.iter().flat_map(|file| candidates(file)).collect();
    let missing_files = files
        .iter()
        .filter(|file| !is_file(tree, file))
        .map(|file| format!("there is no file `{file}`: it was moved or renamed"));
    let missing_functions = functions
        .iter()
        .filter(|name| {
            !is_function(tree, name, &|path| places.is_empty() || places.iter().any(|it| it == path))
        })
        .map(|name| {
            format!("the files of this row have no `fn {}`: it was moved or renamed", last_part(name))
        });
    missing_files
        .chain(missing_functions)
        .map(|message| Finding::at(ARCHITECTURE, row.line, message))
        .collect()
}

/// Files named in backticks exist. Decision records are exempt: they describe the past.
fn named_files(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (page, text) in tree.with_ending(".md").filter(|(page, _)| !page.starts_with("docs/adr/")) {
        for (line, prose) in markdown::prose(text) {
            let spans =
                markdown::code_spans(prose).into_iter().filter(|span| is_path(span) && !span.contains(' '));
            for span in spans {
                // Only paths from the root or from a crate. Short forms such as `ingest/plan.rs` are not checked.
                let Some((first, _)) = span.split_once('/') else { continue };
                let anchored = tree.has_folder(first) || tree.has_folder(&format!("crates/{first}"));
                if anchored && !is_file(tree, span) {
                    findings.push(Finding::at(
                        page,
                        line,
                        format!("there is no file `{span}`: it was moved or renamed"),
                    ));
                }
            }
        }
    }
    findings
}

fn is_path(span: &str) -> bool {
    [".rs", ".sql", ".toml", ".md"].iter().any(|ending| span.ends_with(ending))
}

fn is_file(tree: &Tree, name: &str) -> bool {
    candidates(name).iter().any(|path| tree.has_file(path))
}

/// Returns the paths a name may stand for: `crates/store/src/log.rs` or `store/log.rs`.
fn candidates(name: &str) -> Vec<String> {
    let (package, rest) = name.split_once('/').unwrap_or((name, ""));
    vec![name.to_owned(), format!("crates/{name}"), format!("crates/{package}/src/{rest}")]
}

fn is_function(tree: &Tree, name: &str, place: &dyn Fn(&str) -> bool) -> bool {
    let name = last_part(name);
    let starts = [format!("fn {name}("), format!("fn {name}<")];
    let mut code = tree.with_ending(".rs").filter(|(path, _)| place(path));
    code.any(|(_, text)| starts.iter().any(|start| text.contains(start)))
}

fn last_part(name: &str) -> &str {
    let name = name.split('(').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

#[test]
fn the_changelog_has_an_unreleased_section() {
    finding::none("The changelog starts with the unreleased changes.", &changelog(Tree::here()));
}

#[test]
fn tests_named_in_the_gaps_page_exist() {
    finding::none("Every decision about a gap names the test that proves it.", &gaps(Tree::here()));
}

#[test]
fn the_life_of_an_advert_is_up_to_date() {
    finding::none("The table maps the code: keep it up to date.", &life_of_an_advert(Tree::here()));
}

#[test]
fn files_named_in_pages_exist() {
    finding::none("Pages name existing files.", &named_files(Tree::here()));
}

#[test]
fn missing_files_are_found() {
    let page =
        "See `store/src/log.rs`, `log/entry.rs`, `crates/store/src/gone.rs`\nand `store/src/lost.rs`.\n";
    let tree = Tree::of([
        ("CONTRIBUTING.md", page),
        ("crates/store/src/log.rs", ""),
        ("docs/adr/0001-a.md", "`store/src/lost.rs`"),
    ]);
    finding::exactly(
        &named_files(&tree),
        &[
            "CONTRIBUTING.md:1: there is no file `crates/store/src/gone.rs`: it was moved or renamed",
            "CONTRIBUTING.md:2: there is no file `store/src/lost.rs`: it was moved or renamed",
        ],
    );
}

#[test]
fn a_changelog_without_an_unreleased_section_is_found() {
    let found = |text: &str| changelog(&Tree::of([("CHANGELOG.md", text)]));
    finding::exactly(&found("# Changelog\n\n## Unreleased\n"), &[]);
    finding::exactly(&found("# Changelog\n"), &["CHANGELOG.md: has no section `## Unreleased`"]);
    let message = "CHANGELOG.md:2: the first section must be `## Unreleased`";
    finding::exactly(&found("# Changelog\n## 1.0\n## Unreleased\n"), &[message]);
    finding::exactly(&changelog(&Tree::of([])), &["CHANGELOG.md: is missing"]);
}

#[test]
fn gaps_without_a_test_are_found() {
    let code = ("a/tests/it.rs", "#[test]\nfn it_holds() {}\nasync fn it_waits() {}\n");
    let page = "| Gap | Test |\n|---|---|\n| `any` | `it_holds`, `it::it_waits` |\n| b | `it_vanished` |\n| c | `a/tests/it.rs` |\n";
    let message = "docs/spec-gaps.md:4: there is no test `it_vanished`: it was renamed or does not exist";
    finding::exactly(&gaps(&Tree::of([code, (GAPS, page)])), &[message]);
    let message =
        "docs/spec-gaps.md: names no test: give its table a column \"Test\" with names in backticks";
    finding::exactly(&gaps(&Tree::of([code, (GAPS, "| Gap |\n|---|\n| a |\n")])), &[message]);
    finding::exactly(&gaps(&Tree::of([code])), &[]);
}

#[test]
fn moved_steps_in_the_life_of_an_advert_are_found() {
    let page = "# Vigie\n## Life of an advert\n| Step | Function | File |\n|---|---|---|\n\
                | keep | `Store::commit` | `store/log.rs` |\n\
                | send | `send()` | `crates/store/src/log.rs` |\n\
                | find | `choose` | `domain/grouping.rs` |\n\
                ## Other\n| A |\n|---|\n| `gone.rs` |\n";
    let tree = Tree::of([
        (ARCHITECTURE, page),
        ("crates/store/src/log.rs", "pub fn commit(&self) {}"),
        ("crates/store/src/other.rs", "pub fn send() {}"),
    ]);
    finding::exactly(
        &life_of_an_advert(&tree),
        &[
            "ARCHITECTURE.md:6: the files of this row have no `fn send`: it was moved or renamed",
            "ARCHITECTURE.md:7: there is no file `domain/grouping.rs`: it was moved or renamed",
        ],
    );
    let tree = Tree::of([(ARCHITECTURE, "# Vigie\n")]);
    finding::exactly(
        &life_of_an_advert(&tree),
        &["ARCHITECTURE.md: has no section on the life of an advert"],
    );
}
