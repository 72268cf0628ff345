//! Grouping: people merge and split properties, and ask why adverts are one property.

use app::access::Caller;
use app::grouping::{
    AdvertComparison, CorrectionRefusal, DecidedBy, GroupedAdvert, GroupingExplanation, LineageRow,
    MergeOutcome, SplitOutcome,
};
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use description::OperationId;
use domain::{Advert, AdvertId, Property, PropertyId, Violation};
use http::{HeaderValue, StatusCode, Uri, header};
use jiff::tz::TimeZone;
use wire::grouping::{
    ADVERTS, AdvertComparisonBody, ComparisonInput, GroupedAdvertInput, GroupingBody, GroupingInput,
    MergeBody, PROPERTIES, RegroupingInput, SplitBody,
};
use wire::iri;
use wire::query::Parameters;

use super::Shared;
use super::body;
use super::documents::{existing, moved_or_missing};
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;

/// `POST /properties/merge`
pub async fn merge(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::MergeProperties, request).await?;
    let properties =
        wire::grouping::parse_merge(&body).map_err(|violations| Problem::violations(&violations))?;
    match shared.app.merge_properties(&properties, &caller.user.name).await? {
        Ok(MergeOutcome { property, merged }) => Ok(json(StatusCode::OK, &MergeBody::of(property, &merged))),
        Err(CorrectionRefusal::UnknownProperty(id)) => Err(unknown_property(&shared, id).await),
        Err(refusal) => Err(refused(&refusal, PROPERTIES)),
    }
}

/// `POST /properties/{id}/split`
pub async fn split(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PropertyId>,
    request: Request,
) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::SplitProperty, request).await?;
    let adverts =
        wire::grouping::parse_split(&body).map_err(|violations| Problem::violations(&violations))?;
    let split = shared.app.split_property(id, &adverts, &caller.user.name).await?;
    let SplitOutcome { property, created } = match split {
        Ok(outcome) => outcome,
        Err(CorrectionRefusal::UnknownProperty(unknown)) if unknown == id => {
            // 308 and not 301, which clients may follow with a GET.
            let redirect = StatusCode::PERMANENT_REDIRECT;
            return Err(moved_or_missing(&shared, id, redirect, iri::property_split, None).await);
        }
        Err(refusal) => return Err(refused(&refusal, PROPERTIES)),
    };
    let mut response = json(StatusCode::CREATED, &SplitBody::of(property, created));
    if let Ok(location) = HeaderValue::from_str(&iri::property_document(created)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Names the property that an unknown one was merged into: the caller may mean that one.
async fn unknown_property(shared: &Shared, id: PropertyId) -> Problem {
    match shared.app.surviving_property(id).await {
        Ok(Some(survivor)) => {
            let message = format!("Property {id} was merged into {}.", iri::property(survivor));
            Problem::new(StatusCode::NOT_FOUND, message)
        }
        Ok(None) => refused(&CorrectionRefusal::UnknownProperty(id), PROPERTIES),
        Err(error) => error.into(),
    }
}

/// `merged_by` is the attribute that says what is merged.
pub fn refused(refusal: &CorrectionRefusal, merged_by: &str) -> Problem {
    let violation = match refusal {
        CorrectionRefusal::UnknownProperty(_) | CorrectionRefusal::NoSuchAdvert(_) => {
            return Problem::new(StatusCode::NOT_FOUND, refusal.to_string());
        }
        CorrectionRefusal::OneProperty => Violation::invalid(merged_by, refusal),
        CorrectionRefusal::OtherTransaction => Violation::contradiction(merged_by, refusal),
        CorrectionRefusal::TooManyAdverts { .. } => Violation::too_many(merged_by, refusal),
        CorrectionRefusal::NoAdvert | CorrectionRefusal::OneAdvert => Violation::invalid(ADVERTS, refusal),
        CorrectionRefusal::UnknownAdvert { .. } | CorrectionRefusal::NothingLeft => {
            Violation::contradiction(ADVERTS, refusal)
        }
    };
    Problem::violations(&[violation])
}

/// `GET /documents/properties/{id}/grouping`: why the adverts of a property are one; with two `adverts[]`, why these are one or not.
pub async fn explain(
    State(shared): State<Shared>,
    PathId(id): PathId<PropertyId>,
    uri: Uri,
    query: QueryText,
) -> Result<Response, Problem> {
    let property = existing(&shared, id, iri::grouping, uri.query()).await?;
    let mut parameters = query.parameters();
    let compared = two_adverts(&mut parameters);
    let ignored = query.finish(parameters, &[])?;
    let response = match compared {
        None => {
            // The property may have been merged away since it was read.
            let explanation = shared.app.explain_grouping(id).await?.ok_or_else(Problem::not_found)?;
            let input = grouping_input(&explanation, &property, &shared.config.time_zone);
            json(StatusCode::OK, &GroupingBody::of(&input))
        }
        Some(adverts) => compare(&shared, id, adverts).await?,
    };
    Ok(ignored.on(response))
}

/// Parses the adverts to compare: none, or two different ones.
fn two_adverts(parameters: &mut Parameters<'_>) -> Option<[AdvertId; 2]> {
    let adverts = parameters.parse_list(ADVERTS, "a reference to an advert", iri::parse_advert);
    match adverts.as_slice() {
        [] => None,
        [one, other] if one != other => Some([*one, *other]),
        _ if parameters.has_violation(ADVERTS) => None,
        several => {
            let message = format!("Give two different adverts to compare them, {} given.", several.len());
            parameters.violations.push(Violation::malformed(ADVERTS, message));
            None
        }
    }
}

async fn compare(shared: &Shared, id: PropertyId, ids: [AdvertId; 2]) -> Result<Response, Problem> {
    let one = existing_advert(shared, ids[0]).await?;
    let other = existing_advert(shared, ids[1]).await?;
    let comparison = shared.app.compare_adverts(ids).await?.ok_or_else(Problem::not_found)?;
    let input = comparison_input(&comparison);
    Ok(json(StatusCode::OK, &AdvertComparisonBody::of(id, &input, [Some(&one), Some(&other)])))
}

async fn existing_advert(shared: &Shared, id: AdvertId) -> Result<Advert, Problem> {
    let unknown = || Problem::new(StatusCode::NOT_FOUND, format!("Advert {id} does not exist."));
    Ok(shared.app.advert(id).await?.ok_or_else(unknown)?.0)
}

/// Converts an explanation for the response.
fn grouping_input<'a>(
    explanation: &'a GroupingExplanation,
    property: &'a Property,
    zone: &'a TimeZone,
) -> GroupingInput<'a> {
    let GroupingExplanation { property: id, adverts, history } = explanation;
    let advert = |grouped: &'a GroupedAdvert| {
        let GroupedAdvert { advert, by, closest } = grouped;
        GroupedAdvertInput {
            id: *advert,
            advert: property.advert(*advert),
            grouped_by: by.name(),
            closest: closest.as_ref().map(|closest| seen_from(*advert, comparison_input(closest))),
        }
    };
    let entry = |row: &'a LineageRow| {
        let LineageRow { at, from, to, adverts, decided_by } = row;
        let (by, decided_by) = match decided_by {
            DecidedBy::Grouping => ("grouping", None),
            DecidedBy::Sender => ("sender", None),
            DecidedBy::Person(name) => ("person", Some(name.as_str())),
        };
        RegroupingInput { at: *at, from: *from, to: *to, adverts, by, decided_by }
    };
    GroupingInput {
        property: *id,
        adverts: adverts.iter().map(advert).collect(),
        history: history.iter().map(entry).collect(),
        zone,
    }
}

pub fn comparison_input(comparison: &AdvertComparison) -> ComparisonInput<'_> {
    let AdvertComparison { adverts, properties, verdict, comparison } = comparison;
    ComparisonInput {
        adverts: *adverts,
        properties: *properties,
        verdict: *verdict,
        comparison: comparison.as_ref(),
    }
}

/// Returns the comparison with this advert first. A comparison does not depend on the order.
pub fn seen_from(advert: AdvertId, mut comparison: ComparisonInput<'_>) -> ComparisonInput<'_> {
    if comparison.adverts[1] == advert {
        comparison.adverts.reverse();
        comparison.properties.reverse();
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;

    #[test]
    fn refusals_are_violations_unless_something_is_unknown() {
        let property = PropertyId::from_bytes([1; 16]);
        let unknown_advert =
            CorrectionRefusal::UnknownAdvert { property, advert: AdvertId::from_bytes([2; 16]) };
        for (refusal, status) in [
            (CorrectionRefusal::UnknownProperty(property), StatusCode::NOT_FOUND),
            (CorrectionRefusal::NoSuchAdvert(AdvertId::from_bytes([2; 16])), StatusCode::NOT_FOUND),
            (CorrectionRefusal::OneAdvert, StatusCode::UNPROCESSABLE_ENTITY),
            (CorrectionRefusal::OneProperty, StatusCode::UNPROCESSABLE_ENTITY),
            (CorrectionRefusal::OtherTransaction, StatusCode::UNPROCESSABLE_ENTITY),
            (CorrectionRefusal::TooManyAdverts { count: 5_000 }, StatusCode::UNPROCESSABLE_ENTITY),
            (CorrectionRefusal::NoAdvert, StatusCode::UNPROCESSABLE_ENTITY),
            (unknown_advert, StatusCode::UNPROCESSABLE_ENTITY),
            (CorrectionRefusal::NothingLeft, StatusCode::UNPROCESSABLE_ENTITY),
        ] {
            assert_eq!(refused(&refusal, PROPERTIES).into_response().status(), status, "{refusal}");
        }
    }

    #[test]
    fn comparison_is_seen_from_either_advert() {
        let ids = [AdvertId::from_bytes([1; 16]), AdvertId::from_bytes([2; 16])];
        let properties = [PropertyId::from_bytes([3; 16]), PropertyId::from_bytes([4; 16])];
        let input = ComparisonInput { adverts: ids, properties, verdict: None, comparison: None };
        let seen = seen_from(ids[0], input);
        assert_eq!((seen.adverts, seen.properties), (ids, properties));
        let seen = seen_from(ids[1], input);
        assert_eq!((seen.adverts, seen.properties), ([ids[1], ids[0]], [properties[1], properties[0]]));
    }
}
