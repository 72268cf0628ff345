//! Series of the last hour by minute, and of the last day by quarter of an hour.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Timestamp;

use super::Sample;

/// How often a sample is taken.
pub const SAMPLE_INTERVAL: Duration = Duration::from_secs(60);

const MINUTES: usize = 60;
const QUARTERS: usize = 96;
const MINUTES_PER_QUARTER: usize = 15;

/// What happened between two samples, and how things were at the second.
#[derive(Debug, Clone)]
pub struct Point {
    pub at: Timestamp,
    counts: BTreeMap<&'static str, f64>,
    gauges: BTreeMap<&'static str, f64>,
    /// Searches that took at most so many seconds.
    buckets: Vec<(f64, f64)>,
}

#[derive(Default)]
pub struct History(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    last: Option<Sample>,
    minutes: VecDeque<Point>,
    quarters: VecDeque<Point>,
    /// The minutes of the quarter that is not complete.
    open: Vec<Point>,
}

impl History {
    pub fn record(&self, sample: Sample) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &kept.last {
            let point = Point::between(last, &sample);
            push(&mut kept.minutes, point.clone(), MINUTES);
            kept.open.push(point);
            if kept.open.len() >= MINUTES_PER_QUARTER {
                let open = std::mem::take(&mut kept.open);
                if let Some(quarter) = Point::combined(&open) {
                    push(&mut kept.quarters, quarter, QUARTERS);
                }
            }
        }
        kept.last = Some(sample);
    }

    pub fn hour(&self) -> Vec<Point> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).minutes.iter().cloned().collect()
    }

    /// The last value is that of the quarter that is not complete.
    pub fn day(&self) -> Vec<Point> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.quarters.iter().cloned().chain(Point::combined(&kept.open)).collect()
    }
}

fn push(points: &mut VecDeque<Point>, point: Point, max: usize) {
    if points.len() >= max {
        points.pop_front();
    }
    points.push_back(point);
}

impl Point {
    fn between(before: &Sample, after: &Sample) -> Self {
        let since = |name: &str, total: f64| total - before.counters.get(name).copied().unwrap_or_default();
        let bucket = |index: usize| before.buckets.get(index).map_or(0.0, |(_, count)| *count);
        Self {
            at: after.at,
            counts: after
                .counters
                .iter()
                .map(|(name, total)| (*name, since(name, *total).max(0.0)))
                .collect(),
            gauges: after.gauges.clone(),
            buckets: after
                .buckets
                .iter()
                .enumerate()
                .map(|(index, (bound, count))| (*bound, (count - bucket(index)).max(0.0)))
                .collect(),
        }
    }

    /// Adds counts up. Of the other values it takes the worst: the least free space, the most of everything else.
    fn combined(points: &[Self]) -> Option<Self> {
        let mut combined = points.last()?.clone();
        for point in &points[..points.len() - 1] {
            for (name, count) in &point.counts {
                *combined.counts.entry(name).or_default() += count;
            }
            for (name, value) in &point.gauges {
                let worst = combined.gauges.entry(name).or_insert(*value);
                *worst = if *name == "diskFreeBytes" { worst.min(*value) } else { worst.max(*value) };
            }
            for (own, (bound, count)) in combined.buckets.iter_mut().zip(&point.buckets) {
                if own.0 == *bound {
                    own.1 += count;
                }
            }
        }
        Some(combined)
    }

    /// Returns all values by the names of their series.
    pub fn values(&self) -> BTreeMap<&'static str, Option<f64>> {
        let plain = self.counts.iter().chain(&self.gauges).map(|(name, value)| (*name, Some(*value)));
        let times = [("searchP50Ms", 0.5), ("searchP99Ms", 0.99)];
        plain.chain(times.map(|(name, share)| (name, percentile(&self.buckets, share)))).collect()
    }
}

/// Estimates how many milliseconds this share of the searches took at most, on a line within the bucket. `None` without searches.
fn percentile(buckets: &[(f64, f64)], share: f64) -> Option<f64> {
    let total = buckets.last().map(|(_, count)| *count).filter(|total| *total > 0.0)?;
    let wanted = share * total;
    let (mut lower, mut below) = (0.0, 0.0);
    for (bound, count) in buckets {
        if *count >= wanted {
            // Beyond the last bound nothing is known but that.
            let upper = if bound.is_finite() { *bound } else { lower };
            let part = if *count > below { (wanted - below) / (count - below) } else { 1.0 };
            return Some((lower + (upper - lower) * part) * 1e3);
        }
        (lower, below) = (*bound, *count);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(second: i64, created: f64, lag: f64, buckets: &[(f64, f64)]) -> Sample {
        Sample {
            at: Timestamp::from_second(second).unwrap(),
            counters: BTreeMap::from([("advertsCreated", created)]),
            gauges: BTreeMap::from([("indexLag", lag), ("diskFreeBytes", 100.0 - lag)]),
            buckets: buckets.to_vec(),
        }
    }

    #[test]
    fn series_show_what_happened_in_between() {
        let history = History::default();
        history.record(sample(0, 10.0, 0.0, &[]));
        assert!(history.hour().is_empty() && history.day().is_empty());
        for minute in 1_i32..=16 {
            let lag = if minute == 3 { 9.0 } else { 1.0 };
            history.record(sample(i64::from(minute) * 60, 10.0 + f64::from(minute) * 2.0, lag, &[]));
        }
        let hour = history.hour();
        assert_eq!(hour.len(), 16);
        assert!(hour.iter().all(|point| point.values()["advertsCreated"] == Some(2.0)));
        let day = history.day();
        let figures = |point: &Point| {
            let values = point.values();
            (point.at.as_second(), values["advertsCreated"], values["indexLag"], values["diskFreeBytes"])
        };
        assert_eq!(figures(&day[0]), (900, Some(30.0), Some(9.0), Some(91.0)));
        assert_eq!(figures(&day[1]), (960, Some(2.0), Some(1.0), Some(99.0)));
        assert_eq!(day.len(), 2);
    }

    #[test]
    fn memory_is_bounded() {
        let history = History::default();
        for minute in 0..3_000 {
            history.record(sample(minute * 60, 0.0, 0.0, &[]));
        }
        assert_eq!(history.hour().len(), 60);
        assert!((96..=97).contains(&history.day().len()));
    }

    #[test]
    fn percentiles_come_from_the_buckets() {
        let buckets = [(0.001, 50.0), (0.003, 90.0), (0.009, 100.0), (f64::INFINITY, 100.0)];
        assert_eq!(percentile(&buckets, 0.5), Some(1.0));
        assert_eq!(percentile(&buckets, 0.25), Some(0.5));
        let p99 = percentile(&buckets, 0.99).unwrap();
        assert!((p99 - 8.4).abs() < 1e-9, "{p99}");
        assert_eq!(percentile(&[(0.001, 0.0), (f64::INFINITY, 4.0)], 0.5), Some(1.0));
        assert_eq!(percentile(&[(0.001, 0.0)], 0.5), None);
        assert_eq!(percentile(&[], 0.5), None);
    }
}
