//! `vigie keys`

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::{KeyId, Scopes};

use super::{Common, output};
use crate::open;

#[derive(Debug, Args)]
pub struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Create a key and print it to standard output. It is shown only once.
    Create {
        #[command(flatten)]
        common: Common,
        /// User of the key; created if it does not exist
        #[arg(long)]
        user: String,
        /// Comma-separated scopes: read, searches, ingest, admin
        #[arg(long, default_value = "read,searches")]
        scopes: String,
    },
    /// List keys, without their secrets.
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Revoke a key. Takes effect at once.
    Revoke {
        #[command(flatten)]
        common: Common,
        /// Id of the key, as shown by `keys list`, or the key itself
        key: String,
    },
}

pub async fn run(args: KeysArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        KeysCommand::Create { common, user, scopes } => create(&common, &user, &scopes).await,
        KeysCommand::List { common } => list(&common).await,
        KeysCommand::Revoke { common, key } => revoke(&common, &key).await,
    }
}

async fn create(common: &Common, user: &str, scopes: &str) -> anyhow::Result<ExitCode> {
    let user = user.trim();
    if user.is_empty() || user.chars().count() > 100 || user.chars().any(char::is_control) {
        bail!("--user must be a name of 1 to 100 characters, without control characters");
    }
    let scopes = Scopes::parse(scopes)?;
    if scopes == Scopes::default() {
        bail!("--scopes is empty; the scopes are read, searches, ingest and admin");
    }
    let app = open::app(&common.load()?)?;
    let (_, text) = app.create_key(user, scopes).await.context("cannot save the key")?;
    output::print(&format!("{}\n", text.reveal()))?;
    Ok(ExitCode::SUCCESS)
}

async fn list(common: &Common) -> anyhow::Result<ExitCode> {
    let app = open::existing_app(&common.load()?)?;
    let mut lines = String::new();
    for key in app.keys().await? {
        let state = match key.revoked_at {
            Some(at) => format!("revoked {at}"),
            None => "valid".to_owned(),
        };
        lines +=
            &format!("{}\t{}\t{}\tcreated {}\t{state}\n", key.id, key.user.name, key.scopes, key.created_at);
    }
    output::print(&lines)?;
    Ok(ExitCode::SUCCESS)
}

async fn revoke(common: &Common, key: &str) -> anyhow::Result<ExitCode> {
    let id = match app::access::KeyText::parse(key) {
        Some(text) => text.id().clone(),
        None => KeyId::parse(key.trim()).with_context(|| format!("\"{key}\" is not a key id"))?,
    };
    let app = open::existing_app(&common.load()?)?;
    if !app.revoke_key(id.clone()).await? {
        bail!("key {id} does not exist; `vigie keys list` shows all keys");
    }
    output::eprint_line(&format!("Key {id} revoked."));
    Ok(ExitCode::SUCCESS)
}
