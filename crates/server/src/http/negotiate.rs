//! Which media type a client reads: JSON-LD unless it names plain JSON; the body is the same.

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::error::{LD_JSON, Problem};

pub fn layered<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router.layer(middleware::from_fn(negotiate))
}

async fn negotiate(request: Request, next: Next) -> Response {
    match wanted(request.headers(), Offer::at(request.uri().path())) {
        Wanted::LdJson => next.run(request).await,
        Wanted::Json => {
            let mut response = next.run(request).await;
            if response.headers().get(header::CONTENT_TYPE) == Some(&LD_JSON) {
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(header::CONTENT_TYPE, json);
            }
            response
        }
        Wanted::Neither => Problem::new(
            StatusCode::NOT_ACCEPTABLE,
            "Requested format is not supported. Supported MIME types are \"application/ld+json\", \"application/json\".",
        )
        .into_response(),
    }
}

/// What a path answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offer {
    Json,
    /// Lines as well: documents always, receipts when the body that is sent has lines.
    Lines,
}

impl Offer {
    fn at(path: &str) -> Self {
        if path == "/adverts" || path.ends_with(".ndjson") { Self::Lines } else { Self::Json }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    LdJson,
    Json,
    Neither,
}

fn wanted(headers: &HeaderMap, offer: Offer) -> Wanted {
    let mut ranges = headers.get_all(header::ACCEPT).iter().peekable();
    if ranges.peek().is_none() {
        return Wanted::LdJson;
    }
    // The best quality at which each is accepted; naming a type beats a wildcard.
    let (mut ld_json, mut json, mut any): (Option<f32>, Option<f32>, Option<f32>) = (None, None, None);
    for range in ranges.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts
            .filter_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
            .find_map(|quality| quality.parse::<f32>().ok())
            .unwrap_or(1.0);
        let slot = match media_type.as_str() {
            "application/ld+json" => &mut ld_json,
            "application/json" => &mut json,
            "*/*" | "application/*" | "" => &mut any,
            // Which of the two it is follows from the path or the body.
            "application/x-ndjson" if offer == Offer::Lines => &mut any,
            _ => continue,
        };
        *slot = Some(slot.map_or(quality, |known| known.max(quality)));
    }
    let accepted = |quality: Option<f32>| quality.filter(|quality| *quality > 0.0);
    match (accepted(ld_json), accepted(json)) {
        (Some(ld_json), Some(json)) if json > ld_json => Wanted::Json,
        (Some(_), _) => Wanted::LdJson,
        (None, Some(_)) => Wanted::Json,
        (None, None) if ld_json.is_none() && accepted(any).is_some() => Wanted::LdJson,
        (None, None) if json.is_none() && accepted(any).is_some() => Wanted::Json,
        (None, None) => Wanted::Neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_json_is_for_those_who_name_it() {
        let check = |accept: &str, expected: Wanted| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(wanted(&headers, Offer::Json), expected, "{accept}");
        };
        assert_eq!(wanted(&HeaderMap::new(), Offer::Json), Wanted::LdJson);
        check("*/*", Wanted::LdJson);
        check("application/ld+json", Wanted::LdJson);
        check("application/json", Wanted::Json);
        check("application/json, text/plain, */*", Wanted::Json);
        check("application/json;q=0.5, application/ld+json", Wanted::LdJson);
        check("application/ld+json;q=0.5, application/json", Wanted::Json);
        check("application/ld+json, application/json", Wanted::LdJson);
        check("text/html", Wanted::Neither);
        check("application/json;q=0", Wanted::Neither);
        check("application/ld+json;q=0, */*", Wanted::Json);
        check("text/html,application/xhtml+xml,*/*;q=0.8", Wanted::LdJson);
        check("application/x-ndjson", Wanted::Neither);
        check("application/x-ndjson, application/json", Wanted::Json);
    }

    #[test]
    fn lines_are_for_where_there_are_lines() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/x-ndjson"));
        for (path, expected) in [
            ("/documents/properties", Wanted::Neither),
            ("/searches", Wanted::Neither),
            ("/documents/properties.ndjson", Wanted::LdJson),
            ("/adverts", Wanted::LdJson),
        ] {
            assert_eq!(wanted(&headers, Offer::at(path)), expected, "{path}");
        }
    }
}
