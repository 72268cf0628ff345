//! Records round-trip, and records of every release still read.

mod compat;
mod search;

use domain::{AdvertId, Property, PropertyId};
use proptest::prelude::*;
use testkit::{arbitrary, build};

use super::*;

proptest! {
    #[test]
    fn properties_round_trip(property in arbitrary::property()) {
        let record = encode_property(&property).unwrap();
        prop_assert_eq!(decode_property(property.id, &record).unwrap(), property);
    }

    /// The JSON of properties is written and read by another library than all other JSON.
    #[test]
    fn properties_are_plain_json(property in arbitrary::property()) {
        let record = encode_property(&property).unwrap();
        let json = decompress(FORMAT_JSON_ZSTD, &record, String::new).unwrap();
        prop_assert_eq!(serde_json::to_vec(&PropertyRecord::from_property(&property)).unwrap(), &*json);
        let read: PropertyRecord<'_> = serde_json::from_slice(&json).unwrap();
        prop_assert_eq!(read.into_property(property.id), Some(property));
    }

    #[test]
    fn events_round_trip(events in proptest::collection::vec(arbitrary::event(), 0..6)) {
        prop_assert_eq!(decode_events(&encode_events(&events).unwrap()).unwrap(), events);
    }

    #[test]
    fn moves_round_trip(
        events in proptest::collection::vec(arbitrary::event(), 0..3),
        from in proptest::collection::vec((any::<[u8; 16]>(), any::<u32>()), 0..4),
        moved in proptest::collection::vec(any::<[u8; 16]>(), 0..4),
        (automatic, advert_is_erased) in any::<(bool, bool)>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let from = from.into_iter().map(|(id, version)| (PropertyId::from_bytes(id), version)).collect();
        let moved = moved.into_iter().map(AdvertId::from_bytes).collect();
        let regrouping = Regrouping { events, moved, from, automatic, advert_is_erased };
        let payload = regrouping.encode().unwrap();
        prop_assert_eq!(Regrouping::decode(&payload).unwrap(), regrouping);
        let truncated = Regrouping::decode(&payload[..cut.index(payload.len())]);
        let refused = matches!(truncated, Err(Error::Corrupt { .. }));
        prop_assert!(refused);
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in any::<Vec<u8>>()) {
        let refused = matches!(decode_property(build::property_id(1), &bytes), Err(Error::Corrupt { .. }));
        prop_assert!(refused);
    }
}

#[test]
fn flipped_bits_never_change_a_property() {
    let property = compat::property_with_every_field();
    let record = encode_property(&property).unwrap();
    let mut refused = 0;
    for bit in 0..record.len() * 8 {
        let mut damaged = record.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        match decode_property(property.id, &damaged) {
            Err(Error::Corrupt { what, .. }) => {
                assert!(what.contains(&property.id.to_string()), "{what}");
                refused += 1;
            }
            // A bit that only affects decompression may change without changing the result.
            Ok(read) => assert_eq!(read, property, "bit {bit}"),
            Err(other) => panic!("bit {bit}: {other}"),
        }
    }
    assert!(refused > record.len() * 8 * 9 / 10, "only {refused} of {} were detected", record.len() * 8);
}

#[test]
fn truncated_records_are_refused() {
    let property = compat::property_with_every_field();
    let record = encode_property(&property).unwrap();
    for length in 0..record.len() {
        let read = decode_property(property.id, &record[..length]);
        assert!(matches!(read, Err(Error::Corrupt { .. })), "{length} of {} bytes", record.len());
    }
}

#[test]
fn unknown_formats_are_refused() {
    let property = Property { id: PropertyId::from_bytes([1; 16]), adverts: Vec::new() };
    let mut record = encode_property(&property).unwrap();
    record[0] = FORMAT_JSON_ZSTD + 1;
    assert!(matches!(decode_property(property.id, &record), Err(Error::Corrupt { .. })));
}
