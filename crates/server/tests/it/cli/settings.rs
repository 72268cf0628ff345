//! `vigie check-config`, and how a server reports its settings.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{Run, vigie};

#[test]
fn valid_configuration_is_printed_with_origins() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("vigie.toml");
    let data = folder.path().join("some").join("where");
    std::fs::write(&file, "[limits]\nrequests_max = 7\n").unwrap();
    let checked = Run::of(
        vigie()
            .args(["check-config", "--config"])
            .arg(&file)
            .arg("--data")
            .arg(&data)
            .env("VIGIE_LOG__FORMAT", "json")
            .output()
            .unwrap(),
    );
    let printed = checked.succeeded();
    for line in [
        format!("limits.requests_max = \"7\"  # file {}", file.display()),
        "log.format = \"json\"  # variable VIGIE_LOG__FORMAT".to_owned(),
        format!("store.data = {data:?}  # flag --data"),
        "server.listen = \"127.0.0.1:8080\"".to_owned(),
    ] {
        assert!(printed.lines().any(|found| found == line), "{line} is not in {printed}");
    }
    assert_eq!(checked.err, "The configuration is valid.\n");
    assert!(!folder.path().join("some").exists(), "a check creates nothing");
}

#[test]
fn all_configuration_problems_are_printed() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("vigie.toml");
    std::fs::write(&file, "[server]\nlisten = \"nowhere\"\n[limits]\nspeed = 3\nrequests_max = 0\n").unwrap();
    let mut command = vigie();
    command.args(["check-config", "--config"]).arg(&file).env("VIGIE_LOG__LEVLE", "info");
    let checked = Run::of(command.output().unwrap());
    let error = checked.failed();
    for setting in ["server.listen", "limits.speed", "limits.requests_max", "log.levle"] {
        assert!(error.contains(setting), "{setting} is not in {error}");
    }
    assert!(error.ends_with("The configuration is invalid: 4 problem(s).\n"), "{error}");

    // No other command starts with it, and each reports why.
    for arguments in [["keys", "list"].as_slice(), &["serve"], &["import", "-"]] {
        let mut command = vigie();
        command.args(arguments).arg("--config").arg(&file).arg("--data").arg(folder.path());
        let refused = Run::of(command.output().unwrap());
        assert!(refused.failed().contains("limits.speed"), "{refused:?}");
    }
    assert!(!folder.path().join("vigie.db").exists());
}

#[test]
fn missing_configuration_file_is_an_error() {
    let checked =
        Run::of(vigie().args(["check-config", "--config", "/nowhere/vigie.toml"]).output().unwrap());
    assert!(checked.failed().contains("cannot read the configuration file /nowhere/vigie.toml"));
}

#[test]
fn printed_defaults_are_a_valid_configuration() {
    let folder = TempDir::new().unwrap();
    let printed = Run::of(vigie().args(["check-config", "--defaults"]).output().unwrap());
    let file = folder.path().join("defaults.toml");
    std::fs::write(&file, printed.succeeded()).unwrap();
    Run::of(vigie().arg("check-config").arg("--config").arg(&file).output().unwrap()).succeeded();
}

/// A command with a configuration file, on a folder that does not exist yet.
fn with_settings(folder: &Path, arguments: &[&str], settings: &str) -> Command {
    let file = folder.join("vigie.toml");
    std::fs::write(&file, settings).unwrap();
    let mut command = vigie();
    command.args(arguments).arg("--config").arg(&file).arg("--data").arg(folder.join("data"));
    command
}

#[test]
fn password_is_hidden() {
    let folder = TempDir::new().unwrap();
    let settings = "[email]\nsmtp_user = \"vigie\"\nsmtp_password = \"of-the-file\"\n";
    let printed_by = |command: &mut Command| {
        let checked = Run::of(command.output().unwrap());
        assert!(!format!("{checked:?}").contains("of-the-"), "{checked:?}");
        checked.succeeded().to_owned()
    };
    let printed = printed_by(&mut with_settings(folder.path(), &["check-config"], settings));
    assert!(printed.contains("email.smtp_password = (hidden)  # file "), "{printed}");
    let mut command = with_settings(folder.path(), &["check-config"], settings);
    let printed = printed_by(command.env("VIGIE_EMAIL__SMTP_PASSWORD", "of-the-environment"));
    let line = "email.smtp_password = (hidden)  # variable VIGIE_EMAIL__SMTP_PASSWORD\n";
    assert!(printed.contains(line), "{printed}");
    // An empty password is not hidden.
    let printed = printed_by(&mut with_settings(folder.path(), &["check-config"], ""));
    assert!(printed.contains("email.smtp_password = \"\"\n"), "{printed}");
    let mut refused =
        with_settings(folder.path(), &["check-config"], "[email]\nsmtp_password = \"of-the-file\"\n");
    let refused = Run::of(refused.output().unwrap());
    assert!(refused.failed().contains("email.smtp_user") && !refused.err.contains("of-the-"), "{refused:?}");
}

#[test]
fn check_config_finds_startup_problems() {
    let folder = TempDir::new().unwrap();
    let in_the_way = folder.path().join("no-certificate.pem");
    std::fs::write(&in_the_way, "not a certificate\n").unwrap();
    let smtp = "[email]\ntransport = \"smtp\"\n";
    let beneath = in_the_way.join("mail");
    for (settings, setting) in [
        (
            format!("[delivery]\nextra_ca_file = {in_the_way:?}\n"),
            format!("delivery.extra_ca_file = {in_the_way:?}: "),
        ),
        // Reserved for documentation: no machine has this address.
        ("[delivery]\nsource_address = \"192.0.2.77\"\n".to_owned(), "delivery.source_address: ".to_owned()),
        (format!("{smtp}smtp_host = \"not a name\"\n"), "email.smtp_host = \"not a name\": ".to_owned()),
        (
            format!("{smtp}smtp_security = \"none\"\nsmtp_user = \"a\"\nsmtp_password = \"b\"\n"),
            "email.smtp_security".to_owned(),
        ),
        (format!("[email]\ntransport = \"folder\"\nfolder = {beneath:?}\n"), "email.folder: ".to_owned()),
        (format!("[places]\nfolder = {beneath:?}\n"), "places.folder: ".to_owned()),
    ] {
        let checked = Run::of(with_settings(folder.path(), &["check-config"], &settings).output().unwrap());
        assert!(checked.failed().starts_with(&setting), "{setting} {checked:?}");
        assert!(checked.err.ends_with("The configuration is invalid: 1 problem(s).\n"), "{checked:?}");
        let serve = ["serve", "--listen", "127.0.0.1:0"];
        let refused = Run::of(with_settings(folder.path(), &serve, &settings).output().unwrap());
        assert_eq!(refused.code, Some(1), "{setting} {refused:?}");
    }
    let mut command = vigie();
    command.arg("check-config").arg("--data").arg(&beneath);
    let checked = Run::of(command.output().unwrap());
    assert!(checked.failed().starts_with("store.data: "), "{checked:?}");
}

#[test]
fn risky_email_settings_are_warned_about() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let folder = TempDir::new().unwrap();
    let warns = |settings: &str| {
        let serve = ["serve", "--listen", &listen];
        let refused = Run::of(with_settings(folder.path(), &serve, settings).output().unwrap());
        assert!(refused.failed().contains("cannot listen"), "{refused:?}");
        let checked = Run::of(with_settings(folder.path(), &["check-config"], settings).output().unwrap());
        checked.succeeded();
        let of = |setting: &str| {
            let in_both = [&refused.err, &checked.err].map(|text| text.contains(&format!("{setting} is ")));
            assert_eq!(in_both[0], in_both[1], "{refused:?} {checked:?}");
            in_both[0]
        };
        (of("email.public_url"), of("email.from"))
    };
    assert_eq!(warns(""), (false, false));
    assert_eq!(warns("[email]\ntransport = \"smtp\"\n"), (true, true));
    let good = "[email]\ntransport = \"smtp\"\nfrom = \"a@agence.example\"\npublic_url = \"https://vigie.example\"\n";
    assert_eq!(warns(good), (false, false));
}
