//! `bench growth`: how large the database becomes while a market is in motion, on a simulated clock, with retention and without.
//!
//! The market is stationary: as many properties leave it as come. So whatever still grows after a few months grows for ever. Matcher,
//! dispatcher and retention are those of the server; receivers accept everything at once.

mod market;
mod service;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use app::workers::retention::{Pace, Settings};
use clap::Args;

use crate::table;
use market::{Market, MarketSettings};
use service::{Rows, Service};

const DAY: Duration = Duration::from_secs(86_400);

#[derive(Debug, Args)]
pub struct GrowthArgs {
    /// Number of properties on offer at any time
    #[arg(long, default_value_t = 3_000)]
    stock: u64,
    /// Number of saved searches, each with webhooks for matches and events
    #[arg(long, default_value_t = 40)]
    searches: u32,
    /// Number of months, of 30 days each
    #[arg(long, default_value_t = 12)]
    months: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
}

/// What is simulated.
#[derive(Debug, Clone, Copy)]
struct Simulation {
    market: MarketSettings,
    searches: u32,
    months: u32,
    days_per_month: u32,
    delivery_retention: Duration,
    retention: Settings,
}

const OFF: Settings = Settings { log: None, matches: None, expired_properties: None, pace: Pace::Immediate };

pub fn run(args: &GrowthArgs) -> anyhow::Result<()> {
    let defaults = Settings { log: Some(30 * DAY), matches: Some(180 * DAY), ..OFF };
    let all = Settings { expired_properties: Some(180 * DAY), ..defaults };
    let simulation = Simulation {
        market: MarketSettings { stock: args.stock, life_days: 60, seed: args.seed },
        searches: args.searches,
        months: args.months,
        days_per_month: 30,
        delivery_retention: 30 * DAY,
        retention: OFF,
    };
    for (title, retention) in [
        ("Without retention (retention.log = \"off\")", OFF),
        ("With the defaults (log 30d, matches 180d, expired properties kept)", defaults),
        ("With expired properties erased after 180d as well", all),
    ] {
        let started = Instant::now();
        let months = simulate(Simulation { retention, ..simulation })?;
        let mut text = String::new();
        table::table(&mut text, title, &Rows::HEAD, &lines(&months), args.markdown);
        print!("{text}");
        println!("simulated in {:.0} s\n", started.elapsed().as_secs_f64());
    }
    Ok(())
}

fn lines(months: &[Rows]) -> Vec<Vec<String>> {
    (1..).zip(months).map(|(month, rows)| rows.line(month)).collect()
}

/// Returns the rows at the end of each month.
fn simulate(simulation: Simulation) -> anyhow::Result<Vec<Rows>> {
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let mut service = Service::open(folder.path(), simulation.delivery_retention)?;
        let mut market = Market::new(simulation.market, service.places())?;
        service.save_searches(simulation.searches, simulation.market.seed).await?;
        service.ingest(market.stock(service.now())).await?;
        let mut months = Vec::new();
        for _ in 0..simulation.months {
            for _ in 0..simulation.days_per_month {
                service.next_day();
                let drafts = market.next_day(service.now());
                service.ingest(drafts).await?;
                service.dispatch().await?;
                service.delete_old(simulation.retention).await?;
            }
            months.push(service.rows(market.on_offer())?);
        }
        Ok(months)
    })
}
