//! One reading of the metrics. It parses the text that `/metrics` answers with, so the series can show nothing else.

use std::collections::BTreeMap;

use domain::Timestamp;

/// The route whose time is shown.
const SEARCH_ROUTE: &str = "method=\"GET\",route=\"/documents/properties\"";

/// What is counted, with the metric and a part of its labels. Values of all labels that fit are added up.
const COUNTERS: [(&str, &str, &str); 10] = [
    ("advertsCreated", "vigie_adverts_total", "outcome=\"Created\""),
    ("advertsUpdated", "vigie_adverts_total", "outcome=\"Updated\""),
    ("advertsUnchanged", "vigie_adverts_total", "outcome=\"Unchanged\""),
    ("advertsRefused", "vigie_adverts_total", "outcome=\"Rejected\""),
    ("requests", "vigie_http_requests_total", ""),
    ("requestsFailed", "vigie_http_requests_total", "status=\"5"),
    ("searches", "vigie_http_request_seconds_count", SEARCH_ROUTE),
    ("matches", "vigie_matcher_matches_total", ""),
    ("deliveriesDelivered", "vigie_deliveries_delivered_total", ""),
    ("deliveriesFailed", "vigie_deliveries_failed_total", ""),
];

/// The values of one moment.
#[derive(Debug, Clone)]
pub struct Sample {
    pub at: Timestamp,
    /// Totals since the process started.
    pub counters: BTreeMap<&'static str, f64>,
    pub gauges: BTreeMap<&'static str, f64>,
    /// Searches that took at most so many seconds: bound and total.
    pub buckets: Vec<(f64, f64)>,
}

impl Sample {
    /// Reads the text of `/metrics`. Memory and free space are no metrics.
    pub fn read(at: Timestamp, metrics: &str, memory: Option<u64>, disk_free: Option<u64>) -> Self {
        let lines: Vec<Line<'_>> = metrics.lines().filter_map(Line::parse).collect();
        let sum = |name: &str, label: &str| -> f64 {
            let fits = |line: &&Line<'_>| line.name == name && line.labels.contains(label);
            lines.iter().filter(fits).map(|line| line.value).sum()
        };
        let position = sum("vigie_log_position", "");
        let mut gauges = BTreeMap::from([
            ("indexLag", (position - sum("vigie_index_position", "")).max(0.0)),
            ("matcherLag", (position - sum("vigie_matcher_position", "")).max(0.0)),
            ("deliveriesPending", sum("vigie_deliveries_pending", "")),
            ("oldestDueSeconds", sum("vigie_deliveries_oldest_due_seconds", "")),
            ("databaseBytes", sum("vigie_store_bytes", "part=\"database\"")),
        ]);
        gauges.extend(memory.map(|bytes| ("memoryBytes", bytes as f64)));
        gauges.extend(disk_free.map(|bytes| ("diskFreeBytes", bytes as f64)));
        let is_bucket = |line: &&Line<'_>| {
            line.name == "vigie_http_request_seconds_bucket" && line.labels.contains(SEARCH_ROUTE)
        };
        let mut buckets: Vec<(f64, f64)> = lines
            .iter()
            .filter(is_bucket)
            .filter_map(|line| Some((bound(line.labels)?, line.value)))
            .collect();
        buckets.sort_by(|left, right| left.0.total_cmp(&right.0));
        let counters = COUNTERS.iter().map(|(series, name, label)| (*series, sum(name, label))).collect();
        Self { at, counters, gauges, buckets }
    }
}

/// A line such as `vigie_adverts_total{outcome="Created"} 3`.
struct Line<'a> {
    name: &'a str,
    labels: &'a str,
    value: f64,
}

impl<'a> Line<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if text.starts_with('#') {
            return None;
        }
        let (series, value) = text.rsplit_once(' ')?;
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        Some(Self { name, labels, value: value.parse().ok()? })
    }
}

/// Returns the bound of a bucket of a histogram.
fn bound(labels: &str) -> Option<f64> {
    let text = labels.split("le=\"").nth(1)?.split('"').next()?;
    if text == "+Inf" { Some(f64::INFINITY) } else { text.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Metrics, RequestLabels, RouteLabels};

    #[test]
    fn metrics_are_read_back() {
        let metrics = Metrics::default();
        let route = |route: &str| RouteLabels { method: "GET".to_owned(), route: route.to_owned() };
        for (path, seconds) in
            [("/documents/properties", 0.000_2), ("/documents/properties", 0.5), ("/x", 9.0)]
        {
            metrics.request_seconds.get_or_create(&route(path)).observe(seconds);
            for status in [200, 503] {
                let labels = RequestLabels { method: "GET".to_owned(), route: path.to_owned(), status };
                metrics.requests.get_or_create(&labels).inc();
            }
        }
        metrics.log_position.set(7);
        metrics.count(&[app::ingest::Receipt::Rejected { violations: Vec::new() }]);
        // A metric that was renamed would read as zero.
        for (series, name, _) in COUNTERS {
            let family = name.trim_end_matches("_total").trim_end_matches("_count");
            assert!(metrics.print().contains(&format!("# TYPE {family} ")), "{series}: {name}");
        }
        let sample = Sample::read(Timestamp::UNIX_EPOCH, &metrics.print(), Some(5), None);
        assert_eq!((sample.counters["requests"], sample.counters["requestsFailed"]), (6.0, 3.0));
        assert_eq!((sample.counters["searches"], sample.counters["advertsCreated"]), (2.0, 0.0));
        assert_eq!((sample.gauges["indexLag"], sample.gauges["memoryBytes"]), (7.0, 5.0));
        assert!(!sample.gauges.contains_key("diskFreeBytes"));
        assert_eq!(sample.buckets.last(), Some(&(f64::INFINITY, 2.0)));
        assert_eq!(
            sample.buckets.iter().find(|(bound, _)| *bound > 0.000_2).map(|(_, count)| *count),
            Some(1.0)
        );
    }
}
