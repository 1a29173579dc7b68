//! Reads hints about arguments from a tool's error message: the parameter it means and the values it allows.
//!
//! - in: the error message of a tool that rejected its arguments, and the names of its parameters
//! - out: the parameter that is named, the values that are listed, the type that is expected
//! - never: returns a name that is not a parameter of the tool, or one of two candidates

use serde_json::{Value, json};

/// The largest number of values in a list.
const MOST_VALUES: usize = 50;
/// The largest length of a listed value.
const LONGEST_VALUE: usize = 80;

/// Words that are common in error messages. A parameter with such a name counts only in quotes.
const PLAIN: [&str; 14] = [
    "type",
    "format",
    "value",
    "values",
    "field",
    "parameter",
    "required",
    "date",
    "string",
    "number",
    "error",
    "message",
    "code",
    "detail",
];

/// Returns the one parameter that the message names: in quotes, or else as a whole word.
pub fn parameter<'a>(message: &str, declared: &[&'a str]) -> Option<&'a str> {
    let one_of = |names: Vec<&'a str>| match names.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    let quoted: Vec<&str> =
        declared.iter().filter(|name| stands(message, name, quotes)).copied().collect();
    if !quoted.is_empty() {
        return one_of(quoted);
    }
    let plain = |name: &&&str| !PLAIN.contains(name) && stands(message, name, ends_word);
    one_of(declared.iter().filter(plain).copied().collect())
}

/// Returns true if the name occurs in the text between neighbours that `fits` accepts.
fn stands(text: &str, name: &str, fits: fn(Option<char>) -> bool) -> bool {
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|t| t.chars().next());
            fits(before) && fits(after)
        })
}

fn quotes(neighbour: Option<char>) -> bool {
    neighbour.is_some_and(is_quote)
}

fn ends_word(neighbour: Option<char>) -> bool {
    neighbour.is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'))
}

fn is_quote(c: char) -> bool {
    matches!(c, '`' | '\'' | '"' | '‘' | '’' | '“' | '”' | '「' | '」')
}

/// Phrases that precede a list of values.
const LISTS: [&str; 12] = [
    "one of the following",
    "one of",
    "choose from",
    "allowed values",
    "valid values",
    "permitted values",
    "possible values",
    "input should be",
    "只能是",
    "可选值",
    "取值范围",
    "之一",
];

/// Returns an `enum` schema of the values that the message lists as allowed.
pub fn allowed(message: &str) -> Option<Value> {
    let listed = listed(message);
    (!listed.is_empty()).then(|| json!({"enum": listed}))
}

fn listed(message: &str) -> Vec<Value> {
    let lower = message.to_lowercase();
    // If lowercasing changed the length, offsets in `lower` are not valid in `message`.
    let text = if lower.len() == message.len() { message } else { &lower };
    let behind = LISTS.iter().find_map(|words| Some(lower.find(words)? + words.len()));
    let rest = behind.and_then(|at| text.get(at..)).unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '：' | '为' | '是' | '=')
    });
    let rest = rest.strip_prefix("are ").or(rest.strip_prefix("is ")).unwrap_or(rest);
    let inner = bracketed(rest).unwrap_or_else(|| sentence(rest));
    if let Ok(Value::Array(items)) = serde_json::from_str(&format!("[{inner}]")) {
        return if items.len() <= MOST_VALUES { items } else { vec![] };
    }
    let marked = inner.replace(" or ", ",").replace(" and ", ",");
    let items = marked.split([',', '，', '、', '|', '/', '或', '和']).map(bare);
    let items: Vec<Value> = items.filter(|item| !item.is_empty()).map(Value::from).collect();
    let is_word = |item: &Value| item.as_str().is_some_and(|text| text.len() <= LONGEST_VALUE);
    if items.len() <= MOST_VALUES && items.iter().all(is_word) { items } else { vec![] }
}

/// Returns the text inside the leading brackets.
fn bracketed(text: &str) -> Option<&str> {
    let open = text.chars().next()?;
    let close = match open {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        '（' => '）',
        '【' => '】',
        _ => return None,
    };
    let inner = text.get(open.len_utf8()..)?;
    inner.get(..inner.find(close)?)
}

/// Returns the text up to the end of the sentence, the line or the enclosing bracket.
fn sentence(text: &str) -> &str {
    let ends = ["\n", ". ", ";", "；", "。", ")", "）", ", got", ", but", " (", "}"];
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end_matches('.')
}

fn bare(item: &str) -> &str {
    item.trim().trim_matches(is_quote).trim()
}

/// Words for the types that tools expect, the most reliable first.
const FORMS: [(&str, &[&str], &[&str]); 6] = [
    ("date", &[], &["yyyy-mm-dd", "iso 8601", "iso-8601", "iso date", "%y-%m-%d"]),
    ("integer", &["integer", "int", "i32", "i64", "u32", "u64", "usize"], &["整数", "整型"]),
    ("number", &["number", "float", "double", "numeric", "decimal", "f64"], &["数字", "数值"]),
    ("boolean", &["boolean", "bool"], &["布尔"]),
    ("array", &["array", "list", "sequence"], &["数组", "列表"]),
    ("string", &["string", "str", "text"], &["字符串", "文本"]),
];

/// Phrases that precede the expected type (`WANTS`) and the actual one (`CAME`).
const WANTS: [&str; 9] =
    ["expected", "expects", "must be", "should be", "needs", "应为", "必须是", "必须为", "需要"];
const CAME: [&str; 6] = ["got", "received", "found", "given", " not ", "实际"];

/// Returns a schema of the type that the message says is expected.
pub fn form(message: &str) -> Option<Value> {
    let lower = message.to_lowercase();
    let wanted = WANTS.iter().filter_map(|words| Some(lower.rfind(words)? + words.len())).max();
    let told = wanted.and_then(|at| lower.get(at..));
    let told = told.map(|told| {
        let end = CAME.iter().filter_map(|words| told.find(words)).min().unwrap_or(told.len());
        told.get(..end).unwrap_or(told)
    });
    let dated = FORMS.iter().take(1).find(|form| says(&lower, form));
    let named = || FORMS.iter().find(|form| told.is_some_and(|told| says(told, form)));
    let (form, ..) = dated.or_else(named)?;
    Some(match *form {
        "date" => json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
        form => json!({"type": form}),
    })
}

fn says(text: &str, (_, words, parts): &(&str, &[&str], &[&str])) -> bool {
    words.iter().any(|word| stands(text, word, ends_word))
        || parts.iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_named_in_quotes_or_by_itself_and_never_one_of_two() {
        let declared = ["city", "date", "day", "type"];
        let cases = [
            ("missing required parameter city", Some("city")),
            (
                "422: {\"detail\": [{\"loc\": [\"body\", \"city\"], \"msg\": \"field required\"}]}",
                Some("city"),
            ),
            ("缺少参数 city", Some("city")),
            ("`date` is required", Some("date")),
            ("invalid date: expected YYYY-MM-DD", None),
            ("city and day are required", None),
            ("the value of `day` is no day of city", Some("day")),
            ("capacity is required", None),
            ("invalid type: expected integer", None),
        ];
        for (message, expected) in cases {
            assert_eq!(parameter(message, &declared), expected, "{message}");
        }
    }

    #[test]
    fn listed_values_are_read_from_what_tools_write() {
        let cases = [
            ("mode must be one of [append, replace]", json!(["append", "replace"])),
            ("mode must be one of: 'append', 'replace'.", json!(["append", "replace"])),
            (
                "unknown variant `x`, expected one of `append`, `replace`",
                json!(["append", "replace"]),
            ),
            ("invalid choice: 'x' (choose from 'append', 'replace')", json!(["append", "replace"])),
            ("Input should be 'append' or 'replace'", json!(["append", "replace"])),
            ("level must be one of [1, 2, 3]", json!([1, 2, 3])),
            ("模式只能是 追加、替换", json!(["追加", "替换"])),
            ("allowed values are append, replace; see the manual", json!(["append", "replace"])),
            ("mode is wrong", json!([])),
        ];
        for (message, expected) in cases {
            assert_eq!(Value::from(listed(message)), expected, "{message}");
        }
    }

    #[test]
    fn the_expected_form_is_told_from_the_one_that_came() {
        let of = |message: &str| form(message).map(|form| form["type"].clone());
        for (message, expected) in [
            ("invalid type: expected integer, got string", Some("integer")),
            ("invalid type: string \"10\", expected i64", Some("integer")),
            ("n must be a number", Some("number")),
            ("flag 应为布尔值", Some("boolean")),
            ("date must be in YYYY-MM-DD format", Some("string")),
            ("the string is wrong", None),
        ] {
            assert_eq!(of(message), expected.map(Value::from), "{message}");
        }
        assert!(form("use YYYY-MM-DD").unwrap().get("pattern").is_some());
    }
}
