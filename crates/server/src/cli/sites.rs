//! `vigie sites`

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::{FieldUpdate, SiteCategoryName, SiteKey, SiteName};
use store::PutSite;

use super::{Common, output};
use crate::open;

#[derive(Debug, Args)]
pub struct SitesArgs {
    #[command(subcommand)]
    command: SitesCommand,
}

#[derive(Debug, Subcommand)]
enum SitesCommand {
    /// List sites: id, domain, name, category.
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Name or categorise a site. One that is not known yet is made known.
    Set {
        #[command(flatten)]
        common: Common,
        /// The domain of the site, or what it is known by if it has none
        domain: String,
        /// What to call it; an empty text takes the name away
        #[arg(long)]
        name: Option<String>,
        /// The name of a category that is there
        #[arg(long, conflicts_with = "no_category")]
        category: Option<String>,
        /// Take it out of its category
        #[arg(long)]
        no_category: bool,
    },
    /// List categories: id and name.
    Categories {
        #[command(flatten)]
        common: Common,
    },
    /// Make a category.
    AddCategory {
        #[command(flatten)]
        common: Common,
        name: String,
    },
    /// Delete a category; its sites stay, without one.
    RemoveCategory {
        #[command(flatten)]
        common: Common,
        name: String,
    },
}

pub async fn run(args: SitesArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        SitesCommand::List { common } => list(&common).await,
        SitesCommand::Set { common, domain, name, category, no_category } => {
            let category = match (category, no_category) {
                (Some(category), _) => FieldUpdate::Set(Some(category)),
                (None, true) => FieldUpdate::Set(None),
                (None, false) => FieldUpdate::Keep,
            };
            set(&common, &domain, name.as_deref(), category).await
        }
        SitesCommand::Categories { common } => categories(&common).await,
        SitesCommand::AddCategory { common, name } => add_category(&common, &name).await,
        SitesCommand::RemoveCategory { common, name } => remove_category(&common, &name).await,
    }
}

async fn list(common: &Common) -> anyhow::Result<ExitCode> {
    let directory = open::existing(&common.load()?)?.sites().await?;
    let mut lines = String::new();
    for site in directory.sites() {
        let category = directory.category_of(&site.key).map_or("-", |category| category.name.as_str());
        let name = site.name.as_ref().map_or("-", SiteName::as_str);
        lines += &format!("{}\t{}\t{name}\t{category}\n", site.id, site.key);
    }
    output::print(&lines)?;
    Ok(ExitCode::SUCCESS)
}

async fn set(
    common: &Common,
    domain: &str,
    name: Option<&str>,
    category: FieldUpdate<Option<String>>,
) -> anyhow::Result<ExitCode> {
    let key = SiteKey::parse(domain)
        .with_context(|| format!("\"{domain}\" is not the domain or name of a site"))?;
    let name = match name {
        Some(name) if name.chars().any(char::is_control) => bail!("--name holds a control character"),
        Some(name) => FieldUpdate::Set(SiteName::new(name).context("--name")?),
        None => FieldUpdate::Keep,
    };
    let app = open::existing(&common.load()?)?;
    let category = match category {
        FieldUpdate::Keep => FieldUpdate::Keep,
        FieldUpdate::Set(None) => FieldUpdate::Set(None),
        FieldUpdate::Set(Some(wanted)) => {
            let directory = app.sites().await?;
            let found = directory.category_named(&wanted).with_context(|| no_category(&wanted))?;
            FieldUpdate::Set(Some(found.id))
        }
    };
    let site = app.put_site(PutSite { key, name, category }).await.context("cannot keep the site")?;
    let site = site.context("the category was removed at this very moment")?;
    let directory = app.sites().await?;
    let category = site.category.and_then(|id| directory.category(id));
    let category =
        category.map_or("no category".to_owned(), |category| format!("category {}", category.name));
    output::note(&format!("Site {} ({}) is called {}, {category}.", site.id, site.key, site.label()));
    Ok(ExitCode::SUCCESS)
}

async fn categories(common: &Common) -> anyhow::Result<ExitCode> {
    let directory = open::existing(&common.load()?)?.sites().await?;
    let line = |category: &domain::SiteCategory| format!("{}\t{}\n", category.id, category.name);
    output::print(&directory.categories().iter().map(line).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

async fn add_category(common: &Common, name: &str) -> anyhow::Result<ExitCode> {
    let name = SiteCategoryName::parse(name).with_context(|| format!("\"{name}\" cannot be a category"))?;
    let app = open::existing(&common.load()?)?;
    match app.create_site_category(name.clone()).await.context("cannot keep the category")? {
        Some(category) => output::note(&format!("Category {} is {}.", category.id, category.name)),
        // Scripts may say it twice.
        None => output::note(&format!("There is a category {name} already.")),
    }
    Ok(ExitCode::SUCCESS)
}

async fn remove_category(common: &Common, name: &str) -> anyhow::Result<ExitCode> {
    let app = open::existing(&common.load()?)?;
    let directory = app.sites().await?;
    let category = directory.category_named(name).with_context(|| no_category(name))?;
    if !app.delete_site_category(category.id).await? {
        bail!(no_category(name));
    }
    output::note(&format!("Category {} is removed.", category.name));
    Ok(ExitCode::SUCCESS)
}

fn no_category(name: &str) -> String {
    format!(
        "there is no category \"{name}\"; `vigie sites categories` lists them, `vigie sites add-category` makes one"
    )
}
