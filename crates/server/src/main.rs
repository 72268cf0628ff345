//! The `vigie` command.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match server::cli::run(server::cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            // The whole chain on one line: what failed, and why.
            eprintln!("vigie: {error:#}");
            ExitCode::FAILURE
        }
    }
}
