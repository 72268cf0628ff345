//! Where the rows of a segment lie on the map.
//!
//! Rows are sorted by location, so that 64 neighbours are mostly near each other. The rectangle around each such block tells which
//! blocks a viewport can contain, and which it contains whole, before any row is looked at.

use domain::{GeoPoint, MapBounds, MapPosition};

use super::doc_range::DocRange;
use crate::bits::{BitSet, WORD};
use crate::circle::Coverage;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct MapIndex {
    xs: Vec<u32>,
    ys: Vec<u32>,
    /// The rows that have a point.
    located: BitSet,
    /// For each 64 rows.
    blocks: Vec<Block>,
    rows: u32,
}

/// The rectangle around the positions of 64 rows. Inverted if none of them has a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub north_west: MapPosition,
    pub south_east: MapPosition,
}

/// The border of a viewport in positions.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    north_west: MapPosition,
    south_east: MapPosition,
}

/// Positions are rounded: this near to the border of a viewport, only the coordinates themselves tell whether a row is inside.
const MARGIN: u32 = 2;

impl Frame {
    pub fn new(bounds: &MapBounds) -> Self {
        let (north_west, south_east) = bounds.positions();
        Self { north_west, south_east }
    }

    /// Returns how much of a block is inside.
    pub fn coverage(&self, block: &Block) -> Coverage {
        let beyond = |from: u32, to: u32| from > to.saturating_add(MARGIN);
        let apart = beyond(block.north_west.x, self.south_east.x)
            || beyond(self.north_west.x, block.south_east.x)
            || beyond(block.north_west.y, self.south_east.y)
            || beyond(self.north_west.y, block.south_east.y);
        if apart || block.north_west.x > block.south_east.x {
            return Coverage::None;
        }
        let whole = beyond(block.north_west.x, self.north_west.x)
            && beyond(self.south_east.x, block.south_east.x)
            && beyond(block.north_west.y, self.north_west.y)
            && beyond(self.south_east.y, block.south_east.y);
        if whole { Coverage::Whole } else { Coverage::Part }
    }
}

impl MapIndex {
    pub fn new(lats: &[f64], lons: &[f64]) -> Self {
        let rows = lats.len();
        let mut index = Self {
            xs: Vec::with_capacity(rows),
            ys: Vec::with_capacity(rows),
            located: BitSet::empty(rows),
            blocks: Vec::with_capacity(rows.div_ceil(WORD)),
            rows: rows as u32,
        };
        for (row, (lat, lon)) in lats.iter().zip(lons).enumerate() {
            if row % WORD == 0 {
                index.blocks.push(Block::EMPTY);
            }
            let position = GeoPoint::new(*lat, *lon).map(MapPosition::of);
            index.xs.push(position.map_or(0, |position| position.x));
            index.ys.push(position.map_or(0, |position| position.y));
            if let (Some(position), Some(block)) = (position, index.blocks.last_mut()) {
                index.located.insert(row);
                block.include(position);
            }
        }
        index
    }

    pub fn position(&self, row: usize) -> MapPosition {
        MapPosition { x: self.xs[row], y: self.ys[row] }
    }

    /// Returns the rectangle around the rows of a word, and those of them that have a point.
    pub fn block(&self, word: usize) -> (&Block, u64) {
        (&self.blocks[word], self.located.word(word))
    }

    /// Returns the rows in blocks that a viewport touches.
    pub fn ranges(&self, frame: &Frame) -> Vec<DocRange> {
        let mut ranges: Vec<DocRange> = Vec::new();
        for (word, _) in
            self.blocks.iter().enumerate().filter(|(_, block)| frame.coverage(block) != Coverage::None)
        {
            let (from, to) = ((word * WORD) as u32, (((word + 1) * WORD) as u32).min(self.rows));
            match ranges.last_mut() {
                Some(last) if last.to == from => last.to = to,
                _ => ranges.push(DocRange::exact(from, to)),
            }
        }
        ranges
    }

    /// Returns the memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        (self.xs.len() + self.ys.len()) * 4
            + self.located.words().len() * 8
            + self.blocks.len() * size_of::<Block>()
    }
}

impl Block {
    const EMPTY: Self =
        Self { north_west: MapPosition { x: u32::MAX, y: u32::MAX }, south_east: MapPosition { x: 0, y: 0 } };

    fn include(&mut self, position: MapPosition) {
        let Self { north_west, south_east } = self;
        *north_west = MapPosition { x: north_west.x.min(position.x), y: north_west.y.min(position.y) };
        *south_east = MapPosition { x: south_east.x.max(position.x), y: south_east.y.max(position.y) };
    }
}
