//! Prices per square metre by town. The tables and their licence are in `data/prices`.

use std::collections::HashMap;

const BY_COMMUNE: &str = include_str!("../../../data/prices/median_price_m2_by_commune.csv");
const BY_DEPARTMENT: &str = include_str!("../../../data/prices/median_price_m2_by_department_2025.csv");

/// The weight of the department in number of sales: the median of a commune with few sales says little.
const DEPARTMENT_WEIGHT: f64 = 8.0;

/// Median prices of a place, in euros per square metre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceLevel {
    pub apartment: f64,
    pub house: f64,
}

/// A median and the number of sales behind it.
#[derive(Debug, Clone, Copy, Default)]
struct Median {
    price: f64,
    sales: f64,
}

/// Apartments, then houses.
type Pair = [Median; 2];

/// The parsed price tables.
pub(crate) struct Prices {
    communes: HashMap<&'static str, Pair>,
    departments: HashMap<&'static str, Pair>,
    country: [f64; 2],
}

impl Prices {
    pub(crate) fn embedded() -> Self {
        let mut departments: HashMap<&'static str, Pair> = HashMap::new();
        for line in BY_DEPARTMENT.lines().skip(1) {
            let mut cells = line.split(',');
            let (Some(department), Some(kind)) = (cells.next(), cells.next()) else { continue };
            let position = match kind {
                "Appartement" => 0,
                "Maison" => 1,
                _ => continue,
            };
            departments.entry(department).or_default()[position] = median(cells.next(), cells.next());
        }
        let communes = BY_COMMUNE
            .lines()
            .skip(1)
            .filter_map(|line| {
                let mut cells = line.split(',');
                let insee = cells.next()?;
                Some((insee, [median(cells.next(), cells.next()), median(cells.next(), cells.next())]))
            })
            .collect();
        let country = [0, 1].map(|kind| {
            // In sorted order: a sum of floats depends on the order, and that of the map is random.
            let mut codes: Vec<_> = departments.keys().collect();
            codes.sort_unstable();
            let medians = || codes.iter().filter_map(|code| departments.get(**code)).map(|pair| pair[kind]);
            let sales: f64 = medians().map(|median| median.sales).sum();
            medians().map(|median| median.price * median.sales).sum::<f64>() / sales.max(1.0)
        });
        Self { communes, departments, country }
    }

    /// Returns the level of a commune or district, or that of its department or the country if the tables have none.
    pub(crate) fn level(&self, insee: &str) -> PriceLevel {
        let commune = self.communes.get(insee).copied().unwrap_or_default();
        let department = self.departments.get(department_of(insee)).copied().unwrap_or_default();
        let [apartment, house] = [0, 1].map(|kind| {
            let Median { price, sales } = commune[kind];
            let wider =
                if department[kind].sales > 0.0 { department[kind].price } else { self.country[kind] };
            (price * sales + wider * DEPARTMENT_WEIGHT) / (sales + DEPARTMENT_WEIGHT)
        });
        PriceLevel { apartment, house }
    }
}

/// Returns the code of the department: two characters, three overseas.
pub(crate) fn department_of(insee: &str) -> &str {
    let length = if insee.starts_with("97") { 3 } else { 2 };
    insee.get(..length).unwrap_or(insee)
}

fn median(price: Option<&str>, sales: Option<&str>) -> Median {
    let number = |cell: Option<&str>| cell.and_then(|cell| cell.trim().parse().ok()).unwrap_or(0.0);
    let median = Median { price: number(price), sales: number(sales) };
    if median.price > 0.0 { median } else { Median::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_town_with_many_sales_has_its_own_level() {
        let level = Prices::embedded().level("31555");
        assert!((level.apartment / 3_216.0 - 1.0).abs() < 0.01, "{level:?}");
        assert!((level.house / 3_773.0 - 1.0).abs() < 0.02, "{level:?}");
    }

    #[test]
    fn a_missing_town_falls_back_to_department_and_country() {
        let prices = Prices::embedded();
        assert_eq!(prices.level("69383"), PriceLevel { apartment: 3_730.0, house: 3_517.0 });
        let [apartment, house] = prices.country;
        assert_eq!(prices.level("67482"), PriceLevel { apartment, house });
        assert!((2_500.0..6_000.0).contains(&apartment) && (1_800.0..4_000.0).contains(&house));
    }

    #[test]
    fn one_outlier_does_not_set_the_level() {
        // One house sold at 15,783 euros per square metre has a weight of one ninth.
        let level = Prices::embedded().level("2A065");
        assert!(level.house < 7_000.0, "{level:?}");
    }
}
