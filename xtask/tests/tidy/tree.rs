//! The files of the repository, read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Paths relative to the root, with `/`, and the text of each file; `None` for binary files.
pub struct Tree {
    files: BTreeMap<String, Option<String>>,
}

impl Tree {
    /// Returns this repository: all files that git does not ignore, committed or not.
    pub fn here() -> &'static Self {
        static HERE: OnceLock<Tree> = OnceLock::new();
        HERE.get_or_init(|| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
            let ignored = Ignored::parse(&std::fs::read_to_string(root.join(".gitignore")).unwrap());
            let mut files = BTreeMap::new();
            collect(root, "", &ignored, &mut files);
            Self { files }
        })
    }

    /// Creates a tree for a test.
    pub fn of<const N: usize>(files: [(&str, &str); N]) -> Self {
        let files = files.map(|(path, text)| (path.to_owned(), Some(text.to_owned())));
        Self { files: files.into_iter().collect() }
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    pub fn with_ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(move |(path, _)| path.ends_with(ending))
    }

    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub fn has_folder(&self, path: &str) -> bool {
        let inside = format!("{}/", path.trim_end_matches('/'));
        path.is_empty() || self.files.keys().any(|file| file.starts_with(&inside))
    }
}

fn collect(root: &Path, folder: &str, ignored: &Ignored, files: &mut BTreeMap<String, Option<String>>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap().to_str().expect("a file name is not UTF-8").to_owned();
        let path = join(folder, &name);
        if name == ".git" || ignored.covers(&path) {
            continue;
        }
        if !entry.is_dir() {
            let text = std::fs::read(&entry).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            files.insert(path, text);
        } else if !entry.join("CACHEDIR.TAG").exists() {
            // Cargo marks its target folders with this file.
            collect(root, &path, ignored, files);
        }
    }
}

/// The supported forms in `.gitignore`: `/path`, `name`, `*ending`.
struct Ignored(Vec<String>);

impl Ignored {
    fn parse(text: &str) -> Self {
        let lines = text.lines().map(|line| line.trim().trim_end_matches('/'));
        let lines: Vec<String> =
            lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect();
        for line in &lines {
            let rest = line.strip_prefix(['/', '*']).unwrap_or(line);
            let known =
                !rest.contains(['*', '?', '[', '!']) && (line.starts_with('/') || !rest.contains('/'));
            assert!(known, "tests/tidy/tree.rs does not support `{line}` in .gitignore: extend it");
        }
        Self(lines)
    }

    fn covers(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.0.iter().any(|line| match (line.strip_prefix('/'), line.strip_prefix('*')) {
            (Some(anchored), _) => path == anchored,
            (_, Some(ending)) => name.ends_with(ending),
            (None, None) => name == line,
        })
    }
}

pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Resolves `relative` from `folder`; `None` if it leaves the repository.
pub fn resolve(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Returns `true` for files that contain only tests.
pub fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.starts_with("tests/")
}

#[test]
fn ignored_files_are_skipped() {
    let ignored = Ignored::parse("# ours\n/target\n/vigie-data/\n*.snap.new\nnode_modules\n");
    for path in ["target", "vigie-data", "crates/wire/a.snap.new", "console/node_modules"] {
        assert!(ignored.covers(path), "{path}");
    }
    for path in ["crates/target", "a.snap", "modules"] {
        assert!(!ignored.covers(path), "{path}");
    }
}

#[test]
fn relative_paths_are_resolved() {
    assert_eq!(resolve("docs/adr", "../places.md").as_deref(), Some("docs/places.md"));
    assert_eq!(resolve("", "./docs/").as_deref(), Some("docs"));
    assert_eq!(resolve("docs", "../../elsewhere"), None);
}

#[test]
fn the_tree_has_sources_and_no_build_results() {
    assert!(Tree::here().has_file("xtask/tests/tidy/tree.rs"));
    assert!(!Tree::here().has_folder("target") && !Tree::here().has_folder(".git"));
}
