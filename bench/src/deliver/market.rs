//! Saved searches with endpoints at the receiver, and adverts that match them.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use app::App;
use app::system::{RandomIds, SystemClock};
use app::workers::follower::Progress;
use app::workers::matcher::Matcher;
use domain::draft::Lifecycle;
use domain::{AdvertDraft, Amount, FieldUpdate, PropertyType, Scopes, TransactionType};
use places::Gazetteer;
use serde_json::{Value, json};
use store::SqlStore;

use super::receiver::Receiver;
use crate::search::dataset::Dataset;
use crate::serve::client::Client;
use crate::serve::process::Process;

/// Adverts per commit.
const PER_COMMIT: usize = 2_000;

/// The price decides which search an advert matches.
const PRICE_FIRST: f64 = 100_000.0;
const PRICE_STEP: f64 = 1_000.0;

/// Which adverts a search matches.
#[derive(Debug, Clone, Copy)]
pub enum SearchScope {
    Everything,
    /// The adverts that [`adverts_for`] gives this route.
    Route(usize),
}

/// Creates an empty data folder and returns a key for it.
pub fn make_folder(folder: &Path) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let app = app(folder)?;
    Ok(runtime.block_on(app.create_key("bench", Scopes::all()))?.1.reveal())
}

fn app(folder: &Path) -> anyhow::Result<App> {
    let store = Arc::new(SqlStore::open(folder)?);
    let places = Arc::new(Gazetteer::embedded()?);
    Ok(App::new(store, Arc::new(SystemClock), Arc::new(RandomIds), places).with_matcher())
}

/// Saves one search per scope. Their endpoints are the hosts of the receiver in turn.
pub fn save(
    server: &Process,
    key: &str,
    receiver: &Receiver,
    searches: &[SearchScope],
) -> anyhow::Result<()> {
    let mut client = Client::connect(server.address, key)?;
    for (number, wanted) in searches.iter().enumerate() {
        let mut body = json!({
            "title": format!("search {number}"), "transactionType": TransactionType::Sell.code(),
            "propertyTypes": PropertyType::ALL.iter().map(|kind| kind.code()).collect::<Vec<_>>(),
            "withCoherentPrice": false, "notificationEnabled": true, "endpointRecipient": receiver.url(number),
        });
        if let SearchScope::Route(route) = wanted {
            (body["budgetMin"], body["budgetMax"]) = (json!(price(*route)), json!(price(*route)));
        }
        let answer = client.post("/searches", &serde_json::to_vec(&body)?)?;
        ensure!(answer.status == 201, "{}", String::from_utf8_lossy(answer.body));
    }
    Ok(())
}

fn price(route: usize) -> f64 {
    PRICE_FIRST + PRICE_STEP * route as f64
}

/// Returns one advert for sale per property, each matching one of `routes` searches in turn.
pub fn adverts_for(dataset: &Dataset, routes: usize) -> anyhow::Result<Vec<AdvertDraft>> {
    let draft = |number: u64| {
        let mut drafts = dataset.world().property(number).drafts;
        let mut draft = if drafts.is_empty() { None } else { Some(drafts.swap_remove(0)) }?;
        draft.transaction_type = TransactionType::Sell;
        // Expired adverts create no matches.
        draft.lifecycle = Lifecycle::Live;
        let route = usize::try_from(number).ok()? % routes.max(1);
        draft.patch.price = FieldUpdate::Set(Amount::new(price(route)));
        Some(draft)
    };
    let drafts: Vec<AdvertDraft> = (0..dataset.len()).filter_map(draft).collect();
    ensure!(drafts.iter().all(|draft| draft.property.is_some()), "an advert does not name its property");
    Ok(drafts)
}

/// Returns the id of the property of an advert, as written in messages.
pub fn property_of(draft: &AdvertDraft) -> anyhow::Result<String> {
    Ok(draft.property.context("an advert does not name its property")?.to_string())
}

pub fn to_json(drafts: &[AdvertDraft]) -> anyhow::Result<Vec<u8>> {
    let drafts: Vec<Value> = drafts.iter().map(wire::advert_draft::write).collect();
    Ok(serde_json::to_vec(&drafts)?)
}

/// Ingests adverts and matches them without a server, so that all messages are pending and none is sent.
pub fn ingest_and_match(folder: &Path, drafts: Vec<AdvertDraft>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let app = app(folder)?;
        let mut drafts = drafts.into_iter().peekable();
        while drafts.peek().is_some() {
            app.ingest(drafts.by_ref().take(PER_COMMIT).collect()).await?;
        }
        let mut matcher = Matcher::new(&app).context("the app has no matcher")?;
        while matcher.run_once().await? == Progress::More {}
        Ok(())
    })
}
