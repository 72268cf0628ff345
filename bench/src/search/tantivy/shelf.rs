//! One Tantivy index in one segment: documents found by terms, sifted and ranked by columns.

use std::path::Path;
use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::query::{EnableScoring, Query};
use tantivy::schema::{
    Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{DocId, Searcher, TantivyDocument, Term};

use crate::search::first::{self, First};
use crate::search::one_segment::OneSegment;
use crate::search::question::{Answer, Order};

/// As many documents as Tantivy hands over at a time.
const BLOCK: usize = tantivy::COLLECT_BLOCK_BUFFER_LEN;

/// Stands for an amount nobody knows. Amounts are never negative, and a column in which every document has a value is
/// quicker to read than one with gaps.
pub const UNKNOWN: f64 = -1.0;

/// What is put in.
pub struct Document<'a> {
    /// The number of the property, by which several documents of one are told.
    pub property: u64,
    pub id: [u8; 16],
    pub created: i64,
    pub price_per_meter: Option<f64>,
    /// The terms it is found by.
    pub tags: &'a [u64],
    pub text: &'a str,
    /// In the order of the columns the shelf was made with.
    pub values: &'a [f64],
}

/// Whether a property has one document on a shelf, or perhaps several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Documents {
    One,
    Several,
}

/// An index while it is being filled.
pub struct Builder {
    segment: OneSegment,
    fields: Fields,
}

#[derive(Clone)]
struct Fields {
    tag: Field,
    text: Field,
    property: Field,
    high: Field,
    low: Field,
    created: Field,
    price_per_meter: Field,
    values: Vec<Field>,
}

impl Builder {
    pub fn new(folder: &Path, columns: &[&str]) -> anyhow::Result<Self> {
        let mut schema = Schema::builder();
        // No score is asked for and no phrase: which documents have a word is all there is to know.
        let words = TextFieldIndexing::default()
            .set_tokenizer("whitespace")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        let fast = || NumericOptions::default().set_fast();
        let fields = Fields {
            tag: schema.add_u64_field("tag", INDEXED),
            text: schema.add_text_field("text", TextOptions::default().set_indexing_options(words)),
            property: schema.add_u64_field("property", fast()),
            high: schema.add_u64_field("high", fast()),
            low: schema.add_u64_field("low", fast()),
            created: schema.add_i64_field("created", fast()),
            price_per_meter: schema.add_f64_field("price_per_meter", fast()),
            values: columns.iter().map(|name| schema.add_f64_field(name, fast())).collect(),
        };
        Ok(Self { segment: OneSegment::create(folder, schema.build())?, fields })
    }

    pub fn add(&self, document: &Document<'_>) -> anyhow::Result<()> {
        let (fields, mut made) = (&self.fields, TantivyDocument::new());
        for tag in document.tags {
            made.add_u64(fields.tag, *tag);
        }
        if !document.text.is_empty() {
            made.add_text(fields.text, document.text);
        }
        let id = u128::from_be_bytes(document.id);
        made.add_u64(fields.property, document.property);
        made.add_u64(fields.high, (id >> 64) as u64);
        made.add_u64(fields.low, id as u64);
        made.add_i64(fields.created, document.created);
        made.add_f64(fields.price_per_meter, document.price_per_meter.unwrap_or(UNKNOWN));
        for (field, value) in fields.values.iter().zip(document.values) {
            made.add_f64(*field, *value);
        }
        self.segment.add(made)
    }

    /// Merges everything into one segment, and opens it.
    pub fn finish(self, documents: Documents) -> anyhow::Result<Shelf> {
        let searcher = self.segment.finish()?;
        let columns = searcher.segment_readers().first();
        let columns = columns
            .map(|segment| Columns::open(segment.fast_fields(), searcher.schema(), &self.fields))
            .transpose()?;
        Ok(Shelf { searcher, columns, documents, tag: self.fields.tag, text: self.fields.text })
    }
}

/// The columns of the one segment, opened once and not for every question.
pub struct Columns {
    property: Arc<dyn ColumnValues<u64>>,
    high: Arc<dyn ColumnValues<u64>>,
    low: Arc<dyn ColumnValues<u64>>,
    created: Arc<dyn ColumnValues<i64>>,
    price_per_meter: Arc<dyn ColumnValues<f64>>,
    values: Vec<Arc<dyn ColumnValues<f64>>>,
}

impl Columns {
    fn open(
        readers: &tantivy::fastfield::FastFieldReaders,
        schema: &Schema,
        fields: &Fields,
    ) -> anyhow::Result<Self> {
        let name = |field: Field| schema.get_field_name(field);
        let values = fields.values.iter().map(|field| readers.column_first_or_default(name(*field)));
        Ok(Self {
            property: readers.column_first_or_default(name(fields.property))?,
            high: readers.column_first_or_default(name(fields.high))?,
            low: readers.column_first_or_default(name(fields.low))?,
            created: readers.column_first_or_default(name(fields.created))?,
            price_per_meter: readers.column_first_or_default(name(fields.price_per_meter))?,
            values: values.collect::<Result<_, _>>()?,
        })
    }

    /// Leaves those of a block whose values in some columns will do.
    pub fn retain<const N: usize>(
        &self,
        block: &mut Vec<DocId>,
        columns: [usize; N],
        keep: impl Fn([f64; N]) -> bool,
    ) {
        let mut read = [[0.0; BLOCK]; N];
        for (column, values) in columns.into_iter().zip(&mut read) {
            self.values[column].get_vals(block, &mut values[..block.len()]);
        }
        let mut position = 0;
        block.retain(|_| {
            let values = std::array::from_fn(|column| read[column][position]);
            position += 1;
            keep(values)
        });
    }

    fn id(&self, document: DocId) -> [u8; 16] {
        let (high, low) = (self.high.get_val(document), self.low.get_val(document));
        (u128::from(high) << 64 | u128::from(low)).to_be_bytes()
    }
}

/// A finished index.
pub struct Shelf {
    searcher: Searcher,
    /// None for a shelf without documents.
    columns: Option<Columns>,
    documents: Documents,
    tag: Field,
    text: Field,
}

impl Shelf {
    pub fn tag(&self, tag: u64) -> Term {
        Term::from_field_u64(self.tag, tag)
    }

    pub fn word(&self, word: &str) -> Term {
        Term::from_field_text(self.text, word)
    }

    /// Answers from what several queries find, of which no two find the same document.
    pub fn search(
        &self,
        queries: &[Box<dyn Query>],
        order: Order,
        sift: impl Fn(&Columns, &mut Vec<DocId>),
    ) -> anyhow::Result<Answer> {
        let (Some(columns), [segment]) = (&self.columns, self.searcher.segment_readers()) else {
            return Ok(Answer::default());
        };
        let mut ranking =
            Ranking { columns, order, total: 0, properties: Vec::new(), first: First::default() };
        let mut block = Vec::with_capacity(BLOCK);
        for query in queries {
            let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
            weight.for_each_no_score(segment, &mut |documents| {
                block.clear();
                block.extend_from_slice(documents);
                sift(columns, &mut block);
                ranking.take(&block, self.documents);
            })?;
        }
        Ok(ranking.answer(self.documents))
    }
}

struct Ranking<'a> {
    columns: &'a Columns,
    order: Order,
    total: u64,
    properties: Vec<u64>,
    first: First,
}

impl Ranking<'_> {
    fn take(&mut self, block: &[DocId], documents: Documents) {
        match documents {
            Documents::One => self.total += block.len() as u64,
            Documents::Several => {
                let known = self.properties.len();
                self.properties.resize(known + block.len(), 0);
                self.columns.property.get_vals(block, &mut self.properties[known..]);
            }
        }
        match self.order {
            Order::Newest => {
                let mut created = [0; BLOCK];
                self.columns.created.get_vals(block, &mut created[..block.len()]);
                for (document, created) in block.iter().zip(created) {
                    let beginning = first::newest(created);
                    if self.first.may_take(beginning) {
                        let price = self.columns.price_per_meter.get_val(*document);
                        let dearest = first::dearest((price != UNKNOWN).then_some(price));
                        self.first.take((beginning, dearest, self.columns.id(*document)));
                    }
                }
            }
            Order::Cheapest => {
                let mut prices = [0.0; BLOCK];
                self.columns.values[super::PRICE].get_vals(block, &mut prices[..block.len()]);
                for (document, price) in block.iter().zip(prices) {
                    let beginning = first::cheapest((price != UNKNOWN).then_some(price));
                    if self.first.may_take(beginning) {
                        self.first.take((beginning, 0, self.columns.id(*document)));
                    }
                }
            }
        }
    }

    fn answer(mut self, documents: Documents) -> Answer {
        let total = match documents {
            Documents::One => self.total,
            Documents::Several => {
                self.properties.sort_unstable();
                self.properties.dedup();
                self.properties.len() as u64
            }
        };
        Answer { total, ids: self.first.ids() }
    }
}
