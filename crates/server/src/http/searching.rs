//! What the calls that search have in common: reading filters, and computing where it keeps nobody waiting.

use std::sync::Arc;

use domain::criteria::Finished;
use domain::{Insee, SiteDirectory};
use http::StatusCode;
use places::Gazetteer;
use wire::filters::{self, Surroundings};
use wire::query::Parameters;

use super::Shared;
use super::error::Problem;

/// Reads every filter of a query.
pub fn read_filters(shared: &Shared, sites: &SiteDirectory, parameters: &mut Parameters<'_>) -> Finished {
    with_surroundings(shared, sites, |surroundings| filters::read(parameters, surroundings))
}

/// Hands out what it takes to understand references and dates.
pub fn with_surroundings<T>(
    shared: &Shared,
    sites: &SiteDirectory,
    read: impl FnOnce(&Surroundings<'_>) -> T,
) -> T {
    let places = shared.app.places();
    let city = |id: u64| cities_meant(places, id);
    let insee = |insee: &Insee| match places.city(insee) {
        Some(city) => cities_meant(places, city.id()),
        None => vec![insee.id()],
    };
    read(&Surroundings { city: &city, insee: &insee, sites, zone: &shared.config.time_zone })
}

/// A city and its districts. A code no longer in use leads to the commune that replaced it; one that nobody knows stands
/// for itself, because adverts may give it all the same.
fn cities_meant(places: &Gazetteer, id: u64) -> Vec<u64> {
    let former = || Insee::parse(&format!("{id:05}")).and_then(|insee| places.city(&insee));
    match places.city_by_id(id).or_else(former) {
        Some(city) => std::iter::once(city.id()).chain(city.districts.iter().map(Insee::id)).collect(),
        None => vec![id],
    }
}

/// Runs what computes for a while on a thread of its own; other requests go on meanwhile. As many at once as there are cores:
/// more would only take turns, and one whose client has gone still has to end.
pub async fn computed<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let turn = Arc::clone(&shared.computing).acquire_owned().await;
    let work = move || {
        let done = work();
        drop(turn);
        done
    };
    tokio::task::spawn_blocking(work).await.map_err(|_panicked| {
        tracing::error!("a search panicked");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "An internal error occurred; the log has the request's id.",
        )
    })
}
