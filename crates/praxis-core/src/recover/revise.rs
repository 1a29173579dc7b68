//! Reflects on the whole task and turns the reflection into a `PlanRevision`.
//!
//! - in: the reason why the task does not reach its goal; later the model's reflection
//! - out: the decision to replan, and the steps that are kept, run again, rewired or dropped
//! - never: drops a step that succeeded, a write in flight, or a call in doubt

use super::keep_done::with_all_after;
use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::call::risk::Risk;
use crate::dataflow::scope::NameScope;
use crate::fault::class::FaultClass;
use crate::ids::StepId;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::task_reflection::{
    PlanAdjustment, PlanRevision, ReflectionTrigger, ReplanMode, TaskReflection,
};
use crate::lang::Lang;
use crate::plan::lexical_plan;
use crate::prompt::schema;
use crate::route::scene::Topic;
use crate::stage::compose::{StageTexts, request};
use crate::stage::figures::{rounds_guide, statistics};
use crate::stage::reading::{ReadAnswer, texts};
use crate::state::State;
use crate::state::step::{Step, StepStatus};
use serde_json::Value;
use std::collections::BTreeSet;

/// The score from which on another plan is not worth it.
const NEARLY: u32 = 80;

/// Builds the model request for a reflection on the whole task.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<ModelRequest> {
    let library = inputs.library?;
    let trigger = told(state, library.pack.lang());
    let holes = [
        ("scene_guidance", &*library.guidance(Topic::Reflection)),
        ("trigger", library.pack.or_none(&trigger)),
        ("statistics", &statistics(state, library)),
        ("guide", &rounds_guide(state, library)),
    ];
    let schema = schema("reflection_overall")?;
    let purpose = Purpose::ReflectOverall;
    let stage = StageTexts { purpose: &purpose, part: "reflection.overall", holes: &holes, schema };
    request(state, library, inputs.tokens, &stage)
}

fn told(state: &State, lang: Lang) -> String {
    let Some(goal_state) = state.goal.as_deref() else { return String::new() };
    match &goal_state.recovery.trigger {
        Some(ReflectionTrigger::Step { step }) => {
            let fault = state.step(step.as_str()).and_then(|step| step.fault.as_ref());
            let fault = fault.map(|fault| fault.message(lang)).unwrap_or_default();
            format!("{step}: {fault}")
        }
        Some(ReflectionTrigger::Judgement) => {
            let judged = goal_state.evaluation.judgement.as_ref();
            let score = judged.map_or(0, |judgement| judgement.scores.overall());
            let failures = judged.map(|judgement| judgement.failures.join("; "));
            format!("{score}/100 {}", failures.unwrap_or_default())
        }
        None => String::new(),
    }
}

/// Reads a reflection.
pub fn read(found: &ReadAnswer) -> Event {
    let value = &found.value;
    let strategy = value.get("replanning_strategy").cloned().unwrap_or_default();
    Event::TaskReflected(Box::new(TaskReflection {
        by_model: true,
        should_replan: value.get("should_replan") == Some(&Value::Bool(true)),
        root_causes: texts(value, "root_causes"),
        incorrect_assumptions: texts(value, "incorrect_assumptions"),
        alternative_approaches: texts(value, "alternative_approaches"),
        optimization_suggestions: texts(value, "optimization_suggestions"),
        lessons_learned: texts(value, "lessons_learned"),
        // A missing or incomplete strategy means a full replan.
        replanning_strategy: serde_json::from_value(strategy).unwrap_or_default(),
    }))
}

/// Decides without a model's reflection. Proposes a replan only if there was none so far: with a planning model,
/// unless all failures have external causes or the score reached `NEARLY`; without one, if another lexical plan
/// exists.
pub fn by_rules(state: &State, inputs: &Inputs<'_>) -> Event {
    let first = state.ledger.replans == 0;
    let planner = state.goal_spec().is_some_and(|spec| spec.model_for(&Purpose::Replan).is_some());
    let worth_it = !lies_outside(state) && !is_nearly_reached(state);
    let offline = || lexical_plan::has_another(state, inputs);
    let another = if planner { worth_it } else { offline() };
    Event::TaskReflected(Box::new(TaskReflection::unknown(first && another)))
}

/// Returns true if every failure has an external cause that no plan can change.
fn lies_outside(state: &State) -> bool {
    let failed =
        state.steps.iter().filter(|step| !step.dropped && step.status == StepStatus::Error);
    let mut classes = failed.filter_map(|step| step.fault.as_ref()).map(FaultClass::of).peekable();
    classes.peek().is_some() && classes.all(FaultClass::is_outside)
}

fn is_nearly_reached(state: &State) -> bool {
    let judgement =
        state.goal.as_deref().and_then(|goal_state| goal_state.evaluation.judgement.as_ref());
    judgement.is_some_and(|judgement| judgement.scores.overall() >= NEARLY)
}

/// Returns the revision of the plan that a reflection asks for.
pub fn revision(state: &State, reflection: &TaskReflection) -> PlanRevision {
    let all: Vec<&Step> = state.steps.iter().filter(|step| is_open(step)).collect();
    // A write in flight takes effect whatever the plan says: if it were dropped, nobody would know of its effect, and
    // the next plan would repeat it.
    let (on_its_way, open): (Vec<&Step>, Vec<&Step>) =
        all.into_iter().partition(|step| is_on_its_way(state, step));
    let base = PlanRevision {
        revision: state.revision + 1,
        strategy: reflection.replanning_strategy.word().to_owned(),
        why: why(reflection),
        kept: vec![],
        again: vec![],
        rewired: vec![],
        dropped: vec![],
        wants_steps: reflection.replanning_strategy.wants_steps(),
    };
    let applied = match &reflection.replanning_strategy {
        ReplanMode::FullReplan => None,
        ReplanMode::ReplanFromStep { step_id, .. } => from_step(state, &open, step_id),
        ReplanMode::SkipSteps { step_ids, .. } => without(state, &open, step_ids),
        ReplanMode::AddRemediation { .. } => {
            Some(PlanChanges { again: failed(&open), ..PlanChanges::default() })
        }
        ReplanMode::AdjustDependencies { adjustments } => rewired(state, &open, adjustments),
    };
    let whole = applied.is_none();
    let changes =
        applied.unwrap_or_else(|| PlanChanges { dropped: ids(&open), ..PlanChanges::default() });
    let gone = |id: &StepId| changes.dropped.contains(id) || changes.again.contains(id);
    let kept = on_its_way.iter().chain(&open).map(|step| step.plan.id.clone());
    let kept = kept.filter(|id| !gone(id)).collect();
    let PlanChanges { again, rewired, dropped } = changes;
    let strategy = if whole { ReplanMode::FullReplan.word().to_owned() } else { base.strategy };
    let wants_steps = base.wants_steps || whole;
    PlanRevision { strategy, kept, again, rewired, dropped, wants_steps, ..base }
}

#[derive(Default)]
struct PlanChanges {
    again: Vec<StepId>,
    rewired: Vec<PlanAdjustment>,
    dropped: Vec<StepId>,
}

/// Returns true if a step may be revised: it is not dropped, succeeded, cancelled or in doubt. A doubt must be
/// settled first.
fn is_open(step: &Step) -> bool {
    !step.dropped
        && !matches!(step.status, StepStatus::Success | StepStatus::InDoubt | StepStatus::Cancelled)
}

/// Returns true if a call that may change something is in flight.
fn is_on_its_way(state: &State, step: &Step) -> bool {
    let risk = state.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk);
    step.status == StepStatus::Running && risk > Risk::Read
}

fn ids(steps: &[&Step]) -> Vec<StepId> {
    steps.iter().map(|step| step.plan.id.clone()).collect()
}

fn failed(open: &[&Step]) -> Vec<StepId> {
    let failed = open.iter().filter(|step| step.status == StepStatus::Error);
    failed.map(|step| step.plan.id.clone()).collect()
}

fn why(reflection: &TaskReflection) -> String {
    let said = match &reflection.replanning_strategy {
        ReplanMode::ReplanFromStep { reason, .. } | ReplanMode::SkipSteps { reason, .. } => {
            Some(reason.clone()).filter(|reason| !reason.is_empty())
        }
        ReplanMode::AddRemediation { suggestions } => suggestions.first().cloned(),
        ReplanMode::FullReplan | ReplanMode::AdjustDependencies { .. } => None,
    };
    said.or_else(|| reflection.root_causes.first().cloned()).unwrap_or_default()
}

/// Drops a step, all failed steps, and everything that depends on them; `None` if there is no such step.
fn from_step(state: &State, open: &[&Step], from: &StepId) -> Option<PlanChanges> {
    state.step(from.as_str())?;
    let mut chosen = BTreeSet::from([from.clone()]);
    chosen.extend(failed(open));
    let chosen = with_all_after(state, chosen);
    let dropped = ids(open).into_iter().filter(|id| chosen.contains(id)).collect();
    Some(PlanChanges { dropped, ..PlanChanges::default() })
}

/// Drops steps and those that read their outputs. Steps that only waited for them stop waiting.
fn without(state: &State, open: &[&Step], skipped: &[StepId]) -> Option<PlanChanges> {
    let known = |id: &&StepId| open.iter().any(|step| step.plan.id == **id);
    let mut dropped: BTreeSet<StepId> = skipped.iter().filter(known).cloned().collect();
    if dropped.is_empty() {
        return None;
    }
    for step in open {
        let reads = reads(state, step);
        if reads.iter().any(|id| dropped.contains(id)) {
            dropped.insert(step.plan.id.clone());
        }
    }
    let stays = |step: &&&Step| !dropped.contains(&step.plan.id);
    let rewired = open.iter().filter(stays).filter_map(|step| {
        let depends_on: Vec<StepId> =
            step.plan.depends_on.iter().filter(|id| !dropped.contains(*id)).cloned().collect();
        let changed = depends_on.len() != step.plan.depends_on.len();
        changed.then(|| PlanAdjustment { step_id: step.plan.id.clone(), depends_on })
    });
    let rewired = rewired.collect();
    let again = failed(open).into_iter().filter(|id| !dropped.contains(id)).collect();
    Some(PlanChanges { again, rewired, dropped: dropped.into_iter().collect() })
}

/// Returns the steps whose outputs a step reads.
fn reads(state: &State, step: &Step) -> Vec<StepId> {
    let template = step.plan.template(NameScope::plan(&state.context));
    template.steps_read().iter().filter_map(|index| state.context.id_of(*index).cloned()).collect()
}

/// Changes the dependencies of steps; `None` if no change is possible or a cycle would result.
fn rewired(state: &State, open: &[&Step], adjustments: &[PlanAdjustment]) -> Option<PlanChanges> {
    let is_open = |id: &StepId| open.iter().any(|step| step.plan.id == *id);
    let usable = |id: &StepId| state.step(id.as_str()).is_some_and(|step| !step.dropped);
    let fits =
        |change: &&PlanAdjustment| is_open(&change.step_id) && change.depends_on.iter().all(usable);
    let changes: Vec<PlanAdjustment> = adjustments.iter().filter(fits).cloned().collect();
    let with_reads = changes.into_iter().map(|mut change| {
        let read = state.step(change.step_id.as_str()).map(|step| reads(state, step));
        let succeeded =
            |id: &StepId| state.step(id.as_str()).is_some_and(|s| s.status == StepStatus::Success);
        for id in read.unwrap_or_default() {
            if !change.depends_on.contains(&id) && !succeeded(&id) {
                change.depends_on.push(id);
            }
        }
        change
    });
    let changes: Vec<PlanAdjustment> = with_reads.collect();
    if changes.is_empty() || goes_round(state, &changes) {
        return None;
    }
    Some(PlanChanges { again: failed(open), rewired: changes, dropped: vec![] })
}

/// Returns true if the changed dependencies form a cycle.
fn goes_round(state: &State, changes: &[PlanAdjustment]) -> bool {
    let needs = |id: &StepId| -> Vec<StepId> {
        let changed = changes.iter().find(|change| change.step_id == *id);
        let planned = || state.step(id.as_str()).map(|step| step.plan.depends_on.clone());
        changed.map(|change| change.depends_on.clone()).or_else(planned).unwrap_or_default()
    };
    changes.iter().any(|change| {
        let mut seen = BTreeSet::new();
        let mut open = change.depends_on.clone();
        while let Some(id) = open.pop() {
            if id == change.step_id {
                return true;
            }
            if seen.insert(id.clone()) {
                open.extend(needs(&id));
            }
        }
        false
    })
}
