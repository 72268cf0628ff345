//! Tantivy as a peer, as its documentation has it: one document per property, one field per attribute, and the library's
//! own queries and collectors.
//!
//! It has no nested documents: adverts and price changes, of which two conditions are asked together, have indexes of
//! their own. Where the library leaves a choice, it is the faster one, measured with 200,000 properties: ranges are read
//! from columns (along the terms, questions took two to two hundred times as long), flags exclude what few have, and one
//! search counts and ranks.

mod clauses;
mod distinct;
mod index;
mod ranking;

use std::path::Path;

use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use self::clauses::Clauses;
use self::index::{AdvertFields, Index, PriceChangeFields, PropertyFields};
use super::Engine;
use super::question::{Answer, Criteria, Question};
use super::row::Row;

pub struct TantivyPlain {
    properties: Index<PropertyFields, Searcher>,
    adverts: Index<AdvertFields, Searcher>,
    price_changes: Index<PriceChangeFields, Searcher>,
}

impl TantivyPlain {
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

impl Engine for TantivyPlain {
    fn name(&self) -> &str {
        "Tantivy"
    }

    fn answer(&mut self, question: &Question) -> anyhow::Result<Answer> {
        let Self { properties, adverts, price_changes } = self;
        let transaction = u64::from(question.transaction.code());
        let fields = &properties.fields;
        match &question.criteria {
            Criteria::City { city, budget, surface_min } => {
                let asked = properties.asked(transaction).has(number(fields.city, *city));
                let asked =
                    asked.within(fields.price, *budget).at_least(amount(fields.surface, *surface_min));
                ranking::newest(&properties.stage, &asked.query())
            }
            Criteria::Department { department, budget, surface_min } => {
                let asked = properties.asked(transaction).has(number(fields.department, *department));
                let asked =
                    asked.within(fields.price, *budget).at_least(amount(fields.surface, *surface_min));
                ranking::newest(&properties.stage, &asked.query())
            }
            Criteria::Radius { centre, radius_km, budget } => {
                // The library goes through a term that fewer than four in five have before any range, and through the
                // first of several ranges. A circle is far narrower than a transaction, which is a range here, and last.
                let transaction = number(properties.offer.transaction, transaction);
                let asked = Clauses::default().around([fields.lat, fields.lon], *centre, *radius_km);
                let asked = asked.within(fields.price, *budget).between(transaction.clone(), transaction);
                ranking::newest(&properties.stage, &properties.offer.still_there(asked).query())
            }
            Criteria::Words { words: [one, other], kind } => {
                let asked = properties.asked(transaction).has(number(fields.kind, u64::from(kind.code())));
                let word = |word| Term::from_field_text(fields.text, word);
                ranking::newest(&properties.stage, &asked.has(word(one)).has(word(other)).query())
            }
            Criteria::Country { kinds } => {
                let kinds = kinds.iter().map(|kind| number(fields.kind, u64::from(kind.code())));
                ranking::cheapest(&properties.stage, &properties.asked(transaction).has_any(kinds).query())
            }
            Criteria::Energy { city, letters, year_min } => {
                let fields = &adverts.fields;
                let letters = letters.iter().map(|letter| number(fields.energy, *letter as u64));
                let asked = adverts.asked(transaction).has(number(fields.city, *city)).has_any(letters);
                let asked = asked.has_not(Term::from_field_bool(fields.advert_expired, true));
                let year_min = Term::from_field_i64(fields.construction_year, i64::from(*year_min));
                ranking::newest_properties(&adverts.stage, &asked.at_least(year_min).query())
            }
            Criteria::PriceDrop { department, percent_max, since } => {
                let fields = &price_changes.fields;
                let asked = price_changes.asked(transaction).has(number(fields.department, *department));
                let asked = asked.has_not(Term::from_field_bool(fields.advert_expired, true));
                let asked = asked.at_least(Term::from_field_i64(fields.at, *since));
                let asked = asked.at_most(amount(fields.percent, *percent_max));
                ranking::newest_properties(&price_changes.stage, &asked.query())
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
