//! How the server fares, for operators with scope `admin`.

use std::collections::{BTreeMap, BTreeSet};

use app::workers::health::WorkerHealth;
use app::workers::retention::RetentionStatus;
use axum::extract::{Request, State};
use axum::response::Response;
use description::OperationId;
use domain::{Timestamp, Violation};
use http::StatusCode;
use wire::status::{
    Head, LogLevelResource, NowFigures, RefusedExample, RefusedReason, RefusedResource, RetentionFigures,
    SeriesOfTime, SiteAdverts, SiteHour, StatusResource, WorkerStatus, parse_log_level,
};

use super::error::{Problem, json};
use super::{Shared, body, health};
use crate::config::value;
use crate::ndjson::Ingested;
use crate::status::history::Point;
use crate::status::received::{HourCounts, ReasonGroup, ReceivedAdvert, SiteCounts};
use crate::status::{self, Sample};

/// Takes one sample for the series.
pub fn sample(shared: &Shared) {
    let disk = status::disk_bytes(&shared.config.data).map(|(free, _)| free);
    let now = shared.app.clock().now();
    let sample = Sample::read(now, &health::current_metrics(shared), status::memory_bytes(), disk);
    shared.status.history.record(sample);
}

/// Counts an advert by outcome and by site, and keeps why it was refused.
pub fn count_advert(shared: &Shared, ingested: &Ingested) {
    let Ingested { receipt, ignored: _, site, reference, url } = ingested;
    shared.metrics.count(std::slice::from_ref(receipt));
    let violations = match receipt {
        app::ingest::Receipt::Accepted { .. } => None,
        app::ingest::Receipt::Rejected { violations } => Some(violations.as_slice()),
    };
    let received = ReceivedAdvert {
        site: site.as_deref(),
        url: url.as_deref(),
        reference: reference.as_deref(),
        violations,
    };
    shared.status.received.record(shared.app.clock().now(), &received);
}

/// `GET /status`
pub async fn one(State(shared): State<Shared>) -> Response {
    let dates = Dates(&shared);
    let now = shared.app.clock().now();
    let RetentionStatus { deleted, size, completed_at } = shared.app.retention_status();
    let worker = |WorkerHealth { name, is_stalled, failures }| WorkerStatus { name, is_stalled, failures };
    let body = StatusResource {
        head: Head::STATUS,
        version: env!("CARGO_PKG_VERSION"),
        started_at: dates.format(shared.started_at),
        log_level: shared.log_control.get().map(|control| control.level()),
        now: now_figures(&shared, now),
        hour: dates.series(&shared.status.history.hour()),
        day: dates.series(&shared.status.history.day()),
        sites: shared
            .status
            .received
            .sites(now)
            .into_iter()
            .map(|(site, counts)| dates.site(site, &counts))
            .collect(),
        workers: shared.app.worker_health().into_iter().map(worker).collect(),
        retention: RetentionFigures {
            completed_at: completed_at.map(|at| dates.format(at)),
            deleted_rows: deleted.by_table().into_iter().collect(),
            free_bytes: size.free_bytes,
            wal_bytes: size.wal_bytes,
            oldest_position: size.oldest_position.0,
        },
        settings: shared.config.changed.clone(),
    };
    json(StatusCode::OK, &body)
}

/// `GET /status/refused`
pub async fn refused(State(shared): State<Shared>) -> Response {
    let dates = Dates(&shared);
    let (total, groups) = shared.status.received.refused();
    let reason = |ReasonGroup { reason, count, last_at, examples }: ReasonGroup| RefusedReason {
        property_path: reason.path,
        code: wire::error::violation_code(reason.kind),
        message: reason.message,
        count,
        last_at: dates.format(last_at),
        examples: examples
            .into_iter()
            .map(|(at, site, reference)| RefusedExample { at: dates.format(at), site, reference })
            .collect(),
    };
    let reasons = groups.into_iter().map(reason).collect();
    json(StatusCode::OK, &RefusedResource { head: Head::REFUSED, total, reasons })
}

/// `PUT /status/log-level`: until the next start.
pub async fn set_log_level(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::SetLogLevel, request).await?;
    let level = parse_log_level(&body).map_err(|violations| Problem::violations(&violations))?;
    let level = value::log_level(level.trim()).map_err(|wrong| {
        Problem::violations(&[Violation::invalid("level", format!("\"{level}\" {wrong}."))])
    })?;
    let control = shared.log_control.get();
    let control = control.ok_or_else(|| {
        Problem::new(
            StatusCode::CONFLICT,
            "The log of this process is not its own, so its level cannot be changed.",
        )
    })?;
    if !control.set(&level) {
        return Err(Problem::internal());
    }
    tracing::warn!(level, "log level changed until the next start");
    Ok(json(StatusCode::OK, &LogLevelResource { head: Head::LOG_LEVEL, level }))
}

fn now_figures(shared: &Shared, now: Timestamp) -> NowFigures {
    let position = shared.app.log_position().0;
    let (index, matcher) = (shared.app.index_status(), shared.app.matcher_status());
    let dispatch = shared.app.dispatch_status();
    let depth = dispatch.as_ref().map(|dispatch| &dispatch.depth);
    let waited = |due: Timestamp| now.duration_since(due).as_secs_f64().max(0.0);
    let disk = status::disk_bytes(&shared.config.data);
    let lag = |reached: Option<u64>| reached.map_or(0, |reached| position.saturating_sub(reached));
    NowFigures {
        is_ready: index.as_ref().is_none_or(|index| index.is_ready),
        log_position: position,
        index_lag: lag(index.as_ref().map(|index| index.position.0)),
        matcher_lag: lag(matcher.as_ref().map(|matcher| matcher.position.map_or(0, |position| position.0))),
        properties: index.as_ref().map_or(0, |index| index.properties as u64),
        saved_searches: matcher.as_ref().map_or(0, |matcher| matcher.searches),
        deliveries_pending: depth.map_or(0, |depth| depth.pending),
        deliveries_in_flight: dispatch.as_ref().map_or(0, |dispatch| dispatch.in_flight),
        deliveries_held: dispatch.as_ref().is_some_and(|dispatch| dispatch.is_held),
        oldest_due_seconds: depth.and_then(|depth| depth.oldest_due_at).map_or(0.0, waited),
        requests_in_flight: u64::try_from(shared.metrics.requests_in_flight.get()).unwrap_or_default(),
        memory_bytes: status::memory_bytes(),
        database_bytes: shared.app.retention_status().size.database_bytes,
        disk_free_bytes: disk.map(|(free, _)| free),
        disk_bytes: disk.map(|(_, whole)| whole),
    }
}

/// Formats what has dates, in the time zone of the service.
struct Dates<'a>(&'a Shared);

impl Dates<'_> {
    fn format(&self, at: Timestamp) -> String {
        wire::date::format(at, &self.0.config.time_zone)
    }

    fn series(&self, points: &[Point]) -> SeriesOfTime {
        let values: Vec<_> = points.iter().map(Point::values).collect();
        let names: BTreeSet<&'static str> = values.iter().flat_map(BTreeMap::keys).copied().collect();
        let column = |name| values.iter().map(|values| values.get(name).copied().flatten()).collect();
        SeriesOfTime {
            times: points.iter().map(|point| self.format(point.at)).collect(),
            series: names.into_iter().map(|name| (name, column(name))).collect(),
        }
    }

    fn site(&self, site: String, counts: &SiteCounts) -> SiteAdverts {
        let hour = |hour: &HourCounts| SiteHour {
            hour: self.format(hour.began_at),
            accepted: hour.accepted,
            refused: hour.refused,
        };
        SiteAdverts {
            site,
            accepted: counts.hours.iter().map(|hour| hour.accepted).sum(),
            refused: counts.hours.iter().map(|hour| hour.refused).sum(),
            last_seen_at: self.format(counts.last_seen_at),
            hours: counts.hours.iter().map(hour).collect(),
        }
    }
}
