//! Tools: the manifest of a tool, and the contract that decisions need.

use super::approval::CallPolicy;
pub use super::http::HttpTransport;
use super::not_empty::NotEmpty;
use super::own::OwnCall;
use super::sql::{SqlAllow, SqlTransport};
use crate::call::risk::Risk;
use crate::call::success_rule::SuccessRule;
use crate::ids::{BlobId, ToolId};
use crate::lang::Lang;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tool as its manifest describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The unique id, used in plans.
    pub id: ToolId,
    /// A short name for people; the id by default.
    #[serde(default)]
    pub name: String,
    /// A description for people and models.
    #[serde(default)]
    pub description: String,
    /// Name, description and tags in other languages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub translations: BTreeMap<Lang, ToolText>,
    /// The JSON Schema of its arguments.
    #[serde(default = "any_object")]
    pub input_schema: Value,
    /// The JSON Schema of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The output fields that later steps may use by bare name: an object, a list, or the JSON text of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_params: Option<Value>,
    /// The risk of a call. The default is `write`, but `read` for HTTP `GET` and `HEAD` and for SQL that only reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The call policy of the tool: `ask` and `deny` narrow that of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<CallPolicy>,
    /// True if a repeated call changes nothing more, or the tool honours the idempotency key. True for `read` by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The timeout of a call, as `30s` or in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Value>,
    /// The number of retries after a transient failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// The delay before the first retry, as `1s` or in seconds; it doubles with every retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_delay: Option<Value>,
    /// Tools that can replace it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<ToolId>,
    /// True if the text of its output is shown to the user as it arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_user: Option<bool>,
    /// The rule by which an empty output is a failure; for `read` tools only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_empty: Option<NotEmpty>,
    /// The tool that can tell if a call with a given idempotency key took effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_with: Option<ToolId>,
    /// Limits on its use.
    #[serde(default)]
    pub limits: ToolLimits,
    /// Free-form tags for search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The transport that makes its calls.
    #[serde(flatten)]
    pub transport: Transport,
}

/// Name, description and tags of a tool in one language. The descriptions of its parameters are translated in the
/// schema itself, see [`crate::schema::description`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolText {
    /// A short name for people.
    pub name: String,
    /// A description for people and models.
    pub description: String,
    /// Tags for search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// Limits on the use of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolLimits {
    /// The maximum number of concurrent calls within one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrent: Option<u32>,
    /// The maximum size of the output, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
}

/// The transport of a tool. A manifest names exactly one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// An own call of Praxis; not allowed in manifests.
    Own(OwnCall),
    /// Code inside the binary, by name.
    Builtin(String),
    /// A program: JSON on stdin, JSON on stdout.
    Command(CommandTransport),
    /// An HTTP request.
    Http(Box<HttpTransport>),
    /// An SQL query.
    Sql(SqlTransport),
}

impl Transport {
    /// The manifest fields that name a transport, one for each transport that a manifest may use.
    pub const FIELDS: [&'static str; 4] = ["command", "http", "sql", "builtin"];

    /// Returns the name of the transport: its manifest field, or `own`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Own(_) => "own",
            Self::Builtin(_) => "builtin",
            Self::Command(_) => "command",
            Self::Http(_) => "http",
            Self::Sql(_) => "sql",
        }
    }

    /// Returns true if every call brings its own SQL.
    pub fn takes_sql(&self) -> bool {
        matches!(self, Self::Sql(sql) if sql.query.is_none())
    }
}

/// A program and its start options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandTransport {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The working directory; by default the folder from which the task was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment variables besides `PATH`, `HOME`, `LANG`, `LC_ALL`, `TZ` and `TMPDIR`. `secret:NAME` in a value is
    /// a reference to a secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// A rule that the answer must satisfy to count as success, besides exit code 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<SuccessRule>,
}

/// The part of a tool that decisions need. Pinned in the journal when a task is submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// The id of the tool.
    pub tool: ToolId,
    /// The hash of its manifest, which is stored as a blob.
    pub version: BlobId,
    /// The risk of a call.
    pub risk: Risk,
    /// True if a repeated call changes nothing more.
    pub idempotent: bool,
    /// The timeout of a call.
    pub timeout_ms: u64,
    /// The number of retries after a transient failure.
    pub retries: u32,
    /// The delay before the first retry.
    pub retry_delay_ms: u64,
    /// The output fields to copy to runtime metadata; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_params: Vec<Arc<str>>,
    /// The tool that can tell if a call took effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_with: Option<ToolId>,
    /// The maximum number of concurrent calls within one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrent: Option<u32>,
    /// The call policy of the manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<CallPolicy>,
    /// True if the text of its output is for the user, unless a flow overrides it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_user: bool,
    /// The kind of external system that the tool calls, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaches: Option<ToolReach>,
}

/// The kind of external system that a tool calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolReach {
    /// A service over HTTP.
    Api,
    /// A database.
    Sql,
}

impl Contract {
    /// Returns true if a call with an unknown outcome may be repeated.
    pub fn may_run_again(&self) -> bool {
        self.idempotent || self.risk == Risk::Read
    }
}

/// Default timeout of a call.
pub const DEFAULT_TIMEOUT_MS: u64 = 300_000;
/// Default number of retries after a transient failure.
pub const DEFAULT_RETRIES: u32 = 3;
/// Default delay before the first retry.
pub const DEFAULT_RETRY_DELAY_MS: u64 = 1000;

impl Tool {
    /// Returns the risk of a call, by default that of the transport.
    pub fn risk(&self) -> Risk {
        self.risk.unwrap_or(if self.reads_by_nature() { Risk::Read } else { Risk::Write })
    }

    fn reads_by_nature(&self) -> bool {
        match &self.transport {
            Transport::Http(http) => matches!(http.method.to_uppercase().as_str(), "GET" | "HEAD"),
            Transport::Own(_) => true,
            Transport::Sql(sql) => sql.allow == SqlAllow::Read,
            Transport::Builtin(_) | Transport::Command(_) => false,
        }
    }

    /// Returns name and description in a language; a missing translation falls back to the manifest's own text.
    pub fn told(&self, lang: Lang) -> (&str, &str) {
        let told = self.translations.get(&lang);
        let name = told.map(|told| &told.name).filter(|name| !name.is_empty());
        let words = told.map(|told| &told.description).filter(|words| !words.is_empty());
        (name.unwrap_or(&self.name), words.unwrap_or(&self.description))
    }

    /// Returns the descriptions in all languages, the manifest's own first: the text in which words are looked up.
    pub fn descriptions(&self) -> Cow<'_, str> {
        let texts = self.translations.values().map(|told| told.description.as_str());
        let others: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        let own = self.description.as_str();
        if others.is_empty() {
            own.into()
        } else {
            format!("{own} / {}", others.join(" / ")).into()
        }
    }

    /// Returns the tags in a language; without translated ones, the manifest's own.
    pub fn tags_in(&self, lang: Lang) -> &[String] {
        let told = self.translations.get(&lang).map(|told| told.tags.as_slice());
        told.filter(|tags| !tags.is_empty()).unwrap_or(&self.tags)
    }

    /// Returns the tags in all languages.
    pub fn all_tags(&self) -> impl Iterator<Item = &String> {
        self.tags.iter().chain(self.translations.values().flat_map(|told| &told.tags))
    }

    /// Returns the names in `output_params`: keys of an object or items of a list, also as JSON text.
    pub fn output_names(&self) -> Vec<Arc<str>> {
        let parsed = match &self.output_params {
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
            Some(other) => other.clone(),
            None => Value::Null,
        };
        match parsed {
            Value::Object(map) => map.keys().map(|key| Arc::from(key.as_str())).collect(),
            Value::Array(names) => names.iter().filter_map(Value::as_str).map(Arc::from).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![],
        }
    }

    /// Builds the contract for the manifest stored as `version`.
    pub fn contract(&self, version: BlobId) -> Contract {
        let risk = self.risk();
        Contract {
            tool: self.id.clone(),
            version,
            risk,
            idempotent: self.idempotent.unwrap_or(risk == Risk::Read),
            timeout_ms: span(self.timeout.as_ref()).unwrap_or(DEFAULT_TIMEOUT_MS),
            retries: self.retries.unwrap_or(DEFAULT_RETRIES),
            retry_delay_ms: span(self.retry_delay.as_ref()).unwrap_or(DEFAULT_RETRY_DELAY_MS),
            output_params: self.output_names(),
            check_with: self.check_with.clone(),
            concurrent: self.limits.concurrent,
            approval: self.approval,
            to_user: self.to_user.unwrap_or_default(),
            reaches: self.reaches(),
        }
    }

    fn reaches(&self) -> Option<ToolReach> {
        match &self.transport {
            Transport::Http(_) => Some(ToolReach::Api),
            Transport::Sql(_) => Some(ToolReach::Sql),
            Transport::Builtin(_) | Transport::Command(_) | Transport::Own(_) => None,
        }
    }
}

/// Parses a duration to milliseconds: `30` (seconds), `"30s"` or `"500ms"`.
pub fn span(written: Option<&Value>) -> Option<u64> {
    match written? {
        Value::Number(seconds) => {
            let ms = (seconds.as_f64()? * 1000.0).round();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            (0.0..1e15).contains(&ms).then_some(ms as u64)
        }
        Value::String(text) => crate::time::parse_span_ms(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn any_object() -> Value {
    serde_json::json!({"type": "object"})
}

/// The tools that a plan may use, by id.
pub type Toolbox = BTreeMap<ToolId, Arc<Tool>>;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seconds_with_a_fraction_are_whole_milliseconds() {
        assert_eq!(span(Some(&json!(1.001))), Some(1001));
        assert_eq!(span(Some(&json!(0))), Some(0));
        assert_eq!(span(Some(&json!("500ms"))), Some(500));
        assert_eq!(span(Some(&json!(-1))), None);
    }
}
