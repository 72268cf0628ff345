//! Access to the buffer of a reader.

use std::io::{self, BufRead};

/// Returns what the buffer holds, and reads if it holds nothing. An interrupted read is repeated.
pub fn fill(reader: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // A second call, because the borrow of the first would outlive the loop.
    reader.fill_buf()
}
