//! Reads the fields of a node that involve people: the approval of its call, and its unanswered questions.
//!
//! - in: the fields `approve` and `unanswered` of a node
//! - out: their values, and the problems of their form
//! - never: applies the settings, which may limit what a node can allow

use super::fields::misshapen;
use super::problems::FlowProblems;
use crate::call::approval::CallPolicy;
use crate::call::tool::span;
use crate::intake::unanswered::{UnansweredAction, UnansweredPolicy};
use crate::near::near;
use serde_json::{Map, Value, json};

const UNANSWERED_KEYS: [&str; 3] = ["within", "then", "values"];

/// Reads the approval policy of a node.
pub(super) fn approve(
    written: Option<&Value>,
    call: &str,
    at: &str,
    findings: &mut FlowProblems,
) -> Option<CallPolicy> {
    let written = written?;
    let at = format!("{at}approve");
    if matches!(call, "Approve" | "Choice") {
        findings.blame(
            "flow_shape",
            &at,
            (
                format!("`{call}` makes no call that could need approval"),
                format!("`{call}` 不发起调用，无需审批"),
            ),
            ("move `approve` to the node that makes the call", "把 `approve` 移到发起调用的节点上"),
        );
        return None;
    }
    let found = written.as_str().and_then(CallPolicy::of_word);
    if found.is_none() {
        unknown_word(written, "approve", (&at, &CallPolicy::WORDS.map(|(word, _)| word)), findings);
    }
    found
}

/// Reads the policy for a node's questions that are not answered in time.
pub(super) fn unanswered(
    written: Option<&Value>,
    at: &str,
    findings: &mut FlowProblems,
) -> Option<UnansweredPolicy> {
    let written = written?;
    let at = format!("{at}unanswered");
    let Value::Object(map) = written else {
        let wanted = ("expected an object", "应为对象");
        misshapen(findings, &at, wanted, ("unanswered: {within: 30m, then: skip}", written));
        return None;
    };
    for key in map.keys().filter(|key| !UNANSWERED_KEYS.contains(&key.as_str())) {
        findings.blame_near(
            ("unknown_field", &at),
            (format!("unknown field `{key}`"), format!("未知字段 `{key}`")),
            &near(key, UNANSWERED_KEYS.into_iter()),
            ("known fields: within, then, values", "可用字段：within、then、values"),
        );
    }
    Some(UnansweredPolicy {
        after_ms: within(map, &at, findings),
        then: then(map, &at, findings),
        values: values(map, &at, findings),
    })
}

fn within(map: &Map<String, Value>, at: &str, findings: &mut FlowProblems) -> Option<u64> {
    let written = map.get("within")?;
    let found = span(Some(written)).filter(|ms| *ms > 0);
    if found.is_none() {
        let wanted = ("expected a duration above zero", "应为大于零的时长");
        misshapen(findings, &format!("{at}.within"), wanted, ("within: 30m", written));
    }
    found
}

fn then(
    map: &Map<String, Value>,
    at: &str,
    findings: &mut FlowProblems,
) -> Option<UnansweredAction> {
    let written = map.get("then")?;
    let found = written.as_str().and_then(UnansweredAction::of_word);
    if found.is_none() {
        let words = UnansweredAction::WORDS.map(|(word, _)| word);
        unknown_word(written, "then", (&format!("{at}.then"), &words), findings);
    }
    found
}

fn values(map: &Map<String, Value>, at: &str, findings: &mut FlowProblems) -> Map<String, Value> {
    let Some(written) = map.get("values") else { return Map::new() };
    let at = format!("{at}.values");
    let Value::Object(values) = written else {
        let wanted =
            ("expected an object of parameter names and values", "应为由参数名和值组成的对象");
        misshapen(findings, &at, wanted, ("values: {days: 3}", written));
        return Map::new();
    };
    if map.get("then").and_then(Value::as_str) != Some("default") {
        findings.blame(
            "flow_shape",
            &at,
            (
                "`values` has no effect without `then: default`",
                "没有 `then: default` 时 `values` 不起作用",
            ),
            ("add `then: default`, or remove `values`", "加上 `then: default`，或删除 `values`"),
        );
    }
    values.clone()
}

fn unknown_word(
    written: &Value,
    key: &str,
    (at, words): (&str, &[&str]),
    findings: &mut FlowProblems,
) {
    let said = written.as_str().unwrap_or_default();
    let (en, zh) = (words.join(", "), words.join("、"));
    findings.blame_near(
        ("flow_shape", at),
        (format!("unknown value `{written}`"), format!("未知的值 `{written}`")),
        &near(said, words.iter().copied()),
        (format!("`{key}` must be one of {en}"), format!("`{key}` 必须是 {zh} 之一")),
    );
}

/// Writes the `unanswered` field back as a document.
pub(super) fn written(unanswered: &UnansweredPolicy) -> Value {
    let mut out = Map::new();
    out.extend(unanswered.after_ms.map(|ms| ("within".to_owned(), json!(span_text(ms)))));
    let word = |then: UnansweredAction| {
        UnansweredAction::WORDS.into_iter().find(|(_, it)| *it == then).map(|(word, _)| word)
    };
    out.extend(unanswered.then.and_then(word).map(|word| ("then".to_owned(), json!(word))));
    if !unanswered.values.is_empty() {
        out.insert("values".to_owned(), Value::Object(unanswered.values.clone()));
    }
    Value::Object(out)
}

/// Returns a duration in the largest unit that divides it.
fn span_text(ms: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")];
    let whole = units.into_iter().find(|(unit, _)| ms.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{ms}ms"), |(unit, word)| format!("{}{word}", ms / unit))
}
