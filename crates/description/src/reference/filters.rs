//! The table of filters.

use domain::filter::{Codes, FilterTarget, Kind, Level, PlaceKind};
use domain::search::is_criterion;
use domain::{AdvertAttribute, FILTERS, Filter, PropertyAttribute, VariationAttribute};

use super::tables::code_list;
use crate::codes;

/// Returns a table for each level.
pub fn filters() -> String {
    let levels = [
        (Level::Property, "Filters on the property"),
        (Level::Advert, "Filters on an advert"),
        (Level::Event, "Filters on a change"),
    ];
    let mut text = String::new();
    for (level, title) in levels {
        let rows = FILTERS.iter().filter(|filter| filter.level() == level).map(row);
        text.push_str(&format!(
            "## {title}\n\n| Name | Value | Meaning | In saved searches |\n|---|---|---|---|\n"
        ));
        text.extend(rows);
        text.push('\n');
    }
    text
}

fn row(filter: &Filter) -> String {
    let mut names = format!("`{}`", filter.name);
    for alias in filter.aliases {
        names.push_str(&format!(", also `{alias}`"));
    }
    let saved = if is_criterion(filter) { "yes" } else { "no" };
    format!("| {names} | {} | {} | {saved} |\n", value(filter), filter.description)
}

/// Describes the value of a filter, with its unit or its allowed values.
fn value(filter: &Filter) -> String {
    match filter.kind {
        Kind::Min(_) | Kind::Max(_) => format!("number{}", unit_of(filter)),
        Kind::From(_) | Kind::To(_) => "date".to_owned(),
        Kind::Choice(_, codes) => match codes {
            Codes::TransactionType => code_list(codes::TRANSACTION_TYPES),
            Codes::FeesResponsibility => code_list(codes::FEES_RESPONSIBILITIES),
            Codes::Accuracy => code_list(codes::ACCURACIES),
            Codes::PropertyType => format!("list of {}", code_list(codes::PROPERTY_TYPES)),
            Codes::PublisherType => format!("list of {}", code_list(codes::PUBLISHER_TYPES)),
            Codes::EnergyLetter => "list of A, B, C, D, E, F, G".to_owned(),
        },
        Kind::Is(_) | Kind::Only(_) => "boolean".to_owned(),
        Kind::Place(_, PlaceKind::City) => "list of cities: `/cities/37261` or 37261".to_owned(),
        Kind::Place(_, PlaceKind::Department) => {
            "list of departments: `/departments/37`, 37 or 2A".to_owned()
        }
        Kind::Place(_, PlaceKind::Insee) => "list of INSEE codes".to_owned(),
        Kind::Place(_, PlaceKind::Zipcode) => "list of zipcodes".to_owned(),
        Kind::Site(_) => "list of sites: `/sites/3`, 3 or the domain".to_owned(),
        Kind::SiteCategory(_) => "list of categories: `/site_categories/3`, 3 or the name".to_owned(),
        Kind::ExcludedProperty => "list of properties: `/properties/{uuid}` or the uuid".to_owned(),
        Kind::Latitude | Kind::Longitude => "number, in degrees".to_owned(),
        Kind::Radius => "number, in kilometres".to_owned(),
        Kind::Shapes => "list of polygons".to_owned(),
        Kind::SortMode => "`property` or `advert`".to_owned(),
        Kind::Expressions => "groups of words".to_owned(),
        Kind::Features => "list of texts".to_owned(),
    }
}

/// Returns the unit of a bound, as the end of a sentence.
pub fn unit_of(filter: &Filter) -> &'static str {
    match filter.kind {
        Kind::Min(target) | Kind::Max(target) => unit(target),
        _ => "",
    }
}

fn unit(target: FilterTarget) -> &'static str {
    match target {
        FilterTarget::Property(PropertyAttribute::Price) => ", in euros",
        FilterTarget::Property(PropertyAttribute::PricePerMeter) => ", in euros per square metre",
        FilterTarget::Property(PropertyAttribute::Surface | PropertyAttribute::LandSurface) => {
            ", in square metres"
        }
        FilterTarget::Advert(
            AdvertAttribute::LivePrice
            | AdvertAttribute::PriceExcludingFees
            | AdvertAttribute::InventoryPrice
            | AdvertAttribute::RentalCharges
            | AdvertAttribute::RentalPledge
            | AdvertAttribute::RenterFees,
        ) => ", in euros",
        FilterTarget::Advert(AdvertAttribute::CondominiumFees) => ", in euros a year",
        FilterTarget::Advert(AdvertAttribute::FeesPercentage)
        | FilterTarget::Change(_, VariationAttribute::Percent) => ", in percent",
        FilterTarget::Advert(AdvertAttribute::EnergyValue) => ", in kWh per square metre and year",
        FilterTarget::Advert(AdvertAttribute::GreenHouseGasValue) => {
            ", in kg of CO2 per square metre and year"
        }
        _ => "",
    }
}
