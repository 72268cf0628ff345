//! Collections of property documents: those that meet filters, and those that are like another one.

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::response::Response;
use domain::attribute::PropertyView;
use domain::{OrderBy, PropertyId, SimilarityProfile, SortMode};
use engine::{Hit, SearchRequest, SearchResult, SimilarRequest};
use http::StatusCode;
use serde_json::value::RawValue;
use wire::filters;
use wire::hydra::{Collection, Paging, SearchTemplate, View};

use super::Shared;
use super::documents::Writer;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;
use super::searching::{computed, read_filters, with_context};

const PATH: &str = "/documents/properties";
const RESOURCE: &str = "PropertyDocument";
const ITEMS_DEFAULT: u64 = 10;

/// From here on a page is so far into its answer that finding it takes a while.
const DEEP: usize = 10_000;

/// Beyond this the distance of every property has to be worked out.
const WIDE_KM: f64 = 200.0;

/// Whether a search takes about as long as handing it to another thread. The others would keep this thread from those who
/// wait for it: phrases and many words, drawn areas, and orders that have to be worked out match by match.
fn is_quick(question: &SearchRequest) -> bool {
    let SearchRequest { criteria, order, skip, take: _ } = question;
    let entries = || criteria.expressions.iter().flatten();
    let words_alone = entries().all(|entry| entry.phrase.alternatives().iter().all(|words| words.len() == 1));
    let places = &criteria.places;
    *skip < DEEP
        && entries().count() <= 4
        && words_alone
        && places.polygons.is_empty()
        && places.circle.is_none_or(|circle| circle.radius_km <= WIDE_KM)
        && order.mode == SortMode::Property
        && order.by.iter().all(|(by, _)| *by != OrderBy::Distance)
}

/// The search template of the collection, written once: it has a hundred parameters and is part of every page.
static SEARCH: LazyLock<Option<Box<RawValue>>> = LazyLock::new(|| {
    let template = SearchTemplate::new(PATH, &filters::collection_parameters());
    serde_json::value::to_raw_value(&template).ok()
});

/// `GET /documents/properties`
pub async fn list(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let view = shared.app.view()?;
    let writer = Writer::for_search(&shared).await?;
    let mut parameters = query.parameters();
    let finished = read_filters(&shared, &writer.sites, &mut parameters);
    let order = filters::parse_order(&mut parameters, &finished);
    let paging = Paging::parse(&mut parameters, ITEMS_DEFAULT);
    let noted = query.finish(parameters, &filters::order_names())?;

    let (skip, take) = paging.skip_and_take();
    let question = SearchRequest { criteria: finished.criteria, order, skip, take };
    let found = if is_quick(&question) {
        view.search(&question)
    } else {
        computed(&shared, move || view.search(&question)).await?
    };
    let documents = documents(&shared, writer, &found).await?;
    let member: Vec<&RawValue> = documents.iter().map(|document| &**document).collect();
    let total = found.total as u64;
    let links = View::new(PATH, &query.raw, paging, total);
    let page = Collection::with_search(RESOURCE, PATH, member, total, links, &*SEARCH);
    Ok(noted.on(json(StatusCode::OK, &page)))
}

/// `GET /documents/properties/{id}/similar-properties`
pub async fn similar(
    State(shared): State<Shared>,
    PathId(id): PathId<PropertyId>,
    query: QueryText,
) -> Result<Response, Problem> {
    let view = shared.app.view()?;
    let property = shared.app.property(id).await?.ok_or_else(Problem::not_found)?;
    let profile =
        PropertyView::new(&property).map(|facts| SimilarityProfile::new(&facts)).ok_or_else(Problem::not_found)?;
    let writer = Writer::for_search(&shared).await?;
    let mut parameters = query.parameters();
    let asked = with_context(&shared, &writer.sites, |context| {
        filters::parse_similar(&mut parameters, context, profile.point)
    });
    let paging = Paging::parse(&mut parameters, ITEMS_DEFAULT);
    let noted = query.finish(parameters, &filters::order_names())?;

    let (skip, take) = paging.skip_and_take();
    let filters::Similar { created_from, order } = asked;
    let question = SimilarRequest { property: id, profile, created_from, order, skip, take };
    let found = computed(&shared, move || view.similar(&question)).await?;
    let documents = documents(&shared, writer, &found).await?;
    let member: Vec<&RawValue> = documents.iter().map(|document| &**document).collect();
    let (path, total) = (wire::iri::similar_properties(id), found.total as u64);
    let links = View::new(&path, &query.raw, paging, total);
    let page = Collection::new(RESOURCE, path, member, total, links, &filters::similar_parameters());
    Ok(noted.on(json(StatusCode::OK, &page)))
}

/// The documents of a page: those kept ready, and the others read in one go. One that has gone since the index saw it is
/// left out.
async fn documents(
    shared: &Shared,
    writer: Writer,
    found: &SearchResult,
) -> Result<Vec<Arc<RawValue>>, Problem> {
    let revision = writer.sites.revision();
    let reading = shared.documents.reading(revision);
    let mut documents: Vec<Option<Arc<RawValue>>> =
        found.hits.iter().map(|hit| shared.documents.get(hit, revision)).collect();
    let missing: Vec<(usize, Hit)> =
        found.hits.iter().copied().enumerate().filter(|(place, _)| documents[*place].is_none()).collect();
    if !missing.is_empty() {
        let ids = missing.iter().map(|(_, hit)| hit.property).collect();
        let mut properties = shared.app.properties(ids).await?;
        let write = |(place, hit): (usize, Hit)| {
            let document = writer.document(&properties.remove(&hit.property)?)?;
            Some((place, hit, Arc::<RawValue>::from(document)))
        };
        for (place, hit, document) in missing.into_iter().filter_map(write) {
            shared.documents.keep(&hit, reading, Arc::clone(&document));
            documents[place] = Some(document);
        }
    }
    Ok(documents.into_iter().flatten().collect())
}
