//! HTTP part of a tool manifest: the request template and the rules for its answer. Validation is in `http_check.rs`.

use super::success_rule::SuccessRule;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// An HTTP request template; `{name}` is replaced by the argument of that name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpTransport {
    /// The method, such as `POST`; `GET` by default.
    #[serde(default = "get")]
    pub method: String,
    /// The URL; `{name}` is replaced by the percent-encoded argument.
    pub url: String,
    /// Query parameters. A list repeats its name; a parameter whose argument is missing is left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, Value>,
    /// Headers. A value `secret:NAME` is a reference to a secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Cookies. A value `secret:NAME` is a reference to a secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cookies: BTreeMap<String, String>,
    /// The authentication of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// The body, a template over the arguments. Without `body`, `form` and `multipart`, the request sends all
    /// arguments as JSON, unless its method is `GET`, `HEAD` or `DELETE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The body as `application/x-www-form-urlencoded` pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<BTreeMap<String, Value>>,
    /// The body as `multipart/form-data`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multipart: Option<Multipart>,
    /// The content type of `body`; JSON by default. A body of any other type must be a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The required format of the answer.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub expect: HttpExpect,
    /// The part of the answer that becomes the output of the call.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub output: HttpOutput,
    /// The rule by which an answer counts as success; any 2xx status by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<Success>,
}

/// Authentication of a request. Secrets are given as references `secret:NAME` only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auth {
    /// `authorization: Bearer …`, with a reference to the token.
    Bearer(String),
    /// `authorization: Basic …`.
    Basic(Basic),
    /// An API key in a header, the query or a cookie.
    ApiKey(ApiKey),
}

/// User and password of basic authentication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basic {
    /// The user name, or a reference to it.
    pub user: String,
    /// A reference to the password.
    pub password: String,
}

/// An API key and its place in the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// The part of the request that carries the key.
    #[serde(rename = "in")]
    pub place: KeyPlace,
    /// The name of the header, query parameter or cookie.
    pub name: String,
    /// A reference to the key.
    pub value: String,
}

/// The part of a request that carries an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// A header.
    Header,
    /// A query parameter.
    Query,
    /// A cookie.
    Cookie,
}

/// A `multipart/form-data` body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multipart {
    /// Plain fields, with the same rules as `HttpTransport::query`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Value>,
    /// Files by field name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, FilePart>,
}

/// A file of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePart {
    /// The path of the file, a template; `{name}` alone may also be a list of paths.
    pub path: String,
    /// The file name sent to the server; the last component of the path by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// The content type sent to the server; `application/octet-stream` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// Required format of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpExpect {
    /// JSON or text.
    #[default]
    Any,
    /// JSON; any other answer is an error.
    Json,
}

/// The part of an answer that becomes the output of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpOutput {
    /// The body: JSON, text, or `null` if it is empty.
    #[default]
    Body,
    /// `{http_code, headers, result}`; `result` is the body as JSON, `{text}` if it is not JSON, `{}` if empty.
    Response,
}

/// Rule by which an answer counts as success.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Success {
    /// The accepted statuses: `201`, `"2xx"`, `"200-204"`, or a list of these; 2xx by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Value>,
    /// A top-level field of the body that must have the value `equals`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The required value of `field`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
}

impl Success {
    /// Returns true if the status counts as success.
    pub fn takes(&self, status: u16) -> bool {
        match &self.status {
            Some(written) => statuses(written)
                .is_some_and(|them| them.iter().any(|range| range.contains(&status))),
            None => (200..300).contains(&status),
        }
    }

    /// Returns the rule for a field of the body, if the manifest has one.
    pub fn rule(&self) -> Option<SuccessRule> {
        let (field, equals) = (self.field.clone()?, self.equals.clone()?);
        Some(SuccessRule { field, equals })
    }
}

/// Parses `Success::status` into ranges. Returns `None` if any part of it is not a valid status.
pub fn statuses(written: &Value) -> Option<Vec<RangeInclusive<u16>>> {
    match written.as_array() {
        Some(listed) if !listed.is_empty() => listed.iter().map(range).collect(),
        Some(_) => None,
        None => Some(vec![range(written)?]),
    }
}

fn range(written: &Value) -> Option<RangeInclusive<u16>> {
    let (first, last) = match written {
        Value::Number(_) => {
            let status = u16::try_from(written.as_u64()?).ok()?;
            (status, status)
        }
        Value::String(text) => match text.to_ascii_lowercase().strip_suffix("xx") {
            Some(hundred) => {
                let hundred = hundred.parse::<u16>().ok().filter(|hundred| *hundred < 10)?;
                (hundred * 100, hundred * 100 + 99)
            }
            None => {
                let (first, last) = text.split_once('-').unwrap_or((text, text));
                (first.trim().parse().ok()?, last.trim().parse().ok()?)
            }
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (first <= last && first >= 200 && last <= 599).then_some(first..=last)
}

/// Deserializes a `null` that is present as `Some(Null)`, where serde would return `None`.
fn given<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn get() -> String {
    "GET".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn success(written: Value) -> Success {
        serde_json::from_value(written).unwrap()
    }

    #[test]
    fn a_status_is_a_number_a_hundred_or_a_range() {
        let listed = success(json!({"status": [201, "3xx", "400-402", "409"]}));
        for (status, taken) in [
            (200, false),
            (201, true),
            (302, true),
            (400, true),
            (402, true),
            (403, false),
            (409, true),
        ] {
            assert_eq!(listed.takes(status), taken, "{status}");
        }
        assert!(success(json!({"status": 404})).takes(404));
        let usual = success(json!({}));
        assert!(usual.takes(200) && usual.takes(299) && !usual.takes(300) && !usual.takes(199));
        for bad in [
            json!("x"),
            json!(99),
            json!(600),
            json!("9xx"),
            json!("1xx"),
            json!([]),
            json!("204-200"),
            json!(200.5),
            json!(null),
            json!(["2xx", true]),
            json!("200-"),
            json!(-200),
        ] {
            assert_eq!(statuses(&bad), None, "{bad}");
        }
    }

    #[test]
    fn a_manifest_of_before_is_written_as_it_was() {
        let old = json!({"method": "POST", "url": "http://a/", "headers": {"a": "b"}, "body": {"n": "{n}"},
            "success": {"field": "status", "equals": null}});
        let read: HttpTransport = serde_json::from_value(old.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), old);
        let rule = read.success.unwrap().rule().unwrap();
        assert!(rule.holds(&json!({"status": null})) && !rule.holds(&json!({})));
    }
}
