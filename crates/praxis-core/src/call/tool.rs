//! What a tool is: its manifest, and the part of it that decisions need.

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
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tool as its author describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Unique name, used in plans.
    pub id: ToolId,
    /// Short words for people. The id unless said otherwise.
    #[serde(default)]
    pub name: String,
    /// What it does, for people and models.
    #[serde(default)]
    pub description: String,
    /// The same in other languages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub translations: BTreeMap<Lang, ToolText>,
    /// JSON Schema of its arguments.
    #[serde(default = "any_object")]
    pub input_schema: Value,
    /// JSON Schema of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The fields of the output that later steps may use by bare name; an object or its JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_params: Option<Value>,
    /// What it can do. An HTTP GET or HEAD and SQL that only reads are `read` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// Whether it may be called: `ask` and `deny` narrow what the settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<CallPolicy>,
    /// Whether the same call twice is the same as once, or the tool honours the idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// How long a call may take, as `30s` or seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Value>,
    /// How often a transient failure is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// The first wait before a retry, as `1s` or seconds; it doubles each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_delay: Option<Value>,
    /// Tools that can do the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<ToolId>,
    /// Whether the texts of its output are shown to the user as they come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_user: Option<bool>,
    /// When an output with nothing in it is no answer; for tools that only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_empty: Option<NotEmpty>,
    /// A tool that can say whether a call with a given key took effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_with: Option<ToolId>,
    /// Bounds on its use.
    #[serde(default)]
    pub limits: ToolLimits,
    /// Free words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How it is reached.
    #[serde(flatten)]
    pub transport: Transport,
}

/// What a tool is called and does, in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolText {
    /// Short words for people.
    pub name: String,
    /// What it does.
    pub description: String,
}

/// Bounds on the use of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolLimits {
    /// Calls at the same time within one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrent: Option<u32>,
    /// The longest output in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
}

/// How a tool is reached. One of these must be given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A call of Praxis' own. No manifest of others may say so.
    Own(OwnCall),
    /// Code inside the binary, by name.
    Builtin(String),
    /// A program: JSON on stdin, JSON on stdout.
    Command(CommandTransport),
    /// An HTTP request.
    Http(Box<HttpTransport>),
    /// A query at a database.
    Sql(SqlTransport),
}

impl Transport {
    /// The fields of a manifest that say how a tool is reached, one for each way that a manifest may name.
    pub const FIELDS: [&'static str; 4] = ["command", "http", "sql", "builtin"];

    /// The word for it: its field in a manifest, or `own`, which no manifest may say.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Own(_) => "own",
            Self::Builtin(_) => "builtin",
            Self::Command(_) => "command",
            Self::Http(_) => "http",
            Self::Sql(_) => "sql",
        }
    }

    /// Whether the SQL comes with each call.
    pub fn takes_sql(&self) -> bool {
        matches!(self, Self::Sql(sql) if sql.query.is_none())
    }
}

/// A program and how to start it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandTransport {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it runs; the folder that the task was submitted from unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables it gets besides `PATH`, `HOME`, `LANG`, `LC_ALL`, `TZ` and `TMPDIR`. `secret:NAME` in a
    /// value is a reference.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// When an answer counts as success; exit code 0 unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<SuccessRule>,
}

/// What decisions need to know of a tool. Pinned in the journal when a task is submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// Its id.
    pub tool: ToolId,
    /// The hash of its manifest, which is stored as a blob.
    pub version: BlobId,
    /// What it can do.
    pub risk: Risk,
    /// Whether it may simply run again.
    pub idempotent: bool,
    /// How long a call may take.
    pub timeout_ms: u64,
    /// How often a transient failure is tried again.
    pub retries: u32,
    /// The first wait before a retry.
    pub retry_delay_ms: u64,
    /// The fields to sync; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_params: Vec<Arc<str>>,
    /// Who can say whether a call took effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_with: Option<ToolId>,
    /// Calls at the same time within one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrent: Option<u32>,
    /// Whether it may be called, as far as its manifest says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<CallPolicy>,
    /// Whether the texts that it gives are for the user, unless a flow says otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_user: bool,
    /// What it reaches, where that is a service or a database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaches: Option<ToolReach>,
}

/// What a tool reaches outside of programs and code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolReach {
    /// A service over HTTP.
    Api,
    /// A database.
    Sql,
}

impl Contract {
    /// Whether a call whose outcome is unknown may simply be made again.
    pub fn may_run_again(&self) -> bool {
        self.idempotent || self.risk == Risk::Read
    }
}

/// What a tool gets when its manifest says nothing.
pub const DEFAULT_TIMEOUT_MS: u64 = 300_000;
/// Retries of a transient failure.
pub const DEFAULT_RETRIES: u32 = 3;
/// The first wait before a retry.
pub const DEFAULT_RETRY_DELAY_MS: u64 = 1000;

impl Tool {
    /// What it can do, with the default of its transport.
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

    /// Its name and description in a language; in its own where that is not said.
    pub fn told(&self, lang: Lang) -> (&str, &str) {
        let told = self.translations.get(&lang);
        let name = told.map(|told| &told.name).filter(|name| !name.is_empty());
        let words = told.map(|told| &told.description).filter(|words| !words.is_empty());
        (name.unwrap_or(&self.name), words.unwrap_or(&self.description))
    }

    /// The names in `output_params`: keys of an object, of its JSON text, or a plain list.
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

    /// What decisions need to know, for the manifest stored as `version`.
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

/// Milliseconds of `30`, `"30s"` or `"500ms"`.
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
