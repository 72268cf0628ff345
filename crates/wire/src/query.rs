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
    pub value: String,
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
        let (name, value) = raw.split_once('=').unwrap_or((raw, ""));
        let (name, value) = (decoded(name), decoded(value));
        let (base, mut rest) = match name.find('[') {
            Some(start) if start > 0 && name.ends_with(']') => name.split_at(start),
            _ => (name.as_str(), ""),
        };
        let mut keys = Vec::new();
        while let Some((key, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            keys.push(key.to_owned());
            rest = after;
        }
        Self { name: base.to_owned(), keys, value, raw: raw.to_owned() }
    }
}

fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned()
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
        self.asked.insert(name);
        let values = self.query.pairs.iter().filter(|pair| pair.name == name && pair.keys.len() <= 1);
        values.map(|pair| pair.value.trim()).filter(|value| !value.is_empty() && *value != "null").collect()
    }

    /// Every pair of a parameter, however deep its keys.
    pub fn pairs(&mut self, name: &'static str) -> impl Iterator<Item = &'a Pair> + use<'a> {
        self.asked.insert(name);
        self.nested.insert(name);
        self.query.pairs.iter().filter(move |pair| pair.name == name)
    }

    /// Whether a parameter is there and says `null`, as distinct from one that is empty or not there.
    pub fn says_null(&self, name: &str) -> bool {
        let mut values = self.query.pairs.iter().filter(|pair| pair.name == name && pair.keys.len() <= 1);
        values.next_back().is_some_and(|pair| pair.value.trim() == "null")
    }

    /// A single value; of several the last.
    pub fn one(&mut self, name: &'static str) -> Option<&'a str> {
        self.list(name).pop()
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

    /// A whole number of at least `least`.
    pub fn count(&mut self, name: &'static str, least: u64) -> Option<u64> {
        let value = self.one(name)?;
        match value.parse::<u64>().ok().filter(|number| *number >= least) {
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
        for pair in self.query.pairs.iter().filter(|pair| pair.name == "order") {
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
        self.asked.insert("order");
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

/// Reads `true`, `false`, `1` or `0`, in any case.
pub fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
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
        assert!(list("x=&x=null&x[]=&y=3").is_empty());
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
    fn a_link_keeps_everything_else_as_it_was_written() {
        let query = RawQuery::parse("a%5B%5D=1&page=3&e[0][0][word]=vis-%C3%A0-vis&page[]=4").unwrap();
        assert_eq!(query.without("page"), "a%5B%5D=1&e[0][0][word]=vis-%C3%A0-vis");
    }
}
