//! `json_merge`: merges objects, later ones over earlier ones.

use crate::error::{BuiltinError, arguments};
use crate::json_text;
use crate::local::CallContext;
use crate::wording::kind;
use serde::Deserialize;
use serde_json::{Value, json};

/// The maximum number of objects.
const MOST_OBJECTS: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonMergeArguments {
    objects: Vec<Value>,
    #[serde(default)]
    lists: ListMerge,
}

/// The way in which two lists at the same place are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ListMerge {
    #[default]
    Replace,
    Append,
}

/// Merges the objects from first to last.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let JsonMergeArguments { objects, lists } = arguments(value)?;
    if objects.is_empty() || objects.len() > MOST_OBJECTS {
        let count = objects.len();
        let en = format!("expected 1 to {MOST_OBJECTS} objects, got {count}");
        let zh = format!("应有 1 到 {MOST_OBJECTS} 个对象，实际为 {count} 个");
        return Err(BuiltinError::argument("/objects", (en, zh)));
    }
    let mut whole = json!({});
    for (position, object) in objects.into_iter().enumerate() {
        let at = format!("/objects/{position}");
        let object = json_text::opened(&at, object)?;
        if !object.is_object() {
            let kind = kind(&object);
            let en = format!("must be an object, got {}", kind.en);
            return Err(BuiltinError::argument(at, (en, format!("必须是对象，实际为{}", kind.zh))));
        }
        merge(&mut whole, object, lists);
    }
    let names = whole.as_object().map(serde_json::Map::len);
    Ok(json!({"field_count": names, "merged_value": whole}))
}

/// Merges recursively; the depth of the values is limited where they are parsed.
fn merge(below: &mut Value, above: Value, lists: ListMerge) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                match below.get_mut(&name) {
                    Some(there) => merge(there, value, lists),
                    None => {
                        below.insert(name, value);
                    }
                }
            }
        }
        (Value::Array(below), Value::Array(above)) if lists == ListMerge::Append => {
            below.extend(above);
        }
        (below, above) => *below = above,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::json;

    #[test]
    fn later_objects_win_name_by_name() {
        let objects = json!([{"a": {"x": 1, "y": [1]}, "b": 1}, "{\"a\": {\"y\": [2]}}", {"b": null, "c": 3}]);
        for (lists, y) in [("replace", json!([2])), ("append", json!([1, 2]))] {
            let value = json!({"a": {"x": 1, "y": y}, "b": null, "c": 3});
            let asked = json!({"objects": objects, "lists": lists});
            assert_eq!(
                ask("json_merge", asked),
                Ok(json!({"field_count": 3, "merged_value": value}))
            );
        }
    }

    #[test]
    fn what_is_no_object_is_refused_by_its_place() {
        let why = |objects| refused(ask("json_merge", json!({"objects": objects})));
        assert_eq!(why(json!([{}, [1]])), "/objects/1 must be an object, got a list");
        assert!(why(json!(["{"])).starts_with("/objects/0 not valid JSON"));
        assert_eq!(why(json!([])), "/objects expected 1 to 1000 objects, got 0");
    }
}
