//! The plan that Praxis lays for a goal without a model, from a workflow or from words, in one form.

use super::case::{Case, Word};
use praxis_core::call::manifest::Toolbox;
use praxis_core::dataflow::lex::{Piece, lex};
use praxis_core::ids::ToolId;
use praxis_core::offline::planner::{self, Made, Outcome};
use praxis_core::retrieve::search::Search;
use praxis_core::retrieve::synonyms::Synonyms;
use praxis_core::route::workflow::{self, Workflow};
use praxis_core::route::{instantiate, intent};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The tools and workflows that Praxis brings.
pub(crate) struct Shop {
    pub(crate) tools: Toolbox,
    search: Search,
    workflows: Vec<Workflow>,
}

/// A plan before it runs.
#[derive(Debug)]
pub(crate) struct Laid {
    pub(crate) outcome: Word,
    pub(crate) steps: Vec<LaidStep>,
    /// The parameters that are asked for.
    pub(crate) asks: BTreeSet<String>,
    /// What a workflow says unless the goal does.
    pub(crate) defaults: Vec<Value>,
}

/// One of its steps.
#[derive(Debug)]
pub(crate) struct LaidStep {
    pub(crate) id: String,
    pub(crate) tool: ToolId,
    /// Its arguments; what metadata give is filled in.
    pub(crate) arguments: Map<String, Value>,
    /// The ids of the steps before it.
    pub(crate) after: Vec<String>,
}

impl Shop {
    pub(crate) fn open() -> Self {
        let tools: Toolbox = praxis_adapters::builtin::tools()
            .into_iter()
            .map(|tool| (tool.id.clone(), Arc::new(tool)))
            .collect();
        let mut search = Search::with(Synonyms::built_in().clone());
        for tool in tools.values() {
            search.put(tool);
        }
        Self { tools, search, workflows: workflow::embedded() }
    }

    /// The plan for a goal: that of the workflow which its words tell, else one that its words make.
    pub(crate) fn lay(&self, case: &Case) -> Laid {
        let stated = intent::intent(&case.goal);
        let found = workflow::matching(&self.workflows, stated, None, &case.goal);
        match found {
            Some((workflow, _)) => of_workflow(workflow, case),
            None => self.of_words(case),
        }
    }

    fn of_words(&self, case: &Case) -> Laid {
        let wanted = planner::Wanted {
            goal: &case.goal,
            given: &case.metadata,
            catalog: &self.tools,
            search: &self.search,
            memories: &[],
        };
        let (outcome, made) = match planner::plan(&wanted) {
            Outcome::Ready(made) => (Word::Ready, made),
            Outcome::NeedParams(made) => (Word::NeedParams, made),
            Outcome::NoPlan(refusal) => {
                (Word::NoPlan, Made { steps: vec![], sureness: refusal.sureness, like: vec![] })
            }
        };
        let asks = made.open().filter_map(|(_, slot)| slot.path.first().cloned()).collect();
        let (steps, _) = steps(&made.written(), &case.metadata);
        Laid { outcome, steps, asks, defaults: vec![] }
    }
}

fn of_workflow(workflow: &Workflow, case: &Case) -> Laid {
    let document = instantiate::plan(workflow, &case.goal, &case.metadata);
    let metadata = document.get("metadata").and_then(Value::as_object).cloned();
    let written = document.get("steps").and_then(Value::as_array).cloned().unwrap_or_default();
    let (steps, asks) = steps(&written, &metadata.unwrap_or_default());
    let outcome = if asks.is_empty() { Word::Ready } else { Word::NeedParams };
    Laid { outcome, steps, asks, defaults: workflow.defaults.values().cloned().collect() }
}

/// The steps as a plan file has them, and the parameters for which the metadata have nothing.
fn steps(written: &[Value], metadata: &Map<String, Value>) -> (Vec<LaidStep>, BTreeSet<String>) {
    let text = |step: &Value, key: &str| {
        step.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let ids: Vec<String> = written.iter().map(|step| text(step, "step_id")).collect();
    let mut missing = BTreeSet::new();
    let mut all = Vec::new();
    for step in written {
        let mut arguments = Map::new();
        let parameters = step.get("parameters").and_then(Value::as_object);
        for (name, value) in parameters.into_iter().flatten() {
            match filled(value, metadata, &ids) {
                Some(value) => {
                    arguments.insert(name.clone(), value);
                }
                None => {
                    missing.insert(name.clone());
                }
            }
        }
        let before = step.get("depends_on").and_then(Value::as_array).into_iter().flatten();
        let after = before.filter_map(Value::as_str).map(str::to_owned).collect();
        let tool = ToolId::from(text(step, "tool"));
        all.push(LaidStep { id: text(step, "step_id"), tool, arguments, after });
    }
    (all, missing)
}

/// A parameter with the metadata filled in; none if these have nothing for it.
fn filled(value: &Value, metadata: &Map<String, Value>, ids: &[String]) -> Option<Value> {
    match value {
        Value::String(text) => match lex(text).as_slice() {
            [Piece::Reference(expression)] => {
                let name = expression.segments.first()?.to_string();
                let name = name.trim_start_matches('.');
                let is_step = ids.iter().any(|id| id == name);
                if is_step { Some(value.clone()) } else { metadata.get(name).cloned() }
            }
            [Piece::Literal(text)] => Some(Value::String(text.clone())),
            _ => Some(value.clone()),
        },
        Value::Array(items) => items.iter().map(|item| filled(item, metadata, ids)).collect(),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                Some((key.clone(), filled(value, metadata, ids)?))
            };
            fields.iter().map(field).collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.clone()),
    }
}
