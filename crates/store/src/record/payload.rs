//! Payloads of log entries: what they say, behind a checksum.
//!
//! Entries of earlier releases have none. They differ in how they begin: events with `[`, moves with the byte 1; lists of ids
//! by their length, which is a multiple of 16.

use super::checksum;
use crate::error::Error;

/// Differs from the first byte of every payload without a checksum, lists of ids aside.
const FORMAT_SEALED: u8 = 2;

const ID_BYTES: usize = 16;

/// Adds a checksum to a payload.
pub fn seal_payload(content: &[u8]) -> Vec<u8> {
    let mut payload = checksum::header(FORMAT_SEALED).to_vec();
    payload.extend(content);
    checksum::seal(&mut payload);
    payload
}

/// Returns the content of a payload that began with `legacy` before there were checksums.
pub fn open_payload<'a>(legacy: u8, payload: &'a [u8], what: &str) -> Result<&'a [u8], Error> {
    if payload.first() == Some(&legacy) {
        return Ok(payload);
    }
    checksum::open(FORMAT_SEALED, payload).ok_or_else(|| Error::corrupt(what))
}

/// Returns the ids in a payload that is a list of them.
pub fn decode_id_payload<'a>(payload: &'a [u8], what: &str) -> Result<&'a [[u8; ID_BYTES]], Error> {
    let content = if payload.len().is_multiple_of(ID_BYTES) {
        payload
    } else {
        checksum::open(FORMAT_SEALED, payload).ok_or_else(|| Error::corrupt(what))?
    };
    let (ids, rest) = content.as_chunks::<ID_BYTES>();
    if rest.is_empty() { Ok(ids) } else { Err(Error::corrupt(what)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_payloads_are_opened_and_damage_is_detected() {
        let sealed = seal_payload(b"[{}]");
        assert_eq!(open_payload(b'[', &sealed, "events").unwrap(), b"[{}]");
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open_payload(b'[', &damaged, "events").is_err(), "bit {bit}");
        }
        for cut in 0..sealed.len() {
            assert!(open_payload(b'[', &sealed[..cut], "events").is_err(), "{cut} bytes");
        }
    }

    #[test]
    fn payloads_of_earlier_releases_are_read() {
        assert_eq!(open_payload(b'[', b"[]", "events").unwrap(), b"[]");
        let ids: [[u8; 16]; 2] = [[2; 16], [7; 16]];
        for ids in [&ids[..], &ids[..1], &[]] {
            let plain = ids.concat();
            assert_eq!(decode_id_payload(&plain, "ids").unwrap(), ids);
            let sealed = seal_payload(&plain);
            assert_eq!(decode_id_payload(&sealed, "ids").unwrap(), ids);
            let mut damaged = sealed.clone();
            damaged[4] ^= 1;
            assert!(decode_id_payload(&damaged, "ids").is_err());
        }
    }
}
