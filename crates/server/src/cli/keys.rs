//! `vigie keys`

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::access::parse_label;
use domain::{KeyId, KeySettings, Scopes, Timestamp};
use jiff::tz::TimeZone;
use store::Key;
use wire::date;

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
        #[arg(long, visible_alias = "scope", default_value = "read,searches")]
        scopes: String,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// List keys, without their secrets.
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Show one key, without its secret.
    Show {
        #[command(flatten)]
        common: Common,
        /// Id of the key, as shown by `keys list`, or the key itself
        key: String,
    },
    /// Change the label, the expiry or the limit of a key. Takes effect at once.
    Change {
        #[command(flatten)]
        common: Common,
        /// Id of the key, as shown by `keys list`, or the key itself
        key: String,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// Revoke a key. Takes effect at once.
    Revoke {
        #[command(flatten)]
        common: Common,
        /// Id of the key, as shown by `keys list`, or the key itself
        key: String,
    },
}

#[derive(Debug, Args)]
struct SettingsArgs {
    /// What the key is for; "" for no label
    #[arg(long)]
    label: Option<String>,
    /// Date from which the key is invalid, such as 2026-12-31 (the end of that day) or 2026-12-31T18:00; "never" for none
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
    /// Requests per minute, instead of the general limit; 0 for no limit, "general" for the general one
    #[arg(long, value_name = "NUMBER")]
    limit: Option<String>,
}

impl SettingsArgs {
    /// Applies the options that were given.
    fn apply(&self, settings: &mut KeySettings, zone: &TimeZone) -> anyhow::Result<()> {
        let Self { label, expires, limit } = self;
        if let Some(label) = label {
            settings.label = parse_label(label).with_context(|| format!("--label \"{label}\""))?;
        }
        match expires.as_deref() {
            None => {}
            Some("never") => settings.expires_at = None,
            Some(text) => {
                let at = date::last_second(text, zone);
                let wrong = || format!("--expires \"{text}\" is not a date such as 2026-12-31, or \"never\"");
                settings.expires_at = Some(at.with_context(wrong)?);
            }
        }
        match limit.as_deref() {
            None => {}
            Some("general") => settings.requests_per_minute = None,
            Some(text) => {
                let wrong = || format!("--limit \"{text}\" is not a whole number, or \"general\"");
                settings.requests_per_minute = Some(text.parse().with_context(wrong)?);
            }
        }
        Ok(())
    }
}

pub async fn run(args: KeysArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        KeysCommand::Create { common, user, scopes, settings } => {
            create(&common, &user, &scopes, &settings).await
        }
        KeysCommand::List { common } => list(&common).await,
        KeysCommand::Show { common, key } => show(&common, &key).await,
        KeysCommand::Change { common, key, settings } => change(&common, &key, &settings).await,
        KeysCommand::Revoke { common, key } => revoke(&common, &key).await,
    }
}

async fn create(common: &Common, user: &str, scopes: &str, given: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let Some(user) = wire::key::parse_user_name(user) else {
        bail!("--user must be a name of 1 to 100 characters, without control characters");
    };
    let scopes = Scopes::parse(scopes)?;
    if scopes == Scopes::default() {
        bail!("--scopes is empty; the scopes are read, searches, ingest and admin");
    }
    let config = common.load()?;
    let mut settings = KeySettings::default();
    given.apply(&mut settings, &config.time_zone)?;
    // A key in a new folder would keep the first start from creating the admin key.
    let app = open::existing_app(&config)?;
    if settings.is_expired(app.clock().now()) {
        bail!("--expires is in the past");
    }
    let (_, text) = app.create_key_with(&user, scopes, settings).await.context("cannot save the key")?;
    output::print(&format!("{}\n", text.reveal()))?;
    Ok(ExitCode::SUCCESS)
}

async fn list(common: &Common) -> anyhow::Result<ExitCode> {
    let config = common.load()?;
    let app = open::existing_app(&config)?;
    let now = app.clock().now();
    let mut lines = String::new();
    for key in app.keys().await? {
        let fields = [
            key.id.to_string(),
            key.user.name.clone(),
            key.scopes.to_string(),
            format!("created {}", key.created_at),
            state(&key, now),
            last_use(&key),
            limit(&key),
            key.settings.label.as_ref().map(ToString::to_string).unwrap_or_default(),
        ];
        lines += fields.join("\t").trim_end();
        lines.push('\n');
    }
    output::print(&lines)?;
    Ok(ExitCode::SUCCESS)
}

async fn show(common: &Common, key: &str) -> anyhow::Result<ExitCode> {
    let id = parse_id(key)?;
    let config = common.load()?;
    let app = open::existing_app(&config)?;
    let key = app.key(id.clone()).await?.with_context(|| unknown(&id))?;
    output::print(&describe(&key, app.clock().now(), &config.time_zone))?;
    Ok(ExitCode::SUCCESS)
}

async fn change(common: &Common, key: &str, given: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let SettingsArgs { label, expires, limit } = given;
    if label.is_none() && expires.is_none() && limit.is_none() {
        bail!("nothing to change: give --label, --expires or --limit");
    }
    let id = parse_id(key)?;
    let config = common.load()?;
    let app = open::existing_app(&config)?;
    let mut settings = app.key(id.clone()).await?.with_context(|| unknown(&id))?.settings;
    given.apply(&mut settings, &config.time_zone)?;
    let changed = app.change_key(id.clone(), settings).await?.with_context(|| unknown(&id))?;
    output::print(&describe(&changed, app.clock().now(), &config.time_zone))?;
    Ok(ExitCode::SUCCESS)
}

async fn revoke(common: &Common, key: &str) -> anyhow::Result<ExitCode> {
    let id = parse_id(key)?;
    let app = open::existing_app(&common.load()?)?;
    if !app.revoke_key(id.clone()).await? {
        bail!(unknown(&id));
    }
    output::eprint_line(&format!("Key {id} revoked."));
    Ok(ExitCode::SUCCESS)
}

fn parse_id(key: &str) -> anyhow::Result<KeyId> {
    match app::access::KeyText::parse(key) {
        Some(text) => Ok(text.id().clone()),
        None => KeyId::parse(key.trim()).with_context(|| format!("\"{key}\" is not a key id")),
    }
}

fn unknown(id: &KeyId) -> String {
    format!("key {id} does not exist; `vigie keys list` shows all keys")
}

/// Describes a key, one field per line.
fn describe(key: &Key, now: Timestamp, zone: &TimeZone) -> String {
    let Key { id, secret_hash: _, user, scopes, settings, created_at, revoked_at: _, last_used_at: _ } = key;
    let label = settings.label.as_ref().map(ToString::to_string);
    let expires = settings.expires_at.map(|at| date::format(at, zone));
    let fields = [
        ("id", id.to_string()),
        ("user", user.name.clone()),
        ("label", label.unwrap_or_else(|| "none".to_owned())),
        ("scopes", scopes.to_string()),
        ("created", date::format(*created_at, zone)),
        ("expires", expires.unwrap_or_else(|| "never".to_owned())),
        ("state", state(key, now)),
        ("last use", last_use(key).trim_start_matches("used ").to_owned()),
        ("limit", limit(key).trim_start_matches("limit ").to_owned()),
    ];
    fields.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

fn state(key: &Key, now: Timestamp) -> String {
    match (key.revoked_at, key.settings.expires_at) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(at)) if at <= now => format!("expired {at}"),
        (None, Some(at)) => format!("valid until {at}"),
        (None, None) => "valid".to_owned(),
    }
}

fn last_use(key: &Key) -> String {
    key.last_used_at.map_or_else(|| "never used".to_owned(), |at| format!("used {at}"))
}

fn limit(key: &Key) -> String {
    match key.settings.requests_per_minute {
        None => "general limit".to_owned(),
        Some(0) => "no limit".to_owned(),
        Some(limit) => format!("limit {limit}/min"),
    }
}
