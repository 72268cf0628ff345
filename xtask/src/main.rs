//! `cargo xtask`: all commands of the repository.
//!
//! A command is a few plain command lines, printed before they run. This crate needs only Rust and has no dependencies, so it builds
//! in a second.
//!
//! The tests in `tests/tidy` check the repository itself: crate dependencies, files, links and words.

mod bare;
mod commands;
mod failure;
mod step;
mod tools;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use commands::COMMANDS;
use failure::Failure;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        None => ("help", &[][..]),
        Some((name, rest)) => (name.as_str(), rest),
    };
    if matches!(name, "help" | "-h" | "--help") {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    let started = Instant::now();
    let outcome = run(name, rest);
    match &outcome {
        Ok(()) => eprintln!("\n{name}: done in {}", format_duration(started.elapsed())),
        Err(failure) => eprintln!("\n{name}: {failure} (after {})", format_duration(started.elapsed())),
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit_code(),
    }
}

fn run(name: &str, arguments: &[String]) -> Result<(), Failure> {
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return Err(Failure::UnknownCommand);
    };
    if command.arguments.is_empty() && !arguments.is_empty() {
        return Err(Failure::Arguments { expected: "none" });
    }
    (command.run)(arguments)
}

fn help() -> String {
    let mut text = String::from("cargo xtask COMMAND\n\n");
    for command in COMMANDS {
        let usage = format!("{} {}", command.name, command.arguments);
        text.push_str(&format!("  {usage:20} {}\n", command.about));
    }
    text.push_str(&format!("  {:20} {}\n", "help", "Print this list."));
    text
}

fn format_duration(elapsed: Duration) -> String {
    match (elapsed.as_secs() / 60, elapsed.as_secs() % 60) {
        (0, _) => format!("{:.1} s", elapsed.as_secs_f64()),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_has_one_line_of_at_most_110_columns_per_command() {
        let help = help();
        for command in COMMANDS {
            let is_about = |line: &&str| line.split_whitespace().next() == Some(command.name);
            let lines: Vec<&str> = help.lines().filter(is_about).collect();
            assert_eq!(lines.len(), 1, "{}", command.name);
            assert!(lines[0].len() <= 110 && lines[0].ends_with('.'), "{}", lines[0]);
        }
    }

    #[test]
    fn unexpected_arguments_are_refused() {
        let outcome = run("check", &["--fast".to_owned()]);
        assert!(matches!(outcome, Err(Failure::Arguments { .. })));
    }

    #[test]
    fn unknown_commands_are_refused() {
        assert!(matches!(run("chekc", &[]), Err(Failure::UnknownCommand)));
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!(format_duration(Duration::from_millis(1_540)), "1.5 s");
        assert_eq!(format_duration(Duration::from_secs(61)), "1 min 1 s");
    }
}
