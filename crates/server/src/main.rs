//! The `vigie` command.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

/// Taking adverts in makes and drops many small texts on several threads, where the system's allocator spends a fifth of
/// the time; see docs/benchmarks.md.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match server::cli::run(server::cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            server::cli::report(&error);
            ExitCode::FAILURE
        }
    }
}
