//! Makes a plan from a workflow without a model: from its own parameters and the pairs in the request.

use super::intent::without_intent;
use super::workflow::{Workflow, WorkflowStep};
use crate::call::tool::Toolbox;
use crate::ids::{StepId, ToolId};
use crate::intake::{check as plan_check, plan as plan_document};
use crate::lang::Lang;
use crate::near::near;
use crate::problem::Problem;
use crate::problem::reason::ProblemReason;
use crate::text::pairs::pairs;
use crate::text::phrase::{folded, is_chinese};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// Returns the plan document of a workflow for a goal. Its metadata are the workflow's defaults, overridden by the
/// pairs in the goal, overridden by the given metadata. Missing values are asked for when a step needs them.
pub fn plan(workflow: &Workflow, goal: &str, metadata: &Map<String, Value>) -> Value {
    let lang = if goal.chars().any(is_chinese) { Lang::Zh } else { Lang::En };
    let steps: Vec<Value> =
        workflow.steps.iter().enumerate().map(|(at, step)| written(at, step, lang)).collect();
    let mut all = workflow.defaults.clone();
    all.extend(told(workflow, goal));
    all.extend(metadata.clone());
    json!({
        "plan_id": workflow.id, "plan_description": goal, "task_type": workflow.id,
        "metadata": all, "steps": steps,
    })
}

fn written(index: usize, step: &WorkflowStep, lang: Lang) -> Value {
    let before = || index.checked_sub(1).map(Workflow::step_id).into_iter().collect();
    json!({
        "step_id": Workflow::step_id(index),
        "step_name": step.name.tell(lang),
        "tool": step.tool_id,
        "parameters": step.parameters.clone().unwrap_or_default(),
        "depends_on": step.depends_on.clone().unwrap_or_else(before),
    })
}

/// Returns the pairs in a goal under the workflow's own names. Keys equal to a step id are ignored: they would make
/// the plan ambiguous.
pub fn told(workflow: &Workflow, goal: &str) -> Map<String, Value> {
    let ids: BTreeSet<StepId> = (0..workflow.steps.len()).map(Workflow::step_id).collect();
    let found = pairs(&without_intent(goal)).into_iter();
    found
        .map(|(key, value)| (known(workflow, &key), value))
        .filter(|(key, _)| !ids.contains(key.as_str()))
        .collect()
}

/// Words that may precede a Chinese key: `请设文件路径` is the `文件路径`, but `输出文件路径` is another one.
const BEFORE: [&str; 14] = [
    "请", "把", "将", "设置", "设定", "指定", "设", "使用", "用", "其中", "并且", "并", "以及",
    "和",
];

/// Returns the workflow's own name for a key, or the key itself.
pub fn known(workflow: &Workflow, key: &str) -> String {
    let spoken = folded(key);
    let mut bare = spoken.as_str();
    while let Some(rest) = BEFORE.iter().find_map(|word| bare.strip_prefix(word)) {
        bare = rest;
    }
    let is_it = |name: &String| [spoken.as_str(), bare].contains(&folded(name.trim()).as_str());
    let own = workflow.names.iter().find(|(_, names)| names.iter().any(is_it));
    own.map_or_else(|| key.to_owned(), |(own, _)| own.clone())
}

/// Returns the problems of a workflow with these tools. Steps whose parameters a model fills may lack parameters.
pub fn check(workflow: &Workflow, toolbox: &Toolbox) -> Vec<Problem> {
    let document = plan(workflow, "", &Map::new());
    let metadata = plan_document::metadata(&document);
    let checked = plan_document::read(&document)
        .and_then(|plan| plan_check::check(&plan, toolbox, &metadata, &BTreeSet::new()));
    let open = |problem: &Problem| {
        let mut steps = workflow.steps.iter().enumerate();
        problem.code == "missing_parameter"
            && steps.any(|(at, step)| {
                step.parameters.is_none()
                    && problem.at.starts_with(&format!("step `{}`", Workflow::step_id(at)))
            })
    };
    let mut problems: Vec<Problem> =
        checked.err().into_iter().flatten().filter(|problem| !open(problem)).collect();
    let missing = |tool: &&ToolId| !toolbox.contains_key(*tool);
    for tool in workflow.tool_list.iter().filter(missing) {
        let near = near(tool.as_str(), toolbox.keys().map(ToolId::as_str));
        let reason = ProblemReason::UnknownTool { tool: tool.to_string() };
        problems.push(Problem::of(&reason, "tool_list").or_near(&near));
    }
    problems
}

/// Returns the metadata names for which the caller used one of their aliases, each with the alias used.
pub fn called(workflow: &Workflow, given: &Map<String, Value>) -> BTreeMap<String, String> {
    let other = |names: &Vec<String>| {
        let is_name = |key: &&String| names.iter().any(|name| folded(name) == folded(key));
        given.keys().find(is_name).cloned()
    };
    let open = workflow.names.iter().filter(|(own, _)| !given.contains_key(*own));
    open.filter_map(|(own, names)| Some((own.clone(), other(names)?))).collect()
}
