//! Reads tool manifests and refuses a bad one with all its problems.
//!
//! - in: a document with one tool, a list of tools, or `tools: [...]`
//! - out: checked [`Tool`]s
//! - never: runs or contacts a tool

use super::http_check::flaws;
use super::not_empty::NotEmpty;
use super::own_tools::own;
use super::risk::Risk;
use super::tool::{Tool, Transport, span};
use crate::dataflow::lex::segments;
use crate::ids::check_name;
use crate::near::near;
use crate::problem::Problem;
use crate::problem::reason::ProblemReason;
use crate::schema::Schema;
use crate::slot::normalise::normalised;
use serde_json::Value;

/// The highest `retries` that a manifest may set.
const MOST_RETRIES: u32 = 100;

/// The fields of a manifest besides its transport, to suggest corrections for misspelled names.
const FIELDS: &[&str] = &[
    "id",
    "name",
    "description",
    "input_schema",
    "output_schema",
    "output_params",
    "risk",
    "approval",
    "idempotent",
    "timeout",
    "retries",
    "retry_delay",
    "alternatives",
    "not_empty",
    "check_with",
    "limits",
    "tags",
    "to_user",
    "translations",
];

/// Reads all tools of a document. Returns the problems of all its tools if any tool is invalid.
pub fn read(document: &Value) -> Result<Vec<Tool>, Vec<Problem>> {
    let listed = match document {
        Value::Array(tools) => tools.iter().collect(),
        Value::Object(map) => match map.get("tools") {
            Some(Value::Array(tools)) if map.len() == 1 => tools.iter().collect(),
            _ => vec![document],
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(vec![Problem::of(&ProblemReason::ManifestNoTool, "")]);
        }
    };
    let mut tools = Vec::new();
    let mut problems = Vec::new();
    for (index, written) in listed.into_iter().enumerate() {
        match read_one(written) {
            Ok(tool) => tools.push(tool),
            Err(found) => {
                let name = written.get("id").and_then(Value::as_str);
                let at = name.map_or(format!("tools[{index}]"), |name| format!("tool `{name}`"));
                problems.extend(found.into_iter().map(|problem| problem.within(&at)));
            }
        }
    }
    if problems.is_empty() { Ok(tools) } else { Err(problems) }
}

fn read_one(written: &Value) -> Result<Tool, Vec<Problem>> {
    let tool: Tool = serde_json::from_value(written.clone()).map_err(|error| {
        let said = error.to_string();
        let fields = Transport::FIELDS;
        let ways = fields.iter().filter(|way| written.get(way).is_some());
        vec![match ways.count() {
            _ if !written.is_object() => Problem::of(&ProblemReason::ManifestNoTool, ""),
            0 if said.contains("no variant of enum Transport") => {
                Problem::of(&ProblemReason::ManifestNoTransport { fields: fields.to_vec() }, "")
            }
            0 | 1 => bad_field(written, &said),
            _ => Problem::of(&ProblemReason::ManifestTransports { fields: fields.to_vec() }, ""),
        }]
    })?;
    complete_and_check(tool)
}

/// Fills in the defaults of a tool and checks it. Returns all its problems if it is invalid.
pub fn complete_and_check(mut tool: Tool) -> Result<Tool, Vec<Problem>> {
    if tool.name.is_empty() {
        tool.name = tool.id.to_string();
    }
    tool.input_schema = normalised(&tool.input_schema);
    tool.output_schema = tool.output_schema.as_ref().map(normalised);
    let mut problems = check(&tool);
    if own(&tool.id).is_some() || matches!(tool.transport, Transport::Own(_)) {
        problems.push(Problem::of(&ProblemReason::OwnName { tool: tool.id.clone() }, "id"));
    }
    if problems.is_empty() { Ok(tool) } else { Err(problems) }
}

/// Describes a field that deserialization refused, with suggestions for a misspelled name.
fn bad_field(written: &Value, said: &str) -> Problem {
    let unknown = said.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
    let near = unknown
        .map_or(vec![], |(field, _)| near(field, FIELDS.iter().chain(&Transport::FIELDS).copied()));
    let plain = said
        .replace("expected u32", "expected a whole number from 0 on")
        .replace("expected u64", "expected a whole number from 0 on")
        .replace("expected a sequence", "expected a list")
        .replace("unknown variant", "unknown word");
    let at = if unknown.is_some() { "" } else { culprit(written, said) };
    Problem::of(&ProblemReason::ManifestField { said: plain }, at).or_near(&near)
}

/// Returns the field that caused the error, which serde does not name: without it, the message changes.
fn culprit<'a>(written: &'a Value, said: &str) -> &'a str {
    let without = |key: &&String| {
        let mut rest = written.clone();
        let removed = rest.as_object_mut().and_then(|map| map.remove(*key));
        let read: Result<Tool, _> = serde_json::from_value(rest);
        removed.is_some() && read.map_or_else(|error| error.to_string() != said, |_| true)
    };
    let mut keys = written.as_object().into_iter().flat_map(serde_json::Map::keys);
    keys.find(without).map_or("", String::as_str)
}

/// Returns the problems of the tool's `not_empty` rule.
fn check_not_empty(tool: &Tool, wanted: &NotEmpty) -> Vec<(ProblemReason, &'static str)> {
    let mut found = Vec::new();
    if tool.risk() != Risk::Read {
        found.push((ProblemReason::NotEmptyWrite, "not_empty"));
    }
    if wanted.field.as_ref().is_some_and(|field| segments(field).is_err()) {
        found.push((ProblemReason::NotEmptyField, "not_empty.field"));
    }
    let schema = &tool.input_schema;
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for name in &wanted.widen {
        let is_there = schema.get("properties").and_then(|them| them.get(name)).is_some();
        if !is_there || required.iter().any(|needed| needed == name) {
            found.push((ProblemReason::NotOptional { name: name.clone() }, "not_empty.widen"));
        }
    }
    found
}

/// Returns true if the schema allows an object, since arguments are always objects.
fn may_be_object(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|it| it == "object"),
        Some(Value::String(it)) => it == "object",
        _ => *schema != Value::Bool(false),
    }
}

/// Returns all problems of a tool.
pub fn check(tool: &Tool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refuse = |reason: ProblemReason, at: &str| problems.push(Problem::of(&reason, at));
    if let Err(why) = check_name(tool.id.as_str()) {
        refuse(ProblemReason::BadId { key: "id".to_owned(), why }, "");
    }
    for (at, schema) in
        [("input_schema", Some(&tool.input_schema)), ("output_schema", tool.output_schema.as_ref())]
    {
        match schema.map(Schema::compile) {
            Some(Err(why)) => refuse(ProblemReason::BadSchema { why }, at),
            Some(Ok(_)) if at == "input_schema" && !may_be_object(&tool.input_schema) => {
                refuse(ProblemReason::NoArgumentsFit, at);
            }
            Some(Ok(_)) | None => {}
        }
    }
    for (at, written) in [("timeout", &tool.timeout), ("retry_delay", &tool.retry_delay)] {
        if written.is_some() && span(written.as_ref()).is_none_or(|ms| ms == 0) {
            refuse(ProblemReason::BadSpan, at);
        }
    }
    if tool.retries.is_some_and(|retries| retries > MOST_RETRIES) {
        refuse(ProblemReason::TooManyRetries { most: MOST_RETRIES }, "retries");
    }
    if tool.limits.concurrent == Some(0) {
        refuse(ProblemReason::NoConcurrency, "limits.concurrent");
    }
    if tool.check_with.as_ref() == Some(&tool.id) {
        refuse(ProblemReason::NamesItself, "check_with");
    }
    if tool.alternatives.contains(&tool.id) {
        refuse(ProblemReason::NamesItself, "alternatives");
    }
    for (reason, at) in tool.not_empty.iter().flat_map(|wanted| check_not_empty(tool, wanted)) {
        refuse(reason, at);
    }
    if let Transport::Http(http) = &tool.transport {
        for (flaw, at) in flaws(http) {
            refuse(ProblemReason::Http(flaw), &format!("http.{at}"));
        }
    }
    if let Transport::Sql(sql) = &tool.transport {
        sql.problems().into_iter().for_each(|(reason, at)| refuse(reason, at));
    }
    match &tool.transport {
        Transport::Command(command) if command.argv.first().is_none_or(String::is_empty) => {
            refuse(ProblemReason::NoProgram, "command.argv");
        }
        Transport::Http(http)
            if !http.url.starts_with("http://") && !http.url.starts_with("https://") =>
        {
            refuse(ProblemReason::BadUrl, "http.url");
        }
        Transport::Own(_)
        | Transport::Builtin(_)
        | Transport::Command(_)
        | Transport::Http(_)
        | Transport::Sql(_) => {}
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_manifest_has_a_field_for_every_way_to_reach_a_tool_but_our_own() {
        let Err(error) = serde_json::from_str::<Transport>(r#"{"nothing": 1}"#) else {
            panic!("`nothing` is no way to reach a tool");
        };
        let said = error.to_string();
        let (_, listed) = said.split_once("expected one of ").unwrap();
        let mut ways: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
        ways.retain(|way| *way != "own");
        let mut fields = Transport::FIELDS.to_vec();
        ways.sort_unstable();
        fields.sort_unstable();
        assert_eq!(fields, ways);
    }

    #[test]
    fn dates_and_timestamps_may_be_types_in_the_schemas_of_a_manifest() {
        let written = json!({
            "id": "book",
            "builtin": "book",
            "input_schema": {"type": "object", "properties": {"day": {"type": "date"}}},
            "output_schema": {"type": "object", "properties": {"at": {"type": ["timestamp", "null"]}}},
        });
        let tool = read(&written).unwrap().remove(0);
        let day = json!({"type": "string", "format": "date"});
        assert_eq!(tool.input_schema.pointer("/properties/day"), Some(&day));
        let at = json!({"type": ["string", "null"], "format": "date-time"});
        assert_eq!(tool.output_schema.unwrap().pointer("/properties/at"), Some(&at));
    }

    #[test]
    fn a_schema_of_arguments_that_allows_no_object_is_refused() {
        for (schema, sound) in [
            (json!({"type": "string"}), false),
            (json!({"type": ["array", "null"]}), false),
            (json!(false), false),
            (json!({"type": ["object", "null"]}), true),
            (json!({"anyOf": [{"type": "object"}]}), true),
            (json!(true), true),
        ] {
            let written = json!({"id": "a", "builtin": "a", "input_schema": schema});
            let codes = read(&written).map_err(|it| it.into_iter().map(|it| it.code).collect());
            let expected = if sound { Ok(()) } else { Err(vec!["bad_schema".to_owned()]) };
            assert_eq!(codes.map(drop), expected, "{schema}");
        }
    }
}
