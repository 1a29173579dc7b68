//! Describes in words the values that a schema accepts.
//!
//! - in: the schema of a field
//! - out: one line: the kind of value, its default, its description
//! - never: shows a schema; a value that no words describe is sketched, as in `[{"column":"…"}]`

use super::text::{cut, say, short};
use praxis_core::lang::Lang;
use praxis_core::pointer::pointer_to;
use praxis_core::schema::description::{TRANSLATIONS, description};
use praxis_core::schema::{required, schema_at};
use serde_json::{Map, Value};

/// Maximum width of a sketched value.
const MOST_SKETCH: usize = 80;
/// Maximum depth of a sketched value.
const DEEPEST_SKETCH: usize = 4;
/// Maximum width of the list of `enum` values.
const MOST_CHOICES: usize = 72;
/// Maximum width of one value.
const MOST_VALUE: usize = 40;
/// Maximum width of a field's description.
const MOST_NOTE: usize = 100;
/// Schema keys that do not constrain the value.
const NOTES: [&str; 11] = [
    "title",
    "description",
    TRANSLATIONS,
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
];

/// Describes the value of a field: `a whole number from 0 to 2, default 1 · how many`.
pub(crate) fn wanted(schema: &Value, lang: Lang) -> String {
    let kind = kind(schema, lang).map(|kind| kind.one);
    let mut words = kind.unwrap_or_else(|| match sketch(schema) {
        Some(sketch) => format!("{}{sketch}", say(lang, "a value like ", "形如 ")),
        None => say(lang, "a value", "一个值").to_owned(),
    });
    let default = schema.get("default").map(shown);
    if let Some(default) = default {
        words.push_str(say(lang, ", default ", "，默认 "));
        words.push_str(&default);
    }
    let note = |key: &str| schema.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let about = description(schema, lang).filter(|text| !text.is_empty());
    if let Some(note) = about.or_else(|| note("title")) {
        words.push_str(" · ");
        words.push_str(&cut(note.trim(), MOST_NOTE));
    }
    words
}

/// Sketches a list or an object, with its required fields: `[{"column":"…"}]`. Other values have no sketch.
pub(crate) fn sketch(schema: &Value) -> Option<String> {
    let is_nested = |text: &String| text.starts_with(['[', '{']);
    Some(sketched(schema, DEEPEST_SKETCH)).filter(is_nested).map(|text| cut(&text, MOST_SKETCH))
}

fn sketched(schema: &Value, depth: usize) -> String {
    let key = |key: &str| schema.get(key);
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|all| all.first());
    if let Some(one) = first("examples").or_else(|| first("enum")) {
        return one.to_string();
    }
    if let Some(one) = first("anyOf").or_else(|| first("oneOf")).filter(|_| depth > 0) {
        return sketched(one, depth - 1);
    }
    let name = key("type").and_then(Value::as_str).or_else(|| first("type")?.as_str());
    match name {
        Some("array") => match key("items").filter(|_| depth > 0) {
            Some(items) => format!("[{}]", sketched(items, depth - 1)),
            None => "[…]".to_owned(),
        },
        Some("object") if depth > 0 => {
            let field = |name: &str| {
                let inner = schema_at(schema, &pointer_to("", name));
                let value = inner.map_or("…".to_owned(), |inner| sketched(inner, depth - 1));
                format!("{}:{value}", Value::from(name))
            };
            let fields: Vec<String> = required(schema).map(field).collect();
            if fields.is_empty() { "{…}".to_owned() } else { format!("{{{}}}", fields.join(",")) }
        }
        Some("object") => "{…}".to_owned(),
        Some("string") => "\"…\"".to_owned(),
        _ => "…".to_owned(),
    }
}

/// Formats a value for people: a string without quotes, unless it is empty or has blanks at its ends.
pub(crate) fn shown(value: &Value) -> String {
    let plain = |text: &&str| !text.is_empty() && text.trim() == *text;
    match value.as_str().filter(plain) {
        Some(text) => cut(text, MOST_VALUE),
        None => short(value, MOST_VALUE),
    }
}

/// The name of a kind of value, in singular and plural.
struct KindWords {
    one: String,
    many: String,
}

/// Describes the kind of value; `None` for a schema with a constraint that has no words.
fn kind(schema: &Value, lang: Lang) -> Option<KindWords> {
    if *schema == Value::Bool(true) {
        return Some(named(lang, ("any value", "any values"), "任意值"));
    }
    let says = says(schema.as_object()?);
    if let Some(choices) = says.get("enum").and_then(Value::as_array) {
        return one_of(choices, lang).filter(|_| covers(&says, &["enum", "type"]));
    }
    match says.get("type") {
        None if says.is_empty() => Some(named(lang, ("any value", "any values"), "任意值")),
        Some(Value::String(name)) => of_type(name, &says, lang),
        Some(Value::Array(names)) => any_of(names, &says, lang),
        _ => None,
    }
}

/// Returns the constraints of a schema, without its notes.
fn says(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut says = schema.clone();
    says.retain(|key, _| !NOTES.contains(&key.as_str()));
    says
}

/// Returns true if the schema has no other constraints than `keys`.
fn covers(says: &Map<String, Value>, keys: &[&str]) -> bool {
    says.keys().all(|key| keys.contains(&key.as_str()))
}

fn named(lang: Lang, (one, many): (&str, &str), zh: &str) -> KindWords {
    KindWords { one: say(lang, one, zh).to_owned(), many: say(lang, many, zh).to_owned() }
}

/// Lists the `enum` values, as many as fit in a line.
fn one_of(choices: &[Value], lang: Lang) -> Option<KindWords> {
    let between = say(lang, ", ", "、");
    let all: Vec<String> = choices.iter().map(shown).collect();
    let all = Some(all).filter(|all| !all.is_empty())?;
    let listed = cut(&all.join(between), MOST_CHOICES);
    Some(KindWords {
        one: format!("{}{listed}", say(lang, "one of: ", "任选其一：")),
        many: format!("{}{listed}", say(lang, "values from: ", "以下之一：")),
    })
}

/// Describes a union of types. Each must be describable by its type alone, except for one type and `null`.
fn any_of(names: &[Value], says: &Map<String, Value>, lang: Lang) -> Option<KindWords> {
    let one = |name: &Value| match name.as_str()? {
        "null" => Some("null".to_owned()),
        // With `null` and one other type, all constraints belong to the other type.
        name if names.len() == 2 && names.contains(&Value::from("null")) => {
            of_type(name, says, lang).map(|kind| kind.one)
        }
        name => of_type(name, says, lang).filter(|_| covers(says, &["type"])).map(|kind| kind.one),
    };
    let all = names.iter().map(one).collect::<Option<Vec<_>>>()?;
    let joined = all.join(say(lang, " or ", "或"));
    Some(KindWords { one: joined.clone(), many: joined }).filter(|_| !all.is_empty())
}

fn of_type(name: &str, says: &Map<String, Value>, lang: Lang) -> Option<KindWords> {
    match name {
        "boolean" if covers(says, &["type"]) => {
            Some(named(lang, ("yes or no", "yes or no"), "是或否"))
        }
        "integer" => number(says, named(lang, ("a whole number", "whole numbers"), "整数"), lang),
        "number" => number(says, named(lang, ("a number", "numbers"), "数字"), lang),
        "string" => text(says, lang),
        "array" => list(says, lang),
        _ => None,
    }
}

fn number(says: &Map<String, Value>, kind: KindWords, lang: Lang) -> Option<KindWords> {
    let known = ["type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    // Up to draft 4 the exclusive bounds are booleans that modify `minimum` and `maximum`.
    let is_old = |key: &str| says.get(key).is_some_and(Value::is_boolean);
    if !covers(says, &known) || is_old("exclusiveMinimum") || is_old("exclusiveMaximum") {
        return None;
    }
    let (least, most) = (says.get("minimum"), says.get("maximum"));
    let (above, below) = (says.get("exclusiveMinimum"), says.get("exclusiveMaximum"));
    let mut bounds = match (least, most) {
        (Some(least), Some(most)) => {
            vec![(format!("from {least} to {most}"), format!("{least} 到 {most} "))]
        }
        (Some(least), None) => vec![(format!("of at least {least}"), format!("不小于 {least} "))],
        (None, Some(most)) => vec![(format!("of at most {most}"), format!("不大于 {most} "))],
        (None, None) => vec![],
    };
    bounds.extend(above.map(|it| (format!("above {it}"), format!("大于 {it} "))));
    bounds.extend(below.map(|it| (format!("below {it}"), format!("小于 {it} "))));
    Some(bounded(kind, &bounds, lang))
}

/// Adds the bounds to a kind: after it in English, before it in Chinese.
fn bounded(kind: KindWords, bounds: &[(String, String)], lang: Lang) -> KindWords {
    if bounds.is_empty() {
        return kind;
    }
    let (en, zh): (Vec<&str>, Vec<&str>) =
        bounds.iter().map(|(en, zh)| (en.as_str(), zh.as_str())).unzip();
    let (en, zh) = (en.join(" and "), zh.join("且"));
    let put = |word: String| match lang {
        Lang::En => format!("{word} {en}"),
        Lang::Zh => format!("{zh}的{word}"),
    };
    KindWords { one: put(kind.one), many: put(kind.many) }
}

fn text(says: &Map<String, Value>, lang: Lang) -> Option<KindWords> {
    if !covers(says, &["type", "format", "pattern", "minLength", "maxLength"]) {
        return None;
    }
    let length = |key: &str| says.get(key).and_then(Value::as_u64);
    let mut bounds = Vec::new();
    // `minLength: 1` is not worth mentioning.
    match (length("minLength").filter(|least| *least > 1), length("maxLength")) {
        (Some(least), Some(most)) if least == most => {
            bounds.push((format!("of {most} characters"), format!("{most} 个字符")));
        }
        (Some(least), Some(most)) => {
            bounds.push((
                format!("of {least} to {most} characters"),
                format!("{least} 到 {most} 个字符"),
            ));
        }
        (Some(least), None) => {
            bounds
                .push((format!("of at least {least} characters"), format!("至少 {least} 个字符")));
        }
        (None, Some(most)) => {
            bounds.push((format!("of at most {most} characters"), format!("至多 {most} 个字符")));
        }
        (None, None) => {}
    }
    if let Some(pattern) = says.get("pattern").and_then(Value::as_str) {
        let pattern = cut(pattern, MOST_VALUE);
        bounds.push((format!("matching {pattern}"), format!("符合 {pattern} ")));
    }
    let format = says.get("format").and_then(Value::as_str);
    Some(bounded(format.map_or_else(|| any_text(lang), |it| of_format(it, lang)), &bounds, lang))
}

fn any_text(lang: Lang) -> KindWords {
    named(lang, ("text", "text values"), "文本")
}

/// Describes a `format`, with an example where that is clearer.
fn of_format(format: &str, lang: Lang) -> KindWords {
    let (one, many, zh) = match format {
        "date" => ("a date like 2027-01-31", "dates like 2027-01-31", "日期（如 2027-01-31）"),
        "date-time" => (
            "a time like 2027-01-31T08:30:00Z",
            "times like 2027-01-31T08:30:00Z",
            "时间（如 2027-01-31T08:30:00Z）",
        ),
        "time" => {
            ("a time of day like 08:30:00Z", "times of day like 08:30:00Z", "时刻（如 08:30:00Z）")
        }
        "email" => ("an e-mail address", "e-mail addresses", "电子邮件地址"),
        "uri" => ("a URL like https://…", "URLs like https://…", "网址（如 https://…）"),
        other => {
            let other = cut(other, MOST_VALUE);
            let form = [(format!("in {other} format"), format!("{other} 格式"))];
            return bounded(any_text(lang), &form, lang);
        }
    };
    named(lang, (one, many), zh)
}

fn list(says: &Map<String, Value>, lang: Lang) -> Option<KindWords> {
    if !covers(says, &["type", "items", "minItems", "maxItems"]) {
        return None;
    }
    let anything = Value::Bool(true);
    let items = kind(says.get("items").unwrap_or(&anything), lang)?.many;
    let count = |key: &str| says.get(key).and_then(Value::as_u64);
    let (en, zh) = match (count("minItems").filter(|least| *least > 0), count("maxItems")) {
        (Some(least), Some(most)) if least == most => (format!("{most} "), format!("{most} 项")),
        (Some(least), Some(most)) => {
            (format!("{least} to {most} "), format!("{least} 到 {most} 项"))
        }
        (Some(least), None) => (format!("at least {least} "), format!("至少 {least} 项")),
        (None, Some(most)) => (format!("at most {most} "), format!("至多 {most} 项")),
        (None, None) => (String::new(), String::new()),
    };
    let head = if zh.is_empty() { zh } else { format!("{zh}的") };
    let (en, zh) = (format!("a list of {en}{items}"), format!("{head}列表，各项为{items}"));
    let one = say(lang, &en, &zh).to_owned();
    Some(KindWords { many: one.clone(), one })
}

#[cfg(test)]
#[path = "value_words_tests.rs"]
mod tests;
