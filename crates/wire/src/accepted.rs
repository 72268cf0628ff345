//! What an error message offers in place of a value that was refused: the accepted codes with their names, or the
//! request that finds a place or a site.

use domain::EnergyLetter;
use domain::filter::Codes;

/// Descriptions of references, for messages of the form `"x" is not …`.
pub const CITY: &str = "a reference to a city, such as /cities/37261 (GET /cities?name=… finds it)";
pub const DEPARTMENT: &str =
    "a reference to a department, such as /departments/37 (GET /departments?name=… finds it)";
pub const INSEE: &str = "an INSEE code, such as 37261 (GET /cities?name=… finds it)";
pub const ZIPCODE: &str = "a zipcode of five digits";
pub const SITE: &str = "a reference to a site, such as /sites/1 or portail.fr (GET /sites lists them)";
pub const SITE_CATEGORY: &str =
    "a reference to a category of sites, such as /site_categories/1 (GET /site_categories lists them)";

/// How to find what an unknown reference may have meant.
pub const CITY_LOOKUP: &str =
    "Look it up with GET /cities?name=… or GET /public/location-autocomplete?query=….";
pub const DEPARTMENT_LOOKUP: &str =
    "Look it up with GET /departments?name=… or GET /public/location-autocomplete?query=….";
pub const SITE_LOOKUP: &str = "GET /sites lists the sites.";
pub const SITE_CATEGORY_LOOKUP: &str = "GET /site_categories lists the categories.";

/// Returns the accepted codes of an enumeration: `0 Apartment, 1 House, …`, or `A, B, …`.
pub fn choices(codes: Codes) -> String {
    let choice = |code: &u8| match codes {
        Codes::EnergyLetter => EnergyLetter::ALL
            .get(usize::from(*code))
            .map_or_else(String::new, |letter| letter.letter().to_string()),
        _ => format!("{code} {}", name(codes, *code)),
    };
    codes.all().iter().map(choice).collect::<Vec<_>>().join(", ")
}

/// Returns the name of a code in the contract.
const fn name(codes: Codes, code: u8) -> &'static str {
    match (codes, code) {
        (Codes::PropertyType, 0) => "Apartment",
        (Codes::PropertyType, 1) => "House",
        (Codes::PropertyType, 2) => "Building",
        (Codes::PropertyType, 3) => "Parking",
        (Codes::PropertyType, 4) => "Office",
        (Codes::PropertyType, 5) => "Land",
        (Codes::PropertyType, 6) => "Shop",
        (Codes::PublisherType, 0) => "Individual",
        (Codes::PublisherType, 1) => "Professional",
        (Codes::TransactionType, 0) => "Sell",
        (Codes::TransactionType, 1) => "Rent",
        (Codes::FeesResponsibility, 0) => "Seller",
        (Codes::FeesResponsibility, 1) => "Buyer",
        (Codes::Accuracy, 1) => "House number",
        (Codes::Accuracy, 2) => "Neighbourhood or city centre",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name() {
        let codes = [
            Codes::PropertyType,
            Codes::PublisherType,
            Codes::TransactionType,
            Codes::FeesResponsibility,
            Codes::Accuracy,
        ];
        for codes in codes {
            for code in codes.all() {
                assert_ne!(name(codes, code), "", "{codes:?} {code}");
            }
        }
        assert_eq!(choices(Codes::TransactionType), "0 Sell, 1 Rent");
        assert_eq!(choices(Codes::EnergyLetter), "A, B, C, D, E, F, G");
    }
}
