use super::*;

fn problems(sources: Sources) -> Vec<String> {
    Config::load(sources).expect_err("refused").iter().map(ToString::to_string).collect()
}

#[test]
fn the_documented_defaults_are_the_defaults() {
    let config = Config::load(Sources::defaults()).unwrap();
    assert_eq!(config.listen, "127.0.0.1:8080".parse().unwrap());
    assert_eq!(config.limits.body_bytes_max, 16 * 1024 * 1024);
    assert_eq!(config.expire_after, None);
}

#[test]
fn flags_win_over_variables_over_the_file() {
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
fn every_problem_is_reported_at_once_with_its_origin() {
    let file = "[server]\nlisten = \"nowhere\"\n[limits]\nbody_bytes_max = \"big\"\nspeed = 3\n";
    let variables = [("VIGIE_LOG__LEVLE".to_owned(), "info".to_owned())];
    let told = problems(Sources::defaults().file("vigie.toml", file).environment(variables));
    assert_eq!(
        told,
        [
            "server.listen (file vigie.toml): \"nowhere\" is not an address such as 127.0.0.1:8080",
            "limits.body_bytes_max (file vigie.toml): \"big\" is not a size such as 65536, 64KiB or 16MiB",
            "limits.speed (file vigie.toml): there is no such setting",
            "log.levle (variable VIGIE_LOG__LEVLE): there is no such setting",
        ]
    );
}

#[test]
fn a_file_that_is_no_toml_is_named() {
    let told = problems(Sources::defaults().file("vigie.toml", "[server\n"));
    assert!(told[0].starts_with("file vigie.toml: "), "{told:?}");
}

#[test]
fn durations_and_sizes_need_a_unit_that_exists() {
    for wrong in ["", "10", "10 weeks", "-1s", "0s", "s"] {
        assert!(value::duration(wrong).is_err(), "{wrong}");
    }
    assert_eq!(value::duration("90 s"), Ok(Duration::from_secs(90)));
    for wrong in ["", "10k", "0", "-1", "99999999999999999999"] {
        assert!(value::bytes(wrong).is_err(), "{wrong}");
    }
    assert_eq!(value::duration_or_off("off"), Ok(None));
}

#[test]
fn links_of_letters_can_be_made_of_the_public_address() {
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
