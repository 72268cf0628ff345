//! A snapshot of all sites and categories, with indices.

use std::collections::HashMap;

use super::{Site, SiteCategory, SiteCategoryId, SiteId, SiteKey, SiteName};
use crate::fold::fold;

/// All sites and categories at one revision.
#[derive(Debug, Clone, Default)]
pub struct SiteDirectory {
    revision: u64,
    sites: Vec<Site>,
    categories: Vec<SiteCategory>,
    by_id: HashMap<SiteId, usize>,
    by_key: HashMap<SiteKey, usize>,
    /// By folded name. `None` if several sites share the name.
    by_name: HashMap<String, Option<usize>>,
}

impl SiteDirectory {
    pub fn new(revision: u64, sites: Vec<Site>, categories: Vec<SiteCategory>) -> Self {
        let mut by_name: HashMap<String, Option<usize>> = HashMap::new();
        for (index, name) in
            sites.iter().enumerate().filter_map(|(index, site)| Some((index, site.name.as_ref()?)))
        {
            by_name.entry(fold(name.as_str())).and_modify(|found| *found = None).or_insert(Some(index));
        }
        Self {
            revision,
            by_id: sites.iter().enumerate().map(|(index, site)| (site.id, index)).collect(),
            by_key: sites.iter().enumerate().map(|(index, site)| (site.key.clone(), index)).collect(),
            by_name,
            sites,
            categories,
        }
    }

    /// Returns the revision, which grows with every change. Zero before the first change.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the sites in the order in which they were first seen.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Returns the categories in the order of their creation.
    pub fn categories(&self) -> &[SiteCategory] {
        &self.categories
    }

    pub fn site(&self, id: SiteId) -> Option<&Site> {
        self.by_id.get(&id).map(|index| &self.sites[*index])
    }

    pub fn site_by_key(&self, key: &SiteKey) -> Option<&Site> {
        self.by_key.get(key).map(|index| &self.sites[*index])
    }

    pub fn category(&self, id: SiteCategoryId) -> Option<&SiteCategory> {
        // There are only a few categories, so a linear search is fast enough.
        self.categories.iter().find(|category| category.id == id)
    }

    /// Returns the category with this name, ignoring case and accents.
    pub fn category_named(&self, name: &str) -> Option<&SiteCategory> {
        let wanted = fold(name);
        self.categories.iter().find(|category| category.name.comparison_key() == wanted)
    }

    /// Returns the category of a site.
    pub fn category_of(&self, key: &SiteKey) -> Option<&SiteCategory> {
        self.site_by_key(key)?.category.and_then(|id| self.category(id))
    }

    /// Returns the key of the site that a sender refers to: the site with this key, otherwise the only site with this name,
    /// otherwise the given key, for a site that is not known yet.
    pub fn resolve_key(&self, given: SiteKey) -> SiteKey {
        if given.is_domain() || self.by_key.contains_key(&given) {
            return given;
        }
        match self.by_name.get(&fold(given.as_str())) {
            Some(Some(index)) => self.sites[*index].key.clone(),
            Some(None) | None => given,
        }
    }

    /// Returns the sites whose name or key contains a text, ignoring case and accents.
    pub fn sites_like(&self, text: &str) -> impl Iterator<Item = &Site> {
        let wanted = fold(text);
        self.sites.iter().filter(move |site| {
            fold(site.key.as_str()).contains(&wanted)
                || site.name.as_ref().map(SiteName::as_str).is_some_and(|name| fold(name).contains(&wanted))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::SiteCategoryName;

    fn directory() -> SiteDirectory {
        let category = SiteCategoryId::new(4).unwrap();
        let site = |id, key, name: &str, category| Site {
            id: SiteId::new(id).unwrap(),
            key: SiteKey::parse(key).unwrap(),
            name: SiteName::new(name).unwrap(),
            category,
        };
        let sites = vec![
            site(1, "portail.fr", "Le Portail Doré", Some(category)),
            site(2, "Agence", "", None),
            site(5, "lac.fr", "Agence", None),
            site(6, "rive.fr", "Deux Rives", None),
            site(7, "rives.com", "deux  rives", None),
        ];
        let name = SiteCategoryName::parse("Portails").unwrap();
        SiteDirectory::new(3, sites, vec![SiteCategory { id: category, name }])
    }

    #[test]
    fn key_or_unique_name_resolves_to_a_site() {
        let directory = directory();
        for (given, expected) in [
            ("www.portail.fr", "portail.fr"),
            ("LE PORTAIL DORE", "portail.fr"),
            ("le-portail-doré", "portail.fr"),
            // The key of an existing site has precedence over the name of another.
            ("agence", "agence"),
            // A name of two sites resolves to neither.
            ("Deux Rives", "deux rives"),
            ("Autre", "autre"),
        ] {
            assert_eq!(directory.resolve_key(SiteKey::parse(given).unwrap()).as_str(), expected, "{given}");
        }
    }

    #[test]
    fn sites_and_categories_are_found() {
        let directory = directory();
        let category_of =
            |key| directory.category_of(&SiteKey::parse(key).unwrap()).map(|found| found.id.get());
        assert_eq!(
            (category_of("portail.fr"), category_of("lac.fr"), category_of("x.fr")),
            (Some(4), None, None)
        );
        assert_eq!(directory.category_named("PORTAILS ").map(|found| found.id.get()), Some(4));
        assert_eq!(directory.category_named("portail").map(|found| found.id.get()), None);
        assert_eq!(directory.site(SiteId::new(5).unwrap()).map(Site::label), Some("Agence"));
        assert_eq!(directory.site(SiteId::new(2).unwrap()).map(Site::label), Some("agence"));
        assert_eq!(directory.site(SiteId::new(3).unwrap()), None);
        let like = |text| directory.sites_like(text).map(|site| site.id.get()).collect::<Vec<_>>();
        assert_eq!(
            (like("dore"), like("Portail.fr"), like("AGENCE"), like(".com")),
            (vec![1], vec![1], vec![2, 5], vec![7])
        );
        assert_eq!(like("zzz"), Vec::<u32>::new());
    }
}
