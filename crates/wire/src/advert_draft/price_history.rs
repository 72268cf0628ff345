//! A price history given as points: `priceHistory`, a list of dates with the price at each. It is read as `events` that have a new
//! value and no old one, so that both follow the same rules.

use crate::json::{Json, JsonObject};

/// The names under which feeds write the date of a point. The first one present is used.
const DATE_NAMES: [&str; 3] = ["date", "createdAt", "at"];

/// The names under which feeds write its price.
const PRICE_NAMES: [&str; 2] = ["price", "value"];

/// Returns the points of a price history as a list of events. A point without a price says nothing and is left out. What is not a
/// list of objects is returned as it is, for the reader of events to report.
pub fn as_events<'a>(history: &Json<'a>) -> Json<'a> {
    let Json::Array(points) = history else { return history.clone() };
    Json::Array(points.iter().filter_map(as_event).collect())
}

fn as_event<'a>(point: &Json<'a>) -> Option<Json<'a>> {
    let Json::Object(members) = point else { return Some(point.clone()) };
    let price = member(members, &PRICE_NAMES)?;
    let date = member(members, &DATE_NAMES).cloned().unwrap_or(Json::Null);
    let members =
        [("createdAt", date), ("fieldName", Json::String("price".into())), ("fieldNewValue", price.clone())];
    Some(Json::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect()))
}

fn member<'v, 'a>(members: &'v JsonObject<'a>, names: &[&str]) -> Option<&'v Json<'a>> {
    names.iter().find_map(|name| members.get(name).filter(|value| !value.is_null()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn events(history: Value) -> Value {
        as_events(&Json::from(&history)).into()
    }

    #[test]
    fn points_are_events_with_a_new_value_only() {
        let check = |point: Value, date: Value, price: Value| {
            let expected = json!([{"createdAt": date, "fieldName": "price", "fieldNewValue": price}]);
            assert_eq!(events(json!([point])), expected, "{point}");
        };
        check(json!({"date": "2026-01-02", "price": 200_000}), json!("2026-01-02"), json!(200_000));
        check(json!({"createdAt": "2026-01-02", "value": "1"}), json!("2026-01-02"), json!("1"));
        check(json!({"at": "x", "date": null, "price": null, "value": 3.5}), json!("x"), json!(3.5));
        check(json!({"price": 4}), Value::Null, json!(4));
        assert_eq!(events(json!([{"date": "2026-01-02"}, {"date": "2026-01-02", "price": null}])), json!([]));
        assert_eq!(events(json!("x")), json!("x"));
        assert_eq!(events(json!([7])), json!([7]));
    }
}
