//! The questions word for word: looks at every property and takes what fits. Too slow to be a peer; tests hold the others
//! to it.

use super::Engine;
use super::first::{self, First};
use super::question::{Answer, Criteria, Order, Question};
use super::row::Row;

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

    fn answer(&mut self, question: &Question) -> anyhow::Result<Answer> {
        let mut first = First::default();
        let mut total = 0;
        for row in self.rows.iter().filter(|row| fits(row, question)) {
            total += 1;
            first.take(match question.criteria.order() {
                Order::Newest => (first::newest(row.created), first::dearest(row.price_per_meter), row.id),
                Order::Cheapest => (first::cheapest(row.price), 0, row.id),
            });
        }
        Ok(Answer { total, ids: first.ids() })
    }
}

fn fits(row: &Row, question: &Question) -> bool {
    let within = |budget: &world::Budget| {
        row.price.is_some_and(|price| price <= budget.max && budget.min.is_none_or(|min| price >= min))
    };
    let large = |min: f64| row.surface.is_some_and(|surface| surface >= min);
    row.coherent
        && !row.expired
        && row.transaction == question.transaction
        && match &question.criteria {
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
                row.kind == *kind && words.iter().all(|word| row.text.split(' ').any(|said| said == *word))
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
