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
    /// Make a key and print it: once, alone on standard output.
    Create {
        #[command(flatten)]
        common: Common,
        /// Who it is for; made if new
        #[arg(long)]
        user: String,
        /// What it may do: read, searches, ingest, admin
        #[arg(long, default_value = "read,searches")]
        scopes: String,
    },
    /// List keys, never their secrets.
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Revoke a key, at once.
    Revoke {
        #[command(flatten)]
        common: Common,
        /// The id of the key as `keys list` shows it, or the key itself
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
        bail!("--user takes a name of 1 to 100 characters");
    }
    let scopes = Scopes::parse(scopes)?;
    if scopes == Scopes::default() {
        bail!("--scopes names no scope; the scopes are read, searches, ingest and admin");
    }
    let app = open::app(&common.load()?)?;
    let (_, text) = app.create_key(user, scopes).await.context("cannot keep the key")?;
    output::print(&format!("{}\n", text.reveal()))?;
    Ok(ExitCode::SUCCESS)
}

async fn list(common: &Common) -> anyhow::Result<ExitCode> {
    let app = open::existing(&common.load()?)?;
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
        None => KeyId::parse(key.trim()).with_context(|| format!("\"{key}\" is not the id of a key"))?,
    };
    let app = open::existing(&common.load()?)?;
    if !app.revoke_key(id.clone()).await? {
        bail!("there is no key {id}");
    }
    output::note(&format!("Key {id} is revoked."));
    Ok(ExitCode::SUCCESS)
}
