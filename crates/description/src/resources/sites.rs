//! Sites and their categories.

use crate::schema::{Field, Kind, Resource};

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    vec![
        Resource::at("Site", "/sites/{id}", "A source of adverts", vec![
            Field::new("id", Kind::Integer, "The id"),
            Field::new("name", Kind::Text, "The name that the operator gave, else the domain or name that adverts came with"),
            Field::new("domain", Kind::Text, "The domain; null if the site is known by a name").or_null(),
            Field::new("category", Kind::Object("SiteCategoryInSite"), "The category that the operator gave").or_null(),
        ]),
        Resource::at("SiteCategory", "/site_categories/{id}", "A category of sites", vec![
            Field::new("id", Kind::Integer, "The id"),
            Field::new("name", Kind::Text, "The name"),
        ]),
        Resource::at("SiteCategoryInSite", "/site_categories/{id}", "The category of a site", vec![
            Field::new("name", Kind::Text, "The name"),
        ])
        .of_class("SiteCategory"),
        Resource::at("SiteCategoryInSearch", "/site_categories/{id}", "A category that a search names. The id is absent and the name null if it no longer exists.", vec![
            Field::new("id", Kind::Integer, "The id").optional(),
            Field::new("name", Kind::Text, "The name").or_null(),
        ])
        .of_class("SiteCategory"),
        Resource::body("SiteChange", "A change of a site. An absent field keeps its value; null clears it.", vec![
            Field::new("name", Kind::Text, "The name; null for the domain or name that adverts came with").or_null().optional(),
            Field::new("category", super::search_bodies::REFERENCE, "The category: its path, its id or its name").or_null().optional(),
        ]),
        Resource::body("SiteCategoryDraft", "A category of sites to create or rename", vec![
            Field::new("name", Kind::Text, "The name, which no other category has"),
        ]),
    ]
}
