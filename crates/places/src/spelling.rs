//! How many typing errors lie between what was typed and a name.
//!
//! An error is a letter too many, too few, another one, or two neighbours swapped. All ways to spend up to two errors are
//! followed at once, each as one bit of a machine word: bit `i` of `reached[e]` is set when the first `i` letters typed
//! agree with the text read so far at the price of at most `e` errors. Reading a letter costs a handful of operations,
//! which is what makes it possible to hold a whole country's names against a query while a person types.

/// More errors than two make another name of it.
pub(crate) const EDITS_MAX: usize = 2;

/// The longest name of the country has 45 letters. The length is a bit's place, so 62 is the most there can be.
pub(crate) const TYPED_MAX: usize = 60;

/// How many errors are forgiven in a text of so many letters: an error among three letters already leaves only two.
pub(crate) fn edits_forgiven(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=7 => 1,
        _ => EDITS_MAX,
    }
}

/// What was typed, ready to be held against names.
pub(crate) struct Pattern {
    /// For each byte, the places where it occurs.
    masks: [u64; 256],
    length: usize,
    edits: usize,
}

/// How far the typed text was consumed, for each number of errors.
#[derive(Clone, Copy)]
pub(crate) struct State {
    reached: [u64; EDITS_MAX + 1],
    /// Places whose letter is awaited because the letter after it came first.
    swapped: [u64; EDITS_MAX + 1],
}

impl Pattern {
    /// Both sides must be folded. What is typed beyond [`TYPED_MAX`] is left out.
    pub fn new(typed: &str, edits: usize) -> Self {
        let typed = &typed.as_bytes()[..typed.len().min(TYPED_MAX)];
        let mut masks = [0; 256];
        for (place, letter) in typed.iter().enumerate() {
            masks[usize::from(*letter)] |= 1 << place;
        }
        Self { masks, length: typed.len(), edits: edits.min(EDITS_MAX) }
    }

    /// Before any letter of the name was read: typed letters may already have been too many.
    pub fn start(&self) -> State {
        let mut reached = [1; EDITS_MAX + 1];
        for edits in 1..=EDITS_MAX {
            reached[edits] = reached[edits - 1] | reached[edits - 1] << 1;
        }
        State { reached, swapped: [0; EDITS_MAX + 1] }
    }

    /// After one more letter of the name.
    pub fn step(&self, state: &State, letter: u8) -> State {
        let mask = self.masks[usize::from(letter)];
        let within = (1 << (self.length + 1)) - 1;
        let State { reached, swapped } = state;
        let mut next = State { reached: [0; EDITS_MAX + 1], swapped: [0; EDITS_MAX + 1] };
        next.reached[0] = (reached[0] & mask) << 1;
        next.swapped[0] = reached[0] & mask >> 1;
        for edits in 1..=self.edits {
            let agreed = (reached[edits] & mask) << 1;
            let left_out = reached[edits - 1];
            let replaced = reached[edits - 1] << 1;
            let too_many = next.reached[edits - 1] << 1;
            let exchanged = (swapped[edits - 1] & mask) << 2;
            next.reached[edits] = (agreed | left_out | replaced | too_many | exchanged) & within;
            next.swapped[edits] = reached[edits] & mask >> 1;
        }
        next
    }

    /// The errors between everything typed and the text read so far, when forgiven.
    pub fn edits(&self, state: &State) -> Option<usize> {
        (0..=self.edits).find(|edits| state.reached[*edits] >> self.length & 1 == 1)
    }

    /// Whether some continuation could agree at the price of at most `edits` errors.
    pub fn can_reach(&self, state: &State, edits: usize) -> bool {
        state.reached[edits.min(self.edits)] != 0
    }

    /// The errors between what was typed and the whole of a text, when forgiven.
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

    /// The textbook table (optimal string alignment), slow and obvious.
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
    fn errors_are_counted_as_the_textbook_counts_them() {
        // Every pair of words of up to four letters over three letters: insertions, gaps and swaps in every place.
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
    fn the_longest_text_typed_still_counts_its_last_letter() {
        let long = "a".repeat(TYPED_MAX);
        assert_eq!(Pattern::new(&long, 2).edits_to(&long), Some(0));
        assert_eq!(Pattern::new(&long, 2).edits_to(&long[2..]), Some(2));
        assert_eq!(Pattern::new(&long, 2).edits_to(&long[3..]), None);
    }
}
