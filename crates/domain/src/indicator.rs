//! Market indicators: average prices, medians and percentiles, in total and over time.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The length of the periods of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interval {
    #[default]
    Month,
    Year,
}

/// A calendar month or year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    pub year: i16,
    /// 1 to 12. `None` for a whole year.
    pub month: Option<i8>,
}

impl Period {
    /// Returns the period of a time in a time zone.
    pub fn of(at: Timestamp, interval: Interval, zone: &TimeZone) -> Self {
        let date = at.to_zoned(zone.clone()).date();
        match interval {
            Interval::Month => Self { year: date.year(), month: Some(date.month()) },
            Interval::Year => Self { year: date.year(), month: None },
        }
    }
}

/// Average, median and percentiles of a set of amounts, rounded to two decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub average: f64,
    /// For an even count, the mean of the two middle values.
    pub median: f64,
    /// A tenth of the amounts are below it. Between two amounts it is interpolated, as the median is.
    pub percentile10: f64,
    /// A tenth of the amounts are above it.
    pub percentile90: f64,
    pub count: usize,
}

/// Summaries in total and by period.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Indicator {
    /// `None` if there are no amounts.
    pub whole: Option<Summary>,
    /// In chronological order, without empty periods.
    pub series: Vec<(Period, Summary)>,
}

impl Indicator {
    pub fn of(
        amounts: impl IntoIterator<Item = (Timestamp, f64)>,
        interval: Interval,
        zone: &TimeZone,
    ) -> Self {
        let mut by_period: BTreeMap<Period, Vec<f64>> = BTreeMap::new();
        for (at, amount) in amounts {
            by_period.entry(Period::of(at, interval, zone)).or_default().push(amount);
        }
        let all = by_period.values().flatten().copied().collect();
        let series = by_period.into_iter();
        Self {
            whole: summary(all),
            series: series.filter_map(|(period, amounts)| Some((period, summary(amounts)?))).collect(),
        }
    }

    /// Returns the smallest and the largest average of the series.
    pub fn extremes(&self) -> Option<(f64, f64)> {
        let averages = || self.series.iter().map(|(_, summary)| summary.average);
        Some((averages().reduce(f64::min)?, averages().reduce(f64::max)?))
    }
}

fn summary(mut amounts: Vec<f64>) -> Option<Summary> {
    // Sorted before they are summed, so that the result does not depend on the order of the amounts.
    amounts.sort_by(f64::total_cmp);
    let count = amounts.len();
    let middle = (*amounts.get(count.checked_sub(1)? / 2)?, *amounts.get(count / 2)?);
    let average = amounts.iter().sum::<f64>() / count as f64;
    Some(Summary {
        average: cents(average),
        median: cents(f64::midpoint(middle.0, middle.1)),
        percentile10: cents(quantile(&amounts, 0.1)?),
        percentile90: cents(quantile(&amounts, 0.9)?),
        count,
    })
}

/// Returns the amount below which a part of the sorted amounts lies, interpolated between the two nearest.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let rank = (sorted.len().checked_sub(1)?) as f64 * part;
    let (lower, upper) = (*sorted.get(rank.floor() as usize)?, *sorted.get(rank.ceil() as usize)?);
    Some(lower + (upper - lower) * rank.fract())
}

fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indicator(amounts: &[(&str, f64)], interval: Interval) -> Indicator {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let amounts = amounts.iter().map(|(at, amount)| (at.parse().unwrap(), *amount));
        Indicator::of(amounts, interval, &zone)
    }

    #[test]
    fn averages_and_medians_have_two_decimals() {
        let amounts =
            [("2026-01-10T00:00:00Z", 10.0), ("2026-01-11T00:00:00Z", 1.005), ("2026-02-01T00:00:00Z", 2.0)];
        let result = indicator(&amounts, Interval::Month);
        assert_eq!(
            result.whole,
            Some(Summary { average: 4.34, median: 2.0, percentile10: 1.2, percentile90: 8.4, count: 3 })
        );
        let (january, february) =
            (Period { year: 2026, month: Some(1) }, Period { year: 2026, month: Some(2) });
        assert_eq!(
            result.series,
            [
                (
                    january,
                    Summary { average: 5.5, median: 5.5, percentile10: 1.9, percentile90: 9.1, count: 2 }
                ),
                (
                    february,
                    Summary { average: 2.0, median: 2.0, percentile10: 2.0, percentile90: 2.0, count: 1 }
                )
            ]
        );
        assert_eq!(result.extremes(), Some((2.0, 5.5)));
    }

    #[test]
    fn months_start_at_local_midnight() {
        let amounts = [("2025-12-31T23:30:00Z", 1.0), ("2025-12-31T22:30:00Z", 2.0)];
        let periods = |interval| -> Vec<Period> {
            indicator(&amounts, interval).series.into_iter().map(|(period, _)| period).collect()
        };
        assert_eq!(periods(Interval::Month).len(), 2);
        assert_eq!(periods(Interval::Year)[1], Period { year: 2026, month: None });
    }

    #[test]
    fn no_amounts_yield_no_summary() {
        assert_eq!(indicator(&[], Interval::Month), Indicator::default());
        assert_eq!(Indicator::default().extremes(), None);
    }
}
