//! `bench grouping-quality`: ingests a market with hard cases, and compares the properties with the true homes.
//!
//! The drafts name no property: what the service groups, it groups by itself. The towns are few, so that one town has many adverts
//! that resemble each other.

mod print;

use std::time::Instant;

use anyhow::{Context, ensure};
use app::App;
use app::ingest::Receipt;
use clap::Args;
use domain::{AdvertDraft, AdvertId, Identity, PropertyId};
use server::config::{Config, Sources};
use world::{LabelledAdvert, Random, Settings, World, differing_pairs, grouping_report, sample};

#[derive(Debug, Args)]
pub struct GroupingQualityArgs {
    /// Number of adverts
    #[arg(long, default_value_t = 50_000)]
    adverts: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print pairs that were missed or wrongly put together, up to five of each sort
    #[arg(long)]
    examples: bool,
    /// Ingest three different orders, and print how many pairs differ between them
    #[arg(long)]
    order: bool,
    /// Fail if the precision is under 0.99 or the recall under 0.95
    #[arg(long)]
    check: bool,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
}

/// The batch size of `vigie import`.
const PER_BATCH: usize = 500;

/// The targets of the project for the generated market.
const PRECISION_MIN: f64 = 0.99;
const RECALL_MIN: f64 = 0.95;

const ORDERS: u64 = 3;

#[tokio::main]
pub async fn run(args: &GroupingQualityArgs) -> anyhow::Result<()> {
    let market = market(args)?;
    println!("{} adverts (seed {})", market.len(), args.seed);
    let found = group(&market, args.seed, 0).await?;
    let report = grouping_report(&market, &found);
    print!("{}", print::tables(&report, args.markdown));
    if args.examples {
        print!("{}", print::examples(&report, &market));
    }
    println!("{report}");
    if args.order {
        print_orders(args, &market, found).await?;
    }
    if args.check {
        ensure!(
            report.reaches(PRECISION_MIN, RECALL_MIN),
            "the precision must be at least {PRECISION_MIN} and the recall at least {RECALL_MIN}"
        );
    }
    Ok(())
}

fn market(args: &GroupingQualityArgs) -> anyhow::Result<Vec<LabelledAdvert>> {
    let start = "2026-01-01T00:00:00Z".parse()?;
    // More cases than needed: each has at least one advert.
    let settings = Settings::new(args.adverts as u64, start);
    let world = World::new(args.seed, sample::towns(), settings)?;
    Ok(world.hard_market().take(args.adverts).collect())
}

/// Ingests the market in other orders, and prints how far the groupings are from each other.
async fn print_orders(
    args: &GroupingQualityArgs,
    market: &[LabelledAdvert],
    first: Vec<PropertyId>,
) -> anyhow::Result<()> {
    let mut groupings = vec![first];
    for order in 1..ORDERS {
        let found = group(market, args.seed, order).await?;
        println!("order {}: {}", order + 1, grouping_report(market, &found));
        groupings.push(found);
    }
    for (first, one) in groupings.iter().enumerate() {
        for (second, other) in groupings.iter().enumerate().skip(first + 1) {
            println!("orders {} and {}: {} pairs differ", first + 1, second + 1, differing_pairs(one, other));
        }
    }
    Ok(())
}

/// Ingests the market into an empty folder in a random order, and returns the property of each advert.
async fn group(market: &[LabelledAdvert], seed: u64, order: u64) -> anyhow::Result<Vec<PropertyId>> {
    let folder = tempfile::tempdir()?;
    let config = Config::load(Sources::defaults())
        .map_err(|problems| anyhow::anyhow!("the default settings are invalid: {problems:?}"))?;
    let app = server::open::app(&Config { data: folder.path().to_owned(), ..config })?;

    let mut positions: Vec<usize> = (0..market.len()).collect();
    let mut random = Random::new(seed.wrapping_add(order));
    for last in (1..positions.len()).rev() {
        positions.swap(last, usize::try_from(random.below(last as u64 + 1))?);
    }
    let started = Instant::now();
    let mut adverts: Vec<Option<AdvertId>> = vec![None; market.len()];
    for batch in positions.chunks(PER_BATCH) {
        let drafts: Vec<AdvertDraft> = batch.iter().map(|position| market[*position].draft.clone()).collect();
        for (position, receipt) in batch.iter().zip(app.ingest(drafts).await?) {
            let Receipt::Accepted { advert, .. } = receipt else {
                anyhow::bail!("an advert was rejected: {receipt:?}")
            };
            adverts[*position] = Some(advert);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("ingested in {seconds:.1} s, {:.0} adverts per second", market.len() as f64 / seconds.max(1e-9));
    properties(&app, adverts).await
}

/// Reads the properties back: a later advert may have moved an earlier one.
async fn properties(app: &App, adverts: Vec<Option<AdvertId>>) -> anyhow::Result<Vec<PropertyId>> {
    let mut properties = Vec::with_capacity(adverts.len());
    let identities: Vec<Identity> = adverts.into_iter().flatten().map(Identity::Uuid).collect();
    for batch in identities.chunks(PER_BATCH) {
        for located in app.store().locate(batch.to_vec()).await? {
            properties.push(located.context("an ingested advert is not in the store")?.property);
        }
    }
    Ok(properties)
}
