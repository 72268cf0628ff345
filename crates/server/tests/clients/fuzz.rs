//! Schemathesis sends generated requests, valid and not, to every operation of the OpenAPI document, and checks every answer: no
//! server error, nothing that the document does not describe. `cargo xtask fuzz-api` runs it for longer.

use std::process::Command;

use testkit::{python, random};

use crate::service::{Service, output, repository};

/// The number of generated requests to each operation, of each kind. Set by the long run.
const EXAMPLES: &str = "VIGIE_FUZZ_EXAMPLES";

/// Runs the fuzzer against a server with some adverts and a search, as its user (or without a key), and prints its report if it
/// finds something.
fn fuzz(with_key: bool) {
    // The long run also tries the limits of every parameter, and sequences of operations.
    // The short one is the same every time: it guards against drift, and searches for nothing new.
    let (phases, examples, seed) = match std::env::var(EXAMPLES) {
        Ok(examples) => ("examples,coverage,fuzzing,stateful", examples, random::seed()),
        Err(_) => ("examples,fuzzing", "5".to_owned(), 1),
    };
    // Nothing may leave this machine: no name is resolved, and connections start at an address that leads nowhere else.
    let service = Service::start_with(&[
        ("VIGIE_DELIVERY__DNS_SERVERS", "127.0.0.1:9"),
        ("VIGIE_DELIVERY__SOURCE_ADDRESS", "127.0.0.1"),
    ]);
    service.fill();
    let python = python::with_file(&repository("crates/server/tests/clients/programs/requirements.txt"));
    let mut command = Command::new(python.with_file_name("schemathesis"));
    command.arg("--config-file").arg(repository("crates/server/tests/clients/programs/schemathesis.toml"));
    command.arg("run").arg(format!("{}/docs.json", service.url()));
    command.args(["--phases", phases, "--max-examples", &examples, "--seed", &seed.to_string()]);
    // All failures at once, and none made smaller: that takes minutes. A busy machine is no failure.
    command.args(["--continue-on-failure", "--no-shrink", "--no-color", "--suppress-health-check", "all"]);
    if with_key {
        command.args(["--header", &format!("X-API-KEY: {}", service.key())]);
    }
    println!("{}", output(command.current_dir(service.folder())));
    assert_eq!(service.stop(), Vec::<String>::new());
}

#[test]
fn fuzzed_requests_with_a_key_get_described_answers() {
    fuzz(true);
}

#[test]
fn fuzzed_requests_without_a_key_get_described_answers() {
    fuzz(false);
}
