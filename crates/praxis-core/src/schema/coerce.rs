//! Converts a value to the type that a schema wants.
//!
//! - in: a value that does not fit, and its schema
//! - out: a fitting value with the same meaning, or `None`
//! - never: loses a digit

use crate::schema::Schema;
use serde_json::Value;

/// Returns an equivalent value that fits the schema, or `None` if the value fits already or cannot be converted. If
/// `may_guess`, a text may also be corrected to a similarly spelled enum value.
pub fn coerced(value: &Value, schema: &Value, may_guess: bool) -> Option<Value> {
    if schema.to_string().contains("\"$ref\"") {
        return None;
    }
    let compiled = Schema::compile(schema).ok()?;
    let fits = |value: &Value| compiled.errors(value).is_empty();
    if fits(value) {
        return None;
    }
    candidates(value, schema, may_guess).into_iter().find(fits)
}

/// Returns possible conversions of a value, the most likely first. They are not validated.
pub(crate) fn candidates(value: &Value, schema: &Value, may_guess: bool) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::String(text) => {
            found.extend(read(text.trim()));
            found.extend(date(text.trim()).map(Value::from));
            found.extend(word(text, schema, may_guess));
        }
        Value::Number(number) => found.push(Value::from(number.to_string())),
        Value::Bool(flag) => found.push(Value::from(flag.to_string())),
        Value::Array(items) => found.extend(items.first().filter(|_| items.len() == 1).cloned()),
        Value::Object(map) => {
            found.extend(map.values().next().filter(|_| map.len() == 1).cloned());
        }
        Value::Null => {}
    }
    if !value.is_null() && !value.is_array() {
        found.push(Value::Array(vec![value.clone()]));
    }
    found
}

/// Parses a text as a JSON number, boolean, array or object.
fn read(text: &str) -> Option<Value> {
    let plain = text.replace(['，', ','], ",");
    let value: Value = serde_json::from_str(text).or_else(|_| serde_json::from_str(&plain)).ok()?;
    // `serde_json` rejects `1e400`, `0x10` and `007`, so these stay texts.
    (!value.is_null() && !value.is_string()).then_some(value)
}

/// Converts `2026/3/2` and `2026年3月2日` to `2026-03-02`.
pub(crate) fn date(text: &str) -> Option<String> {
    let plain = text.replace(['年', '月', '/', '.'], "-").replace('日', "");
    let mut parts = plain.split('-').map(|part| part.trim().parse::<u32>());
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    let fits = parts.next().is_none()
        && (1000..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day);
    fits.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Returns the enum value that is meant: equal except for case, else the only similar one.
fn word(text: &str, schema: &Value, may_guess: bool) -> Option<Value> {
    let words: Vec<&str> =
        schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let same = words.iter().find(|word| word.to_lowercase() == text.trim().to_lowercase());
    if let Some(same) = same {
        return Some(Value::from(*same));
    }
    let near = |word: &&&str| strsim::osa_distance(word, text) <= 2 && word.len() > 3;
    let mut near = words.iter().filter(near);
    let found = near.next().filter(|_| may_guess)?;
    near.next().is_none().then(|| Value::from(*found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_takes_the_type_that_is_wanted_and_nothing_else() {
        let cases = [
            (json!("10"), json!({"type": "integer"}), Some(json!(10))),
            (json!("10.5"), json!({"type": "integer"}), None),
            (json!(7), json!({"type": "string"}), Some(json!("7"))),
            (json!("true"), json!({"type": "boolean"}), Some(json!(true))),
            (json!("a"), json!({"type": "array", "items": {"type": "string"}}), Some(json!(["a"]))),
            (json!(["a"]), json!({"type": "string"}), Some(json!("a"))),
            (json!({"id": "x"}), json!({"type": "string"}), Some(json!("x"))),
            (json!("[1, 2]"), json!({"type": "array"}), Some(json!([1, 2]))),
            (json!("Append"), json!({"enum": ["append", "replace"]}), Some(json!("append"))),
            (json!("apend"), json!({"enum": ["append", "replace"]}), Some(json!("append"))),
            (json!("delete"), json!({"enum": ["append", "replace"]}), None),
            (
                json!("2026年3月2日"),
                json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
                Some(json!("2026-03-02")),
            ),
            (json!(5), json!({"type": "integer"}), None),
        ];
        for (value, schema, expected) in cases {
            assert_eq!(coerced(&value, &schema, true), expected, "{value} as {schema}");
        }
        let words = json!({"enum": ["append", "replace"]});
        assert_eq!(coerced(&json!("apend"), &words, false), None, "nothing is guessed for a write");
    }
}
