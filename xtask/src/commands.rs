//! The commands. To add one, add a row to [`COMMANDS`] and a function.

use crate::bare;
use crate::failure::Failure;
use crate::step::Step;
use crate::tools;

pub struct Command {
    pub name: &'static str,
    /// The arguments in the help text. If empty, the command takes none.
    pub arguments: &'static str,
    pub about: &'static str,
    pub run: fn(&[String]) -> Result<(), Failure>,
}

/// In the order in which a new contributor needs them.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "check",
        arguments: "",
        about: "Check format, lints and documentation, with warnings as errors.",
        run: check,
    },
    Command {
        name: "test",
        arguments: "[ARGS]",
        about: "Run all tests; ARGS are passed to `cargo test`.",
        run: test,
    },
    Command {
        name: "ci",
        arguments: "",
        about: "Run what CI runs: check, test, and deny and advisories if cargo-deny is installed.",
        run: ci,
    },
    Command {
        name: "demo",
        arguments: "[ARGS]",
        about: "Run the service with a generated market; ARGS are passed to `vigie demo`.",
        run: demo,
    },
    Command {
        name: "bench",
        arguments: "NAME [ARGS]",
        about: "Run the benchmark NAME against its peers; `bench help` lists the names.",
        run: bench,
    },
    Command {
        name: "crash",
        arguments: "[KILLS]",
        about: "Kill the server KILLS times (1000) during work, and check that nothing is lost.",
        run: crash,
    },
    Command {
        name: "nodes",
        arguments: "[SECONDS]",
        about: "Kill servers on PostgreSQL, and PostgreSQL, for SECONDS (600); nothing may be lost.",
        run: nodes,
    },
    Command {
        name: "patroni",
        arguments: "[SECONDS]",
        about: "Do the same on a Patroni cluster, with failovers, for SECONDS (600).",
        run: patroni,
    },
    Command {
        name: "log",
        arguments: "[ENTRIES]",
        about: "Let 64 writers append ENTRIES (1000000) to the log on PostgreSQL.",
        run: log,
    },
    Command {
        name: "deliveries",
        arguments: "[COUNT]",
        about: "Kill the server while it delivers COUNT webhooks (100000); all must arrive.",
        run: deliveries,
    },
    Command {
        name: "postgres",
        arguments: "",
        about: "Run the tests of the store, the workers and the server on PostgreSQL.",
        run: postgres,
    },
    Command {
        name: "differential",
        arguments: "[CASES]",
        about: "Compare index, percolator and explainer with a plain scan, CASES times (100000).",
        run: differential,
    },
    Command {
        name: "fuzz-api",
        arguments: "[EXAMPLES]",
        about: "Send generated requests to every operation, EXAMPLES each (300), and check the answers.",
        run: fuzz_api,
    },
    Command {
        name: "grouping",
        arguments: "[ADVERTS]",
        about: "Group ADVERTS adverts (50000) with hard cases, and print precision and recall by kind.",
        run: grouping,
    },
    Command {
        name: "describe",
        arguments: "",
        about: "Record the examples of the API, its OpenAPI document and its reference pages again.",
        run: describe,
    },
    Command {
        name: "screenshots",
        arguments: "",
        about: "Take pictures of the console from the demo, into docs/screenshots.",
        run: screenshots,
    },
    Command {
        name: "bare",
        arguments: "[FOLDER]",
        about: "Run CI and the demo in a minimal Debian kept in FOLDER (target/bare); needs root.",
        run: bare::run,
    },
    Command {
        name: "snapshots",
        arguments: "",
        about: "Review snapshots changed by the tests.",
        run: snapshots,
    },
    Command {
        name: "deny",
        arguments: "",
        about: "Check licences, duplicates and sources of the dependencies (deny.toml).",
        run: deny,
    },
    Command {
        name: "advisories",
        arguments: "",
        about: "Check the dependencies for known vulnerabilities (RUSTSEC); needs the network.",
        run: advisories,
    },
];

const KILLS_DEFAULT: &str = "1000";
const LOG_ENTRIES_DEFAULT: &str = "1000000";
const NODES_SECONDS_DEFAULT: &str = "600";
const PATRONI_SECONDS_DEFAULT: &str = "600";
const DELIVERIES_DEFAULT: &str = "100000";
const DIFFERENTIAL_CASES_DEFAULT: &str = "100000";
const FUZZ_EXAMPLES_DEFAULT: &str = "300";
const GROUPING_ADVERTS_DEFAULT: &str = "50000";
const GROUPING_SEED: &str = "1";

fn check(_: &[String]) -> Result<(), Failure> {
    Step::cargo(["fmt", "--all", "--check"]).run()?;
    Step::cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run()?;
    // Private items as well, to check their links. Only contributors read these pages.
    Step::cargo(["doc", "--workspace", "--no-deps", "--document-private-items"])
        .with("RUSTDOCFLAGS", "-D warnings")
        .run()
}

fn test(arguments: &[String]) -> Result<(), Failure> {
    tools::check()?;
    Step::cargo(["test", "--workspace"]).and(arguments).run()
}

fn ci(_: &[String]) -> Result<(), Failure> {
    check(&[])?;
    test(&[])?;
    if !has_deny() {
        eprintln!(
            "\nskipped: `cargo xtask deny` and `cargo xtask advisories` need cargo-deny; `{DENY_INSTALL}` installs it"
        );
        return Ok(());
    }
    deny(&[])?;
    if fetch_advisories().run().is_err() {
        eprintln!(
            "\nskipped: known vulnerabilities (RUSTSEC) were not checked, because their database cannot be fetched; \
             run `cargo xtask advisories` with a network"
        );
        return Ok(());
    }
    check_advisories().run()
}

fn demo(arguments: &[String]) -> Result<(), Failure> {
    Step::cargo(["run", "--release", "--", "demo"]).and(arguments).run()
}

fn bench(arguments: &[String]) -> Result<(), Failure> {
    if arguments.is_empty() {
        return Err(Failure::Arguments {
            expected: "the name of a benchmark; `cargo xtask bench help` lists them",
        });
    }
    // Both packages: some benchmarks start the server program in their own folder.
    Step::cargo(["build", "--release", "--package", "server", "--package", "bench"]).run()?;
    Step::cargo(["run", "--release", "--package", "bench", "--"]).and(arguments).run()
}

/// Returns the only argument, which must be a number, or the default.
fn number<'a>(
    arguments: &'a [String],
    default: &'static str,
    expected: &'static str,
) -> Result<&'a str, Failure> {
    match arguments {
        [] => Ok(default),
        [number] if number.parse::<u64>().is_ok() => Ok(number),
        _ => Err(Failure::Arguments { expected }),
    }
}

/// In a release build, so that much happens between two kills.
fn crash(arguments: &[String]) -> Result<(), Failure> {
    let kills = number(arguments, KILLS_DEFAULT, "the number of kills")?;
    Step::cargo(["test", "--release", "--package", "server", "--test", "crash", "--", "--nocapture"])
        .with("VIGIE_CRASH_KILLS", kills)
        .run()
}

/// In a release build, so that much happens between two kills.
fn nodes(arguments: &[String]) -> Result<(), Failure> {
    let seconds = number(arguments, NODES_SECONDS_DEFAULT, "the number of seconds")?;
    tools::check()?;
    let test =
        ["test", "--release", "--package", "server", "--test", "crash", "--", "--nocapture", "nodes::"];
    Step::cargo(test).with("VIGIE_NODES_SECONDS", seconds).run()
}

/// In a release build, so that much happens between two failovers. One after the other: each test has a cluster of its own.
fn patroni(arguments: &[String]) -> Result<(), Failure> {
    let seconds = number(arguments, PATRONI_SECONDS_DEFAULT, "the number of seconds")?;
    tools::check()?;
    tools::check_patroni()?;
    Step::cargo(["test", "--release", "--package", "server", "--features", "patroni-tests"])
        .and(&["--test", "crash", "--", "--nocapture", "--test-threads=1", "patroni::"].map(str::to_owned))
        .with("VIGIE_PATRONI_SECONDS", seconds)
        .run()
}

fn log(arguments: &[String]) -> Result<(), Failure> {
    let entries = number(arguments, LOG_ENTRIES_DEFAULT, "the number of entries")?;
    tools::check()?;
    let test =
        ["test", "--release", "--package", "store", "--test", "postgres", "--", "--nocapture", "log::"];
    Step::cargo(test).with("VIGIE_LOG_ENTRIES", entries).run()
}

/// In a release build, so that much happens between two kills.
fn deliveries(arguments: &[String]) -> Result<(), Failure> {
    let count = number(arguments, DELIVERIES_DEFAULT, "the number of deliveries")?;
    Step::cargo([
        "test",
        "--release",
        "--package",
        "server",
        "--test",
        "crash",
        "--",
        "--nocapture",
        "arrives",
    ])
    .with("VIGIE_CRASH_DELIVERIES", count)
    .run()
}

/// `vigie backup` copies the file of the embedded database, and refuses to work on another one.
const EMBEDDED_ONLY: &[&str] = &[
    "cli::backup::restored_copy_holds_its_deliveries",
    "cli::backup::running_server_is_backed_up_and_restored_elsewhere",
];

/// Everything that uses a store, except what is about the files of the embedded database: backups, and the demo, with which the console
/// is tested.
fn postgres(_: &[String]) -> Result<(), Failure> {
    tools::check()?;
    Step::cargo(["test", "--package", "store", "--test", "contract", "--test", "postgres"]).run()?;
    Step::cargo(["test", "--package", "app"]).with("VIGIE_TEST_POSTGRES", "1").run()?;
    let skipped = EMBEDDED_ONLY.iter().flat_map(|name| ["--skip", name]).map(str::to_owned);
    Step::cargo(["test", "--package", "server", "--test", "it", "--"])
        .and(&skipped.collect::<Vec<_>>())
        .with("VIGIE_TEST_POSTGRES", "1")
        .run()?;
    let others = ["--test", "attacks", "--test", "clients", "--test", "pages"];
    Step::cargo(["test", "--package", "server"])
        .and(&others.map(str::to_owned))
        .with("VIGIE_TEST_POSTGRES", "1")
        .run()?;
    // Fewer kills: a server waits for the leases of the one before.
    let crash = ["test", "--package", "server", "--test", "crash", "--", "--nocapture", "--skip", "nodes::"];
    Step::cargo(crash)
        .with("VIGIE_TEST_POSTGRES", "1")
        .with("VIGIE_CRASH_KILLS", "20")
        .with("VIGIE_CRASH_DELIVERIES", "2000")
        .run()
}

fn differential(arguments: &[String]) -> Result<(), Failure> {
    let cases = number(arguments, DIFFERENTIAL_CASES_DEFAULT, "the number of cases")?;
    Step::cargo(["test", "--release", "--package", "engine", "--test", "differential", "--", "--nocapture"])
        .with("VIGIE_DIFFERENTIAL_CASES", cases)
        .with("VIGIE_PERCOLATOR_CASES", cases)
        .with("VIGIE_EXPLAIN_CASES", cases)
        .run()
}

/// In a release build, so that the server is not what takes the time.
fn fuzz_api(arguments: &[String]) -> Result<(), Failure> {
    let examples = number(arguments, FUZZ_EXAMPLES_DEFAULT, "the number of examples")?;
    tools::check()?;
    Step::cargo([
        "test",
        "--release",
        "--package",
        "server",
        "--test",
        "clients",
        "--",
        "--nocapture",
        "fuzz",
    ])
    .with("VIGIE_FUZZ_EXAMPLES", examples)
    .run()
}

/// Passes further arguments to the benchmark, such as `--check` and `--examples`.
fn grouping(arguments: &[String]) -> Result<(), Failure> {
    let (adverts, rest) = match arguments {
        [adverts, rest @ ..] if adverts.parse::<u64>().is_ok() => (adverts.as_str(), rest),
        rest if rest.first().is_none_or(|first| first.starts_with("--")) => (GROUPING_ADVERTS_DEFAULT, rest),
        _ => return Err(Failure::Arguments { expected: "the number of adverts" }),
    };
    let command = ["run", "--release", "--package", "bench", "--", "grouping-quality", "--adverts", adverts];
    Step::cargo(command).and(&["--seed".to_owned(), GROUPING_SEED.to_owned()]).and(rest).run()
}

/// The examples first: the document contains them.
fn describe(_: &[String]) -> Result<(), Failure> {
    let examples = ["test", "--package", "server", "--test", "it", "examples_are_real_answers"];
    Step::cargo(examples).with("VIGIE_RECORD", "1").run()?;
    Step::cargo(["test", "--package", "description"]).with("VIGIE_RECORD", "1").run()
}

fn screenshots(_: &[String]) -> Result<(), Failure> {
    tools::check()?;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/screenshots");
    let pictures = ["test", "--release", "--package", "server", "--test", "console", "pages_can_be_pictured"];
    Step::cargo(pictures).with("SCREENSHOTS_FOLDER", folder).run()
}

fn snapshots(_: &[String]) -> Result<(), Failure> {
    if Step::cargo(["insta", "--version"]).succeeds() {
        return Step::cargo(["insta", "test", "--workspace", "--review"]).run();
    }
    let accept = Step::cargo(["test", "--workspace"]).with("INSTA_UPDATE", "always");
    eprintln!(
        "cargo-insta shows each change for review; `cargo install cargo-insta --locked` installs it.\n\
         Without it, accept all changes and review the diff:\n\n  {accept}\n  git diff -- '*.snap'"
    );
    Ok(())
}

const DENY_INSTALL: &str = "cargo install cargo-deny --locked";

fn has_deny() -> bool {
    Step::cargo(["deny", "--version"]).succeeds()
}

/// Runs cargo-deny without advisories, which need the network. See `deny.toml`.
fn deny(_: &[String]) -> Result<(), Failure> {
    if !has_deny() {
        return Err(Failure::Missing { tool: "cargo-deny", install: DENY_INSTALL });
    }
    Step::cargo(["deny", "--workspace", "check", "bans", "licenses", "sources"]).run()
}

fn fetch_advisories() -> Step {
    Step::cargo(["deny", "--workspace", "fetch", "db"])
}

/// With the database that was just fetched.
fn check_advisories() -> Step {
    Step::cargo(["deny", "--workspace", "check", "--disable-fetch", "advisories"])
}

fn advisories(_: &[String]) -> Result<(), Failure> {
    if !has_deny() {
        return Err(Failure::Missing { tool: "cargo-deny", install: DENY_INSTALL });
    }
    fetch_advisories().run()?;
    check_advisories().run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_needs_a_name() {
        assert!(matches!(bench(&[]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn kills_must_be_a_number() {
        assert!(matches!(crash(&["often".to_owned()]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn seconds_must_be_a_number() {
        assert!(matches!(patroni(&["long".to_owned()]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn deliveries_must_be_a_number() {
        assert!(matches!(deliveries(&["all".to_owned()]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn cases_must_be_a_number() {
        assert!(matches!(differential(&["many".to_owned()]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn examples_must_be_a_number() {
        assert!(matches!(fuzz_api(&["long".to_owned()]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn adverts_to_group_must_be_a_number() {
        assert!(matches!(grouping(&["many".to_owned()]), Err(Failure::Arguments { .. })));
    }
}
