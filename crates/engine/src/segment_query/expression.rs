//! Expressions (words and phrases), and the filter on features, compiled for one segment.

use std::borrow::Cow;

use domain::Phrase;
use domain::criteria::{AdvertScope, Entry, Presence};

use crate::bits::{BitSet, WORD, contains};
use crate::budget::{Budget, WorkKind};
use crate::segment::Segment;
use crate::segment::text_index::{PhraseSequence, PostingList, TextParts, TextScope};

/// The rows that may match, and the phrases to verify in them.
pub struct Expression<'a> {
    /// Every matching row is in all of these sets.
    candidates: Vec<RowSet<'a>>,
    /// The alternative groups. Empty if every candidate matches.
    groups: Vec<Vec<Operand<'a>>>,
    preparation_work: usize,
}

/// A bit set of rows.
type RowSet<'a> = Cow<'a, [u64]>;

/// One entry of a group.
struct Operand<'a> {
    presence: Presence,
    /// The rows that have all words of at least one alternative.
    rows: RowSet<'a>,
    /// The alternatives of several words, which have to be verified in the token sequence.
    phrases: Vec<PhraseSequence>,
    /// The rows that have an alternative of a single word, which need no verification. `None` if these are all `rows`.
    exact: Option<RowSet<'a>>,
    /// How many terms and bit sets were combined into the rows.
    words: usize,
}

impl<'a> Expression<'a> {
    /// Returns `None` if no row can match.
    pub fn new(segment: &'a Segment, groups: &[Vec<Entry>], adverts: AdvertScope) -> Option<Self> {
        let scope = TextScope { parts: TextParts::All, adverts };
        let operand = |entry: &Entry| Operand::new(segment, &entry.phrase, entry.presence, scope);
        Self::from_groups(segment, groups.iter().map(|group| group.iter().map(operand).collect()).collect())
    }

    /// Finds the rows that have each of the phrases in a feature. Returns `None` if no row can match.
    pub fn of_features(segment: &'a Segment, phrases: &[Phrase], adverts: AdvertScope) -> Option<Self> {
        let scope = TextScope { parts: TextParts::Features, adverts };
        let operand = |phrase: &Phrase| Operand::new(segment, phrase, Presence::Present, scope);
        Self::from_groups(segment, vec![phrases.iter().map(operand).collect()])
    }

    fn from_groups(segment: &'a Segment, groups: Vec<Vec<Operand<'a>>>) -> Option<Self> {
        let words = groups.iter().flatten().map(|operand| operand.words).sum::<usize>();
        let preparation_work = words.saturating_mul(segment.len().div_ceil(WORD));
        let has_residual = groups.iter().flatten().any(|operand| !operand.phrases.is_empty());
        let all_present =
            |group: &Vec<Operand<'a>>| group.iter().all(|operand| operand.presence == Presence::Present);
        match groups.as_slice() {
            [only] if all_present(only) && has_residual => {
                let candidates = only.iter().map(|operand| operand.rows.clone()).collect();
                return Some(Self { candidates, groups, preparation_work });
            }
            [only] if all_present(only) => {
                let candidates = groups.into_iter().flatten().map(|operand| operand.rows).collect();
                return Some(Self { candidates, groups: Vec::new(), preparation_work });
            }
            _ => {}
        }
        let mut any = BitSet::empty(segment.len());
        for group in &groups {
            let mut all = BitSet::full(segment.len());
            for operand in group {
                operand.narrow(&mut all);
            }
            any.union(all.words());
        }
        if any.count() == 0 {
            return None;
        }
        let candidates = vec![Cow::Owned(any.into_words())];
        let groups = if has_residual { groups } else { Vec::new() };
        Some(Self { candidates, groups, preparation_work })
    }

    /// Removes the rows that are not candidates. Each word of `rows` is a mask of 64 rows; the first word starts at row `start ×
    /// 64`.
    pub fn retain(&self, start: usize, rows: &mut [u64]) {
        for candidates in &self.candidates {
            rows.iter_mut().zip(&candidates[start..]).for_each(|(bits, candidates)| *bits &= candidates);
        }
    }

    /// Returns `true` if candidates have to be verified with [`holds`](Self::holds).
    pub fn has_residual(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Returns the work of finding the candidates, in words of bit sets.
    pub fn preparation_work(&self) -> usize {
        self.preparation_work
    }

    pub fn holds(&self, segment: &Segment, row: usize, budget: &Budget) -> bool {
        if self.groups.is_empty() {
            return true;
        }
        let mut sequence = None;
        let mut holds = |operand: &Operand<'_>| {
            let found = if contains(operand.exact(), row) {
                true
            } else if operand.phrases.is_empty() || !contains(&operand.rows, row) {
                false
            } else {
                let sequence =
                    sequence.get_or_insert_with(|| segment.text_index.sequence(row).collect::<Vec<_>>());
                operand.phrases.iter().any(|phrase| {
                    budget.count(WorkKind::Phrases, sequence.len());
                    phrase.is_in(sequence)
                })
            };
            found == (operand.presence == Presence::Present)
        };
        self.groups.iter().any(|group| group.iter().all(&mut holds))
    }
}

impl<'a> Operand<'a> {
    fn new(segment: &'a Segment, phrase: &Phrase, presence: Presence, scope: TextScope) -> Self {
        let phrases = segment.text_index.phrases(phrase, scope);
        let (single, phrases): (Vec<PhraseSequence>, Vec<PhraseSequence>) =
            phrases.into_iter().partition(|phrase| phrase.0.len() == 1);
        let single: Vec<u32> = single.into_iter().flat_map(|phrase| phrase.0).flatten().collect();
        // The most common case by far is one frequent word, whose rows exist as a bit set.
        let exact: RowSet<'a> = match single.as_slice() {
            [only] if let PostingList::BitSet(words) = segment.text_index.postings(*only) => {
                Cow::Borrowed(words)
            }
            term_ids => {
                let mut rows = BitSet::empty(segment.len());
                segment.text_index.add_rows_with(term_ids, &mut rows);
                Cow::Owned(rows.into_words())
            }
        };
        if phrases.is_empty() {
            return Self { presence, rows: exact, phrases, exact: None, words: single.len() + 1 };
        }
        let mut rows = BitSet::from_words(exact.to_vec());
        for phrase in &phrases {
            let mut all = BitSet::full(segment.len());
            for words in &phrase.0 {
                let mut with_word = BitSet::empty(segment.len());
                segment.text_index.add_rows_with(words, &mut with_word);
                all.intersect(with_word.words());
            }
            rows.union(all.words());
        }
        let rows = Cow::Owned(rows.into_words());
        let combined = |phrase: &PhraseSequence| phrase.0.iter().map(|terms| terms.len() + 1).sum::<usize>();
        let words = single.len() + 1 + phrases.iter().map(combined).sum::<usize>();
        Self { presence, rows, phrases, exact: Some(exact), words }
    }

    fn exact(&self) -> &[u64] {
        self.exact.as_ref().unwrap_or(&self.rows)
    }

    /// Removes the rows that cannot satisfy the entry.
    fn narrow(&self, rows: &mut BitSet) {
        match self.presence {
            Presence::Present => rows.intersect(&self.rows),
            // Only the rows that certainly have it are removed; the others are verified.
            Presence::Absent => rows.subtract(self.exact()),
        }
    }
}
