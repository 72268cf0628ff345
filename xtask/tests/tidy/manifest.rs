//! A line-based parser for the parts of `Cargo.toml` that the checks need.

use crate::tree::{Tree, folder_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Normal,
    Dev,
    Build,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    pub kind: Kind,
    pub line: usize,
    /// Whether it inherits the version from the workspace.
    pub inherited: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Manifest {
    pub path: String,
    pub name: String,
    pub dependencies: Vec<Dependency>,
    pub inherits_lints: bool,
    /// The `path` of each target that has one.
    pub target_paths: Vec<String>,
}

impl Manifest {
    pub fn folder(&self) -> &str {
        folder_of(&self.path)
    }

    fn parse(path: &str, text: &str) -> Option<Self> {
        let mut manifest = Self {
            path: path.to_owned(),
            name: String::new(),
            dependencies: Vec::new(),
            inherits_lints: false,
            target_paths: Vec::new(),
        };
        for entry in entries(text) {
            match entry.table.as_str() {
                "package" if entry.key == "name" => manifest.name = unquoted(&entry.value).to_owned(),
                "lints" => manifest.inherits_lints |= entry.key == "workspace" && entry.value == "true",
                "bin" | "lib" | "example" | "test" | "bench" if entry.key == "path" => {
                    manifest.target_paths.push(unquoted(&entry.value).to_owned());
                }
                table => manifest.dependencies.extend(dependency(table, &entry)),
            }
        }
        (!manifest.name.is_empty()).then_some(manifest)
    }
}

/// Returns every package of the repository.
pub fn packages(tree: &Tree) -> Vec<Manifest> {
    let manifests = tree.texts().filter(|(path, _)| *path == "Cargo.toml" || path.ends_with("/Cargo.toml"));
    manifests.filter_map(|(path, text)| Manifest::parse(path, text)).collect()
}

/// Returns the dependencies of the workspace table, with their lines.
pub fn workspace_dependencies(tree: &Tree) -> Vec<(String, usize)> {
    let entries = tree.text("Cargo.toml").map(entries).unwrap_or_default();
    entries
        .into_iter()
        .filter(|entry| entry.table == "workspace.dependencies")
        .map(|entry| (entry.key, entry.line))
        .collect()
}

struct Entry {
    table: String,
    key: String,
    value: String,
    line: usize,
}

fn entries(text: &str) -> Vec<Entry> {
    let mut table = String::new();
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') && line.contains(']') {
            let header = line.split('#').next().unwrap_or_default().trim();
            table = header.trim_matches(['[', ']']).trim().to_owned();
        } else if let Some((key, value)) = line.split_once('=')
            && !line.starts_with('#')
        {
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            entries.push(Entry { table: table.clone(), key, value, line: index + 1 });
        }
    }
    entries
}

/// Parses an entry of `[dependencies]`, `[dev-dependencies.name]`, `[target.'cfg(unix)'.build-dependencies]` and similar tables.
fn dependency(table: &str, entry: &Entry) -> Option<Dependency> {
    if table.starts_with("workspace") {
        return None;
    }
    let kinds = [
        ("dev-dependencies", Kind::Dev),
        ("build-dependencies", Kind::Build),
        ("dependencies", Kind::Normal),
    ];
    let (at, word, kind) =
        kinds.into_iter().find_map(|(word, kind)| Some((table.rfind(word)?, word, kind)))?;
    match table[at + word.len()..].strip_prefix('.') {
        // A table for one dependency has several entries; one of them represents it.
        Some(name) => {
            let first = matches!(entry.key.as_str(), "workspace" | "version" | "path" | "git");
            first.then(|| Dependency {
                name: unquoted(name).to_owned(),
                kind,
                line: entry.line,
                inherited: entry.key == "workspace",
            })
        }
        None => {
            let (name, dotted) = entry.key.split_once('.').unwrap_or((&entry.key, ""));
            let renamed = entry.value.split_once("package = ").map(|(_, rest)| unquoted(rest));
            Some(Dependency {
                name: renamed.unwrap_or(unquoted(name)).to_owned(),
                kind,
                line: entry.line,
                inherited: dotted == "workspace" || entry.value.contains("workspace = true"),
            })
        }
    }
}

fn unquoted(text: &str) -> &str {
    match text.strip_prefix('"') {
        Some(rest) => rest.split('"').next().unwrap_or(rest),
        None => text,
    }
}

#[test]
fn all_forms_of_dependencies_are_parsed() {
    let text = r#"
[package]
name = "app"

[[bin]]
name = "x"
path = "src/x.rs"

[dependencies] # ours
domain.workspace = true
store = { workspace = true, features = ["x"] }
# places.workspace = true
old = { package = "new", version = "1" }

[dev-dependencies.testkit]
workspace = true
features = ["all"]

[target.'cfg(unix)'.build-dependencies]
cc = "1"

[lints]
workspace = true
"#;
    let manifest = Manifest::parse("crates/app/Cargo.toml", text).unwrap();
    assert_eq!((manifest.name.as_str(), manifest.folder()), ("app", "crates/app"));
    assert!(manifest.inherits_lints);
    assert_eq!(manifest.target_paths, ["src/x.rs"]);
    let read: Vec<_> =
        manifest.dependencies.iter().map(|it| (it.name.as_str(), it.kind, it.line, it.inherited)).collect();
    assert_eq!(
        read,
        [
            ("domain", Kind::Normal, 10, true),
            ("store", Kind::Normal, 11, true),
            ("new", Kind::Normal, 13, false),
            ("testkit", Kind::Dev, 16, true),
            ("cc", Kind::Build, 20, false),
        ]
    );
}

#[test]
fn a_workspace_manifest_is_no_package() {
    assert_eq!(Manifest::parse("Cargo.toml", "[workspace.dependencies]\ndomain = \"1\""), None);
}
