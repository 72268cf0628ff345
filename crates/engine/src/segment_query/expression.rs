//! Words and phrases in raw_criteria of one segment.

use std::borrow::Cow;

use domain::criteria::{Entry, Presence};

use crate::bits::{Bits, contains};
use crate::segment::Segment;
use crate::segment::text::{Owners, PhraseSequence};

/// Rows that may match, and what has to be looked at in each of them.
pub struct Expression<'a> {
    /// All that match are in every one of these.
    candidates: Vec<Candidates<'a>>,
    /// The groups, when the candidates do not settle it.
    groups: Vec<Vec<Part<'a>>>,
}

type Candidates<'a> = Cow<'a, [u64]>;

/// One entry of a group.
struct Part<'a> {
    presence: Presence,
    /// The rows that have all words of one of the phrases.
    rows: Candidates<'a>,
    /// Phrases of several words: having the words is not enough.
    phrases: Vec<PhraseSequence>,
    /// The rows that have one of the phrases of a single word: no residual there. Where there are no others, these are `rows`.
    sure: Option<Candidates<'a>>,
}

impl<'a> Expression<'a> {
    /// Nothing when no row can match.
    pub fn new(segment: &'a Segment, groups: &[Vec<Entry>]) -> Option<Self> {
        let part = |entry: &Entry| Part::new(segment, entry);
        let groups: Vec<Vec<Part<'a>>> =
            groups.iter().map(|group| group.iter().map(part).collect()).collect();
        let in_doubt = groups.iter().flatten().any(|part| !part.phrases.is_empty());
        let all_present = |group: &Vec<Part<'a>>| group.iter().all(|part| part.presence == Presence::Present);
        match groups.as_slice() {
            [only] if all_present(only) && in_doubt => {
                let candidates = only.iter().map(|part| part.rows.clone()).collect();
                return Some(Self { candidates, groups });
            }
            [only] if all_present(only) => {
                let candidates = groups.into_iter().flatten().map(|part| part.rows).collect();
                return Some(Self { candidates, groups: Vec::new() });
            }
            _ => {}
        }
        let mut any = Bits::none(segment.len());
        for group in &groups {
            let mut all = Bits::all(segment.len());
            for part in group {
                part.narrow(&mut all);
            }
            any.add(all.words());
        }
        if any.count() == 0 {
            return None;
        }
        let candidates = vec![Cow::Owned(any.into_words())];
        Some(Self { candidates, groups: if in_doubt { groups } else { Vec::new() } })
    }

    /// Leaves candidates in. Each word of `rows` stands for 64 rows, the first for those from `start × 64` on.
    pub fn keep(&self, start: usize, rows: &mut [u64]) {
        for candidates in &self.candidates {
            rows.iter_mut().zip(&candidates[start..]).for_each(|(bits, candidates)| *bits &= candidates);
        }
    }

    /// Whether candidates have to be looked at.
    pub fn in_doubt(&self) -> bool {
        !self.groups.is_empty()
    }

    pub fn holds(&self, segment: &Segment, row: usize) -> bool {
        if self.groups.is_empty() {
            return true;
        }
        let mut sequence = None;
        let mut holds = |part: &Part<'_>| {
            let found = if contains(part.sure(), row) {
                true
            } else if part.phrases.is_empty() || !contains(&part.rows, row) {
                false
            } else {
                let sequence = sequence.get_or_insert_with(|| segment.text.sequence(row).collect::<Vec<_>>());
                part.phrases.iter().any(|phrase| phrase.is_in(sequence))
            };
            found == (part.presence == Presence::Present)
        };
        self.groups.iter().any(|group| group.iter().all(&mut holds))
    }
}

impl<'a> Part<'a> {
    fn new(segment: &'a Segment, entry: &Entry) -> Self {
        let phrases = segment.text.phrases(&entry.phrase);
        let (single, phrases): (Vec<PhraseSequence>, Vec<PhraseSequence>) =
            phrases.into_iter().partition(|phrase| phrase.0.len() == 1);
        let single: Vec<u32> = single.into_iter().flat_map(|phrase| phrase.0).flatten().collect();
        // The commonest case by far: one word, frequent. Its rows are there already.
        let sure: Candidates<'a> = match single.as_slice() {
            [only] if let Owners::Words(words) = segment.text.owners(*only) => Cow::Borrowed(words),
            numbers => {
                let mut rows = Bits::none(segment.len());
                segment.text.add_owners(numbers, &mut rows);
                Cow::Owned(rows.into_words())
            }
        };
        if phrases.is_empty() {
            return Self { presence: entry.presence, rows: sure, phrases, sure: None };
        }
        let mut rows = Bits::from_words(sure.to_vec());
        for phrase in &phrases {
            let mut all = Bits::all(segment.len());
            for words in &phrase.0 {
                let mut owners = Bits::none(segment.len());
                segment.text.add_owners(words, &mut owners);
                all.keep(owners.words());
            }
            rows.add(all.words());
        }
        let rows = Cow::Owned(rows.into_words());
        Self { presence: entry.presence, rows, phrases, sure: Some(sure) }
    }

    fn sure(&self) -> &[u64] {
        self.sure.as_ref().unwrap_or(&self.rows)
    }

    /// Leaves the rows in that may satisfy the entry.
    fn narrow(&self, rows: &mut Bits) {
        match self.presence {
            Presence::Present => rows.keep(&self.rows),
            // Only rows that surely have it are out; the others are looked at.
            Presence::Absent => rows.take_out(self.sure()),
        }
    }
}
