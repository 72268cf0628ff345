//! Queries as request paths.

use domain::Timestamp;

use crate::search::query::{Criteria, Query};

/// Returns the path and query string for a query.
pub fn path(query: &Query) -> String {
    let mut parameters =
        vec![format!("transactionType={}", query.transaction.code()), "expired=false".to_owned()];
    let budget = |parameters: &mut Vec<String>, budget: &world::Budget| {
        parameters.extend(budget.min.map(|min| format!("budgetMin={min}")));
        parameters.push(format!("budgetMax={}", budget.max));
    };
    match &query.criteria {
        Criteria::City { city, budget: amount, surface_min } => {
            parameters.push(format!("includedCities[]=/cities/{city}&surfaceMin={surface_min}"));
            budget(&mut parameters, amount);
        }
        Criteria::Department { department, budget: amount, surface_min } => {
            parameters
                .push(format!("includedDepartments[]=/departments/{department}&surfaceMin={surface_min}"));
            budget(&mut parameters, amount);
        }
        Criteria::Radius { centre, radius_km, budget: amount } => {
            parameters.push(format!("lat={}&lon={}&radius={radius_km}", centre.lat(), centre.lon()));
            budget(&mut parameters, amount);
        }
        Criteria::Words { words, kind } => {
            for (place, word) in words.iter().enumerate() {
                parameters.push(format!(
                    "expressions[0][{place}][word]={word}&expressions[0][{place}][options][strict]=true"
                ));
            }
            parameters.push(format!("propertyTypes[]={}", kind.code()));
        }
        Criteria::Country { kinds } => {
            parameters.extend(kinds.iter().map(|kind| format!("propertyTypes[]={}", kind.code())));
            parameters.push("order[price]=asc".to_owned());
        }
        Criteria::Energy { city, letters, year_min } => {
            parameters.push(format!("includedCities[]=/cities/{city}&constructionYearMin={year_min}"));
            parameters.extend(letters.iter().map(|letter| format!("energyCategories[]={}", letter.letter())));
        }
        Criteria::PriceDrop { department, percent_max, since } => {
            let since = Timestamp::from_second(*since).unwrap_or_default();
            parameters.push(format!("includedDepartments[]=/departments/{department}"));
            parameters.push(format!(
                "eventPriceVariationMax={percent_max}&eventPriceVariationFromCreatedAt={since}"
            ));
        }
    }
    format!("/documents/properties?{}", parameters.join("&"))
}
