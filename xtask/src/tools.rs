//! Tools beside Rust that the tests run: other implementations to compare ours with, clients, and a browser.

use crate::failure::Failure;
use crate::step::Step;

struct Tool {
    name: &'static str,
    is_there: fn() -> Step,
    /// What provides it on Debian.
    packages: &'static [&'static str],
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "Python with virtual environments",
        // Debian packages this module separately, and virtual environments need it.
        is_there: || Step::of("python3", ["-c", "import ensurepip"]),
        packages: &["python3", "python3-venv"],
    },
    Tool {
        name: "Node.js 18 or later",
        // The first version whose `fetch` needs no option.
        is_there: || Step::of("node", ["-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)"]),
        packages: &["nodejs"],
    },
    Tool { name: "npm", is_there: || Step::of("npm", ["--version"]), packages: &["npm"] },
    Tool { name: "curl", is_there: || Step::of("curl", ["--version"]), packages: &["curl"] },
    Tool { name: "jq", is_there: || Step::of("jq", ["--version"]), packages: &["jq"] },
    Tool { name: "OpenSSL", is_there: || Step::of("openssl", ["version"]), packages: &["openssl"] },
    Tool {
        name: "PostgreSQL",
        // Debian keeps the programs of the server out of the search path.
        is_there: || Step::of("sh", ["-c", "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb"]),
        packages: &["postgresql"],
    },
    Tool { name: "Chromium", is_there: || Step::of("chromium", ["--version"]), packages: &["chromium"] },
    Tool {
        name: "the driver of Chromium",
        is_there: || Step::of("chromedriver", ["--version"]),
        packages: &["chromium-driver"],
    },
];

/// What `cargo xtask patroni` needs in addition.
const PATRONI: &[Tool] = &[
    Tool { name: "Patroni", is_there: || Step::of("patroni", ["--version"]), packages: &["patroni"] },
    Tool { name: "etcd", is_there: || Step::of("etcd", ["--version"]), packages: &["etcd-server"] },
];

/// Checks that all tools are there. Root on Debian, as in CI, installs those that are missing; other users get an error that says
/// how.
pub fn check() -> Result<(), Failure> {
    check_all(TOOLS)
}

/// Does the same for Patroni and etcd.
pub fn check_patroni() -> Result<(), Failure> {
    check_all(PATRONI)
}

fn check_all(tools: &[Tool]) -> Result<(), Failure> {
    let missing: Vec<&Tool> = tools.iter().filter(|tool| !(tool.is_there)().succeeds()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|tool| tool.name).collect();
    let packages: Vec<String> =
        missing.iter().flat_map(|tool| tool.packages).map(|name| (*name).to_owned()).collect();
    let failure = || Failure::MissingTools {
        tools: names.join(", "),
        install: format!("apt-get install {}", packages.join(" ")),
    };
    let root = Step::of("id", ["-u"]).output().is_some_and(|user| user == "0");
    if !root || !Step::of("apt-get", ["--version"]).succeeds() {
        return Err(failure());
    }
    Step::of("apt-get", ["update"]).run()?;
    let install = Step::of("apt-get", ["install", "--yes", "--no-install-recommends"]).and(&packages);
    install.with("DEBIAN_FRONTEND", "noninteractive").run()?;
    // An old Debian has an old Node.js.
    match missing.iter().all(|tool| (tool.is_there)().succeeds()) {
        true => Ok(()),
        false => Err(failure()),
    }
}
