//! Splits a stream into lines of bounded length.

use std::io::{self, BufRead};

pub(crate) enum Line {
    Complete,
    /// Longer than the limit: its content was skipped.
    TooLong,
    End,
}

/// Reads the next line into `line`, without its line break. A longer line is skipped and not kept in memory.
pub(crate) fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>, bytes_max: usize) -> io::Result<Line> {
    line.clear();
    let mut too_long = false;
    let mut started = false;
    loop {
        let available = match reader.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            break;
        }
        started = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let content = &available[..end.unwrap_or(available.len())];
        too_long |= line.len() + content.len() > bytes_max;
        if !too_long {
            line.extend_from_slice(content);
        }
        let consumed = content.len() + usize::from(end.is_some());
        reader.consume(consumed);
        if end.is_some() {
            break;
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(match (started, too_long) {
        (false, _) => Line::End,
        (true, true) => Line::TooLong,
        (true, false) => Line::Complete,
    })
}
