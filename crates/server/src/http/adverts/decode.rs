//! Decodes a JSON body: one advert, or an array of adverts.
//!
//! An array is split into its elements without parsing them. Each is parsed, decoded and dropped before the next, so that the memory
//! for JSON values is that of one advert, whatever the size of the array.

use std::fmt;

use domain::{Timestamp, Violation};
use http::StatusCode;
use serde::Deserializer;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use wire::json::Json;

use super::super::body::ReceivedBody;
use super::super::budget::{Exhausted, Reservation};
use super::super::error::Problem;
use crate::ndjson::{self, Decoded, Decoder};

/// Maximum number of adverts in an array: about what fits into a body of the default size.
const ARRAY_MAX: usize = 10_000;

pub enum Shape {
    Single,
    Array,
}

/// The adverts of a body, in its order.
pub struct DecodedBody {
    pub shape: Shape,
    pub decoded: Vec<Decoded>,
}

/// Why a text was not decoded.
enum Undecoded {
    /// It is not valid JSON. An index tells which element it is about, whose text the position counts from.
    Json(serde_json::Error, Option<usize>),
    TooMany(usize),
    NoMemory(Exhausted),
}

/// Decodes a body. Returns what its adverts take of the budget as well.
pub fn decode_body(
    decoder: &Decoder,
    received: ReceivedBody,
    now: Timestamp,
) -> Result<(DecodedBody, Reservation), Problem> {
    let ReceivedBody { bytes, mut reservation } = received;
    let first = match decode_text(decoder, &bytes, now, &mut reservation) {
        Err(undecoded @ Undecoded::Json(..)) => undecoded,
        Ok(decoded) => return Ok((decoded, reservation)),
        Err(undecoded) => return Err(undecoded.into()),
    };
    let Some((json, warnings)) = decoder.repair(&bytes) else { return Err(first.into()) };
    reservation.grow(json.len())?;
    match decode_text(decoder, json.as_bytes(), now, &mut reservation) {
        Ok(mut body) => {
            // Which advert a wrong byte belongs to is no longer known: the first accepted one reports it.
            add_warnings(&mut body.decoded, warnings);
            Ok((body, reservation))
        }
        // The first error is about what the client sent.
        Err(Undecoded::Json(..)) => Err(first.into()),
        Err(undecoded) => Err(undecoded.into()),
    }
}

fn add_warnings(decoded: &mut [Decoded], warnings: Vec<Violation>) {
    if let Some(first) = decoded.iter_mut().flatten().next() {
        first.warnings.splice(..0, warnings);
    }
}

fn decode_text(
    decoder: &Decoder,
    json: &[u8],
    now: Timestamp,
    reservation: &mut Reservation,
) -> Result<DecodedBody, Undecoded> {
    let is_array = json.trim_ascii_start().starts_with(b"[");
    if !is_array {
        reservation.grow(ndjson::decoding_bytes(std::iter::once(json)))?;
        let decoded = vec![decode_one(decoder, json, now).map_err(|error| Undecoded::Json(error, None))?];
        return Ok(DecodedBody { shape: Shape::Single, decoded });
    }
    let elements = split(json).map_err(|error| Undecoded::Json(error, None))?;
    if elements.count > ARRAY_MAX {
        return Err(Undecoded::TooMany(elements.count));
    }
    let texts = elements.first.iter().map(|element| element.get().as_bytes());
    reservation.grow(ndjson::decoding_bytes(texts.clone()))?;
    let decode =
        |(index, json)| decode_one(decoder, json, now).map_err(|error| Undecoded::Json(error, Some(index)));
    let decoded = texts.enumerate().map(decode).collect::<Result<_, _>>()?;
    Ok(DecodedBody { shape: Shape::Array, decoded })
}

/// Decodes one advert. Fails if it is not valid JSON.
fn decode_one(decoder: &Decoder, json: &[u8], now: Timestamp) -> Result<Decoded, serde_json::Error> {
    if let Err(rejected) = ndjson::check_items(json) {
        return Ok(Err(rejected));
    }
    Ok(decoder.decode(&Json::parse(json)?, now))
}

/// The elements of an array.
struct Elements<'a> {
    /// At most [`ARRAY_MAX`].
    first: Vec<&'a RawValue>,
    count: usize,
}

fn split(json: &[u8]) -> Result<Elements<'_>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let elements = reader.deserialize_seq(Splitter)?;
    reader.end()?;
    Ok(elements)
}

struct Splitter;

impl<'de> Visitor<'de> for Splitter {
    type Value = Elements<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Elements<'de>, A::Error> {
        let mut elements = Elements { first: Vec::new(), count: 0 };
        while elements.count < ARRAY_MAX {
            let Some(element) = sequence.next_element()? else { return Ok(elements) };
            elements.first.push(element);
            elements.count += 1;
        }
        // The rest is only counted, for the error.
        while sequence.next_element::<IgnoredAny>()?.is_some() {
            elements.count += 1;
        }
        Ok(elements)
    }
}

impl From<Exhausted> for Undecoded {
    fn from(exhausted: Exhausted) -> Self {
        Self::NoMemory(exhausted)
    }
}

impl From<Undecoded> for Problem {
    fn from(undecoded: Undecoded) -> Self {
        match undecoded {
            Undecoded::Json(error, None) => {
                Self::bad_request(format!("The body is not valid JSON: {error}."))
            }
            Undecoded::Json(error, Some(index)) => Self::bad_request(format!(
                "The body is not valid JSON: advert {index} of the array: {error}."
            )),
            Undecoded::TooMany(count) => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!(
                    "The array has {count} adverts; the limit is {ARRAY_MAX}. Send an NDJSON stream instead."
                ),
            ),
            Undecoded::NoMemory(exhausted) => exhausted.into(),
        }
    }
}
