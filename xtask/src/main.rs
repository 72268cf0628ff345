//! `cargo xtask`: every command of the repository, in one list.
//!
//! Each command is a few plain lines that anybody can type; they are printed before they run. Nothing needs to be
//! installed but Rust, and this crate depends on nothing, so that it builds in a second.
//!
//! The tests beside it (`tests/tidy`) are about the repository itself: its arrows, files, links and words.

mod bare;
mod commands;
mod failure;
mod step;

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
    fn every_command_is_listed_on_one_line_of_at_most_110_columns() {
        let help = help();
        for command in COMMANDS {
            let is_about = |line: &&str| line.split_whitespace().next() == Some(command.name);
            let lines: Vec<&str> = help.lines().filter(is_about).collect();
            assert_eq!(lines.len(), 1, "{}", command.name);
            assert!(lines[0].len() <= 110 && lines[0].ends_with('.'), "{}", lines[0]);
        }
    }

    #[test]
    fn a_command_that_takes_no_arguments_refuses_them() {
        let outcome = run("check", &["--fast".to_owned()]);
        assert!(matches!(outcome, Err(Failure::Arguments { .. })));
    }

    #[test]
    fn an_unknown_command_is_refused() {
        assert!(matches!(run("chekc", &[]), Err(Failure::UnknownCommand)));
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        assert_eq!(format_duration(Duration::from_millis(1_540)), "1.5 s");
        assert_eq!(format_duration(Duration::from_secs(61)), "1 min 1 s");
    }
}
