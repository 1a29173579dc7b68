//! The plan that is put together from tools where there is neither a model nor a workflow.
//!
//! - in: the state of a goal, and the catalog that it is pinned to
//! - out: the tools of the plan with how sure it is; its steps; or why the goal is turned away
//! - never: gives another plan for the same goal and the same catalog

use super::useless::failing;
use super::{draft, retrieved, select};
use crate::ask::tokens::Tokens;
use crate::call::risk::Risk;
use crate::ids::{TaskId, ToolId};
use crate::intake::rename;
use crate::intake::rename::Names;
use crate::journal::event::Event;
use crate::journal::selection::{Selection, Selector, Why};
use crate::lang::Lang;
use crate::library::Library;
use crate::offline::planner::{Outcome, Wanted, plan};
use crate::state::State;
use crate::state::step::{Status, Step};
use serde_json::{Value, json};

/// The tools of the plan, or that there is none.
pub(super) fn choice(state: &State, (library, tokens): (&Library, &dyn Tokens)) -> Option<Event> {
    let by = (Selector::Offline, Some(Why::NoModel));
    let selection = match outcome(state, library)? {
        Outcome::Ready(made) | Outcome::NeedParams(made) => Selection {
            sureness: Some(made.sureness.clone()),
            reasoning: followed(&made.like, library.pack.lang()),
            found: retrieved::recorded(&retrieved::find(state, library)),
            ..select::plain(by, made.tools(), library, tokens)
        },
        Outcome::NoPlan(refusal) => Selection {
            rejected: Some(refusal.words().tell(library.pack.lang()).to_owned()),
            found: retrieved::recorded(&refusal.nearest),
            sureness: Some(refusal.sureness),
            ..select::plain(by, std::collections::BTreeSet::new(), library, tokens)
        },
    };
    Some(select::selected(selection, library))
}

/// Which earlier tasks a plan follows, in words.
fn followed(tasks: &[TaskId], lang: Lang) -> String {
    let named: Vec<&str> = tasks.iter().map(TaskId::as_str).collect();
    match (lang, named.is_empty()) {
        (_, true) => String::new(),
        (Lang::En, false) => format!("as in {}", named.join(", ")),
        (Lang::Zh, false) => format!("参照 {}", named.join("、")),
    }
}

/// The steps of the plan as a plan file writes them; none if there is no plan.
pub(super) fn steps(state: &State, library: &Library) -> Option<Vec<Value>> {
    match outcome(state, library)? {
        Outcome::Ready(made) | Outcome::NeedParams(made) => {
            Some(beyond_what_is_done(state, made.written()))
        }
        Outcome::NoPlan(_) => None,
    }
}

/// Another plan may explain so much less of the goal than the one that failed.
const LESS_SURE: u32 = 10;

/// Whether another plan than the one that failed is there: without the tools that failed by their own fault, with
/// everything that it needs, hardly less sure, and without a change that was not planned before.
pub fn has_another(state: &State, library: &Library) -> bool {
    let chosen = state.goal.as_deref().and_then(|course| course.selection.as_ref());
    let Some(chosen) = chosen.filter(|chosen| chosen.by == Selector::Offline) else { return false };
    if failing(state, 1).is_empty() {
        return false;
    }
    let Some(Outcome::Ready(made)) = outcome(state, library) else { return false };
    let was_sure = chosen.sureness.as_ref().map_or(0, |sureness| sureness.percent);
    let changes = |tool: &ToolId| library.tool(tool).is_none_or(|tool| tool.risk() > Risk::Read);
    let new = made.tools().into_iter().filter(|tool| !chosen.tools.contains(tool));
    made.sureness.percent + LESS_SURE >= was_sure && !new.into_iter().any(|tool| changes(&tool))
}

/// What becomes of the goal with the tools that have not failed so far.
fn outcome(state: &State, library: &Library) -> Option<Outcome> {
    let goal = &state.submission.as_ref()?.goal;
    let given = &draft::given(state);
    let memories = state.goal.as_deref().and_then(|course| course.memories.as_deref());
    let memories = memories.unwrap_or_default();
    let dead = failing(state, 1);
    if dead.is_empty() {
        let (catalog, search) = (&library.catalog, library.search());
        return Some(plan(&Wanted { goal, given, catalog, search, memories }));
    }
    let mut catalog = (*library.catalog).clone();
    let mut search = library.search().clone();
    for tool in &dead {
        catalog.remove(tool);
        search.remove(tool);
    }
    Some(plan(&Wanted { goal, given, catalog: &catalog, search: &search, memories }))
}

/// The steps of a plan that were not done by an earlier one; what was done is named in their place.
fn beyond_what_is_done(state: &State, written: Vec<Value>) -> Vec<Value> {
    let done = |step: &&Step| !step.dropped && step.status == Status::Success;
    let done: Vec<&Step> = state.steps.iter().filter(done).collect();
    if done.is_empty() {
        return written;
    }
    let (mut names, mut left) = (Names::new(), Vec::new());
    for mut step in written {
        let (Some(id), Some(fields)) = (text(&step, "step_id"), step.as_object_mut()) else {
            continue;
        };
        let mut parameters = fields.get("parameters").cloned().unwrap_or_default();
        rename::parameters(&mut parameters, &names);
        let tool = fields.get("tool").and_then(Value::as_str);
        let same = |one: &&&Step| {
            Some(one.plan.tool.as_str()) == tool && one.plan.parameters == parameters
        };
        if let Some(same) = done.iter().find(same) {
            names.insert(id, same.plan.id.clone());
            continue;
        }
        let own = format!("again_{id}");
        names.insert(id, own.as_str().into());
        let before = fields.get("depends_on").and_then(Value::as_array).into_iter().flatten();
        let before = before.filter_map(|id| names.get(id.as_str()?)).map(|id| json!(id));
        let before: Vec<Value> = before.collect();
        fields.extend([
            ("step_id".to_owned(), json!(own)),
            ("parameters".to_owned(), parameters),
            ("depends_on".to_owned(), json!(before)),
        ]);
        left.push(step);
    }
    left
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}
