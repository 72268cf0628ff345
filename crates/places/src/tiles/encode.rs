//! Writes Mapbox vector tiles 2.1: a small subset of Protocol Buffers.

use std::collections::HashMap;

use super::geometry::{EXTENT, Ring, Vertex};

const VERSION: u64 = 2;

/// The numbers of the fields of the messages.
mod field {
    pub const TILE_LAYER: u64 = 3;
    pub const LAYER_NAME: u64 = 1;
    pub const LAYER_FEATURE: u64 = 2;
    pub const LAYER_KEY: u64 = 3;
    pub const LAYER_VALUE: u64 = 4;
    pub const LAYER_EXTENT: u64 = 5;
    pub const LAYER_VERSION: u64 = 15;
    pub const FEATURE_ID: u64 = 1;
    pub const FEATURE_TAGS: u64 = 2;
    pub const FEATURE_TYPE: u64 = 3;
    pub const FEATURE_GEOMETRY: u64 = 4;
    pub const VALUE_TEXT: u64 = 1;
    pub const VALUE_UNSIGNED: u64 = 5;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeometryKind {
    Point = 1,
    Polygon = 3,
}

/// The value of an attribute of a feature.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    Text(String),
    Number(u64),
}

impl Value {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Features of one kind. Each name and each value of an attribute is written once.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    name: &'static str,
    features: Vec<Vec<u8>>,
    keys: Vec<&'static str>,
    values: Vec<Value>,
    value_numbers: HashMap<Value, u64>,
}

impl Layer {
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    pub fn add(
        &mut self,
        id: Option<u64>,
        kind: GeometryKind,
        geometry: Vec<u64>,
        tags: &[(&'static str, Value)],
    ) {
        let mut numbers = Vec::with_capacity(tags.len() * 2);
        for (key, value) in tags {
            let key_number = self.keys.iter().position(|known| known == key).unwrap_or_else(|| {
                self.keys.push(key);
                self.keys.len() - 1
            });
            let next = self.values.len() as u64;
            let value_number = *self.value_numbers.entry(value.clone()).or_insert(next);
            if value_number == next {
                self.values.push(value.clone());
            }
            numbers.extend([key_number as u64, value_number]);
        }
        let mut feature = Message::default();
        if let Some(id) = id {
            feature.number(field::FEATURE_ID, id);
        }
        feature.packed(field::FEATURE_TAGS, &numbers);
        feature.number(field::FEATURE_TYPE, kind as u64);
        feature.packed(field::FEATURE_GEOMETRY, &geometry);
        self.features.push(feature.0);
    }

    fn message(&self) -> Message {
        let mut message = Message::default();
        message.number(field::LAYER_VERSION, VERSION);
        message.bytes(field::LAYER_NAME, self.name.as_bytes());
        for feature in &self.features {
            message.bytes(field::LAYER_FEATURE, feature);
        }
        for key in &self.keys {
            message.bytes(field::LAYER_KEY, key.as_bytes());
        }
        for value in &self.values {
            let mut encoded = Message::default();
            match value {
                Value::Text(text) => encoded.bytes(field::VALUE_TEXT, text.as_bytes()),
                Value::Number(number) => encoded.number(field::VALUE_UNSIGNED, *number),
            }
            message.bytes(field::LAYER_VALUE, &encoded.0);
        }
        message.number(field::LAYER_EXTENT, EXTENT as u64);
        message
    }
}

/// Encodes a tile. A layer without features is left out, as the format demands.
pub fn tile(layers: &[Layer]) -> Vec<u8> {
    let mut tile = Message::default();
    for layer in layers.iter().filter(|layer| !layer.features.is_empty()) {
        tile.bytes(field::TILE_LAYER, &layer.message().0);
    }
    tile.0
}

/// The commands of a geometry.
const MOVE_TO: u64 = 1;
const LINE_TO: u64 = 2;
const CLOSE_PATH: u64 = 7;

fn command(command: u64, count: usize) -> u64 {
    (count as u64) << 3 | command
}

pub fn point(at: Vertex) -> Vec<u64> {
    vec![command(MOVE_TO, 1), zigzag(at[0]), zigzag(at[1])]
}

/// Encodes rings, each outer one followed by its holes.
pub fn polygons(rings: &[Ring]) -> Vec<u64> {
    let mut geometry = Vec::with_capacity(rings.iter().map(|ring| ring.vertices.len() * 2 + 3).sum());
    let mut cursor: Vertex = [0, 0];
    for ring in rings {
        for (index, vertex) in ring.vertices.iter().enumerate() {
            match index {
                0 => geometry.push(command(MOVE_TO, 1)),
                1 => geometry.push(command(LINE_TO, ring.vertices.len() - 1)),
                _ => {}
            }
            geometry.extend([zigzag(vertex[0] - cursor[0]), zigzag(vertex[1] - cursor[1])]);
            cursor = *vertex;
        }
        geometry.push(command(CLOSE_PATH, 1));
    }
    geometry
}

/// Encodes small numbers of either sign as small numbers.
fn zigzag(number: i32) -> u64 {
    u64::from(((number << 1) ^ (number >> 31)) as u32)
}

/// The types of fields on the wire.
const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;

#[derive(Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(&mut self, field: u64, number: u64) {
        self.varint(field << 3 | VARINT);
        self.varint(number);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn packed(&mut self, field: u64, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        let mut packed = Self::default();
        numbers.iter().for_each(|number| packed.varint(*number));
        self.bytes(field, &packed.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the specification, section 4.3.5.
    #[test]
    fn geometry_is_that_of_the_specification() {
        assert_eq!(point([25, 17]), [9, 50, 34]);
        let ring = |vertices: &[Vertex], is_hole| Ring { vertices: vertices.to_vec(), is_hole };
        assert_eq!(
            polygons(&[ring(&[[3, 6], [8, 12], [20, 34]], false)]),
            [9, 6, 12, 18, 10, 12, 24, 44, 15]
        );
        let rings = [
            ring(&[[0, 0], [10, 0], [10, 10], [0, 10]], false),
            ring(&[[11, 11], [20, 11], [20, 20], [11, 20]], false),
            ring(&[[13, 13], [13, 17], [17, 17], [17, 13]], true),
        ];
        let expected = [
            9, 0, 0, 26, 20, 0, 0, 20, 19, 0, 15, 9, 22, 2, 26, 18, 0, 0, 18, 17, 0, 15, 9, 4, 13, 26, 0, 8,
            8, 0, 0, 7, 15,
        ];
        assert_eq!(polygons(&rings), expected);
    }

    #[test]
    fn equal_values_are_written_once() {
        let mut layer = Layer::new("places");
        for name in ["Tours", "Tours", "Blois"] {
            layer.add(None, GeometryKind::Point, point([1, 1]), &[("name", Value::text(name))]);
        }
        assert_eq!((layer.keys.len(), layer.values.len(), layer.features.len()), (1, 2, 3));
        assert_eq!(tile(&[Layer::new("empty")]), Vec::<u8>::new());
    }
}
