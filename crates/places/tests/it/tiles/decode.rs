//! Decodes Mapbox vector tiles, by the specification and without the code that writes them.

#[derive(Debug)]
pub struct Layer {
    pub name: String,
    pub version: u64,
    pub extent: u64,
    pub features: Vec<Feature>,
}

#[derive(Debug)]
pub struct Feature {
    pub id: Option<u64>,
    /// 1 for points, 3 for polygons.
    pub kind: u64,
    pub tags: Vec<(String, Value)>,
    /// One vertex for each point, or the vertices of each ring.
    pub rings: Vec<Vec<[i64; 2]>>,
}

#[derive(Debug, Clone)]
pub enum Value {
    Text(String),
    Number(u64),
}

impl Feature {
    pub fn text(&self, name: &str) -> &str {
        match self.tag(name) {
            Value::Text(text) => text,
            Value::Number(_) => panic!("{name} is a number"),
        }
    }

    pub fn number(&self, name: &str) -> u64 {
        match self.tag(name) {
            Value::Number(number) => *number,
            Value::Text(_) => panic!("{name} is a text"),
        }
    }

    fn tag(&self, name: &str) -> &Value {
        &self.tags.iter().find(|(key, _)| key == name).unwrap_or_else(|| panic!("no {name} in {self:?}")).1
    }
}

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    fn number(&self) -> u64 {
        let Self::Number(number) = self else { panic!("not a number") };
        *number
    }

    fn bytes(&self) -> &'a [u8] {
        let Self::Bytes(bytes) = self else { panic!("not bytes") };
        bytes
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes().to_vec()).unwrap()
    }
}

pub fn tile(bytes: &[u8]) -> Vec<Layer> {
    fields(bytes)
        .into_iter()
        .map(|(number, field)| {
            assert_eq!(number, 3, "a tile has layers");
            layer(field.bytes())
        })
        .collect()
}

fn layer(bytes: &[u8]) -> Layer {
    let fields = fields(bytes);
    let of = |number: u64| fields.iter().filter(move |(it, _)| *it == number).map(|(_, field)| field);
    let keys: Vec<String> = of(3).map(Field::text).collect();
    let values: Vec<Value> = of(4).map(|field| value(field.bytes())).collect();
    Layer {
        name: of(1).next().unwrap().text(),
        version: of(15).next().unwrap().number(),
        extent: of(5).next().unwrap().number(),
        features: of(2).map(|field| feature(field.bytes(), &keys, &values)).collect(),
    }
}

fn value(bytes: &[u8]) -> Value {
    match fields(bytes).as_slice() {
        [(1, text)] => Value::Text(text.text()),
        [(5, number)] => Value::Number(number.number()),
        _ => panic!("an unexpected value"),
    }
}

fn feature(bytes: &[u8], keys: &[String], values: &[Value]) -> Feature {
    let fields = fields(bytes);
    let of = |number: u64| fields.iter().find(|(it, _)| *it == number).map(|(_, field)| field);
    let tags = of(2).map_or_else(Vec::new, |field| varints(field.bytes()));
    let tag = |pair: &[u64]| (keys[pair[0] as usize].clone(), values[pair[1] as usize].clone());
    assert!(tags.len().is_multiple_of(2));
    Feature {
        id: of(1).map(Field::number),
        kind: of(3).unwrap().number(),
        tags: tags.chunks(2).map(tag).collect(),
        rings: geometry(&varints(of(4).unwrap().bytes())),
    }
}

fn geometry(commands: &[u64]) -> Vec<Vec<[i64; 2]>> {
    let mut rings: Vec<Vec<[i64; 2]>> = Vec::new();
    let mut at = [0, 0];
    let mut rest = commands.iter().copied();
    while let Some(command) = rest.next() {
        let (id, count) = (command & 7, command >> 3);
        assert!(count > 0);
        for _ in 0..count {
            match id {
                1 | 2 => {
                    for axis in &mut at {
                        let zigzag = rest.next().unwrap() as i64;
                        *axis += (zigzag >> 1) ^ -(zigzag & 1);
                    }
                    if id == 1 {
                        rings.push(Vec::new());
                    }
                    rings.last_mut().unwrap().push(at);
                }
                7 => assert!(!rings.is_empty()),
                _ => panic!("command {id}"),
            }
        }
    }
    rings
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (field, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(field)
            }
            kind => panic!("wire type {kind}"),
        };
        fields.push((key >> 3, field));
    }
    fields
}

fn varints(mut bytes: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(varint(&mut bytes));
    }
    numbers
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}
