//! Query strings as clients write them: four array notations, nested brackets, raw or percent-encoded values.
//!
//! [`RawQuery`] is the query as received. [`Parameters`] reads single parameters from it, collects violations, and
//! reports the unknown parameters at the end.

mod tree;

use std::collections::BTreeSet;

use domain::Violation;
use domain::criteria::Direction;

use crate::json::truncated;

pub use tree::{items, tree};

/// Maximum number of pairs in a query: several times the longest list the limits allow.
const PAIRS_MAX: usize = 20_000;

/// Maximum number of values quoted in an error message.
const VALUES_NAMED_MAX: usize = 5;

/// A query string, split into decoded pairs.
#[derive(Debug, Clone, Default)]
pub struct RawQuery {
    pairs: Vec<Pair>,
}

/// One `name[key][key]=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The part before the first bracket.
    pub name: String,
    /// The bracketed keys; `""` for `[]`.
    pub keys: Vec<String>,
    /// Meaningless if the pair is [not valid UTF-8](Pair::invalid_utf8).
    pub value: String,
    /// The raw part that is not valid UTF-8.
    not_utf8: Option<String>,
    /// The raw pair, for the links between pages.
    raw: String,
}

impl RawQuery {
    /// Parses a query string. `None` if it has more than `PAIRS_MAX` pairs.
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

    /// Returns the raw query without one parameter.
    pub fn without(&self, name: &str) -> String {
        let kept = self.pairs.iter().filter(|pair| pair.name != name).map(|pair| pair.raw.as_str());
        kept.collect::<Vec<_>>().join("&")
    }
}

impl Pair {
    fn parse(raw: &str) -> Self {
        let (raw_name, raw_value) = raw.split_once('=').unwrap_or((raw, ""));
        let (name, value) = (decode(raw_name), decode(raw_value));
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

    /// Returns the violation of a pair that is not valid UTF-8. Without it, a client that sends Latin-1 would
    /// search for garbled words and silently find nothing.
    pub fn invalid_utf8(&self) -> Option<Violation> {
        let written = self.not_utf8.as_ref()?;
        let message = format!("\"{}\" is not valid UTF-8.", truncated(written));
        Some(Violation::malformed(&self.name, message))
    }
}

/// Percent-decodes a text. `Err` holds the lossy text if it is not valid UTF-8.
fn decode(text: &str) -> Result<String, String> {
    let text = text.replace('+', " ");
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(&text).collect();
    String::from_utf8(bytes).map_err(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Reads the parameters of one operation from a query.
#[derive(Debug)]
pub struct Parameters<'a> {
    query: &'a RawQuery,
    consumed: BTreeSet<&'static str>,
    /// The consumed parameters that accept nested keys.
    nested: BTreeSet<&'static str>,
    /// Unknown parts of consumed parameters.
    ignored: Vec<String>,
    pub violations: Vec<Violation>,
}

impl<'a> Parameters<'a> {
    pub const fn new(query: &'a RawQuery) -> Self {
        Self {
            query,
            consumed: BTreeSet::new(),
            nested: BTreeSet::new(),
            ignored: Vec::new(),
            violations: Vec::new(),
        }
    }

    /// Returns all values of a parameter: `x[]=a&x[]=b`, `x[0]=a&x[1]=b`, `x=a&x=b` and `x=a` alike. `null` and the
    /// empty text count as absent.
    pub fn list(&mut self, name: &'static str) -> Vec<&'a str> {
        let values = self.consume(name).filter(|pair| pair.keys.len() <= 1);
        values.map(|pair| pair.value.trim()).filter(|value| !is_unset(value)).collect()
    }

    /// Returns all pairs of a parameter, including those with nested keys.
    pub fn pairs(&mut self, name: &'static str) -> impl Iterator<Item = &'a Pair> + use<'a> {
        self.nested.insert(name);
        self.consume(name)
    }

    /// Returns the valid pairs of a parameter. The first call records a violation for each pair that is not UTF-8.
    fn consume(&mut self, name: &'static str) -> impl Iterator<Item = &'a Pair> + use<'a> {
        let pairs = self.query.pairs.iter().filter(move |pair| pair.name == name);
        if self.consumed.insert(name) {
            self.violations.extend(pairs.clone().filter_map(Pair::invalid_utf8));
        }
        pairs.filter(|pair| pair.not_utf8.is_none())
    }

    /// Returns whether a parameter is `null`, as opposed to empty or absent.
    pub fn is_null(&self, name: &str) -> bool {
        let mut values = self.query.pairs.iter().filter(|pair| pair.name == name && pair.keys.len() <= 1);
        values.next_back().is_some_and(|pair| pair.value.trim().eq_ignore_ascii_case("null"))
    }

    /// Returns the value of a parameter; the last one if it is repeated.
    pub fn last(&mut self, name: &'static str) -> Option<&'a str> {
        self.list(name).pop()
    }

    /// Returns the value of a parameter that accepts only one. Several values are a violation: using the last one
    /// would silently ignore the others.
    pub fn single(&mut self, name: &'static str) -> Option<&'a str> {
        match self.list(name).as_slice() {
            [] => None,
            [value] => Some(value),
            values => {
                let named: Vec<String> = values
                    .iter()
                    .take(VALUES_NAMED_MAX)
                    .map(|value| format!("\"{}\"", truncated(value)))
                    .collect();
                let message =
                    format!("Only one value is allowed, {} given: {}.", values.len(), named.join(", "));
                self.violations.push(Violation::malformed(name, message));
                None
            }
        }
    }

    /// Parses the value of a parameter that accepts only one. An invalid value becomes a violation.
    pub fn parse_single<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.single(name)?;
        let found = read(value);
        if found.is_none() {
            self.reject(name, value, expected);
        }
        found
    }

    /// Returns whether a parameter has a violation so far.
    pub fn has_violation(&self, name: &str) -> bool {
        self.violations.iter().any(|violation| violation.path == name)
    }

    /// Parses each value of a list. Invalid values become violations.
    pub fn parse_list<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        for value in self.list(name) {
            match read(value) {
                Some(item) => found.push(item),
                None => self.reject(name, value, expected),
            }
        }
        found
    }

    /// Parses an integer of at least `least`. Values above `u64::MAX` saturate: no collection is that long.
    pub fn count(&mut self, name: &'static str, least: u64) -> Option<u64> {
        let value = self.last(name)?;
        match parse_u64_saturating(value).filter(|number| *number >= least) {
            Some(number) => Some(number),
            None => {
                self.reject(name, value, &format!("an integer of at least {least}"));
                None
            }
        }
    }

    /// Parses a boolean: `true`, `false`, `1` or `0`.
    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        let value = self.last(name)?;
        let found = parse_flag(value);
        if found.is_none() {
            self.reject(name, value, "true or false");
        }
        found
    }

    /// Parses `order[key]=asc|desc`, in the given order. Unknown keys are left for [`Self::ignored`]. A repeated
    /// key keeps its position and takes the last direction.
    pub fn order<T: Copy + PartialEq>(&mut self, offered: &[(&'static str, T)]) -> Vec<(T, Direction)> {
        self.order_with_aliases(offered, &[])
    }

    /// Like [`Self::order`], with parameters of their own for some of the keys: `orderCreatedAt=asc`.
    pub fn order_with_aliases<T: Copy + PartialEq>(
        &mut self,
        offered: &[(&'static str, T)],
        aliases: &[(&'static str, T)],
    ) -> Vec<(T, Direction)> {
        for name in std::iter::once("order").chain(aliases.iter().map(|(name, _)| *name)) {
            // Marks them as known and reports what is not UTF-8.
            let _ = self.consume(name);
        }
        let mut orders: Vec<(T, Direction)> = Vec::new();
        for pair in self.query.pairs.iter().filter(|pair| pair.not_utf8.is_none()) {
            let found = match (pair.name.as_str(), pair.keys.as_slice()) {
                ("order", [key]) => offered.iter().find(|(name, _)| name == key),
                (alias, []) => aliases.iter().find(|(name, _)| *name == alias),
                _ => None,
            };
            let Some((_, subject)) = found else { continue };
            let direction = match pair.value.trim().to_ascii_lowercase().as_str() {
                "asc" => Direction::Ascending,
                "desc" => Direction::Descending,
                "" | "null" => continue,
                other => {
                    let message = format!("\"{}\" is not asc or desc.", truncated(other));
                    let keys: String = pair.keys.iter().map(|key| format!("[{key}]")).collect();
                    self.violations.push(Violation::malformed(format!("{}{keys}", pair.name), message));
                    continue;
                }
            };
            match orders.iter_mut().find(|(key, _)| key == subject) {
                Some(entry) => entry.1 = direction,
                None => orders.push((*subject, direction)),
            }
        }
        orders
    }

    /// Returns the unknown parameters, as written, without duplicates.
    pub fn ignored(&self, offered_orders: &[&str]) -> Vec<String> {
        let mut ignored: BTreeSet<String> = self.ignored.iter().cloned().collect();
        for pair in &self.query.pairs {
            let is_known = match (pair.name.as_str(), pair.keys.as_slice()) {
                ("order", keys) if self.consumed.contains("order") => {
                    matches!(keys, [key] if offered_orders.contains(&key.as_str()))
                }
                (name, [] | [_]) => self.consumed.contains(name),
                (name, _) => self.nested.contains(name),
            };
            if !is_known {
                let keys: String = pair.keys.iter().map(|key| format!("[{key}]")).collect();
                ignored.insert(format!("{}{keys}", pair.name));
            }
        }
        ignored.into_iter().collect()
    }

    /// Reports a part of a parameter as ignored.
    pub fn ignore(&mut self, path: String) {
        self.ignored.push(path);
    }

    pub fn reject(&mut self, name: &str, value: &str, expected: &str) {
        let message = format!("\"{}\" is not {expected}.", truncated(value));
        self.violations.push(Violation::malformed(name, message));
    }
}

/// Returns whether a value counts as absent: empty, or `null` in any case.
pub(crate) fn is_unset(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.eq_ignore_ascii_case("null")
}

/// Parses `true`, `false`, `1` or `0`, in any case.
pub fn parse_flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Parses an unsigned integer of any size.
fn parse_u64_saturating(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(query: &str) -> Vec<String> {
        let query = RawQuery::parse(query).unwrap();
        Parameters::new(&query).list("x").into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn arrays_have_four_notations() {
        for query in ["x[]=a&x[]=b", "x[0]=a&x[1]=b", "x=a&x=b", "x%5B%5D=a&x%5b1%5d=b", "x[]=a&&y=1&x=b"] {
            assert_eq!(list(query), ["a", "b"], "{query}");
        }
        assert_eq!(list("x=Saint+L%C3%B4"), ["Saint Lô"]);
        assert!(list("x=&x=null&x=NULL&x=Null&x[]=&y=3").is_empty());
    }

    #[test]
    fn invalid_utf8_is_reported_as_written() {
        let query = RawQuery::parse("x[]=r%E9nov%E9&x=%C3%A9t%C3%A9&x[%FF]=a&y=%E9&order[name]=%E9").unwrap();
        let mut parameters = Parameters::new(&query);
        assert_eq!(parameters.list("x"), ["été"]);
        assert_eq!(parameters.list("x"), ["été"]);
        assert_eq!(parameters.order(&[("name", ())]), []);
        let messages: Vec<String> =
            parameters.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
        assert_eq!(
            messages,
            [
                "x: \"r%E9nov%E9\" is not valid UTF-8.",
                "x: \"x[%FF]\" is not valid UTF-8.",
                "order: \"%E9\" is not valid UTF-8."
            ]
        );
        // `y` was not consumed, so its bad encoding does not matter.
        assert_eq!(parameters.ignored(&["name"]), ["y"]);
    }

    #[test]
    fn counts_saturate() {
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
            assert_eq!(Parameters::new(&query).count("page", 1), expected, "{text}");
        }
    }

    #[test]
    fn nested_keys_are_split() {
        let query = RawQuery::parse("expressions[0][1][options][strict]=true").unwrap();
        assert_eq!(query.pairs()[0].keys, ["0", "1", "options", "strict"]);
        assert_eq!(query.pairs()[0].name, "expressions");
    }

    #[test]
    fn unknown_parameters_are_reported() {
        let query = RawQuery::parse(
            "nmae=x&name=y&order[name]=asc&order[age]=desc&page=2&nmae=z&name[a][b]=c&order[name]=desc",
        )
        .unwrap();
        let mut parameters = Parameters::new(&query);
        parameters.last("name");
        parameters.count("page", 1);
        assert_eq!(parameters.order(&[("name", ())]), [((), Direction::Descending)]);
        assert_eq!(parameters.ignored(&["name"]), ["name[a][b]", "nmae", "order[age]"]);
    }

    #[test]
    fn invalid_values_are_quoted() {
        let query = RawQuery::parse("page=0&order[name]=up").unwrap();
        let mut parameters = Parameters::new(&query);
        assert_eq!(parameters.count("page", 1), None);
        parameters.order(&[("name", ())]);
        let messages: Vec<String> =
            parameters.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
        assert_eq!(
            messages,
            ["page: \"0\" is not an integer of at least 1.", "order[name]: \"up\" is not asc or desc."]
        );
    }

    #[test]
    fn single_rejects_several_values() {
        for (query, message) in [
            ("x=a", None),
            ("x=a&x=&x[]=null", None),
            ("x=a&x=b", Some("Only one value is allowed, 2 given: \"a\", \"b\".")),
            ("x[]=a&x[1]=a", Some("Only one value is allowed, 2 given: \"a\", \"a\".")),
        ] {
            let parsed = RawQuery::parse(query).unwrap();
            let mut parameters = Parameters::new(&parsed);
            let found = parameters.single("x");
            assert_eq!(found, if message.is_none() { Some("a") } else { None }, "{query}");
            assert_eq!(parameters.has_violation("x"), message.is_some(), "{query}");
            assert_eq!(parameters.violations.first().map(|found| found.message.as_str()), message, "{query}");
        }
    }

    #[test]
    fn without_keeps_other_pairs_as_written() {
        let query = RawQuery::parse("a%5B%5D=1&page=3&e[0][0][word]=vis-%C3%A0-vis&page[]=4").unwrap();
        assert_eq!(query.without("page"), "a%5B%5D=1&e[0][0][word]=vis-%C3%A0-vis");
    }
}
