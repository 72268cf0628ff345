//! Life annuities, new-building programmes and rent periods of an advert, read and written.
//!
//! Each object replaces the previous value as a whole; an empty one clears it.

use domain::{Amount, LifeAnnuity, NewBuilding, RentPeriod};
use serde_json::{Value, json};

use super::nested::members;
use super::reader::FieldReader;
use crate::json::{Json, truncated};
use crate::names;

/// Maximum number of rooms of a lot, as for the rooms of an advert.
const ROOMS_MAX: i32 = 10_000;

pub fn life_annuity(
    reader: &mut FieldReader,
    ignored: &mut Vec<String>,
    value: &Json<'_>,
) -> Option<LifeAnnuity> {
    let mut life_annuity = LifeAnnuity::default();
    let members = members(reader, "lifeAnnuity", value)?;
    for (name, value) in members.iter() {
        let member = format!("lifeAnnuity.{name}");
        let slot = match name {
            "bouquet" => &mut life_annuity.bouquet,
            "rent" => &mut life_annuity.rent,
            _ => {
                ignored.push(member);
                continue;
            }
        };
        if !value.is_null() {
            *slot = reader.amount(&member, value, Amount::MAX);
        }
    }
    let LifeAnnuity { bouquet, rent } = &life_annuity;
    let given = [bouquet, rent].into_iter().any(is_positive) || members.clears();
    (given || reader.is_strict()).then_some(life_annuity)
}

/// Returns `true` for an amount that says something. Feeds with a column for each fill them with zeros for every advert.
fn is_positive(amount: &Option<Amount>) -> bool {
    amount.is_some_and(|amount| amount.get() > 0.0)
}

pub fn new_building(
    reader: &mut FieldReader,
    ignored: &mut Vec<String>,
    value: &Json<'_>,
) -> Option<NewBuilding> {
    let mut ranges = NewBuilding::default();
    let members = members(reader, "newBuilding", value)?;
    for (name, value) in members.iter() {
        let member = format!("newBuilding.{name}");
        let given = Some(value).filter(|value| !value.is_null());
        let is_strict = reader.is_strict();
        let mut amount = || {
            let read = given.and_then(|value| reader.amount(&member, value, Amount::MAX));
            read.filter(|amount| is_strict || is_positive(&Some(*amount)))
        };
        match name {
            "priceMin" => ranges.price_min = amount(),
            "priceMax" => ranges.price_max = amount(),
            "surfaceMin" => ranges.surface_min = amount(),
            "surfaceMax" => ranges.surface_max = amount(),
            "roomMin" => {
                ranges.room_min = given.and_then(|value| reader.integer(&member, value, 0..=ROOMS_MAX))
            }
            "roomMax" => {
                ranges.room_max = given.and_then(|value| reader.integer(&member, value, 0..=ROOMS_MAX))
            }
            _ => ignored.push(member),
        }
    }
    let given = ranges.is_given() || members.clears();
    (given || reader.is_strict()).then(|| ranges.ordered())
}

/// Reads the word for how often a rent is due. A blank text means unknown.
pub fn rent_period(reader: &mut FieldReader, path: &str, value: &Json<'_>) -> Option<RentPeriod> {
    let text = reader.text(path, value).filter(|text| !text.trim().is_empty())?;
    let french = || if reader.is_strict() { None } else { french_period(text) };
    let period = names::parse_rent_period(text).or_else(french);
    if period.is_none() {
        let choices: Vec<&str> = RentPeriod::ALL.iter().map(|period| names::rent_period(*period)).collect();
        let message = format!(
            "The value \"{}\" is not a valid choice; the choices are {}.",
            truncated(text),
            choices.join(", ")
        );
        reader.invalid(path, message);
    }
    period
}

/// Reads the words of French feeds.
fn french_period(text: &str) -> Option<RentPeriod> {
    match domain::fold::fold(text).as_str() {
        "mois" | "par mois" | "mensuel" | "mensuelle" => Some(RentPeriod::Month),
        "semaine" | "par semaine" | "hebdomadaire" => Some(RentPeriod::Week),
        "jour" | "par jour" | "nuit" | "nuitee" | "par nuit" => Some(RentPeriod::Day),
        "saison" | "saisonnier" | "saisonniere" => Some(RentPeriod::Season),
        "an" | "annee" | "par an" | "annuel" | "annuelle" => Some(RentPeriod::Year),
        _ => None,
    }
}

pub fn write_life_annuity(life_annuity: &LifeAnnuity) -> Value {
    let LifeAnnuity { bouquet, rent } = life_annuity;
    json!({"bouquet": bouquet.map(Amount::get), "rent": rent.map(Amount::get)})
}

pub fn write_new_building(ranges: &NewBuilding) -> Value {
    let NewBuilding { price_min, price_max, surface_min, surface_max, room_min, room_max } = ranges;
    json!({
        "priceMin": price_min.map(Amount::get), "priceMax": price_max.map(Amount::get),
        "surfaceMin": surface_min.map(Amount::get), "surfaceMax": surface_max.map(Amount::get),
        "roomMin": room_min, "roomMax": room_max,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advert_draft::ParseMode;

    fn strict() -> FieldReader {
        FieldReader::new(ParseMode::Strict)
    }

    fn paths(reader: &FieldReader) -> Vec<&str> {
        reader.exact.violations.iter().map(|violation| violation.path.as_str()).collect()
    }

    #[test]
    fn life_annuity_is_read_by_member() {
        let (mut reader, mut ignored) = (strict(), Vec::new());
        let given = json!({"bouquet": "85000", "rent": 640.5, "heads": 2});
        let expected = LifeAnnuity { bouquet: Amount::new(85_000.0), rent: Amount::new(640.5) };
        assert_eq!(life_annuity(&mut reader, &mut ignored, &Json::from(&given)), Some(expected));
        assert_eq!(ignored, ["lifeAnnuity.heads"]);
        assert!(paths(&reader).is_empty());
        for empty in [json!({}), json!(null), json!({"bouquet": null})] {
            assert_eq!(
                life_annuity(&mut reader, &mut ignored, &Json::from(&empty)),
                Some(LifeAnnuity::default()),
                "{empty}"
            );
        }
        life_annuity(&mut reader, &mut ignored, &Json::from(&json!({"bouquet": -1, "rent": []})));
        assert_eq!(paths(&reader), ["lifeAnnuity.bouquet", "lifeAnnuity.rent"]);
    }

    #[test]
    fn new_building_is_read_by_member() {
        let (mut reader, mut ignored) = (strict(), Vec::new());
        let given = json!({"priceMin": 480_000, "priceMax": "215000", "roomMin": 2, "deliveryDate": "2027"});
        let expected = NewBuilding {
            price_min: Amount::new(215_000.0),
            price_max: Amount::new(480_000.0),
            room_min: Some(2),
            ..NewBuilding::default()
        };
        assert_eq!(new_building(&mut reader, &mut ignored, &Json::from(&given)), Some(expected));
        assert_eq!(ignored, ["newBuilding.deliveryDate"]);
        assert!(paths(&reader).is_empty());
        new_building(&mut reader, &mut ignored, &Json::from(&json!({"surfaceMax": "large", "roomMax": 2.5})));
        assert_eq!(paths(&reader), ["newBuilding.roomMax", "newBuilding.surfaceMax"]);
    }

    #[test]
    fn unusable_members_leave_the_known_values() {
        let (mut reader, mut ignored) = (FieldReader::new(ParseMode::Lenient), Vec::new());
        for unusable in [json!({"bouquet": "à débattre", "rent": []}), json!({"bouquet": ""}), json!(12)] {
            assert_eq!(life_annuity(&mut reader, &mut ignored, &Json::from(&unusable)), None, "{unusable}");
        }
        let read = life_annuity(&mut reader, &mut ignored, &Json::from(&json!({"bouquet": "85 000 €"})));
        assert_eq!(read.and_then(|it| it.bouquet), Amount::new(85_000.0));
        assert_eq!(
            new_building(&mut reader, &mut ignored, &Json::from(&json!({"surfaceMax": "grand"}))),
            None
        );
        assert!(new_building(&mut reader, &mut ignored, &Json::from(&json!({}))).is_some());
        assert!(paths(&reader).is_empty());
    }

    #[test]
    fn rent_period_is_a_word() {
        let mut reader = strict();
        let mut read = |text: &str| rent_period(&mut reader, "rentPeriod", &Json::from(&json!(text)));
        for period in RentPeriod::ALL {
            assert_eq!(read(names::rent_period(*period)), Some(*period));
        }
        assert_eq!(read(" Week "), Some(RentPeriod::Week));
        assert_eq!(read(" "), None);
        assert_eq!(read("fortnight"), None);
        let mut lenient = FieldReader::new(ParseMode::Lenient);
        let french = rent_period(&mut lenient, "rentPeriod", &Json::from(&json!("Par mois")));
        assert_eq!(french, Some(RentPeriod::Month));
        let messages: Vec<&str> = reader.exact.violations.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "The value \"fortnight\" is not a valid choice; the choices are month, week, day, season, year."
            ]
        );
    }
}
