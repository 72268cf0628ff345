//! Packs the outlines of `data/outlines` for embedding: reads TopoJSON, checks it, and writes what `src/outlines/packed.rs` reads.
//!
//! JSON takes five times the bytes and far longer to parse, so the service never sees it. The packed file holds, in this
//! order, and with integers of variable length unless stated otherwise:
//!
//! 1. the scale and the offset of both axes, as four `f64`;
//! 2. the number of arcs and of vertices; for each arc its number of vertices, and each vertex as its distance in steps
//!    from the one before;
//! 3. the few vertices that lie between two steps: their number, and for each the distance from the one before in the list
//!    of all vertices, and the fractions of both axes in units;
//! 4. communes, districts and departments: their number; for each its code, its polygons, their rings, and the arcs of a
//!    ring, each as its distance from the one before and its direction.

use std::error::Error;
use std::io::Read as _;

use serde::Deserialize;

/// The parts of a step. The file has whole steps, except for vertices that its author added where borders met between them.
const STEP_UNITS: i64 = 32;

/// The longest edge in units. The service keeps 16 bits of a coordinate, which must be unambiguous near a cell of its grid.
const EDGE_UNITS_MAX: i64 = 20_000;

#[derive(Deserialize)]
struct Topology {
    transform: Transform,
    objects: Objects,
    arcs: Vec<Vec<[f64; 2]>>,
}

#[derive(Deserialize)]
struct Transform {
    scale: [f64; 2],
    translate: [f64; 2],
}

#[derive(Deserialize)]
struct Objects {
    communes: Layer,
    districts: Layer,
    departments: Layer,
}

#[derive(Deserialize)]
struct Layer {
    geometries: Vec<Geometry>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Geometry {
    Polygon { properties: Properties, arcs: Vec<Vec<i64>> },
    MultiPolygon { properties: Properties, arcs: Vec<Vec<Vec<i64>>> },
}

#[derive(Deserialize)]
struct Properties {
    #[serde(alias = "insee")]
    code: String,
}

/// Packs a compressed TopoJSON file.
pub fn pack(compressed: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(compressed).read_to_end(&mut text)?;
    let topology: Topology = serde_json::from_slice(&text)?;
    let arcs: Vec<Vec<[i64; 2]>> = topology.arcs.iter().map(|arc| units(arc)).collect();
    for (index, arc) in arcs.iter().enumerate() {
        let longest = arc.windows(2).flat_map(|edge| [edge[1][0] - edge[0][0], edge[1][1] - edge[0][1]]);
        if arc.len() < 2 || longest.map(i64::abs).max() > Some(EDGE_UNITS_MAX) {
            return Err(format!("arc {index} has no edge or one that is too long").into());
        }
    }
    let mut out = Writer(Vec::new());
    let Transform { scale, translate } = topology.transform;
    for number in [scale[0], scale[1], translate[0], translate[1]] {
        out.0.extend(number.to_le_bytes());
    }
    write_arcs(&mut out, &arcs);
    let Objects { communes, districts, departments } = topology.objects;
    for layer in [communes, districts, departments] {
        write_layer(&mut out, &layer, &arcs)?;
    }
    Ok(out.0)
}

/// Adds up the distances between the vertices of an arc.
fn units(arc: &[[f64; 2]]) -> Vec<[i64; 2]> {
    let mut at = [0.0, 0.0];
    arc.iter()
        .map(|step| {
            at = [at[0] + step[0], at[1] + step[1]];
            at.map(|steps| (steps * STEP_UNITS as f64).round() as i64)
        })
        .collect()
}

fn write_arcs(out: &mut Writer, arcs: &[Vec<[i64; 2]>]) {
    out.count(arcs.len());
    out.count(arcs.iter().map(Vec::len).sum());
    let mut between = Vec::new();
    let (mut previous, mut index) = ([0, 0], 0);
    for arc in arcs {
        out.count(arc.len());
        for vertex in arc {
            let steps = vertex.map(|units| units.div_euclid(STEP_UNITS));
            let fractions = vertex.map(|units| units.rem_euclid(STEP_UNITS));
            if fractions != [0, 0] {
                between.push((index, fractions));
            }
            out.signed(steps[0] - previous[0]);
            out.signed(steps[1] - previous[1]);
            (previous, index) = (steps, index + 1);
        }
    }
    out.count(between.len());
    let mut last = 0;
    for (index, fractions) in between {
        out.count(index - last);
        out.unsigned(fractions[0] as u64);
        out.unsigned(fractions[1] as u64);
        last = index;
    }
}

fn write_layer(out: &mut Writer, layer: &Layer, arcs: &[Vec<[i64; 2]>]) -> Result<(), Box<dyn Error>> {
    out.count(layer.geometries.len());
    let mut previous = 0;
    for geometry in &layer.geometries {
        let (code, polygons) = match geometry {
            Geometry::Polygon { properties, arcs } => (&properties.code, std::slice::from_ref(arcs)),
            Geometry::MultiPolygon { properties, arcs } => (&properties.code, arcs.as_slice()),
        };
        out.count(code.len());
        out.0.extend(code.bytes());
        out.count(polygons.len());
        for polygon in polygons {
            out.count(polygon.len());
            for ring in polygon {
                check_ring(code, ring, arcs)?;
                out.count(ring.len());
                for reference in ring {
                    let (arc, reversed) = if *reference < 0 { (!reference, 1) } else { (*reference, 0) };
                    out.unsigned(zigzag(arc - previous) << 1 | reversed);
                    previous = arc;
                }
            }
        }
    }
    Ok(())
}

/// Checks that the arcs of a ring exist and that each starts where the one before ends.
fn check_ring(code: &str, ring: &[i64], arcs: &[Vec<[i64; 2]>]) -> Result<(), Box<dyn Error>> {
    let ends = |reference: &i64| -> Option<([i64; 2], [i64; 2])> {
        let reversed = *reference < 0;
        let arc = arcs.get(usize::try_from(if reversed { !reference } else { *reference }).ok()?)?;
        let (first, last) = (*arc.first()?, *arc.last()?);
        Some(if reversed { (last, first) } else { (first, last) })
    };
    let ends = ring.iter().map(ends).collect::<Option<Vec<_>>>().unwrap_or_default();
    let next = ends.iter().cycle().skip(1);
    let closed = ends.iter().zip(next).all(|((_, end), (start, _))| end == start);
    if ends.is_empty() || !closed {
        return Err(format!("a ring of {code} is not closed").into());
    }
    Ok(())
}

struct Writer(Vec<u8>);

impl Writer {
    /// Writes seven bits per byte, the lowest first; the eighth bit says that more follow.
    fn unsigned(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn signed(&mut self, number: i64) {
        self.unsigned(zigzag(number));
    }

    fn count(&mut self, number: usize) {
        self.unsigned(number as u64);
    }
}

/// Maps small numbers of either sign to small numbers: 0, -1, 1, -2 to 0, 1, 2, 3.
fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}
