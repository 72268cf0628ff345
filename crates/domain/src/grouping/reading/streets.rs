//! Reads the names of streets.

use super::{Reader, insert};
use crate::grouping::tokens::{hash_bytes, mix};
use crate::grouping::words::{is_common, word_hash};

const STREETS_MAX: usize = 2;

/// Words after "rue" that are not its name.
const NOT_NAMES: [&str; 9] = [
    "passante",
    "animee",
    "arboree",
    "principale",
    "pietonne",
    "paisible",
    "tranquille",
    "privee",
    "adjacente",
];

/// Beginnings of names that many streets share: the next word belongs to the name.
const TITLES: [&str; 12] = [
    "saint",
    "sainte",
    "general",
    "marechal",
    "docteur",
    "president",
    "colonel",
    "capitaine",
    "professeur",
    "jean",
    "pierre",
    "victor",
];

impl Reader<'_> {
    /// Reads "rue des Clefs", "avenue du Général-Leclerc", "quai Gambetta".
    pub(super) fn street(&mut self, position: usize) {
        let ends = |at: usize| self.tokens.list().get(at).is_none_or(|token| token.ends_sentence);
        let at = self.after_articles(position + 1);
        if (position..at).any(ends) {
            return;
        }
        let word = self.tokens.word_at(at);
        let name = if TITLES.contains(&word) && !ends(at) {
            let next = word_hash(self.tokens.word_at(self.after_articles(at + 1)));
            next.map(|next| mix(hash_bytes(word.as_bytes()).rotate_left(5) ^ next))
        } else if at > position + 1 {
            word_hash(word)
        } else {
            // Without an article, it may be an adjective.
            word_hash(word).filter(|hash| !is_common(*hash) && !NOT_NAMES.contains(&word))
        };
        if let Some(name) = name {
            // A street and a word of the same name are counted apart.
            insert(&mut self.reading.streets, mix(name ^ 0x5f3c_9a11), STREETS_MAX);
        }
    }

    fn after_articles(&self, mut at: usize) -> usize {
        while matches!(self.tokens.word_at(at), "de" | "du" | "des" | "la" | "le" | "les" | "l" | "d" | "aux")
        {
            at += 1;
        }
        at
    }
}
