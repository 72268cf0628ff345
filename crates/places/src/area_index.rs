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

impl AreaIndex {
    pub fn new(geography: &Geography) -> Self {
        let mut areas = HashMap::new();
        for region in &geography.regions {
            let name = fold(&region.name);
            for (abbreviation, _) in ABBREVIATIONS.iter().filter(|(_, start)| name.starts_with(start)) {
                areas.insert((*abbreviation).to_owned(), Area::Region(region.id));
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
