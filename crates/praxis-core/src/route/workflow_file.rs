//! Reads a workflow file, with a table `[workflows.ID]` for each workflow.

use super::fields::{LibraryFileKind, ObjectFields, wrong};
use super::workflow::{Workflow, WorkflowStep};
use crate::ids::{StepId, ToolId, check_name};
use crate::problem::reason::ProblemReason;
use crate::problem::{Bilingual, Problem};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The maximum number of steps in a workflow.
const MAX_STEPS: usize = 1000;
const KEYS: &[&str] = &[
    "name",
    "description",
    "keywords",
    "tool_list",
    "tool_categories",
    "steps",
    "notes",
    "intent",
    "scene",
    "defaults",
    "names",
];
const STEP_KEYS: &[&str] = &["name", "tool_id", "description", "parameters", "depends_on"];

/// Reads all workflows of a file, or returns all problems.
pub fn read(document: &Value) -> Result<Vec<Workflow>, Vec<Problem>> {
    let mut file = ObjectFields::of(LibraryFileKind::Workflow, document, "", &["workflows"])
        .map_err(|problem| vec![problem])?;
    let table = file.table("workflows");
    if table.is_empty() && file.problems.is_empty() {
        file.blame(
            "workflows",
            (
                "no workflow defined; add a table `[workflows.ID]`",
                "没有定义工作流；请添加表 `[workflows.ID]`",
            ),
        );
    }
    let mut problems = file.problems;
    let mut workflows = Vec::new();
    for (id, value) in &table {
        match read_one(id, value) {
            Ok(workflow) => workflows.push(workflow),
            Err(found) => {
                let at = format!("workflow `{id}`");
                problems.extend(found.into_iter().map(|problem| problem.within(&at)));
            }
        }
    }
    if problems.is_empty() { Ok(workflows) } else { Err(problems) }
}

fn read_one(id: &str, value: &Value) -> Result<Workflow, Vec<Problem>> {
    let fields = ObjectFields::of(LibraryFileKind::Workflow, value, "", KEYS);
    let mut fields = fields.map_err(|problem| vec![problem])?;
    if let Err(why) = check_name(id) {
        let reason = ProblemReason::BadId { key: "id".to_owned(), why };
        fields.problems.push(Problem::of(&reason, ""));
    }
    let name = fields.words("name").unwrap_or(Bilingual { en: id.to_owned(), zh: id.to_owned() });
    let workflow = Workflow {
        id: id.to_owned(),
        name,
        description: fields.words("description"),
        keywords: fields.texts("keywords"),
        tool_list: fields.texts("tool_list").into_iter().map(ToolId::from).collect(),
        tool_categories: fields.texts("tool_categories"),
        steps: steps(&mut fields),
        notes: fields.words("notes"),
        intent: fields.optional_text("intent"),
        scene: fields.optional_text("scene"),
        defaults: fields.table("defaults"),
        names: names(&mut fields),
    };
    if fields.problems.is_empty() { Ok(workflow) } else { Err(fields.problems) }
}

fn names(fields: &mut ObjectFields<'_>) -> BTreeMap<String, Vec<String>> {
    let table = Value::Object(fields.table("names"));
    let keys: Vec<&str> =
        table.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let Ok(mut inner) = ObjectFields::of(LibraryFileKind::Workflow, &table, "names", &keys) else {
        return BTreeMap::new();
    };
    let names = keys.iter().map(|key| ((*key).to_owned(), inner.texts(key))).collect();
    fields.problems.append(&mut inner.problems);
    names
}

fn steps(fields: &mut ObjectFields<'_>) -> Vec<WorkflowStep> {
    let listed = match fields.value("steps") {
        Some(Value::Array(listed)) if !listed.is_empty() && listed.len() <= MAX_STEPS => listed,
        Some(Value::Array(_)) | None => {
            let words = (
                format!("a workflow must have 1 to {MAX_STEPS} steps"),
                format!("工作流必须有 1 到 {MAX_STEPS} 个步骤"),
            );
            fields.blame("steps", words);
            return vec![];
        }
        Some(other) => {
            fields.blame("steps", wrong("a list of steps", "步骤列表", other));
            return vec![];
        }
    };
    let mut steps = Vec::new();
    for (index, value) in listed.iter().enumerate() {
        match ObjectFields::of(
            LibraryFileKind::Workflow,
            value,
            &format!("steps[{index}]"),
            STEP_KEYS,
        ) {
            Err(problem) => fields.problems.push(problem),
            Ok(mut inner) => {
                steps.push(step(&mut inner, index));
                fields.problems.append(&mut inner.problems);
            }
        }
    }
    steps
}

fn step(fields: &mut ObjectFields<'_>, index: usize) -> WorkflowStep {
    let depends_on = fields.value("depends_on").map(|_| fields.texts("depends_on"));
    let earlier = |id: &&String| !(0..index).any(|at| Workflow::step_id(at).as_str() == **id);
    if let Some(id) = depends_on.iter().flatten().find(earlier) {
        let words = (
            format!(
                "`{id}` is not an earlier step; steps are named `step_1`, `step_2` and so on, in order"
            ),
            format!("`{id}` 不是前面的步骤；步骤按顺序命名为 `step_1`、`step_2` 等"),
        );
        fields.blame("depends_on", words);
    }
    WorkflowStep {
        name: fields.required_words("name"),
        tool_id: ToolId::from(fields.text("tool_id")),
        description: fields.words("description"),
        parameters: fields.value("parameters").map(|_| fields.table("parameters")),
        depends_on: depends_on.map(|ids| ids.into_iter().map(StepId::from).collect()),
    }
}
