//! `vigie demo`: a market to look at, alive within seconds, in one folder.
//!
//! The folder is made anew at every start: a generated stock, then a few happenings a second for as long as it runs.

mod receiver;
mod searches;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use app::App;
use app::access::KeyText;
use clap::Args;
use delivery::webhook::Addresses;
use domain::{AdvertDraft, Given, PropertyId, Scopes, SearchId, SiteCategoryName, SiteKey, WebAddress};
use indicatif::{ProgressBar, ProgressStyle};
use store::PutSite;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use world::{Grouping, Settings, World};

use receiver::Receiver;

use super::serve::{stop_on_signal, warn_of_private_addresses};
use super::{Common, loaded, output};
use crate::config::{Config, EmailTransport};
use crate::http::Shared;
use crate::market::towns;
use crate::serve::{INDEX_FOLDER, Listener};
use crate::{open, open_files, telemetry};

/// Says that a folder is a demo's and may be made anew. Without it nothing is ever deleted.
const MARKER: &str = "this-is-a-vigie-demo";

const FOLDER: &str = "./vigie-demo";

/// Where emails are written, inside the demo's folder.
const MAIL_FOLDER: &str = "mail";

/// How long matches are gathered for a email: nobody looks at a demo for five minutes to see one.
const GATHER: Duration = Duration::from_secs(30);

/// Large, because nobody waits for a receipt: the market should be there before the reader loses patience.
const ADVERTS_PER_BATCH: usize = 2_000;

#[derive(Debug, Args)]
#[command(mut_arg("data", |data| data.help("The folder of the demo, made anew at every start [default: ./vigie-demo]")))]
pub struct DemoArgs {
    #[command(flatten)]
    common: Common,
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// How many properties the market has
    #[arg(long, default_value_t = 20_000)]
    properties: u64,
    /// How many adverts appear, change or go in a second
    #[arg(long, default_value_t = 3)]
    pace: u32,
    /// Another seed is another market
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub async fn run(args: DemoArgs) -> anyhow::Result<ExitCode> {
    // One folder of its own, and a quiet log: what matters is what the demo prints.
    let folder = args.common.data.clone().unwrap_or_else(|| FOLDER.to_owned());
    let sources = args.common.sources()?.flag("--data", "store.data", Some(folder)).flag(
        "--listen",
        "server.listen",
        args.listen.clone(),
    );
    let mut config = loaded(sources)?;
    if config.log.level == "info" {
        config.log.level = "warn".to_owned();
    }
    telemetry::start(&config.log)?;
    // Its messages go to a receiver on loopback, and so to whatever else is there. Nobody but this machine can ask for that unless
    // others can reach it.
    if !config.listen.ip().to_canonical().is_loopback() {
        warn_of_private_addresses();
    }
    open_files::allow(&config);
    // The port and the lock come first: a demo that cannot run must not empty the folder of one that does.
    let listener =
        Listener::bind(config.listen).await.with_context(|| format!("cannot listen on {}", config.listen))?;
    check_folder(&config.data)?;
    let _lock = store::sqlite::ServerLock::acquire(&config.data)?;
    make_anew(&config.data)?;
    let receiver = Receiver::bind().await?;
    send_to(&receiver, &mut config);
    let app = open::serving(&config)?;
    let market = market(&app, &args)?;

    let stop = CancellationToken::new();
    let shared = Shared::new(app.clone(), config, stop.clone())?;
    let server = listener.serving(shared.clone());
    let Found { property, url } = fill(&app, &market, args.properties).await?;
    categorise(&app).await?;
    let (owner, key) = app.create_key("demo", Scopes::all()).await?;
    let search = searches::save(&app, owner.user.id, &receiver).await?;
    stop_on_signal(stop.clone())?;
    let tasks = shared.tasks.clone();
    let mail = shared.config.email.folder.clone();
    let shown =
        Shown { property, url, search: Some(search), receiver: receiver.endpoint("")?.to_string(), mail };
    shared.tasks.spawn(receiver.run(app.clone(), owner.user.id, tasks, stop.clone()));
    shared.tasks.spawn(invite(
        app.clone(),
        format!("http://{}", server.address()?),
        key,
        shown,
        stop.clone(),
    ));
    shared.tasks.spawn(keep_moving(app, market, args.pace, stop));
    server.run().await;
    output::say(&format!("The demo is over. Nothing is left of it but {}.", shared.config.data.display()));
    Ok(ExitCode::SUCCESS)
}

/// Lets messages go to the demo's own receiver, and emails into a folder, soon enough to be seen.
fn send_to(receiver: &Receiver, config: &mut Config) {
    config.delivery.addresses = Addresses::DangerPrivateToo;
    let mut trusted = config.delivery.extra_ca_pem.take().unwrap_or_default();
    trusted.extend_from_slice(receiver.certificate());
    config.delivery.extra_ca_pem = Some(trusted);
    if config.email.transport == EmailTransport::Off {
        config.email.transport = EmailTransport::Folder;
        config.email.folder = config.data.join(MAIL_FOLDER);
        config.email.gather = GATHER;
    }
    config.email.public_url = format!("http://{}", config.listen);
}

/// A demo's folder is a new one, an empty one, or one that an earlier demo made.
fn check_folder(folder: &Path) -> anyhow::Result<()> {
    let is_ours = folder.join(MARKER).exists();
    if !is_ours && folder.exists() && fs::read_dir(folder)?.next().is_some() {
        bail!("{} is not a demo's folder; give another one with --data", folder.display());
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(folder.join(MARKER), "Made by `vigie demo`, which empties this folder at every start.\n")?;
    Ok(())
}

/// Removes the database of an earlier demo, and its index. The lock, which is held by now, stays.
fn make_anew(folder: &Path) -> anyhow::Result<()> {
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
    settings.grouping = Grouping::Named;
    // The generated days pass as fast as real ones.
    settings.happenings_per_day = args.pace.max(1).saturating_mul(24 * 3_600);
    World::new(args.seed, towns(app.places()), settings).context("there are no towns to build a market in")
}

/// A property worth pointing at: one that several portals carry.
struct Found {
    property: PropertyId,
    url: Option<WebAddress>,
}

/// What there is to try.
struct Shown {
    property: PropertyId,
    url: Option<WebAddress>,
    /// One that will match something soon.
    search: Option<SearchId>,
    /// Where webhooks arrive.
    receiver: String,
    mail: PathBuf,
}

async fn fill(app: &App, market: &World, properties: u64) -> anyhow::Result<Found> {
    let bar = ProgressBar::new(properties);
    if let Ok(style) = ProgressStyle::with_template("Filling the market {bar:30} {pos}/{len} properties") {
        bar.set_style(style);
    }
    let mut shown: Option<(usize, Found)> = None;
    let mut batch: Vec<AdvertDraft> = Vec::with_capacity(ADVERTS_PER_BATCH);
    for generated in market.properties() {
        bar.inc(1);
        let carriers = generated.drafts.len();
        if shown.as_ref().is_none_or(|(most, _)| carriers > *most) {
            let url = generated.drafts.first().and_then(|draft| draft.patch.url.value()?.clone());
            shown = Some((carriers, Found { property: generated.id, url }));
        }
        batch.extend(generated.drafts);
        if batch.len() >= ADVERTS_PER_BATCH {
            app.ingest(std::mem::take(&mut batch)).await?;
        }
    }
    app.ingest(batch).await?;
    bar.finish_and_clear();
    let (found, adverts) = app.counts().await?;
    output::say(&format!("The market has {found} properties in {adverts} adverts."));
    Ok(shown.context("a market needs at least one property")?.1)
}

/// What an operator would do first: say what kind of site each portal is, so that documents show it.
async fn categorise(app: &App) -> anyhow::Result<()> {
    let name = SiteCategoryName::parse("Portails")?;
    let category = app.create_site_category(name).await?.map(|category| category.id);
    for domain in world::portal_domains() {
        let key = SiteKey::parse(domain).context("a portal needs a domain")?;
        app.put_site(PutSite { key, name: Given::Absent, category: Given::Value(category) }).await?;
    }
    Ok(())
}

/// Lets the market live on: new adverts, price drops, expiries, returns, at the given pace.
async fn keep_moving(app: App, market: World, pace: u32, stop: CancellationToken) {
    let (sender, mut happenings) = mpsc::channel(16);
    // The timeline borrows the market, so both live on a thread of their own; it ends when nobody listens.
    let telling = std::thread::spawn(move || {
        for happening in market.timeline() {
            if sender.blocking_send(happening.draft).is_err() {
                return;
            }
        }
    });
    let mut beat = tokio::time::interval(Duration::from_secs(1) / pace.max(1));
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = beat.tick() => {}
        }
        let Some(draft) = happenings.recv().await else { break };
        if let Err(error) = app.ingest(vec![draft]).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "a happening of the demo was lost");
        }
    }
    drop(happenings);
    let _ = telling.join();
}

/// Says what to try, once all of it works.
async fn invite(app: App, base: String, key: KeyText, shown: Shown, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = app.searchable() => print_invitation(&base, &key.reveal(), &shown),
    }
}

fn print_invitation(base: &str, key: &str, shown: &Shown) {
    let Shown { property, url, search, receiver, mail } = shown;
    let search = search.map(|search| search.to_string()).unwrap_or_default();
    let by_url = url.as_ref().map(|url| {
        format!(
            "\n  # The property behind an address:\n  \
             curl -s -G '{base}/documents/properties/by-url' -H 'X-API-KEY: {key}' --data-urlencode 'url={url}'\n"
        )
    });
    output::say(&format!(
        "
Vigie is listening on {base}. Try, in another terminal:

  # Flats for sale in Paris with a terrace, up to 600,000 €, the newest first; the total is exact:
  curl -s -g '{base}/documents/properties?transactionType=0&propertyTypes[]=0&includedCities[]=/cities/75056&budgetMax=600000&expressions[]=terrasse&expired=false' -H 'X-API-KEY: {key}'

  # What a square metre costs in Lyon, month by month:
  curl -s -g '{base}/indicators/price_per_meter?transactionType=0&includedCities[]=/cities/69123' -H 'X-API-KEY: {key}'

  # Everything in a department, one document a line:
  curl -s -g '{base}/documents/properties.ndjson?includedDepartments[]=/departments/37' -H 'X-API-KEY: {key}'

  # One home, as several portals advertise it:
  curl -s '{base}/documents/properties/{property}' -H 'X-API-KEY: {key}'
{by_url}
  # What is most like it:
  curl -s '{base}/documents/properties/{property}/similar-properties' -H 'X-API-KEY: {key}'

  # A saved search, and what the moving market has brought it since; ask again after a minute:
  curl -s '{base}/searches/{search}' -H 'X-API-KEY: {key}'
  curl -s '{base}/searches/{search}/matches' -H 'X-API-KEY: {key}'

  # What was sent for it, when, and what the receiver said; send one again with POST …/replay:
  curl -s '{base}/deliveries?search=/searches/{search}' -H 'X-API-KEY: {key}'

  # The secret its messages are signed with:
  curl -s '{base}/webhook-secret' -H 'X-API-KEY: {key}'

  # Try a search before saving it: how many there are, and how many would have come in the last 7 and 30 days:
  curl -s '{base}/searches/preview' -H 'X-API-KEY: {key}' -H 'Content-Type: application/json' \\
    -d '{{\"transactionType\":0,\"propertyTypes\":[1],\"budgetMax\":300000,\"expressions\":[\"jardin\"]}}'

  # Why a property does or does not meet a saved search:
  curl -s '{base}/searches/{search}/explain?property={property}' -H 'X-API-KEY: {key}'

  # What somebody may mean who types \"marsei\" (no key needed):
  curl -s '{base}/public/location-autocomplete?query=marsei'

  # The cities of a zipcode:
  curl -s '{base}/cities?zipcode[]=37000' -g -H 'X-API-KEY: {key}'

  # Send an advert of your own; send it again with another price, and see the event:
  curl -s '{base}/adverts' -H 'X-API-KEY: {key}' -H 'Content-Type: application/json' \\
    -d '{{\"site\":\"mon-agence.example\",\"reference\":\"1\",\"transactionType\":0,\"propertyType\":0,\"price\":250000,\"surface\":62,\"zipcode\":\"37000\",\"cityName\":\"Tours\",\"title\":\"Appartement 3 pièces\"}}'

  # What the process counts:
  curl -s '{base}/metrics'

Webhooks of the saved searches arrive at a receiver of the demo's own, at {receiver}, which checks their
signatures and prints the first of them here. Letters are written into {mail}.
Ctrl-C ends it.
",
        by_url = by_url.unwrap_or_default(),
        mail = mail.display(),
    ));
}
