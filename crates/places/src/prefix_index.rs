//! The folded names of all places, and a sorted index of their prefixes for exact and fuzzy prefix search.
//!
//! A name can be found by its prefix, by its prefix without the article, and by the prefix of each of its significant
//! words. Each of these is an entry, a slice of one long text. The entries are sorted and store the length of the prefix
//! that they share with the previous entry. This is an implicit trie: a traversal keeps one automaton state per depth,
//! resumes where the shared prefix ends, and skips a whole branch by looking for the next smaller shared length.

use domain::fold::fold_into;

use crate::geography::Geography;
use crate::place_query;
use crate::spelling::{Pattern, State};

/// The place of a name, by its index in the geography.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    City(u32),
    Department(u32),
}

/// A name and its place.
pub(crate) struct PlaceName {
    start: u32,
    length: u8,
    pub target: Target,
    /// The name of a commune that was merged into the target.
    pub former: bool,
    /// Larger places are more likely to be meant.
    pub population: u32,
}

impl PlaceName {
    /// Returns the city if this is its current name.
    pub fn current_city(&self) -> Option<u32> {
        match self.target {
            Target::City(city) if !self.former => Some(city),
            _ => None,
        }
    }
}

/// A position in a name where a query may start.
pub(crate) struct PrefixEntry {
    start: u32,
    length: u8,
    /// Whether the entry starts at the start of the name, or right after its article.
    pub at_start: bool,
    /// Whether the entry includes the article, if the name has one.
    pub is_full_name: bool,
    pub name: u32,
}

pub(crate) struct PrefixIndex {
    text: String,
    /// The cities, then the departments, then the former communes, each in the order of the geography.
    names: Vec<PlaceName>,
    cities: usize,
    entries: Vec<PrefixEntry>,
    /// The length of the prefix that each entry shares with the previous one.
    shared: Vec<u8>,
}

/// Words that are no useful start of a query, except at the start of a name.
const FUNCTION_WORDS: [&str; 17] = [
    "a", "au", "aux", "d", "de", "des", "du", "en", "et", "l", "la", "le", "les", "lez", "sous", "sur", "un",
];

impl PrefixIndex {
    pub fn new(geography: &Geography) -> Self {
        let mut index = Self {
            text: String::with_capacity(1 << 20),
            names: Vec::with_capacity(40_000),
            cities: geography.cities.len(),
            entries: Vec::with_capacity(80_000),
            shared: Vec::new(),
        };
        let mut department_population = vec![0_u32; geography.departments.len()];
        for (city_index, city) in (0..).zip(&geography.cities) {
            index.add(&city.name, Target::City(city_index), city.population, false);
            let department = geography.departments.binary_search_by_key(&city.department.id, |it| it.id);
            if let (Ok(department), None) = (department, &city.parent) {
                department_population[department] += city.population;
            }
        }
        for ((department_index, department), population) in
            (0..).zip(&geography.departments).zip(department_population)
        {
            index.add(&department.name, Target::Department(department_index), population, false);
        }
        for former in &geography.former {
            let population = geography.cities[former.city as usize].population;
            index.add(&former.name, Target::City(former.city), population, true);
        }
        index.sort();
        index
    }

    fn add(&mut self, name: &str, target: Target, population: u32, former: bool) {
        let start = self.text.len();
        fold_into(name, &mut self.text);
        // No name is nearly as long as 255 bytes, and a query is shorter.
        self.text.truncate(self.text.floor_char_boundary(start + usize::from(u8::MAX)));
        let length = (self.text.len() - start) as u8;
        let name_index = self.names.len() as u32;
        self.names.push(PlaceName { start: start as u32, length, target, former, population });
        let after_article = after_article(&self.text[start..]);
        let mut offset = 0;
        for word in self.text[start..].split(' ') {
            let at_start = offset == 0 || offset == after_article;
            if at_start || !FUNCTION_WORDS.contains(&word) && !word.is_empty() {
                self.entries.push(PrefixEntry {
                    start: (start + offset) as u32,
                    length: length.saturating_sub(offset as u8),
                    at_start,
                    is_full_name: offset == 0,
                    name: name_index,
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
        // The first eight letters as a number decide most comparisons without reading the text.
        let mut keyed: Vec<(u64, PrefixEntry)> = std::mem::take(&mut self.entries)
            .into_iter()
            .map(|entry| {
                let mut first = [0; 8];
                let letters = slice(text, entry.start, entry.length);
                let length = letters.len().min(8);
                first[..length].copy_from_slice(&letters[..length]);
                (u64::from_be_bytes(first), entry)
            })
            .collect();
        keyed.sort_unstable_by(|(first_a, a), (first_b, b)| {
            first_a
                .cmp(first_b)
                .then_with(|| slice(text, a.start, a.length).cmp(slice(text, b.start, b.length)))
                .then(a.name.cmp(&b.name))
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

    pub fn name(&self, name: u32) -> &PlaceName {
        &self.names[name as usize]
    }

    /// Returns the folded text of a name.
    pub fn folded(&self, name: u32) -> &str {
        let PlaceName { start, length, .. } = &self.names[name as usize];
        &self.text[*start as usize..*start as usize + usize::from(*length)]
    }

    /// Returns the names of former communes.
    pub fn former(&self) -> impl Iterator<Item = (u32, &PlaceName)> {
        (0..).zip(&self.names).filter(|(_, name)| name.former)
    }

    /// Returns the folded names of the cities, in the order of the geography.
    pub fn cities(&self) -> impl Iterator<Item = &str> {
        (0..self.cities as u32).map(|city| self.folded(city))
    }

    /// Returns the entries that start with a folded query, and whether the query is the whole entry. The ordinal ending of a
    /// district number is optional.
    pub fn with_prefix(&self, query: &str) -> impl Iterator<Item = (&PrefixEntry, bool)> {
        let query = query.as_bytes();
        let ends_in_digit = query.last().is_some_and(u8::is_ascii_digit);
        let from = self.entries.partition_point(|entry| self.letters(entry) < query);
        self.entries[from..].iter().map_while(move |entry| {
            let rest = self.letters(entry).strip_prefix(query)?;
            Some((entry, rest.is_empty() || ends_in_digit && matches!(rest, b"e" | b"er")))
        })
    }

    /// Returns the entries that are the whole current name of a city, with or without its article, and the city.
    pub fn whole_names(&self) -> impl Iterator<Item = (u32, u32)> {
        let at_start = (0..).zip(&self.entries).filter(|(_, entry)| entry.at_start);
        at_start.filter_map(|(index, entry)| Some((index, self.name(entry.name).current_city()?)))
    }

    /// Returns the letters of an entry.
    pub fn letters_at(&self, entry: u32) -> &[u8] {
        self.letters(&self.entries[entry as usize])
    }

    fn letters(&self, entry: &PrefixEntry) -> &[u8] {
        slice(&self.text, entry.start, entry.length)
    }

    /// Calls `on_match` for every entry that starts with the query within the allowed edits, with the number of edits.
    pub fn fuzzy_matches(&self, query: &Pattern, mut on_match: impl FnMut(&PrefixEntry, usize)) {
        // For each depth, the state of the automaton, and the fewest edits at which the whole query was consumed so far.
        let mut stack: Vec<(State, Option<usize>)> = vec![(query.start(), query.edits(&query.start()))];
        let mut index = 0;
        'entries: while let Some(entry) = self.entries.get(index) {
            let letters = self.letters(entry);
            stack.truncate(usize::from(self.shared[index]) + 1);
            let (mut state, mut least) = stack[stack.len() - 1];
            for depth in stack.len()..=letters.len() {
                state = query.step(&state, letters[depth - 1]);
                if let Some(edits) = query.edits(&state) {
                    least = Some(least.map_or(edits, |least| least.min(edits)));
                }
                let improvable = match least {
                    None => query.can_reach(&state, query.edits_max()),
                    Some(0) => false,
                    Some(least) => query.can_reach(&state, least - 1),
                };
                if !improvable {
                    // The result is the same for all entries that share this prefix.
                    let next = self.next_branch(index, depth);
                    if let Some(edits) = least {
                        self.entries[index..next].iter().for_each(|entry| on_match(entry, edits));
                    }
                    index = next;
                    continue 'entries;
                }
                stack.push((state, least));
            }
            if let Some(edits) = least {
                on_match(entry, edits);
            }
            index += 1;
        }
    }

    /// Returns the first entry after `index` that shares fewer than `depth` letters with its predecessor.
    fn next_branch(&self, index: usize, depth: usize) -> usize {
        let mut next = index + 1;
        // Whole chunks first: the minimum of 32 numbers is one vector operation, a search for the first small one is not.
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

/// Returns the offset after the article of a folded name.
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

    /// Compares the traversal, which skips branches, with a scan of all entries.
    #[test]
    fn fuzzy_matches_are_those_of_a_full_scan() {
        let files = files::embedded().unwrap();
        let index = PrefixIndex::new(&Geography::read(&files).unwrap());
        let position = |entry: &PrefixEntry| (entry.start, entry.length, entry.name);
        for typed in ["paris", "pariz", "saint etiene", "aix", "xyz", "montpelier", "e", "la chapele sur"] {
            for edits in 0..=2 {
                let pattern = Pattern::new(typed, edits);
                let mut found = Vec::new();
                index.fuzzy_matches(&pattern, |entry, edits| found.push((position(entry), edits)));
                let mut expected = Vec::new();
                for entry in &index.entries {
                    let mut state = pattern.start();
                    let mut least = pattern.edits(&state);
                    for letter in index.letters(entry) {
                        state = pattern.step(&state, *letter);
                        least = least.into_iter().chain(pattern.edits(&state)).min();
                    }
                    expected.extend(least.map(|edits| (position(entry), edits)));
                }
                assert_eq!(found, expected, "{typed} with {edits}");
            }
        }
    }

    #[test]
    fn prefix_matches_are_those_of_a_full_scan() {
        let files = files::embedded().unwrap();
        let index = PrefixIndex::new(&Geography::read(&files).unwrap());
        for query in ["par", "saint denis", "z", "zz", "paris 1"] {
            let found = index.with_prefix(query).count();
            let starts = |entry: &&PrefixEntry| index.letters(entry).starts_with(query.as_bytes());
            assert_eq!(found, index.entries.iter().filter(starts).count(), "{query}");
        }
    }

    #[test]
    fn long_name_is_truncated_at_a_character_boundary() {
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
        let index = PrefixIndex::new(&Geography::read(&files).unwrap());
        assert_eq!(index.folded(0).len(), 255);
    }
}
