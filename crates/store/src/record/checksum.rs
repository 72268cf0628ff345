//! A checksum for records that are not compressed.

/// Computes a checksum. It mixes in eight bytes at a time by invertible steps, so that two inputs that differ in one word still differ
/// at the end; only folding the result to four bytes can hide that, once in four billion. It does not protect against an attacker.
pub fn checksum(bytes: &[u8]) -> u32 {
    // The golden ratio, as in SplitMix64. It is odd, so that the multiplication is invertible.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(bytes.len() as u64, |state, word| step(state, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = step(step(state, u64::from_le_bytes(last)), 0);
    // Uses both halves.
    let folded = (state >> 32) ^ state;
    u32::from_le_bytes([folded as u8, (folded >> 8) as u8, (folded >> 16) as u8, (folded >> 24) as u8])
}

/// Writes the checksum of the content into the header of a record.
pub fn seal(record: &mut [u8]) {
    if let Some((head, content)) = record.split_at_mut_checked(HEADER_BYTES) {
        head[1..].copy_from_slice(&checksum(content).to_le_bytes());
    }
}

/// Returns the content of a record; `None` if its format or its checksum is wrong.
pub fn open(format: u8, record: &[u8]) -> Option<&[u8]> {
    let (head, content) = record.split_first_chunk::<HEADER_BYTES>()?;
    let [found, stored @ ..] = *head;
    (found == format && u32::from_le_bytes(stored) == checksum(content)).then_some(content)
}

/// Returns the header of a record: its format, and four bytes for the checksum.
pub const fn header(format: u8) -> [u8; HEADER_BYTES] {
    [format, 0, 0, 0, 0]
}

const HEADER_BYTES: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipped_bits_and_truncation_are_detected() {
        for length in [0, 1, 7, 8, 9, 40] {
            let content: Vec<u8> = (0..length).map(|index| index * 6).collect();
            let mut record = header(1).to_vec();
            record.extend(&content);
            seal(&mut record);
            assert_eq!(open(1, &record), Some(&*content));
            assert_eq!(open(2, &record), None);
            for bit in 0..record.len() * 8 {
                let mut damaged = record.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(open(1, &damaged), None, "bit {bit} of {length} bytes");
            }
            for cut in 0..record.len() {
                assert_eq!(open(1, &record[..cut]), None, "{cut} of {length} bytes");
            }
            record.push(0);
            assert_eq!(open(1, &record), None, "one zero byte more");
        }
    }
}
