//! `vigie deliveries`

use std::process::ExitCode;

use anyhow::{Context, bail};
use app::App;
use app::deliveries::Replayed;
use clap::{Args, Subcommand};
use domain::{CancelReason, DeliveryChannel, DeliveryId, DeliveryState, Timestamp};
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use store::{Attempt, DeliveryList, DeliveryRow, Notification, StateKind, StoredSearch};
use wire::{date, iri, names};

use super::{Common, output};
use crate::http::deliveries::parse_state;
use crate::open;

#[derive(Debug, Args)]
pub struct DeliveriesArgs {
    #[command(subcommand)]
    command: DeliveriesCommand,
}

#[derive(Debug, Subcommand)]
enum DeliveriesCommand {
    /// List deliveries of everybody, the newest first: id, date, state, channel, event, search, property, attempts.
    List {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        filters: Filters,
    },
    /// Show a delivery and every attempt to bring it.
    Show {
        #[command(flatten)]
        common: Common,
        /// The id of the delivery, or its path
        delivery: String,
    },
    /// Send a delivery again, whatever became of it.
    Replay {
        #[command(flatten)]
        common: Common,
        /// The id of the delivery, or its path
        delivery: String,
    },
    /// Send everything of a search again that failed, or was not sent because its alerts were off.
    ReplaySearch {
        #[command(flatten)]
        common: Common,
        /// The id of the search, or its path
        search: String,
        /// Since when: what became owed earlier is left alone
        #[arg(long, value_name = "DATE")]
        since: String,
    },
}

#[derive(Debug, Args)]
struct Filters {
    /// The id of a search, or its path
    #[arg(long)]
    search: Option<String>,
    /// pending, leased, delivered, failed or cancelled
    #[arg(long)]
    state: Option<String>,
    /// endpointRecipient, eventEndpoint or notificationRecipient
    #[arg(long)]
    channel: Option<String>,
    /// Owed on this date or later
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Owed on this date or earlier
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 100)]
    limit: u64,
    /// How many to pass over
    #[arg(long, default_value_t = 0)]
    skip: u64,
}

pub async fn run(args: DeliveriesArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        DeliveriesCommand::List { common, filters } => list(&common, &filters).await,
        DeliveriesCommand::Show { common, delivery } => show(&common, &delivery).await,
        DeliveriesCommand::Replay { common, delivery } => replay(&common, &delivery).await,
        DeliveriesCommand::ReplaySearch { common, search, since } => {
            replay_search(&common, &search, &since).await
        }
    }
}

async fn list(common: &Common, filters: &Filters) -> anyhow::Result<ExitCode> {
    let config = common.load()?;
    let zone = &config.time_zone;
    let Filters { search, state, channel, from, to, limit, skip } = filters;
    let state = state.as_deref().map(read_state).transpose()?;
    let channel = channel.as_deref().map(read_channel).transpose()?;
    let from = from.as_deref().map(|text| read_date(text, zone, date::first_second)).transpose()?;
    let last = to.as_deref().map(|text| read_date(text, zone, date::last_second)).transpose()?;
    let until = last.map(|last| last.checked_add(SignedDuration::from_secs(1)).unwrap_or(Timestamp::MAX));
    let app = open::existing(&config)?;
    let search = match search {
        Some(text) => Some(found(&app, text).await?.number),
        None => None,
    };
    let asked = DeliveryList { owner: None, search, state, channel, from, until, skip: *skip, take: *limit };
    let page = app.deliveries(asked).await?;
    let lines: String = page.deliveries.iter().map(|row| line(row, zone) + "\n").collect();
    output::print(&lines)?;
    let shown = page.deliveries.len() as u64;
    if shown < page.total {
        let total = page.total;
        output::note(&format!("{shown} of {total} deliveries; --limit and --skip show others."));
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(common: &Common, delivery: &str) -> anyhow::Result<ExitCode> {
    let id = delivery_id(delivery)?;
    let config = common.load()?;
    let app = open::existing(&config)?;
    let (row, attempts) = app.delivery_of(None, id).await?.with_context(|| unknown(id))?;
    let mut lines = line(&row, &config.time_zone) + "\n";
    for (index, attempt) in attempts.iter().enumerate() {
        lines += &(attempt_line(index + 1, attempt, &config.time_zone) + "\n");
    }
    output::print(&lines)?;
    Ok(ExitCode::SUCCESS)
}

async fn replay(common: &Common, delivery: &str) -> anyhow::Result<ExitCode> {
    let id = delivery_id(delivery)?;
    let app = open::existing(&common.load()?)?;
    match app.replay_delivery(None, id).await? {
        Replayed::Done => output::note(&format!("Delivery {id} will be sent again.")),
        Replayed::Unknown => bail!(unknown(id)),
        Replayed::UnderWay => bail!("delivery {id} is yet to be sent, or is being sent"),
        Replayed::SearchDeleted => bail!("the search of delivery {id} was deleted"),
        Replayed::Erased => bail!("what delivery {id} tells of was erased"),
        Replayed::Silent(CancelReason::Disabled) => bail!("the search of delivery {id} is switched off"),
        Replayed::Silent(_) => bail!("the search of delivery {id} does not say where to send it"),
    }
    Ok(ExitCode::SUCCESS)
}

async fn replay_search(common: &Common, search: &str, since: &str) -> anyhow::Result<ExitCode> {
    let config = common.load()?;
    let since = read_date(since, &config.time_zone, date::first_second)?;
    let app = open::existing(&config)?;
    let search = found(&app, search).await?;
    let count = app.replay_failed(&search, since).await?;
    let id = search.search.id;
    let count = count.with_context(|| format!("search {id} is switched off"))?;
    output::note(&format!("{count} deliveries of search {id} will be sent again."));
    Ok(ExitCode::SUCCESS)
}

async fn found(app: &App, text: &str) -> anyhow::Result<StoredSearch> {
    let id = iri::parse_search(text).with_context(|| format!("\"{text}\" is not the id of a search"))?;
    app.search(id).await?.with_context(|| format!("there is no search {id}"))
}

fn delivery_id(text: &str) -> anyhow::Result<DeliveryId> {
    iri::parse_delivery(text).with_context(|| format!("\"{text}\" is not the id of a delivery"))
}

fn unknown(id: DeliveryId) -> String {
    format!("there is no delivery {id}; those that came to an end are forgotten after a while")
}

fn read_state(text: &str) -> anyhow::Result<StateKind> {
    parse_state(text).with_context(|| format!("\"{text}\" is not a state of a delivery"))
}

fn read_channel(text: &str) -> anyhow::Result<DeliveryChannel> {
    names::parse_delivery_channel(text).with_context(|| format!("\"{text}\" is not a channel of deliveries"))
}

fn read_date(
    text: &str,
    zone: &TimeZone,
    read: impl Fn(&str, &TimeZone) -> Option<Timestamp>,
) -> anyhow::Result<Timestamp> {
    read(text, zone).with_context(|| format!("\"{text}\" is not a date"))
}

fn line(row: &DeliveryRow, zone: &TimeZone) -> String {
    let DeliveryRow { id, lane, search, notification, state, created_at, state_at, attempts, about, .. } =
        row;
    let event = match notification {
        Notification::Match(_) => None,
        Notification::Event(name, _) => Some(*name),
    };
    let when = date::print(*state_at, zone);
    let state = match state {
        DeliveryState::Pending => format!("pending until {when}"),
        DeliveryState::Leased => "leased".to_owned(),
        DeliveryState::Delivered | DeliveryState::Failed => {
            format!("{} {when}", names::delivery_state(*state))
        }
        DeliveryState::Cancelled(reason) => format!("cancelled ({}) {when}", names::cancel_reason(*reason)),
    };
    let search = search.map_or("-".to_owned(), |search| search.to_string());
    let property = about.map_or("-".to_owned(), |(property, _)| property.to_string());
    let (channel, event) = (names::delivery_channel(lane.channel), names::delivery_subject(event));
    let created_at = date::print(*created_at, zone);
    format!("{id}\t{created_at}\t{state}\t{channel}\t{event}\t{search}\t{property}\t{attempts}")
}

/// What strangers wrote is escaped: it must not move the cursor of whoever reads this.
fn attempt_line(number: usize, attempt: &Attempt, zone: &TimeZone) -> String {
    let Attempt { began_at, took, outcome, status, target, excerpt } = attempt;
    let (began_at, outcome) = (date::print(*began_at, zone), names::outcome(*outcome));
    let status = status.map_or("-".to_owned(), |status| status.to_string());
    let target = target.as_deref().unwrap_or("-").escape_debug();
    let legible = wire::delivery::legible(excerpt);
    let answer = legible.escape_debug();
    format!("{number}\t{began_at}\t{} ms\t{outcome}\t{status}\t{target}\t{answer}", took.as_millis())
}
