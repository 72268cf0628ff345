//! Output of commands: pipes, colours, help.

use std::process::Command;

use tempfile::TempDir;

use super::{Run, data_folder, run, vigie};

/// Runs a command whose output is closed.
pub fn unread(command: &mut Command) -> Run {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Run::of(command.stdout(writer).output().unwrap())
}

#[test]
fn closed_pipe_ends_a_command_without_error() {
    let folder = data_folder();
    run(folder.path(), &["keys", "create", "--user", "a"]).succeeded();
    run(folder.path(), &["sites", "add-category", "Portails"]).succeeded();
    run(folder.path(), &["sites", "set", "agence.example", "--name", "Agence"]).succeeded();
    for arguments in [
        ["check-config"].as_slice(),
        &["check-config", "--defaults"],
        &["deliveries", "list"],
        &["keys", "create", "--user", "b"],
        &["keys", "list"],
        &["sites", "categories"],
        &["sites", "list"],
        &["import", "/dev/null"],
    ] {
        let ended = unread(test_database::select(folder.path(), vigie().args(arguments)));
        assert_eq!(ended.code, Some(0), "{arguments:?} {ended:?}");
        assert!(!ended.err.contains("panicked") && !ended.err.contains("pipe"), "{arguments:?} {ended:?}");
    }
}

#[test]
fn closed_stderr_is_ignored() {
    let folder = data_folder();
    let key = run(folder.path(), &["keys", "create", "--user", "a"]).succeeded().trim().to_owned();
    for (arguments, code) in [(["keys", "revoke", &key], 0), (["keys", "revoke", "x"], 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended =
            test_database::select(folder.path(), vigie().args(arguments)).stderr(writer).status().unwrap();
        assert_eq!(ended.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn failed_write_to_stdout_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let ended = Run::of(vigie().args(["check-config", "--defaults"]).stdout(full).output().unwrap());
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("cannot write to standard output"), "{ended:?}");
}

#[test]
fn log_to_a_file_has_no_colours() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let folder = TempDir::new().unwrap();
    let mut command = vigie();
    command.env("VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES", "true");
    command.args(["serve", "--listen", &listen, "--data"]).arg(folder.path());
    let refused = Run::of(command.output().unwrap());
    assert!(refused.failed().contains("WARN") && !refused.err.contains('\u{1b}'), "{refused:?}");
}

#[test]
fn help_shows_the_default_data_folder() {
    let help =
        |command: &str| Run::of(vigie().args([command, "--help"]).output().unwrap()).succeeded().to_owned();
    assert!(help("serve").contains("[default: ./vigie-data]"));
    let demo = help("demo");
    assert!(demo.contains("[default: ./vigie-demo]") && !demo.contains("./vigie-data"), "{demo}");
}
