//! Decides the next effects of a goal, phase by phase, from the state alone.

use crate::ask::purpose::Purpose;
use crate::call::risk::Risk;
use crate::dataflow::context::StepIndex;
use crate::effect::{Effect, WorkKind};
use crate::evaluate::promise;
use crate::fault::class::FaultClass;
use crate::finalize::message;
use crate::goal::spec::{GoalSpec, PlanApproval, RecoveryMode};
use crate::journal::options::OnLimit;
use crate::journal::outcome::TaskEnding;
use crate::journal::question::QuestionSubject;
use crate::journal::selection::SelectionMethod;
use crate::journal::task_reflection::ReflectionTrigger;
use crate::plan::draft::changes;
use crate::plan::plan_cache;
use crate::plan::two_stage::is_asked;
use crate::state::goal_state::GoalState;
use crate::state::step::{Step, StepStatus};
use crate::state::{Phase, State, TaskStatus};

/// The number of refused or cut plan revisions in a row after which the task gives up.
const MOST_MISSES: u32 = 5;

/// Returns the effects of a task whose plan is not complete.
pub fn planning(state: &State) -> Vec<Effect> {
    let (Some(spec), Some(goal_state)) = (state.goal_spec(), state.goal.as_deref()) else {
        return vec![];
    };
    let busy = goal_state.asks.under_way.values().any(|asking| {
        matches!(
            asking.purpose,
            Purpose::Strategy | Purpose::Select | Purpose::Plan | Purpose::Replan
        )
    });
    if busy {
        return vec![];
    }
    let effect = next_of_planning(state, spec, goal_state);
    // Calls that are running finish before the task ends.
    if effect == Effect::Close && is_busy(state) { vec![] } else { vec![effect] }
}

fn next_of_planning(state: &State, spec: &GoalSpec, goal_state: &GoalState) -> Effect {
    if spec.past.is_some() && goal_state.planning.strategy.is_none() {
        let ask = state.can_ask(&Purpose::Strategy);
        return if ask { Effect::Ask(Purpose::Strategy) } else { Effect::ChooseStrategy };
    }
    if is_to_recall(state) {
        return Effect::Recall;
    }
    let offline = goal_state
        .planning
        .selection
        .as_ref()
        .is_some_and(|chosen| chosen.by == SelectionMethod::Offline);
    let reselect = goal_state.planning.drafting.reselect && (offline || is_asked(spec));
    if goal_state.planning.selection.is_none() || reselect {
        let ask = is_asked(spec) && state.can_ask(&Purpose::Select);
        return Effect::Work(if ask { WorkKind::Select } else { WorkKind::Choose });
    }
    if plan_cache::is_due(state, goal_state) {
        return Effect::Work(WorkKind::Plan);
    }
    let purpose = if goal_state.planning.drafting.rest { Purpose::Replan } else { Purpose::Plan };
    if state.can_ask(&purpose) && goal_state.planning.drafting.misses < MOST_MISSES {
        return Effect::Ask(purpose);
    }
    let model = spec.model_for(&purpose).is_some();
    let fresh = state.steps.is_empty() || goal_state.planning.drafting.open.is_some();
    let fresh = fresh || (offline && goal_state.planning.drafting.rest);
    // Without a model the plan comes from the workflow, or is a lexical plan.
    let follows = !model && fresh;
    if follows && goal_state.planning.drafting.misses == 0 {
        Effect::Work(WorkKind::Plan)
    } else {
        Effect::Close
    }
}

/// Returns true if earlier tasks must be recalled now: once, before the tools are chosen.
pub fn is_to_recall(state: &State) -> bool {
    let (Some(spec), Some(goal_state)) = (state.goal_spec(), state.goal.as_deref()) else {
        return false;
    };
    let fresh = goal_state.planning.memories.is_none() && goal_state.planning.selection.is_none();
    state.phase == Phase::Planning && fresh && spec.manner.experience
}

/// Returns true if something runs that the task must wait for. A message to the user does not count.
fn is_busy(state: &State) -> bool {
    state.agenda.running() > 0 || state.asks_that_count() > 0
}

/// Returns the model call for a message to the user, which runs beside everything else.
pub fn message_effect(state: &State) -> Option<Effect> {
    let goal_state = state.goal.as_deref()?;
    message::is_due(state, goal_state).then_some(Effect::Ask(Purpose::Tell))
}

/// Returns the effects that take precedence over calls: reflection, evaluation or the end of the task. `None` means
/// that calls may start.
pub fn executing(state: &State) -> Option<Vec<Effect>> {
    let (spec, goal_state) = (state.goal_spec()?, state.goal.as_deref()?);
    if goal_state.recovery.trigger.is_some() {
        return Some(reflecting(state));
    }
    if state.agenda.unfinished > 0 {
        return None;
    }
    let failed = |step: &&Step| !step.dropped && step.status == StepStatus::Error;
    let mut failed = state.steps.iter().filter(failed).peekable();
    let hopeless =
        |step: &Step| step.fault.as_ref().is_some_and(|f| FaultClass::of(f).is_hopeless());
    let lost = failed.peek().is_some()
        && (spec.manner.recovery != RecoveryMode::Full || failed.any(hopeless));
    Some(if lost { vec![Effect::Close] } else { evaluating(state) })
}

/// Returns a recovery effect for each failing step that no model is being asked about.
pub fn failing_steps(state: &State) -> impl Iterator<Item = Effect> + '_ {
    let goal_state = state.goal.as_deref();
    let asked = move |step: &Step| {
        let about = |purpose: &Purpose| purpose.step() == Some(&step.plan.id);
        goal_state
            .is_some_and(|goal_state| goal_state.asks.under_way.values().any(|a| about(&a.purpose)))
    };
    let failing =
        goal_state.into_iter().flat_map(|goal_state| goal_state.recovery.ailing.iter().copied());
    let idle = failing.filter(move |index| state.step_at(*index).is_some_and(|step| !asked(step)));
    idle.map(Effect::Recover)
}

/// Returns the effects of a task whose steps have all ended.
pub fn evaluating(state: &State) -> Vec<Effect> {
    let Some(goal_state) = state.goal.as_deref() else { return vec![] };
    if is_busy(state) {
        return vec![];
    }
    let effect = match (&goal_state.evaluation.judgement, &goal_state.evaluation.answer) {
        (None, _) if goal_state.evaluation.settle || !state.can_ask(&Purpose::Evaluate) => {
            Effect::Judge
        }
        (None, _) if promise::is_kept(state) => Effect::Judge,
        (None, _) => Effect::Ask(Purpose::Evaluate),
        (Some(_), None) if goal_state.evaluation.settle => Effect::Answer,
        (Some(_), None) if !state.can_ask(&Purpose::Report) => {
            // Without a model, an answer cannot be brought into the form of `output_schema`.
            let form = state.goal_spec().is_some_and(|spec| spec.output_schema.is_some());
            if form { Effect::Close } else { Effect::Answer }
        }
        (Some(_), None) => Effect::Ask(Purpose::Report),
        (Some(_), Some(_)) => Effect::Close,
    };
    vec![effect]
}

/// Returns the effects of a task that does not reach its goal: reflection, a revised plan, help or the end.
pub fn reflecting(state: &State) -> Vec<Effect> {
    let Some(goal_state) = state.goal.as_deref() else { return vec![] };
    if goal_state.is_asking(&Purpose::ReflectOverall) {
        return vec![];
    }
    let purpose = Purpose::ReflectOverall;
    let full = state.goal_spec().is_some_and(|spec| spec.manner.recovery == RecoveryMode::Full);
    let Some(reflection) = &goal_state.recovery.reflection else {
        let ask = full && state.can_ask(&purpose);
        return vec![if ask { Effect::Ask(purpose) } else { Effect::Work(WorkKind::Reflect) }];
    };
    if reflection.should_replan && full {
        return vec![Effect::Revise];
    }
    if is_busy(state) {
        return vec![];
    }
    let person = state.submission.as_ref().is_some_and(|s| s.options.on_wall == OnLimit::Ask);
    let by_step = matches!(goal_state.recovery.trigger, Some(ReflectionTrigger::Step { .. }));
    let asked = state.questions.values().any(|q| matches!(q.about, QuestionSubject::Help { .. }));
    match (person && by_step && !goal_state.recovery.helped, asked) {
        (true, true) => vec![],
        (true, false) => vec![Effect::AskForHelp],
        (false, _) => vec![Effect::Close],
    }
}

/// Returns the effect by which a finished task learns, once.
pub fn finished(state: &State) -> Vec<Effect> {
    let (Some(spec), Some(goal_state)) = (state.goal_spec(), state.goal.as_deref()) else {
        return vec![];
    };
    // A user who cancels wants an end, not one more model call to pay and to wait for.
    let cancelled = matches!(state.phase, Phase::Finished(TaskEnding::Cancelled { .. }));
    let never = goal_state.learnt || !spec.manner.learn;
    if never || cancelled || !goal_state.asks.under_way.is_empty() {
        return vec![];
    }
    // A cached plan that succeeded again teaches nothing for which a model is needed.
    let was_cached = plan_cache::is_used(goal_state) && state.status() == TaskStatus::Completed;
    let ask = state.can_ask(&Purpose::Learn) && !was_cached;
    vec![if ask { Effect::Ask(Purpose::Learn) } else { Effect::Learn }]
}

/// Returns true if a person must be asked to approve the plan now: before it runs, or before its first change.
pub fn wants_approval(state: &State, goal_state: &GoalState) -> bool {
    let Some(spec) = state.goal_spec() else { return false };
    let whole = state.phase == Phase::Executing && goal_state.planning.approved < state.revision;
    let asked = state.questions.values().any(|q| matches!(q.about, QuestionSubject::Plan { .. }));
    let due = match spec.manner.approval {
        PlanApproval::Review => true,
        PlanApproval::Writes => !is_by_workflow(goal_state) && !changes(state).is_empty(),
        PlanApproval::Allow => false,
    };
    whole && due && !asked
}

/// Returns true if a workflow provides the plan. The operator approved it by writing it.
fn is_by_workflow(goal_state: &GoalState) -> bool {
    goal_state
        .planning
        .selection
        .as_ref()
        .is_some_and(|chosen| chosen.by == SelectionMethod::Workflow)
}

/// Returns true if a step may not start before a person has approved the plan.
pub fn waits_for_approval(state: &State, index: StepIndex) -> bool {
    let asked = state.questions.values().any(|q| matches!(q.about, QuestionSubject::Plan { .. }));
    let review = state.goal_spec().is_some_and(|b| b.manner.approval == PlanApproval::Review);
    let early = state.phase == Phase::Planning;
    let risk = state.step_at(index).and_then(|step| state.contract(step.tool()));
    let changes = risk.is_none_or(|contract| contract.risk > Risk::Read);
    (review && early) || (asked && (review || changes))
}
