//! All sites and categories at one moment, and the ways to find one.

use std::collections::HashMap;

use super::{Site, SiteCategory, SiteCategoryId, SiteId, SiteKey, SiteName};
use crate::fold::fold;

/// All sites and categories as they were at one revision.
#[derive(Debug, Clone, Default)]
pub struct SiteDirectory {
    revision: u64,
    sites: Vec<Site>,
    categories: Vec<SiteCategory>,
    by_id: HashMap<SiteId, usize>,
    by_key: HashMap<SiteKey, usize>,
    /// By the operator's name, case and accents aside; nothing where two sites have the same.
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

    /// Grows with every change; zero before the first.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// In the order in which they became known.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// In the order in which they were made.
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
        // A handful, so that a walk is as good as an index.
        self.categories.iter().find(|category| category.id == id)
    }

    /// The category of a name, case and accents aside.
    pub fn category_named(&self, name: &str) -> Option<&SiteCategory> {
        let wanted = fold(name);
        self.categories.iter().find(|category| category.name.comparison_key() == wanted)
    }

    /// The category a site is in.
    pub fn category_of(&self, key: &SiteKey) -> Option<&SiteCategory> {
        self.site_by_key(key)?.category.and_then(|id| self.category(id))
    }

    /// The site that a sender means who says this: the one of that domain or name, else the only one an operator gave
    /// that name, else one not known yet.
    pub fn meant_by(&self, said: SiteKey) -> SiteKey {
        if said.is_domain() || self.by_key.contains_key(&said) {
            return said;
        }
        match self.by_name.get(&fold(said.as_str())) {
            Some(Some(index)) => self.sites[*index].key.clone(),
            Some(None) | None => said,
        }
    }

    /// Sites whose name or domain contains a text, case and accents aside.
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
    fn a_sender_means_the_site_of_that_name() {
        let directory = directory();
        for (said, meant) in [
            ("www.portail.fr", "portail.fr"),
            ("LE PORTAIL DORE", "portail.fr"),
            ("le-portail-doré", "portail.fr"),
            // What adverts came in under stays what it is, whatever others are called later.
            ("agence", "agence"),
            // Two sites have the name: it names neither.
            ("Deux Rives", "deux rives"),
            ("Autre", "autre"),
        ] {
            assert_eq!(directory.meant_by(SiteKey::parse(said).unwrap()).as_str(), meant, "{said}");
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
