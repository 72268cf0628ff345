//! The three indexes: their fields, and how to fill a document of each.

use std::path::Path;

use domain::GeoPoint;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::{Searcher, TantivyDocument, Term};

use super::clauses::Clauses;
use super::one_segment::OneSegment;
use crate::search::row::{AdvertRow, PriceEvent, Row};

/// Names of fast fields that are read by name.
pub const HIGH: &str = "high";
pub const LOW: &str = "low";
pub const CREATED: &str = "created";
pub const PRICE_PER_METER: &str = "price_per_meter";
pub const PRICE: &str = "price";
pub const LAT: &str = "lat";
pub const LON: &str = "lon";
pub const PROPERTY: &str = "property";

/// An index that is being filled (`Stage` is [`OneSegment`]) or searched (`Stage` is [`Searcher`]).
pub struct Index<Fields, Stage> {
    pub offer: OfferFields,
    pub fields: Fields,
    pub stage: Stage,
}

impl<Fields> Index<Fields, OneSegment> {
    pub fn create(folder: &Path, fields: impl FnOnce(&mut SchemaBuilder) -> Fields) -> anyhow::Result<Self> {
        let mut schema = Schema::builder();
        let (offer, fields) = (OfferFields::add_to(&mut schema), fields(&mut schema));
        Ok(Self { offer, fields, stage: OneSegment::create(folder, schema.build())? })
    }

    /// Adds a document with the fields of its property and those that `fill` adds.
    pub fn add(&self, row: &Row, fill: impl FnOnce(&Fields, &mut TantivyDocument)) -> anyhow::Result<()> {
        let mut document = TantivyDocument::new();
        self.offer.fill(&mut document, row);
        fill(&self.fields, &mut document);
        self.stage.add(document)
    }

    pub fn finish(self) -> anyhow::Result<Index<Fields, Searcher>> {
        Ok(Index { offer: self.offer, fields: self.fields, stage: self.stage.finish()? })
    }
}

impl<Fields> Index<Fields, Searcher> {
    /// Returns the clauses that all queries have.
    pub fn on_offer(&self, transaction: u64) -> Clauses {
        self.offer.on_offer(Clauses::default().has(Term::from_field_u64(self.offer.transaction, transaction)))
    }
}

/// The fields that documents of all indexes have.
pub struct OfferFields {
    /// The id as two numbers. A column of bytes refers to a dictionary, and looking up ten ids there takes longer than most of the
    /// rest of a small query.
    high: Field,
    low: Field,
    pub transaction: Field,
    coherent: Field,
    expired: Field,
    created: Field,
    price_per_meter: Field,
}

impl OfferFields {
    fn add_to(schema: &mut SchemaBuilder) -> Self {
        Self {
            high: schema.add_u64_field(HIGH, FAST),
            low: schema.add_u64_field(LOW, FAST),
            transaction: schema.add_u64_field("transaction", INDEXED | FAST),
            coherent: schema.add_bool_field("coherent", INDEXED),
            expired: schema.add_bool_field("expired", INDEXED),
            created: schema.add_i64_field(CREATED, FAST),
            price_per_meter: schema.add_f64_field(PRICE_PER_METER, FAST),
        }
    }

    fn fill(&self, document: &mut TantivyDocument, row: &Row) {
        let id = u128::from_be_bytes(row.id);
        document.add_u64(self.high, (id >> 64) as u64);
        document.add_u64(self.low, id as u64);
        document.add_u64(self.transaction, u64::from(row.transaction.code()));
        document.add_bool(self.coherent, row.coherent);
        document.add_bool(self.expired, row.expired);
        document.add_i64(self.created, row.created);
        add_known(document, self.price_per_meter, row.price_per_meter);
    }

    /// Adds the clauses for a coherent price and no expiry. Most properties have both, and excluding the few others is faster than
    /// requiring the common value.
    pub fn on_offer(&self, clauses: Clauses) -> Clauses {
        let clauses = clauses.has_not(Term::from_field_bool(self.coherent, false));
        clauses.has_not(Term::from_field_bool(self.expired, true))
    }
}

pub struct PropertyFields {
    pub kind: Field,
    pub city: Field,
    pub department: Field,
    pub price: Field,
    pub surface: Field,
    pub lat: Field,
    pub lon: Field,
    pub text: Field,
}

impl PropertyFields {
    pub fn add_to(schema: &mut SchemaBuilder) -> Self {
        // This tokenizer splits at everything but letters and digits. Queries need neither scores nor phrases.
        let words = TextFieldIndexing::default()
            .set_tokenizer("default")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        Self {
            kind: schema.add_u64_field("kind", INDEXED),
            city: schema.add_u64_field("city", INDEXED),
            department: schema.add_u64_field("department", INDEXED),
            price: schema.add_f64_field(PRICE, FAST),
            surface: schema.add_f64_field("surface", FAST),
            lat: schema.add_f64_field(LAT, FAST),
            lon: schema.add_f64_field(LON, FAST),
            text: schema.add_text_field("text", TextOptions::default().set_indexing_options(words)),
        }
    }

    pub fn fill(&self, document: &mut TantivyDocument, row: &Row) {
        document.add_u64(self.kind, u64::from(row.kind.code()));
        document.add_u64(self.city, row.city);
        document.add_u64(self.department, row.department);
        add_known(document, self.price, row.price);
        add_known(document, self.surface, row.surface);
        add_known(document, self.lat, row.point.map(GeoPoint::lat));
        add_known(document, self.lon, row.point.map(GeoPoint::lon));
        document.add_text(self.text, &row.text);
    }
}

pub struct AdvertFields {
    property: Field,
    pub city: Field,
    pub advert_expired: Field,
    pub energy: Field,
    pub construction_year: Field,
}

impl AdvertFields {
    pub fn add_to(schema: &mut SchemaBuilder) -> Self {
        Self {
            property: schema.add_u64_field(PROPERTY, FAST),
            city: schema.add_u64_field("city", INDEXED),
            advert_expired: schema.add_bool_field("advert_expired", INDEXED),
            energy: schema.add_u64_field("energy", INDEXED),
            construction_year: schema.add_i64_field("construction_year", FAST),
        }
    }

    pub fn fill(&self, document: &mut TantivyDocument, property: u64, row: &Row, advert: AdvertRow) {
        let AdvertRow { expired, energy, construction_year } = advert;
        document.add_u64(self.property, property);
        document.add_u64(self.city, row.city);
        document.add_bool(self.advert_expired, expired);
        if let Some(letter) = energy {
            document.add_u64(self.energy, letter as u64);
        }
        if let Some(year) = construction_year {
            document.add_i64(self.construction_year, i64::from(year));
        }
    }
}

pub struct PriceChangeFields {
    property: Field,
    pub department: Field,
    pub advert_expired: Field,
    pub at: Field,
    pub percent: Field,
}

impl PriceChangeFields {
    pub fn add_to(schema: &mut SchemaBuilder) -> Self {
        Self {
            property: schema.add_u64_field(PROPERTY, FAST),
            department: schema.add_u64_field("department", INDEXED),
            advert_expired: schema.add_bool_field("advert_expired", INDEXED),
            at: schema.add_i64_field("at", FAST),
            percent: schema.add_f64_field("percent", FAST),
        }
    }

    pub fn fill(&self, document: &mut TantivyDocument, property: u64, row: &Row, event: PriceEvent) {
        let PriceEvent { at, percent, expired } = event;
        document.add_u64(self.property, property);
        document.add_u64(self.department, row.department);
        document.add_bool(self.advert_expired, expired);
        document.add_i64(self.at, at);
        document.add_f64(self.percent, percent);
    }
}

/// Adds an amount, if it is known.
fn add_known(document: &mut TantivyDocument, field: Field, amount: Option<f64>) {
    if let Some(amount) = amount {
        document.add_f64(field, amount);
    }
}
