//! How lists of searches are kept: a version byte, a checksum, then the numbers in ascending order, each as its distance from
//! the one before, seven bits a byte. A list of neighbours takes a byte or two a search and is read in one go.

use domain::SearchNumber;

use super::checksum;
use crate::error::Error;

const FORMAT_DISTANCES: u8 = 1;

/// Set on every byte of a distance but its last.
const MORE: u8 = 0x80;

/// The distances of 32 bits have at most five bytes.
const SHIFT_MAX: u32 = 28;

/// No list at all when there is nothing in it.
pub fn encode_numbers(numbers: &[SearchNumber]) -> Result<Option<Vec<u8>>, Error> {
    if numbers.is_empty() {
        return Ok(None);
    }
    let mut record = Vec::with_capacity(8 + numbers.len() * 2);
    record.extend(checksum::head(FORMAT_DISTANCES));
    let mut before = 0;
    for &SearchNumber(number) in numbers {
        // Numbers begin with one, so that each is a distance from the one before, the first included.
        let distance = number.checked_sub(before).filter(|distance| *distance > 0);
        let mut distance =
            distance.ok_or_else(|| Error::corrupt("a list of searches to be written, out of order,"))?;
        while distance >= u32::from(MORE) {
            record.push((distance & 0x7f) as u8 | MORE);
            distance >>= 7;
        }
        record.push(distance as u8);
        before = number;
    }
    checksum::seal(&mut record);
    Ok(Some(record))
}

pub fn decode_numbers(record: Option<&[u8]>) -> Result<Vec<SearchNumber>, Error> {
    let Some(record) = record else { return Ok(Vec::new()) };
    let mut numbers = Vec::with_capacity(record.len() / 2);
    walk(record, |number| {
        numbers.push(SearchNumber(number));
        true
    })?;
    Ok(numbers)
}

/// Whether a search is in a list, without making the list.
pub fn holds_number(record: Option<&[u8]>, sought: SearchNumber) -> Result<bool, Error> {
    let Some(record) = record else { return Ok(false) };
    let mut found = false;
    walk(record, |number| {
        found = number == sought.0;
        number < sought.0
    })?;
    Ok(found)
}

/// Shows the numbers in order, as long as they are wanted.
fn walk(record: &[u8], mut wanted: impl FnMut(u32) -> bool) -> Result<(), Error> {
    let damaged = || Error::corrupt("a list of searches");
    let content = checksum::opened(FORMAT_DISTANCES, record).ok_or_else(damaged)?;
    if content.is_empty() {
        return Err(damaged());
    }
    let mut bytes = content.iter();
    let mut number = 0_u32;
    while let Some(first) = bytes.next() {
        let (mut byte, mut shift) = (*first, 0);
        let mut distance = u32::from(byte & !MORE);
        while byte & MORE != 0 {
            byte = *bytes.next().ok_or_else(damaged)?;
            shift += 7;
            if shift > SHIFT_MAX {
                return Err(damaged());
            }
            distance |= u32::from(byte & !MORE) << shift;
        }
        number = number.checked_add(distance).filter(|next| *next > number).ok_or_else(damaged)?;
        if !wanted(number) {
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
    fn neighbours_take_a_byte_each() {
        let neighbours = numbers(&(1_000_000..1_000_100).collect::<Vec<_>>());
        let record = encode_numbers(&neighbours).unwrap().unwrap();
        assert_eq!(record.len(), 5 + 3 + 99);
        assert_eq!(decode_numbers(Some(&record)).unwrap(), neighbours);
    }

    #[test]
    fn no_list_is_kept_of_nothing_and_none_out_of_order() {
        assert_eq!(encode_numbers(&[]).unwrap(), None);
        assert_eq!(decode_numbers(None).unwrap(), []);
        for wrong in [&[0][..], &[2, 1], &[1, 1], &[5, 6, 6]] {
            assert!(encode_numbers(&numbers(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn content_that_is_no_list_is_refused_even_under_a_sound_checksum() {
        let contents: [&[u8]; 6] =
            [&[], &[0], &[3, 0], &[0x80], &[0xff; 6], &[0xff, 0xff, 0xff, 0xff, 0x0f, 1]];
        for content in contents {
            let mut record = checksum::head(FORMAT_DISTANCES).to_vec();
            record.extend(content);
            checksum::seal(&mut record);
            assert!(matches!(decode_numbers(Some(&record)), Err(Error::Corrupt { .. })), "{content:?}");
        }
    }

    proptest! {
        #[test]
        fn a_list_reads_back_and_knows_what_it_holds(
            list in prop::collection::btree_set(1..=u32::MAX, 0..40),
            near in prop::collection::btree_set(1_u32..400, 0..200),
        ) {
            let all: BTreeSet<u32> = list.union(&near).copied().collect();
            let kept = numbers(&all.iter().copied().collect::<Vec<_>>());
            let record = encode_numbers(&kept).unwrap();
            prop_assert_eq!(decode_numbers(record.as_deref()).unwrap(), kept);
            for sought in all.iter().copied().chain([1, 200, u32::MAX]) {
                let held = holds_number(record.as_deref(), SearchNumber(sought)).unwrap();
                prop_assert_eq!(held, all.contains(&sought));
            }
        }

        #[test]
        fn bytes_that_are_no_list_do_no_harm(mut bytes in any::<Vec<u8>>()) {
            prop_assert!(decode_numbers(Some(&bytes)).is_err());
            // With a head of our own, they are read to the end and may even be a list.
            bytes.splice(0..0, checksum::head(FORMAT_DISTANCES));
            checksum::seal(&mut bytes);
            if let Ok(list) = decode_numbers(Some(&bytes)) {
                prop_assert!(list.is_sorted_by(|a, b| a < b));
            }
        }
    }
}
