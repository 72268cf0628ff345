//! Counts the matches of a viewport by cell.
//!
//! The positions of 64 neighbouring rows are mostly in one cell: then they are counted together. Otherwise, and at the border of the
//! viewport, row by row. Nothing is allocated for a row.

use domain::map::{ClusterCell, ClusterGrid, Clusters, MapProperty};
use domain::{Key, MapBounds, MapPosition, PropertyAttribute};

use crate::bits::{WORD, ones};
use crate::budget::{Budget, Stopped, WorkKind};
use crate::circle::Coverage;
use crate::request::ClusterRequest;
use crate::segment::Segment;
use crate::segment::map_index::Frame;
use crate::segment_query::{MatchedRows, PreparedCriteria};
use crate::segment_reader::SegmentReader;

pub fn clusters(
    readers: &[SegmentReader],
    request: &ClusterRequest,
    budget: &Budget,
) -> Result<Clusters, Stopped> {
    budget.check()?;
    let ClusterRequest { criteria, viewport, listed_max } = request;
    let frame = Frame::new(&viewport.bounds);
    let prepared = PreparedCriteria::new(criteria).in_frame(frame);
    let grid = ClusterGrid::new(viewport);
    let mut counter = Counter {
        bounds: &viewport.bounds,
        frame,
        grid,
        cells: vec![CellTotal::default(); grid.len()],
        listed_max: *listed_max,
        listed: Vec::new(),
        total: 0,
    };
    for (reader, segment) in readers.iter().enumerate() {
        for matched in segment.matched_rows(&prepared, budget) {
            let matched = matched?;
            budget.count(WorkKind::Areas, matched.count);
            budget.check()?;
            counter.add(reader as u32, &segment.segment, &matched);
        }
    }
    Ok(counter.finish(readers))
}

/// The matches of one cell.
#[derive(Debug, Clone, Copy, Default)]
struct CellTotal {
    count: u32,
    /// One of them: the only one, if the count is one.
    row: ReaderRow,
    /// The sums of their positions.
    x: u64,
    y: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct ReaderRow {
    reader: u32,
    row: u32,
}

struct Counter<'a> {
    bounds: &'a MapBounds,
    frame: Frame,
    grid: ClusterGrid,
    cells: Vec<CellTotal>,
    /// The first matches: all of them, if they are not more than `listed_max`.
    listed: Vec<ReaderRow>,
    listed_max: usize,
    total: usize,
}

impl Counter<'_> {
    fn add(&mut self, reader: u32, segment: &Segment, matched: &MatchedRows) {
        let map = &segment.map_index;
        for (word, bits) in matched.words() {
            let (block, located) = map.block(word);
            let mut bits = bits & located;
            match self.frame.coverage(block) {
                Coverage::None => continue,
                Coverage::Whole => {}
                Coverage::Part => bits = self.in_bounds(segment, word, bits),
            }
            if bits == 0 {
                continue;
            }
            self.total += bits.count_ones() as usize;
            self.list(reader, word, bits);
            let cell = self.grid.cell_of(block.north_west);
            if cell == self.grid.cell_of(block.south_east) {
                let (mut x, mut y) = (0, 0);
                for one in ones(bits) {
                    let position = map.position(word * WORD + one);
                    x += u64::from(position.x);
                    y += u64::from(position.y);
                }
                let row = (word * WORD) as u32 + bits.trailing_zeros();
                self.cells[cell].add(CellTotal {
                    count: bits.count_ones(),
                    row: ReaderRow { reader, row },
                    x,
                    y,
                });
            } else {
                for one in ones(bits) {
                    let row = word * WORD + one;
                    let position = map.position(row);
                    self.cells[self.grid.cell_of(position)].add(CellTotal {
                        count: 1,
                        row: ReaderRow { reader, row: row as u32 },
                        x: u64::from(position.x),
                        y: u64::from(position.y),
                    });
                }
            }
        }
    }

    /// Returns the rows of a word that are in the viewport.
    fn in_bounds(&self, segment: &Segment, word: usize, bits: u64) -> u64 {
        let inside = |one: &usize| {
            let (lat, lon) = segment.coordinates(word * WORD + one);
            self.bounds.contains_coordinates(lat, lon)
        };
        ones(bits).filter(inside).fold(0, |rows, one| rows | 1 << one)
    }

    fn list(&mut self, reader: u32, word: usize, bits: u64) {
        if self.listed.len() <= self.listed_max {
            let row = |one: usize| ReaderRow { reader, row: (word * WORD + one) as u32 };
            self.listed.extend(ones(bits).map(row));
        }
    }

    fn finish(self, readers: &[SegmentReader]) -> Clusters {
        let Self { grid, cells, listed, listed_max, total, .. } = self;
        let property = |row: &ReaderRow| property(&readers[row.reader as usize].segment, row.row as usize);
        let mut clusters = Clusters { total, ..Clusters::default() };
        if total <= listed_max {
            clusters.properties = listed.iter().filter_map(property).collect();
        } else {
            for (cell, counted) in cells.iter().enumerate() {
                match counted.count {
                    0 => {}
                    1 => clusters.properties.extend(property(&counted.row)),
                    _ => clusters.cells.extend(counted.cell(&grid, cell)),
                }
            }
        }
        clusters.properties.sort_unstable_by_key(|property| property.id);
        clusters
    }
}

impl CellTotal {
    fn add(&mut self, more: Self) {
        self.count += more.count;
        self.row = more.row;
        self.x += more.x;
        self.y += more.y;
    }

    fn cell(&self, grid: &ClusterGrid, cell: usize) -> Option<ClusterCell> {
        // The mean of 32-bit numbers is one.
        let mean = |sum: u64| (sum / u64::from(self.count)) as u32;
        let position = MapPosition { x: mean(self.x), y: mean(self.y) };
        Some(ClusterCell { position, count: self.count as usize, bounds: grid.bounds(cell)? })
    }
}

fn property(segment: &Segment, row: usize) -> Option<MapProperty> {
    let number = |attribute| segment.column(attribute).key(row).map(Key::as_number);
    Some(MapProperty {
        id: segment.id(row),
        point: segment.point(row)?,
        is_exact: segment.given_point(row).is_some(),
        price: number(PropertyAttribute::Price),
        price_per_meter: number(PropertyAttribute::PricePerMeter),
        surface: number(PropertyAttribute::Surface),
        rooms: number(PropertyAttribute::Room),
    })
}
