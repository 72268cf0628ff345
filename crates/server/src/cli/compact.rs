//! `vigie compact`

use std::process::ExitCode;

use clap::Args;

use super::{Common, output};
use crate::open;

#[derive(Debug, Args)]
pub struct CompactArgs {
    #[command(flatten)]
    common: Common,
}

pub async fn run(args: CompactArgs) -> anyhow::Result<ExitCode> {
    let app = open::existing_app(&args.common.load()?)?;
    app.compact().await?;
    output::eprint_line("Database compacted.");
    Ok(ExitCode::SUCCESS)
}
