//! The base map as vector tiles.
//!
//! Tiles follow from the data in the binary. They are built on background threads, one at a time, so that drawing a map never delays a
//! search, and the latest are kept in memory.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use app::App;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use places::TileId;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;

use super::Shared;
use super::error::Problem;

const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/vnd.mapbox-vector-tile");

/// The data changes with a release only. After a day, a map shows it.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// The tiles of the country up to zoom 9, and those of what users look at.
const CACHE_BYTES: u64 = 32 << 20;

/// A rough average, to size the cache.
const TILE_BYTES: u64 = 16 << 10;

/// The tiles in memory.
pub struct Tiles {
    cache: Cache<TileId, Tile, TileWeighter>,
    /// Building a large tile takes some ten milliseconds.
    building: Arc<Semaphore>,
}

#[derive(Clone)]
struct Tile {
    body: Bytes,
    /// Weak, because a compressed response has the same tag.
    etag: HeaderValue,
}

#[derive(Clone)]
struct TileWeighter;

impl Weighter<TileId, Tile> for TileWeighter {
    fn weight(&self, _: &TileId, tile: &Tile) -> u64 {
        // An empty tile takes its entry.
        tile.body.len() as u64 + 100
    }
}

impl Tiles {
    pub fn new() -> Self {
        let entries = (CACHE_BYTES / TILE_BYTES) as usize;
        Self {
            cache: Cache::with_weighter(entries, CACHE_BYTES, TileWeighter),
            building: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Tile {
    fn build(app: &App, id: TileId) -> Self {
        let body = Bytes::from(app.places().tile(id));
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let etag = HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish()));
        Self { body, etag: etag.unwrap_or(HeaderValue::from_static("W/\"0\"")) }
    }

    fn respond(&self, request: &HeaderMap) -> Response {
        let tag = |text: &str| text.trim().trim_start_matches("W/").to_owned();
        let own = tag(self.etag.to_str().unwrap_or_default());
        let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let is_known =
            known.flat_map(|value| value.split(',')).any(|value| value.trim() == "*" || tag(value) == own);
        let cached = [(header::ETAG, self.etag.clone()), (header::CACHE_CONTROL, CACHE_CONTROL)];
        if is_known {
            return (StatusCode::NOT_MODIFIED, cached).into_response();
        }
        (cached, [(header::CONTENT_TYPE, MEDIA_TYPE)], self.body.clone()).into_response()
    }
}

/// `GET /map/{z}/{x}/{y}`
pub async fn tile(
    State(shared): State<Shared>,
    Path((z, x, y)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = parse(&z, &x, &y)?;
    if let Some(tile) = shared.tiles.cache.get(&id) {
        return Ok(tile.respond(&headers));
    }
    let turn = Arc::clone(&shared.tiles.building).acquire_owned().await;
    let builder = shared.clone();
    let build = async move {
        // Kept until the tile is in the cache, even if the client has hung up: else such clients would have many built at a time.
        let _turn = turn;
        // Another request may have built it meanwhile.
        if let Some(tile) = builder.tiles.cache.get(&id) {
            return tile;
        }
        let tile = Tile::build(&builder.app, id);
        builder.tiles.cache.insert(id, tile.clone());
        tile
    };
    Ok(shared.background.run(build).await?.respond(&headers))
}

fn parse(z: &str, x: &str, y: &str) -> Result<TileId, Problem> {
    let number = |name: &str, text: &str| {
        let wrong = || {
            let text: String = text.chars().take(20).collect();
            Problem::bad_request(format!(
                "{name} is \"{text}\": a tile is /map/{{z}}/{{x}}/{{y}}, three whole numbers."
            ))
        };
        text.parse::<u32>().map_err(|_| wrong())
    };
    let (z, x, y) = (number("z", z)?, number("x", x)?, number("y", y)?);
    let not_found = |description: String| Problem::new(StatusCode::NOT_FOUND, description);
    let zoom = u8::try_from(z).ok().filter(|zoom| *zoom <= TileId::ZOOM_MAX);
    let Some(zoom) = zoom else {
        return Err(not_found(format!(
            "There are tiles from zoom 0 to {}, not of zoom {z}.",
            TileId::ZOOM_MAX
        )));
    };
    let last = (1_u32 << zoom) - 1;
    TileId::new(zoom, x, y)
        .ok_or_else(|| not_found(format!("At zoom {zoom}, x and y are from 0 to {last}, not {x} and {y}.")))
}
