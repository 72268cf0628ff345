//! `vigie check-config`

use std::process::ExitCode;

use clap::Args;

use super::{Common, output};
use crate::config::{Config, ConfigWarning, DEFAULTS};
use crate::open;

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
        output::print(DEFAULTS)?;
        return Ok(ExitCode::SUCCESS);
    }
    let sources = args.common.sources()?;
    let settings = sources.print();
    let problems: Vec<String> = match Config::load(sources) {
        Ok(config) => {
            let obstacles = open::startup_errors(&config);
            if obstacles.is_empty() {
                output::print(&settings)?;
                for ConfigWarning { setting, message } in config.email.warnings() {
                    output::note(&format!("Warning: {setting} {message}."));
                }
                output::note("The configuration is valid.");
                return Ok(ExitCode::SUCCESS);
            }
            obstacles.iter().map(|obstacle| format!("{obstacle:#}")).collect()
        }
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    };
    for problem in &problems {
        output::note(problem);
    }
    output::note(&format!("The configuration has {} problem(s).", problems.len()));
    Ok(ExitCode::FAILURE)
}
