//! Records read back as they were written: today's, and those of every release before.

mod compat;
mod search;

use domain::{Property, PropertyId};
use proptest::prelude::*;
use testkit::{arbitrary, build};

use super::*;

proptest! {
    #[test]
    fn a_property_reads_back_as_it_was_written(property in arbitrary::property()) {
        let record = encode_property(&property).unwrap();
        prop_assert_eq!(decode_property(property.id, &record).unwrap(), property);
    }

    #[test]
    fn events_read_back_as_they_were_written(events in proptest::collection::vec(arbitrary::event(), 0..6)) {
        prop_assert_eq!(decode_news(&encode_news(&events).unwrap()).unwrap(), events);
    }

    #[test]
    fn bytes_that_are_no_record_are_refused_and_do_no_harm(bytes in any::<Vec<u8>>()) {
        let refused = matches!(decode_property(build::property_id(1), &bytes), Err(Error::Corrupt { .. }));
        prop_assert!(refused);
    }
}

#[test]
fn no_flipped_bit_makes_another_property() {
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
            // A bit that only says how to decompress may change without changing what comes out.
            Ok(read) => assert_eq!(read, property, "bit {bit}"),
            Err(other) => panic!("bit {bit}: {other}"),
        }
    }
    assert!(refused > record.len() * 8 * 9 / 10, "only {refused} of {} were seen", record.len() * 8);
}

#[test]
fn a_record_cut_short_is_refused() {
    let property = compat::property_with_every_field();
    let record = encode_property(&property).unwrap();
    for length in 0..record.len() {
        let read = decode_property(property.id, &record[..length]);
        assert!(matches!(read, Err(Error::Corrupt { .. })), "{length} of {} bytes", record.len());
    }
}

#[test]
fn a_record_of_a_format_yet_to_come_is_refused() {
    let property = Property { id: PropertyId::from_bytes([1; 16]), adverts: Vec::new() };
    let mut record = encode_property(&property).unwrap();
    record[0] = FORMAT_JSON_ZSTD + 1;
    assert!(matches!(decode_property(property.id, &record), Err(Error::Corrupt { .. })));
}
