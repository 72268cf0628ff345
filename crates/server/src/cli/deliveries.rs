//! `vigie deliveries`

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use app::App;
use app::deliveries::Replayed;
use clap::{Args, Subcommand};
use domain::{
    CancelReason, DeliveryChannel, DeliveryId, DeliveryState, PhaseTimings, ResponseHeader, Timestamp,
};
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
    /// List deliveries of all users, newest first: id, date, state, channel, event, search, property, attempts.
    List {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        filters: Filters,
    },
    /// Show a delivery and all its attempts.
    Show {
        #[command(flatten)]
        common: Common,
        /// Id or path of the delivery
        delivery: String,
    },
    /// Send a delivery again, whether it succeeded, failed or was cancelled.
    Replay {
        #[command(flatten)]
        common: Common,
        /// Id or path of the delivery
        delivery: String,
    },
    /// Hold all deliveries: a server records matches and queues deliveries, but sends none until they are released.
    Hold {
        #[command(flatten)]
        common: Common,
    },
    /// Send deliveries that are held, after a restored backup or `hold`.
    Release {
        #[command(flatten)]
        common: Common,
    },
    /// Send all deliveries of a search again that failed, or were cancelled while its notifications were off.
    ReplaySearch {
        #[command(flatten)]
        common: Common,
        /// Id or path of the search
        search: String,
        /// Only deliveries created on this date or later
        #[arg(long, value_name = "DATE")]
        since: String,
    },
}

#[derive(Debug, Args)]
struct Filters {
    /// Id or path of a search
    #[arg(long)]
    search: Option<String>,
    /// State: pending, leased, delivered, failed or cancelled
    #[arg(long)]
    state: Option<String>,
    /// Channel: endpointRecipient, eventEndpoint or notificationRecipient
    #[arg(long)]
    channel: Option<String>,
    /// Created on this date or later
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Created on this date or earlier
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Maximum number of deliveries
    #[arg(long, default_value_t = 100)]
    limit: u64,
    /// Number of deliveries to skip
    #[arg(long, default_value_t = 0)]
    skip: u64,
}

pub async fn run(args: DeliveriesArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        DeliveriesCommand::List { common, filters } => list(&common, &filters).await,
        DeliveriesCommand::Show { common, delivery } => show(&common, &delivery).await,
        DeliveriesCommand::Replay { common, delivery } => replay(&common, &delivery).await,
        DeliveriesCommand::Hold { common } => hold(&common).await,
        DeliveriesCommand::Release { common } => release(&common).await,
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
    let app = open::existing_app(&config)?;
    let search = match search {
        Some(text) => Some(find_search(&app, text).await?.number),
        None => None,
    };
    let list = DeliveryList { owner: None, search, state, channel, from, until, skip: *skip, take: *limit };
    let page = app.deliveries(list).await?;
    let lines: String = page.deliveries.iter().map(|row| line(row, zone) + "\n").collect();
    output::print(&lines)?;
    if let Some(since) = app.deliveries_held().await? {
        output::eprint_line(&format!(
            "Deliveries are held since {since}: none is sent until `vigie deliveries release`."
        ));
    }
    let shown = page.deliveries.len() as u64;
    if shown < page.total {
        let total = page.total;
        output::eprint_line(&format!(
            "Showing {shown} of {total} deliveries; use --limit and --skip to see more."
        ));
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(common: &Common, delivery: &str) -> anyhow::Result<ExitCode> {
    let id = delivery_id(delivery)?;
    let config = common.load()?;
    let app = open::existing_app(&config)?;
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
    let app = open::existing_app(&common.load()?)?;
    match app.replay_delivery(None, id).await? {
        Replayed::Done => output::eprint_line(&format!("Delivery {id} will be sent again.")),
        Replayed::Unknown => bail!(unknown(id)),
        Replayed::InProgress => bail!("delivery {id} is pending or in progress; there is nothing to replay"),
        Replayed::SearchDeleted => bail!("cannot replay delivery {id}: its search was deleted"),
        Replayed::Erased => bail!("cannot replay delivery {id}: its advert was erased"),
        Replayed::ChannelInactive(CancelReason::Disabled) => {
            bail!(
                "cannot replay delivery {id}: notifications of its search are off (notificationEnabled is false)"
            )
        }
        Replayed::ChannelInactive(_) => {
            bail!("cannot replay delivery {id}: its search no longer has a recipient")
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn replay_search(common: &Common, search: &str, since: &str) -> anyhow::Result<ExitCode> {
    let config = common.load()?;
    let since = read_date(since, &config.time_zone, date::first_second)?;
    let app = open::existing_app(&config)?;
    let search = find_search(&app, search).await?;
    let count = app.replay_failed(&search, since).await?;
    let id = search.search.id;
    let count = count.with_context(|| {
        format!("cannot replay search {id}: its notifications are off (notificationEnabled is false)")
    })?;
    output::eprint_line(&format!("{count} deliveries of search {id} will be sent again."));
    Ok(ExitCode::SUCCESS)
}

async fn hold(common: &Common) -> anyhow::Result<ExitCode> {
    let app = open::existing_app(&common.load()?)?;
    let since = app.hold_deliveries().await?;
    output::eprint_line(&format!(
        "Deliveries are held since {since}. Attempts in progress end; within a second, no other is made until `vigie deliveries release`."
    ));
    Ok(ExitCode::SUCCESS)
}

async fn release(common: &Common) -> anyhow::Result<ExitCode> {
    let app = open::existing_app(&common.load()?)?;
    if let Some(pending) = app.release_deliveries().await? {
        output::eprint_line(&format!(
            "Deliveries are released. A running server sends the {pending} that wait within a second, as they become due."
        ));
    } else {
        output::eprint_line("Deliveries were not held.");
    }
    Ok(ExitCode::SUCCESS)
}

async fn find_search(app: &App, text: &str) -> anyhow::Result<StoredSearch> {
    let id = iri::parse_search(text).with_context(|| format!("\"{text}\" is not a search id"))?;
    app.search(id).await?.with_context(|| format!("search {id} does not exist"))
}

fn delivery_id(text: &str) -> anyhow::Result<DeliveryId> {
    iri::parse_delivery(text).with_context(|| format!("\"{text}\" is not a delivery id"))
}

fn unknown(id: DeliveryId) -> String {
    format!("delivery {id} does not exist; finished deliveries are deleted after delivery.retention")
}

fn read_state(text: &str) -> anyhow::Result<StateKind> {
    parse_state(text).with_context(|| {
        format!("\"{text}\" is not a delivery state; use pending, leased, delivered, failed or cancelled")
    })
}

fn read_channel(text: &str) -> anyhow::Result<DeliveryChannel> {
    names::parse_delivery_channel(text).with_context(|| {
        format!(
            "\"{text}\" is not a delivery channel; use endpointRecipient, eventEndpoint or notificationRecipient"
        )
    })
}

fn read_date(
    text: &str,
    zone: &TimeZone,
    read: impl Fn(&str, &TimeZone) -> Option<Timestamp>,
) -> anyhow::Result<Timestamp> {
    read(text, zone).with_context(|| format!("\"{text}\" is not a date such as 2024-05-31"))
}

fn line(row: &DeliveryRow, zone: &TimeZone) -> String {
    let DeliveryRow {
        id,
        lane,
        search,
        notification,
        state,
        created_at,
        state_at,
        attempts,
        subject: about,
        ..
    } = row;
    let event = match notification {
        Notification::Match(_) => None,
        Notification::Event(name, _) => Some(*name),
    };
    let when = date::format(*state_at, zone);
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
    let created_at = date::format(*created_at, zone);
    format!("{id}\t{created_at}\t{state}\t{channel}\t{event}\t{search}\t{property}\t{attempts}")
}

/// Formats an attempt: one line, and an indented one for its phases and for each header of the response. Text from receivers is escaped, so that it cannot control the terminal.
fn attempt_line(number: usize, attempt: &Attempt, zone: &TimeZone) -> String {
    let Attempt {
        started_at: began_at,
        duration: took,
        outcome,
        status,
        target,
        response_excerpt: excerpt,
        response_headers,
        timings,
        certificate,
    } = attempt;
    let (began_at, outcome) = (date::format(*began_at, zone), names::outcome(*outcome));
    let status = status.map_or("-".to_owned(), |status| status.to_string());
    let target = target.as_deref().unwrap_or("-").escape_debug();
    let excerpt = wire::delivery::lossy_text(excerpt);
    // An attempt that failed because of the certificate has no answer.
    let detail = certificate.map(names::certificate_fault).unwrap_or_default();
    let answer = if detail.is_empty() { excerpt.escape_debug().to_string() } else { detail.to_owned() };
    let mut lines =
        format!("{number}\t{began_at}\t{} ms\t{outcome}\t{status}\t{target}\t{answer}", took.as_millis());
    if let Some(phases) = phases(*timings) {
        lines.push_str(&format!("\n\t{phases}"));
    }
    for ResponseHeader { name, value } in response_headers {
        lines.push_str(&format!("\n\t{}: {}", name.escape_debug(), value.escape_debug()));
    }
    lines
}

/// Formats the phases that began; `None` if none did.
fn phases(timings: PhaseTimings) -> Option<String> {
    let PhaseTimings { name, connect, tls, first_byte } = timings;
    let phases = [("name", name), ("connect", connect), ("TLS", tls), ("first byte", first_byte)];
    let began = |(phase, took): (&str, Option<Duration>)| Some(format!("{phase} {} ms", took?.as_millis()));
    let texts: Vec<String> = phases.into_iter().filter_map(began).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}
