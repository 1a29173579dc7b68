//! The conversion of an HTTP response to the output of a call.

use crate::answer;
use praxis_core::call::http::{HttpExpect, HttpOutput};
use praxis_core::document::read_json;
use reqwest::header::{CONTENT_TYPE, HeaderMap, SET_COOKIE};
use serde_json::{Map, Value, json};

/// The maximum size of the headers that are kept, in bytes.
const MOST_HEADERS: usize = 16 * 1024;

/// The expected response and the parts of it that become the output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnswerShape {
    /// The required format of the body.
    pub(crate) expect: HttpExpect,
    /// The output: the body alone, or with status and headers.
    pub(crate) output: HttpOutput,
}

/// A successful response.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    /// The status code.
    pub(crate) status: u16,
    /// The headers.
    pub(crate) headers: HeaderMap,
    /// The whole body.
    pub(crate) bytes: Vec<u8>,
}

impl HttpAnswer {
    /// Returns the content type; empty if there is none.
    pub(crate) fn kind(&self) -> &str {
        self.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default()
    }
}

impl AnswerShape {
    /// Parses the body as a value; returns a message if it is not in the required format.
    pub(super) fn result(self, answer: &HttpAnswer) -> Result<Value, String> {
        if self.expect == HttpExpect::Any && self.output == HttpOutput::Body {
            return Ok(answer::value(&answer.bytes));
        }
        let kind = answer.kind();
        let kind = if kind.is_empty() { "of no told kind" } else { kind };
        let text = std::str::from_utf8(&answer.bytes)
            .map_err(|_| format!("the answer is no UTF-8 text but {kind}"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Ok(if self.output == HttpOutput::Body { Value::Null } else { json!({}) });
        }
        match read_json(text) {
            Ok(value) => Ok(value),
            Err(error) if self.expect == HttpExpect::Json => {
                Err(format!("the answer is no JSON but {kind}: {error}"))
            }
            Err(_) if self.output == HttpOutput::Body => Ok(Value::String(text.to_owned())),
            Err(_) => Ok(json!({ "text": text })),
        }
    }

    /// Builds the output around a result.
    pub(super) fn output(self, status: u16, headers: &HeaderMap, result: Value) -> Value {
        match self.output {
            HttpOutput::Body => result,
            HttpOutput::Response => {
                json!({"http_code": status, "headers": told(headers), "result": result})
            }
        }
    }

    /// Builds the output of an error response from the text of its body.
    pub(super) fn of_error(self, status: u16, headers: &HeaderMap, words: &str) -> Option<Value> {
        let value = answer::value(words.as_bytes());
        let result = match (self.output, value) {
            (HttpOutput::Body, Value::Null) => return None,
            (HttpOutput::Body, value) => value,
            (HttpOutput::Response, Value::Null) => json!({}),
            (HttpOutput::Response, Value::String(text)) => json!({ "text": text }),
            (HttpOutput::Response, value) => value,
        };
        Some(self.output(status, headers, result))
    }
}

/// Returns the headers by name, up to `MOST_HEADERS`. Cookies are the server's secrets and are left out.
fn told(headers: &HeaderMap) -> Map<String, Value> {
    let mut kept: Map<String, Value> = Map::new();
    let mut length = 0;
    for (name, value) in headers.iter().filter(|(name, _)| **name != SET_COOKIE) {
        let value = String::from_utf8_lossy(value.as_bytes());
        length += name.as_str().len() + value.len();
        if length > MOST_HEADERS {
            break;
        }
        match kept.get_mut(name.as_str()) {
            Some(Value::String(text)) => {
                text.push_str(", ");
                text.push_str(&value);
            }
            _ => {
                kept.insert(name.as_str().to_owned(), Value::from(value));
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(shape: AnswerShape, bytes: &[u8]) -> Result<Value, String> {
        shape.result(&HttpAnswer { status: 200, headers: HeaderMap::new(), bytes: bytes.to_vec() })
    }

    #[test]
    fn a_body_becomes_a_value_as_the_manifest_wants_it() {
        let of = |expect, output| AnswerShape { expect, output };
        let (plain, whole) =
            (of(HttpExpect::Any, HttpOutput::Body), of(HttpExpect::Any, HttpOutput::Response));
        let (strict, both) =
            (of(HttpExpect::Json, HttpOutput::Body), of(HttpExpect::Json, HttpOutput::Response));
        for shape in [plain, whole, strict, both] {
            assert_eq!(result(shape, b"[1]"), Ok(json!([1])), "{shape:?}");
        }
        assert_eq!(result(plain, b""), Ok(json!(null)));
        assert_eq!(result(strict, b" "), Ok(json!(null)));
        assert_eq!(result(whole, b""), Ok(json!({})));
        assert_eq!(result(both, b"\xef\xbb\xbf"), Ok(json!({})));
        assert_eq!(result(plain, b"words"), Ok(json!("words")));
        assert_eq!(result(whole, b"words"), Ok(json!({"text": "words"})));
        for (shape, bytes) in
            [(strict, &b"words"[..]), (both, b"{\"a\": 1"), (whole, b"\xff"), (strict, b"\xff")]
        {
            assert!(result(shape, bytes).is_err(), "{shape:?} {bytes:?}");
        }
        assert_eq!(result(plain, b"\xff"), Ok(json!("\u{fffd}")));
    }

    #[test]
    fn headers_are_told_by_name_without_cookies_and_not_without_end() {
        let mut headers = HeaderMap::new();
        headers.append("x-a", "1".parse().unwrap());
        headers.append("x-a", "2".parse().unwrap());
        headers.append("set-cookie", "sid=1".parse().unwrap());
        let shape = AnswerShape { output: HttpOutput::Response, ..AnswerShape::default() };
        let output = shape.output(204, &headers, json!({}));
        assert_eq!(output, json!({"http_code": 204, "headers": {"x-a": "1, 2"}, "result": {}}));
        headers.insert("x-b", "b".repeat(MOST_HEADERS).parse().unwrap());
        assert_eq!(shape.output(204, &headers, json!({}))["headers"], json!({"x-a": "1, 2"}));
    }
}
