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
    /// Print the default configuration file, which documents every setting
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
            let problems = open::startup_problems(&config);
            if problems.is_empty() {
                output::print(&settings)?;
                for ConfigWarning { setting, message } in config.email.warnings() {
                    output::eprint_line(&format!("Warning: {setting} {message}."));
                }
                output::eprint_line("The configuration is valid.");
                return Ok(ExitCode::SUCCESS);
            }
            problems.iter().map(|problem| format!("{problem:#}")).collect()
        }
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    };
    for problem in &problems {
        output::eprint_line(problem);
    }
    output::eprint_line(&format!("The configuration is invalid: {} problem(s).", problems.len()));
    Ok(ExitCode::FAILURE)
}
