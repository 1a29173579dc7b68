//! `json_query`: returns the part of a value at a path.

use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use praxis_core::dataflow::lex::segments;
use praxis_core::dataflow::path::{PathObstacle, PathStop, Segment, print, walk};
use praxis_core::near::near;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonQueryArguments {
    value: Value,
    path: String,
    /// `Some(Null)` if `null` was given.
    #[serde(default, deserialize_with = "given")]
    default: Option<Value>,
}

fn given<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

/// Walks the path. Without a default, a missing part is an error that names the part of the path that exists.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let JsonQueryArguments { value, path, default } = arguments(value)?;
    let path = steps(&path)?;
    match (walk(&value, &path), default) {
        (Ok(found), _) => Ok(json!({"found": true, "picked_value": found})),
        (Err(_), Some(default)) => Ok(json!({"found": false, "picked_value": default})),
        (Err(stop), None) => Err(BuiltinError::argument("/path", ended(&path, &stop))),
    }
}

/// Parses a path such as `a.b[0]["c d"]`, which may begin with an index or with `$`.
fn steps(path: &str) -> Result<Vec<Segment>, BuiltinError> {
    let path = path.trim();
    let path = path.strip_prefix('$').unwrap_or(path);
    let path = path.strip_prefix('.').unwrap_or(path);
    if path.is_empty() {
        return Ok(vec![]);
    }
    let rooted = path.starts_with('[');
    let written = if rooted { format!("root{path}") } else { path.to_owned() };
    let mut steps = segments(&written).map_err(|error| {
        BuiltinError::argument("/path", format!("{error}; there are no filters and no wildcards"))
    })?;
    if rooted {
        steps.remove(0);
    }
    Ok(steps)
}

fn ended(path: &[Segment], stop: &PathStop) -> String {
    let walked = print(path.get(..stop.walked).unwrap_or_default());
    let walked = walked.strip_prefix('.').unwrap_or(&walked);
    let here = if walked.is_empty() { "the value".to_owned() } else { format!("`{walked}`") };
    let next = path.get(stop.walked).map(ToString::to_string).unwrap_or_default();
    let next = next.strip_prefix('.').unwrap_or(&next);
    let what = match &stop.found {
        PathObstacle::Keys(keys) if keys.is_empty() => "is an object without keys".to_owned(),
        PathObstacle::Keys(keys) => {
            let meant = near(next, keys.iter().map(String::as_str));
            let (word, names) =
                if meant.is_empty() { ("its keys are", keys) } else { ("near it:", &meant) };
            return format!("{here} has no `{next}`; {word} {}", names.join(", "));
        }
        PathObstacle::Length(length) => {
            return format!("{here} is a list of {length} and has no `{next}`; the first is [0]");
        }
        PathObstacle::Null => "is null".to_owned(),
        PathObstacle::Scalar(kind) => format!("is {kind}"),
        PathObstacle::Text => "is a text that is no JSON".to_owned(),
    };
    format!("{here} {what} and has no `{next}`; give a default if it may be missing")
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn value() -> Value {
        json!({"data": {"items": [{"id": 7, "a.b": 1}, {"id": 8}]}, "text": "{\"x\": [5]}", "none": null})
    }

    fn at(path: &str) -> Value {
        ask("json_query", json!({"value": value(), "path": path})).unwrap()["picked_value"].clone()
    }

    #[test]
    fn a_path_of_names_and_places_leads_to_its_value() {
        for (path, expected) in [
            ("data.items[1].id", json!(8)),
            ("$.data.items.0.id", json!(7)),
            ("data.items[0][\"a.b\"]", json!(1)),
            ("text.x[0]", json!(5)),
            ("none", json!(null)),
            ("$", value()),
            ("", value()),
        ] {
            assert_eq!(at(path), expected, "{path}");
        }
        let list = ask("json_query", json!({"value": [[1, 2]], "path": "[0][1]"}));
        assert_eq!(list, Ok(json!({"found": true, "picked_value": 2})));
    }

    #[test]
    fn a_path_that_leads_nowhere_says_how_far_it_led() {
        let why = |path: &str| refused(ask("json_query", json!({"value": value(), "path": path})));
        assert_eq!(why("data.itens"), "/path `data` has no `itens`; near it: items");
        assert_eq!(why("q"), "/path the value has no `q`; its keys are data, none, text");
        assert!(
            why("data.items[2]").ends_with("is a list of 2 and has no `[2]`; the first is [0]")
        );
        assert!(
            why("data.items[0].id.x").contains("`data.items[0].id` is a number and has no `x`")
        );
        assert!(why("none.x").contains("`none` is null"));
        assert!(why("data.items[*].id").ends_with("there are no filters and no wildcards"));
        assert!(why("data.items[?(@.id>7)]").ends_with("there are no filters and no wildcards"));
    }

    #[test]
    fn a_default_stands_in_for_what_is_missing() {
        for default in [json!(0), json!(null)] {
            let asked = json!({"value": value(), "path": "data.total", "default": default});
            assert_eq!(
                ask("json_query", asked),
                Ok(json!({"found": false, "picked_value": default}))
            );
        }
    }
}
