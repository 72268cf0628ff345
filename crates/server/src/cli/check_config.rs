//! `vigie check-config`

use std::process::ExitCode;

use clap::Args;

use super::Common;
use crate::config::{Config, DEFAULTS};

#[derive(Debug, Args)]
pub struct CheckConfigArgs {
    #[command(flatten)]
    common: Common,
    /// Print the file of defaults with its comments instead
    #[arg(long)]
    defaults: bool,
}

pub fn run(args: CheckConfigArgs) -> anyhow::Result<ExitCode> {
    if args.defaults {
        print!("{DEFAULTS}");
        return Ok(ExitCode::SUCCESS);
    }
    let sources = args.common.sources()?;
    let settings = sources.print();
    match Config::load(sources) {
        Ok(_) => {
            print!("{settings}");
            eprintln!("The configuration is valid.");
            Ok(ExitCode::SUCCESS)
        }
        Err(problems) => {
            for problem in &problems {
                eprintln!("{problem}");
            }
            eprintln!("The configuration has {} problem(s).", problems.len());
            Ok(ExitCode::FAILURE)
        }
    }
}
