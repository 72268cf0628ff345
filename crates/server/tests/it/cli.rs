//! The `vigie` command, as an operator types it.

mod deliveries;
mod import;
mod output;
mod serve;
mod settings;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The command, with none of the settings of whoever runs the tests.
fn vigie() -> Command {
    without_settings(Command::new(env!("CARGO_BIN_EXE_vigie")))
}

fn without_settings(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("VIGIE_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// A command on a data folder, run to its end.
fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(vigie().args(arguments).arg("--data").arg(folder).output().unwrap())
}

/// What became of a command.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Standard output of a command that must succeed.
    #[track_caller]
    fn succeeded(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        &self.out
    }

    /// Standard error of a command that must fail, and say nothing else.
    #[track_caller]
    fn failed(&self) -> &str {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{self:?}");
        &self.err
    }
}

#[test]
fn a_new_key_is_alone_on_standard_output() {
    let folder = TempDir::new().unwrap();
    let created = run(folder.path(), &["keys", "create", "--user", "Zoé", "--scopes", "read,ingest"]);
    let key = created.succeeded().strip_suffix('\n').unwrap();
    assert_eq!((key.len(), created.err.as_str()), (66, ""));
    assert!(key.starts_with("vigie_") && key[6..].bytes().all(|byte| byte.is_ascii_alphanumeric()), "{key}");

    let list = run(folder.path(), &["keys", "list"]);
    let fields: Vec<&str> = list.succeeded().trim_end().split('\t').collect();
    assert_eq!((fields[0], fields[1], fields[2], fields[4]), (&key[6..28], "Zoé", "read,ingest", "valid"));
    // The secret is nowhere in the list.
    assert!(!list.out.contains(&key[28..60]));
}

#[test]
fn a_key_is_revoked_by_its_id_or_by_itself() {
    let folder = TempDir::new().unwrap();
    let create = || run(folder.path(), &["keys", "create", "--user", "a"]).succeeded().trim().to_owned();
    let (first, second) = (create(), create());
    run(folder.path(), &["keys", "revoke", &first[6..28]]).succeeded();
    run(folder.path(), &["keys", "revoke", &second]).succeeded();
    let list = run(folder.path(), &["keys", "list"]);
    let states: Vec<bool> = list.succeeded().lines().map(|line| line.contains("\trevoked ")).collect();
    assert_eq!(states, [true, true]);
    assert!(run(folder.path(), &["keys", "revoke", "x"]).failed().contains("\"x\" is not the id of a key"));
    let unknown = "0".repeat(22);
    assert!(run(folder.path(), &["keys", "revoke", &unknown]).failed().contains("there is no key 0000"));
}

#[test]
fn a_key_for_nobody_or_nothing_is_refused() {
    let folder = TempDir::new().unwrap();
    let create = |user: &str, scopes: &str| {
        run(folder.path(), &["keys", "create", "--user", user, "--scopes", scopes]).failed().to_owned()
    };
    assert!(create("a", "read,write").contains("unknown scope `write`"));
    assert!(create("a", "").contains("--scopes names no scope"));
    assert!(create(" ", "read").contains("--user"));
    assert!(create("a\nb", "read").contains("--user"));
    // Nothing was made, and a command that only looks does not make it either.
    assert!(run(folder.path(), &["keys", "list"]).failed().contains("no Vigie data in"));
}

#[test]
fn a_command_that_does_not_exist_is_told_which_do() {
    let run = Run::of(vigie().arg("dance").output().unwrap());
    assert_eq!(run.code, Some(2));
    let help = Run::of(vigie().arg("--help").output().unwrap());
    for command in ["serve", "import", "keys", "check-config"] {
        assert!(help.succeeded().contains(command), "{command}");
    }
}
