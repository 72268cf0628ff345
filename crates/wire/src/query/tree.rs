//! Turns parameters with nested keys into one value: `x[0][word]=a&x[0][strict]=1` becomes `{"0": {"word": "a",
//! "strict": "1"}}`.
//!
//! Nested parameters and JSON bodies share one parser this way. A list is an object with numeric keys.

use domain::Violation;
use serde_json::{Map, Value};

use super::Pair;

/// Maximum depth of nested keys; a few more than any parameter has.
const DEPTH_MAX: usize = 8;

/// First index given to `[]` keys: above any index a client writes.
const APPENDED: usize = 1_000_000;

/// Builds the value of one parameter. A pair without a key, or with an empty key, appends to a list.
pub fn tree<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Result<Value, Violation> {
    let mut root = Map::new();
    for (number, pair) in pairs.enumerate() {
        let keys: Vec<String> = match pair.keys.as_slice() {
            [] => vec![String::new()],
            keys => keys.to_vec(),
        };
        let conflict = || {
            let path: String = keys.iter().map(|key| format!("[{key}]")).collect();
            let path = format!("{}{path}", pair.name);
            Violation::malformed(path, "This key has both a value and nested keys.")
        };
        if keys.len() > DEPTH_MAX {
            return Err(Violation::malformed(
                &pair.name,
                "The keys of this parameter are nested too deeply.",
            ));
        }
        let key = |key: &str| match key {
            "" => (APPENDED + number).to_string(),
            key => key.to_owned(),
        };
        let Some((last, inner)) = keys.split_last() else { continue };
        let mut branch = &mut root;
        for step in inner {
            let entry = branch.entry(key(step)).or_insert_with(|| Value::Object(Map::new()));
            branch = entry.as_object_mut().ok_or_else(conflict)?;
        }
        let previous = branch.insert(key(last), Value::String(pair.value.clone()));
        if previous.is_some_and(|previous| previous.is_object()) {
            return Err(conflict());
        }
    }
    Ok(Value::Object(root))
}

/// Returns the items of a list (an array, or an object with numeric keys), each with its index. `None` for any
/// other value.
pub fn items(value: &Value) -> Option<Vec<(usize, &Value)>> {
    match value {
        Value::Array(items) => Some(items.iter().enumerate().collect()),
        Value::Object(members) => {
            let numbered = members.iter().map(|(key, item)| Some((key.parse::<usize>().ok()?, item)));
            let mut items = numbered.collect::<Option<Vec<_>>>()?;
            items.sort_by_key(|(number, _)| *number);
            let indexed = |(index, (number, item))| (if number < APPENDED { number } else { index }, item);
            Some(items.into_iter().enumerate().map(indexed).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::RawQuery;
    use super::*;

    fn check(query: &str, expected: Option<Value>) {
        assert_eq!(tree(RawQuery::parse(query).unwrap().pairs().iter()).ok(), expected, "{query}");
    }

    #[test]
    fn nested_keys_become_one_value() {
        check("x[0][word]=a&x[0][strict]=1", Some(json!({"0": {"word": "a", "strict": "1"}})));
        check("x=a&x[]=b&x[7]=c", Some(json!({"1000000": "a", "1000001": "b", "7": "c"})));
        check("x[1]=a&x[1]=b", Some(json!({"1": "b"})));
        check("x[0]=a&x[0][word]=b", None);
        check("x[0][word]=b&x[0]=a", None);
        check("x[1][2][3][4][5][6][7][8]=a&x[1][2][3][4][5][6][7][8][9]=a", None);
    }

    #[test]
    fn items_are_sorted_and_keep_their_indexes() {
        let numbers = |value: &Value| -> Option<Vec<usize>> {
            items(value).map(|items| items.into_iter().map(|(number, _)| number).collect())
        };
        assert_eq!(numbers(&json!({"10": 1, "9": 2, "1000000": 3})), Some(vec![9, 10, 2]));
        assert_eq!(numbers(&json!([1, 2])), Some(vec![0, 1]));
        assert_eq!(numbers(&json!({"word": 1})), None);
        assert_eq!(numbers(&json!("word")), None);
    }
}
