//! Query strings, as real clients write them: arrays in four spellings, nested brackets, values raw or percent-encoded.
//!
//! [`RawQuery`] is the query as received. [`Parameters`] takes single parameters out of it, collects what cannot be read,
//! and knows at the end which parameters nobody asked for.

mod tree;

use std::collections::BTreeSet;

use domain::Violation;
use domain::criteria::Direction;

use crate::json::shown;

pub use tree::{items, tree};

/// The most pairs of one query; the longest list the limits allow fits several times.
const PAIRS_MAX: usize = 20_000;

/// How many of the values are named that are too many: a few show what happened.
const VALUES_NAMED_MAX: usize = 5;

/// A query string, cut into pairs and decoded.
#[derive(Debug, Clone, Default)]
pub struct RawQuery {
    pairs: Vec<Pair>,
}

/// One `name[key][key]=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Before the first bracket.
    pub name: String,
    /// What stands in the brackets; empty for `[]`.
    pub keys: Vec<String>,
    /// Of no use when the pair is [garbled](Pair::garbled).
    pub value: String,
    /// The part that is not UTF-8, as it was written.
    not_utf8: Option<String>,
    /// The pair as it was written, for links that lead back to the same question.
    raw: String,
}

impl RawQuery {
    /// Reads a query string; nothing when it has more pairs than anybody needs.
    pub fn parse(query: &str) -> Option<Self> {
        let pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).take(PAIRS_MAX + 1).collect();
        (pairs.len() <= PAIRS_MAX).then(|| Self { pairs: pairs.into_iter().map(Pair::parse).collect() })
    }

    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The query as written, without one parameter.
    pub fn without(&self, name: &str) -> String {
        let kept = self.pairs.iter().filter(|pair| pair.name != name).map(|pair| pair.raw.as_str());
        kept.collect::<Vec<_>>().join("&")
    }
}

impl Pair {
    fn parse(raw: &str) -> Self {
        let (raw_name, raw_value) = raw.split_once('=').unwrap_or((raw, ""));
        let (name, value) = (decoded(raw_name), decoded(raw_value));
        let not_utf8 = match (&name, &value) {
            (_, Err(_)) => Some(raw_value.to_owned()),
            (Err(_), Ok(_)) => Some(raw_name.to_owned()),
            (Ok(_), Ok(_)) => None,
        };
        let (name, value) = (name.unwrap_or_else(|lossy| lossy), value.unwrap_or_else(|lossy| lossy));
        let (base, mut rest) = match name.find('[') {
            Some(start) if start > 0 && name.ends_with(']') => name.split_at(start),
            _ => (name.as_str(), ""),
        };
        let mut keys = Vec::new();
        while let Some((key, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            keys.push(key.to_owned());
            rest = after;
        }
        Self { name: base.to_owned(), keys, value, not_utf8, raw: raw.to_owned() }
    }

    /// What is wrong with a pair that is not UTF-8. Whoever writes Latin-1 would otherwise look for words that nobody wrote, and
    /// find nothing without learning why.
    pub fn garbled(&self) -> Option<Violation> {
        let written = self.not_utf8.as_ref()?;
        let message = format!("\"{}\" is not UTF-8.", shown(written));
        Some(Violation::malformed(&self.name, message))
    }
}

/// A text without its percent signs; where that is not UTF-8, as much of it as is.
fn decoded(text: &str) -> Result<String, String> {
    let text = text.replace('+', " ");
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(&text).collect();
    String::from_utf8(bytes).map_err(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Takes the parameters of one operation out of a query.
#[derive(Debug)]
pub struct Parameters<'a> {
    query: &'a RawQuery,
    asked: BTreeSet<&'static str>,
    /// Of those the ones that are asked for with keys inside keys.
    nested: BTreeSet<&'static str>,
    /// Parts of parameters that were asked for, but mean nothing.
    meaningless: Vec<String>,
    pub violations: Vec<Violation>,
}

impl<'a> Parameters<'a> {
    pub const fn of(query: &'a RawQuery) -> Self {
        Self {
            query,
            asked: BTreeSet::new(),
            nested: BTreeSet::new(),
            meaningless: Vec::new(),
            violations: Vec::new(),
        }
    }

    /// Every value of a parameter: `x[]=a&x[]=b`, `x[0]=a&x[1]=b`, `x=a&x=b` and `x=a` alike. `null` and the empty text mean
    /// that nothing was given.
    pub fn list(&mut self, name: &'static str) -> Vec<&'a str> {
        let values = self.ask(name).filter(|pair| pair.keys.len() <= 1);
        values.map(|pair| pair.value.trim()).filter(|value| !is_nothing(value)).collect()
    }

    /// Every pair of a parameter, however deep its keys.
    pub fn pairs(&mut self, name: &'static str) -> impl Iterator<Item = &'a Pair> + use<'a> {
        self.nested.insert(name);
        self.ask(name)
    }

    /// The pairs of a parameter that can be read; the others are violations when it is asked for the first time.
    fn ask(&mut self, name: &'static str) -> impl Iterator<Item = &'a Pair> + use<'a> {
        let pairs = self.query.pairs.iter().filter(move |pair| pair.name == name);
        if self.asked.insert(name) {
            self.violations.extend(pairs.clone().filter_map(Pair::garbled));
        }
        pairs.filter(|pair| pair.not_utf8.is_none())
    }

    /// Whether a parameter is there and says `null`, as distinct from one that is empty or not there.
    pub fn says_null(&self, name: &str) -> bool {
        let mut values = self.query.pairs.iter().filter(|pair| pair.name == name && pair.keys.len() <= 1);
        values.next_back().is_some_and(|pair| pair.value.trim().eq_ignore_ascii_case("null"))
    }

    /// A single value; of several the last.
    pub fn one(&mut self, name: &'static str) -> Option<&'a str> {
        self.list(name).pop()
    }

    /// The value of a parameter that has one. Several are refused: whoever asks for two things must not be answered about the last.
    pub fn single(&mut self, name: &'static str) -> Option<&'a str> {
        match self.list(name).as_slice() {
            [] => None,
            [value] => Some(value),
            values => {
                let named: Vec<String> = values
                    .iter()
                    .take(VALUES_NAMED_MAX)
                    .map(|value| format!("\"{}\"", shown(value)))
                    .collect();
                let message =
                    format!("Only one value is taken, {} given: {}.", values.len(), named.join(", "));
                self.violations.push(Violation::malformed(name, message));
                None
            }
        }
    }

    /// A single value, read; one that cannot be read becomes a violation that names it.
    pub fn read_single<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.single(name)?;
        let found = read(value);
        if found.is_none() {
            self.refuse(name, value, expected);
        }
        found
    }

    /// Whether something was wrong with a parameter so far.
    pub fn is_refused(&self, name: &str) -> bool {
        self.violations.iter().any(|violation| violation.path == name)
    }

    /// Each value of a list, read; those that cannot be read become violations that name them.
    pub fn read_list<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        for value in self.list(name) {
            match read(value) {
                Some(item) => found.push(item),
                None => self.refuse(name, value, expected),
            }
        }
        found
    }

    /// A whole number of at least `least`. One that is too large to be held is the largest that can be: it has the same meaning
    /// for whatever is counted here.
    pub fn count(&mut self, name: &'static str, least: u64) -> Option<u64> {
        let value = self.one(name)?;
        match whole(value).filter(|number| *number >= least) {
            Some(number) => Some(number),
            None => {
                self.refuse(name, value, &format!("a whole number of at least {least}"));
                None
            }
        }
    }

    /// True or false, in words or digits.
    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        let value = self.one(name)?;
        let found = flag(value);
        if found.is_none() {
            self.refuse(name, value, "true or false");
        }
        found
    }

    /// `order[key]=asc|desc`, in the order given; keys that are not offered are left to be reported.
    /// One that is given twice keeps its place and has the last direction.
    pub fn order<T: Copy + PartialEq>(&mut self, offered: &[(&'static str, T)]) -> Vec<(T, Direction)> {
        let mut orders: Vec<(T, Direction)> = Vec::new();
        for pair in self.ask("order") {
            let [key] = pair.keys.as_slice() else { continue };
            let Some((_, subject)) = offered.iter().find(|(name, _)| name == key) else { continue };
            let direction = match pair.value.trim().to_ascii_lowercase().as_str() {
                "asc" => Direction::Ascending,
                "desc" => Direction::Descending,
                "" | "null" => continue,
                other => {
                    let message = format!("\"{}\" is not asc or desc.", shown(other));
                    self.violations.push(Violation::malformed(format!("order[{key}]"), message));
                    continue;
                }
            };
            match orders.iter_mut().find(|(known, _)| known == subject) {
                Some(known) => known.1 = direction,
                None => orders.push((*subject, direction)),
            }
        }
        orders
    }

    /// The parameters nobody asked for, as written, each once.
    pub fn ignored(&self, offered_orders: &[&str]) -> Vec<String> {
        let mut ignored: BTreeSet<String> = self.meaningless.iter().cloned().collect();
        for pair in &self.query.pairs {
            let known = match (pair.name.as_str(), pair.keys.as_slice()) {
                ("order", keys) if self.asked.contains("order") => {
                    matches!(keys, [key] if offered_orders.contains(&key.as_str()))
                }
                (name, [] | [_]) => self.asked.contains(name),
                (name, _) => self.nested.contains(name),
            };
            if !known {
                let keys: String = pair.keys.iter().map(|key| format!("[{key}]")).collect();
                ignored.insert(format!("{}{keys}", pair.name));
            }
        }
        ignored.into_iter().collect()
    }

    /// Reports a part of a parameter as ignored.
    pub fn ignore(&mut self, path: String) {
        self.meaningless.push(path);
    }

    pub fn refuse(&mut self, name: &str, value: &str, expected: &str) {
        let message = format!("\"{}\" is not {expected}.", shown(value));
        self.violations.push(Violation::malformed(name, message));
    }
}

/// Whether a value says that nothing is given: no text, or `null` in any case.
pub(crate) fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.eq_ignore_ascii_case("null")
}

/// Reads `true`, `false`, `1` or `0`, in any case.
pub fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Reads a whole number of any size.
fn whole(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(query: &str) -> Vec<String> {
        let query = RawQuery::parse(query).unwrap();
        Parameters::of(&query).list("x").into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn an_array_has_four_spellings() {
        for query in ["x[]=a&x[]=b", "x[0]=a&x[1]=b", "x=a&x=b", "x%5B%5D=a&x%5b1%5d=b", "x[]=a&&y=1&x=b"] {
            assert_eq!(list(query), ["a", "b"], "{query}");
        }
        assert_eq!(list("x=Saint+L%C3%B4"), ["Saint Lô"]);
        assert!(list("x=&x=null&x=NULL&x=Null&x[]=&y=3").is_empty());
    }

    #[test]
    fn what_is_not_utf_8_is_named_as_it_was_written() {
        let query = RawQuery::parse("x[]=r%E9nov%E9&x=%C3%A9t%C3%A9&x[%FF]=a&y=%E9&order[name]=%E9").unwrap();
        let mut parameters = Parameters::of(&query);
        assert_eq!(parameters.list("x"), ["été"]);
        assert_eq!(parameters.list("x"), ["été"]);
        assert_eq!(parameters.order(&[("name", ())]), []);
        let told: Vec<String> =
            parameters.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
        assert_eq!(
            told,
            [
                "x: \"r%E9nov%E9\" is not UTF-8.",
                "x: \"x[%FF]\" is not UTF-8.",
                "order: \"%E9\" is not UTF-8."
            ]
        );
        // Nobody asked for it, so that nobody minds what it says.
        assert_eq!(parameters.ignored(&["name"]), ["y"]);
    }

    #[test]
    fn a_count_may_have_any_size() {
        for (text, expected) in [
            ("7", Some(7)),
            ("007", Some(7)),
            ("18446744073709551615", Some(u64::MAX)),
            ("99999999999999999999999999", Some(u64::MAX)),
            ("0", None),
            ("-1", None),
            ("1e3", None),
            ("1.0", None),
        ] {
            let query = RawQuery::parse(&format!("page={text}")).unwrap();
            assert_eq!(Parameters::of(&query).count("page", 1), expected, "{text}");
        }
    }

    #[test]
    fn nested_keys_are_kept_apart() {
        let query = RawQuery::parse("expressions[0][1][options][strict]=true").unwrap();
        assert_eq!(query.pairs()[0].keys, ["0", "1", "options", "strict"]);
        assert_eq!(query.pairs()[0].name, "expressions");
    }

    #[test]
    fn parameters_nobody_asked_for_are_named() {
        let query = RawQuery::parse(
            "nmae=x&name=y&order[name]=asc&order[age]=desc&page=2&nmae=z&name[a][b]=c&order[name]=desc",
        )
        .unwrap();
        let mut parameters = Parameters::of(&query);
        parameters.one("name");
        parameters.count("page", 1);
        assert_eq!(parameters.order(&[("name", ())]), [((), Direction::Descending)]);
        assert_eq!(parameters.ignored(&["name"]), ["name[a][b]", "nmae", "order[age]"]);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_value() {
        let query = RawQuery::parse("page=0&order[name]=up").unwrap();
        let mut parameters = Parameters::of(&query);
        assert_eq!(parameters.count("page", 1), None);
        parameters.order(&[("name", ())]);
        let told: Vec<String> =
            parameters.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
        assert_eq!(
            told,
            ["page: \"0\" is not a whole number of at least 1.", "order[name]: \"up\" is not asc or desc."]
        );
    }

    #[test]
    fn one_of_several_values_is_not_chosen_where_one_is_meant() {
        for (query, told) in [
            ("x=a", None),
            ("x=a&x=&x[]=null", None),
            ("x=a&x=b", Some("Only one value is taken, 2 given: \"a\", \"b\".")),
            ("x[]=a&x[1]=a", Some("Only one value is taken, 2 given: \"a\", \"a\".")),
        ] {
            let parsed = RawQuery::parse(query).unwrap();
            let mut parameters = Parameters::of(&parsed);
            let found = parameters.single("x");
            assert_eq!(found, if told.is_none() { Some("a") } else { None }, "{query}");
            assert_eq!(parameters.is_refused("x"), told.is_some(), "{query}");
            assert_eq!(parameters.violations.first().map(|found| found.message.as_str()), told, "{query}");
        }
    }

    #[test]
    fn a_link_keeps_everything_else_as_it_was_written() {
        let query = RawQuery::parse("a%5B%5D=1&page=3&e[0][0][word]=vis-%C3%A0-vis&page[]=4").unwrap();
        assert_eq!(query.without("page"), "a%5B%5D=1&e[0][0][word]=vis-%C3%A0-vis");
    }
}
