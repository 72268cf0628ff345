//! Tantivy as a peer, fitted to these questions by hand: terms and collectors that no other question would have use for.
//! How people use it is in the peer next door, `tantivy_plain`.
//!
//! It has no nested documents: adverts and price changes, of which two conditions are asked together, have indexes of
//! their own, with the property's place in the order beside them. Places, grid cells and property types are terms, each
//! joined with the transaction and only for what is on offer, as a composite index would have them; ranges are read from
//! columns.

mod shelf;

use std::path::Path;

use domain::{PropertyType, TransactionType};
use tantivy::query::{BooleanQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Term};
use world::Budget;

use self::shelf::{Builder, Columns, Document, Documents, Shelf, UNKNOWN};
use super::Engine;
use super::question::{Answer, Criteria, Question};
use super::row::Row;
use super::sphere::{self, Circle};

/// The columns of properties.
const PROPERTY: [&str; 5] = ["price", "surface", "x", "y", "z"];
const PRICE: usize = 0;
const SURFACE: usize = 1;
const POINT: [usize; 3] = [2, 3, 4];

/// The columns of adverts.
const ADVERT: [&str; 2] = ["energy", "construction_year"];

/// The columns of price changes.
const PRICE_EVENT: [&str; 2] = ["at", "percent"];

pub struct Tantivy {
    properties: Shelf,
    adverts: Shelf,
    price_events: Shelf,
}

/// What a tag says.
#[derive(Clone, Copy)]
enum Facet {
    City(u64),
    Department(u64),
    Cell(u64),
    Kind(PropertyType),
}

/// One number for a transaction and a facet.
fn tag(transaction: TransactionType, facet: Facet) -> u64 {
    let (name, value) = match facet {
        Facet::City(city) => (0, city),
        Facet::Department(department) => (1, department),
        Facet::Cell(cell) => (2, cell),
        Facet::Kind(kind) => (3, u64::from(kind.code())),
    };
    value << 8 | name << 4 | u64::from(transaction.code())
}

impl Tantivy {
    pub fn load(rows: impl Iterator<Item = Row>, folder: &Path) -> anyhow::Result<Self> {
        let shelf = |name: &str, columns| Builder::new(&folder.join("tantivy_by_hand").join(name), columns);
        let properties = shelf("properties", &PROPERTY)?;
        let adverts = shelf("adverts", &ADVERT)?;
        let price_events = shelf("price_events", &PRICE_EVENT)?;
        for (number, row) in rows.enumerate() {
            let [x, y, z] = row.point.map_or([0.0; 3], sphere::unit);
            let tags = if row.is_on_offer() { tags(&row) } else { Vec::new() };
            let amounts = [row.price.unwrap_or(UNKNOWN), row.surface.unwrap_or(UNKNOWN), x, y, z];
            properties.add(&document(number, &row, &tags, &row.text, &amounts))?;
            let city = [tag(row.transaction, Facet::City(row.city))];
            for advert in &row.adverts {
                let tags = if row.is_on_offer() && !advert.expired { &city[..] } else { &[] };
                let energy = advert.energy.map_or(UNKNOWN, |letter| f64::from(letter as u8));
                let year = advert.construction_year.map_or(UNKNOWN, f64::from);
                adverts.add(&document(number, &row, tags, "", &[energy, year]))?;
            }
            let department = [tag(row.transaction, Facet::Department(row.department))];
            for event in &row.price_events {
                let tags = if row.is_on_offer() && !event.expired { &department[..] } else { &[] };
                price_events.add(&document(number, &row, tags, "", &[event.at as f64, event.percent]))?;
            }
        }
        Ok(Self {
            properties: properties.finish(Documents::One)?,
            adverts: adverts.finish(Documents::Several)?,
            price_events: price_events.finish(Documents::Several)?,
        })
    }
}

/// A document with what all documents of a property have.
fn document<'a>(number: usize, row: &Row, tags: &'a [u64], text: &'a str, values: &'a [f64]) -> Document<'a> {
    let (property, price_per_meter) = (number as u64, row.price_per_meter);
    Document { property, id: row.id, created: row.created, price_per_meter, tags, text, values }
}

fn tags(row: &Row) -> Vec<u64> {
    let facets = [Facet::City(row.city), Facet::Department(row.department), Facet::Kind(row.kind)];
    let cell = row.point.map(|point| Facet::Cell(sphere::cell(point)));
    facets.into_iter().chain(cell).map(|facet| tag(row.transaction, facet)).collect()
}

impl Engine for Tantivy {
    fn name(&self) -> &str {
        "Tantivy, by hand"
    }

    fn answer(&mut self, question: &Question) -> anyhow::Result<Answer> {
        let order = question.criteria.order();
        let tag_on =
            |shelf: &Shelf, facet| -> Box<dyn Query> { term(shelf.tag(tag(question.transaction, facet))) };
        let properties = &self.properties;
        match &question.criteria {
            Criteria::City { city, budget, surface_min } => {
                let query = tag_on(properties, Facet::City(*city));
                properties.search(&[query], order, budget_and_surface(*budget, *surface_min))
            }
            Criteria::Department { department, budget, surface_min } => {
                let query = tag_on(properties, Facet::Department(*department));
                properties.search(&[query], order, budget_and_surface(*budget, *surface_min))
            }
            Criteria::Radius { centre, radius_km, budget } => {
                let circle = Circle::new(*centre, *radius_km);
                let cells = circle.cells.iter();
                let queries: Vec<_> = cells.map(|cell| tag_on(properties, Facet::Cell(*cell))).collect();
                properties.search(&queries, order, |columns, block| {
                    columns.retain(block, [PRICE], |[price]| within(*budget, price));
                    columns.retain(block, POINT, |point| circle.contains(point));
                })
            }
            Criteria::Words { words, kind } => {
                let words = words.iter().map(|word| term(properties.word(word)));
                let all = words.chain([tag_on(properties, Facet::Kind(*kind))]).collect();
                let query: Box<dyn Query> = Box::new(BooleanQuery::intersection(all));
                properties.search(&[query], order, |_, _| {})
            }
            Criteria::Country { kinds } => {
                let queries: Vec<_> =
                    kinds.iter().map(|kind| tag_on(properties, Facet::Kind(*kind))).collect();
                properties.search(&queries, order, |_, _| {})
            }
            Criteria::Energy { city, letters, year_min } => {
                let query = tag_on(&self.adverts, Facet::City(*city));
                let year_min = f64::from(*year_min);
                self.adverts.search(&[query], order, |columns, block| {
                    columns.retain(block, [0, 1], |[energy, year]| {
                        year >= year_min && letters.iter().any(|letter| f64::from(*letter as u8) == energy)
                    });
                })
            }
            Criteria::PriceDrop { department, percent_max, since } => {
                let query = tag_on(&self.price_events, Facet::Department(*department));
                let since = *since as f64;
                self.price_events.search(&[query], order, |columns, block| {
                    columns.retain(block, [0, 1], |[at, percent]| at >= since && percent <= *percent_max);
                })
            }
        }
    }
}

fn term(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

fn within(budget: Budget, price: f64) -> bool {
    price <= budget.max && price >= budget.min.unwrap_or(0.0)
}

fn budget_and_surface(budget: Budget, surface_min: f64) -> impl Fn(&Columns, &mut Vec<DocId>) {
    move |columns, block| {
        columns.retain(block, [PRICE, SURFACE], |[price, surface]| {
            within(budget, price) && surface >= surface_min
        });
    }
}
