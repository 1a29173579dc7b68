//! `json_query`: returns the part of a value at a path.

use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::wording::{did_you_mean, listed};
use praxis_core::dataflow::lex::segments;
use praxis_core::dataflow::path::{PathObstacle, PathStop, Segment, print, walk};
use praxis_core::near::near;
use praxis_core::problem::Bilingual;
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
    let mut steps = segments(&written).map_err(|_| {
        let en = format!(
            "`{path}` is not a valid path; write names and indexes like `a.b[0]`; filters and wildcards are not \
             supported"
        );
        let zh = format!(
            "`{path}` 不是有效的路径；请用名称和下标，如 `a.b[0]`；不支持过滤条件和通配符"
        );
        BuiltinError::argument("/path", (en, zh))
    })?;
    if rooted {
        steps.remove(0);
    }
    Ok(steps)
}

fn ended(path: &[Segment], stop: &PathStop) -> Bilingual {
    let walked = print(path.get(..stop.walked).unwrap_or_default());
    let walked = walked.strip_prefix('.').unwrap_or(&walked);
    let (here_en, here_zh) = if walked.is_empty() {
        ("the value".to_owned(), "该值".to_owned())
    } else {
        (format!("`{walked}`"), format!("`{walked}` "))
    };
    let next = path.get(stop.walked).map(ToString::to_string).unwrap_or_default();
    let next = next.strip_prefix('.').unwrap_or(&next);
    let (is_en, is_zh) = match &stop.found {
        PathObstacle::Keys(keys) if keys.is_empty() => ("an empty object", "空对象"),
        PathObstacle::Keys(keys) => {
            let hint = known_keys(next, keys);
            let en = format!("{here_en} has no field `{next}`; {}", hint.en);
            return (en, format!("{here_zh}没有字段 `{next}`；{}", hint.zh)).into();
        }
        PathObstacle::Length(length) => {
            let en = format!(
                "{here_en} is a list of length {length} and has no `{next}`; indexes start at [0]"
            );
            let zh = format!("{here_zh}是长度为 {length} 的列表，没有 `{next}`；下标从 [0] 开始");
            return (en, zh).into();
        }
        PathObstacle::Null => ("null", " null"),
        PathObstacle::Scalar(kind @ "a number") => (*kind, "数字"),
        PathObstacle::Scalar(kind) => (*kind, "布尔值"),
        PathObstacle::Text => ("a string that is not JSON", "字符串，且不是 JSON"),
    };
    let en = format!(
        "{here_en} is {is_en} and has no field `{next}`; set `default` if it may be missing"
    );
    let zh = format!("{here_zh}是{is_zh}，没有字段 `{next}`；如果它可能不存在，请设置 `default`");
    (en, zh).into()
}

fn known_keys(wanted: &str, keys: &[String]) -> Bilingual {
    let meant = near(wanted, keys.iter().map(String::as_str));
    if !meant.is_empty() {
        return did_you_mean(&meant);
    }
    let Bilingual { en, zh } = listed(keys);
    (format!("its fields are {en}"), format!("现有字段：{zh}")).into()
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
        assert_eq!(why("data.itens"), "/path `data` has no field `itens`; did you mean `items`?");
        assert_eq!(
            why("q"),
            "/path the value has no field `q`; its fields are `data`, `none`, `text`"
        );
        assert!(
            why("data.items[2]")
                .ends_with("is a list of length 2 and has no `[2]`; indexes start at [0]")
        );
        assert!(
            why("data.items[0].id.x")
                .contains("`data.items[0].id` is a number and has no field `x`")
        );
        assert!(why("none.x").contains("`none` is null"));
        assert!(why("data.items[*].id").ends_with("filters and wildcards are not supported"));
        assert!(why("data.items[?(@.id>7)]").ends_with("filters and wildcards are not supported"));
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
