//! Pairs of adverts that automatic grouping nearly decided the other way, and what people decide about them.

use app::App;
use app::access::Caller;
use app::grouping::{CorrectionRefusal, DoubtfulPair, DoubtfulPairs, PairDecision};
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::Advert;
use http::StatusCode;
use wire::grouping::{
    ADVERTS, DecisionBody, DecisionInput, DoubtfulPairBody, DoubtfulPairInput, parse_decision,
};
use wire::hydra::{Collection, View};
use wire::iri;

use super::error::{Problem, json};
use super::grouping::{comparison_input, refused};
use super::parameters::QueryText;
use super::{Shared, body, metering};

const PATH: &str = "/grouping/doubtful-pairs";

const BEFORE: &str = "before";

/// `GET /grouping/doubtful-pairs`
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let before = parameters.parse_single(BEFORE, "a reference to an advert", iri::parse_advert);
    let ignored = query.finish(parameters, &[])?;

    let scanning = |app: App| async move { app.doubtful_pairs(before).await };
    let found = shared.in_list_turn(caller.user.id, scanning).await?;
    let DoubtfulPairs { pairs, total, scanned, oldest, has_older } = &found;
    let members: Vec<DoubtfulPairBody<'_>> = pairs.iter().map(|pair| pair_body(&shared, pair)).collect();
    let oldest = oldest.map(iri::advert);
    let next = oldest.clone().filter(|_| *has_older);
    let view = View::scanned(PATH, &query.raw, (BEFORE, next), (*scanned, oldest));
    let parameters = search_parameters(OperationId::DoubtfulPairs);
    let page = Collection::new("DoubtfulPair", PATH, members, *total as u64, Some(view), parameters);
    Ok(ignored.on(metering::page(&page)))
}

fn pair_body<'a>(shared: &'a Shared, pair: &'a DoubtfulPair) -> DoubtfulPairBody<'a> {
    let DoubtfulPair { comparison, needed, adverts: [one, other] } = pair;
    let city_name = |advert: &Advert| {
        let city = shared.app.places().city(&advert.placement.as_ref()?.insee)?;
        Some(&*city.name)
    };
    DoubtfulPairBody::of(&DoubtfulPairInput {
        comparison: comparison_input(comparison),
        needed: *needed,
        adverts: [(one, city_name(one)), (other, city_name(other))],
        zone: &shared.config.time_zone,
    })
}

/// `POST /grouping/decisions`
pub async fn decide(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::DecideGrouping, request).await?;
    let (adverts, verdict) = parse_decision(&body).map_err(|violations| Problem::violations(&violations))?;
    let decided = shared.app.decide_pair(adverts, verdict, &caller.user.name).await?;
    let PairDecision { action, properties, moved } =
        decided.map_err(|refusal: CorrectionRefusal| refused(&refusal, ADVERTS))?;
    let input = DecisionInput { adverts, verdict, action: action.name(), properties, moved: &moved };
    Ok(json(StatusCode::OK, &DecisionBody::of(&input)))
}
