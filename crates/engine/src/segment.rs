//! A segment: an immutable part of the index.
//!
//! Rows are sorted by location ([`geo_index`]). Each attribute is a [`Column`]. Adverts and changes of price or surface are in
//! tables of their own, in the order of the rows. The terms of the texts are in an inverted index ([`text_index`]). Deletions are
//! recorded outside the segment, in the live docs of its reader.

pub mod codec;
pub mod doc_range;
pub mod geo_index;
pub mod map_index;
pub mod text_index;

use domain::{GeoPoint, Key, PropertyAttribute, PropertyId, SiteKey, Variation};

use crate::bits::BitSet;
use crate::column::{Column, UNKNOWN};
use crate::request::{Hit, SequenceNumber};
use crate::row::{ADVERT_ATTRIBUTES, AdvertRow, ChangeRow, PROPERTY_ATTRIBUTES, Row, RowText};
use doc_range::DocRange;
use geo_index::{GeoIndex, SortKey, cell_of};
use map_index::MapIndex;
use text_index::TextIndex;

/// The attributes by which rows are presorted, so that the first page of many matches is found without sorting.
const PRESORTED: &[PropertyAttribute] = &[
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
    /// The ordinals in the order of the property ids.
    by_id: Vec<u32>,
    sequence_numbers: Column,
    columns: Vec<Column>,
    /// Where the property is shown. NaN if that is unknown.
    lats: Vec<f64>,
    lons: Vec<f64>,
    pub(crate) geo_index: GeoIndex,
    pub(crate) map_index: MapIndex,
    pub(crate) adverts: Adverts,
    changes: Vec<Changes>,
    /// For each attribute of [`PRESORTED`]. Empty in small segments.
    sorted_rows: Vec<Vec<u32>>,
    pub(crate) text_index: TextIndex,
}

/// The adverts of a segment, in the order of their properties.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adverts {
    /// The first advert of each row, and the number of adverts at the end.
    pub starts: Vec<u32>,
    pub columns: Vec<Column>,
    /// Sorted. The index of a site is its value in `sites`.
    pub site_names: Vec<SiteKey>,
    pub sites: Column,
}

/// The changes of one attribute (price or surface), in the order of their properties.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Changes {
    pub rows: Vec<u32>,
    pub at: Column,
    pub percent: Column,
    /// The changes of adverts that are not expired.
    pub live: BitSet,
}

impl Segment {
    /// Builds a segment of rows in any order. A segment with fewer than `presorted_rows_min` rows is not presorted.
    pub fn new(mut rows: Vec<Row<'_>>, presorted_rows_min: usize) -> Self {
        rows.sort_by_cached_key(|row| (sort_key(row), row.id));
        let sort_keys: Vec<SortKey> = rows.iter().map(sort_key).collect();
        let column = |read: &dyn Fn(&Row<'_>) -> i64| Column::new(&rows.iter().map(read).collect::<Vec<_>>());
        let columns: Vec<Column> =
            (0..PROPERTY_ATTRIBUTES).map(|index| column(&|row| row.values[index])).collect();
        let ids: Vec<PropertyId> = rows.iter().map(|row| row.id).collect();
        let zipcode = |row: usize| rows[row].value(PropertyAttribute::Zipcode);
        let geo_index = GeoIndex::new(&sort_keys, zipcode);
        let coordinate =
            |read: fn(GeoPoint) -> f64| rows.iter().map(|row| row.point.map_or(f64::NAN, read)).collect();
        let (lats, lons) = (coordinate(GeoPoint::lat), coordinate(GeoPoint::lon));
        let sequence_numbers = column(&|row| i64::try_from(row.sequence_number.0).unwrap_or(i64::MAX));
        let adverts = Adverts::new(&rows);
        let changes = Variation::ALL.iter().map(|variation| Changes::new(&rows, *variation)).collect();
        let text_index = TextIndex::new(rows.iter().map(|row| &row.text));
        let parts = SegmentParts {
            ids,
            sequence_numbers,
            columns,
            lats,
            lons,
            geo_index,
            adverts,
            changes,
            text_index,
        };
        Self::assemble(parts, presorted_rows_min)
    }

    /// Adds the data that follows from the rest.
    pub(crate) fn assemble(parts: SegmentParts, presorted_rows_min: usize) -> Self {
        let SegmentParts {
            ids,
            sequence_numbers,
            columns,
            lats,
            lons,
            geo_index,
            adverts,
            changes,
            text_index,
        } = parts;
        let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
        by_id.sort_unstable_by_key(|row| ids[*row as usize]);
        let presorted = if ids.len() < presorted_rows_min { &[] } else { PRESORTED };
        let sorted_rows =
            presorted.iter().map(|attribute| sort_rows(&columns[*attribute as usize], &geo_index)).collect();
        Self {
            ids,
            by_id,
            sequence_numbers,
            columns,
            map_index: MapIndex::new(&lats, &lons),
            lats,
            lons,
            geo_index,
            adverts,
            changes,
            sorted_rows,
            text_index,
        }
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
        SequenceNumber(u64::try_from(self.sequence_numbers.value(row)).unwrap_or_default())
    }

    /// Returns the row of a property, deleted or not.
    pub fn find(&self, id: PropertyId) -> Option<usize> {
        let position = self.by_id.binary_search_by_key(&id, |row| self.ids[*row as usize]).ok()?;
        Some(self.by_id[position] as usize)
    }

    /// Returns the rows after an id, in the order of ids.
    pub fn rows_after(&self, after: Option<PropertyId>) -> impl Iterator<Item = usize> {
        let first =
            after.map_or(0, |after| self.by_id.partition_point(|row| self.ids[*row as usize] <= after));
        self.by_id[first..].iter().map(|row| *row as usize)
    }

    /// Returns where a property is shown.
    pub fn point(&self, row: usize) -> Option<GeoPoint> {
        GeoPoint::new(self.lats[row], self.lons[row])
    }

    /// Returns the coordinates that an advert gives.
    pub fn given_point(&self, row: usize) -> Option<GeoPoint> {
        let located = self.column(PropertyAttribute::Located).key(row);
        self.point(row).filter(|_| located == Some(Key::flag(true)))
    }

    /// Returns latitude and longitude in degrees; NaN if there are none.
    pub fn coordinates(&self, row: usize) -> (f64, f64) {
        (self.lats[row], self.lons[row])
    }

    pub fn changes(&self, variation: Variation) -> &Changes {
        &self.changes[variation as usize]
    }

    /// Returns the rows of a transaction in ascending order of an attribute, rows without a value first. `None` if the segment is
    /// not presorted by the attribute.
    pub fn presorted(&self, attribute: PropertyAttribute, transaction: DocRange) -> Option<&[u32]> {
        let index = PRESORTED.iter().position(|presorted| *presorted == attribute)?;
        self.sorted_rows.get(index).map(|rows| &rows[transaction.from as usize..transaction.to as usize])
    }

    /// Restores a row, to put it into another segment.
    pub fn row(&self, row: usize) -> Row<'_> {
        let mut values = [UNKNOWN; PROPERTY_ATTRIBUTES];
        for (value, column) in values.iter_mut().zip(&self.columns) {
            *value = column.value(row);
        }
        let changes = Variation::ALL.iter().flat_map(|variation| {
            let changes = self.changes(*variation);
            changes.of_rows(row as u32, row as u32 + 1).map(|index| ChangeRow {
                variation: *variation,
                at: changes.at.value(index),
                percent: changes.percent.value(index),
                live: changes.live.contains(index),
            })
        });
        Row {
            id: self.ids[row],
            sequence_number: self.sequence_number(row),
            values,
            point: self.point(row),
            adverts: self.adverts.of_row(row).map(|advert| self.adverts.row(advert)).collect(),
            changes: changes.collect(),
            text: RowText::Indexed { index: &self.text_index, row },
        }
    }

    /// Returns the memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        let columns = |columns: &[Column]| columns.iter().map(Column::bytes).sum::<usize>();
        let changes = self.changes.iter().map(|changes| {
            changes.rows.len() * 4
                + changes.at.bytes()
                + changes.percent.bytes()
                + changes.live.words().len() * 8
        });
        self.len() * (16 + 4 + 16)
            + self.sequence_numbers.bytes()
            + columns(&self.columns)
            + self.geo_index.bytes()
            + self.map_index.bytes()
            + self.adverts.starts.len() * 4
            + columns(&self.adverts.columns)
            + self.adverts.sites.bytes()
            + changes.sum::<usize>()
            + self.sorted_rows.iter().map(|rows| rows.len() * 4).sum::<usize>()
            + self.text_index.bytes()
    }

    /// Returns the memory in use by component, in bytes. For benchmarks.
    pub fn bytes_by_component(&self) -> Vec<(&'static str, usize)> {
        let columns = |columns: &[Column]| columns.iter().map(Column::bytes).sum::<usize>();
        vec![
            ("ids, points, sequence numbers", self.len() * (16 + 4 + 16) + self.sequence_numbers.bytes()),
            ("columns", columns(&self.columns)),
            ("geographic index", self.geo_index.bytes()),
            ("map index", self.map_index.bytes()),
            (
                "adverts",
                self.adverts.starts.len() * 4 + columns(&self.adverts.columns) + self.adverts.sites.bytes(),
            ),
            ("sort orders", self.sorted_rows.iter().map(|rows| rows.len() * 4).sum()),
            ("text index", self.text_index.bytes()),
            ("total", self.bytes()),
        ]
    }
}

/// The data of a segment from which the rest follows.
pub(crate) struct SegmentParts {
    pub ids: Vec<PropertyId>,
    pub sequence_numbers: Column,
    pub columns: Vec<Column>,
    pub lats: Vec<f64>,
    pub lons: Vec<f64>,
    pub geo_index: GeoIndex,
    pub adverts: Adverts,
    pub changes: Vec<Changes>,
    pub text_index: TextIndex,
}

fn sort_key(row: &Row<'_>) -> SortKey {
    SortKey {
        transaction: row.value(PropertyAttribute::TransactionType),
        department: row.value(PropertyAttribute::Department),
        city: row.value(PropertyAttribute::City),
        cell: cell_of(row.point),
    }
}

/// Sorts the rows of each transaction by the codes of a column.
fn sort_rows(column: &Column, geo_index: &GeoIndex) -> Vec<u32> {
    let mut rows = Vec::new();
    for transaction in geo_index.transactions() {
        let start = rows.len();
        rows.extend(transaction.from..transaction.to);
        rows[start..].sort_by_cached_key(|row| column.code(*row as usize));
    }
    rows
}

impl Adverts {
    fn new(rows: &[Row<'_>]) -> Self {
        let adverts = || rows.iter().flat_map(|row| &row.adverts);
        let mut starts = vec![0];
        for row in rows {
            starts.push(starts[starts.len() - 1] + row.adverts.len() as u32);
        }
        let columns = (0..ADVERT_ATTRIBUTES)
            .map(|index| Column::new(&adverts().map(|advert| advert.values[index]).collect::<Vec<_>>()));
        let mut site_names: Vec<SiteKey> = Vec::new();
        let mut seen: rustc_hash::FxHashSet<&SiteKey> = rustc_hash::FxHashSet::default();
        for site in adverts().filter_map(|advert| advert.site.as_ref()) {
            if seen.insert(site) {
                site_names.push(site.clone());
            }
        }
        site_names.sort();
        let number = |site: &SiteKey| site_names.binary_search(site).map_or(UNKNOWN, |index| index as i64);
        let sites: Vec<i64> = adverts().map(|advert| advert.site.as_ref().map_or(UNKNOWN, number)).collect();
        Self { starts, columns: columns.collect(), sites: Column::new(&sites), site_names }
    }

    /// Returns the adverts of a row.
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
    fn new(all: &[Row<'_>], variation: Variation) -> Self {
        let (mut rows, mut at, mut percent, mut live) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (index, row) in all.iter().enumerate() {
            for change in row.changes.iter().filter(|change| change.variation == variation) {
                rows.push(index as u32);
                at.push(change.at);
                percent.push(change.percent);
                live.push(change.live);
            }
        }
        let mut live_bits = BitSet::empty(live.len());
        live.iter().enumerate().filter(|(_, live)| **live).for_each(|(index, _)| live_bits.insert(index));
        Self { rows, at: Column::new(&at), percent: Column::new(&percent), live: live_bits }
    }

    /// Returns the changes of the rows `from..to`.
    pub fn of_rows(&self, from: u32, to: u32) -> std::ops::Range<usize> {
        let first = self.rows.partition_point(|row| *row < from);
        first..first + self.rows[first..].partition_point(|row| *row < to)
    }
}
