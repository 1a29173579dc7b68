//! Paths into JSON values.

use crate::document::read_json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// One segment of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Segment {
    /// `.name` or `.0`: an object key, or an index if the value is an array.
    Key(Arc<str>),
    /// `["a.b"]`: exactly this object key.
    Quoted(Arc<str>),
    /// `[0]`: an array index.
    Index(usize),
}

impl fmt::Display for Segment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(out, ".{key}"),
            Self::Quoted(key) => write!(out, "[{}]", Value::from(&**key)),
            Self::Index(index) => write!(out, "[{index}]"),
        }
    }
}

/// The point where a walk stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStop {
    /// The number of segments walked.
    pub walked: usize,
    /// The obstacle at that point.
    pub found: PathObstacle,
}

/// The obstacle that a walk met instead of the next segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathObstacle {
    /// An object without that key, with its first keys.
    Keys(Vec<String>),
    /// An array without that index, with its length.
    Length(usize),
    /// `null`.
    Null,
    /// A scalar, which has no parts, in words.
    Scalar(&'static str),
    /// A string that is not JSON.
    Text,
}

/// The maximum number of keys that an obstacle lists.
const MOST_CANDIDATES: usize = 12;
/// The maximum number of times that JSON text inside JSON text is parsed.
const MOST_LAYERS: usize = 4;

/// Walks `path` from `root`. A string is parsed as JSON if the path continues into it.
pub fn walk<'a>(root: &'a Value, path: &[Segment]) -> Result<Cow<'a, Value>, PathStop> {
    walk_layer(root, path, MOST_LAYERS)
}

fn walk_layer<'a>(
    root: &'a Value,
    path: &[Segment],
    layers: usize,
) -> Result<Cow<'a, Value>, PathStop> {
    let mut here = root;
    let mut walked = 0;
    while let Some(segment) = path.get(walked) {
        let stop = |found| Err(PathStop { walked, found });
        match (here, segment) {
            (Value::Object(map), Segment::Key(_) | Segment::Quoted(_)) => {
                let Some((value, used)) = child(map, path.get(walked..).unwrap_or_default()) else {
                    let keys = map.keys().take(MOST_CANDIDATES).cloned().collect();
                    return stop(PathObstacle::Keys(keys));
                };
                here = value;
                walked += used;
            }
            (Value::Array(items), Segment::Index(_) | Segment::Key(_)) => {
                let Some(value) = index_of(segment).and_then(|index| items.get(index)) else {
                    return stop(PathObstacle::Length(items.len()));
                };
                here = value;
                walked += 1;
            }
            (Value::String(text), _) => {
                let inner = if layers > 0 { read_json(text).ok() } else { None };
                let Some(inner) = inner else { return stop(PathObstacle::Text) };
                let rest = path.get(walked..).unwrap_or_default();
                return match walk_layer(&inner, rest, layers - 1) {
                    Ok(value) => Ok(Cow::Owned(value.into_owned())),
                    Err(deeper) => Err(PathStop { walked: walked + deeper.walked, ..deeper }),
                };
            }
            (Value::Object(map), Segment::Index(_)) => {
                return stop(PathObstacle::Keys(
                    map.keys().take(MOST_CANDIDATES).cloned().collect(),
                ));
            }
            (Value::Array(items), Segment::Quoted(_)) => {
                return stop(PathObstacle::Length(items.len()));
            }
            (Value::Null, _) => return stop(PathObstacle::Null),
            (Value::Bool(_), _) => return stop(PathObstacle::Scalar("true or false")),
            (Value::Number(_), _) => return stop(PathObstacle::Scalar("a number")),
        }
    }
    Ok(Cow::Borrowed(here))
}

/// Returns the value under the first segment, or under the longest dotted key that the next segments spell, and the
/// number of segments used.
fn child<'a>(
    map: &'a serde_json::Map<String, Value>,
    path: &[Segment],
) -> Option<(&'a Value, usize)> {
    let (Segment::Key(first) | Segment::Quoted(first)) = path.first()? else { return None };
    if let Some(value) = map.get(&**first) {
        return Some((value, 1));
    }
    if matches!(path.first(), Some(Segment::Quoted(_))) || path.len() < 2 {
        return None;
    }
    let plain = path.iter().take_while(|s| matches!(s, Segment::Key(_))).count();
    (2..=plain).rev().find_map(|used| {
        let key = dotted(path.get(..used)?);
        map.get(&key).map(|value| (value, used))
    })
}

/// Joins plain segments to `a.b.c`.
pub(crate) fn dotted(path: &[Segment]) -> String {
    let names: Vec<&str> = path
        .iter()
        .filter_map(|segment| match segment {
            Segment::Key(name) => Some(&**name),
            Segment::Quoted(_) | Segment::Index(_) => None,
        })
        .collect();
    names.join(".")
}

fn index_of(segment: &Segment) -> Option<usize> {
    match segment {
        Segment::Index(index) => Some(*index),
        Segment::Key(key) => key.parse().ok(),
        Segment::Quoted(_) => None,
    }
}

/// Prints a path as it stands after its head: `.a[0]`.
pub fn print(path: &[Segment]) -> String {
    path.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(name: &str) -> Segment {
        Segment::Key(name.into())
    }

    #[test]
    fn dots_indexes_and_numbers_walk_any_depth() {
        let value = json!({"a": {"b": [{"c": 7}]}, "0": "zero"});
        for path in [
            vec![key("a"), key("b"), Segment::Index(0), key("c")],
            vec![key("a"), key("b"), key("0"), key("c")],
        ] {
            assert_eq!(*walk(&value, &path).unwrap(), json!(7));
        }
        assert_eq!(*walk(&value, &[key("0")]).unwrap(), json!("zero"));
    }

    #[test]
    fn a_key_with_dots_is_found_plainly_and_in_quotes() {
        let value = json!({"a.b": {"c": 1}, "a": {"x": 2}});
        assert_eq!(*walk(&value, &[Segment::Quoted("a.b".into()), key("c")]).unwrap(), json!(1));
        assert_eq!(*walk(&json!({"a.b": 3}), &[key("a"), key("b")]).unwrap(), json!(3));
    }

    #[test]
    fn json_text_is_entered_twice_encoded_too_and_bad_text_says_so() {
        let once = json!({"data": "{\"id\": 5}"});
        assert_eq!(*walk(&once, &[key("data"), key("id")]).unwrap(), json!(5));
        let twice = json!({"data": serde_json::to_string("{\"id\": 6}").unwrap()});
        assert_eq!(*walk(&twice, &[key("data"), key("id")]).unwrap(), json!(6));
        let stop = walk(&json!({"data": "plain"}), &[key("data"), key("id")]).unwrap_err();
        assert_eq!(stop, PathStop { walked: 1, found: PathObstacle::Text });
    }

    #[test]
    fn null_scalars_and_missing_keys_say_where_the_walk_ended() {
        let value = json!({"n": null, "i": 1, "l": [1]});
        assert_eq!(walk(&value, &[key("n"), key("x")]).unwrap_err().found, PathObstacle::Null);
        assert_eq!(walk(&value, &[key("i"), key("x")]).unwrap_err().walked, 1);
        assert_eq!(
            walk(&value, &[key("l"), Segment::Index(4)]).unwrap_err().found,
            PathObstacle::Length(1)
        );
        let missing = walk(&value, &[key("q")]).unwrap_err().found;
        assert_eq!(missing, PathObstacle::Keys(vec!["i".into(), "l".into(), "n".into()]));
    }
}
