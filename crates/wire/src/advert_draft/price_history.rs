//! A price history given as points: `priceHistory`, a list of dates with the price at each.

use crate::json::{Json, JsonObject};

/// The names under which feeds write the date of a point. The first one present is used.
const DATE_NAMES: [&str; 3] = ["date", "createdAt", "at"];

/// The names under which feeds write its price.
const PRICE_NAMES: [&str; 2] = ["price", "value"];

/// Returns the date of a point with its name.
pub fn date<'v, 'a>(point: &'v JsonObject<'a>) -> Option<(&'static str, &'v Json<'a>)> {
    member(point, &DATE_NAMES)
}

/// Returns the price of a point with its name.
pub fn price<'v, 'a>(point: &'v JsonObject<'a>) -> Option<(&'static str, &'v Json<'a>)> {
    member(point, &PRICE_NAMES)
}

fn member<'v, 'a>(point: &'v JsonObject<'a>, names: &[&'static str]) -> Option<(&'static str, &'v Json<'a>)> {
    let given = |name: &&'static str| point.get(name).filter(|value| !value.is_null());
    names.iter().find_map(|name| given(name).map(|value| (*name, value)))
}
