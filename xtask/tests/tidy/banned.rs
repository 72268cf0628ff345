//! Texts that must not be committed: unfinished work, ignored tests, paths of one machine.

use crate::finding::{self, Finding};
use crate::tree::{Tree, is_test};

struct Ban {
    text: &'static str,
    /// The remedy.
    instead: &'static str,
    place: Place,
}

enum Place {
    Anywhere,
    Code,
    /// Anywhere but in tests, at the beginning of a path.
    Path,
}

const BANS: &[Ban] = &[
    Ban { text: "todo!(", instead: "finish it, or leave it out", place: Place::Code },
    Ban { text: "unimplemented!(", instead: "finish it, or leave it out", place: Place::Code },
    Ban { text: "dbg!(", instead: "remove it, or log what an operator needs", place: Place::Code },
    Ban { text: "#[ignore", instead: "make the test run every time, or remove it", place: Place::Code },
    Ban { text: "FIXME", instead: "fix it, or document what is missing", place: Place::Anywhere },
    Ban { text: "<<<<<<< ", instead: "resolve the conflict", place: Place::Anywhere },
    Ban { text: "/home/", instead: "name no folder of one machine", place: Place::Path },
    Ban { text: "/root/", instead: "name no folder of one machine", place: Place::Path },
    Ban {
        text: "/tmp/",
        instead: "take a folder as an argument, or make a temporary one",
        place: Place::Path,
    },
    Ban { text: "sparse+http", instead: REGISTRY, place: Place::Anywhere },
    Ban { text: "registry+http", instead: REGISTRY, place: Place::Anywhere },
    Ban { text: "replace-with", instead: REGISTRY, place: Place::Anywhere },
    Ban { text: "[registries", instead: REGISTRY, place: Place::Anywhere },
    Ban { text: "registry.npmjs.org", instead: REGISTRY, place: Place::Anywhere },
];

const REGISTRY: &str = "package sources are the setting of each user";

/// Lock files, and the only address they may contain.
const LOCKS: &[(&str, &str)] = &[
    ("Cargo.lock", "registry+https://github.com/rust-lang/crates.io-index"),
    ("package-lock.json", "https://registry.npmjs.org/"),
];

const THIS_FILE: &str = "xtask/tests/tidy/banned.rs";

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| *path != THIS_FILE) {
        let name = path.rsplit('/').next().unwrap_or(path);
        match LOCKS.iter().find(|(lock, _)| *lock == name) {
            Some((_, address)) => findings.extend(check_lock(path, text, address)),
            None => findings.extend(check_file(path, text)),
        }
    }
    findings
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let code = path.ends_with(".rs");
    let mut in_tests = is_test(path);
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        in_tests |= code && line == "mod tests {";
        for ban in BANS {
            let found = match ban.place {
                Place::Anywhere => line.contains(ban.text),
                Place::Code => code && line.contains(ban.text),
                Place::Path => !in_tests && begins_a_path(line, ban.text),
            };
            if found {
                findings.push(Finding::at(path, index + 1, format!("`{}`: {}", ban.text, ban.instead)));
            }
        }
    }
    findings
}

/// Returns `true` if the text is not in the middle of a longer path or URL.
fn begins_a_path(line: &str, text: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "/.-_~{}$".contains(c);
    line.match_indices(text).any(|(at, _)| {
        let before = &line[..at];
        !before.ends_with(inside) || before.ends_with("file://")
    })
}

fn check_lock(path: &str, text: &str, address: &str) -> Vec<Finding> {
    let lines =
        text.lines().enumerate().filter_map(|(index, line)| Some((index, line.split_once("http")?.0, line)));
    lines
        .filter(|(_, _, line)| {
            !line.contains(address) && (line.contains("source = ") || line.contains("\"resolved\""))
        })
        .map(|(index, _, _)| {
            Finding::at(path, index + 1, "is not from the public registry: generate the lock file again")
        })
        .collect()
}

#[test]
fn no_banned_text_is_committed() {
    finding::none("These must not be committed.", &check(Tree::here()));
}

#[test]
fn banned_texts_are_found() {
    let tree = Tree::of([
        ("a/src/lib.rs", "fn a() { todo!() }\n// FIXME\nfn b() { dbg!(1); unimplemented!() }\n"),
        (
            "a/src/c.rs",
            "const A: &str = \"/tmp/x\";\n#[cfg(test)]\nmod tests {\n    const B: &str = \"/tmp/x\";\n}\n",
        ),
        ("a/tests/it.rs", "#[ignore = \"slow\"]\nfn x() { \"/tmp/x\" }\n"),
        (
            "docs/a.md",
            "todo!( is fine here, https://example.com/home/ and ./tmp/ too\nsee /home/x or `/root/y`\n",
        ),
        (
            ".cargo/config.toml",
            "[source.x]\nreplace-with = \"y\"\n[registries.y]\nindex = \"sparse+https://y\"\n",
        ),
    ]);
    let found: Vec<String> = check(&tree)
        .iter()
        .map(|finding| {
            let word = finding.message.split('`').nth(1).unwrap();
            format!("{}:{} {word}", finding.path, finding.line.unwrap())
        })
        .collect();
    assert_eq!(
        found,
        [
            ".cargo/config.toml:2 replace-with",
            ".cargo/config.toml:3 [registries",
            ".cargo/config.toml:4 sparse+http",
            "a/src/c.rs:1 /tmp/",
            "a/src/lib.rs:1 todo!(",
            "a/src/lib.rs:2 FIXME",
            "a/src/lib.rs:3 unimplemented!(",
            "a/src/lib.rs:3 dbg!(",
            "a/tests/it.rs:1 #[ignore",
            "docs/a.md:2 /home/",
            "docs/a.md:2 /root/",
        ]
    );
}

#[test]
fn locks_from_other_registries_are_found() {
    let tree = Tree::of([(
        "Cargo.lock",
        "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nsource = \"registry+https://mirror.example\"\n",
    )]);
    finding::exactly(
        &check(&tree),
        &["Cargo.lock:2: is not from the public registry: generate the lock file again"],
    );
}
