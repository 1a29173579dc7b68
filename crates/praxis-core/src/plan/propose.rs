//! Asks a model for a plan, and turns the answer into events.
//!
//! - in: the state once tools are selected; later the complete answer of the model
//! - out: a request; then the steps that had not entered yet, and the event that closes the revision
//! - never: accepts a part of a plan as the whole, or lets a lossily repaired answer cause a change

use super::draft::{self, AcceptedSteps, revision};
use crate::ask::purpose::Purpose;
use crate::ask::reply::ReplyRepair;
use crate::ask::request::ModelRequest;
use crate::call::risk::Risk;
use crate::evaluate::promise;
use crate::ids::{StepId, ToolId};
use crate::inputs::Inputs;
use crate::intake::plan::PlannedStep;
use crate::intake::rename::plan_hash;
use crate::journal::event::Event;
use crate::journal::outcome::PlanOutcome;
use crate::journal::task_reflection::PlanAdjustment;
use crate::learn::memory;
use crate::library::Library;
use crate::problem::Problem;
use crate::problem::reason::ProblemReason;
use crate::prompt::schema;
use crate::stage::compose::{StageTexts, request};
use crate::stage::figures::rounds_guide;
use crate::stage::reading::{ReadAnswer, unfit};
use crate::state::goal_state::GoalState;

use crate::route::scene::Topic;
use crate::state::State;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The maximum length of an earlier task's summary in the prompt.
const SUMMARY_CHARS: usize = 200;

/// Builds the request for a plan or a replan.
pub fn ask(state: &State, inputs: &Inputs<'_>, purpose: &Purpose) -> Option<ModelRequest> {
    let library = inputs.library?;
    let goal_state = state.goal.as_deref()?;
    let schema = schema(purpose.stage())?;
    let kept = kept(state);
    if goal_state.planning.drafting.rest {
        let strategy = goal_state.recovery.said_last.strategy.clone();
        let holes = [
            ("scene_guidance", &*library.guidance(Topic::Replanning)),
            ("strategy", library.pack.or_none(&strategy)),
            ("reflection", library.pack.or_none(&goal_state.recovery.said_last.reflection)),
            ("kept", library.pack.or_none(&kept)),
            ("guide", &rounds_guide(state, library)),
        ];
        let stage = StageTexts { purpose, part: "replanning", holes: &holes, schema };
        return request(state, library, inputs.tokens, &stage);
    }
    let (part, key) = if state.steps.is_empty() {
        ("planning", "workflow")
    } else {
        ("continue_planning", "kept")
    };
    let schema = wanted(state);
    let first = if key == "kept" { kept } else { workflow(state, library) };
    let notes = experience(goal_state, library);
    let holes = [
        ("scene_guidance", &*library.guidance(Topic::Planning)),
        (key, library.pack.or_none(&first)),
        ("notes", library.pack.or_none(&notes)),
    ];
    request(state, library, inputs.tokens, &StageTexts { purpose, part, holes: &holes, schema })
}

/// Renders the experience of similar tasks; empty if none was recalled.
fn experience(goal_state: &GoalState, library: &Library) -> String {
    let mut tasks = String::new();
    for memory in memory::offered(goal_state.planning.memories.as_deref().unwrap_or_default()) {
        let tools: Vec<&str> = memory.case.tools.iter().map(ToolId::as_str).collect();
        // Always one line: a summary with line breaks could pass for a rule of the prompt.
        let words = memory.summary.split_whitespace().collect::<Vec<_>>().join(" ");
        let words: String = words.chars().take(SUMMARY_CHARS).collect();
        let _ = writeln!(tasks, "- {}: {words} [{}]", memory.task, tools.join(", "));
    }
    if tasks.is_empty() {
        return tasks;
    }
    library.pack.render("experience", &[("tasks", tasks.trim_end())])
}

/// Returns the schema of a first plan, or of one that continues existing steps.
pub fn wanted(state: &State) -> &'static Value {
    static NOTHING: Value = Value::Null;
    let name = if state.steps.is_empty() { "planning" } else { "continue_planning" };
    schema(name).unwrap_or(&NOTHING)
}

/// Renders the workflow that the plan must follow.
fn workflow(state: &State, library: &Library) -> String {
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    let id = chosen.and_then(|selection| selection.workflow.as_deref());
    let lang = library.pack.lang();
    id.and_then(|id| library.workflow(id)).map(|workflow| workflow.shown(lang)).unwrap_or_default()
}

/// Lists the steps of earlier plans that stay and may be referred to.
fn kept(state: &State) -> String {
    let earlier = draft::earlier(state);
    let mut out = String::new();
    for step in state.steps.iter().filter(|step| earlier.contains_key(&step.plan.id)) {
        let mark =
            if earlier.get(&step.plan.id).is_some_and(|e| e.finished) { "✅" } else { "…" };
        let _ = writeln!(out, "{mark} {} ({})", step.plan.id, step.tool());
    }
    out.trim_end().to_owned()
}

/// Reads the complete answer. Steps that entered during the stream are not accepted again.
pub fn read(state: &State, purpose: &Purpose, found: &ReadAnswer, library: &Library) -> Vec<Event> {
    let revision = revision(state);
    let entered =
        state.goal.as_deref().map_or(0, |goal_state| goal_state.planning.drafting.entered as usize);
    let elements = found.value.get("steps").and_then(Value::as_array).cloned().unwrap_or_default();
    let done = found.value.get("done") == Some(&Value::Bool(true));
    let goes_on = !state.steps.is_empty() && (done || *purpose == Purpose::Plan);
    let nothing = elements.is_empty() && entered == 0;
    if nothing && (goes_on || is_empty_again(state, purpose)) {
        return vec![Event::closed(revision, PlanOutcome::Complete)];
    }
    let rest = elements.get(entered..).unwrap_or_default();
    let accepted = if rest.is_empty() && entered > 0 {
        Ok(None)
    } else {
        draft::accept(state, rest, library).map(Some)
    };
    let problems = match accepted {
        Ok(accepted) => {
            let steps = accepted.as_ref().map_or(&[][..], |accepted| &accepted.steps);
            let problems = refused(state, found, steps, library);
            if problems.is_empty() {
                return whole_events(state, accepted, &found.value);
            }
            problems
        }
        Err(problems) => problems,
    };
    let (outcome, promise) = (PlanOutcome::Refused, None);
    let refused = Event::PlanClosed { revision, outcome, problems: problems.clone(), promise };
    vec![unfit(found, purpose, problems), refused]
}

/// Returns true if the model answers with an empty plan again after that was reported as a problem: it finds nothing
/// to do, and the outcome is judged as usual. A workflow does not permit an empty plan.
fn is_empty_again(state: &State, purpose: &Purpose) -> bool {
    let Some(goal_state) = state.goal.as_deref() else { return false };
    let said = goal_state.unfit(purpose).is_some_and(|unfit| {
        unfit.problems.iter().any(|problem| problem.code == ProblemReason::PlanEmpty.code())
    });
    let free =
        goal_state.planning.selection.as_ref().is_some_and(|chosen| chosen.workflow.is_none());
    *purpose == Purpose::Plan && state.steps.is_empty() && free && said
}

/// Returns the events for the steps that had not entered, the rewired dependencies and the closing of the revision.
fn whole_events(state: &State, accepted: Option<AcceptedSteps>, plan: &Value) -> Vec<Event> {
    let mut names = state
        .goal
        .as_deref()
        .map(|goal_state| goal_state.planning.drafting.names.clone())
        .unwrap_or_default();
    names.extend(accepted.iter().flat_map(|accepted| accepted.names.clone()));
    let promise = promise::read(plan, &names);
    let rest = accepted.as_ref().map_or(&[][..], |accepted| &accepted.steps);
    let added: Vec<StepId> = whole(state, rest).into_iter().map(|step| step.id).collect();
    let changes = after_remediation(state, &added);
    let rewired = (!changes.is_empty()).then_some(Event::StepsRewired { changes });
    let planned = accepted.map(|accepted| draft::planned(state, accepted));
    let (revision, outcome) = (revision(state), PlanOutcome::Complete);
    let close = Event::PlanClosed { revision, outcome, problems: vec![], promise };
    planned.into_iter().chain(rewired).chain([close]).collect()
}

/// Returns the problems of a plan whose single steps are valid.
fn refused(
    state: &State,
    found: &ReadAnswer,
    steps: &[PlannedStep],
    library: &Library,
) -> Vec<Problem> {
    let all = whole(state, steps);
    let mut problems = Vec::new();
    let lossy = found.repairs.iter().any(|repair: &ReplyRepair| !repair.is_lossless());
    let changes = |step: &&PlannedStep| {
        library.tool(&step.tool).map_or(!step.gathers(), |tool| tool.risk() > Risk::Read)
    };
    if lossy && let Some(step) = all.iter().find(changes) {
        let at = format!("step `{}`", step.id);
        let en = "the answer had to be repaired before it could be read, so it must not trigger a call that changes something";
        let zh = "回答经修复后才能读取，不能用于有副作用的调用";
        problems.push(Problem::new("plan_mended", &at, (en, zh)));
    }
    let known = state.goal.as_deref().map(|goal_state| &goal_state.planning.given_up_plans);
    if known.is_some_and(|known: &BTreeSet<String>| known.contains(&plan_hash(&all))) {
        let (en, zh) = (
            "this plan failed before; plan a different approach",
            "该计划之前已失败，请改用其他方案",
        );
        problems.push(Problem::new("plan_repeated", "steps", (en, zh)));
    }
    if let Some(workflow) = draft::workflow(state, library) {
        // Steps that entered from an answer whose stream broke stay, but are not part of this answer.
        let entered = state
            .goal
            .as_deref()
            .map_or(0, |goal_state| goal_state.planning.drafting.entered as usize);
        let lost = all.len().saturating_sub(entered + steps.len());
        let all = all.get(lost..).unwrap_or_default();
        problems.extend(crate::route::workflow::conforms(workflow, all));
    }
    problems
}

/// Returns all steps of the open revision, including those that entered before.
fn whole(state: &State, rest: &[PlannedStep]) -> Vec<PlannedStep> {
    let open = state.goal.as_deref().and_then(|goal_state| goal_state.planning.drafting.open);
    let entered = state.steps.iter().filter(|step| Some(step.revision) == open);
    entered.map(|step| step.plan.clone()).chain(rest.iter().cloned()).collect()
}

/// Makes the failed steps that run again wait for the added ones, which fix the cause of the failure.
pub fn after_remediation(state: &State, added: &[StepId]) -> Vec<PlanAdjustment> {
    let goal_state = state.goal.as_deref();
    let again = goal_state.map_or(&[][..], |goal_state| &goal_state.planning.drafting.again);
    let change = |id: &StepId| {
        let step = state.step(id.as_str())?;
        let mut depends_on = step.plan.depends_on.clone();
        depends_on.extend(added.iter().filter(|new| *new != id).cloned());
        Some(PlanAdjustment { step_id: id.clone(), depends_on })
    };
    again.iter().filter_map(change).filter(|_| !added.is_empty()).collect()
}
