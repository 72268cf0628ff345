//! Writes a saved search for its owner. Every key of the contract is present: an unset number or boolean is `null`,
//! an unset list is empty.

use domain::criteria::{RawCriteria, RawCriterion};
use domain::filter::{Codes, Filter, Kind};
use domain::search::SearchDraft;
use domain::{
    Alerts, EnergyLetter, Phrase, Polygon, SavedSearch, SiteCategoryId, SiteDirectory, SiteKey, Timestamp,
};
use jiff::tz::TimeZone;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{
    EMAIL, ENABLED, ENDPOINT, EVENT_ENDPOINT, EVENTS, HIDE_CONTACT, IGNORED, Places, TITLE, criteria,
    default_flag,
};
use crate::document::Number;
use crate::filters::{expressions, is_single_valued};
use crate::place::DepartmentResource;
use crate::site::SiteCategoryResource;
use crate::{date, iri, names};

/// Criteria that are written even if unset. The others are forty rarely used keys.
pub const ALWAYS_SHOWN: &[&str] = &[
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

/// A saved search and the data needed to write it.
#[derive(Clone, Copy)]
pub struct SearchInput<'a> {
    pub search: &'a SavedSearch,
    pub last_alert_at: Option<Timestamp>,
    pub places: Places<'a>,
    pub sites: &'a SiteDirectory,
    pub zone: &'a TimeZone,
    /// The unknown fields of the request that the response is for.
    pub ignored: &'a [String],
}

/// Returns the resource of a search.
pub fn search(input: SearchInput<'_>) -> impl Serialize {
    SearchResource(input)
}

struct SearchResource<'a>(SearchInput<'a>);

impl Serialize for SearchResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SearchInput { search, last_alert_at, zone, ignored, places: _, sites: _ } = &self.0;
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
            if criterion.is_some() || ALWAYS_SHOWN.contains(&filter.name) {
                map.serialize_entry(filter.name, &Criterion { filter, criterion, input: &self.0 })?;
            }
        }
        map.serialize_entry(HIDE_CONTACT, hide_contact)?;
        map.serialize_entry(ENABLED, enabled)?;
        map.serialize_entry(EMAIL, &email.as_ref().map(|email| email.as_str()))?;
        map.serialize_entry(ENDPOINT, &endpoint.as_ref().map(|endpoint| endpoint.as_str()))?;
        map.serialize_entry(EVENT_ENDPOINT, &event_endpoint.as_ref().map(|endpoint| endpoint.as_str()))?;
        let events: Vec<&str> = events.iter().map(|event| names::event_name(*event)).collect();
        map.serialize_entry(EVENTS, &events)?;
        map.serialize_entry("createdAt", &date::format(*created_at, zone))?;
        map.serialize_entry("updatedAt", &date::format(*updated_at, zone))?;
        map.serialize_entry("lastAlertAt", &last_alert_at.map(|at| date::format(at, zone)))?;
        // Not a field of a search: absent unless there is something to say.
        if !ignored.is_empty() {
            map.serialize_entry(IGNORED, ignored)?;
        }
        map.end()
    }
}

/// The value of one criterion.
struct Criterion<'a> {
    filter: &'static Filter,
    criterion: Option<&'a RawCriterion>,
    input: &'a SearchInput<'a>,
}

impl Serialize for Criterion<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { filter, criterion, input } = self;
        let Some(criterion) = criterion else {
            // A search for prices on request does not have the default.
            let coherent = default_flag(filter).is_some();
            if coherent && asks_for_no_price(&input.search.draft.raw_criteria) {
                return serializer.serialize_none();
            }
            return write_unset(filter, serializer);
        };
        match criterion {
            RawCriterion::Number(number) => Number(*number).serialize(serializer),
            RawCriterion::Timestamp(at) => date::format(*at, input.zone).serialize(serializer),
            RawCriterion::Codes(codes) => write_codes(filter, codes, serializer),
            RawCriterion::Flag(flag) => flag.serialize(serializer),
            RawCriterion::Cities(ids) => serializer.collect_seq(ids.iter().map(|id| input.city(*id))),
            RawCriterion::Departments(ids) => {
                serializer.collect_seq(ids.iter().map(|id| input.department(*id)))
            }
            RawCriterion::Communes(codes) => serializer.collect_seq(codes.iter().map(|code| code.as_str())),
            RawCriterion::Zipcodes(zipcodes) => {
                serializer.collect_seq(zipcodes.iter().map(|zipcode| zipcode.as_str()))
            }
            RawCriterion::Sites(sites) => serializer.collect_seq(sites.iter().map(|site| input.site(site))),
            RawCriterion::SiteCategories(ids) => {
                serializer.collect_seq(ids.iter().map(|id| input.category(*id)))
            }
            RawCriterion::Properties(ids) => serializer.collect_seq(ids.iter().map(|id| iri::property(*id))),
            RawCriterion::Polygons(polygons) => serializer.collect_seq(polygons.iter().map(write_corners)),
            RawCriterion::Expressions(groups) => expressions::write(groups).serialize(serializer),
            RawCriterion::Features(phrases) => serializer.collect_seq(phrases.iter().map(Phrase::text)),
            // Concerns the sort order, which a saved search does not have.
            RawCriterion::SortMode(_) => serializer.serialize_none(),
        }
    }
}

fn asks_for_no_price(raw_criteria: &RawCriteria) -> bool {
    let on_request = Filter::named("priceOnRequest").and_then(|filter| raw_criteria.get(filter));
    on_request == Some(&RawCriterion::Flag(true))
}

fn write_unset<S: Serializer>(filter: &Filter, serializer: S) -> Result<S::Ok, S::Error> {
    let one = matches!(filter.kind, Kind::Choice(_, codes) if is_single_valued(codes));
    if filter.is_list() && !one {
        let empty: [(); 0] = [];
        return empty.serialize(serializer);
    }
    default_flag(filter).serialize(serializer)
}

fn write_codes<S: Serializer>(filter: &Filter, codes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match filter.kind {
        Kind::Choice(_, Codes::EnergyLetter) => {
            let letters = codes.iter().filter_map(|code| EnergyLetter::ALL.get(usize::from(*code)));
            serializer.collect_seq(letters.map(|letter| letter.letter()))
        }
        Kind::Choice(_, kind) if is_single_valued(kind) => codes.first().serialize(serializer),
        _ => codes.serialize(serializer),
    }
}

fn write_corners(polygon: &Polygon) -> Vec<[Number; 2]> {
    polygon.corners().iter().map(|corner| [Number(corner.lon()), Number(corner.lat())]).collect()
}

/// A reference written as an object. Its target may have been deleted since.
#[derive(Serialize)]
#[serde(untagged)]
enum Reference<T, G> {
    Resolved(Box<T>),
    Dangling(G),
}

/// A city inside a search. It has only the keys of the contract, because a search may name thousands of cities. For
/// a deleted city only the reference is set.
#[derive(Default, Serialize)]
struct NestedCity {
    #[serde(flatten)]
    head: JsonLdHead,
    article: Option<String>,
    insee: Option<String>,
    libelle: Option<String>,
    name: Option<String>,
    zipcode: Option<String>,
}

/// A reference whose target was deleted: every key of the contract, all null except the reference.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct DanglingDepartment {
    #[serde(flatten)]
    head: JsonLdHead,
    chef_lieu: Option<()>,
    department_code: Option<()>,
    name: Option<()>,
    name_clean: Option<()>,
}

#[derive(Default, Serialize)]
struct DanglingCategory {
    #[serde(flatten)]
    head: JsonLdHead,
    name: Option<()>,
}

#[derive(Default, Serialize)]
struct JsonLdHead {
    #[serde(rename = "@context")]
    context: String,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
}

impl JsonLdHead {
    fn new(kind: &'static str, iri: String) -> Self {
        Self { context: iri::context(kind), iri, kind }
    }
}

impl SearchInput<'_> {
    fn city(&self, id: u64) -> NestedCity {
        let Some(city) = (self.places.city)(id) else {
            return NestedCity { head: JsonLdHead::new("City", iri::city(id)), ..NestedCity::default() };
        };
        NestedCity {
            head: JsonLdHead::new("City", iri::city(city.id())),
            article: city.article.as_deref().map(str::to_owned),
            insee: Some(city.insee.to_string()),
            libelle: Some(city.original_name().to_owned()),
            name: Some(city.name.to_string()),
            zipcode: city.main_zipcode().map(|zipcode| zipcode.to_string()),
        }
    }

    fn department(&self, id: u64) -> Reference<DepartmentResource, DanglingDepartment> {
        match (self.places.department)(id) {
            Some(department) => {
                Reference::Resolved(Box::new(DepartmentResource::of(&department).with_context()))
            }
            None => {
                let head = JsonLdHead::new("Department", iri::department(id));
                Reference::Dangling(DanglingDepartment { head, ..DanglingDepartment::default() })
            }
        }
    }

    fn category(&self, id: SiteCategoryId) -> Reference<SiteCategoryResource, DanglingCategory> {
        match self.sites.category(id) {
            Some(category) => {
                Reference::Resolved(Box::new(SiteCategoryResource::of(category).with_context()))
            }
            None => {
                let head = JsonLdHead::new("SiteCategory", iri::site_category(id));
                Reference::Dangling(DanglingCategory { head, ..DanglingCategory::default() })
            }
        }
    }

    /// Returns the path of a site, or its key if the site is not in the directory.
    fn site(&self, key: &SiteKey) -> String {
        self.sites.site_by_key(key).map_or_else(|| key.to_string(), |site| iri::site(site.id))
    }
}
