use super::*;

fn problems(sources: Sources) -> Vec<String> {
    Config::load(sources).expect_err("refused").iter().map(ToString::to_string).collect()
}

#[test]
fn documented_defaults_are_used() {
    let config = Config::load(Sources::defaults()).unwrap();
    assert_eq!(config.listen, "127.0.0.1:8080".parse().unwrap());
    assert_eq!(config.limits.body_bytes_max, 16 * 1024 * 1024);
    assert_eq!(config.expire_after, None);
    assert!(config.grouping.automatic);
}

#[test]
fn automatic_grouping_can_be_turned_off() {
    let variable = |value: &str| {
        let variables = [("VIGIE_GROUPING__AUTOMATIC".to_owned(), value.to_owned())];
        Sources::defaults().file("f", "[grouping]\nautomatic = false\n").environment(variables)
    };
    let file = Sources::defaults().file("f", "[grouping]\nautomatic = false\n");
    assert!(!Config::load(file).unwrap().grouping.automatic);
    assert!(Config::load(variable("true")).unwrap().grouping.automatic);
    assert_eq!(
        problems(variable("off")),
        ["grouping.automatic (variable VIGIE_GROUPING__AUTOMATIC): \"off\" is not true or false"]
    );
}

#[test]
fn flags_override_variables_override_the_file() {
    let file = "[server]\nlisten = \"127.0.0.1:1\"\n[limits]\nrequest_timeout = \"5m\"\nrequests_max = 7\n";
    let variables =
        [("VIGIE_SERVER__LISTEN", "127.0.0.1:2"), ("VIGIE_LIMITS__REQUEST_TIMEOUT", "1h"), ("HOME", "/x")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let sources = Sources::defaults().file("vigie.toml", file).environment(variables).flag(
        "--listen",
        "server.listen",
        Some("127.0.0.1:3".to_owned()),
    );
    let config = Config::load(sources).unwrap();
    assert_eq!(config.listen.port(), 3);
    assert_eq!(config.limits.request_timeout, Duration::from_secs(3_600));
    assert_eq!(config.limits.requests_max, 7);
}

#[test]
fn all_problems_are_reported_together_with_their_origin() {
    let file = "[server]\nlisten = \"nowhere\"\n[limits]\nbody_bytes_max = \"big\"\nspeed = 3\n";
    let variables = [("VIGIE_LOG__LEVLE".to_owned(), "info".to_owned())];
    let reported = problems(Sources::defaults().file("vigie.toml", file).environment(variables));
    assert_eq!(
        reported,
        [
            "server.listen (file vigie.toml): \"nowhere\" is not an address such as 127.0.0.1:8080",
            "limits.body_bytes_max (file vigie.toml): \"big\" is not a size such as 65536, 64KiB or 16MiB",
            "limits.speed (file vigie.toml): unknown setting",
            "log.levle (variable VIGIE_LOG__LEVLE): unknown setting",
        ]
    );
}

#[test]
fn one_body_must_fit_into_half_of_the_total() {
    let limits = |total: &str| {
        Sources::defaults().file("f", &format!("[limits]\nbody_bytes_total_max = \"{total}\"\n"))
    };
    assert_eq!(
        problems(limits("31MiB")),
        ["limits.body_bytes_total_max (file f): is less than twice limits.body_bytes_max"]
    );
    assert!(Config::load(limits("32MiB")).is_ok());
}

#[test]
fn zero_turns_the_limit_of_an_address_off() {
    let file = "[limits]\nconnections_per_address_max = 0\n";
    let config = Config::load(Sources::defaults().file("f", file)).unwrap();
    assert_eq!(config.limits.connections_per_address_max, 0);
}

#[test]
fn invalid_toml_names_the_file() {
    let reported = problems(Sources::defaults().file("vigie.toml", "[server\n"));
    assert!(reported[0].starts_with("file vigie.toml: "), "{reported:?}");
}

#[test]
fn durations_and_sizes_need_a_known_unit() {
    let (duration, bytes) = (value::duration(DAY), value::bytes(MEBIBYTE));
    for wrong in ["", "10", "10 weeks", "-1s", "s", "1.5h"] {
        assert!(duration(wrong).unwrap_err().starts_with("is not a duration"), "{wrong}");
    }
    assert_eq!(duration("90 s"), Ok(Duration::from_secs(90)));
    for wrong in ["", "10k", "0", "-1"] {
        assert!(bytes(wrong).unwrap_err().starts_with("is not a size"), "{wrong}");
    }
    assert_eq!(value::duration_or_off(DAY)("off"), Ok(None));
}

#[test]
fn durations_have_a_minimum_and_a_maximum() {
    let duration = value::duration(30 * DAY);
    assert_eq!(duration("30d"), Ok(30 * DAY));
    assert_eq!(duration("1ms"), Ok(Duration::from_millis(1)));
    for short in ["0s", "0d", "000ms"] {
        assert_eq!(duration(short).unwrap_err(), "is too short: at least 1ms", "{short}");
    }
    for long in ["31d", "721h", "999999999d", "18446744073709551615d", "99999999999999999999999s"] {
        assert_eq!(duration(long).unwrap_err(), "is too long: at most 30d", "{long}");
    }
    assert_eq!(value::duration(36 * value::HOUR)("2d").unwrap_err(), "is too long: at most 36h");
    let reported = value::duration_or_off(DAY)("2d").unwrap_err();
    assert_eq!(reported, "is too long: at most 1d, or \"off\" to disable it");
}

/// A value above the maximum is rejected with the setting, the value and the maximum.
#[test]
fn every_duration_size_and_count_has_a_maximum() {
    let table: toml::Table = DEFAULTS.parse().unwrap();
    let mut bounded = 0;
    for (section, settings) in &table {
        for (key, value) in settings.as_table().unwrap() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let too_much = match value.trim_start_matches(|c: char| c.is_ascii_digit()) {
                "ms" | "s" | "m" | "h" | "d" => "999999999d",
                "KiB" | "MiB" => "999999999GiB",
                _ if ["expire_after", "expired_properties", "shutdown_delay"].contains(&key.as_str()) => {
                    "999999999d"
                }
                "" if key == "query_work_max" => "9999999999999999",
                "" if key.ends_with("_max") => "9999999999",
                _ => continue,
            };
            bounded += 1;
            let reported =
                problems(Sources::defaults().file("f", &format!("[{section}]\n{key} = {too_much:?}\n")));
            let [reported] = reported.as_slice() else { panic!("{reported:?}") };
            let prefix = format!("{section}.{key} (file f): \"{too_much}\" is too ");
            assert!(reported.starts_with(&prefix) && reported.contains(": at most "), "{reported}");
        }
    }
    assert_eq!(bounded, 18 + 7 + 13, "durations, sizes and counts");
}

#[test]
fn smtp_port_and_login_are_validated() {
    let reported = |settings: &str| problems(Sources::defaults().file("f", &format!("[email]\n{settings}")));
    assert_eq!(reported("smtp_port = 0\n"), ["email.smtp_port (file f): \"0\" is not a port such as 587"]);
    assert_eq!(
        reported("smtp_password = \"secret\"\n"),
        ["email.smtp_password (file f): is given without email.smtp_user: give both or neither"]
    );
    assert_eq!(
        reported("smtp_user = \"vigie\"\n"),
        ["email.smtp_user (file f): is given without email.smtp_password: give both or neither"]
    );
    let both = "[email]\nsmtp_user = \"vigie\"\nsmtp_password = \"secret\"\n";
    assert!(Config::load(Sources::defaults().file("f", both)).unwrap().email.smtp.login.is_some());
}

#[test]
fn risky_email_settings_are_warned_about() {
    let warnings = |settings: &str| {
        let email =
            Config::load(Sources::defaults().file("f", &format!("[email]\n{settings}"))).unwrap().email;
        email.warnings().into_iter().map(|warning| warning.setting).collect::<Vec<_>>()
    };
    assert!(warnings("").is_empty(), "e-mail is off");
    assert!(warnings("transport = \"folder\"\n").is_empty(), "no e-mail is sent");
    assert_eq!(warnings("transport = \"smtp\"\n"), ["email.public_url", "email.from"]);
    let from = "transport = \"smtp\"\nfrom = \"Vigie <vigie@agence.example>\"\n";
    assert_eq!(warnings(from), ["email.public_url"]);
    assert_eq!(warnings(&format!("{from}public_url = \"http://vigie.example\"\n")), ["email.public_url"]);
    assert!(warnings(&format!("{from}public_url = \"https://vigie.example\"\n")).is_empty());
}

#[test]
fn public_url_must_allow_unsubscribe_links() {
    let given =
        |url: &str| Config::load(Sources::defaults().file("f", &format!("[email]\npublic_url = {url:?}\n")));
    for good in [
        "http://127.0.0.1:8080",
        "https://vigie.example",
        "https://vigie.example/",
        "https://a.example/alertes",
    ] {
        assert!(given(good).is_ok(), "{good}");
    }
    let long = format!("https://vigie.example/{}", "a".repeat(2_000));
    for bad in [
        "",
        "vigie.example",
        "ftp://vigie.example",
        "https://",
        "https://[",
        "https://a b",
        "https://a?b=c",
        "https://a#b",
        &long,
    ] {
        assert!(given(bad).is_err(), "{bad}");
    }
}

#[test]
fn backup_settings_are_validated() {
    let reported = |settings: &str| problems(Sources::defaults().file("f", &format!("[backup]\n{settings}")));
    assert_eq!(
        reported("target = \"https://x\"\n"),
        ["backup.target (file f): \"https://x\" is not a folder or s3://BUCKET/PREFIX"]
    );
    assert_eq!(
        reported("target = \"one.db\"\n"),
        ["backup.target (file f): is a file: scheduled backups need a folder or s3://BUCKET/PREFIX"]
    );
    assert_eq!(
        reported("target = \"s3://bucket/vigie-20261116T030000Z.db\"\n"),
        ["backup.target (file f): is a file: scheduled backups need a folder or s3://BUCKET/PREFIX"]
    );
    for wrong in ["3:00", "25:00", "03:00:00", "night"] {
        let expected = format!("backup.at (file f): \"{wrong}\" is not a time of day such as 03:00");
        assert_eq!(reported(&format!("at = \"{wrong}\"\n")), [expected]);
    }
    let config = Config::load(Sources::defaults()).unwrap();
    assert_eq!((config.backup.target, config.backup.keep), (None, Some(7)));
    let sources = Sources::defaults().file("f", "[backup]\ns3_secret_access_key = \"secret\"\nkeep = 0\n");
    assert!(sources.print().contains("backup.s3_secret_access_key = (hidden)"));
    assert_eq!(Config::load(sources).unwrap().backup.keep, None);
}

#[test]
fn shared_index_settings_are_validated() {
    let reported = |settings: &str| {
        let postgres = "[store]\ndatabase = \"postgres://localhost/vigie\"\n";
        problems(Sources::defaults().file("f", &format!("{postgres}[index]\n{settings}")))
    };
    for wrong in ["https://x", "s3://", "s3://buck et"] {
        assert_eq!(
            reported(&format!("shared = \"{wrong}\"\n")),
            [format!("index.shared (file f): \"{wrong}\" is not a folder or s3://BUCKET/PREFIX")]
        );
    }
    assert_eq!(
        reported("s3_allow_http = \"yes\"\n"),
        ["index.s3_allow_http (file f): \"yes\" is not true or false"]
    );
    let embedded = problems(Sources::defaults().file("f", "[index]\nshared = \"folder\"\n"));
    assert_eq!(
        embedded,
        [
            "index.shared (file f): is for servers that share a PostgreSQL database (store.database); with the embedded database there is \
          one server, whose snapshots are in its data folder"
        ]
    );
    let sources = Sources::defaults().file("f", "[index]\ns3_secret_access_key = \"secret\"\n");
    assert!(sources.print().contains("index.s3_secret_access_key = (hidden)"));
    assert_eq!(Config::load(sources).unwrap().index.shared, None);
}
