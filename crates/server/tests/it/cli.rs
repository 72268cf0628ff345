//! Tests of the `vigie` command.

mod backup;
mod deliveries;
mod import;
mod import_options;
mod listen;
mod migrate;
mod output;
mod properties;
pub mod serve;
mod settings;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use store::SqlStore;
use tempfile::TempDir;

/// The command, without settings from the environment of the tests.
pub fn vigie() -> Command {
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

/// Creates a data folder with an empty database, as the first start of a server does.
pub fn data_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    drop(test_database::open(folder.path()));
    folder
}

/// Like [`data_folder`], with an embedded database in any case: for commands that copy its file.
pub fn embedded_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    drop(SqlStore::open(folder.path()).unwrap());
    folder
}

/// Creates a data folder whose database a command is to create.
pub fn new_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    test_database::reserve(folder.path());
    folder
}

/// Runs a command on a data folder.
pub fn run(folder: &Path, arguments: &[&str]) -> Run {
    run_with(test_database::select(folder, vigie().args(arguments)))
}

/// Runs a command with whatever arguments it has.
pub fn run_with(command: &mut Command) -> Run {
    Run::of(command.output().unwrap())
}

/// The result of a command.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Returns standard output of a command that must succeed.
    #[track_caller]
    pub fn succeeded(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        &self.out
    }

    /// Returns standard error of a command that must fail without other output.
    #[track_caller]
    pub fn failed(&self) -> &str {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{self:?}");
        &self.err
    }
}

#[test]
fn new_key_is_the_only_output() {
    let folder = data_folder();
    let created = run(folder.path(), &["keys", "create", "--user", "Zoé", "--scopes", "read,ingest"]);
    let key = created.succeeded().strip_suffix('\n').unwrap();
    assert_eq!((key.len(), created.err.as_str()), (66, ""));
    assert!(key.starts_with("vigie_") && key[6..].bytes().all(|byte| byte.is_ascii_alphanumeric()), "{key}");

    let list = run(folder.path(), &["keys", "list"]);
    let fields: Vec<&str> = list.succeeded().trim_end().split('\t').collect();
    assert_eq!((fields[0], fields[1], fields[2], fields[4]), (&key[6..28], "Zoé", "read,ingest", "valid"));
    // The list does not contain the secret.
    assert!(!list.out.contains(&key[28..60]));
}

#[test]
fn key_is_revoked_by_id_or_by_key() {
    let folder = data_folder();
    let create = || run(folder.path(), &["keys", "create", "--user", "a"]).succeeded().trim().to_owned();
    let (first, second) = (create(), create());
    run(folder.path(), &["keys", "revoke", &first[6..28]]).succeeded();
    run(folder.path(), &["keys", "revoke", &second]).succeeded();
    let list = run(folder.path(), &["keys", "list"]);
    let states: Vec<bool> = list.succeeded().lines().map(|line| line.contains("\trevoked ")).collect();
    assert_eq!(states, [true, true]);
    assert!(run(folder.path(), &["keys", "revoke", "x"]).failed().contains("\"x\" is not a key id"));
    let unknown = "0".repeat(22);
    assert!(run(folder.path(), &["keys", "revoke", &unknown]).failed().contains("key 0000"));
}

#[test]
fn key_is_shown_and_changed() {
    let folder = data_folder();
    let keys = |arguments: &[&str]| run(folder.path(), &[&["keys"][..], arguments].concat());
    let created = keys(&[
        "create",
        "--user",
        "Zoé",
        "--scope",
        "read",
        "--label",
        "Site de l'agence",
        "--expires",
        "2999-12-31",
        "--limit",
        "60",
    ]);
    let key = created.succeeded().trim().to_owned();
    let shown = keys(&["show", &key]);
    let expected = format!("id: {}\nuser: Zoé\nlabel: Site de l'agence\nscopes: read\n", &key[6..28]);
    assert!(shown.succeeded().starts_with(&expected), "{shown:?}");
    let rest = "expires: 2999-12-31T23:59:59+01:00\nstate: valid until 2999-12-31T22:59:59Z\nlast use: never used\nlimit: 60/min\n";
    assert!(shown.out.ends_with(rest), "{shown:?}");
    let list = keys(&["list"]);
    assert!(
        list.succeeded()
            .ends_with("\tvalid until 2999-12-31T22:59:59Z\tnever used\tlimit 60/min\tSite de l'agence\n"),
        "{list:?}"
    );

    let changed = keys(&["change", &key[6..28], "--label", "", "--expires", "2020-01-01", "--limit", "0"]);
    assert!(changed.succeeded().contains("label: none\n"), "{changed:?}");
    assert!(changed.out.contains("state: expired 2020-01-01T22:59:59Z\n"), "{changed:?}");
    assert!(changed.out.ends_with("limit: no limit\n"), "{changed:?}");
    let changed = keys(&["change", &key, "--expires", "never", "--limit", "general"]);
    assert!(changed.succeeded().contains("expires: never\nstate: valid\n"), "{changed:?}");
    assert!(changed.out.ends_with("limit: general limit\n"), "{changed:?}");

    assert!(keys(&["change", &key]).failed().contains("nothing to change"));
    assert!(keys(&["change", &key, "--limit", "x"]).failed().contains("--limit \"x\""));
    assert!(keys(&["change", &key, "--expires", "x"]).failed().contains("--expires \"x\""));
    assert!(keys(&["show", &"0".repeat(22)]).failed().contains("does not exist"));
    let past = keys(&["create", "--user", "Zoé", "--expires", "2020-01-01"]);
    assert!(past.failed().contains("--expires is in the past"));
}

#[test]
fn key_without_user_or_scope_is_rejected() {
    let folder = TempDir::new().unwrap();
    let create = |user: &str, scopes: &str| {
        run(folder.path(), &["keys", "create", "--user", user, "--scopes", scopes]).failed().to_owned()
    };
    assert!(create("a", "read,write").contains("unknown scope `write`"));
    assert!(create("a", "").contains("--scopes is empty"));
    assert!(create(" ", "read").contains("--user"));
    assert!(create("a\nb", "read").contains("--user"));
    // Nothing was created, and a command that only reads does not create it either.
    assert!(run(folder.path(), &["keys", "list"]).failed().contains("no Vigie database in"));
}

#[test]
fn key_in_a_folder_without_data_is_rejected() {
    let folder = TempDir::new().unwrap();
    for data in [folder.path().to_owned(), folder.path().join("mistyped")] {
        let created = run(&data, &["keys", "create", "--user", "a"]);
        assert!(created.failed().contains("no Vigie database in"), "{created:?}");
        assert!(created.err.contains("the first `vigie serve` creates it"), "{created:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was created");
}

#[test]
fn unknown_command_lists_the_commands() {
    let run = Run::of(vigie().arg("dance").output().unwrap());
    assert_eq!(run.code, Some(2));
    let help = Run::of(vigie().arg("--help").output().unwrap());
    for command in ["serve", "import", "keys", "check-config"] {
        assert!(help.succeeded().contains(command), "{command}");
    }
}
