//! Every file is used: modules are declared, migrations included, pages linked.

use std::collections::BTreeSet;

use crate::finding::{self, Finding};
use crate::manifest;
use crate::markdown;
use crate::tree::{Tree, folder_of, join, resolve};

fn dead_modules(tree: &Tree) -> Vec<Finding> {
    let mut reached = BTreeSet::new();
    for package in manifest::packages(tree) {
        let named = package.target_paths.iter().map(|path| join(package.folder(), path));
        let found = tree.with_ending(".rs").map(|(path, _)| path);
        let found = found.filter(|path| is_target(package.folder(), path)).map(str::to_owned);
        for root in named.chain(found) {
            follow(tree, &root, folder_of(&root), &mut reached);
        }
    }
    let dead = tree.with_ending(".rs").filter(|(path, _)| !reached.contains(*path));
    dead.map(|(path, _)| Finding::of(path, "no `mod` declares this file: declare it or delete the file"))
        .collect()
}

/// Returns `true` for files that cargo compiles by convention.
fn is_target(package: &str, path: &str) -> bool {
    let Some(path) = path.strip_prefix(package).map(|path| path.trim_start_matches('/')) else {
        return false;
    };
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        ["build.rs"]
            | ["src", "lib.rs" | "main.rs"]
            | ["src", "bin", _]
            | ["src", "bin", _, "main.rs"]
            | ["tests" | "examples" | "benches", _]
            | ["tests" | "examples" | "benches", _, "main.rs"]
    )
}

/// Marks a file and the modules it declares, which are in `folder`.
fn follow(tree: &Tree, path: &str, folder: &str, reached: &mut BTreeSet<String>) {
    let Some(text) = tree.text(path) else { return };
    if !reached.insert(path.to_owned()) {
        return;
    }
    for declared in declared_modules(text) {
        if let Some(path) = declared.path.as_deref().and_then(|it| resolve(folder_of(path), it)) {
            follow(tree, &path, folder_of(&path), reached);
            continue;
        }
        let module = join(folder, &declared.name);
        follow(tree, &format!("{module}.rs"), &module, reached);
        follow(tree, &format!("{module}/mod.rs"), &module, reached);
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Declared {
    /// With its enclosing modules: `outer/name`.
    name: String,
    /// The value of `#[path]`.
    path: Option<String>,
}

/// Returns the modules declared in a file. The code is formatted, so a block ends at its indentation.
fn declared_modules(text: &str) -> Vec<Declared> {
    let mut blocks: Vec<(usize, &str)> = Vec::new();
    let mut path = None;
    let mut declared = Vec::new();
    for line in text.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if let Some(rest) = code.strip_prefix("#[path = \"") {
            path = rest.split('"').next().map(str::to_owned);
        } else if code == "}" && blocks.last().is_some_and(|(opened, _)| *opened == indent) {
            blocks.pop();
        } else if let Some(name) = module_name(code) {
            if let Some(name) = name.strip_suffix(';') {
                let outer: String = blocks.iter().map(|(_, name)| format!("{name}/")).collect();
                declared.push(Declared { name: outer + name, path: path.take() });
            } else if let Some(name) = name.strip_suffix(" {") {
                blocks.push((indent, name));
            }
        }
    }
    declared
}

fn module_name(code: &str) -> Option<&str> {
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => code,
    };
    code.strip_prefix("mod ")
}

fn dead_migrations(tree: &Tree) -> Vec<Finding> {
    let migrations =
        tree.with_ending(".sql").filter_map(|(path, _)| Some((path, path.split_once("/migrations/")?)));
    migrations
        .filter(|(_, (package, name))| {
            let included = format!("migrations/{name}\"");
            let code = tree.with_ending(".rs").filter(|(path, _)| path.starts_with(*package));
            !code.into_iter().any(|(_, text)| text.contains("include_str!(") && text.contains(&included))
        })
        .map(|(path, _)| Finding::of(path, "no include_str! reads this migration: it never runs"))
        .collect()
}

/// The entry points for readers.
const FIRST_PAGES: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

fn unlinked_pages(tree: &Tree) -> Vec<Finding> {
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<String> = FIRST_PAGES.iter().map(|page| (*page).to_owned()).collect();
    while let Some(page) = open.pop() {
        let Some(text) = tree.text(&page) else { continue };
        if reached.insert(page.clone()) {
            let links = markdown::links(text).into_iter();
            open.extend(links.filter_map(|link| resolve(folder_of(&page), link.path())));
        }
    }
    tree.with_ending(".md")
        .filter(|(path, _)| path.starts_with("docs/") && !reached.contains(*path))
        .map(|(path, _)| {
            Finding::of(path, "no page links here: link it from README.md or from a related page")
        })
        .collect()
}

#[test]
fn every_source_file_is_a_module() {
    finding::none("A file that is not compiled misleads its readers.", &dead_modules(Tree::here()));
}

#[test]
fn every_migration_is_included() {
    finding::none("A migration that is not included does not run.", &dead_migrations(Tree::here()));
}

#[test]
fn every_page_is_linked() {
    finding::none("A page without a link to it is not read.", &unlinked_pages(Tree::here()));
}

#[test]
fn undeclared_files_are_found() {
    let tree = Tree::of([
        ("a/Cargo.toml", "[package]\nname = \"a\"\n[[bin]]\npath = \"other/tool.rs\""),
        ("a/build.rs", ""),
        ("a/src/lib.rs", "pub mod used;\n// mod commented;\n#[cfg(test)]\nmod tests;\n"),
        ("a/src/used.rs", "pub(crate) mod inner;\n"),
        ("a/src/used/inner.rs", ""),
        ("a/src/used/forgotten.rs", ""),
        ("a/src/tests.rs", ""),
        ("a/src/commented.rs", ""),
        ("a/other/tool.rs", ""),
        ("a/tests/it/main.rs", "mod story;"),
        ("a/tests/it/story.rs", ""),
        ("a/tests/it/left.rs", ""),
        ("stray.rs", ""),
    ]);
    let dead: Vec<String> = dead_modules(&tree).into_iter().map(|finding| finding.path).collect();
    assert_eq!(dead, ["a/src/commented.rs", "a/src/used/forgotten.rs", "a/tests/it/left.rs", "stray.rs"]);
}

#[test]
fn modules_in_blocks_and_at_other_paths_are_followed() {
    let text = "#[path = \"contract/changes.rs\"]\n#[allow(dead_code)]\nmod changes;\n\nmod sqlite {\n    mod damage;\n}\n\nmod last;\n";
    let read: Vec<(String, Option<String>)> =
        declared_modules(text).into_iter().map(|declared| (declared.name, declared.path)).collect();
    let at = Some("contract/changes.rs".to_owned());
    assert_eq!(
        read,
        [("changes".to_owned(), at), ("sqlite/damage".to_owned(), None), ("last".to_owned(), None)]
    );
}

#[test]
fn migrations_without_include_are_found() {
    let tree = Tree::of([
        ("store/migrations/0001_a.sql", ""),
        ("store/migrations/0002_b.sql", ""),
        ("store/src/schema.rs", "&[include_str!(\"../migrations/0001_a.sql\")]"),
    ]);
    let findings = dead_migrations(&tree);
    finding::exactly(
        &findings,
        &["store/migrations/0002_b.sql: no include_str! reads this migration: it never runs"],
    );
}

#[test]
fn unreachable_pages_are_found() {
    let tree = Tree::of([
        ("README.md", "[one](docs/one.md#part)"),
        ("docs/one.md", "[two](sub/two.md)"),
        ("docs/sub/two.md", ""),
        ("docs/x.md", "[y](y.md)"),
        ("docs/y.md", "[x](x.md)"),
    ]);
    let lost: Vec<String> = unlinked_pages(&tree).into_iter().map(|finding| finding.path).collect();
    assert_eq!(lost, ["docs/x.md", "docs/y.md"]);
}
