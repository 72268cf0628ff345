//! A search as its owner reads it. Every key of the contract is always there: an unset number or boolean is `null`, an unset
//! list is empty.

use domain::criteria::RawCriterion;
use domain::filter::{Codes, Filter, Kind};
use domain::search::SearchDraft;
use domain::{Alerts, EnergyLetter, Polygon, SavedSearch, SiteCategoryId, SiteDirectory, SiteKey, Timestamp};
use jiff::tz::TimeZone;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{
    EMAIL, ENABLED, ENDPOINT, EVENT_ENDPOINT, EVENTS, HIDE_CONTACT, Places, TITLE, criteria, default_flag,
};
use crate::document::Number;
use crate::filters::{expressions, takes_one};
use crate::place::DepartmentResource;
use crate::site::SiteCategoryResource;
use crate::{date, iri, names};

/// The criteria that are shown even when they are unset. The others would be forty keys that hardly anybody uses.
pub const ALWAYS: &[&str] = &[
    "transactionType",
    "propertyTypes",
    "publisherTypes",
    "budgetMin",
    "budgetMax",
    "bedroomMin",
    "bedroomMax",
    "roomMin",
    "roomMax",
    "surfaceMin",
    "surfaceMax",
    "landSurfaceMin",
    "landSurfaceMax",
    "pricePerMeterMin",
    "pricePerMeterMax",
    "advertPriceMin",
    "advertPriceMax",
    "lat",
    "lon",
    "radius",
    "geoShapes",
    "geoAccuracy",
    "furnished",
    "withVirtualTour",
    "withCoherentPrice",
    "expressions",
    "includedCities",
    "excludedCities",
    "includedDepartments",
    "includedZipcodes",
    "excludedZipcodes",
    "includedInseeCodes",
    "includedSites",
    "excludedSites",
    "includedSiteCategories",
    "excludedSiteCategories",
];

/// A search, and what it takes to show it.
#[derive(Clone, Copy)]
pub struct SearchParts<'a> {
    pub search: &'a SavedSearch,
    pub last_alert_at: Option<Timestamp>,
    pub places: Places<'a>,
    pub sites: &'a SiteDirectory,
    pub zone: &'a TimeZone,
}

/// The resource of a search.
pub fn search(parts: SearchParts<'_>) -> impl Serialize {
    SearchResource(parts)
}

struct SearchResource<'a>(SearchParts<'a>);

impl Serialize for SearchResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SearchParts { search, last_alert_at, zone, .. } = &self.0;
        let SavedSearch { id, owner, token, created_at, updated_at, draft } = search;
        let SearchDraft { title, raw_criteria, alerts } = draft;
        let Alerts { enabled, hide_contact, email, endpoint, event_endpoint, events } = alerts;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("@context", "/contexts/Search")?;
        map.serialize_entry("@id", &iri::search(*id))?;
        map.serialize_entry("@type", "Search")?;
        map.serialize_entry("user", &iri::user(*owner))?;
        map.serialize_entry("token", token.as_str())?;
        map.serialize_entry(TITLE, title.as_str())?;
        for filter in criteria() {
            let criterion = raw_criteria.get(filter);
            if criterion.is_some() || ALWAYS.contains(&filter.name) {
                map.serialize_entry(filter.name, &Criterion { filter, criterion, parts: &self.0 })?;
            }
        }
        map.serialize_entry(HIDE_CONTACT, hide_contact)?;
        map.serialize_entry(ENABLED, enabled)?;
        map.serialize_entry(EMAIL, &email.as_ref().map(|email| email.as_str()))?;
        map.serialize_entry(ENDPOINT, &endpoint.as_ref().map(|endpoint| endpoint.as_str()))?;
        map.serialize_entry(EVENT_ENDPOINT, &event_endpoint.as_ref().map(|endpoint| endpoint.as_str()))?;
        let events: Vec<&str> = events.iter().map(|event| names::event_name(*event)).collect();
        map.serialize_entry(EVENTS, &events)?;
        map.serialize_entry("createdAt", &date::print(*created_at, zone))?;
        map.serialize_entry("updatedAt", &date::print(*updated_at, zone))?;
        map.serialize_entry("lastAlertAt", &last_alert_at.map(|at| date::print(at, zone)))?;
        map.end()
    }
}

/// The value of one criterion.
struct Criterion<'a> {
    filter: &'static Filter,
    criterion: Option<&'a RawCriterion>,
    parts: &'a SearchParts<'a>,
}

impl Serialize for Criterion<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { filter, criterion, parts } = self;
        let Some(criterion) = criterion else { return unset(filter, serializer) };
        match criterion {
            RawCriterion::Number(number) => Number(*number).serialize(serializer),
            RawCriterion::Timestamp(at) => date::print(*at, parts.zone).serialize(serializer),
            RawCriterion::Codes(codes) => write_codes(filter, codes, serializer),
            RawCriterion::Flag(flag) => flag.serialize(serializer),
            RawCriterion::Cities(ids) => serializer.collect_seq(ids.iter().map(|id| parts.city(*id))),
            RawCriterion::Departments(ids) => {
                serializer.collect_seq(ids.iter().map(|id| parts.department(*id)))
            }
            RawCriterion::Communes(codes) => serializer.collect_seq(codes.iter().map(|code| code.as_str())),
            RawCriterion::Zipcodes(zipcodes) => {
                serializer.collect_seq(zipcodes.iter().map(|zipcode| zipcode.as_str()))
            }
            RawCriterion::Sites(sites) => serializer.collect_seq(sites.iter().map(|site| parts.site(site))),
            RawCriterion::SiteCategories(ids) => {
                serializer.collect_seq(ids.iter().map(|id| parts.category(*id)))
            }
            RawCriterion::Properties(ids) => serializer.collect_seq(ids.iter().map(|id| iri::property(*id))),
            RawCriterion::Polygons(polygons) => serializer.collect_seq(polygons.iter().map(corners)),
            RawCriterion::Expressions(groups) => expressions::write(groups).serialize(serializer),
            // About an order, which a search has none of.
            RawCriterion::SortMode(_) => serializer.serialize_none(),
        }
    }
}

fn unset<S: Serializer>(filter: &Filter, serializer: S) -> Result<S::Ok, S::Error> {
    let one = matches!(filter.kind, Kind::Choice(_, codes) if takes_one(codes));
    if filter.is_list() && !one {
        let nothing: [(); 0] = [];
        return nothing.serialize(serializer);
    }
    default_flag(filter).serialize(serializer)
}

fn write_codes<S: Serializer>(filter: &Filter, codes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match filter.kind {
        Kind::Choice(_, Codes::EnergyLetter) => {
            let letters = codes.iter().filter_map(|code| EnergyLetter::ALL.get(usize::from(*code)));
            serializer.collect_seq(letters.map(|letter| letter.letter()))
        }
        Kind::Choice(_, kind) if takes_one(kind) => codes.first().serialize(serializer),
        _ => codes.serialize(serializer),
    }
}

fn corners(polygon: &Polygon) -> Vec<[Number; 2]> {
    polygon.corners().iter().map(|corner| [Number(corner.lon()), Number(corner.lat())]).collect()
}

/// A reference as an object; what it leads to may have gone since.
#[derive(Serialize)]
#[serde(untagged)]
enum Referent<T, G> {
    There(Box<T>),
    Gone(G),
}

/// A city as the contract has it inside a search, and no more: a search may name thousands. Of one that has gone nothing but
/// the reference is known.
#[derive(Default, Serialize)]
struct NestedCity {
    #[serde(flatten)]
    node: Node,
    article: Option<String>,
    insee: Option<String>,
    libelle: Option<String>,
    name: Option<String>,
    zipcode: Option<String>,
}

/// What is left of a reference whose target is not there: every key of the contract, and nothing but the reference known.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct GoneDepartment {
    #[serde(flatten)]
    node: Node,
    chef_lieu: Option<()>,
    department_code: Option<()>,
    name: Option<()>,
    name_clean: Option<()>,
}

#[derive(Default, Serialize)]
struct GoneCategory {
    #[serde(flatten)]
    node: Node,
    name: Option<()>,
}

#[derive(Default, Serialize)]
struct Node {
    #[serde(rename = "@context")]
    context: String,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
}

impl Node {
    fn new(kind: &'static str, iri: String) -> Self {
        Self { context: iri::context(kind), iri, kind }
    }
}

impl SearchParts<'_> {
    fn city(&self, id: u64) -> NestedCity {
        let Some(city) = (self.places.city)(id) else {
            return NestedCity { node: Node::new("City", iri::city(id)), ..NestedCity::default() };
        };
        NestedCity {
            node: Node::new("City", iri::city(city.id())),
            article: city.article.as_deref().map(str::to_owned),
            insee: Some(city.insee.to_string()),
            libelle: Some(city.original_name().to_owned()),
            name: Some(city.name.to_string()),
            zipcode: city.main_zipcode().map(|zipcode| zipcode.to_string()),
        }
    }

    fn department(&self, id: u64) -> Referent<DepartmentResource, GoneDepartment> {
        match (self.places.department)(id) {
            Some(department) => Referent::There(Box::new(DepartmentResource::of(&department).alone())),
            None => {
                let node = Node::new("Department", iri::department(id));
                Referent::Gone(GoneDepartment { node, ..GoneDepartment::default() })
            }
        }
    }

    fn category(&self, id: SiteCategoryId) -> Referent<SiteCategoryResource, GoneCategory> {
        match self.sites.category(id) {
            Some(category) => Referent::There(Box::new(SiteCategoryResource::of(category).alone())),
            None => {
                let node = Node::new("SiteCategory", iri::site_category(id));
                Referent::Gone(GoneCategory { node, ..GoneCategory::default() })
            }
        }
    }

    /// By its id, else by what it is known by.
    fn site(&self, key: &SiteKey) -> String {
        self.sites.site_by_key(key).map_or_else(|| key.to_string(), |site| iri::site(site.id))
    }
}
