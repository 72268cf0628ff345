//! Reads the packed outlines that `build/outlines.rs` writes: arcs, which neighbours share, and the shapes made of them.

use std::io;

use domain::GeoPoint;

/// The parts of a step of the packed file. A step is about 23 by 20 m; a few vertices lie between two steps.
const STEP_UNITS: u32 = 32;

/// The lines between two points where borders meet. Coordinates are in units, counted from the south-west.
pub struct Arcs {
    /// Units of longitude and latitude in degrees.
    scale: [f64; 2],
    /// The longitude and latitude of the origin.
    translate: [f64; 2],
    /// The first vertex of each arc, and the end of the last one.
    starts: Vec<u32>,
    /// The upper bits of the first vertex of each arc.
    upper: Vec<[u16; 2]>,
    /// The lower 16 bits of all vertices. The distance of two vertices that are close to each other is the wrapping
    /// difference, so the upper bits are needed only where an arc starts.
    vertices: Vec<[u16; 2]>,
}

impl Arcs {
    pub const fn len(&self) -> usize {
        self.upper.len()
    }

    /// Returns the range of an arc in [`Arcs::lower_bits`].
    pub fn range(&self, arc: usize) -> std::ops::Range<usize> {
        self.starts[arc] as usize..self.starts[arc + 1] as usize
    }

    /// Returns the lower 16 bits of all vertices.
    pub fn lower_bits(&self) -> &[[u16; 2]] {
        &self.vertices
    }

    /// Returns the vertices of an arc.
    pub fn vertices_of(&self, arc: usize) -> impl Iterator<Item = [i64; 2]> {
        let vertices = &self.vertices[self.range(arc)];
        let mut previous = vertices.first().copied().unwrap_or_default();
        let upper = self.upper[arc];
        let mut at = [0, 1].map(|axis| i64::from(upper[axis]) << 16 | i64::from(previous[axis]));
        vertices.iter().map(move |vertex| {
            for axis in [0, 1] {
                at[axis] += i64::from(vertex[axis].wrapping_sub(previous[axis]) as i16);
            }
            previous = *vertex;
            at
        })
    }

    /// Returns longitude and latitude of a vertex.
    pub fn degrees_of(&self, vertex: [i64; 2]) -> (f64, f64) {
        let [lon, lat] = [0, 1].map(|axis| vertex[axis] as f64 * self.scale[axis] + self.translate[axis]);
        (lon, lat)
    }

    /// Returns the position of a point in units.
    pub fn units_of(&self, point: GeoPoint) -> [f64; 2] {
        let degrees = [point.lon(), point.lat()];
        [0, 1].map(|axis| (degrees[axis] - self.translate[axis]) / self.scale[axis])
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.upper) + size_of_val(&*self.vertices)
    }
}

/// An arc of a ring, and whether the ring follows it backwards.
#[derive(Clone, Copy)]
pub struct ArcReference(u32);

impl ArcReference {
    pub const fn arc(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub const fn is_reversed(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A ring of a shape. A hole belongs to the last ring before it that is none.
pub struct RingArcs<'a> {
    pub is_hole: bool,
    pub arcs: &'a [ArcReference],
}

#[derive(Clone, Copy)]
struct Ring {
    /// The end of its arcs; they start where those of the ring before end.
    end: u32,
    is_hole: bool,
}

/// All shapes: those of communes and districts first, then those of departments.
#[derive(Default)]
pub struct Shapes {
    /// The code of each shape, until its place is found.
    pub codes: Vec<Box<str>>,
    pub first_department: usize,
    /// The end of the rings of each shape.
    ends: Vec<u32>,
    rings: Vec<Ring>,
    references: Vec<ArcReference>,
}

impl Shapes {
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn rings(&self, shape: usize) -> impl Iterator<Item = RingArcs<'_>> {
        let start = shape.checked_sub(1).map_or(0, |previous| self.ends[previous] as usize);
        (start..self.ends[shape] as usize).map(|ring| {
            let start = ring.checked_sub(1).map_or(0, |previous| self.rings[previous].end as usize);
            let Ring { end, is_hole } = self.rings[ring];
            RingArcs { is_hole, arcs: &self.references[start..end as usize] }
        })
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.rings) + size_of_val(&*self.references)
    }
}

/// Reads the packed file.
pub fn read(bytes: &[u8]) -> io::Result<(Arcs, Shapes)> {
    let mut reader = Reader(bytes);
    let [scale_x, scale_y, translate_x, translate_y] =
        [reader.float()?, reader.float()?, reader.float()?, reader.float()?];
    let mut arcs = Arcs {
        scale: [scale_x, scale_y].map(|step| step / f64::from(STEP_UNITS)),
        translate: [translate_x, translate_y],
        starts: vec![0],
        upper: Vec::new(),
        vertices: Vec::new(),
    };
    read_arcs(&mut reader, &mut arcs)?;
    let mut shapes = Shapes::default();
    // Communes, then districts.
    read_shapes(&mut reader, &mut shapes, arcs.len())?;
    read_shapes(&mut reader, &mut shapes, arcs.len())?;
    shapes.first_department = shapes.len();
    read_shapes(&mut reader, &mut shapes, arcs.len())?;
    if !reader.0.is_empty() {
        return Err(invalid("bytes after the end"));
    }
    Ok((arcs, shapes))
}

fn read_arcs(reader: &mut Reader<'_>, arcs: &mut Arcs) -> io::Result<()> {
    let count = reader.number()? as usize;
    let vertices = reader.number()? as usize;
    // Each vertex takes at least two bytes: a wrong count must not allocate without limit.
    arcs.vertices.reserve_exact(vertices.min(reader.0.len() / 2));
    arcs.starts.reserve_exact(count.min(reader.0.len()));
    arcs.upper.reserve_exact(count.min(reader.0.len()));
    let mut at = [0_u32; 2];
    for _ in 0..count {
        for index in 0..reader.number()? {
            at[0] = at[0].wrapping_add(reader.difference()?);
            at[1] = at[1].wrapping_add(reader.difference()?);
            let units = at.map(|steps| steps.wrapping_mul(STEP_UNITS));
            if index == 0 {
                arcs.upper.push(units.map(|units| (units >> 16) as u16));
            }
            arcs.vertices.push(units.map(|units| units as u16));
        }
        // There are fewer vertices than bytes.
        arcs.starts.push(arcs.vertices.len() as u32);
    }
    if arcs.vertices.len() != vertices || arcs.upper.len() != count {
        return Err(invalid("the number of vertices is wrong"));
    }
    let mut index = 0;
    for _ in 0..reader.number()? {
        index += reader.number()? as usize;
        let vertex = arcs.vertices.get_mut(index).ok_or_else(|| invalid("a vertex does not exist"))?;
        for coordinate in vertex {
            // Whole steps are multiples of the units of a step, so a fraction never carries into the upper bits.
            *coordinate |= reader.number()? as u16 & (STEP_UNITS as u16 - 1);
        }
    }
    Ok(())
}

fn read_shapes(reader: &mut Reader<'_>, shapes: &mut Shapes, arcs: usize) -> io::Result<()> {
    let mut arc = 0_u32;
    for _ in 0..reader.number()? {
        let length = reader.number()? as usize;
        let code = std::str::from_utf8(reader.take(length)?).map_err(|_| invalid("a code is not UTF-8"))?;
        shapes.codes.push(code.into());
        for _ in 0..reader.number()? {
            for ring in 0..reader.number()? {
                for _ in 0..reader.number()? {
                    let number = reader.number()?;
                    arc = arc.wrapping_add(from_zigzag(number >> 1));
                    if arc as usize >= arcs {
                        return Err(invalid("an arc does not exist"));
                    }
                    shapes.references.push(ArcReference(arc << 1 | number & 1));
                }
                shapes.rings.push(Ring { end: shapes.references.len() as u32, is_hole: ring > 0 });
            }
        }
        shapes.ends.push(shapes.rings.len() as u32);
    }
    Ok(())
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(|| invalid("the data ends early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn float(&mut self) -> io::Result<f64> {
        let bytes = self.take(size_of::<f64>())?;
        bytes.try_into().map(f64::from_le_bytes).map_err(|_| invalid("the data ends early"))
    }

    /// Reads an integer of seven bits per byte, the lowest first.
    #[inline]
    fn number(&mut self) -> io::Result<u32> {
        // Most numbers have one byte.
        if let [byte @ 0..0x80, rest @ ..] = self.0 {
            self.0 = rest;
            return Ok((*byte).into());
        }
        self.long_number()
    }

    fn long_number(&mut self) -> io::Result<u32> {
        let (mut number, mut shift) = (0_u32, 0);
        loop {
            let Some((byte, rest)) = self.0.split_first() else { return Err(invalid("the data ends early")) };
            self.0 = rest;
            number |=
                u32::from(byte & 0x7f).checked_shl(shift).ok_or_else(|| invalid("a number is too long"))?;
            if *byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// Reads a difference of either sign, to be added with wrapping.
    fn difference(&mut self) -> io::Result<u32> {
        self.number().map(from_zigzag)
    }
}

/// Maps 0, 1, 2, 3 to 0, -1, 1, -2, in two's complement.
const fn from_zigzag(number: u32) -> u32 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Builds shapes of one ring of one arc each, from closed lists of vertices in units.
    pub fn shapes_of(rings: &[Vec<[i64; 2]>]) -> (Arcs, Shapes) {
        let mut arcs = Arcs {
            scale: [1.0; 2],
            translate: [0.0; 2],
            starts: vec![0],
            upper: Vec::new(),
            vertices: Vec::new(),
        };
        let mut shapes = Shapes { first_department: rings.len(), ..Shapes::default() };
        for (index, ring) in (0..).zip(rings) {
            arcs.upper.push(ring[0].map(|units| (units >> 16) as u16));
            arcs.vertices.extend(ring.iter().map(|vertex| vertex.map(|units| units as u16)));
            arcs.starts.push(arcs.vertices.len() as u32);
            shapes.codes.push(index.to_string().into());
            shapes.references.push(ArcReference(index << 1));
            shapes.rings.push(Ring { end: index + 1, is_hole: false });
            shapes.ends.push(index + 1);
        }
        (arcs, shapes)
    }

    /// A square of 10 steps at (100, 200) as one arc, in the commune `1`, with a vertex between two steps.
    fn square() -> Vec<u8> {
        let mut bytes: Vec<u8> =
            [0.5_f64, 0.25, -10.0, 40.0].iter().flat_map(|it| it.to_le_bytes()).collect();
        // One arc, five vertices: (100, 200), then the differences.
        bytes.extend([1, 5, 5, 0xc8, 0x01, 0x90, 0x03, 20, 0, 0, 20, 19, 0, 0, 19]);
        // The vertex 2 is 3 and 5 units farther.
        bytes.extend([1, 2, 3, 5]);
        // One commune with one polygon of one ring of one arc, followed backwards; no districts, no departments.
        bytes.extend([1, 1, b'1', 1, 1, 1, 1, 0, 0]);
        bytes
    }

    #[test]
    fn packed_square_is_read() {
        let (arcs, shapes) = read(&square()).unwrap();
        let vertices: Vec<[i64; 2]> = arcs.vertices_of(0).collect();
        assert_eq!(vertices, [[3200, 6400], [3520, 6400], [3523, 6725], [3200, 6720], [3200, 6400]]);
        assert_eq!(arcs.degrees_of([3200, 6400]), (40.0, 90.0));
        assert_eq!(arcs.units_of(GeoPoint::new(90.0, 40.0).unwrap()), [3200.0, 6400.0]);
        assert_eq!((shapes.len(), &*shapes.codes[0], shapes.first_department), (1, "1", 1));
        let rings: Vec<RingArcs<'_>> = shapes.rings(0).collect();
        assert_eq!((rings.len(), rings[0].is_hole, rings[0].arcs.len()), (1, false, 1));
        assert!(rings[0].arcs[0].is_reversed());
    }

    #[test]
    fn damaged_data_is_an_error() {
        let square = square();
        for length in 0..square.len() {
            assert!(read(&square[..length]).is_err(), "{length} bytes");
        }
        assert!(read(&[square.as_slice(), &[0]].concat()).is_err());
        let mut unknown_arc = square.clone();
        let reference = unknown_arc.len() - 3;
        unknown_arc[reference] = 4;
        assert!(read(&unknown_arc).is_err());
    }
}
