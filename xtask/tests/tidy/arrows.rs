//! Which of our crates may depend on which. The picture in ARCHITECTURE.md is this list, drawn.

use crate::finding::{self, Finding};
use crate::manifest::{self, Kind};
use crate::tree::Tree;

/// One of our crates, and what it may depend on, each with the reason. Anything else is a crossed layer.
struct Crate {
    name: &'static str,
    exists: Exists,
    arrows: &'static [(&'static str, &'static str)],
}

#[derive(PartialEq, Eq)]
enum Exists {
    Now,
    /// Planned; arrows to and from it are agreed already.
    Later,
}

const CRATES: &[Crate] = &[
    Crate { name: "domain", exists: Exists::Now, arrows: &[] },
    Crate {
        name: "engine",
        exists: Exists::Now,
        arrows: &[("domain", "it indexes properties and judges them by the domain's criteria")],
    },
    Crate {
        name: "store",
        exists: Exists::Now,
        arrows: &[("domain", "it keeps the domain's values, in shapes of its own")],
    },
    Crate {
        name: "wire",
        exists: Exists::Now,
        arrows: &[("domain", "it spells the domain's values for clients")],
    },
    Crate {
        name: "delivery",
        exists: Exists::Now,
        arrows: &[("domain", "it carries out the attempts the domain decides on")],
    },
    Crate {
        name: "places",
        exists: Exists::Now,
        arrows: &[("domain", "the types of places are there, so that nobody needs the data to hold a city")],
    },
    Crate {
        name: "world",
        exists: Exists::Now,
        arrows: &[("domain", "what it makes up are drafts as the domain takes them")],
    },
    Crate {
        name: "app",
        exists: Exists::Now,
        arrows: &[
            ("domain", "it carries out the domain's decisions"),
            ("engine", "it keeps the index in step with the store"),
            ("store", "it makes decisions durable"),
            ("delivery", "it hands over what is due"),
            ("places", "an advert is placed when it is taken in"),
            ("wire", "it renders documents and webhook payloads"),
        ],
    },
    Crate {
        name: "server",
        exists: Exists::Now,
        arrows: &[
            ("app", "handlers and commands call its use cases"),
            ("engine", "handlers put their questions to the view that app hands out"),
            ("wire", "what comes in and goes out is spelled there"),
            ("domain", "use cases speak in its types"),
            ("store", "the process opens the store it was configured with and hands it to app"),
            ("places", "the process loads the geography and hands it to app"),
            ("world", "the demo shows a generated market"),
            ("delivery", "the process makes the sender it was configured with and hands it to app"),
        ],
    },
    Crate {
        name: "testkit",
        exists: Exists::Now,
        arrows: &[
            ("domain", "it builds the domain's values"),
            ("world", "tests at scale draw from the same market as the demo"),
        ],
    },
    Crate { name: "bench", exists: Exists::Now, arrows: ANYTHING },
    Crate { name: "xtask", exists: Exists::Now, arrows: &[] },
];

/// It measures whatever there is to measure, and nobody depends on it.
const ANYTHING: &[(&str, &str)] = &[];

/// What any crate may use in its tests beside its own arrows.
const IN_TESTS: &[(&str, &str)] = &[
    ("testkit", "made for it, and for nothing else"),
    ("world", "a market that is plausible, large and the same every time"),
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
                (to, _) if !known(to) => true, // somebody else's
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
fn crates_depend_only_along_the_arrows() {
    let rule = "Our crates depend on each other only along the arrows of xtask/tests/tidy/arrows.rs. Move the code to the \
                side that may know the other, or, if the picture itself is to change, write a decision record.";
    finding::none(rule, &check(Tree::here(), CRATES));
}

#[test]
fn every_other_arrow_is_found() {
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
fn tests_may_use_what_is_made_for_them() {
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
fn the_list_and_the_crates_are_in_step() {
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
