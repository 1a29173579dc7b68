//! The lenient reader: finds JSON, Python literals, and calls with literal arguments in a text.

use super::python::{Python, PythonLiterals, PythonNode};
use serde_json::{Map, Value};

/// An item that can be interpreted.
#[derive(Clone, Debug, PartialEq)]
pub enum LenientItem {
    /// An object or an array.
    Value(Value),
    /// A call: its name, and its arguments by name.
    Call(String, Value),
    /// A call with positional arguments: it can be read, but not executed.
    Nameless(String),
}

/// Returns all items, in order. Items inside another item are not searched for.
pub fn items(text: &str) -> Vec<LenientItem> {
    let (mut items, mut at, mut before) = (Vec::new(), 0, ' ');
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let found = match c {
            '{' | '[' => value(text, at),
            c if (c.is_alphabetic() || c == '_') && !is_part(before) => call(text, at),
            _ => None,
        };
        let end = match found {
            Some((item, end)) => {
                items.push(item);
                end
            }
            None => at + c.len_utf8(),
        };
        before = text.get(..end).and_then(|passed| passed.chars().next_back()).unwrap_or(' ');
        at = end;
    }
    items
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

/// Reads an object or array that starts at `at`, and returns the end of it.
fn value(text: &str, at: usize) -> Option<(LenientItem, usize)> {
    let mut json = serde_json::Deserializer::from_str(text.get(at..)?).into_iter::<Value>();
    if let Some(Ok(value)) = json.next() {
        return Some((LenientItem::Value(value), at + json.byte_offset()));
    }
    let mut python = Python::at(text, at, PythonLiterals::Literal);
    let value = python.value()?;
    Some((LenientItem::Value(value), python.at))
}

/// Reads a call that starts at `at`, and returns the end of it.
fn call(text: &str, at: usize) -> Option<(LenientItem, usize)> {
    let mut python = Python::at(text, at, PythonLiterals::Literal);
    let PythonNode::Call(name, given) = python.node()? else { return None };
    let mut arguments = Map::new();
    for (key, node) in given {
        match (key, node) {
            (Some(key), PythonNode::Value(value)) => arguments.insert(key, value),
            _ => return Some((LenientItem::Nameless(name), python.at)),
        };
    }
    // `tool()` inside a sentence only mentions the tool.
    let line = text.get(at..python.at)?;
    let is_alone = || text.lines().any(|other| other.trim_matches([' ', '`', ';']) == line);
    (!arguments.is_empty() || is_alone())
        .then_some((LenientItem::Call(name, Value::Object(arguments)), python.at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_and_calls_are_found_among_words() {
        let text = "I [think] so: {'a': None} and {\"b\": null}, then a.b.func(x=\"1\") or f(2) but not {cut";
        let expected = [
            LenientItem::Value(json!({"a": null})),
            LenientItem::Value(json!({"b": null})),
            LenientItem::Call("a.b.func".to_owned(), json!({"x": "1"})),
            LenientItem::Nameless("f".to_owned()),
        ];
        assert_eq!(items(text), expected);
        assert_eq!(items("call f() now"), []);
        assert_eq!(items("so\n`f()`"), [LenientItem::Call("f".to_owned(), json!({}))]);
        assert_eq!(items("for c in x: y(c[id]) {\"a\": b} (a, b) 好(1"), []);
    }
}
