//! Evaluates queries by looking at every property. Too slow to be a peer: it is the oracle that tests compare the engines with.

use super::Engine;
use super::query::{Criteria, Order, Query, TopHits};
use super::row::Row;
use super::top_k::{self, TopK};

pub struct Scan {
    rows: Vec<Row>,
}

impl Scan {
    pub fn load(rows: impl Iterator<Item = Row>) -> Self {
        Self { rows: rows.collect() }
    }
}

impl Engine for Scan {
    fn name(&self) -> &str {
        "scan"
    }

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits> {
        let mut top = TopK::default();
        let mut total = 0;
        for row in self.rows.iter().filter(|row| matches(row, query)) {
            total += 1;
            top.push(match query.criteria.order() {
                Order::Newest => (newest(row.created), dearest(row.price_per_meter), row.id),
                Order::Cheapest => (top_k::cheapest(row.price), 0, row.id),
            });
        }
        Ok(TopHits { total, ids: top.into_ids() })
    }
}

/// Sorts later moments first.
const fn newest(created: i64) -> u64 {
    !(created as u64)
}

/// Sorts higher prices first, unknown ones last.
fn dearest(price_per_meter: Option<f64>) -> u64 {
    price_per_meter.map_or(u64::MAX, |price| u64::MAX - 1 - price.to_bits())
}

fn matches(row: &Row, query: &Query) -> bool {
    let within = |budget: &world::Budget| {
        row.price.is_some_and(|price| price <= budget.max && budget.min.is_none_or(|min| price >= min))
    };
    let large = |min: f64| row.surface.is_some_and(|surface| surface >= min);
    row.coherent
        && !row.expired
        && row.transaction == query.transaction
        && match &query.criteria {
            Criteria::City { city, budget, surface_min } => {
                row.city == *city && within(budget) && large(*surface_min)
            }
            Criteria::Department { department, budget, surface_min } => {
                row.department == *department && within(budget) && large(*surface_min)
            }
            Criteria::Radius { centre, radius_km, budget } => {
                row.point.is_some_and(|point| point.distance_km(*centre) <= *radius_km) && within(budget)
            }
            Criteria::Words { words, kind } => {
                row.kind == *kind && words.iter().all(|word| row.text.split(' ').any(|other| other == *word))
            }
            Criteria::Country { kinds } => kinds.contains(&row.kind),
            Criteria::Energy { city, letters, year_min } => {
                row.city == *city
                    && row.adverts.iter().any(|advert| {
                        !advert.expired
                            && advert.energy.is_some_and(|letter| letters.contains(&letter))
                            && advert.construction_year.is_some_and(|year| year >= *year_min)
                    })
            }
            Criteria::PriceDrop { department, percent_max, since } => {
                row.department == *department
                    && row
                        .price_events
                        .iter()
                        .any(|event| !event.expired && event.percent <= *percent_max && event.at >= *since)
            }
        }
}

#[test]
fn sort_keys_have_the_order_of_the_queries() {
    assert!(dearest(Some(9.0)) < dearest(Some(2.5)) && dearest(Some(0.0)) < dearest(None));
    assert!(newest(20) < newest(10));
}
