//! The reference pages in `docs/reference`: a table of fields for each object, and a table of filters.
//!
//! Each page begins with an introduction and an example, which people write. The rest, between two markers, is generated here. A test
//! generates it again and compares; it can also write it.

mod filters;
mod operations;
mod tables;

use crate::resources;
use crate::schema::{Kind, Resource};

/// The lines around the generated part of a page.
const BEGIN: &str = "<!-- generated from crates/description: do not edit below -->";
const END: &str = "<!-- end of the generated part -->";

/// A reference page.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The name of the file, without its ending.
    pub name: &'static str,
    /// The objects, in the order of the page.
    objects: &'static [&'static str],
}

/// All pages. Every object is on one of them.
pub const PAGES: &[Page] = &[
    Page {
        name: "properties",
        objects: &[
            "PropertyDocument",
            "ExportedProperty",
            "Clusters",
            "ClusterCell",
            "MapProperty",
            "Facets",
            "Histogram",
            "Bucket",
            "PricePerMeter",
            "PricePeriod",
        ],
    },
    Page {
        name: "adverts",
        objects: &[
            "Advert",
            "AdvertInProperty",
            "Contact",
            "Publisher",
            "Rating",
            "AdEvent",
            "LifeAnnuity",
            "NewBuilding",
        ],
    },
    Page {
        name: "ingest",
        objects: &[
            "AdvertDraft",
            "ContactDraft",
            "PublisherDraft",
            "RatingDraft",
            "PointDraft",
            "LifeAnnuityDraft",
            "NewBuildingDraft",
            "AdEventDraft",
            "PricePoint",
            "AdvertReceipt",
        ],
    },
    Page {
        name: "searches",
        objects: &[
            "Search",
            "SearchDraft",
            "PreviewDraft",
            "Reference",
            "Expression",
            "ExpressionOptions",
            "CityInSearch",
            "DepartmentInSearch",
            "SiteCategoryInSearch",
            "SearchPreview",
            "MatchCount",
        ],
    },
    Page {
        name: "matches",
        objects: &[
            "Match",
            "MatchesByDay",
            "DayMatches",
            "Explanation",
            "CriterionResult",
            "WantedValue",
            "FoundValue",
            "NamedItem",
            "AdvertResult",
            "ChangeResult",
            "ExpressionResult",
            "EntryResult",
            "Passage",
        ],
    },
    Page {
        name: "events",
        objects: &[
            "WebhookEvent",
            "AdEventInWebhook",
            "WebhookMatch",
            "WebhookPropertyDocument",
            "CityInWebhook",
        ],
    },
    Page {
        name: "deliveries",
        objects: &[
            "Delivery",
            "DeliveryWithAttempts",
            "Attempt",
            "AnswerHeader",
            "Timings",
            "DeliveryRequest",
            "DeliveryHealth",
            "HostHealth",
            "HourHealth",
            "ReplayDraft",
            "Replay",
            "ReplayCount",
            "WebhookSecret",
        ],
    },
    Page {
        name: "grouping",
        objects: &[
            "PropertyGrouping",
            "GroupedAdvert",
            "ClosestAdvert",
            "Regrouping",
            "AdvertComparison",
            "ComparedAdvert",
            "DoubtfulPair",
            "DoubtfulAdvert",
            "Evidence",
            "MergeDraft",
            "PropertyMerge",
            "SplitDraft",
            "PropertySplit",
            "GroupingDecisionDraft",
            "GroupingDecision",
        ],
    },
    Page {
        name: "places",
        objects: &[
            "City",
            "CityInProperty",
            "Department",
            "Region",
            "Location",
            "Division",
            "Point",
            "Station",
            "StationWithPoint",
            "Line",
            "Outline",
            "OutlineProperties",
            "Geometry",
        ],
    },
    Page {
        name: "sites",
        objects: &["Site", "SiteCategoryInSite", "SiteCategory", "SiteChange", "SiteCategoryDraft"],
    },
    Page {
        name: "account",
        objects: &["Key", "KeyDraft", "KeyChange", "Session", "SignIn", "Usage", "OperationUsage"],
    },
    Page {
        name: "status",
        objects: &[
            "Status",
            "StatusNow",
            "StatusSeries",
            "SiteAdverts",
            "SiteHour",
            "WorkerStatus",
            "RetentionFigures",
            "ChangedSetting",
            "RefusedAdverts",
            "RefusedReason",
            "RefusedExample",
            "LogLevel",
            "LogLevelChange",
        ],
    },
    Page {
        name: "errors",
        objects: &["Error", "ConstraintViolationList", "ConstraintViolation", "Receiver", "Health"],
    },
    Page { name: "collections", objects: &["Collection", "View", "SearchTemplate", "Mapping"] },
    Page { name: "filters", objects: &[] },
    Page { name: "operations", objects: &[] },
];

impl Page {
    /// Returns the page with its generated part replaced. `None` if the page has no markers.
    pub fn regenerate(&self, text: &str) -> Option<String> {
        let (head, rest) = text.split_once(BEGIN)?;
        let (_, tail) = rest.split_once(END)?;
        Some(format!("{head}{BEGIN}\n\n{}{END}{tail}", self.generated()))
    }

    /// Returns the generated part.
    fn generated(&self) -> String {
        match self.name {
            "filters" => filters::filters(),
            "operations" => operations::operations(),
            _ => tables::tables(self.objects.iter().filter_map(|name| resources::find(name))),
        }
    }
}

/// Returns the link to the table of an object, from another page or from its own.
fn link_to(name: &str) -> String {
    match PAGES.iter().find(|page| page.objects.contains(&name)) {
        Some(page) => format!("[{name}]({}.md#{})", page.name, name.to_ascii_lowercase()),
        None => name.to_owned(),
    }
}

/// Returns the object that another one is a variant of: the one with the name of its class.
fn base_of(resource: &Resource) -> Option<&'static Resource> {
    let base = if resource.name == "PreviewDraft" { "SearchDraft" } else { resource.class };
    resources::find(base).filter(|base| base.name != resource.name)
}

/// Returns what a reader would call a kind of value.
fn kind_name(kind: Kind) -> String {
    match kind {
        Kind::Text | Kind::Choice(_) => "text".to_owned(),
        Kind::Constant(text) => format!("`\"{text}\"`"),
        Kind::Integer => "integer".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::DateTime => "date and time".to_owned(),
        Kind::Date => "date".to_owned(),
        Kind::Uuid => "uuid".to_owned(),
        Kind::Url => "URL".to_owned(),
        Kind::Email => "e-mail address".to_owned(),
        Kind::Link(target) => match resources::find(target).and_then(Resource::path) {
            Some(path) => format!("path `{path}`"),
            None if target == "Property" => "path `/properties/{uuid}`".to_owned(),
            None if target == "User" => "path `/users/{uuid}`".to_owned(),
            None => "path".to_owned(),
        },
        Kind::Code(_) => "code".to_owned(),
        Kind::List(item) => format!("list of {}", kind_name(*item)),
        Kind::Object(name) => link_to(name),
        Kind::Map(item) => format!("object of {}", kind_name(*item)),
        Kind::Collection(name) => format!("page of {}", link_to(name)),
        Kind::AnyOf(kinds) => {
            let mut names: Vec<String> = Vec::new();
            for name in kinds.iter().map(|kind| kind_name(*kind)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join(" or ")
        }
        Kind::Any => "any value".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_object_is_on_one_page() {
        let mut shown = BTreeSet::new();
        for name in PAGES.iter().flat_map(|page| page.objects) {
            assert!(shown.insert(*name), "{name} is on two pages");
            assert!(resources::find(name).is_some(), "there is no object {name}");
        }
        for resource in resources::all() {
            assert!(shown.contains(resource.name), "{} is on no page", resource.name);
        }
    }

    #[test]
    fn text_around_the_markers_stays() {
        let page = PAGES.iter().find(|page| page.name == "collections").unwrap();
        let text = format!("# Head\n\n{BEGIN}\nstale\n{END}\n\ntail\n");
        let new = page.regenerate(&text).unwrap();
        assert!(new.starts_with("# Head\n\n") && new.ends_with("\n\ntail\n"), "{new}");
        assert!(new.contains("## Mapping") && !new.contains("stale"), "{new}");
        assert_eq!(page.regenerate(&new), Some(new.clone()));
        assert_eq!(page.regenerate("no markers"), None);
    }

    #[test]
    fn kinds_have_names() {
        assert_eq!(kind_name(Kind::List(&Kind::Url)), "list of URL");
        assert_eq!(kind_name(Kind::Link("City")), "path `/cities/{id}`");
        assert_eq!(kind_name(Kind::Object("Contact")), "[Contact](adverts.md#contact)");
        assert_eq!(kind_name(Kind::AnyOf(&[Kind::Number, Kind::Text])), "number or text");
    }
}
