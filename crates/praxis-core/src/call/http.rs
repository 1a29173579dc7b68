//! What an HTTP request is made of, as a manifest writes it. What may stand in it is told in `http_check.rs`.

use super::success_rule::SuccessRule;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// An HTTP request, with `{name}` where an argument goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpTransport {
    /// `GET`, `POST` …
    #[serde(default = "get")]
    pub method: String,
    /// The address; `{name}` is an argument, percent-encoded.
    pub url: String,
    /// Pairs behind the address. A list repeats its name; a pair whose argument is missing is left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, Value>,
    /// Headers. A value `secret:NAME` is a reference.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Cookies. A value `secret:NAME` is a reference.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cookies: BTreeMap<String, String>,
    /// With which secret it says who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// The body: a template over the arguments. Without any body, a POST sends all arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The body as pairs of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<BTreeMap<String, Value>>,
    /// The body as pairs and files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multipart: Option<Multipart>,
    /// What `body` is; JSON unless said otherwise. A body that is no JSON must be a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// What the answer must be.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub expect: HttpExpect,
    /// What of the answer is the output.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub output: HttpOutput,
    /// When an answer counts as success; a status of 2xx unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<Success>,
}

/// How a request says who asks. Secrets stand here as references alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auth {
    /// `authorization: Bearer …`, of this reference.
    Bearer(String),
    /// `authorization: Basic …`.
    Basic(Basic),
    /// A key of its own name.
    ApiKey(ApiKey),
}

/// A user and a password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basic {
    /// The user's name, or a reference to it.
    pub user: String,
    /// A reference to the password.
    pub password: String,
}

/// A key under a name of the server's choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// Where it goes.
    #[serde(rename = "in")]
    pub place: KeyPlace,
    /// Its name there.
    pub name: String,
    /// A reference to the key.
    pub value: String,
}

/// Where a key goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// Among the headers.
    Header,
    /// Behind the address.
    Query,
    /// Among the cookies.
    Cookie,
}

/// A body of pairs and files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multipart {
    /// Pairs, as in a query.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Value>,
    /// Files by the names of their fields.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, FilePart>,
}

/// A file that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePart {
    /// Where it is: a template of one path; `{name}` alone may be a list of paths.
    pub path: String,
    /// What the server is told that it is called; the last part of its path unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// What the server is told that it is; bytes unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// What an answer must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpExpect {
    /// JSON or text.
    #[default]
    Any,
    /// JSON; anything else is no answer.
    Json,
}

/// What of an answer is the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpOutput {
    /// Its body: JSON, or text, or `null`.
    #[default]
    Body,
    /// `{http_code, headers, result}`, where `result` is an object or another value of JSON.
    Response,
}

/// When an answer counts as success.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Success {
    /// Which statuses do: `201`, `"2xx"`, `"200-204"`, or a list of these; 2xx unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Value>,
    /// A top-level field of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What it must say.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
}

impl Success {
    /// Whether a status is one of success.
    pub fn takes(&self, status: u16) -> bool {
        match &self.status {
            Some(written) => statuses(written)
                .is_some_and(|them| them.iter().any(|range| range.contains(&status))),
            None => (200..300).contains(&status),
        }
    }

    /// What a field of the body must say, if anything.
    pub fn rule(&self) -> Option<SuccessRule> {
        let (field, equals) = (self.field.clone()?, self.equals.clone()?);
        Some(SuccessRule { field, equals })
    }
}

/// The statuses that were written; nothing if one of them is none.
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

/// `Some(Null)` where `null` was written.
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
