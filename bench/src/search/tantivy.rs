//! Tantivy as a peer, used as its documentation shows: one document per property, one field per attribute, and the queries and
//! collectors of the library.
//!
//! Tantivy has no nested documents, so adverts and price changes, for which queries combine two conditions, have separate indexes.
//! Where the library offers a choice, this uses the faster one, measured with 200,000 properties: ranges read fast fields (with
//! terms, queries took 2 to 200 times as long), flags exclude the rare value, and one search counts and ranks.

mod clauses;
mod distinct;
mod index;
mod one_segment;
mod ranking;

use std::path::Path;

use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use self::clauses::Clauses;
use self::index::{AdvertFields, Index, PriceChangeFields, PropertyFields};
use super::Engine;
use super::query::{Criteria, Query, TopHits};
use super::row::Row;

pub struct Tantivy {
    properties: Index<PropertyFields, Searcher>,
    adverts: Index<AdvertFields, Searcher>,
    price_changes: Index<PriceChangeFields, Searcher>,
}

impl Tantivy {
    pub fn load(rows: impl Iterator<Item = Row>, folder: &Path) -> anyhow::Result<Self> {
        let folder = folder.join("tantivy");
        let properties = Index::create(&folder.join("properties"), PropertyFields::add_to)?;
        let adverts = Index::create(&folder.join("adverts"), AdvertFields::add_to)?;
        let price_changes = Index::create(&folder.join("price_changes"), PriceChangeFields::add_to)?;
        for (number, row) in rows.enumerate() {
            let number = number as u64;
            properties.add(&row, |fields, document| fields.fill(document, &row))?;
            for advert in &row.adverts {
                adverts.add(&row, |fields, document| fields.fill(document, number, &row, *advert))?;
            }
            for event in &row.price_events {
                price_changes.add(&row, |fields, document| fields.fill(document, number, &row, *event))?;
            }
        }
        Ok(Self {
            properties: properties.finish()?,
            adverts: adverts.finish()?,
            price_changes: price_changes.finish()?,
        })
    }
}

impl Engine for Tantivy {
    fn name(&self) -> &str {
        "Tantivy"
    }

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits> {
        let Self { properties, adverts, price_changes } = self;
        let transaction = u64::from(query.transaction.code());
        let fields = &properties.fields;
        match &query.criteria {
            Criteria::City { city, budget, surface_min } => {
                let clauses = properties.on_offer(transaction).has(number(fields.city, *city));
                let clauses =
                    clauses.within(fields.price, *budget).at_least(amount(fields.surface, *surface_min));
                ranking::newest(&properties.stage, &clauses.query())
            }
            Criteria::Department { department, budget, surface_min } => {
                let clauses = properties.on_offer(transaction).has(number(fields.department, *department));
                let clauses =
                    clauses.within(fields.price, *budget).at_least(amount(fields.surface, *surface_min));
                ranking::newest(&properties.stage, &clauses.query())
            }
            Criteria::Radius { centre, radius_km, budget } => {
                // Tantivy drives the search by a term that fewer than four in five documents have, or else by the first of
                // several ranges. A circle is much more selective than a transaction, so the transaction is a range here, and last.
                let transaction = number(properties.offer.transaction, transaction);
                let clauses = Clauses::default().around([fields.lat, fields.lon], *centre, *radius_km);
                let clauses = clauses.within(fields.price, *budget).between(transaction.clone(), transaction);
                ranking::newest(&properties.stage, &properties.offer.on_offer(clauses).query())
            }
            Criteria::Words { words: [one, other], kind } => {
                let clauses =
                    properties.on_offer(transaction).has(number(fields.kind, u64::from(kind.code())));
                let word = |word| Term::from_field_text(fields.text, word);
                ranking::newest(&properties.stage, &clauses.has(word(one)).has(word(other)).query())
            }
            Criteria::Country { kinds } => {
                let kinds = kinds.iter().map(|kind| number(fields.kind, u64::from(kind.code())));
                ranking::cheapest(&properties.stage, &properties.on_offer(transaction).has_any(kinds).query())
            }
            Criteria::Energy { city, letters, year_min } => {
                let fields = &adverts.fields;
                let letters = letters.iter().map(|letter| number(fields.energy, *letter as u64));
                let clauses = adverts.on_offer(transaction).has(number(fields.city, *city)).has_any(letters);
                let clauses = clauses.has_not(Term::from_field_bool(fields.advert_expired, true));
                let year_min = Term::from_field_i64(fields.construction_year, i64::from(*year_min));
                ranking::newest_properties(&adverts.stage, &clauses.at_least(year_min).query())
            }
            Criteria::PriceDrop { department, percent_max, since } => {
                let fields = &price_changes.fields;
                let clauses = price_changes.on_offer(transaction).has(number(fields.department, *department));
                let clauses = clauses.has_not(Term::from_field_bool(fields.advert_expired, true));
                let clauses = clauses.at_least(Term::from_field_i64(fields.at, *since));
                let clauses = clauses.at_most(amount(fields.percent, *percent_max));
                ranking::newest_properties(&price_changes.stage, &clauses.query())
            }
        }
    }
}

fn number(field: Field, value: u64) -> Term {
    Term::from_field_u64(field, value)
}

fn amount(field: Field, value: f64) -> Term {
    Term::from_field_f64(field, value)
}
