//! The `vigie` command.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

/// Ingest allocates and frees many small strings on several threads; the system allocator took a fifth of the time there.
/// See docs/benchmarks.md.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match server::cli::run(server::cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            server::cli::print_error(&error);
            ExitCode::FAILURE
        }
    }
}
