//! Market indicators: the `aggregationInterval` parameter and the response.

use domain::indicator::{Indicator, Interval, Period, Summary};
use serde::Serialize;

use crate::query::Parameters;

/// Parses `aggregationInterval`: `month` (default) or `year`.
pub fn parse_interval(parameters: &mut Parameters<'_>) -> Interval {
    const NAME: &str = "aggregationInterval";
    let Some(value) = parameters.last(NAME) else { return Interval::default() };
    match value.to_ascii_lowercase().as_str() {
        "month" => Interval::Month,
        "year" => Interval::Year,
        _ => {
            parameters.reject(NAME, value, "month or year");
            Interval::default()
        }
    }
}

/// The price per square metre of a market. Amounts are `null` and the series is empty if nothing matches.
#[derive(Debug, Serialize)]
pub struct PricePerMeterBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    average: Option<f64>,
    average_min: Option<f64>,
    average_max: Option<f64>,
    median: Option<f64>,
    count: usize,
    series: Vec<PointBody>,
}

#[derive(Debug, Serialize)]
struct PointBody {
    date: String,
    average: f64,
    median: f64,
    count: usize,
}

impl PricePerMeterBody {
    pub fn of(indicator: &Indicator) -> Self {
        let extremes = indicator.extremes();
        Self {
            context: "/contexts/PricePerMeter",
            id: "/indicators/price_per_meter",
            kind: "PricePerMeter",
            average: indicator.whole.map(|whole| whole.average),
            average_min: extremes.map(|(least, _)| least),
            average_max: extremes.map(|(_, greatest)| greatest),
            median: indicator.whole.map(|whole| whole.median),
            count: indicator.whole.map_or(0, |whole| whole.count),
            series: indicator
                .series
                .iter()
                .map(|(period, summary)| PointBody::of(*period, *summary))
                .collect(),
        }
    }
}

impl PointBody {
    fn of(period: Period, summary: Summary) -> Self {
        let Summary { average, median, count } = summary;
        let date = match period.month {
            Some(month) => format!("{:04}-{month:02}", period.year),
            None => format!("{:04}", period.year),
        };
        Self { date, average, median, count }
    }
}
