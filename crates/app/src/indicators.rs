//! What the properties that meet criteria cost.

use domain::indicator::{Indicator, Interval};
use domain::{Criteria, Key, PropertyAttribute, Timestamp};
use engine::Searcher;
use jiff::tz::TimeZone;

/// The price per square metre of every match that has one, as a whole and by the date of the property's creation.
pub fn price_per_meter(
    view: &Searcher,
    criteria: &Criteria,
    interval: Interval,
    zone: &TimeZone,
) -> Indicator {
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
