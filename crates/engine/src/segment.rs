//! A segment: some of the properties, laid out for searching, never changed once made.
//!
//! Rows are numbered by where they are ([`geo_index`]), each attribute is a [`Column`], adverts and changes of price lie
//! in tables beside them in the same order, and the words are in [`text`]. What changes is a set of ordinals that are still
//! live_docs, kept outside.

pub mod codec;
pub mod doc_range;
pub mod geo_index;
pub mod text;

use domain::{GeoPoint, PropertyAttribute, PropertyId, SiteKey, Variation};

use crate::bits::Bits;
use crate::column::{Column, UNKNOWN};
use crate::request::{Hit, SequenceNumber};
use crate::row::{ADVERT_ATTRIBUTES, AdvertRow, ChangeRow, PROPERTY_ATTRIBUTES, Row};
use doc_range::DocRange;
use geo_index::{GeoIndex, SortKey, cell_of};
use text::Text;

/// The attributes whose order is kept, so that the first page of many matches is found without sorting them.
const KEPT_ORDERS: &[PropertyAttribute] = &[
    PropertyAttribute::CreatedAt,
    PropertyAttribute::UpdatedAt,
    PropertyAttribute::CrawledAt,
    PropertyAttribute::Price,
    PropertyAttribute::PricePerMeter,
    PropertyAttribute::Surface,
];

#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    ids: Vec<PropertyId>,
    /// The ordinals in the order of their ids.
    by_id: Vec<u32>,
    stamps: Column,
    columns: Vec<Column>,
    /// Not a number where there are no coordinates.
    lats: Vec<f64>,
    lons: Vec<f64>,
    pub(crate) geo_index: GeoIndex,
    pub(crate) adverts: Adverts,
    changes: Vec<Changes>,
    orders: Vec<Vec<u32>>,
    pub(crate) text: Text,
}

/// The adverts of a segment, those of one property side by side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adverts {
    /// Where those of each property begin; one more than there are properties.
    pub starts: Vec<u32>,
    pub columns: Vec<Column>,
    /// In order; a site's number is its place.
    pub site_names: Vec<SiteKey>,
    pub sites: Column,
}

/// The changes of one kind, in the order of their properties.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Changes {
    pub rows: Vec<u32>,
    pub at: Column,
    pub percent: Column,
    /// Of adverts that are not expired.
    pub live: Bits,
}

impl Segment {
    /// Of rows in any order. Segments of fewer rows than `ordered_rows_min` keep no orders.
    pub fn of(mut rows: Vec<Row>, ordered_rows_min: usize) -> Self {
        rows.sort_by_cached_key(|row| (sort_key(row), row.id));
        let spots: Vec<SortKey> = rows.iter().map(sort_key).collect();
        let column = |read: &dyn Fn(&Row) -> i64| Column::of(&rows.iter().map(read).collect::<Vec<_>>());
        let columns: Vec<Column> =
            (0..PROPERTY_ATTRIBUTES).map(|place| column(&|row| row.values[place])).collect();
        let ids: Vec<PropertyId> = rows.iter().map(|row| row.id).collect();
        let zipcode = |row: usize| rows[row].value(PropertyAttribute::Zipcode);
        let geo_index = GeoIndex::of(&spots, zipcode);
        let coordinate =
            |read: fn(GeoPoint) -> f64| rows.iter().map(|row| row.point.map_or(f64::NAN, read)).collect();
        let (lats, lons) = (coordinate(GeoPoint::lat), coordinate(GeoPoint::lon));
        let stamps = column(&|row| i64::try_from(row.sequence_number.0).unwrap_or(i64::MAX));
        let adverts = Adverts::of(&rows);
        let changes = Variation::ALL.iter().map(|variation| Changes::of(&rows, *variation)).collect();
        let text = Text::of(rows.iter().map(|row| row.text.as_str()));
        let parts = Parts { ids, stamps, columns, lats, lons, geo_index, adverts, changes, text };
        Self::assemble(parts, ordered_rows_min)
    }

    /// Adds what follows from the rest.
    pub(crate) fn assemble(parts: Parts, ordered_rows_min: usize) -> Self {
        let Parts { ids, stamps, columns, lats, lons, geo_index, adverts, changes, text } = parts;
        let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
        by_id.sort_unstable_by_key(|row| ids[*row as usize]);
        let kept = if ids.len() < ordered_rows_min { &[] } else { KEPT_ORDERS };
        let orders = kept.iter().map(|attribute| order(&columns[*attribute as usize], &geo_index)).collect();
        Self { ids, by_id, stamps, columns, lats, lons, geo_index, adverts, changes, orders, text }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn column(&self, attribute: PropertyAttribute) -> &Column {
        &self.columns[attribute as usize]
    }

    pub fn id(&self, row: usize) -> PropertyId {
        self.ids[row]
    }

    pub fn hit(&self, row: usize) -> Hit {
        Hit { property: self.ids[row], sequence_number: self.sequence_number(row) }
    }

    fn sequence_number(&self, row: usize) -> SequenceNumber {
        SequenceNumber(u64::try_from(self.stamps.value(row)).unwrap_or_default())
    }

    pub fn find(&self, id: PropertyId) -> Option<usize> {
        let place = self.by_id.binary_search_by_key(&id, |row| self.ids[*row as usize]).ok()?;
        Some(self.by_id[place] as usize)
    }

    /// The ordinals from an id on, in the order of ids.
    pub fn rows_after(&self, after: Option<PropertyId>) -> impl Iterator<Item = usize> {
        let first =
            after.map_or(0, |after| self.by_id.partition_point(|row| self.ids[*row as usize] <= after));
        self.by_id[first..].iter().map(|row| *row as usize)
    }

    pub fn point(&self, row: usize) -> Option<GeoPoint> {
        GeoPoint::new(self.lats[row], self.lons[row])
    }

    /// Latitude and longitude in degrees; not a number where there are none.
    pub fn coordinates(&self, row: usize) -> (f64, f64) {
        (self.lats[row], self.lons[row])
    }

    pub fn changes(&self, variation: Variation) -> &Changes {
        &self.changes[variation as usize]
    }

    /// The ordinals of a transaction in ascending order of an attribute, those without a value first; where that is kept.
    pub fn order(&self, attribute: PropertyAttribute, transaction: DocRange) -> Option<&[u32]> {
        let place = KEPT_ORDERS.iter().position(|kept| *kept == attribute)?;
        self.orders.get(place).map(|order| &order[transaction.from as usize..transaction.to as usize])
    }

    /// A row as it was before it was put in, to go into another segment.
    pub fn row(&self, row: usize) -> Row {
        let mut values = [UNKNOWN; PROPERTY_ATTRIBUTES];
        for (value, column) in values.iter_mut().zip(&self.columns) {
            *value = column.value(row);
        }
        let changes = Variation::ALL.iter().flat_map(|variation| {
            let changes = self.changes(*variation);
            changes.of_rows(row as u32, row as u32 + 1).map(|place| ChangeRow {
                variation: *variation,
                at: changes.at.value(place),
                percent: changes.percent.value(place),
                live: changes.live.contains(place),
            })
        });
        Row {
            id: self.ids[row],
            sequence_number: self.sequence_number(row),
            values,
            point: self.point(row),
            adverts: self.adverts.of_row(row).map(|advert| self.adverts.row(advert)).collect(),
            changes: changes.collect(),
            text: self.text.text(row),
        }
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        let columns = |columns: &[Column]| columns.iter().map(Column::bytes).sum::<usize>();
        let changes = self.changes.iter().map(|changes| {
            changes.rows.len() * 4
                + changes.at.bytes()
                + changes.percent.bytes()
                + changes.live.words().len() * 8
        });
        self.len() * (16 + 4 + 16)
            + self.stamps.bytes()
            + columns(&self.columns)
            + self.geo_index.bytes()
            + self.adverts.starts.len() * 4
            + columns(&self.adverts.columns)
            + self.adverts.sites.bytes()
            + changes.sum::<usize>()
            + self.orders.iter().map(|order| order.len() * 4).sum::<usize>()
            + self.text.bytes()
    }

    /// How much memory each part takes, for benchmarks that look for where it goes.
    pub fn bytes_by_part(&self) -> Vec<(&'static str, usize)> {
        let columns = |columns: &[Column]| columns.iter().map(Column::bytes).sum::<usize>();
        vec![
            ("ids, points, stamps", self.len() * (16 + 4 + 16) + self.stamps.bytes()),
            ("columns", columns(&self.columns)),
            ("geo_index", self.geo_index.bytes()),
            (
                "adverts",
                self.adverts.starts.len() * 4 + columns(&self.adverts.columns) + self.adverts.sites.bytes(),
            ),
            ("orders", self.orders.iter().map(|order| order.len() * 4).sum()),
            ("text", self.text.bytes()),
            ("all", self.bytes()),
        ]
    }
}

/// What a segment is made of; the rest follows.
pub(crate) struct Parts {
    pub ids: Vec<PropertyId>,
    pub stamps: Column,
    pub columns: Vec<Column>,
    pub lats: Vec<f64>,
    pub lons: Vec<f64>,
    pub geo_index: GeoIndex,
    pub adverts: Adverts,
    pub changes: Vec<Changes>,
    pub text: Text,
}

fn sort_key(row: &Row) -> SortKey {
    SortKey {
        transaction: row.value(PropertyAttribute::TransactionType),
        department: row.value(PropertyAttribute::Department),
        city: row.value(PropertyAttribute::City),
        cell: cell_of(row.point),
    }
}

/// The ordinals of each transaction by the codes of a column.
fn order(column: &Column, geo_index: &GeoIndex) -> Vec<u32> {
    let mut order = Vec::new();
    for transaction in geo_index.transactions() {
        let start = order.len();
        order.extend(transaction.from..transaction.to);
        order[start..].sort_by_cached_key(|row| column.code(*row as usize));
    }
    order
}

impl Adverts {
    fn of(rows: &[Row]) -> Self {
        let adverts = || rows.iter().flat_map(|row| &row.adverts);
        let mut starts = vec![0];
        for row in rows {
            starts.push(starts[starts.len() - 1] + row.adverts.len() as u32);
        }
        let columns = (0..ADVERT_ATTRIBUTES)
            .map(|place| Column::of(&adverts().map(|advert| advert.values[place]).collect::<Vec<_>>()));
        let mut site_names: Vec<SiteKey> = Vec::new();
        let mut known: rustc_hash::FxHashSet<&SiteKey> = rustc_hash::FxHashSet::default();
        for site in adverts().filter_map(|advert| advert.site.as_ref()) {
            if known.insert(site) {
                site_names.push(site.clone());
            }
        }
        site_names.sort();
        let number = |site: &SiteKey| site_names.binary_search(site).map_or(UNKNOWN, |place| place as i64);
        let sites: Vec<i64> = adverts().map(|advert| advert.site.as_ref().map_or(UNKNOWN, number)).collect();
        Self { starts, columns: columns.collect(), sites: Column::of(&sites), site_names }
    }

    /// The adverts of a property.
    pub fn of_row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    fn row(&self, advert: usize) -> AdvertRow {
        let mut values = [UNKNOWN; ADVERT_ATTRIBUTES];
        for (value, column) in values.iter_mut().zip(&self.columns) {
            *value = column.value(advert);
        }
        let site = usize::try_from(self.sites.value(advert)).ok();
        AdvertRow { values, site: site.and_then(|site| self.site_names.get(site)).cloned() }
    }
}

impl Changes {
    fn of(all: &[Row], variation: Variation) -> Self {
        let (mut rows, mut at, mut percent, mut live) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (place, row) in all.iter().enumerate() {
            for change in row.changes.iter().filter(|change| change.variation == variation) {
                rows.push(place as u32);
                at.push(change.at);
                percent.push(change.percent);
                live.push(change.live);
            }
        }
        let mut live_bits = Bits::none(live.len());
        live.iter().enumerate().filter(|(_, live)| **live).for_each(|(place, _)| live_bits.insert(place));
        Self { rows, at: Column::of(&at), percent: Column::of(&percent), live: live_bits }
    }

    /// The changes of the properties `from..to`.
    pub fn of_rows(&self, from: u32, to: u32) -> std::ops::Range<usize> {
        let first = self.rows.partition_point(|row| *row < from);
        first..first + self.rows[first..].partition_point(|row| *row < to)
    }
}
