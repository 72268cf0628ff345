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
    /// Set the name or category of a site. Creates the site if it does not exist.
    Set {
        #[command(flatten)]
        common: Common,
        /// Domain of the site, or its key if it has no domain
        domain: String,
        /// Display name; an empty text removes it
        #[arg(long)]
        name: Option<String>,
        /// Name of an existing category
        #[arg(long, conflicts_with = "no_category")]
        category: Option<String>,
        /// Remove the site from its category
        #[arg(long)]
        no_category: bool,
    },
    /// List categories: id and name.
    Categories {
        #[command(flatten)]
        common: Common,
    },
    /// Create a category.
    AddCategory {
        #[command(flatten)]
        common: Common,
        name: String,
    },
    /// Delete a category. Its sites are kept, without a category.
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
    let directory = open::existing_app(&common.load()?)?.sites().await?;
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
    let key =
        SiteKey::parse(domain).with_context(|| format!("\"{domain}\" is not a valid site domain or key"))?;
    let name = match name {
        Some(name) if name.chars().any(char::is_control) => {
            bail!("--name must not contain control characters")
        }
        Some(name) => FieldUpdate::Set(SiteName::new(name).context("--name")?),
        None => FieldUpdate::Keep,
    };
    let app = open::existing_app(&common.load()?)?;
    let category = match category {
        FieldUpdate::Keep => FieldUpdate::Keep,
        FieldUpdate::Set(None) => FieldUpdate::Set(None),
        FieldUpdate::Set(Some(name)) => {
            let directory = app.sites().await?;
            let category = directory.category_named(&name).with_context(|| no_category(&name))?;
            FieldUpdate::Set(Some(category.id))
        }
    };
    let site = app.put_site(PutSite { key, name, category }).await.context("cannot save the site")?;
    let site = site.context("the category was deleted in the meantime")?;
    let directory = app.sites().await?;
    let category = site.category.and_then(|id| directory.category(id));
    let category =
        category.map_or("no category".to_owned(), |category| format!("category {}", category.name));
    output::eprint_line(&format!("Site {} ({}): name {}, {category}.", site.id, site.key, site.label()));
    Ok(ExitCode::SUCCESS)
}

async fn categories(common: &Common) -> anyhow::Result<ExitCode> {
    let directory = open::existing_app(&common.load()?)?.sites().await?;
    let line = |category: &domain::SiteCategory| format!("{}\t{}\n", category.id, category.name);
    output::print(&directory.categories().iter().map(line).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

async fn add_category(common: &Common, name: &str) -> anyhow::Result<ExitCode> {
    let name =
        SiteCategoryName::parse(name).with_context(|| format!("\"{name}\" is not a valid category name"))?;
    let app = open::existing_app(&common.load()?)?;
    match app.create_site_category(name.clone()).await.context("cannot save the category")? {
        Some(category) => {
            output::eprint_line(&format!("Category {} created: {}.", category.id, category.name))
        }
        // Not an error: a script may run twice.
        None => output::eprint_line(&format!("Category {name} already exists.")),
    }
    Ok(ExitCode::SUCCESS)
}

async fn remove_category(common: &Common, name: &str) -> anyhow::Result<ExitCode> {
    let app = open::existing_app(&common.load()?)?;
    let directory = app.sites().await?;
    let category = directory.category_named(name).with_context(|| no_category(name))?;
    if !app.delete_site_category(category.id).await? {
        bail!(no_category(name));
    }
    output::eprint_line(&format!("Category {} deleted.", category.name));
    Ok(ExitCode::SUCCESS)
}

fn no_category(name: &str) -> String {
    format!(
        "category \"{name}\" does not exist; `vigie sites categories` lists all, `vigie sites add-category` creates one"
    )
}
