//! Market indicators over the properties that match criteria.

use domain::indicator::{Indicator, Interval};
use domain::{Criteria, Key, PropertyAttribute, Timestamp};
use engine::{Budget, Searcher, Stopped};
use jiff::tz::TimeZone;

use crate::Error;
use crate::search::SearchSession;

impl SearchSession {
    /// Computes the price per square metre of all properties that match the criteria and have one: overall, and by interval of
    /// the creation date.
    pub async fn price_per_meter(&self, criteria: Criteria, interval: Interval) -> Result<Indicator, Error> {
        let (searcher, zone) = (self.searcher(), self.app().time_zone.clone());
        let compute = move |budget: &Budget| price_per_meter(&searcher, &criteria, interval, &zone, budget);
        self.app().compute_query(self.user(), compute).await
    }
}

fn price_per_meter(
    searcher: &Searcher,
    criteria: &Criteria,
    interval: Interval,
    zone: &TimeZone,
    budget: &Budget,
) -> Result<Indicator, Stopped> {
    let mut amounts = Vec::new();
    let attributes = [PropertyAttribute::CreatedAt, PropertyAttribute::PricePerMeter];
    searcher.for_each_match(criteria, &attributes, budget, |values| {
        if let [Some(created_at), Some(price)] = values
            && let Ok(created_at) = Timestamp::from_second(created_at.get())
        {
            amounts.push((created_at, Key::as_number(*price)));
        }
    })?;
    Ok(Indicator::of(amounts, interval, zone))
}
