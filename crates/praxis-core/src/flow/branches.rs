//! Reads branches and conditions field by field, so that every mistake gets its own message.
//!
//! - in: a `Choice` node of a flow, or the `until` of a `Loop`
//! - out: its branches, and the problems of their form
//! - never: checks the values that the conditions compare; [`conditions`](super::conditions) does

use super::fields::misshapen;
use super::problems::FlowProblems;
use crate::choice::branch::{Branch, BranchChoice, Logic};
use crate::choice::condition::FlowCondition;
use crate::choice::operator::ConditionOperator;
use crate::near::near;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const EXAMPLE: &str = "{id: yes, all: [{left: \"{{count}}\", is: greater, right: 3}]}";
const CONDITION: &str = "{left: \"{{count}}\", is: greater, right: 3}";
const UNTIL: &str = "until: {all: [{left: \"{{index}}\", is: at_least, right: 3}]}";

/// Reads the branches of a `Choice` node.
pub(super) fn choice(
    map: &Map<String, Value>,
    at: &str,
    findings: &mut FlowProblems,
) -> BranchChoice<Value> {
    let written = map.get("branches").cloned().unwrap_or_else(|| json!([]));
    let otherwise = map.get("otherwise").and_then(Value::as_str).map(str::trim);
    let otherwise = otherwise.filter(|it| !it.is_empty()).map(str::to_owned);
    let branches = match &written {
        Value::Array(list) => {
            let place = |index: usize| format!("{at}branches[{index}]");
            let read = list.iter().enumerate();
            read.filter_map(|(index, it)| branch(it, &place(index), findings)).collect()
        }
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Object(_)) => {
            let wanted = ("expected a list of branches", "应为分支列表");
            let example = format!("branches: [{EXAMPLE}]");
            misshapen(findings, &format!("{at}branches"), wanted, (&example, other));
            vec![]
        }
    };
    let choice = BranchChoice { branches, otherwise };
    sound(&choice, (map.get("otherwise"), written.as_array().map_or(1, Vec::len)), at, findings);
    choice
}

/// Reports problems of the branches as a whole.
fn sound(
    choice: &BranchChoice<Value>,
    (otherwise, written): (Option<&Value>, usize),
    at: &str,
    findings: &mut FlowProblems,
) {
    let mut seen = BTreeSet::new();
    for Branch { id, conditions, .. } in &choice.branches {
        let at = format!("{at}branches.{id}");
        let is_default = choice.otherwise.as_ref() == Some(id);
        if !seen.insert(id) {
            let what = (format!("duplicate branch `{id}`"), format!("分支 `{id}` 重复"));
            let mend = ("rename one of them", "重命名其中一个");
            findings.blame("flow_branch", &at, what, mend);
        } else if is_default && !conditions.is_empty() {
            findings.blame(
                "flow_branch",
                &at,
                (
                    format!("`{id}` is the `otherwise` branch, so its conditions are never tested"),
                    format!("`{id}` 是 `otherwise` 分支，其条件不会被判断"),
                ),
                (
                    "name another branch in `otherwise`, or remove the conditions",
                    "在 `otherwise` 中写另一个分支，或删除这些条件",
                ),
            );
        } else if !is_default && conditions.is_empty() {
            findings.blame(
                "flow_branch",
                &at,
                (
                    format!("branch `{id}` has no conditions, so it is never taken"),
                    format!("分支 `{id}` 没有条件，永远不会被选中"),
                ),
                (
                    format!(
                        "add one, like `{CONDITION}`, or make it the default with `otherwise: {id}`"
                    ),
                    format!("加一个条件，如 `{CONDITION}`；或用 `otherwise: {id}` 设为默认分支"),
                ),
            );
        }
    }
    if written == 0 {
        let mend = (format!("add one, like `{EXAMPLE}`"), format!("加一个分支，如 `{EXAMPLE}`"));
        let what = ("the choice has no branches", "选择节点没有分支");
        findings.blame("flow_branch", &format!("{at}branches"), what, mend);
    }
    default(choice, otherwise, at, findings);
}

fn default(
    choice: &BranchChoice<Value>,
    written: Option<&Value>,
    at: &str,
    findings: &mut FlowProblems,
) {
    let at = format!("{at}otherwise");
    match written.filter(|it| !it.is_string() && !it.is_null()) {
        Some(other) => {
            let wanted = ("expected the id of a branch", "应为分支 id");
            misshapen(findings, &at, wanted, ("otherwise: no", other));
        }
        None if choice.otherwise.is_none() => findings.blame(
            "flow_branch",
            &at,
            (
                "missing `otherwise`, the branch to take when no other applies",
                "缺少 `otherwise`，即其他分支都不成立时采用的分支",
            ),
            (
                "add `otherwise: BRANCH`, and an edge from that branch",
                "加上 `otherwise: 分支`，并为该分支写一条边",
            ),
        ),
        None => {}
    }
}

fn branch(written: &Value, at: &str, findings: &mut FlowProblems) -> Option<Branch<Value>> {
    let Some(map) = written.as_object() else {
        let wanted = ("a branch must be an object", "分支必须是对象");
        misshapen(findings, at, wanted, (EXAMPLE, written));
        return None;
    };
    let id = map.get("id").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    let is_bad = id.is_empty() || id.contains("->");
    if is_bad {
        let what = if id.is_empty() {
            ("the branch has no `id`".to_owned(), "分支没有 `id`".to_owned())
        } else {
            (
                format!("branch id `{id}` must not contain `->`"),
                format!("分支 id `{id}` 不能包含 `->`"),
            )
        };
        let mend = (
            "give the branch a short `id` without `->`; its edges start with `node.id`",
            "给分支一个不含 `->` 的简短 `id`；它的边写成 `节点.分支id -> 目标`",
        );
        findings.blame("flow_branch", at, what, mend);
        return None;
    }
    unknown(map, &["id", "all", "any"], at, findings);
    let (logic, conditions) = conditions(map, at, findings)?;
    Some(Branch { id: id.to_owned(), logic, conditions })
}

/// Reads the `until` condition of a loop. It has no id in the file, so it gets the id `until`.
pub(super) fn until(
    written: &Value,
    at: &str,
    findings: &mut FlowProblems,
) -> Option<Branch<Value>> {
    let at = format!("{at}until");
    let Some(map) = written.as_object() else {
        let wanted =
            ("expected conditions under `all` or `any`", "条件必须写在 `all` 或 `any` 之下");
        misshapen(findings, &at, wanted, (UNTIL, written));
        return None;
    };
    unknown(map, &["all", "any"], &at, findings);
    let (logic, conditions) = conditions(map, &at, findings)?;
    if conditions.is_empty() {
        findings.blame(
            "flow_condition",
            &at,
            ("`until` has no conditions, so it is never true", "`until` 没有条件，永远不成立"),
            ("add a condition, or remove `until`", "加一个条件，或删除 `until`"),
        );
    }
    Some(Branch { id: "until".to_owned(), logic, conditions })
}

fn unknown(map: &Map<String, Value>, known: &[&str], at: &str, findings: &mut FlowProblems) {
    for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
        findings.blame_near(
            ("unknown_field", at),
            (format!("unknown field `{key}`"), format!("未知字段 `{key}`")),
            &near(key, known.iter().copied()),
            (
                format!("remove it; known fields: {}", known.join(", ")),
                format!("删除它；可用字段：{}", known.join("、")),
            ),
        );
    }
}

type Conditions = (Logic, Vec<FlowCondition<Value>>);

fn conditions(
    map: &Map<String, Value>,
    at: &str,
    findings: &mut FlowProblems,
) -> Option<Conditions> {
    let (logic, key, written) = match (map.get("all"), map.get("any")) {
        (Some(all), None) => (Logic::All, "all", all),
        (None, Some(any)) => (Logic::Any, "any", any),
        (both, _) => {
            let what = if both.is_some() {
                ("`all` and `any` cannot be used together", "`all` 和 `any` 不能同时使用")
            } else {
                ("missing `all` or `any`", "缺少 `all` 或 `any`")
            };
            let mend = (
                format!("put the conditions under one of them: `all: [{CONDITION}]`"),
                format!("把条件写在其中一个之下：`all: [{CONDITION}]`"),
            );
            findings.blame("flow_condition", at, what, mend);
            return None;
        }
    };
    let Some(list) = written.as_array() else {
        let wanted = ("expected a list of conditions", "应为条件列表");
        let example = format!("{key}: [{CONDITION}]");
        misshapen(findings, &format!("{at}, {key}"), wanted, (&example, written));
        return None;
    };
    let place = |index: usize| format!("{at}, {key}[{index}]");
    let read = list.iter().enumerate();
    let read: Vec<FlowCondition<Value>> =
        read.filter_map(|(index, it)| condition(it, &place(index), findings)).collect();
    // The problem is already reported. Without this condition the branch would mean something else.
    (read.len() == list.len()).then_some((logic, read))
}

fn condition(
    written: &Value,
    at: &str,
    findings: &mut FlowProblems,
) -> Option<FlowCondition<Value>> {
    let Some(map) = written.as_object() else {
        let wanted = ("a condition must be an object", "条件必须是对象");
        misshapen(findings, at, wanted, (CONDITION, written));
        return None;
    };
    unknown(map, &["left", "is", "right"], at, findings);
    let left = map.get("left");
    if left.is_none() {
        let mend = (
            "add `left:` with the value to test, like `left: \"{{count}}\"`",
            "加上 `left:`，写要判断的值，如 `left: \"{{count}}\"`",
        );
        let what = ("missing `left`", "缺少 `left`");
        findings.blame("flow_condition", at, what, mend);
    }
    let is = operator(map.get("is"), at, findings);
    Some(FlowCondition { left: left?.clone(), is: is?, right: map.get("right").cloned() })
}

fn operator(
    written: Option<&Value>,
    at: &str,
    findings: &mut FlowProblems,
) -> Option<ConditionOperator> {
    let names: Vec<&str> = ConditionOperator::all().map(ConditionOperator::name).collect();
    let said = match written {
        Some(Value::String(said)) => said.trim(),
        Some(_) | None => "",
    };
    let found = ConditionOperator::named(said);
    if found.is_none() {
        let what = if said.is_empty() {
            ("`is` must name an operator".to_owned(), "`is` 必须写明运算符".to_owned())
        } else {
            (format!("unknown operator `{said}`"), format!("未知运算符 `{said}`"))
        };
        findings.blame_near(
            ("flow_condition", &format!("{at}, is")),
            what,
            &near(said, names.iter().copied()),
            (
                format!("`is` must be one of {}", names.join(", ")),
                format!("`is` 必须是以下之一：{}", names.join("、")),
            ),
        );
    }
    found
}
