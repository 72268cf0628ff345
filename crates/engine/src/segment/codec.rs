//! Encodes a segment as bytes and decodes it: arrays as they are in memory, little-endian, each with its length.
//!
//! Data that follows from the rest (sort orders, geographic index, stems) is not written but computed again, so that it is always
//! consistent. Malformed bytes give [`CorruptSegment`]. Bytes that are well-formed but altered are not detected: the caller
//! stores a checksum.

use bytemuck::{AnyBitPattern, NoUninit, cast_slice, pod_collect_to_vec};
use domain::{
    AdvertAttribute, GeoPoint, PropertyAttribute, PropertyId, SiteKey, Variation, VariationAttribute,
};

use super::geo_index::{GeoIndex, SortKey, cell_of};
use super::text_index::{PostingLocation, StringTable, TextIndex};
use super::{Adverts, Changes, Segment, SegmentParts};
use crate::bits::{BitSet, WORD};
use crate::column::{Codes, Column, Encoding};

/// The error for bytes that are not an encoded segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorruptSegment;

impl std::fmt::Display for CorruptSegment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bytes are not an encoded index segment")
    }
}

impl std::error::Error for CorruptSegment {}

/// Returns the version of the encoding. It must change whenever this file, the attributes or the tokens of texts change.
pub fn format() -> String {
    let attributes = format!(
        "{:?}{:?}{:?}{:?}",
        PropertyAttribute::ALL,
        AdvertAttribute::ALL,
        Variation::ALL,
        VariationAttribute::ALL
    );
    let hash = attributes.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let (attributes, tokens) = (domain::attribute::ATTRIBUTES_VERSION, domain::phrase::TOKENS_VERSION);
    format!("{}-1-{attributes}-{tokens}-{hash:016x}", env!("CARGO_PKG_VERSION"))
}

impl Segment {
    pub fn encode(&self) -> Vec<u8> {
        let Self {
            ids,
            by_id: _,
            map_index: _,
            sequence_numbers,
            columns,
            lats,
            lons,
            geo_index: _,
            adverts,
            changes,
            sorted_rows: _,
            text_index,
        } = self;
        let mut encoder = Encoder(Vec::with_capacity(self.bytes()));
        let ids: Vec<u8> = ids.iter().flat_map(|id| *id.as_bytes()).collect();
        encoder.array(&ids);
        encoder.column(sequence_numbers);
        columns.iter().for_each(|column| encoder.column(column));
        encoder.array(lats);
        encoder.array(lons);
        encoder.array(&adverts.starts);
        adverts.columns.iter().for_each(|column| encoder.column(column));
        let mut sites = StringTable::default();
        adverts.site_names.iter().for_each(|site| sites.push(site.as_str()));
        encoder.strings(&sites);
        encoder.column(&adverts.sites);
        for changes in changes {
            encoder.array(&changes.rows);
            encoder.column(&changes.at);
            encoder.column(&changes.percent);
            encoder.array(changes.live.words());
        }
        encoder.text_index(text_index);
        encoder.0
    }

    pub fn decode(bytes: &[u8], presorted_rows_min: usize) -> Result<Self, CorruptSegment> {
        let mut decoder = Decoder(bytes);
        let ids: Vec<u8> = decoder.array()?;
        let (ids, rest) = ids.as_chunks::<16>();
        let ids: Vec<PropertyId> = ids.iter().map(|id| PropertyId::from_bytes(*id)).collect();
        let rows = ids.len();
        ensure(rest.is_empty())?;
        let sequence_numbers = decoder.column(rows)?;
        let columns: Vec<Column> =
            PropertyAttribute::ALL.iter().map(|_| decoder.column(rows)).collect::<Result<_, _>>()?;
        let (lats, lons): (Vec<f64>, Vec<f64>) = (decoder.array()?, decoder.array()?);
        ensure(lats.len() == rows && lons.len() == rows)?;
        let adverts = decoder.adverts(rows)?;
        let changes = Variation::ALL.iter().map(|_| decoder.changes(rows)).collect::<Result<_, _>>()?;
        let text_index = decoder.text_index(rows)?;
        ensure(decoder.0.is_empty())?;
        let value = |attribute: PropertyAttribute, row: usize| columns[attribute as usize].value(row);
        let sort_key = |row: usize| SortKey {
            transaction: value(PropertyAttribute::TransactionType, row),
            department: value(PropertyAttribute::Department, row),
            city: value(PropertyAttribute::City, row),
            cell: cell_of(GeoPoint::new(lats[row], lons[row])),
        };
        let sort_keys: Vec<SortKey> = (0..rows).map(sort_key).collect();
        ensure(sort_keys.is_sorted())?;
        let geo_index = GeoIndex::new(&sort_keys, |row| value(PropertyAttribute::Zipcode, row));
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
        Ok(Self::assemble(parts, presorted_rows_min))
    }
}

struct Encoder(Vec<u8>);

impl Encoder {
    fn array<T: NoUninit>(&mut self, array: &[T]) {
        let bytes: &[u8] = cast_slice(array);
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }

    fn column(&mut self, column: &Column) {
        match &column.codes {
            Codes::Unknown => self.0.push(0),
            Codes::Bytes(codes) => {
                self.0.push(1);
                self.array(codes);
            }
            Codes::Shorts(codes) => {
                self.0.push(2);
                self.array(codes);
            }
            Codes::Words(codes) => {
                self.0.push(4);
                self.array(codes);
            }
        }
        match &column.encoding {
            Encoding::Dictionary(dictionary) => {
                self.0.push(0);
                self.array(dictionary);
            }
            Encoding::Offset { base } => {
                self.0.push(1);
                self.array(&[*base]);
            }
        }
    }

    fn strings(&mut self, strings: &StringTable) {
        self.array(strings.joined.as_bytes());
        self.array(&strings.ends);
    }

    fn text_index(&mut self, text: &TextIndex) {
        self.strings(&text.terms);
        self.array(&text.term_ids);
        let postings: Vec<u32> = text
            .postings
            .iter()
            .flat_map(|posting| match posting {
                PostingLocation::BitSet(set) => [u32::MAX, *set],
                PostingLocation::Gaps { start, end } => [*start, *end],
            })
            .collect();
        self.array(&postings);
        self.array(&text.bitsets);
        self.array(&text.gaps);
        self.array(&text.units);
        self.array(&text.starts);
    }
}

struct Decoder<'a>(&'a [u8]);

fn ensure(holds: bool) -> Result<(), CorruptSegment> {
    if holds { Ok(()) } else { Err(CorruptSegment) }
}

/// Checks that bounds are ascending and end at a length.
fn ensure_bounds(bounds: &[u32], parts: usize, length: usize) -> Result<(), CorruptSegment> {
    ensure(
        bounds.len() == parts
            && bounds.is_sorted()
            && bounds.last().is_none_or(|last| *last as usize == length),
    )
}

impl<'a> Decoder<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], CorruptSegment> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(CorruptSegment)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, CorruptSegment> {
        Ok(self.take(1)?[0])
    }

    fn array<T: NoUninit + AnyBitPattern>(&mut self) -> Result<Vec<T>, CorruptSegment> {
        let length = self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| CorruptSegment)?;
        let bytes = self.take(usize::try_from(length).map_err(|_| CorruptSegment)?)?;
        ensure(bytes.len().is_multiple_of(size_of::<T>()))?;
        Ok(pod_collect_to_vec(bytes))
    }

    fn column(&mut self, rows: usize) -> Result<Column, CorruptSegment> {
        let codes = match self.byte()? {
            0 => Codes::Unknown,
            1 => Codes::Bytes(self.array()?),
            2 => Codes::Shorts(self.array()?),
            4 => Codes::Words(self.array()?),
            _ => return Err(CorruptSegment),
        };
        let encoding = match self.byte()? {
            0 => Encoding::Dictionary(self.array()?),
            1 => Encoding::Offset { base: self.array::<i64>()?.first().copied().ok_or(CorruptSegment)? },
            _ => return Err(CorruptSegment),
        };
        let (length, most) = match &codes {
            Codes::Unknown => (rows, 0),
            Codes::Bytes(codes) => (codes.len(), codes.iter().max().copied().map_or(0, u32::from)),
            Codes::Shorts(codes) => (codes.len(), codes.iter().max().copied().map_or(0, u32::from)),
            Codes::Words(codes) => (codes.len(), codes.iter().max().copied().unwrap_or(0)),
        };
        ensure(length == rows)?;
        if let Encoding::Dictionary(dictionary) = &encoding {
            ensure(dictionary.is_sorted() && most as usize <= dictionary.len())?;
        }
        Ok(Column::assemble(codes, encoding))
    }

    fn strings(&mut self) -> Result<StringTable, CorruptSegment> {
        let joined = String::from_utf8(self.array()?).map_err(|_| CorruptSegment)?;
        let ends: Vec<u32> = self.array()?;
        ensure_bounds(&ends, ends.len(), joined.len())?;
        ensure(ends.iter().all(|end| joined.is_char_boundary(*end as usize)))?;
        Ok(StringTable { joined, ends })
    }

    fn adverts(&mut self, rows: usize) -> Result<Adverts, CorruptSegment> {
        let starts: Vec<u32> = self.array()?;
        let adverts = starts.last().copied().ok_or(CorruptSegment)? as usize;
        ensure_bounds(&starts, rows + 1, adverts)?;
        let columns = AdvertAttribute::ALL.iter().map(|_| self.column(adverts)).collect::<Result<_, _>>()?;
        let site_names = self.strings()?.iter().map(|site| SiteKey::trusted(site.to_owned())).collect();
        Ok(Adverts { starts, columns, site_names, sites: self.column(adverts)? })
    }

    fn changes(&mut self, rows: usize) -> Result<Changes, CorruptSegment> {
        let changed: Vec<u32> = self.array()?;
        ensure(changed.is_sorted() && changed.last().is_none_or(|last| (*last as usize) < rows))?;
        let (at, percent) = (self.column(changed.len())?, self.column(changed.len())?);
        let live: Vec<u64> = self.array()?;
        ensure(live.len() == changed.len().div_ceil(WORD))?;
        Ok(Changes { rows: changed, at, percent, live: BitSet::from_words(live) })
    }

    fn text_index(&mut self, rows: usize) -> Result<TextIndex, CorruptSegment> {
        let terms = self.strings()?;
        let term_ids: Vec<u32> = self.array()?;
        let mut seen = BitSet::empty(term_ids.len());
        for id in &term_ids {
            ensure((*id as usize) < term_ids.len())?;
            seen.insert(*id as usize);
        }
        ensure(terms.len() == term_ids.len() && seen.count() == term_ids.len())?;
        let postings: Vec<u32> = self.array()?;
        let posting = |pair: &[u32; 2]| match *pair {
            [u32::MAX, set] => PostingLocation::BitSet(set),
            [start, end] => PostingLocation::Gaps { start, end },
        };
        let postings: Vec<PostingLocation> = postings.as_chunks::<2>().0.iter().map(posting).collect();
        let (bitsets, gaps): (Vec<u64>, Vec<u8>) = (self.array()?, self.array()?);
        let (units, starts): (Vec<u16>, Vec<u32>) = (self.array()?, self.array()?);
        ensure_bounds(&starts, rows + 1, units.len())?;
        let row_words = rows.div_ceil(WORD);
        let fits = |posting: &PostingLocation| match *posting {
            PostingLocation::BitSet(set) => (set as usize + 1) * row_words <= bitsets.len(),
            PostingLocation::Gaps { start, end } => start <= end && end as usize <= gaps.len(),
        };
        ensure(postings.len() == term_ids.len() && postings.iter().all(fits))?;
        let mut text =
            TextIndex { terms, term_ids, postings, bitsets, gaps, units, starts, ..TextIndex::default() };
        text.complete();
        Ok(text)
    }
}
