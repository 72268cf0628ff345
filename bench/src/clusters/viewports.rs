//! What the maps of the benchmark show.

use anyhow::Context;
use domain::criteria::{CriteriaBuilder, CriterionValue};
use domain::map::{MapBounds, Viewport};
use domain::{Criteria, Filter};
use engine::ClusterRequest;

/// The mainland and Corsica.
const FRANCE: (f64, f64, f64, f64) = (-5.5, 41.2, 9.8, 51.3);

/// The zoom at which a screen shows all of it.
const COUNTRY_ZOOM: u8 = 5;

/// Transactions, types and budgets, of which every combination is a request.
const TYPES: [&[u8]; 3] = [&[0], &[1], &[0, 1]];
const BUDGETS: [(u8, [f64; 4]); 2] =
    [(0, [150_000.0, 250_000.0, 400_000.0, 800_000.0]), (1, [600.0, 900.0, 1_400.0, 2_500.0])];

/// Returns requests for the whole country, each with three filters.
pub fn whole_country() -> anyhow::Result<Vec<ClusterRequest>> {
    let (west, south, east, north) = FRANCE;
    let bounds = MapBounds::new(west, south, east, north).context("the bounds of the country")?;
    let viewport = Viewport { bounds, zoom: COUNTRY_ZOOM };
    let mut requests = Vec::new();
    for (transaction, types, budget) in combinations() {
        let criteria = criteria(transaction, types, budget)?;
        requests.push(ClusterRequest { criteria, viewport, listed_max: viewport.listed_max() });
    }
    Ok(requests)
}

fn combinations() -> impl Iterator<Item = (u8, &'static [u8], f64)> {
    BUDGETS.iter().flat_map(|(transaction, budgets)| {
        TYPES.iter().flat_map(move |types| budgets.iter().map(move |budget| (*transaction, *types, *budget)))
    })
}

fn criteria(transaction: u8, types: &[u8], budget: f64) -> anyhow::Result<Criteria> {
    let mut builder = CriteriaBuilder::default();
    for (name, value) in [
        ("transactionType", CriterionValue::Codes(vec![transaction])),
        ("propertyTypes", CriterionValue::Codes(types.to_vec())),
        ("budgetMax", CriterionValue::Number(budget)),
    ] {
        builder.put(Filter::named(name).context("unknown filter")?, value);
    }
    let built = builder.build().map_err(|violations| anyhow::anyhow!("{violations:?}"))?;
    Ok(built.criteria)
}

/// Where panning starts: Paris, Lyon, Marseille, Lille, Rennes, Toulouse.
const STARTS: [(f64, f64); 6] =
    [(48.86, 2.35), (45.76, 4.83), (43.3, 5.37), (50.63, 3.06), (48.11, -1.68), (43.6, 1.44)];

/// The zooms of panning, from a few departments to a neighbourhood.
const ZOOMS: std::ops::RangeInclusive<u8> = 6..=14;

/// The steps in each direction.
const STEPS: u32 = 16;

/// A map of 1,280 by 800 pixels.
const PIXELS: (f64, f64) = (1_280.0, 800.0);

/// Returns the paths of viewports that pan, each an eighth of a screen to the east of the one before.
pub fn panning() -> Vec<String> {
    let mut paths = Vec::new();
    for (transaction, types, budget) in combinations() {
        let types: String = types.iter().map(|code| format!("&propertyTypes[]={code}")).collect();
        for (lat, lon) in STARTS {
            for zoom in ZOOMS {
                let degrees_per_pixel = 360.0 / 512.0 / f64::from(1_u32 << zoom);
                let (width, height) = (PIXELS.0 * degrees_per_pixel, PIXELS.1 * degrees_per_pixel * 0.68);
                for step in 0..STEPS {
                    let west =
                        (lon - width / 2.0 + f64::from(step) * width / 8.0).clamp(-180.0, 180.0 - width);
                    let (south, north) = (lat - height / 2.0, lat + height / 2.0);
                    let east = west + width;
                    paths.push(format!(
                        "/documents/properties/clusters?transactionType={transaction}{types}&budgetMax={budget}\
                         &bounds={west},{south},{east},{north}&zoom={zoom}"
                    ));
                }
            }
        }
    }
    paths
}
