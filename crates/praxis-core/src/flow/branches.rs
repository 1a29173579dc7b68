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
    slips: &mut FlowProblems,
) -> BranchChoice<Value> {
    let written = map.get("branches").cloned().unwrap_or_else(|| json!([]));
    let otherwise = map.get("otherwise").and_then(Value::as_str).map(str::trim);
    let otherwise = otherwise.filter(|it| !it.is_empty()).map(str::to_owned);
    let branches = match &written {
        Value::Array(list) => {
            let place = |index: usize| format!("{at}branches[{index}]");
            let read = list.iter().enumerate();
            read.filter_map(|(index, it)| branch(it, &place(index), slips)).collect()
        }
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Object(_)) => {
            let wanted = ("a list of branches is needed", "需要分支列表");
            let example = format!("branches: [{EXAMPLE}]");
            misshapen(slips, &format!("{at}branches"), wanted, (&example, other));
            vec![]
        }
    };
    let choice = BranchChoice { branches, otherwise };
    sound(&choice, (map.get("otherwise"), written.as_array().map_or(1, Vec::len)), at, slips);
    choice
}

/// Reports problems of the branches as a whole.
fn sound(
    choice: &BranchChoice<Value>,
    (otherwise, written): (Option<&Value>, usize),
    at: &str,
    slips: &mut FlowProblems,
) {
    let mut seen = BTreeSet::new();
    for Branch { id, conditions, .. } in &choice.branches {
        let at = format!("{at}branches.{id}");
        let is_default = choice.otherwise.as_ref() == Some(id);
        if !seen.insert(id) {
            let what = (format!("branch `{id}` is there twice"), format!("分支 `{id}` 重复出现"));
            let mend = ("give one of the two another id", "给其中一个换一个 id");
            slips.blame("flow_branch", &at, what, mend);
        } else if is_default && !conditions.is_empty() {
            slips.blame(
                "flow_branch",
                &at,
                (
                    format!("`{id}` is taken otherwise, so its conditions are never tested"),
                    format!("`{id}` 是其余情况的分支，其条件不会被判断"),
                ),
                (
                    "name another branch in `otherwise`, or remove the conditions",
                    "在 `otherwise` 中写另一个分支，或去掉这些条件",
                ),
            );
        } else if !is_default && conditions.is_empty() {
            slips.blame(
                "flow_branch",
                &at,
                (
                    format!("branch `{id}` has no conditions and is never taken"),
                    format!("分支 `{id}` 没有条件，永远不会被选中"),
                ),
                (
                    format!("write one, like `{CONDITION}`, or `otherwise: {id}`"),
                    format!("写一个条件，如 `{CONDITION}`；或写 `otherwise: {id}`"),
                ),
            );
        }
    }
    if written == 0 {
        let mend = (format!("write one like `{EXAMPLE}`"), format!("写成 `{EXAMPLE}` 的形式"));
        let what = ("there is nothing to choose from", "没有可选择的分支");
        slips.blame("flow_branch", &format!("{at}branches"), what, mend);
    }
    default(choice, otherwise, at, slips);
}

fn default(
    choice: &BranchChoice<Value>,
    written: Option<&Value>,
    at: &str,
    slips: &mut FlowProblems,
) {
    let at = format!("{at}otherwise");
    match written.filter(|it| !it.is_string() && !it.is_null()) {
        Some(other) => {
            let wanted = ("the name of a branch is needed", "需要分支名");
            misshapen(slips, &at, wanted, ("otherwise: no", other));
        }
        None if choice.otherwise.is_none() => slips.blame(
            "flow_branch",
            &at,
            ("nothing says what happens when no branch holds", "没有写明所有分支都不成立时怎么办"),
            (
                "add `otherwise: BRANCH`, and an edge for that branch",
                "加上 `otherwise: 分支`，并为它写一条边",
            ),
        ),
        None => {}
    }
}

fn branch(written: &Value, at: &str, slips: &mut FlowProblems) -> Option<Branch<Value>> {
    let Some(map) = written.as_object() else {
        let wanted = ("a branch is a table of fields", "分支是由字段组成的表");
        misshapen(slips, at, wanted, (EXAMPLE, written));
        return None;
    };
    let id = map.get("id").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    let is_bad = id.is_empty() || id.contains("->");
    if is_bad {
        let what = if id.is_empty() {
            ("the branch has no name".to_owned(), "分支没有名称".to_owned())
        } else {
            (
                format!("`{id}` has a sign in it that edges are written with"),
                format!("`{id}` 含有用于书写边的符号"),
            )
        };
        let mend = (
            "give the branch a short `id` without `->`; edges begin with `node.id`",
            "给分支一个不含 `->` 的简短 `id`；边以 `节点.id` 开头",
        );
        slips.blame("flow_branch", at, what, mend);
        return None;
    }
    unknown(map, &["id", "all", "any"], at, slips);
    let (logic, conditions) = conditions(map, at, slips)?;
    Some(Branch { id: id.to_owned(), logic, conditions })
}

/// Reads the `until` condition of a loop. It has no id in the file, so it gets the id `until`.
pub(super) fn until(written: &Value, at: &str, slips: &mut FlowProblems) -> Option<Branch<Value>> {
    let at = format!("{at}until");
    let Some(map) = written.as_object() else {
        let wanted = ("conditions under `all` or `any` are needed", "需要 `all` 或 `any` 下的条件");
        misshapen(slips, &at, wanted, (UNTIL, written));
        return None;
    };
    unknown(map, &["all", "any"], &at, slips);
    let (logic, conditions) = conditions(map, &at, slips)?;
    if conditions.is_empty() {
        slips.blame(
            "flow_condition",
            &at,
            ("there is no condition, so it never holds", "没有条件，永远不成立"),
            ("write one, or leave `until` out", "写一个条件，或去掉 `until`"),
        );
    }
    Some(Branch { id: "until".to_owned(), logic, conditions })
}

fn unknown(map: &Map<String, Value>, known: &[&str], at: &str, slips: &mut FlowProblems) {
    for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
        slips.blame_near(
            ("unknown_field", at),
            (format!("`{key}` is no field here"), format!("此处没有字段 `{key}`")),
            &near(key, known.iter().copied()),
            (
                format!("remove it; the fields here are {}", known.join(", ")),
                format!("去掉它；此处的字段有 {}", known.join("、")),
            ),
        );
    }
}

type Conditions = (Logic, Vec<FlowCondition<Value>>);

fn conditions(map: &Map<String, Value>, at: &str, slips: &mut FlowProblems) -> Option<Conditions> {
    let (logic, key, written) = match (map.get("all"), map.get("any")) {
        (Some(all), None) => (Logic::All, "all", all),
        (None, Some(any)) => (Logic::Any, "any", any),
        (both, _) => {
            let what = if both.is_some() {
                ("there is both `all` and `any`", "同时有 `all` 和 `any`")
            } else {
                ("there is neither `all` nor `any`", "既没有 `all` 也没有 `any`")
            };
            let mend = (
                format!("write the conditions under one of them: `all: [{CONDITION}]`"),
                format!("把条件写在其中一个之下：`all: [{CONDITION}]`"),
            );
            slips.blame("flow_condition", at, what, mend);
            return None;
        }
    };
    let Some(list) = written.as_array() else {
        let wanted = ("a list of conditions is needed", "需要条件列表");
        let example = format!("{key}: [{CONDITION}]");
        misshapen(slips, &format!("{at}, {key}"), wanted, (&example, written));
        return None;
    };
    let place = |index: usize| format!("{at}, {key}[{index}]");
    let read = list.iter().enumerate();
    let read: Vec<FlowCondition<Value>> =
        read.filter_map(|(index, it)| condition(it, &place(index), slips)).collect();
    // The problem is already reported. Without this condition the branch would mean something else.
    (read.len() == list.len()).then_some((logic, read))
}

fn condition(written: &Value, at: &str, slips: &mut FlowProblems) -> Option<FlowCondition<Value>> {
    let Some(map) = written.as_object() else {
        let wanted = ("a condition is a table of fields", "条件是由字段组成的表");
        misshapen(slips, at, wanted, (CONDITION, written));
        return None;
    };
    unknown(map, &["left", "is", "right"], at, slips);
    let left = map.get("left");
    if left.is_none() {
        let mend = (
            "add `left:` with what is looked at, like `left: \"{{count}}\"`",
            "加上 `left:`，写要判断的值，如 `left: \"{{count}}\"`",
        );
        let what = ("nothing says what is looked at", "没有写明判断什么");
        slips.blame("flow_condition", at, what, mend);
    }
    let is = operator(map.get("is"), at, slips);
    Some(FlowCondition { left: left?.clone(), is: is?, right: map.get("right").cloned() })
}

fn operator(
    written: Option<&Value>,
    at: &str,
    slips: &mut FlowProblems,
) -> Option<ConditionOperator> {
    let names: Vec<&str> = ConditionOperator::all().map(ConditionOperator::name).collect();
    let said = match written {
        Some(Value::String(said)) => said.trim(),
        Some(_) | None => "",
    };
    let found = ConditionOperator::named(said);
    if found.is_none() {
        let what = if said.is_empty() {
            ("nothing says how it is compared".to_owned(), "没有写明如何比较".to_owned())
        } else {
            (format!("there is no operator `{said}`"), format!("没有运算符 `{said}`"))
        };
        slips.blame_near(
            ("flow_condition", &format!("{at}, is")),
            what,
            &near(said, names.iter().copied()),
            (
                format!("`is` is one of {}", names.join(", ")),
                format!("`is` 可为 {}", names.join("、")),
            ),
        );
    }
    found
}
