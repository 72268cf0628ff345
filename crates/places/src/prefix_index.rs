//! Every name of the geography, folded, and the sorted list of its beginnings that queries run over.
//!
//! A name can be found by its beginning, by its beginning without the article, and by the beginning of any of its words
//! that carries meaning. Each of these is an entry, a slice of one long text. The entries are sorted; beside each stands how many letters
//! it shares with the one before. That is a trie without nodes: a walk keeps one state per depth, takes up where the
//! shared letters end, and passes over a whole branch by looking for the next smaller number.

use domain::fold::fold_into;

use crate::geography::Geography;
use crate::spelling::{Pattern, State};
use crate::place_query;

/// What a name belongs to, by its position in the geography.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    City(u32),
    Department(u32),
}

/// A name and what it stands for.
pub(crate) struct PlaceName {
    start: u32,
    length: u8,
    pub target: Target,
    /// The name of a commune that was merged into the target.
    pub former: bool,
    /// How many people live there: the larger place is the likelier one.
    pub population: u32,
}

impl PlaceName {
    /// The city that is called so today.
    pub fn current_city(&self) -> Option<u32> {
        match self.target {
            Target::City(city) if !self.former => Some(city),
            _ => None,
        }
    }
}

/// A place in a name where a query may begin.
pub(crate) struct Entry {
    start: u32,
    length: u8,
    /// Whether the query begins where the name does, or right after its article.
    pub leads: bool,
    /// Whether the article, if the name has one, is part of it.
    pub complete: bool,
    pub label: u32,
}

pub(crate) struct PrefixIndex {
    text: String,
    /// The cities in their order, then the departments in theirs, then the former communes.
    labels: Vec<PlaceName>,
    cities: usize,
    entries: Vec<Entry>,
    /// The letters each entry shares with the one before it.
    shared: Vec<u8>,
}

/// How a query is held against an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The query is the beginning of the entry.
    Beginning,
    /// The query is all of it.
    Whole,
}

/// Words nobody begins a query with when the name does not.
const SMALL_WORDS: [&str; 17] = [
    "a", "au", "aux", "d", "de", "des", "du", "en", "et", "l", "la", "le", "les", "lez", "sous", "sur", "un",
];

impl PrefixIndex {
    pub fn new(geography: &Geography) -> Self {
        let mut labels = Self {
            text: String::with_capacity(1 << 20),
            labels: Vec::with_capacity(40_000),
            cities: geography.cities.len(),
            entries: Vec::with_capacity(80_000),
            shared: Vec::new(),
        };
        let mut department_population = vec![0_u32; geography.departments.len()];
        for (place, city) in (0..).zip(&geography.cities) {
            labels.add(&city.name, Target::City(place), city.population, false);
            let department = geography.departments.binary_search_by_key(&city.department.id, |it| it.id);
            if let (Ok(department), None) = (department, &city.parent) {
                department_population[department] += city.population;
            }
        }
        for ((place, department), population) in (0..).zip(&geography.departments).zip(department_population)
        {
            labels.add(&department.name, Target::Department(place), population, false);
        }
        for former in &geography.former {
            let population = geography.cities[former.city as usize].population;
            labels.add(&former.name, Target::City(former.city), population, true);
        }
        labels.sort();
        labels
    }

    fn add(&mut self, name: &str, target: Target, population: u32, former: bool) {
        let start = self.text.len();
        fold_into(name, &mut self.text);
        // No name is nearly so long; what lies beyond 255 letters could not be typed either.
        self.text.truncate(self.text.floor_char_boundary(start + usize::from(u8::MAX)));
        let length = (self.text.len() - start) as u8;
        let label = self.labels.len() as u32;
        self.labels.push(PlaceName { start: start as u32, length, target, former, population });
        let after_article = after_article(&self.text[start..]);
        let mut offset = 0;
        for word in self.text[start..].split(' ') {
            let leads = offset == 0 || offset == after_article;
            if leads || !SMALL_WORDS.contains(&word) && !word.is_empty() {
                self.entries.push(Entry {
                    start: (start + offset) as u32,
                    length: length.saturating_sub(offset as u8),
                    leads,
                    complete: offset == 0,
                    label,
                });
            }
            offset += word.len() + 1;
            if offset >= usize::from(u8::MAX) {
                break;
            }
        }
    }

    fn sort(&mut self) {
        let text = &self.text;
        // The first eight letters as a number settle most comparisons without touching the text.
        let mut keyed: Vec<(u64, Entry)> = std::mem::take(&mut self.entries)
            .into_iter()
            .map(|entry| {
                let mut first = [0; 8];
                let letters = slice(text, entry.start, entry.length);
                let known = letters.len().min(8);
                first[..known].copy_from_slice(&letters[..known]);
                (u64::from_be_bytes(first), entry)
            })
            .collect();
        keyed.sort_unstable_by(|(first_a, a), (first_b, b)| {
            first_a
                .cmp(first_b)
                .then_with(|| slice(text, a.start, a.length).cmp(slice(text, b.start, b.length)))
                .then(a.label.cmp(&b.label))
                .then(a.start.cmp(&b.start))
        });
        self.entries = keyed.into_iter().map(|(_, entry)| entry).collect();
        let mut previous: &[u8] = &[];
        self.shared = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let letters = slice(text, entry.start, entry.length);
            let shared = previous.iter().zip(letters).take_while(|(a, b)| a == b).count();
            self.shared.push(shared as u8);
            previous = letters;
        }
    }

    pub fn label(&self, label: u32) -> &PlaceName {
        &self.labels[label as usize]
    }

    /// The folded name of a label.
    pub fn folded(&self, label: u32) -> &str {
        let PlaceName { start, length, .. } = &self.labels[label as usize];
        &self.text[*start as usize..*start as usize + usize::from(*length)]
    }

    /// The labels that are not those of cities and departments: the former communes.
    pub fn former(&self) -> impl Iterator<Item = (u32, &PlaceName)> {
        (0..).zip(&self.labels).filter(|(_, label)| label.former)
    }

    /// The folded names of the cities, in their order.
    pub fn cities(&self) -> impl Iterator<Item = &str> {
        (0..self.cities as u32).map(|city| self.folded(city))
    }

    /// The entries that begin with a folded query; the second value is whether the query is all of the entry. A
    /// district's number need not have its ending.
    pub fn beginning_with(&self, query: &str) -> impl Iterator<Item = (&Entry, bool)> {
        let query = query.as_bytes();
        let ends_in_digit = query.last().is_some_and(u8::is_ascii_digit);
        let from = self.entries.partition_point(|entry| self.letters(entry) < query);
        self.entries[from..].iter().map_while(move |entry| {
            let rest = self.letters(entry).strip_prefix(query)?;
            Some((entry, rest.is_empty() || ends_in_digit && matches!(rest, b"e" | b"er")))
        })
    }

    fn letters(&self, entry: &Entry) -> &[u8] {
        slice(&self.text, entry.start, entry.length)
    }

    /// Hands every entry that agrees with the query, errors forgiven, to `found`, with the number of errors.
    pub fn resembling(&self, query: &Pattern, extent: Extent, mut found: impl FnMut(&Entry, usize)) {
        // For each depth, where the query stands, and the fewest errors at which it was all consumed on the way there.
        let mut stack: Vec<(State, Option<usize>)> = vec![(query.start(), query.edits(&query.start()))];
        let mut place = 0;
        'entries: while let Some(entry) = self.entries.get(place) {
            let letters = self.letters(entry);
            stack.truncate(usize::from(self.shared[place]) + 1);
            let (mut state, mut least) = stack[stack.len() - 1];
            for depth in stack.len()..=letters.len() {
                state = query.step(&state, letters[depth - 1]);
                if let Some(edits) = query.edits(&state) {
                    least = Some(least.map_or(edits, |least| least.min(edits)));
                }
                let improvable = match (extent, least) {
                    (Extent::Whole, _) | (Extent::Beginning, None) => {
                        query.can_reach(&state, query.edits_max())
                    }
                    (Extent::Beginning, Some(0)) => false,
                    (Extent::Beginning, Some(least)) => query.can_reach(&state, least - 1),
                };
                if !improvable {
                    // All entries that share these letters fare alike.
                    let next = self.next_sharing_less(place, depth);
                    if let (Extent::Beginning, Some(edits)) = (extent, least) {
                        self.entries[place..next].iter().for_each(|entry| found(entry, edits));
                    }
                    place = next;
                    continue 'entries;
                }
                stack.push((state, least));
            }
            let edits = match extent {
                Extent::Beginning => least,
                Extent::Whole => query.edits(&state),
            };
            if let Some(edits) = edits {
                found(entry, edits);
            }
            place += 1;
        }
    }

    /// The first entry after `place` that shares fewer than `depth` letters with the one before it.
    fn next_sharing_less(&self, place: usize, depth: usize) -> usize {
        let mut next = place + 1;
        // Whole runs first: the least of 32 numbers is one vector operation, a search for the first small one is not.
        for run in self.shared[next..].chunks(32) {
            if run.iter().fold(u8::MAX, |least, shared| least.min(*shared)) < depth as u8 {
                return next
                    + run.iter().position(|shared| usize::from(*shared) < depth).unwrap_or(run.len());
            }
            next += run.len();
        }
        next
    }
}

/// Where a folded name goes on after its article.
fn after_article(name: &str) -> usize {
    let article = name.split_once(' ').filter(|(first, _)| place_query::ARTICLES.contains(first));
    article.map_or(0, |(article, _)| article.len() + 1)
}

fn slice(text: &str, start: u32, length: u8) -> &[u8] {
    &text.as_bytes()[start as usize..start as usize + usize::from(length)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    /// The walk passes over branches; holding every entry against the query is slow and obvious.
    #[test]
    fn the_walk_finds_what_a_look_at_every_entry_finds() {
        let files = files::embedded().unwrap();
        let labels = PrefixIndex::new(&Geography::read(&files).unwrap());
        let position = |entry: &Entry| (entry.start, entry.length, entry.label);
        for typed in ["paris", "pariz", "saint etiene", "aix", "xyz", "montpelier", "e", "la chapele sur"] {
            for edits in 0..=2 {
                let pattern = Pattern::new(typed, edits);
                for extent in [Extent::Beginning, Extent::Whole] {
                    let mut found = Vec::new();
                    labels.resembling(&pattern, extent, |entry, edits| found.push((position(entry), edits)));
                    let mut expected = Vec::new();
                    for entry in &labels.entries {
                        let mut state = pattern.start();
                        let mut least = pattern.edits(&state);
                        for letter in labels.letters(entry) {
                            state = pattern.step(&state, *letter);
                            least = least.into_iter().chain(pattern.edits(&state)).min();
                        }
                        let edits = if extent == Extent::Whole { pattern.edits(&state) } else { least };
                        expected.extend(edits.map(|edits| (position(entry), edits)));
                    }
                    assert_eq!(found, expected, "{typed} with {edits}");
                }
            }
        }
    }

    #[test]
    fn the_entries_that_begin_so_are_those_a_look_at_every_entry_finds() {
        let files = files::embedded().unwrap();
        let labels = PrefixIndex::new(&Geography::read(&files).unwrap());
        for query in ["par", "saint denis", "z", "zz", "paris 1"] {
            let found = labels.beginning_with(query).count();
            let begins = |entry: &&Entry| labels.letters(entry).starts_with(query.as_bytes());
            assert_eq!(found, labels.entries.iter().filter(begins).count(), "{query}");
        }
    }

    #[test]
    fn a_name_of_any_length_is_taken_without_breaking_a_letter() {
        let commune = format!("1,C,,,{}é,1,,1,,", "日本".repeat(60));
        let file =
            |name: &str, content: String| files::SourceFile { name: name.into(), content: content.into() };
        let files = [
            file("countries.csv", "code,id,name\nX,1,X".into()),
            file("regions.csv", "code,name\n1,X".into()),
            file("departments.csv", "code,name,name_clean,region\n1,X,x,1".into()),
            file(
                "communes.csv",
                format!("insee,kind,parent,article,name,dept,zips,population,lat,lon\n{commune}"),
            ),
        ];
        let labels = PrefixIndex::new(&Geography::read(&files).unwrap());
        assert_eq!(labels.folded(0).len(), 255);
    }
}
