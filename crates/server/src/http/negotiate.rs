//! Content negotiation: JSON-LD by default (GeoJSON for outlines, vector tiles for the map), plain JSON on request. The body is the
//! same.

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::error::{LD_JSON, Problem};
use super::outlines::GEO_JSON;

pub fn layer<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router.layer(middleware::from_fn(negotiate))
}

async fn negotiate(request: Request, next: Next) -> Response {
    if is_picture(request.uri().path()) {
        return next.run(request).await;
    }
    let offer = Offer::at(request.uri().path());
    match preferred(request.headers(), offer) {
        Preferred::LdJson => next.run(request).await,
        Preferred::Json => {
            let mut response = next.run(request).await;
            let content_type = response.headers().get(header::CONTENT_TYPE);
            if content_type == Some(&LD_JSON) || content_type == Some(&GEO_JSON) {
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(header::CONTENT_TYPE, json);
            }
            response
        }
        Preferred::Neither => {
            let supported = match offer {
                Offer::Json | Offer::Lines => "\"application/ld+json\", \"application/json\"",
                Offer::GeoJson => "\"application/geo+json\", \"application/json\"",
                Offer::Tile => "\"application/vnd.mapbox-vector-tile\"",
            };
            let description =
                format!("Requested format is not supported. Supported MIME types are {supported}.");
            Problem::new(StatusCode::NOT_ACCEPTABLE, description).into_response()
        }
    }
}

/// Whether a path is that of a picture, which has one type, whatever the client prefers.
fn is_picture(path: &str) -> bool {
    path.starts_with("/adverts/") && path.contains("/pictures/")
}

/// Media types a path can respond with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offer {
    Json,
    /// NDJSON as well: always for documents, and for receipts if the request body is NDJSON.
    Lines,
    /// GeoJSON in place of JSON-LD. Errors are still JSON-LD.
    GeoJson,
    /// A vector tile. Errors are still JSON-LD.
    Tile,
}

impl Offer {
    fn at(path: &str) -> Self {
        if path == "/adverts" || path.ends_with(".ndjson") {
            Self::Lines
        } else if path.ends_with("/outline") {
            Self::GeoJson
        } else if path.starts_with("/map/") {
            Self::Tile
        } else {
            Self::Json
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Preferred {
    /// JSON-LD, or GeoJSON for outlines.
    LdJson,
    Json,
    Neither,
}

/// Returns the first of the offered media types that the client likes best; `None` if it accepts none of them.
pub fn best<'a>(headers: &HeaderMap, offers: &[&'a str]) -> Option<&'a str> {
    if !headers.contains_key(header::ACCEPT) {
        return offers.first().copied();
    }
    let ranges: Vec<(String, f32)> = ranges(headers).collect();
    // An exact type takes precedence over `text/*`, which takes precedence over `*/*`.
    let quality = |offer: &str| {
        let family = format!("{}/*", offer.split('/').next().unwrap_or_default());
        [offer, &family, "*/*"]
            .iter()
            .find_map(|wanted| ranges.iter().find(|(range, _)| range == wanted))
            .map_or(0.0, |(_, quality)| *quality)
    };
    let mut best: Option<(&str, f32)> = None;
    for offer in offers {
        let quality = quality(offer);
        if quality > best.map_or(0.0, |(_, best)| best) {
            best = Some((offer, quality));
        }
    }
    best.map(|(offer, _)| offer)
}

/// Returns the media ranges of `Accept`, in lower case, with their qualities.
fn ranges(headers: &HeaderMap) -> impl Iterator<Item = (String, f32)> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts
            .filter_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
            .find_map(|quality| quality.parse::<f32>().ok())
            .unwrap_or(1.0);
        (media_type, quality)
    })
}

fn preferred(headers: &HeaderMap, offer: Offer) -> Preferred {
    if !headers.contains_key(header::ACCEPT) {
        return Preferred::LdJson;
    }
    // The highest quality of each type; an exact type takes precedence over a wildcard.
    let (mut ld_json, mut json, mut any): (Option<f32>, Option<f32>, Option<f32>) = (None, None, None);
    for (media_type, quality) in ranges(headers) {
        let slot = match media_type.as_str() {
            "application/ld+json" => &mut ld_json,
            // Clients that always ask for JSON-LD get the GeoJSON of an outline, too.
            "application/geo+json" if offer == Offer::GeoJson => &mut ld_json,
            "application/vnd.mapbox-vector-tile" | "application/x-protobuf" if offer == Offer::Tile => {
                &mut ld_json
            }
            "application/json" => &mut json,
            "*/*" | "application/*" | "" => &mut any,
            // The path or the request body decides between NDJSON and JSON.
            "application/x-ndjson" if offer == Offer::Lines => &mut any,
            _ => continue,
        };
        *slot = Some(slot.map_or(quality, |known| known.max(quality)));
    }
    let accepted = |quality: Option<f32>| quality.filter(|quality| *quality > 0.0);
    match (accepted(ld_json), accepted(json)) {
        (Some(ld_json), Some(json)) if json > ld_json => Preferred::Json,
        (Some(_), _) => Preferred::LdJson,
        (None, Some(_)) => Preferred::Json,
        (None, None) if ld_json.is_none() && accepted(any).is_some() => Preferred::LdJson,
        (None, None) if json.is_none() && accepted(any).is_some() => Preferred::Json,
        (None, None) => Preferred::Neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_json_must_be_requested() {
        let check = |accept: &str, expected: Preferred| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(preferred(&headers, Offer::Json), expected, "{accept}");
        };
        assert_eq!(preferred(&HeaderMap::new(), Offer::Json), Preferred::LdJson);
        check("*/*", Preferred::LdJson);
        check("application/ld+json", Preferred::LdJson);
        check("application/json", Preferred::Json);
        check("application/json, text/plain, */*", Preferred::Json);
        check("application/json;q=0.5, application/ld+json", Preferred::LdJson);
        check("application/ld+json;q=0.5, application/json", Preferred::Json);
        check("application/ld+json, application/json", Preferred::LdJson);
        check("text/html", Preferred::Neither);
        check("application/json;q=0", Preferred::Neither);
        check("application/ld+json;q=0, */*", Preferred::Json);
        check("text/html,application/xhtml+xml,*/*;q=0.8", Preferred::LdJson);
        check("application/x-ndjson", Preferred::Neither);
        check("application/x-ndjson, application/json", Preferred::Json);
    }

    #[test]
    fn best_offer_is_chosen_by_quality_then_order() {
        let check = |accept: &str, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            let offers = ["text/html", "application/ld+json", "application/json"];
            assert_eq!(best(&headers, &offers), expected, "{accept}");
        };
        assert_eq!(best(&HeaderMap::new(), &["text/html"]), Some("text/html"));
        check("*/*", Some("text/html"));
        check("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Some("text/html"));
        check("application/*", Some("application/ld+json"));
        check("Application/JSON", Some("application/json"));
        check("application/json, */*;q=0.1", Some("application/json"));
        check("text/html;q=0.5, application/json", Some("application/json"));
        check("text/html;q=0, */*", Some("application/ld+json"));
        check("image/png", None);
        check("*/*;q=0", None);
    }

    #[test]
    fn geo_json_is_offered_for_outlines_only() {
        let check = |accept: &str, path: &str, expected: Preferred| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(preferred(&headers, Offer::at(path)), expected, "{accept} {path}");
        };
        check("application/geo+json", "/cities/75111/outline", Preferred::LdJson);
        check("application/geo+json, application/json;q=0.5", "/cities/75111/outline", Preferred::LdJson);
        check("application/geo+json;q=0.5, application/json", "/cities/75111/outline", Preferred::Json);
        check("application/geo+json", "/cities/75111", Preferred::Neither);
        check("text/html", "/departments/75/outline", Preferred::Neither);
    }

    #[test]
    fn ndjson_is_offered_for_streams_only() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/x-ndjson"));
        for (path, expected) in [
            ("/documents/properties", Preferred::Neither),
            ("/searches", Preferred::Neither),
            ("/documents/properties.ndjson", Preferred::LdJson),
            ("/adverts", Preferred::LdJson),
        ] {
            assert_eq!(preferred(&headers, Offer::at(path)), expected, "{path}");
        }
    }
}
