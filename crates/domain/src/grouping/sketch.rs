//! A sketch of a text: the smallest hashes of its shingles.
//!
//! A shingle is three adjacent tokens of a sentence. The hashes below a limit are a random sample of the shingles, and the same sample
//! in every text, so that the share of one text in another can be estimated from two sketches.

use std::sync::LazyLock;

use super::tokens::{Token, Tokens, hash_bytes, mix};
use super::word_set::WordSet;

/// The number of hashes that are kept. With 40, the standard error of a share of one half is eight per cent.
pub const SKETCH_MAX: usize = 40;

/// Legal words, and those of advertising. A sentence with one of them says nothing about the home.
const BOILERPLATE: &[&str] = &[
    "georisques",
    "honoraires",
    "bareme",
    "rsac",
    "siren",
    "siret",
    "estimation",
    "mediateur",
    "conseiller",
    "conseillers",
    "courtier",
    "courtiers",
    "barreme",
    "cpi",
];

/// Returns the sketch of a text, in ascending order, and the number of its shingles. A repeated one may count twice in a long text.
pub fn sketch(tokens: &Tokens) -> (Vec<u32>, usize) {
    static WORDS: LazyLock<WordSet> =
        LazyLock::new(|| WordSet::new(BOILERPLATE.iter().map(|word| hash_bytes(word.as_bytes()))));
    let boilerplate: &WordSet = &WORDS;
    let mut hashes = Vec::with_capacity(tokens.list().len());
    for sentence in tokens.list().split_inclusive(|token| token.ends_sentence) {
        let is_boilerplate = |token: &Token| boilerplate.contains(token.hash);
        if sentence.len() >= 3 && !sentence.iter().any(is_boilerplate) {
            hashes.extend(sentence.windows(3).map(shingle));
        }
    }
    smallest(hashes)
}

/// Returns the smallest hashes, each once, and how many there are of all.
fn smallest(mut hashes: Vec<u32>) -> (Vec<u32>, usize) {
    /// Some more than are kept, because a few may be equal.
    const SORTED: usize = SKETCH_MAX + SKETCH_MAX / 4;
    let all = hashes.len();
    if all > SORTED {
        let (first, _, _) = hashes.select_nth_unstable(SORTED);
        first.sort_unstable();
        let mut smallest = first.to_vec();
        smallest.dedup();
        if smallest.len() >= SKETCH_MAX {
            smallest.truncate(SKETCH_MAX);
            return (smallest, all);
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    let count = hashes.len();
    hashes.truncate(SKETCH_MAX);
    (hashes, count)
}

fn shingle(window: &[Token]) -> u32 {
    window.iter().fold(0, |hash, token| mix(hash.rotate_left(5) ^ token.hash))
}

/// What two texts have in common.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Overlap {
    /// The share of the smaller text that the other contains, by weight: from 0 to 1.
    pub share: f32,
    /// The mean weight of the common shingles: 1 if no other advert has them.
    pub rarity: f32,
    /// The number of shingles that were compared, of the smaller text.
    pub compared: usize,
    /// How many of them the other contains.
    pub common: usize,
}

/// Estimates what two texts have in common. `weight` is that of a shingle, from 0 to 1.
pub fn overlap(
    one: &[u32],
    one_count: usize,
    other: &[u32],
    other_count: usize,
    weight: impl Fn(u32) -> f32,
) -> Overlap {
    let limit = sample_limit(one, one_count).min(sample_limit(other, other_count));
    let one = &one[..one.partition_point(|hash| *hash <= limit)];
    let other = &other[..other.partition_point(|hash| *hash <= limit)];
    let (smaller, larger) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let (mut weights, mut total, mut common) = (0.0, 0.0, 0_usize);
    let mut position = 0;
    for hash in smaller {
        while larger.get(position).is_some_and(|known| known < hash) {
            position += 1;
        }
        let weight = weight(*hash);
        total += weight;
        if larger.get(position) == Some(hash) {
            weights += weight;
            common += 1;
        }
    }
    let compared = smaller.len();
    if weights == 0.0 {
        return Overlap { compared, ..Overlap::default() };
    }
    Overlap { share: weights / total, rarity: weights / common as f32, compared, common }
}

/// Counts the hashes that are in both lists, which are in ascending order.
pub fn common_count(one: &[u32], other: &[u32]) -> usize {
    common(one, other).count()
}

/// Returns `true` if the lists, which are in ascending order, have a hash in common.
pub fn have_common(one: &[u32], other: &[u32]) -> bool {
    common(one, other).next().is_some()
}

fn common(mut one: &[u32], mut other: &[u32]) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        while let ([hash, rest @ ..], [known, others @ ..]) = (one, other) {
            let (hash, known) = (*hash, *known);
            if hash <= known {
                one = rest;
            }
            if known <= hash {
                other = others;
            }
            if hash == known {
                return Some(hash);
            }
        }
        None
    })
}

/// Returns the largest hash up to which the sketch contains all shingles.
fn sample_limit(sketch: &[u32], count: usize) -> u32 {
    sketch.last().copied().filter(|_| count > sketch.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch_of(text: &str) -> (Vec<u32>, usize) {
        let mut tokens = Tokens::default();
        tokens.read(text);
        sketch(&tokens)
    }

    fn share(one: &str, other: &str) -> f32 {
        let (one, other) = (sketch_of(one), sketch_of(other));
        overlap(&one.0, one.1, &other.0, other.1, |_| 1.0).share
    }

    #[test]
    fn share_is_that_of_the_smaller_text() {
        let short = "Bel appartement traversant avec balcon plein sud";
        let long = format!("{short} et vue sur le parc, cuisine équipée, deux chambres, cave");
        assert_eq!(share(short, &long), 1.0);
        assert_eq!(share(&long, short), 1.0);
        assert_eq!(share(short, "Maison de ville rénovée en deux niveaux"), 0.0);
        assert_eq!(share(short, ""), 0.0);
    }

    #[test]
    fn share_of_long_texts_is_estimated() {
        let words =
            |from: u32, to: u32| (from..to).map(|word| format!("mot{word}x")).collect::<Vec<_>>().join(" ");
        let (one, other) = (words(0, 400), words(200, 600));
        let estimate = share(&one, &other);
        assert!((0.3..0.7).contains(&estimate), "{estimate}");
        assert_eq!(share(&one, &one), 1.0);
    }

    #[test]
    fn boilerplate_is_left_out() {
        let legal = "Les informations sur les risques sont disponibles sur le site Géorisques.";
        assert_eq!(sketch_of(legal).1, 0);
        assert_eq!(sketch_of(&format!("Maison de plain-pied. {legal}")).1, 2);
    }
}
