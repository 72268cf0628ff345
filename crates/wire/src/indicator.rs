//! Market indicators: the `aggregationInterval` parameter and the response.

use domain::indicator::{Indicator, Interval, Period, Summary};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::query::Parameters;

const INTERVAL: &str = "aggregationInterval";

/// The name that existing clients use.
const INTERVAL_ALIAS: &str = "dateHistogramGranularity";

/// Parses the interval of the series under either name: `month` (default) or `year`.
pub fn parse_interval(parameters: &mut Parameters<'_>) -> Interval {
    // Read both names, so that neither is reported as unknown.
    let given = [INTERVAL, INTERVAL_ALIAS].map(|name| parameters.last(name).map(|value| (name, value)));
    let Some((name, value)) = given.into_iter().flatten().next() else { return Interval::default() };
    match value.to_ascii_lowercase().as_str() {
        "month" => Interval::Month,
        "year" => Interval::Year,
        _ => {
            parameters.reject(name, value, "month or year");
            Interval::default()
        }
    }
}

/// The price per square metre of a market: the only member of the collection. Amounts are `null`, the series and the
/// periods empty if nothing matches.
#[derive(Debug, Serialize)]
pub struct PricePerMeterBody {
    #[serde(rename = "@id")]
    id: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    average: Option<f64>,
    average_min: Option<f64>,
    average_max: Option<f64>,
    median: Option<f64>,
    percentile10: Option<f64>,
    percentile90: Option<f64>,
    count: usize,
    series: Series,
    periods: Vec<PeriodBody>,
}

/// Averages by period, as a map: existing clients read it this way.
#[derive(Debug)]
struct Series(Vec<(String, f64)>);

impl Serialize for Series {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (date, average) in &self.0 {
            map.serialize_entry(date, average)?;
        }
        map.end()
    }
}

#[derive(Debug, Serialize)]
struct PeriodBody {
    date: String,
    average: f64,
    median: f64,
    percentile10: f64,
    percentile90: f64,
    count: usize,
}

impl PricePerMeterBody {
    /// The type of the member, and so of the collection.
    pub const RESOURCE: &'static str = "PricePerMeter";

    /// The path of the collection.
    pub const PATH: &'static str = "/indicators/price_per_meter";

    pub fn of(indicator: &Indicator) -> Self {
        let extremes = indicator.extremes();
        let series = indicator.series.iter().map(|(period, summary)| (date(*period), summary.average));
        Self {
            // Not the path of the collection: the member is another thing.
            id: "/indicators/price_per_meter#result",
            kind: Self::RESOURCE,
            average: indicator.whole.map(|whole| whole.average),
            average_min: extremes.map(|(least, _)| least),
            average_max: extremes.map(|(_, greatest)| greatest),
            median: indicator.whole.map(|whole| whole.median),
            percentile10: indicator.whole.map(|whole| whole.percentile10),
            percentile90: indicator.whole.map(|whole| whole.percentile90),
            count: indicator.whole.map_or(0, |whole| whole.count),
            series: Series(series.collect()),
            periods: indicator
                .series
                .iter()
                .map(|(period, summary)| PeriodBody::of(*period, *summary))
                .collect(),
        }
    }
}

impl PeriodBody {
    fn of(period: Period, summary: Summary) -> Self {
        let Summary { average, median, percentile10, percentile90, count } = summary;
        Self { date: date(period), average, median, percentile10, percentile90, count }
    }
}

fn date(period: Period) -> String {
    match period.month {
        Some(month) => format!("{:04}-{month:02}", period.year),
        None => format!("{:04}", period.year),
    }
}
