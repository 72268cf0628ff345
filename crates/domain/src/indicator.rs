//! What a market costs: averages and medians, as a whole and over time.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How long the parts of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interval {
    #[default]
    Month,
    Year,
}

/// A month or a year of a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    pub year: i16,
    /// From 1; none of a whole year.
    pub month: Option<i8>,
}

impl Period {
    /// The period a moment lies in, by the clocks of a zone.
    pub fn of(at: Timestamp, interval: Interval, zone: &TimeZone) -> Self {
        let date = at.to_zoned(zone.clone()).date();
        match interval {
            Interval::Month => Self { year: date.year(), month: Some(date.month()) },
            Interval::Year => Self { year: date.year(), month: None },
        }
    }
}

/// What a set of amounts comes to, with two decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub average: f64,
    /// Of an even number the middle between the two in the middle.
    pub median: f64,
    pub count: usize,
}

/// Amounts as a whole and by period. Nothing of a set without amounts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Indicator {
    pub whole: Option<Summary>,
    /// In the order of time; periods without an amount are left out.
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

    /// The least and the greatest average of the series.
    pub fn extremes(&self) -> Option<(f64, f64)> {
        let averages = || self.series.iter().map(|(_, summary)| summary.average);
        Some((averages().reduce(f64::min)?, averages().reduce(f64::max)?))
    }
}

fn summary(mut amounts: Vec<f64>) -> Option<Summary> {
    // Sorted before they are added up, so that the same amounts make the same sum in whatever order they come.
    amounts.sort_by(f64::total_cmp);
    let count = amounts.len();
    let middle = (*amounts.get(count.checked_sub(1)? / 2)?, *amounts.get(count / 2)?);
    let average = amounts.iter().sum::<f64>() / count as f64;
    Some(Summary { average: cents(average), median: cents(f64::midpoint(middle.0, middle.1)), count })
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
        let found = indicator(&amounts, Interval::Month);
        assert_eq!(found.whole, Some(Summary { average: 4.34, median: 2.0, count: 3 }));
        let (january, february) =
            (Period { year: 2026, month: Some(1) }, Period { year: 2026, month: Some(2) });
        assert_eq!(
            found.series,
            [
                (january, Summary { average: 5.5, median: 5.5, count: 2 }),
                (february, Summary { average: 2.0, median: 2.0, count: 1 })
            ]
        );
        assert_eq!(found.extremes(), Some((2.0, 5.5)));
    }

    #[test]
    fn a_month_begins_when_the_clocks_of_the_zone_say_so() {
        let amounts = [("2025-12-31T23:30:00Z", 1.0), ("2025-12-31T22:30:00Z", 2.0)];
        let periods = |interval| -> Vec<Period> {
            indicator(&amounts, interval).series.into_iter().map(|(period, _)| period).collect()
        };
        assert_eq!(periods(Interval::Month).len(), 2);
        assert_eq!(periods(Interval::Year)[1], Period { year: 2026, month: None });
    }

    #[test]
    fn nothing_comes_to_nothing() {
        assert_eq!(indicator(&[], Interval::Month), Indicator::default());
        assert_eq!(Indicator::default().extremes(), None);
    }
}
