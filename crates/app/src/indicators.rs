//! Market indicators over the properties that meet criteria.

use domain::indicator::{Indicator, Interval};
use domain::{Criteria, Key, PropertyAttribute, Timestamp};
use engine::Searcher;
use jiff::tz::TimeZone;

use crate::Error;
use crate::search::SearchSession;

impl SearchSession {
    /// Computes the price per square metre of all properties that meet the criteria and have one: overall, and by interval of
    /// the creation date.
    pub async fn price_per_meter(&self, criteria: Criteria, interval: Interval) -> Result<Indicator, Error> {
        let (view, zone) = (self.view(), self.app().time_zone.clone());
        self.app().compute(move || price_per_meter(&view, &criteria, interval, &zone)).await
    }
}

fn price_per_meter(view: &Searcher, criteria: &Criteria, interval: Interval, zone: &TimeZone) -> Indicator {
    let mut amounts = Vec::new();
    let attributes = [PropertyAttribute::CreatedAt, PropertyAttribute::PricePerMeter];
    view.for_each_match(criteria, &attributes, |values| {
        if let [Some(created_at), Some(price)] = values
            && let Ok(created_at) = Timestamp::from_second(created_at.get())
        {
            amounts.push((created_at, Key::as_number(*price)));
        }
    });
    Indicator::of(amounts, interval, zone)
}
