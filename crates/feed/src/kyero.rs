//! Kyero 3: the XML of portals for property in Spain, France, Portugal and Italy.

use serde_json::{Map, Value};

use crate::advert::{is_yes, push_text, put, put_text};
use crate::xml::{Node, XmlFormat};

pub(crate) struct Kyero;

/// The languages of texts, in the order in which we take them.
const LANGUAGES: &[&str] = &["fr", "en"];

/// The kinds of properties, by words that their names contain. The first match counts.
const TYPES: &[(&str, u8)] = &[
    ("plot", 5),
    ("parking", 3),
    ("garage", 3),
    ("storage", 3),
    ("office", 4),
    ("apartment building", 2),
    ("building", 2),
    ("block", 2),
    ("apartment", 0),
    ("flat", 0),
    ("penthouse", 0),
    ("studio", 0),
    ("duplex", 0),
    ("loft", 0),
    ("house", 1),
    ("villa", 1),
    ("bungalow", 1),
    ("chalet", 1),
    ("finca", 1),
    ("cortijo", 1),
    ("cottage", 1),
    ("farm", 1),
    ("chateau", 1),
    ("château", 1),
    ("castle", 1),
    ("manor", 1),
    ("masia", 1),
    ("quad", 1),
    ("detached", 1),
    ("terraced", 1),
    ("mobile home", 1),
    ("land", 5),
    ("commercial", 6),
    ("shop", 6),
    ("business", 6),
    ("hotel", 6),
    ("restaurant", 6),
    ("bar", 6),
    ("warehouse", 6),
];

impl XmlFormat for Kyero {
    const NAMES: &'static [&'static str] = &["property"];

    fn context(&mut self, _node: &Node) {}

    fn advert(&self, node: &Node) -> Map<String, Value> {
        let mut advert = Map::new();
        for (path, field) in [
            ("id", "reference"),
            ("ref", "contact.reference"),
            ("date", "updatedAt"),
            ("town", "cityName"),
            ("postcode", "zipcode"),
            ("country", "country"),
            ("location_detail", "district"),
            ("location/latitude", "locations.lat"),
            ("location/longitude", "locations.lon"),
            ("beds", "bedroom"),
            ("surface_area/built", "surface"),
            ("surface_area/plot", "landSurface"),
            ("virtual_tour_url", "virtualTour"),
            ("email", "contact.email"),
        ] {
            if let Some(text) = node.text(path, field) {
                put_text(&mut advert, field, text);
            }
        }
        transaction(node, &mut advert);
        if let Some(text) = node.text("type", "propertyType") {
            put(&mut advert, "propertyType", property_type(text));
        }
        for (path, value, category) in [
            ("energy_rating/consumption", "energy.value", "energy.category"),
            ("energy_rating/emissions", "greenHouseGas.value", "greenHouseGas.category"),
        ] {
            // The format asks for the class, but agencies send the measured value as well.
            let measured = node.find(path).is_some_and(|node| is_number(node.peek()));
            let field = if measured { value } else { category };
            if let Some(text) = node.text(path, field) {
                put_text(&mut advert, field, text);
            }
        }
        for field in ["url", "description"] {
            let name = if field == "url" { "url" } else { "desc" };
            if let Some(text) = node.find(name).and_then(|node| in_language(node, field)) {
                put_text(&mut advert, field, text);
            }
        }
        for feature in node.all("features/feature").filter_map(|feature| feature.own_text("features")) {
            push_text(&mut advert, "features", feature);
        }
        for (path, feature) in [("pool", "piscine"), ("new_build", "neuf")] {
            if node.text(path, "features").is_some_and(is_yes) {
                push_text(&mut advert, "features", feature);
            }
        }
        for image in node.all("images/image") {
            if let Some(address) = image.text("url", "pictures") {
                push_text(&mut advert, "pictures", address);
            }
        }
        put(&mut advert, "publisher.type", Value::from(1));
        advert
    }
}

/// Reads whether it is a sale, and the price. Prices in other currencies are left out: an advert has euros.
fn transaction(node: &Node, advert: &mut Map<String, Value>) {
    let frequency = node.text("price_freq", "transactionType").unwrap_or("sale").to_lowercase();
    let period = match frequency.as_str() {
        "sale" => None,
        "day" | "week" | "month" | "year" => Some(frequency.as_str()),
        _ => {
            put_text(advert, "transactionType", &frequency);
            return;
        }
    };
    put(advert, "transactionType", Value::from(u8::from(period.is_some())));
    if let Some(period) = period {
        node.text("price_freq", "rentPeriod");
        put_text(advert, "rentPeriod", period);
    }
    let in_euros = node
        .find("currency")
        .is_none_or(|node| node.own_text("price").is_none_or(|code| code.eq_ignore_ascii_case("eur")));
    if in_euros && let Some(price) = node.text("price", "price") {
        put_text(advert, "price", price);
    }
}

fn property_type(text: &str) -> Value {
    let folded = text.to_lowercase();
    match TYPES.iter().find(|(word, _)| folded.contains(word)) {
        Some((_, code)) => Value::from(*code),
        None => Value::String(text.to_owned()),
    }
}

/// Returns the text in the first language that there is, or the text of the element itself.
fn in_language<'a>(node: &'a Node, field: &'static str) -> Option<&'a str> {
    let preferred = LANGUAGES.iter().find_map(|language| node.text(language, field));
    preferred
        .or_else(|| node.children().iter().find_map(|child| child.own_text(field)))
        .or_else(|| node.own_text(field))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|character: char| character.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_are_matched_by_their_words() {
        for (text, expected) in [
            ("Apartment", Value::from(0)),
            ("Town House", Value::from(1)),
            ("Semi-detached villa", Value::from(1)),
            ("Apartment building", Value::from(2)),
            ("Parking space", Value::from(3)),
            ("Building plot", Value::from(5)),
            ("Land", Value::from(5)),
            ("Commercial", Value::from(6)),
            ("Igloo", Value::from("Igloo")),
        ] {
            assert_eq!(property_type(text), expected, "{text}");
        }
    }
}
