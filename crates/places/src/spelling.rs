//! Edit distance between a query and a name, up to two edits.
//!
//! An edit is an insertion, a deletion, a substitution or a transposition of adjacent letters (optimal string alignment).
//! A bit-parallel automaton follows all alignments at once: bit `i` of `reached[e]` is set if the first `i` letters of the
//! query match the text read so far with at most `e` edits. Reading a letter takes a few operations, which makes it
//! possible to compare a query with the names of a whole country while the user types.

/// With more than two edits, it is a different name.
pub(crate) const EDITS_MAX: usize = 2;

/// The longest name of the country has 45 letters. The length is the position of a bit, so the maximum is 62.
pub(crate) const QUERY_MAX: usize = 60;

/// Returns the number of edits allowed for a query of this length. Shorter queries allow fewer: an error in three letters
/// leaves only two correct ones.
pub(crate) fn edits_allowed(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=7 => 1,
        _ => EDITS_MAX,
    }
}

/// A query, prepared for comparison with names.
pub(crate) struct Pattern {
    /// For each byte, the positions where it occurs.
    masks: [u64; 256],
    length: usize,
    edits: usize,
}

/// The state of the automaton: how much of the query was consumed, for each number of edits.
#[derive(Clone, Copy)]
pub(crate) struct State {
    reached: [u64; EDITS_MAX + 1],
    /// Positions of a pending transposition: the next letter was read first.
    swapped: [u64; EDITS_MAX + 1],
}

impl Pattern {
    /// Prepares a folded query. It is truncated to [`QUERY_MAX`].
    pub fn new(typed: &str, edits: usize) -> Self {
        let typed = &typed.as_bytes()[..typed.len().min(QUERY_MAX)];
        let mut masks = [0; 256];
        for (position, letter) in typed.iter().enumerate() {
            masks[usize::from(*letter)] |= 1 << position;
        }
        Self { masks, length: typed.len(), edits: edits.min(EDITS_MAX) }
    }

    /// Returns the initial state. Letters of the query may already be deleted.
    pub fn start(&self) -> State {
        let mut reached = [1; EDITS_MAX + 1];
        for edits in 1..=EDITS_MAX {
            reached[edits] = reached[edits - 1] | reached[edits - 1] << 1;
        }
        State { reached, swapped: [0; EDITS_MAX + 1] }
    }

    /// Returns the state after reading one more letter of the name.
    pub fn step(&self, state: &State, letter: u8) -> State {
        let mask = self.masks[usize::from(letter)];
        let within = (1 << (self.length + 1)) - 1;
        let State { reached, swapped } = state;
        let mut next = State { reached: [0; EDITS_MAX + 1], swapped: [0; EDITS_MAX + 1] };
        next.reached[0] = (reached[0] & mask) << 1;
        next.swapped[0] = reached[0] & mask >> 1;
        for edits in 1..=self.edits {
            let matched = (reached[edits] & mask) << 1;
            let deleted = reached[edits - 1];
            let replaced = reached[edits - 1] << 1;
            let inserted = next.reached[edits - 1] << 1;
            let transposed = (swapped[edits - 1] & mask) << 2;
            next.reached[edits] = (matched | deleted | replaced | inserted | transposed) & within;
            next.swapped[edits] = reached[edits] & mask >> 1;
        }
        next
    }

    /// Returns the edits between the whole query and the text read so far. `None` if there are too many.
    pub fn edits(&self, state: &State) -> Option<usize> {
        (0..=self.edits).find(|edits| state.reached[*edits] >> self.length & 1 == 1)
    }

    /// Returns `true` if some continuation could match with at most `edits` edits.
    pub fn can_reach(&self, state: &State, edits: usize) -> bool {
        state.reached[edits.min(self.edits)] != 0
    }

    /// Returns the edits between the query and a whole text. `None` if there are too many.
    pub fn edits_to(&self, text: &str) -> Option<usize> {
        let end = text.bytes().fold(self.start(), |state, letter| self.step(&state, letter));
        self.edits(&end)
    }

    pub const fn edits_max(&self) -> usize {
        self.edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook algorithm (optimal string alignment) as the oracle.
    fn oracle(a: &[u8], b: &[u8]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let other = usize::from(a[i - 1] != b[j - 1]);
                    let mut least =
                        (table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(table[i - 1][j - 1] + other);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn edits_agree_with_the_textbook_algorithm() {
        // Every pair of words of up to four letters over an alphabet of three.
        let mut words = vec![String::new()];
        for from in 0.. {
            let Some(word) = words.get(from).cloned() else { break };
            if word.len() < 4 {
                words.extend(["a", "b", "c"].map(|letter| format!("{word}{letter}")));
            }
        }
        assert_eq!(words.len(), 1 + 3 + 9 + 27 + 81);
        for typed in &words {
            let pattern = Pattern::new(typed, EDITS_MAX);
            for text in &words {
                let expected = Some(oracle(typed.as_bytes(), text.as_bytes())).filter(|edits| *edits <= 2);
                assert_eq!(pattern.edits_to(text), expected, "{typed} {text}");
            }
        }
    }

    #[test]
    fn longest_query_includes_its_last_letter() {
        let long = "a".repeat(QUERY_MAX);
        assert_eq!(Pattern::new(&long, 2).edits_to(&long), Some(0));
        assert_eq!(Pattern::new(&long, 2).edits_to(&long[2..]), Some(2));
        assert_eq!(Pattern::new(&long, 2).edits_to(&long[3..]), None);
    }
}
