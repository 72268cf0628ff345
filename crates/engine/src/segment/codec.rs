//! A segment as bytes and back: arrays as they lie in memory, least significant byte first, each with its length.
//!
//! Whatever follows from the rest (orders, geo_index, reduced forms) is not written but worked out again, so that it can never
//! disagree. Bytes of another shape give [`Damaged`]; that they are the very bytes which were written is for a checksum to say,
//! and for whoever keeps them.

use bytemuck::{AnyBitPattern, NoUninit, cast_slice, pod_collect_to_vec};
use domain::{
    AdvertAttribute, GeoPoint, PropertyAttribute, PropertyId, SiteKey, Variation, VariationAttribute,
};

use super::geo_index::{GeoIndex, SortKey, cell_of};
use super::text::{Posting, Strings, Text};
use super::{Adverts, Changes, Parts, Segment};
use crate::bits::{Bits, WORD};
use crate::column::{Codes, Column, Scale};

/// Says that bytes are not those of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("these are not the bytes of a segment")
    }
}

impl std::error::Error for Damaged {}

/// What bytes mean. It has to change whenever this file, the attributes, or the way texts are folded does.
pub fn format() -> String {
    let attributes = format!(
        "{:?}{:?}{:?}{:?}",
        PropertyAttribute::ALL,
        AdvertAttribute::ALL,
        Variation::ALL,
        VariationAttribute::ALL
    );
    let sum = attributes.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{}-1-{}-{sum:016x}", env!("CARGO_PKG_VERSION"), domain::attribute::ATTRIBUTES_VERSION)
}

impl Segment {
    pub fn encode(&self) -> Vec<u8> {
        let Self {
            ids,
            by_id: _,
            stamps,
            columns,
            lats,
            lons,
            geo_index: _,
            adverts,
            changes,
            orders: _,
            text,
        } = self;
        let mut out = Out(Vec::with_capacity(self.bytes()));
        let ids: Vec<u8> = ids.iter().flat_map(|id| *id.as_bytes()).collect();
        out.array(&ids);
        out.column(stamps);
        columns.iter().for_each(|column| out.column(column));
        out.array(lats);
        out.array(lons);
        out.array(&adverts.starts);
        adverts.columns.iter().for_each(|column| out.column(column));
        let mut sites = Strings::default();
        adverts.site_names.iter().for_each(|site| sites.push(site.as_str()));
        out.strings(&sites);
        out.column(&adverts.sites);
        for changes in changes {
            out.array(&changes.rows);
            out.column(&changes.at);
            out.column(&changes.percent);
            out.array(changes.live.words());
        }
        out.text(text);
        out.0
    }

    pub fn decode(bytes: &[u8], ordered_rows_min: usize) -> Result<Self, Damaged> {
        let mut input = Input(bytes);
        let ids: Vec<u8> = input.array()?;
        let (ids, rest) = ids.as_chunks::<16>();
        let ids: Vec<PropertyId> = ids.iter().map(|id| PropertyId::from_bytes(*id)).collect();
        let rows = ids.len();
        ensure(rest.is_empty())?;
        let stamps = input.column(rows)?;
        let columns: Vec<Column> =
            PropertyAttribute::ALL.iter().map(|_| input.column(rows)).collect::<Result<_, _>>()?;
        let (lats, lons): (Vec<f64>, Vec<f64>) = (input.array()?, input.array()?);
        ensure(lats.len() == rows && lons.len() == rows)?;
        let adverts = input.adverts(rows)?;
        let changes = Variation::ALL.iter().map(|_| input.changes(rows)).collect::<Result<_, _>>()?;
        let text = input.text(rows)?;
        ensure(input.0.is_empty())?;
        let value = |attribute: PropertyAttribute, row: usize| columns[attribute as usize].value(row);
        let sort_key = |row: usize| SortKey {
            transaction: value(PropertyAttribute::TransactionType, row),
            department: value(PropertyAttribute::Department, row),
            city: value(PropertyAttribute::City, row),
            cell: cell_of(GeoPoint::new(lats[row], lons[row])),
        };
        let spots: Vec<SortKey> = (0..rows).map(sort_key).collect();
        ensure(spots.is_sorted())?;
        let geo_index = GeoIndex::of(&spots, |row| value(PropertyAttribute::Zipcode, row));
        let parts = Parts { ids, stamps, columns, lats, lons, geo_index, adverts, changes, text };
        Ok(Self::assemble(parts, ordered_rows_min))
    }
}

struct Out(Vec<u8>);

impl Out {
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
        match &column.scale {
            Scale::Listed(listed) => {
                self.0.push(0);
                self.array(listed);
            }
            Scale::Counted { base } => {
                self.0.push(1);
                self.array(&[*base]);
            }
        }
    }

    fn strings(&mut self, strings: &Strings) {
        self.array(strings.joined.as_bytes());
        self.array(&strings.ends);
    }

    fn text(&mut self, text: &Text) {
        self.strings(&text.words);
        self.array(&text.numbers);
        let postings: Vec<u32> = text
            .postings
            .iter()
            .flat_map(|posting| match posting {
                Posting::Frequent(set) => [u32::MAX, *set],
                Posting::Gaps { start, end } => [*start, *end],
            })
            .collect();
        self.array(&postings);
        self.array(&text.frequent);
        self.array(&text.gaps);
        self.array(&text.units);
        self.array(&text.starts);
    }
}

struct Input<'a>(&'a [u8]);

fn ensure(holds: bool) -> Result<(), Damaged> {
    if holds { Ok(()) } else { Err(Damaged) }
}

/// Whether numbers never fall and end at a length.
fn are_bounds(bounds: &[u32], parts: usize, length: usize) -> Result<(), Damaged> {
    ensure(
        bounds.len() == parts
            && bounds.is_sorted()
            && bounds.last().is_none_or(|last| *last as usize == length),
    )
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Damaged> {
        Ok(self.take(1)?[0])
    }

    fn array<T: NoUninit + AnyBitPattern>(&mut self) -> Result<Vec<T>, Damaged> {
        let length = self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| Damaged)?;
        let bytes = self.take(usize::try_from(length).map_err(|_| Damaged)?)?;
        ensure(bytes.len().is_multiple_of(size_of::<T>()))?;
        Ok(pod_collect_to_vec(bytes))
    }

    fn column(&mut self, rows: usize) -> Result<Column, Damaged> {
        let codes = match self.byte()? {
            0 => Codes::Unknown,
            1 => Codes::Bytes(self.array()?),
            2 => Codes::Shorts(self.array()?),
            4 => Codes::Words(self.array()?),
            _ => return Err(Damaged),
        };
        let scale = match self.byte()? {
            0 => Scale::Listed(self.array()?),
            1 => Scale::Counted { base: self.array::<i64>()?.first().copied().ok_or(Damaged)? },
            _ => return Err(Damaged),
        };
        let (length, most) = match &codes {
            Codes::Unknown => (rows, 0),
            Codes::Bytes(codes) => (codes.len(), codes.iter().max().copied().map_or(0, u32::from)),
            Codes::Shorts(codes) => (codes.len(), codes.iter().max().copied().map_or(0, u32::from)),
            Codes::Words(codes) => (codes.len(), codes.iter().max().copied().unwrap_or(0)),
        };
        ensure(length == rows)?;
        if let Scale::Listed(listed) = &scale {
            ensure(listed.is_sorted() && most as usize <= listed.len())?;
        }
        Ok(Column::assemble(codes, scale))
    }

    fn strings(&mut self) -> Result<Strings, Damaged> {
        let joined = String::from_utf8(self.array()?).map_err(|_| Damaged)?;
        let ends: Vec<u32> = self.array()?;
        are_bounds(&ends, ends.len(), joined.len())?;
        ensure(ends.iter().all(|end| joined.is_char_boundary(*end as usize)))?;
        Ok(Strings { joined, ends })
    }

    fn adverts(&mut self, rows: usize) -> Result<Adverts, Damaged> {
        let starts: Vec<u32> = self.array()?;
        let adverts = starts.last().copied().ok_or(Damaged)? as usize;
        are_bounds(&starts, rows + 1, adverts)?;
        let columns = AdvertAttribute::ALL.iter().map(|_| self.column(adverts)).collect::<Result<_, _>>()?;
        let site_names = self.strings()?.iter().map(|site| SiteKey::trusted(site.to_owned())).collect();
        Ok(Adverts { starts, columns, site_names, sites: self.column(adverts)? })
    }

    fn changes(&mut self, rows: usize) -> Result<Changes, Damaged> {
        let of: Vec<u32> = self.array()?;
        ensure(of.is_sorted() && of.last().is_none_or(|last| (*last as usize) < rows))?;
        let (at, percent) = (self.column(of.len())?, self.column(of.len())?);
        let live: Vec<u64> = self.array()?;
        ensure(live.len() == of.len().div_ceil(WORD))?;
        Ok(Changes { rows: of, at, percent, live: Bits::from_words(live) })
    }

    fn text(&mut self, rows: usize) -> Result<Text, Damaged> {
        let words = self.strings()?;
        let numbers: Vec<u32> = self.array()?;
        let mut seen = Bits::none(numbers.len());
        for number in &numbers {
            ensure((*number as usize) < numbers.len())?;
            seen.insert(*number as usize);
        }
        ensure(words.len() == numbers.len() && seen.count() == numbers.len())?;
        let postings: Vec<u32> = self.array()?;
        let posting = |pair: &[u32; 2]| match *pair {
            [u32::MAX, set] => Posting::Frequent(set),
            [start, end] => Posting::Gaps { start, end },
        };
        let postings: Vec<Posting> = postings.as_chunks::<2>().0.iter().map(posting).collect();
        let (frequent, gaps): (Vec<u64>, Vec<u8>) = (self.array()?, self.array()?);
        let (units, starts): (Vec<u16>, Vec<u32>) = (self.array()?, self.array()?);
        are_bounds(&starts, rows + 1, units.len())?;
        let row_words = rows.div_ceil(WORD);
        let fits = |posting: &Posting| match *posting {
            Posting::Frequent(set) => (set as usize + 1) * row_words <= frequent.len(),
            Posting::Gaps { start, end } => start <= end && end as usize <= gaps.len(),
        };
        ensure(postings.len() == numbers.len() && postings.iter().all(fits))?;
        let mut text = Text { words, numbers, postings, frequent, gaps, units, starts, ..Text::default() };
        text.complete();
        Ok(text)
    }
}
