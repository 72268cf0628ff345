//! Schemathesis sends generated requests, valid and not, to every operation of the OpenAPI document, and checks every answer: no
//! server error, nothing that the document does not describe. `cargo xtask fuzz-api` runs it for longer.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use testkit::{python, random};

use crate::service::{Service, output, repository};

/// The number of generated requests to each operation, of each kind. Set by the long run.
const EXAMPLES: &str = "VIGIE_FUZZ_EXAMPLES";

/// Runs the fuzzer against a server with some adverts and a search, as its user (or without a key), and prints its report if it
/// finds something.
fn fuzz(with_key: bool) {
    // The long run also tries the limits of every parameter, and sequences of operations.
    // The short one is the same every time: it guards against drift, and searches for nothing new.
    let long = std::env::var(EXAMPLES).ok();
    let (phases, examples, seed) = match &long {
        Some(examples) => ("examples,coverage,fuzzing,stateful", examples.as_str(), random::seed()),
        None => ("examples,fuzzing", "5", 1),
    };
    // Nothing may leave this machine: no name is resolved, and connections start at an address that leads nowhere else.
    let service = Service::start_with(&[
        ("VIGIE_DELIVERY__DNS_SERVERS", "127.0.0.1:9"),
        ("VIGIE_DELIVERY__SOURCE_ADDRESS", "127.0.0.1"),
    ]);
    service.fill();
    let python = python::with_file(&repository("crates/server/tests/clients/programs/requirements.txt"));
    let mut command = Command::new(python.with_file_name("schemathesis"));
    command.arg("--config-file").arg(configuration(&service, long.is_some()));
    command.arg("run").arg(format!("{}/docs.json", service.url()));
    command.args(["--phases", phases, "--max-examples", examples, "--seed", &seed.to_string()]);
    // All failures at once, and none made smaller: that takes minutes. A busy machine is no failure.
    command.args(["--continue-on-failure", "--no-shrink", "--no-color", "--suppress-health-check", "all"]);
    command.args(["--request-timeout", "60"]);
    if with_key {
        command.args(["--header", &format!("X-API-KEY: {}", service.key())]);
    }
    println!("{}", output(command.current_dir(service.folder())));
    // Otherwise most requests were sent without a valid key.
    let keys = get(&service, "/keys");
    assert_eq!(keys["@type"], "hydra:Collection", "the key of the run is still valid");
    assert_eq!(service.stop(), Vec::<String>::new());
}

/// Writes the configuration of a run: what is the same for all, and ids of this server.
fn configuration(service: &Service, knows_ids: bool) -> PathBuf {
    let file = repository("crates/server/tests/clients/programs/schemathesis.toml");
    let mut text = std::fs::read_to_string(file).unwrap();
    // A run that revokes or limits its own key tests nothing after that.
    output(service.command().args(["keys", "create", "--user", "other", "--scopes", "read"]));
    let keys = get(service, "/keys");
    let other = keys["hydra:member"].as_array().unwrap().iter().find(|key| key["user"] == "other").unwrap();
    write!(
        text,
        "\n[[operations]]\ninclude-path = \"/keys/{{id}}\"\ninclude-method = [\"DELETE\", \"PUT\"]\nparameters.\"path.id\" = {}\n",
        other["id"]
    )
    .unwrap();
    if knows_ids {
        for (paths, parameter, ids) in known_ids(service) {
            assert!(!ids.is_empty(), "{paths}");
            let name =
                parameter.to_owned() + &paths.replace(|letter: char| !letter.is_ascii_alphabetic(), "");
            write!(
                text,
                "\n[dictionaries.{name}]\nvalues = {}\n\n[[operations]]\ninclude-path-regex = {:?}\n\
                 parameters.\"path.{parameter}\" = {{ dictionary = {name:?}, probability = 0.5 }}\n",
                json!(ids),
                format!("^{paths}/[{{]{parameter}[}}]"),
            )
            .unwrap();
        }
    }
    let path = service.folder().join("schemathesis.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// Ids that exist, with the paths and the parameter that take them. Generated ones hardly ever exist.
fn known_ids(service: &Service) -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let members = |path: &str| get(service, path)["hydra:member"].as_array().unwrap().clone();
    let id = |member: &Value| Value::from(member["@id"].as_str().unwrap().rsplit('/').next().unwrap());
    let ids = |path: &str| members(path).iter().map(id).collect();
    let properties = members("/documents/properties");
    let adverts = properties.iter().flat_map(|property| property["adverts"].as_array().unwrap());
    vec![
        ("/adverts", "uuid", adverts.map(|advert| advert["uuid"].clone()).collect()),
        ("/(documents/)?properties", "id", properties.iter().map(id).collect()),
        ("/searches", "id", ids("/searches")),
        ("/(cities|departments|regions)", "id", ["37261", "75056", "37", "2A", "24"].map(Value::from).into()),
        ("/stations", "id", ids("/public/location-autocomplete?type=station&search=Montparnasse")),
        ("/sites", "id", members("/sites").iter().map(|site| site["id"].clone()).collect()),
    ]
}

fn get(service: &Service, path: &str) -> Value {
    let mut curl = Command::new("curl");
    curl.args(["-sS", "--globoff", &format!("{}{path}", service.url())]);
    let answer = output(curl.args(["-H", &format!("X-API-KEY: {}", service.key())]));
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn fuzzed_requests_with_a_key_get_described_answers() {
    fuzz(true);
}

#[test]
fn fuzzed_requests_without_a_key_get_described_answers() {
    fuzz(false);
}
