//! Commands named in pages exist, and CI runs `cargo xtask ci`.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use crate::finding::{self, Finding};
use crate::tree::Tree;

/// Returns the names in the help text.
fn listed() -> BTreeSet<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("  "));
    rows.map(|row| row.split(' ').next().unwrap().to_owned()).collect()
}

fn unknown(tree: &Tree, listed: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".md") || path.starts_with(".ci/")) {
        for (index, line) in text.lines().enumerate() {
            for after in line.split("cargo xtask ").skip(1) {
                let name: String =
                    after.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
                if !name.is_empty() && !listed.contains(&name) {
                    findings.push(Finding::at(path, index + 1, format!("there is no `cargo xtask {name}`")));
                }
            }
        }
    }
    findings
}

#[test]
fn commands_named_in_pages_exist() {
    finding::none("`cargo xtask` lists all commands.", &unknown(Tree::here(), &listed()));
}

#[test]
fn unknown_commands_in_pages_are_found() {
    let tree =
        Tree::of([("README.md", "Run `cargo xtask ci`, then `cargo xtask`.\n    cargo xtask deploy now\n")]);
    let listed = BTreeSet::from(["ci".to_owned()]);
    finding::exactly(&unknown(&tree, &listed), &["README.md:2: there is no `cargo xtask deploy`"]);
}

#[test]
fn ci_runs_the_documented_command() {
    let script = Tree::here().text(".ci/run").expect("CI starts .ci/run");
    let last = script.lines().rfind(|line| !line.trim().is_empty());
    assert_eq!(last, Some("cargo xtask ci"), ".ci/run must end with `cargo xtask ci`");
    if let Some(readme) = Tree::here().text("README.md") {
        assert!(readme.contains("cargo xtask ci"), "README.md must show `cargo xtask ci`, which CI runs");
    }
}

/// The tools that the tests need, all there.
const TOOLS: [(&str, &str); 8] = [
    ("python3", "true"),
    ("node", "true"),
    ("npm", "true"),
    ("curl", "true"),
    ("jq", "true"),
    ("openssl", "true"),
    ("chromium", "true"),
    ("chromedriver", "true"),
];

/// The tools, some of them replaced.
fn tools_but(others: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    // A later script of the same name overwrites an earlier one.
    TOOLS.iter().chain(others).copied().collect()
}

/// Runs a command with another program instead of cargo. Returns its exit code and output.
fn run_with(cargo: &str, arguments: &[&str]) -> (Option<i32>, String) {
    // Pretends that all tools are installed: a test must not install packages.
    static PATH: OnceLock<OsString> = OnceLock::new();
    run_on(PATH.get_or_init(|| path_with("has-tools", &TOOLS)), cargo, arguments)
}

fn run_on(path: &OsStr, cargo: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(arguments).env("CARGO", cargo).env("PATH", path).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Returns a search path that begins with these programs, each a name and a shell script.
fn path_with(folder: &str, programs: &[(&str, &str)]) -> OsString {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, script) in programs {
        // Written by another process: if a concurrent test forks while this one has the file open, executing it fails.
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
        let written = Command::new("sh").args(["-c", write]).arg(folder.join(name)).arg(script).status();
        assert!(written.is_ok_and(|status| status.success()));
    }
    let others = std::env::var_os("PATH").unwrap();
    std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&others))).unwrap()
}

fn steps(printed: &str) -> Vec<&str> {
    printed.lines().filter_map(|line| line.strip_prefix("$ ")).collect()
}

#[test]
fn ci_is_check_then_test_then_deny() {
    let (code, printed) = run_with("true", &["ci"]);
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(
        steps(&printed),
        [
            "cargo fmt --all --check",
            "cargo clippy --workspace --all-targets -- -D warnings",
            "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --document-private-items",
            "cargo test --workspace",
            "cargo deny --workspace check bans licenses sources",
            "cargo deny --workspace fetch db",
            "cargo deny --workspace check --disable-fetch advisories",
        ]
    );
    assert!(printed.contains("ci: done in ") && !printed.contains("skipped"), "{printed}");
}

#[test]
fn ci_says_that_advisories_are_skipped_without_their_database() {
    let path = path_with("offline", &tools_but(&[("offline-cargo", "test \"$3\" != fetch")]));
    let (code, printed) = run_on(&path, "offline-cargo", &["ci"]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("skipped: known vulnerabilities (RUSTSEC) were not checked"), "{printed}");
    assert_eq!(steps(&printed).last(), Some(&"cargo deny --workspace fetch db"), "{printed}");
    // The command itself fails then.
    let (code, printed) = run_on(&path, "offline-cargo", &["advisories"]);
    assert_eq!(code, Some(1), "{printed}");
}

#[test]
fn a_command_stops_at_the_first_failure() {
    let (code, printed) = run_with("false", &["ci"]);
    assert_eq!((code, steps(&printed)), (Some(1), vec!["cargo fmt --all --check"]), "{printed}");
    assert!(printed.contains("ci: this step failed with exit status: 1"), "{printed}");
    let (code, printed) = run_with("no-such-program", &["ci"]);
    assert_eq!(code, Some(1));
    assert!(printed.contains("could not be started"), "{printed}");
}

#[test]
fn arguments_are_passed_on() {
    let last = |arguments: &[&str]| {
        let (_, printed) = run_with("true", arguments);
        steps(&printed).last().map(|step| (*step).to_owned()).unwrap()
    };
    assert_eq!(last(&["test", "--package", "wire"]), "cargo test --workspace --package wire");
    assert_eq!(last(&["demo", "--port", "1"]), "cargo run --release -- demo --port 1");
    assert_eq!(
        last(&["bench", "import", "--seed=2"]),
        "cargo run --release --package bench -- import --seed=2"
    );
    let crash = "cargo test --release --package server --test crash -- --nocapture";
    assert_eq!(last(&["crash"]), format!("VIGIE_CRASH_KILLS=1000 {crash}"));
    assert_eq!(last(&["crash", "3"]), format!("VIGIE_CRASH_KILLS=3 {crash}"));
    let deliveries = "cargo test --release --package server --test crash -- --nocapture arrives";
    assert_eq!(last(&["deliveries"]), format!("VIGIE_CRASH_DELIVERIES=100000 {deliveries}"));
    assert_eq!(last(&["deliveries", "3"]), format!("VIGIE_CRASH_DELIVERIES=3 {deliveries}"));
    let differential = "cargo test --release --package engine --test differential -- --nocapture";
    let cases = |count| {
        ["DIFFERENTIAL", "PERCOLATOR", "EXPLAIN"].map(|name| format!("VIGIE_{name}_CASES={count} ")).concat()
    };
    assert_eq!(last(&["differential"]), format!("{}{differential}", cases(100_000)));
    let fuzz = "cargo test --release --package server --test clients -- --nocapture fuzz";
    assert_eq!(last(&["fuzz-api"]), format!("VIGIE_FUZZ_EXAMPLES=300 {fuzz}"));
    assert_eq!(last(&["fuzz-api", "3"]), format!("VIGIE_FUZZ_EXAMPLES=3 {fuzz}"));
    assert_eq!(last(&["differential", "3"]), format!("{}{differential}", cases(3)));
}

#[test]
fn missing_tools_are_installed_by_root_and_required_otherwise() {
    // Installs Python and npm by replacing the scripts beside it.
    let install = r#"case "$*" in install*) for tool in python3 npm; do printf '#!/bin/sh\n' > "${0%/*}/$tool"; done;; esac"#;
    let root = tools_but(&[("python3", "false"), ("npm", "false"), ("id", "echo 0"), ("apt-get", install)]);
    let (code, printed) = run_on(&path_with("root", &root), "true", &["test"]);
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(
        steps(&printed),
        [
            "apt-get update",
            "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3 python3-venv npm",
            "cargo test --workspace",
        ]
    );
    let without = tools_but(&[("python3", "false"), ("id", "echo 0"), ("apt-get", "exit 1")]);
    let user = tools_but(&[("python3", "false"), ("id", "echo 1000"), ("apt-get", "true")]);
    for (folder, programs) in [("without-apt", without), ("user", user)] {
        let (code, printed) = run_on(&path_with(folder, &programs), "true", &["test"]);
        assert_eq!((code, steps(&printed)), (Some(1), vec![]), "{printed}");
        assert!(printed.contains("apt-get install python3 python3-venv"), "{printed}");
    }
    // Debian may have one that is too old.
    let old = tools_but(&[("node", "false"), ("id", "echo 0"), ("apt-get", "true")]);
    let (code, printed) = run_on(&path_with("old", &old), "true", &["test"]);
    assert_eq!((code, steps(&printed).len()), (Some(1), 2), "{printed}");
    assert!(printed.contains("not installed, or too old: Node.js 18 or later"), "{printed}");
}

#[test]
fn bare_says_what_it_needs() {
    let user = [("id", "echo 1000"), ("debootstrap", "true")];
    let without = [("id", "echo 0"), ("debootstrap", "exit 1")];
    for (folder, programs, expected) in [
        ("bare-user", user, "needs root"),
        ("bare-without-debootstrap", without, "apt-get install debootstrap"),
    ] {
        let (code, printed) = run_on(&path_with(folder, &programs), "true", &["bare"]);
        assert_eq!((code, steps(&printed)), (Some(1), vec![]), "{printed}");
        assert!(printed.contains(expected), "{printed}");
    }
}

#[test]
fn deny_says_how_to_install_cargo_deny() {
    let (code, printed) = run_with("false", &["deny"]);
    assert_eq!((code, steps(&printed)), (Some(1), vec![]));
    assert!(printed.contains("cargo install cargo-deny --locked"), "{printed}");
}

#[test]
fn usage_errors_have_exit_code_2() {
    for arguments in [
        &["no-such-command"][..],
        &["ci", "now"],
        &["bench"],
        &["crash", "often"],
        &["bare", "here", "there"],
        &["deliveries", "all"],
        &["differential", "many"],
        &["fuzz-api", "long"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
