//! Standard workflows: fixed steps for known kinds of tasks.

use super::intent;
use crate::ids::{StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::lang::Lang;
use crate::near::near;
use crate::problem::{Bilingual, Problem};
use crate::text::phrase::{folded, stands_in};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub use super::instantiate::{check, plan};
pub use super::workflow_file::read;

/// The score of a keyword that equals the task type.
const SAME: u32 = 10;
/// The score of a keyword that occurs in the task type.
const WITHIN: u32 = 5;
/// The score of a keyword that occurs in the goal.
const TOLD: u32 = 3;

/// A kind of task with fixed steps. Empty optional fields are not serialized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workflow {
    /// The name for programs.
    pub id: String,
    /// The name for people.
    pub name: Bilingual,
    /// A description of the workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Bilingual>,
    /// Phrases that identify the workflow in a task type or a goal.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The tools that it may use.
    #[serde(default)]
    pub tool_list: Vec<ToolId>,
    /// The categories of these tools.
    #[serde(default)]
    pub tool_categories: Vec<String>,
    /// The steps in order.
    pub steps: Vec<WorkflowStep>,
    /// Notes for the model or person that fills in its parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Bilingual>,
    /// The intent that the workflow serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The scene that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// Default metadata of a task.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub defaults: Map<String, Value>,
    /// Aliases that people use for a metadata name in a goal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, Vec<String>>,
}

/// A step of a workflow. In plans its id is `step_1`, `step_2` and so on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkflowStep {
    /// The name for people.
    pub name: Bilingual,
    /// The tool that it calls.
    pub tool_id: ToolId,
    /// A description of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Bilingual>,
    /// The arguments of the tool, with placeholders; `None` if a model fills them in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Map<String, Value>>,
    /// The steps that it depends on; `None` means the previous step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<StepId>>,
}

impl Workflow {
    /// Returns the id of a step in plans.
    pub fn step_id(index: usize) -> StepId {
        StepId::from(format!("step_{}", index + 1))
    }

    /// Returns true if a stated intent selects the workflow: it equals its intent, id, name or a keyword.
    pub fn is_for(&self, stated: &str) -> bool {
        let stated = folded(stated.trim());
        let own = self.intent.iter();
        let names = [&self.id, &self.name.en, &self.name.zh].into_iter().chain(&self.keywords);
        own.chain(names).any(|name| folded(name.trim()) == stated)
    }

    /// Returns the matching score: each keyword counts once for the task type and once for the goal.
    fn score(&self, task_type: &str, goal: &str) -> u32 {
        let of_keyword = |keyword: &String| {
            let keyword = folded(keyword.trim());
            let typed = match task_type {
                same if same == keyword => SAME,
                other if stands_in(&keyword, other) => WITHIN,
                _ => 0,
            };
            typed + if stands_in(&keyword, goal) { TOLD } else { 0 }
        };
        self.keywords.iter().map(of_keyword).sum()
    }

    /// Renders the workflow for a model: its steps, tools and parameters, without instructions.
    pub fn shown(&self, lang: Lang) -> String {
        let mut out = self.listed(lang);
        for (index, step) in self.steps.iter().enumerate() {
            let name = step.name.tell(lang);
            out.push_str(&format!("\n{}. {}: {name}", index + 1, step.tool_id));
            if let Some(words) = &step.description {
                out.push_str(&format!(" ({})", words.tell(lang)));
            }
            if let Some(parameters) = &step.parameters {
                out.push_str(&format!(" {}", Value::Object(parameters.clone())));
            }
        }
        if let Some(notes) = &self.notes {
            out.push_str(&format!("\n- {}", notes.tell(lang)));
        }
        out
    }

    /// Renders the workflow as one line, for selection.
    pub fn listed(&self, lang: Lang) -> String {
        let described = self.description.as_ref().map(|words| format!(". {}", words.tell(lang)));
        format!("{}: {}{}", self.id, self.name.tell(lang), described.unwrap_or_default())
    }
}

/// Returns the best match with its score. A stated intent admits only workflows for that intent, and their best match
/// is returned even if no keyword matches.
pub fn matching<'a>(
    workflows: &'a [Workflow],
    stated: Option<&str>,
    task_type: Option<&str>,
    goal: &str,
) -> Option<(&'a Workflow, u32)> {
    let task_type = folded(task_type.or(stated).unwrap_or_default().trim());
    let goal = folded(&intent::without_intent(goal));
    let may = |workflow: &&Workflow| stated.is_none_or(|stated| workflow.is_for(stated));
    let scored = workflows.iter().filter(may).map(|workflow| {
        let bonus = if stated.is_some() { SAME } else { 0 };
        (workflow, workflow.score(&task_type, &goal).max(bonus))
    });
    let by_score = |a: &(&Workflow, u32), b: &(&Workflow, u32)| {
        a.1.cmp(&b.1).then_with(|| b.0.id.cmp(&a.0.id))
    };
    scored.filter(|(_, score)| *score > 0).max_by(by_score)
}

/// Finds a workflow by id, or returns a problem with similar ids.
pub fn by_id<'a>(workflows: &'a [Workflow], id: &str) -> Result<&'a Workflow, Problem> {
    workflows.iter().find(|workflow| workflow.id == id).ok_or_else(|| {
        let words = (format!("unknown workflow `{id}`"), format!("未知工作流 `{id}`"));
        let near = near(id, workflows.iter().map(|workflow| workflow.id.as_str()));
        Problem::new("unknown_workflow", "workflow_id", words).or_near(&near)
    })
}

/// Returns the deviations of a plan from the workflow: the number, order and tools of the steps are fixed.
pub fn conforms(workflow: &Workflow, steps: &[PlannedStep]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let (wanted, found) = (workflow.steps.len(), steps.len());
    if wanted != found {
        let words = (
            format!("workflow `{}` has `{wanted}` steps, but the plan has `{found}`", workflow.id),
            format!("工作流 `{}` 有 {wanted} 个步骤，而计划有 {found} 个", workflow.id),
        );
        problems.push(Problem::new("workflow_left", "steps", words));
    }
    for (index, (wanted, step)) in workflow.steps.iter().zip(steps).enumerate() {
        if wanted.tool_id != step.tool {
            let (number, tool, found) = (index + 1, &wanted.tool_id, &step.tool);
            let words = (
                format!("step `{number}` of the workflow must call `{tool}`, got `{found}`"),
                format!("工作流的第 {number} 步必须调用 `{tool}`，实际为 `{found}`"),
            );
            problems.push(Problem::new("workflow_left", &format!("step `{}`", step.id), words));
        }
    }
    problems
}

#[cfg(test)]
#[path = "workflow_tests.rs"]
mod tests;
