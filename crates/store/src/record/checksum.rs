//! Telling damage apart from everything else, for what is not compressed.

/// A checksum of bytes. Eight at a time are mixed in by steps that can be undone, so that two inputs which differ in one place
/// are still apart at the end; only folding the result to four bytes can hide that, once in four billion. Not against malice.
pub fn checksum(bytes: &[u8]) -> u32 {
    // The golden ratio, as SplitMix64 has it: odd, so that multiplying loses nothing.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(bytes.len() as u64, |state, word| step(state, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = step(step(state, u64::from_le_bytes(last)), 0);
    // Both halves count.
    let folded = (state >> 32) ^ state;
    u32::from_le_bytes([folded as u8, (folded >> 8) as u8, (folded >> 16) as u8, (folded >> 24) as u8])
}

/// Puts the checksum of what follows the gap into a record of one byte of format, a gap of four bytes, and content.
pub fn seal(record: &mut [u8]) {
    if let Some((head, content)) = record.split_at_mut_checked(HEAD_BYTES) {
        head[1..].copy_from_slice(&checksum(content).to_le_bytes());
    }
}

/// The content of a record, if it is of the format and as it was sealed.
pub fn opened(format: u8, record: &[u8]) -> Option<&[u8]> {
    let (head, content) = record.split_first_chunk::<HEAD_BYTES>()?;
    let [found, kept @ ..] = *head;
    (found == format && u32::from_le_bytes(kept) == checksum(content)).then_some(content)
}

/// What a record begins with: its format, and a place for its checksum.
pub const fn head(format: u8) -> [u8; HEAD_BYTES] {
    [format, 0, 0, 0, 0]
}

const HEAD_BYTES: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flipped_bit_and_no_missing_end_goes_unseen() {
        for length in [0, 1, 7, 8, 9, 40] {
            let content: Vec<u8> = (0..length).map(|index| index * 6).collect();
            let mut record = head(1).to_vec();
            record.extend(&content);
            seal(&mut record);
            assert_eq!(opened(1, &record), Some(&*content));
            assert_eq!(opened(2, &record), None);
            for bit in 0..record.len() * 8 {
                let mut damaged = record.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(opened(1, &damaged), None, "bit {bit} of {length} bytes");
            }
            for cut in 0..record.len() {
                assert_eq!(opened(1, &record[..cut]), None, "{cut} of {length} bytes");
            }
            record.push(0);
            assert_eq!(opened(1, &record), None, "a zero more");
        }
    }
}
