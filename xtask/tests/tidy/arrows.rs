//! The allowed dependencies between the crates of the workspace. The picture in ARCHITECTURE.md shows the same list.

use crate::finding::{self, Finding};
use crate::manifest::{self, Kind};
use crate::tree::Tree;

/// A crate of the workspace and its allowed dependencies, each with a reason.
struct Crate {
    name: &'static str,
    exists: Exists,
    arrows: &'static [(&'static str, &'static str)],
}

#[derive(PartialEq, Eq)]
enum Exists {
    Now,
    /// Planned, with its arrows.
    Later,
}

const CRATES: &[Crate] = &[
    Crate { name: "domain", exists: Exists::Now, arrows: &[] },
    Crate { name: "feed", exists: Exists::Now, arrows: &[] },
    Crate {
        name: "engine",
        exists: Exists::Now,
        arrows: &[("domain", "it indexes properties and evaluates the criteria of the domain")],
    },
    Crate {
        name: "store",
        exists: Exists::Now,
        arrows: &[("domain", "it stores values of the domain, in its own formats")],
    },
    Crate {
        name: "wire",
        exists: Exists::Now,
        arrows: &[("domain", "it serialises values of the domain for clients")],
    },
    Crate {
        name: "description",
        exists: Exists::Now,
        arrows: &[
            ("domain", "parameters follow from the table of filters, access from the scopes"),
            ("wire", "names and search templates are those of the answers"),
        ],
    },
    Crate {
        name: "delivery",
        exists: Exists::Now,
        arrows: &[("domain", "it makes the attempts that the domain schedules")],
    },
    Crate {
        name: "places",
        exists: Exists::Now,
        arrows: &[("domain", "the types of places are there, so that no other crate needs the data")],
    },
    Crate { name: "world", exists: Exists::Now, arrows: &[("domain", "it generates drafts of the domain")] },
    Crate { name: "local-postgres", exists: Exists::Now, arrows: &[] },
    Crate { name: "objects", exists: Exists::Now, arrows: &[] },
    Crate {
        name: "app",
        exists: Exists::Now,
        arrows: &[
            ("domain", "it executes the decisions of the domain"),
            ("engine", "it keeps the index in sync with the store"),
            ("store", "it makes decisions durable"),
            ("delivery", "it sends due deliveries"),
            ("places", "ingest resolves the place of an advert"),
            ("wire", "the dispatcher renders webhook payloads"),
        ],
    },
    Crate {
        name: "backup",
        exists: Exists::Now,
        arrows: &[
            ("domain", "dates and the clock are its own"),
            ("objects", "backups go to object storage"),
            ("store", "it copies, verifies and restores the database"),
        ],
    },
    Crate {
        name: "server",
        exists: Exists::Now,
        arrows: &[
            ("app", "handlers and commands call its use cases"),
            ("backup", "the commands and the schedule make backups"),
            ("description", "the router and the documentation follow from its tables"),
            ("engine", "handlers build search requests"),
            ("feed", "the import command reads feeds of other formats"),
            ("objects", "the process opens the storage of shared snapshots and passes it to app"),
            ("wire", "requests and responses are parsed and serialised there"),
            ("domain", "use cases take and return its types"),
            ("store", "the process opens the configured store and passes it to app"),
            ("places", "the process loads the geography and passes it to app"),
            ("world", "the demo shows a generated market"),
            ("delivery", "the process creates the configured sender and passes it to app"),
        ],
    },
    Crate {
        name: "test-database",
        exists: Exists::Now,
        arrows: &[
            ("local-postgres", "it creates databases on a server of the tests"),
            ("store", "it opens either kind of database"),
        ],
    },
    Crate {
        name: "testkit",
        exists: Exists::Now,
        arrows: &[
            ("domain", "it builds the domain's values"),
            ("world", "its random generator, and the market of the demo for large tests"),
        ],
    },
    Crate { name: "bench", exists: Exists::Now, arrows: ANYTHING },
    Crate { name: "xtask", exists: Exists::Now, arrows: &[] },
];

/// The benchmarks may use any crate, and no crate depends on them.
const ANYTHING: &[(&str, &str)] = &[];

/// Additional crates that all tests may use.
const IN_TESTS: &[(&str, &str)] = &[
    ("testkit", "it exists for tests"),
    ("world", "a plausible, large and repeatable market"),
    ("local-postgres", "a database server of their own"),
    ("test-database", "the same tests run on both kinds of database"),
];

const FILE: &str = "xtask/tests/tidy/arrows.rs";

fn check(tree: &Tree, crates: &[Crate]) -> Vec<Finding> {
    let packages = manifest::packages(tree);
    let known = |name: &str| crates.iter().any(|it| it.name == name);
    let exists = |name: &str| packages.iter().any(|it| it.name == name);
    let mut findings = Vec::new();
    for package in &packages {
        let (path, name) = (&package.path, &package.name);
        let Some(this) = crates.iter().find(|it| it.name == *name) else {
            findings.push(Finding::of(
                path,
                format!("{name} is a new crate: it needs a decision record and a row in {FILE}"),
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let (to, line) = (dependency.name.as_str(), dependency.line);
            let allowed = match (to, dependency.kind) {
                (to, _) if !known(to) => true, // not in the workspace
                ("bench" | "xtask", _) => false,
                ("testkit", kind) => kind == Kind::Dev,
                _ if this.name == "bench" => true,
                (to, Kind::Dev) if IN_TESTS.iter().any(|(name, _)| *name == to) => this.name != "xtask",
                (to, _) => this.arrows.iter().any(|(name, _)| *name == to),
            };
            if !allowed {
                let kind = if dependency.kind == Kind::Dev { " in its tests" } else { "" };
                findings.push(Finding::at(path, line, format!("{name} must not depend on {to}{kind}")));
            }
        }
    }
    for this in crates {
        match (&this.exists, exists(this.name)) {
            (Exists::Now, false) => {
                findings.push(Finding::of(FILE, format!("{} does not exist: remove its row", this.name)));
            }
            (Exists::Later, true) => {
                findings.push(Finding::of(FILE, format!("{} exists: mark it Exists::Now", this.name)));
            }
            _ => {}
        }
        for (to, _) in this.arrows.iter().filter(|(to, _)| !known(to)) {
            findings.push(Finding::of(FILE, format!("the arrow {} → {to} leads to no crate", this.name)));
        }
    }
    findings
}

#[test]
fn crates_depend_along_the_arrows() {
    let rule = "Crates depend on each other only along the arrows of xtask/tests/tidy/arrows.rs. Move the code to the crate \
                that may use the other or, to change the architecture, write a decision record.";
    finding::none(rule, &check(Tree::here(), CRATES));
}

#[test]
fn other_dependencies_are_found() {
    let crates = [
        Crate { name: "domain", exists: Exists::Now, arrows: &[] },
        Crate { name: "store", exists: Exists::Now, arrows: &[("domain", "")] },
        Crate { name: "testkit", exists: Exists::Now, arrows: &[("domain", "")] },
        Crate { name: "bench", exists: Exists::Now, arrows: ANYTHING },
    ];
    let package = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n{rest}");
    let tree = Tree::of([
        (
            "domain/Cargo.toml",
            &package("domain", "[dependencies]\nstore.workspace = true\nserde.workspace = true"),
        ),
        (
            "store/Cargo.toml",
            &package("store", "[dependencies]\ndomain.workspace = true\ntestkit.workspace = true"),
        ),
        (
            "testkit/Cargo.toml",
            &package("testkit", "[dev-dependencies]\nbench.workspace = true\nstore.workspace = true"),
        ),
        (
            "bench/Cargo.toml",
            &package("bench", "[dependencies]\nstore.workspace = true\ntestkit.workspace = true"),
        ),
    ]);
    finding::exactly(
        &check(&tree, &crates),
        &[
            "bench/Cargo.toml:5: bench must not depend on testkit",
            "domain/Cargo.toml:4: domain must not depend on store",
            "store/Cargo.toml:5: store must not depend on testkit",
            "testkit/Cargo.toml:4: testkit must not depend on bench in its tests",
            "testkit/Cargo.toml:5: testkit must not depend on store in its tests",
        ],
    );
}

#[test]
fn tests_may_use_testkit() {
    let crates = [
        Crate { name: "store", exists: Exists::Now, arrows: &[] },
        Crate { name: "testkit", exists: Exists::Now, arrows: &[] },
    ];
    let tree = Tree::of([
        ("store/Cargo.toml", "[package]\nname = \"store\"\n[dev-dependencies]\ntestkit.workspace = true"),
        ("testkit/Cargo.toml", "[package]\nname = \"testkit\""),
    ]);
    finding::exactly(&check(&tree, &crates), &[]);
}

#[test]
fn the_list_matches_the_crates() {
    let crates = [
        Crate { name: "gone", exists: Exists::Now, arrows: &[("nowhere", "")] },
        Crate { name: "engine", exists: Exists::Later, arrows: &[] },
        Crate { name: "delivery", exists: Exists::Later, arrows: &[("engine", "")] },
    ];
    let tree = Tree::of([
        ("engine/Cargo.toml", "[package]\nname = \"engine\""),
        ("new/Cargo.toml", "[package]\nname = \"new\""),
    ]);
    finding::exactly(
        &check(&tree, &crates),
        &[
            "new/Cargo.toml: new is a new crate: it needs a decision record and a row in xtask/tests/tidy/arrows.rs",
            "xtask/tests/tidy/arrows.rs: gone does not exist: remove its row",
            "xtask/tests/tidy/arrows.rs: the arrow gone → nowhere leads to no crate",
            "xtask/tests/tidy/arrows.rs: engine exists: mark it Exists::Now",
        ],
    );
}
