//! Lists of searches: a version byte, a checksum, then the numbers in ascending order, delta-encoded as variable-length integers of
//! seven bits per byte. A list of close numbers takes a byte or two per search.

use domain::SearchNumber;

use super::checksum;
use crate::error::Error;

const FORMAT_DELTAS: u8 = 1;

/// Set on every byte of a delta but its last.
const CONTINUES: u8 = 0x80;

/// A delta of 32 bits has at most five bytes.
const SHIFT_MAX: u32 = 28;

/// Encodes a list; `None` if it is empty.
pub fn encode_search_list(numbers: &[SearchNumber]) -> Result<Option<Vec<u8>>, Error> {
    if numbers.is_empty() {
        return Ok(None);
    }
    let mut record = Vec::with_capacity(8 + numbers.len() * 2);
    record.extend(checksum::header(FORMAT_DELTAS));
    let mut before = 0;
    for &SearchNumber(number) in numbers {
        // Numbers start at 1, so that the first delta is greater than zero too.
        let delta = number.checked_sub(before).filter(|delta| *delta > 0);
        let mut delta =
            delta.ok_or_else(|| Error::corrupt("a list of searches to be written (out of order)"))?;
        while delta >= u32::from(CONTINUES) {
            record.push((delta & 0x7f) as u8 | CONTINUES);
            delta >>= 7;
        }
        record.push(delta as u8);
        before = number;
    }
    checksum::seal(&mut record);
    Ok(Some(record))
}

pub fn decode_search_list(record: Option<&[u8]>) -> Result<Vec<SearchNumber>, Error> {
    let Some(record) = record else { return Ok(Vec::new()) };
    let mut numbers = Vec::with_capacity(record.len() / 2);
    walk(record, |number| {
        numbers.push(SearchNumber(number));
        true
    })?;
    Ok(numbers)
}

/// Returns `true` if the list contains a search. Does not allocate.
pub fn search_list_contains(record: Option<&[u8]>, searched: SearchNumber) -> Result<bool, Error> {
    let Some(record) = record else { return Ok(false) };
    let mut found = false;
    walk(record, |number| {
        found = number == searched.0;
        number < searched.0
    })?;
    Ok(found)
}

/// Visits the numbers in order until `visit` returns `false`.
fn walk(record: &[u8], mut visit: impl FnMut(u32) -> bool) -> Result<(), Error> {
    let damaged = || Error::corrupt("a list of searches");
    let content = checksum::open(FORMAT_DELTAS, record).ok_or_else(damaged)?;
    if content.is_empty() {
        return Err(damaged());
    }
    let mut bytes = content.iter();
    let mut number = 0_u32;
    while let Some(first) = bytes.next() {
        let (mut byte, mut shift) = (*first, 0);
        let mut delta = u32::from(byte & !CONTINUES);
        while byte & CONTINUES != 0 {
            byte = *bytes.next().ok_or_else(damaged)?;
            shift += 7;
            if shift > SHIFT_MAX {
                return Err(damaged());
            }
            delta |= u32::from(byte & !CONTINUES) << shift;
        }
        number = number.checked_add(delta).filter(|next| *next > number).ok_or_else(damaged)?;
        if !visit(number) {
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn numbers(numbers: &[u32]) -> Vec<SearchNumber> {
        numbers.iter().copied().map(SearchNumber).collect()
    }

    #[test]
    fn close_numbers_take_one_byte_each() {
        let close = numbers(&(1_000_000..1_000_100).collect::<Vec<_>>());
        let record = encode_search_list(&close).unwrap().unwrap();
        assert_eq!(record.len(), 5 + 3 + 99);
        assert_eq!(decode_search_list(Some(&record)).unwrap(), close);
    }

    #[test]
    fn empty_lists_are_not_stored_and_unsorted_lists_are_refused() {
        assert_eq!(encode_search_list(&[]).unwrap(), None);
        assert_eq!(decode_search_list(None).unwrap(), []);
        for wrong in [&[0][..], &[2, 1], &[1, 1], &[5, 6, 6]] {
            assert!(encode_search_list(&numbers(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn invalid_content_with_a_valid_checksum_is_refused() {
        let contents: [&[u8]; 6] =
            [&[], &[0], &[3, 0], &[0x80], &[0xff; 6], &[0xff, 0xff, 0xff, 0xff, 0x0f, 1]];
        for content in contents {
            let mut record = checksum::header(FORMAT_DELTAS).to_vec();
            record.extend(content);
            checksum::seal(&mut record);
            assert!(matches!(decode_search_list(Some(&record)), Err(Error::Corrupt { .. })), "{content:?}");
        }
    }

    proptest! {
        #[test]
        fn lists_round_trip_and_answer_contains(
            sparse in prop::collection::btree_set(1..=u32::MAX, 0..40),
            near in prop::collection::btree_set(1_u32..400, 0..200),
        ) {
            let all: BTreeSet<u32> = sparse.union(&near).copied().collect();
            let list = numbers(&all.iter().copied().collect::<Vec<_>>());
            let record = encode_search_list(&list).unwrap();
            prop_assert_eq!(decode_search_list(record.as_deref()).unwrap(), list);
            for number in all.iter().copied().chain([1, 200, u32::MAX]) {
                let contains = search_list_contains(record.as_deref(), SearchNumber(number)).unwrap();
                prop_assert_eq!(contains, all.contains(&number));
            }
        }

        #[test]
        fn arbitrary_bytes_are_refused(mut bytes in any::<Vec<u8>>()) {
            prop_assert!(decode_search_list(Some(&bytes)).is_err());
            // With a valid header they are decoded to the end, and may even be a list.
            bytes.splice(0..0, checksum::header(FORMAT_DELTAS));
            checksum::seal(&mut bytes);
            if let Ok(list) = decode_search_list(Some(&bytes)) {
                prop_assert!(list.is_sorted_by(|a, b| a < b));
            }
        }
    }
}
