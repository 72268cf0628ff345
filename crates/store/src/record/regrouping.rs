//! The payload of a log entry about adverts that moved: a version byte, a byte of flags, the properties they come from with their
//! versions, the adverts, and the events as in other entries.

use domain::{AdvertEvent, AdvertId, PropertyId};

use super::payload::open_payload;
use super::{encode_events, parse_events};
use crate::error::Error;

const FORMAT: u8 = 1;

const AUTOMATIC: u8 = 1;
const ADVERT_ERASED: u8 = 2;

/// What a log entry holds about adverts that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regrouping {
    pub events: Vec<AdvertEvent>,
    pub moved: Vec<AdvertId>,
    pub from: Vec<(PropertyId, u32)>,
    pub automatic: bool,
    /// Whether the advert that caused it was erased since, and its events with it. The rest of the entry stays: a follower needs it
    /// to know where the property comes from.
    pub advert_is_erased: bool,
}

impl Regrouping {
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        let Self { events, moved, from, automatic, advert_is_erased } = self;
        let flag = |flag, is_set: bool| if is_set { flag } else { 0 };
        let mut payload = vec![FORMAT, flag(AUTOMATIC, *automatic) | flag(ADVERT_ERASED, *advert_is_erased)];
        payload.extend(count(from.len())?);
        for (property, version) in from {
            payload.extend(property.as_bytes());
            payload.extend(version.to_le_bytes());
        }
        payload.extend(count(moved.len())?);
        payload.extend(moved.iter().flat_map(|advert| *advert.as_bytes()));
        payload.extend(encode_events(events)?);
        Ok(payload)
    }

    pub fn decode(payload: &[u8]) -> Result<Self, Error> {
        let what = "the payload of a move of adverts";
        let mut rest = open_payload(FORMAT, payload, what)?;
        let header = take(&mut rest)
            .filter(|[format, flags]| *format == FORMAT && flags & !(AUTOMATIC | ADVERT_ERASED) == 0);
        let [_, flags] = header.ok_or_else(|| Error::corrupt(what))?;
        let (from, moved) = lists(&mut rest).ok_or_else(|| Error::corrupt(what))?;
        Ok(Self {
            events: parse_events(rest)?,
            moved,
            from,
            automatic: flags & AUTOMATIC != 0,
            advert_is_erased: flags & ADVERT_ERASED != 0,
        })
    }
}

type Lists = (Vec<(PropertyId, u32)>, Vec<AdvertId>);

fn lists(rest: &mut &[u8]) -> Option<Lists> {
    let count = u32::from_le_bytes(take(rest)?);
    let mut from = Vec::new();
    for _ in 0..count {
        from.push((PropertyId::from_bytes(take(rest)?), u32::from_le_bytes(take(rest)?)));
    }
    let count = u32::from_le_bytes(take(rest)?);
    let mut moved = Vec::new();
    for _ in 0..count {
        moved.push(AdvertId::from_bytes(take(rest)?));
    }
    Some((from, moved))
}

fn count(length: usize) -> Result<[u8; 4], Error> {
    let count = u32::try_from(length);
    count.map(u32::to_le_bytes).map_err(|error| Error::corrupt_by("a move of adverts to be written", error))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}
