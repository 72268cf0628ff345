//! `vigie mcp`: the tools of assistants on standard input and output, for a client that starts the command.

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use rmcp::ServiceExt;

use super::client::ClientArgs;
use crate::mcp::Assistant;

#[derive(Debug, Args)]
pub struct McpArgs {
    #[command(flatten)]
    client: ClientArgs,
}

/// Runs until the client closes standard input. The server may be stopped and started in between: each call connects anew.
pub async fn run(args: McpArgs) -> anyhow::Result<ExitCode> {
    let assistant = Assistant::new(args.client.client()?);
    let session = assistant.serve(rmcp::transport::stdio()).await.context("the session did not start")?;
    session.waiting().await.context("the session failed")?;
    Ok(ExitCode::SUCCESS)
}
