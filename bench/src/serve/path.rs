//! Questions as a client sends them.

use domain::Timestamp;

use crate::search::question::{Criteria, Question};

/// The question as a client sends it.
pub fn path(question: &Question) -> String {
    let mut query =
        vec![format!("transactionType={}", question.transaction.code()), "expired=false".to_owned()];
    let budget = |query: &mut Vec<String>, budget: &world::Budget| {
        query.extend(budget.min.map(|min| format!("budgetMin={min}")));
        query.push(format!("budgetMax={}", budget.max));
    };
    match &question.criteria {
        Criteria::City { city, budget: amount, surface_min } => {
            query.push(format!("includedCities[]=/cities/{city}&surfaceMin={surface_min}"));
            budget(&mut query, amount);
        }
        Criteria::Department { department, budget: amount, surface_min } => {
            query.push(format!("includedDepartments[]=/departments/{department}&surfaceMin={surface_min}"));
            budget(&mut query, amount);
        }
        Criteria::Radius { centre, radius_km, budget: amount } => {
            query.push(format!("lat={}&lon={}&radius={radius_km}", centre.lat(), centre.lon()));
            budget(&mut query, amount);
        }
        Criteria::Words { words, kind } => {
            for (place, word) in words.iter().enumerate() {
                query.push(format!(
                    "expressions[0][{place}][word]={word}&expressions[0][{place}][options][strict]=true"
                ));
            }
            query.push(format!("propertyTypes[]={}", kind.code()));
        }
        Criteria::Country { kinds } => {
            query.extend(kinds.iter().map(|kind| format!("propertyTypes[]={}", kind.code())));
            query.push("order[price]=asc".to_owned());
        }
        Criteria::Energy { city, letters, year_min } => {
            query.push(format!("includedCities[]=/cities/{city}&constructionYearMin={year_min}"));
            query.extend(letters.iter().map(|letter| format!("energyCategories[]={}", letter.letter())));
        }
        Criteria::PriceDrop { department, percent_max, since } => {
            let since = Timestamp::from_second(*since).unwrap_or_default();
            query.push(format!("includedDepartments[]=/departments/{department}"));
            query.push(format!(
                "eventPriceVariationMax={percent_max}&eventPriceVariationFromCreatedAt={since}"
            ));
        }
    }
    format!("/documents/properties?{}", query.join("&"))
}
