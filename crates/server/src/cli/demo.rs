//! `vigie demo`: a server with a generated market, ready within seconds, in a folder of its own.
//!
//! The folder is emptied at every start. The demo first loads a stock of adverts, then applies a few market changes per second for as
//! long as it runs.

mod messages;
mod searches;

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use app::App;
use app::access::KeyText;
use clap::Args;
use delivery::webhook::AddressPolicy;
use domain::{AdvertDraft, FieldUpdate, PropertyId, Scopes, SearchId, SiteCategoryName, SiteKey, WebAddress};
use indicatif::{ProgressBar, ProgressStyle};
use store::PutSite;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use wire::advert_draft::ParsedDraft;
use world::{Settings, World};

use messages::MessageHandler;

use super::receiver::{Certificate, Receiver};
use super::serve::{exit_code, stop_on_signal, warn_about_private_addresses};
use super::{Common, load_config, output};
use crate::config::{Config, EmailTransport};
use crate::http::{Shared, status};
use crate::market::towns;
use crate::serve::{INDEX_FOLDER, Listener};
use crate::{file_limit, ndjson, open, telemetry};

/// Marks a folder as created by the demo. The demo deletes nothing in a folder without this file.
const MARKER: &str = "this-is-a-vigie-demo";

const FOLDER: &str = "./vigie-demo";

/// Folder for e-mails, inside the demo's folder.
const MAIL_FOLDER: &str = "mail";

/// Shorter than the default of `email.batch_window`, so that the first e-mail shows up soon.
const BATCH_WINDOW: Duration = Duration::from_secs(30);

/// Large, because no client waits for receipts: the market should load quickly.
const ADVERTS_PER_BATCH: usize = 2_000;

#[derive(Debug, Args)]
#[command(mut_arg("data", |data| data.help("Folder of the demo, emptied at every start [default: ./vigie-demo]")))]
pub struct DemoArgs {
    #[command(flatten)]
    common: Common,
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Number of properties in the market
    #[arg(long, default_value_t = 20_000)]
    properties: u64,
    /// Number of adverts that appear, change or expire per second
    #[arg(long, default_value_t = 3)]
    pace: u32,
    /// Seed of the generator; another seed gives another market
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub async fn run(args: DemoArgs) -> anyhow::Result<ExitCode> {
    // A folder of its own, and a quiet log: the demo's own output matters.
    let folder = args.common.data.clone().unwrap_or_else(|| FOLDER.to_owned());
    let sources = args.common.sources()?.flag("--data", "store.data", Some(folder)).flag(
        "--listen",
        "server.listen",
        args.listen.clone(),
    );
    let mut config = load_config(sources)?;
    anyhow::ensure!(config.is_embedded(), "the demo empties its database, so it uses the embedded one only");
    if config.log.level == "info" {
        config.log.level = "warn".to_owned();
    }
    telemetry::start(&config.log)?;
    // Webhooks may go to loopback, where the demo's receiver is, and therefore to any other local service. On a loopback
    // listener only local users can make use of that; on any other, warn.
    if !config.listen.ip().to_canonical().is_loopback() {
        warn_about_private_addresses();
    }
    file_limit::raise(&config);
    // Bind the port and take the lock first: a demo that cannot start must not empty the folder of a running one.
    let listener =
        Listener::bind(config.listen).await.with_context(|| format!("cannot listen on {}", config.listen))?;
    check_folder(&config.data)?;
    let _lock = store::sqlite::ServerLock::acquire(&config.data)?;
    clear_folder(&config.data)?;
    // Only the demo trusts it, and only while it runs.
    let certificate = Certificate::generate()?;
    let receiver = Receiver::bind((Ipv4Addr::LOCALHOST, 0).into(), &certificate).await?;
    configure_delivery(&certificate, &mut config);
    let app = open::server_app(&config)?;
    let market = market(&app, &args)?;

    let stop = CancellationToken::new();
    let shared = Shared::new(app.clone(), config, stop.clone())?;
    let server = listener.serving(shared.clone());
    let example = load_market(&shared, &market, args.properties).await?;
    categorise(&app).await?;
    let (owner, key) = app.create_key("demo", Scopes::all()).await?;
    let search = searches::save(&app, owner.user.id, &receiver).await?;
    stop_on_signal(stop.clone())?;
    let tasks = shared.tasks.clone();
    let mail = shared.config.email.folder.clone();
    let examples = Examples { property: example, search, receiver: receiver.endpoint("")?.to_string(), mail };
    let messages = Arc::new(MessageHandler::new(app.clone(), owner.user.id));
    shared.tasks.spawn(messages::summarise(Arc::clone(&messages), stop.clone()));
    shared.tasks.spawn(receiver.run(messages, tasks, stop.clone()));
    shared.tasks.spawn(print_examples_when_ready(
        app.clone(),
        format!("http://{}", server.address()?),
        key,
        examples,
        stop.clone(),
    ));
    shared.tasks.spawn(apply_changes(shared.clone(), market, args.pace, stop));
    server.run().await;
    output::print_line(&format!("The demo has stopped. Its data is in {}.", shared.config.data.display()));
    Ok(exit_code(&app))
}

/// Sends webhooks to the demo's receiver and e-mails to a folder, with a short batch window.
fn configure_delivery(certificate: &Certificate, config: &mut Config) {
    config.delivery.addresses = AddressPolicy::DangerAllowPrivate;
    let mut trusted = config.delivery.extra_ca_pem.take().unwrap_or_default();
    trusted.extend_from_slice(certificate.pem().as_bytes());
    config.delivery.extra_ca_pem = Some(trusted);
    if config.email.transport == EmailTransport::Off {
        config.email.transport = EmailTransport::Folder;
        config.email.folder = config.data.join(MAIL_FOLDER);
        config.email.batch_window = BATCH_WINDOW;
    }
    config.email.public_url = format!("http://{}", config.listen);
}

/// Accepts a new folder, an empty one, or one that an earlier demo created.
fn check_folder(folder: &Path) -> anyhow::Result<()> {
    let is_ours = folder.join(MARKER).exists();
    if !is_ours && folder.exists() && fs::read_dir(folder)?.next().is_some() {
        bail!(
            "{} is not empty and was not created by the demo; choose another folder with --data",
            folder.display()
        );
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    fs::write(folder.join(MARKER), "Created by `vigie demo`, which empties this folder at every start.\n")?;
    Ok(())
}

/// Removes the database, index and e-mails of an earlier demo. Keeps the lock file, which this process holds.
fn clear_folder(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_database =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(store::sqlite::FILE_NAME));
        if is_database {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        } else if path.ends_with(INDEX_FOLDER) || path.ends_with(MAIL_FOLDER) {
            fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn market(app: &App, args: &DemoArgs) -> anyhow::Result<World> {
    let mut settings = Settings::new(args.properties, domain::ports::whole_second(app.clock().now()));
    // Simulated time runs at the speed of real time.
    settings.events_per_day = args.pace.max(1).saturating_mul(24 * 3_600);
    World::new(args.seed, towns(app.places()), settings)
        .context("cannot generate a market: the reference geography has no towns")
}

/// A property that several portals advertise.
struct ExampleProperty {
    id: PropertyId,
    /// Of one of its adverts.
    url: WebAddress,
}

/// What the example requests refer to.
struct Examples {
    property: ExampleProperty,
    /// A search that will have matches soon.
    search: SearchId,
    /// Address of the webhook receiver.
    receiver: String,
    mail: PathBuf,
}

/// Ingests the stock of the market. Returns the property with the most adverts.
async fn load_market(shared: &Shared, market: &World, properties: u64) -> anyhow::Result<ExampleProperty> {
    let bar = ProgressBar::new(properties);
    if let Ok(style) = ProgressStyle::with_template("Loading the market {bar:30} {pos}/{len} properties") {
        bar.set_style(style);
    }
    let mut example: Option<(usize, WebAddress)> = None;
    let mut batch: Vec<AdvertDraft> = Vec::with_capacity(ADVERTS_PER_BATCH);
    for generated in market.properties() {
        bar.inc(1);
        let adverts = generated.drafts.len();
        if example.as_ref().is_none_or(|(most, _)| adverts > *most)
            && let Some(url) = generated.drafts.first().and_then(|draft| draft.patch.url.value()?.clone())
        {
            example = Some((adverts, url));
        }
        batch.extend(generated.drafts);
        if batch.len() >= ADVERTS_PER_BATCH {
            ingest(shared, std::mem::take(&mut batch)).await?;
        }
    }
    ingest(shared, batch).await?;
    bar.finish_and_clear();
    let app = &shared.app;
    let (properties, adverts) = app.counts().await?;
    output::print_line(&format!("Loaded {properties} properties with {adverts} adverts."));
    let (_, url) = example.context("--properties must be at least 1")?;
    let property = app.property_by_url(&url).await?.context("the market has no advert with this URL")?;
    Ok(ExampleProperty { id: property.id, url })
}

/// Ingests adverts and counts them, as if they had come over HTTP: the status shows what came in.
async fn ingest(shared: &Shared, drafts: Vec<AdvertDraft>) -> Result<(), app::Error> {
    let parsed = |draft| Ok(ParsedDraft { draft, ignored: Vec::new(), warnings: Vec::new() });
    let ingested = ndjson::ingest(&shared.app, drafts.into_iter().map(parsed).collect()).await?;
    ingested.iter().for_each(|one| status::count_advert(shared, one));
    Ok(())
}

/// Assigns every portal to a category, so that documents show one.
async fn categorise(app: &App) -> anyhow::Result<()> {
    let name = SiteCategoryName::parse("Portails")?;
    let category = app.create_site_category(name).await?.map(|category| category.id);
    for domain in world::portal_domains() {
        let key = SiteKey::parse(domain).context("a portal of the generated market has no valid domain")?;
        app.put_site(PutSite { key, name: FieldUpdate::Keep, category: FieldUpdate::Set(category) }).await?;
    }
    Ok(())
}

/// Applies market changes at the given pace: new adverts, price changes, expiries, returns.
async fn apply_changes(shared: Shared, market: World, pace: u32, stop: CancellationToken) {
    let (sender, mut changes) = mpsc::channel(16);
    // The timeline borrows the market, so both live on one thread. It ends when the channel is closed.
    let generator = std::thread::spawn(move || {
        for event in market.timeline() {
            if sender.blocking_send(event.draft).is_err() {
                return;
            }
        }
    });
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / pace.max(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = ticks.tick() => {}
        }
        let Some(draft) = changes.recv().await else { break };
        if let Err(error) = ingest(&shared, vec![draft]).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the demo failed to apply a market change"
            );
        }
    }
    drop(changes);
    let _ = generator.join();
}

/// Prints the example requests once the server can answer them.
async fn print_examples_when_ready(
    app: App,
    base: String,
    key: KeyText,
    examples: Examples,
    stop: CancellationToken,
) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = app.wait_until_searchable() => print_examples(&base, &key.reveal(), &examples),
    }
}

fn print_examples(base: &str, key: &str, examples: &Examples) {
    let Examples { property: ExampleProperty { id: property, url }, search, receiver, mail } = examples;
    output::print_line(&format!(
        "
Vigie is listening on {base}. Look at the market in a browser, with the API key {key}:

  {base}/console

Or try, in another terminal:

  # Apartments for sale in Paris with a terrace, up to 600,000 €, newest first:
  curl -s -g '{base}/documents/properties?transactionType=0&propertyTypes[]=0&includedCities[]=/cities/75056&budgetMax=600000&expressions[]=terrasse&expired=false' -H 'X-API-KEY: {key}'

  # Price per square metre in Lyon, by month:
  curl -s -g '{base}/indicators/price_per_meter?transactionType=0&includedCities[]=/cities/69123' -H 'X-API-KEY: {key}'

  # All properties of a department, as NDJSON:
  curl -s -g '{base}/documents/properties.ndjson?includedDepartments[]=/departments/37' -H 'X-API-KEY: {key}'

  # One property, with the adverts of several portals:
  curl -s '{base}/documents/properties/{property}' -H 'X-API-KEY: {key}'

  # Why these adverts are one property:
  curl -s '{base}/documents/properties/{property}/grouping' -H 'X-API-KEY: {key}'

  # Find the property of an advert by its URL:
  curl -s -G '{base}/documents/properties/by-url' -H 'X-API-KEY: {key}' --data-urlencode 'url={url}'

  # Similar properties:
  curl -s '{base}/documents/properties/{property}/similar-properties' -H 'X-API-KEY: {key}'

  # A saved search and its matches so far; ask again after a minute:
  curl -s '{base}/searches/{search}' -H 'X-API-KEY: {key}'
  curl -s '{base}/searches/{search}/matches' -H 'X-API-KEY: {key}'

  # Its deliveries, with date, state and attempts; POST …/replay sends one again:
  curl -s '{base}/deliveries?search=/searches/{search}' -H 'X-API-KEY: {key}'

  # The secret that signs its webhooks:
  curl -s '{base}/webhook-secret' -H 'X-API-KEY: {key}'

  # Preview a search before saving it: how many properties match now, and how many new matches it would have had in the last 7 and 30 days:
  curl -s '{base}/searches/preview' -H 'X-API-KEY: {key}' -H 'Content-Type: application/json' \\
    -d '{{\"transactionType\":0,\"propertyTypes\":[1],\"budgetMax\":300000,\"expressions\":[\"jardin\"]}}'

  # Explain why a property does or does not match a saved search:
  curl -s '{base}/searches/{search}/explain?property={property}' -H 'X-API-KEY: {key}'

  # Autocomplete \"marsei\" (no key needed):
  curl -s '{base}/public/location-autocomplete?query=marsei'

  # Cities with a given zipcode:
  curl -s '{base}/cities?zipcode[]=37000' -g -H 'X-API-KEY: {key}'

  # Send an advert of your own; send it again with another price to create an event:
  curl -s '{base}/adverts' -H 'X-API-KEY: {key}' -H 'Content-Type: application/json' \\
    -d '{{\"site\":\"mon-agence.example\",\"reference\":\"1\",\"transactionType\":0,\"propertyType\":0,\"price\":250000,\"surface\":62,\"zipcode\":\"37000\",\"cityName\":\"Tours\",\"title\":\"Appartement 3 pièces\"}}'

  # Metrics:
  curl -s '{base}/metrics'

Webhooks go to the demo's own receiver at {receiver}, which verifies their signatures
and prints the first ones here. E-mails are written to {mail}.
Press Ctrl-C to stop.
",
        mail = mail.display(),
    ));
}
