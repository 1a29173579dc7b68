//! Descriptions of the fields of a schema, in each language.
//!
//! - in: a schema whose `description` may have `translations` beside it: `{"zh": "排序列"}`
//! - out: the description in one language, or in all of them
//! - never: takes a property named `translations` for the keyword

use super::walk::with_inner;
use crate::lang::Lang;
use serde_json::Value;
use std::borrow::Cow;

/// The keyword with the description in other languages, by language. Validators ignore it.
pub const TRANSLATIONS: &str = "translations";

/// Returns the description in a language; without a translation, the schema's own.
pub fn description(schema: &Value, lang: Lang) -> Option<&str> {
    let own = || schema.get("description").and_then(Value::as_str);
    translated(schema, lang).or_else(own)
}

/// Returns the descriptions in all languages, the schema's own first: the text in which words are looked up.
pub fn descriptions(schema: &Value) -> Cow<'_, str> {
    let own = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut texts: Vec<&str> =
        Lang::ALL.iter().filter_map(|lang| translated(schema, *lang)).collect();
    if texts.is_empty() {
        return own.into();
    }
    texts.splice(0..0, Some(own).filter(|own| !own.is_empty()));
    texts.join("; ").into()
}

fn translated(schema: &Value, lang: Lang) -> Option<&str> {
    let text = schema.get(TRANSLATIONS)?.get(lang.code())?.as_str()?;
    Some(text).filter(|text| !text.is_empty())
}

/// Returns a copy of the schema with all descriptions in one language, as a model or a client reads it.
pub fn in_lang(schema: &Value, lang: Lang) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut map = with_inner(map, &mut |inner| in_lang(inner, lang));
    if map.remove(TRANSLATIONS).is_some()
        && let Some(text) = description(schema, lang)
    {
        map.insert("description".to_owned(), text.into());
    }
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_is_described_in_the_language_of_the_reader() {
        let field = json!({"description": "the columns", "translations": {"zh": "排序列"}});
        assert_eq!(description(&field, Lang::En), Some("the columns"));
        assert_eq!(description(&field, Lang::Zh), Some("排序列"));
        assert_eq!(descriptions(&field), "the columns; 排序列");
        let plain = json!({"description": "the columns"});
        assert_eq!(description(&plain, Lang::Zh), Some("the columns"));
        assert_eq!(descriptions(&plain), "the columns");
    }

    #[test]
    fn a_schema_is_put_into_one_language_at_every_depth() {
        let schema = json!({"properties": {
            "translations": {"type": "object", "description": "by language"},
            "by": {"type": "array", "description": "the columns", "translations": {"zh": "排序列"},
                "items": {"properties": {"column": {"description": "a name", "translations": {"zh": "列名"}}}}}}});
        let expected = json!({"properties": {
            "translations": {"type": "object", "description": "by language"},
            "by": {"type": "array", "description": "排序列",
                "items": {"properties": {"column": {"description": "列名"}}}}}});
        assert_eq!(in_lang(&schema, Lang::Zh), expected);
    }
}
