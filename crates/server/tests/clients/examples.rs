//! The example programs tell the whole story: key, ingest, search, all pages, saved search, verified webhook.

use std::path::PathBuf;

use testkit::{node, python};

use crate::service::{Service, output, repository};

/// What every example prints. Ids are masked.
pub const STORY: &str = "\
sent 12 adverts: created
found 12 properties, the cheapest for 185000 €
saved the search /searches/ID
received a match: Deux pièces, balcon plein sud
deleted the search and the adverts
";

/// Replaces the ids of searches.
pub fn masked(printed: &str) -> String {
    let mask = |line: &str| match line.split_once("/searches/") {
        Some((before, _)) => format!("{before}/searches/ID\n"),
        None => format!("{line}\n"),
    };
    printed.lines().map(mask).collect()
}

/// Checks the types of the TypeScript example against those that `openapi-typescript` makes from the document of the service, and
/// compiles it: Node.js runs TypeScript only from version 22.18 on.
fn javascript(service: &Service) -> PathBuf {
    let tools = node::with(&repository("crates/server/tests/clients/programs"));
    let (source, out) = (service.folder().join("typescript"), service.folder().join("javascript"));
    std::fs::create_dir_all(&source).unwrap();
    for name in ["package.json", "story.ts", "tsconfig.json"] {
        std::fs::copy(repository("examples/typescript").join(name), source.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(tools.folder().join("node_modules"), source.join("node_modules")).unwrap();
    let document = format!("{}/docs.json", service.url());
    output(
        tools.command("openapi-typescript").args([&document, "--output", "vigie.d.ts"]).current_dir(&source),
    );
    output(tools.command("tsc").arg("--outDir").arg(&out).current_dir(&source));
    std::fs::copy(source.join("package.json"), out.join("package.json")).unwrap();
    out.join("story.js")
}

#[test]
fn examples_tell_the_whole_story_and_report_errors() {
    let service = Service::start();
    let javascript = javascript(&service);
    let programs = || {
        let (mut python, shell) = (service.client(python::plain()), repository("examples/shell/story.sh"));
        python.arg(repository("examples/python/story.py"));
        let mut node = service.client(node::plain());
        node.arg(&javascript);
        [python, service.client(shell), node]
    };
    for mut program in programs() {
        assert_eq!(masked(&output(&mut program)), STORY, "{program:?}");
    }
    for mut program in programs() {
        let ended = program.env("API_KEY", "vigie_unknown").output().unwrap();
        let printed = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && printed.contains("POST /adverts: 401 "), "{program:?}: {printed}");
    }
    assert_eq!(service.stop(), Vec::<String>::new());
}
