//! The commands: a name, what it does, and the steps. To add one, add a row and a function.

use crate::failure::Failure;
use crate::step::Step;

pub struct Command {
    pub name: &'static str,
    /// What may follow the name; nothing may if this is empty.
    pub arguments: &'static str,
    pub about: &'static str,
    pub run: fn(&[String]) -> Result<(), Failure>,
}

/// In the order in which a newcomer needs them.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "check",
        arguments: "",
        about: "Format, lints and documentation, with warnings as errors.",
        run: check,
    },
    Command {
        name: "test",
        arguments: "[ARGS]",
        about: "The whole test suite; ARGS go to `cargo test`.",
        run: test,
    },
    Command {
        name: "ci",
        arguments: "",
        about: "Exactly what CI runs: check, test, and deny if it is installed.",
        run: ci,
    },
    Command {
        name: "demo",
        arguments: "[ARGS]",
        about: "The service with a generated market, to look at; ARGS go to `vigie demo`.",
        run: demo,
    },
    Command {
        name: "bench",
        arguments: "NAME [ARGS]",
        about: "One measurement beside its peer, in a release build.",
        run: bench,
    },
    Command {
        name: "crash",
        arguments: "[KILLS]",
        about: "Kill the server KILLS times (1000) in the middle of its work; nothing may be lost.",
        run: crash,
    },
    Command {
        name: "deliveries",
        arguments: "[COUNT]",
        about: "Kill the server while it brings COUNT webhooks (100000); every one must arrive.",
        run: deliveries,
    },
    Command {
        name: "law",
        arguments: "[CASES]",
        about: "Hold index, percolator and explainer to the law in CASES histories (100000).",
        run: law,
    },
    Command {
        name: "snapshots",
        arguments: "",
        about: "Review the snapshots that tests would change.",
        run: snapshots,
    },
    Command {
        name: "deny",
        arguments: "",
        about: "Licences, duplicates and sources of the dependencies, by deny.toml.",
        run: deny,
    },
];

const KILLS_DEFAULT: &str = "1000";
const DELIVERIES_DEFAULT: &str = "100000";
const LAW_CASES_DEFAULT: &str = "100000";

fn check(_: &[String]) -> Result<(), Failure> {
    Step::cargo(["fmt", "--all", "--check"]).run()?;
    Step::cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run()?;
    // Private items, too: their links are to lead somewhere as well, and no others read these pages.
    Step::cargo(["doc", "--workspace", "--no-deps", "--document-private-items"])
        .with("RUSTDOCFLAGS", "-D warnings")
        .run()
}

fn test(arguments: &[String]) -> Result<(), Failure> {
    python()?;
    Step::cargo(["test", "--workspace"]).and(arguments).run()
}

fn ci(_: &[String]) -> Result<(), Failure> {
    check(&[])?;
    test(&[])?;
    if has_deny() {
        return deny(&[]);
    }
    eprintln!("\nskipped: `cargo xtask deny` needs cargo-deny; `{DENY_INSTALL}` installs it");
    Ok(())
}

fn demo(arguments: &[String]) -> Result<(), Failure> {
    Step::cargo(["run", "--release", "--", "demo"]).and(arguments).run()
}

fn bench(arguments: &[String]) -> Result<(), Failure> {
    if arguments.is_empty() {
        return Err(Failure::Arguments {
            expected: "the name of a measurement; `cargo xtask bench help` lists them",
        });
    }
    // Both: the measurements start the program they find beside themselves.
    Step::cargo(["build", "--release", "--package", "server", "--package", "bench"]).run()?;
    Step::cargo(["run", "--release", "--package", "bench", "--"]).and(arguments).run()
}

fn crash(arguments: &[String]) -> Result<(), Failure> {
    let kills = match arguments {
        [] => KILLS_DEFAULT,
        [kills] if kills.parse::<u32>().is_ok() => kills,
        _ => return Err(Failure::Arguments { expected: "how often to kill, as a number" }),
    };
    Step::cargo(["test", "--package", "server", "--test", "crash", "--", "--nocapture"])
        .with("VIGIE_CRASH_KILLS", kills)
        .run()
}

/// In a release build: what is put to the test is what comes between kills, so that there had better be much of it.
fn deliveries(arguments: &[String]) -> Result<(), Failure> {
    let count = match arguments {
        [] => DELIVERIES_DEFAULT,
        [count] if count.parse::<u64>().is_ok() => count,
        _ => return Err(Failure::Arguments { expected: "how much to deliver, as a number" }),
    };
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

fn law(arguments: &[String]) -> Result<(), Failure> {
    let cases = match arguments {
        [] => LAW_CASES_DEFAULT,
        [cases] if cases.parse::<u64>().is_ok() => cases,
        _ => return Err(Failure::Arguments { expected: "how many histories, as a number" }),
    };
    Step::cargo(["test", "--release", "--package", "engine", "--test", "differential", "--", "--nocapture"])
        .with("VIGIE_DIFFERENTIAL_CASES", cases)
        .with("VIGIE_PERCOLATOR_CASES", cases)
        .with("VIGIE_EXPLAIN_CASES", cases)
        .run()
}

fn snapshots(_: &[String]) -> Result<(), Failure> {
    if Step::cargo(["insta", "--version"]).succeeds() {
        return Step::cargo(["insta", "test", "--workspace", "--review"]).run();
    }
    let accept = Step::cargo(["test", "--workspace"]).with("INSTA_UPDATE", "always");
    eprintln!(
        "cargo-insta shows each change and asks; `cargo install cargo-insta --locked` installs it.\n\
         Without it, accept all changes and review them as a diff:\n\n  {accept}\n  git diff -- '*.snap'"
    );
    Ok(())
}

const PYTHON_INSTALL: &str = "apt-get install python3 python3-venv";

/// Some tests hold ours against what others wrote in Python. Where a machine is there to be set up, as in CI, it is installed;
/// everybody else is told how.
fn python() -> Result<(), Failure> {
    // Debian has this module in a package of its own, and without it there are no virtual environments.
    if Step::of("python3", ["-c", "import ensurepip"]).succeeds() {
        return Ok(());
    }
    let root = Step::of("id", ["-u"]).output().is_some_and(|user| user == "0");
    if !root || !Step::of("apt-get", ["--version"]).succeeds() {
        return Err(Failure::Missing { tool: "Python with virtual environments", install: PYTHON_INSTALL });
    }
    Step::of("apt-get", ["update"]).run()?;
    let packages = ["install", "--yes", "--no-install-recommends", "python3", "python3-venv"];
    Step::of("apt-get", packages).with("DEBIAN_FRONTEND", "noninteractive").run()
}

const DENY_INSTALL: &str = "cargo install cargo-deny --locked";

fn has_deny() -> bool {
    Step::cargo(["deny", "--version"]).succeeds()
}

/// Advisories are left out: they need the network and fail on the day somebody else publishes one, not when we change
/// something. See `deny.toml`.
fn deny(_: &[String]) -> Result<(), Failure> {
    if !has_deny() {
        return Err(Failure::Missing { tool: "cargo-deny", install: DENY_INSTALL });
    }
    Step::cargo(["deny", "--workspace", "check", "bans", "licenses", "sources"]).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_must_be_named() {
        assert!(matches!(bench(&[]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn kills_are_a_number() {
        assert!(matches!(crash(&["often".to_owned()]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn deliveries_are_a_number() {
        assert!(matches!(deliveries(&["all".to_owned()]), Err(Failure::Arguments { .. })));
    }

    #[test]
    fn cases_are_a_number() {
        assert!(matches!(law(&["many".to_owned()]), Err(Failure::Arguments { .. })));
    }
}
