//! Look-up of departments and regions by name.

use std::collections::HashMap;

use domain::fold;

use crate::geography::Geography;

/// A division that contains communes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Area {
    /// A department, by its code.
    Department(String),
    /// A region, by its id.
    Region(u64),
    /// A region of before 2016, by the codes of its departments.
    FormerRegion(&'static [&'static str]),
}

/// The departments and regions by their names.
pub(crate) struct AreaIndex {
    areas: HashMap<String, Area>,
}

/// Words before the name of a department. `du` and `de` are not among them: they join the parts of one name.
const ARTICLES: [&str; 4] = ["l", "le", "la", "les"];

/// The number of words of the longest name: Terres australes et antarctiques françaises, with an article.
pub(crate) const AREA_WORDS_MAX: usize = 6;

/// Abbreviations of regions, with the start of the name.
const ABBREVIATIONS: [(&str, &str); 3] =
    [("paca", "provence"), ("idf", "ile de france"), ("aura", "auvergne")];

/// The regions of before 2016, and Provence, with the start of the name of today's region and their departments. Adverts still
/// name them.
const FORMER_REGIONS: [(&str, &str, &[&str]); 17] = [
    ("alsace", "grand est", &["67", "68"]),
    ("aquitaine", "nouvelle aquitaine", &["24", "33", "40", "47", "64"]),
    ("auvergne", "auvergne", &["03", "15", "43", "63"]),
    ("basse normandie", "normandie", &["14", "50", "61"]),
    ("bourgogne", "bourgogne", &["21", "58", "71", "89"]),
    ("champagne ardenne", "grand est", &["08", "10", "51", "52"]),
    ("franche comte", "bourgogne", &["25", "39", "70", "90"]),
    ("haute normandie", "normandie", &["27", "76"]),
    ("languedoc roussillon", "occitanie", &["11", "30", "34", "48", "66"]),
    ("limousin", "nouvelle aquitaine", &["19", "23", "87"]),
    ("lorraine", "grand est", &["54", "55", "57", "88"]),
    ("midi pyrenees", "occitanie", &["09", "12", "31", "32", "46", "65", "81", "82"]),
    ("nord pas de calais", "hauts de france", &["59", "62"]),
    ("picardie", "hauts de france", &["02", "60", "80"]),
    ("poitou charentes", "nouvelle aquitaine", &["16", "17", "79", "86"]),
    ("provence", "provence", &["04", "13", "83", "84"]),
    ("rhone alpes", "auvergne", &["01", "07", "26", "38", "42", "69", "73", "74"]),
];

impl AreaIndex {
    pub fn new(geography: &Geography) -> Self {
        let mut areas = HashMap::new();
        for region in &geography.regions {
            let name = fold(&region.name);
            for (abbreviation, _) in ABBREVIATIONS.iter().filter(|(_, start)| name.starts_with(start)) {
                areas.insert((*abbreviation).to_owned(), Area::Region(region.id));
            }
            for (former, _, departments) in
                FORMER_REGIONS.iter().filter(|(_, start, _)| name.starts_with(start))
            {
                areas.insert((*former).to_owned(), Area::FormerRegion(departments));
            }
            areas.insert(without_article(&name).to_owned(), Area::Region(region.id));
        }
        // The overseas departments are regions as well. The department is the more precise of the two.
        for department in &geography.departments {
            let name = fold(&department.name);
            areas.insert(without_article(&name).to_owned(), Area::Department(department.code.to_string()));
        }
        Self { areas }
    }

    /// Returns the department or region with this name, with or without its article.
    pub fn named(&self, words: &[String]) -> Option<&Area> {
        if words.is_empty() || words.len() > AREA_WORDS_MAX {
            return None;
        }
        self.areas.get(without_article(&words.join(" ")))
    }
}

fn without_article(name: &str) -> &str {
    match name.split_once(' ') {
        Some((article, rest)) if ARTICLES.contains(&article) => rest,
        _ => name,
    }
}
