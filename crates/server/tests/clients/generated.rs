//! A client in Python that a generator makes from the OpenAPI document. For that in TypeScript see [`crate::examples`].

use std::process::Command;

use testkit::python;

use crate::examples;
use crate::service::{Service, output, repository};

const PROGRAMS: &str = "crates/server/tests/clients/programs";

#[test]
fn generated_python_client_tells_the_whole_story() {
    let service = Service::start();
    let folder = service.folder();
    let programs = repository(PROGRAMS);
    let python = python::with_file(&programs.join("requirements.txt"));
    let document = output(Command::new("curl").args(["-sSf", &format!("{}/docs.json", service.url())]));
    std::fs::write(folder.join("docs.json"), document).unwrap();
    let prepared = Command::new("jq")
        .arg("-f")
        .arg(programs.join("python_client.jq"))
        .arg(folder.join("docs.json"))
        .output()
        .unwrap();
    std::fs::write(folder.join("prepared.json"), prepared.stdout).unwrap();
    let mut generator = Command::new(python.with_file_name("openapi-python-client"));
    generator.args([
        "generate",
        "--path",
        "prepared.json",
        "--output-path",
        "vigie_client",
        "--meta",
        "none",
    ]);
    generator.arg("--config").arg(programs.join("python_client.yaml"));
    output(generator.current_dir(folder));
    let mut story = service.client(&python);
    let modules = [folder.to_owned(), repository("examples/python")];
    story.env("PYTHONPATH", std::env::join_paths(modules).unwrap()).arg(programs.join("generated_story.py"));
    assert_eq!(examples::masked(&output(&mut story)), examples::STORY);
    assert_eq!(service.stop(), Vec::<String>::new());
}
