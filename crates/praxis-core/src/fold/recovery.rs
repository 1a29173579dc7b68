//! Folds recovery: failing steps are recorded, amended or given up, and plans are revised.

use super::FoldResult;
use crate::ask::purpose::Purpose;
use crate::budget::same::fingerprint;
use crate::dataflow::context::StepIndex;
use crate::dataflow::template::ParameterTemplate;
use crate::fault::Fault;
use crate::fault::class::FaultClass;
use crate::fault::repeat::normalised;
use crate::goal::spec::RecoveryMode;
use crate::ids::{StepId, ToolId};
use crate::intake::rename::plan_hash;
use crate::journal::rung::RecoveryRung;
use crate::journal::step_reflection::StepReflection;
use crate::journal::task_reflection::{PlanRevision, ReflectionTrigger};
use crate::payload::Payload;
use crate::pointer::pointer_to;
use crate::state::failing::FailureSeen;
use crate::state::goal_log::{LogLine, shown};
use crate::state::step::{ParameterOverride, Step, StepStatus};
use crate::state::{Phase, State};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of characters of sent arguments that recovery keeps.
const ARGUMENTS_CHARS: usize = 600;

/// The changes of a `StepAmended` event.
pub(super) struct Amendment<'a> {
    pub(super) rung: RecoveryRung,
    pub(super) tool: Option<&'a ToolId>,
    pub(super) parameters: Option<&'a Value>,
    pub(super) set: &'a BTreeMap<String, Value>,
    pub(super) why: &'a str,
    pub(super) by: &'a str,
}

impl State {
    /// Returns true if a step with this fault enters recovery instead of failing its dependents at once.
    pub(super) fn can_be_helped(&self, fault: &Fault) -> bool {
        let recovery = self.goal_spec().map_or(RecoveryMode::Off, |spec| spec.manner.recovery);
        let ended = FaultClass::of(fault) == FaultClass::Ended;
        let going = matches!(self.phase, Phase::Planning | Phase::Executing | Phase::Reflecting);
        recovery != RecoveryMode::Off && going && !ended
    }

    /// Puts a failed step into recovery; its dependents wait.
    pub(super) fn enter_recovery(&mut self, index: StepIndex, fault: &Fault) {
        self.note_fault(index, fault);
        self.set_status(index, StepStatus::Waiting);
        let Some(step) = self.step_at(index) else { return };
        let arguments = step.sent.as_ref().map_or(String::new(), |sent| shown(&sent.arguments).0);
        let failed = FailureSeen {
            tool: step.tool().clone(),
            class: FaultClass::of(fault),
            fault: fault.clone(),
            arguments: arguments.chars().take(ARGUMENTS_CHARS).collect(),
        };
        let planned = fingerprint(&step.plan.tool, &Payload::json(step.plan.parameters.clone()));
        let sent = step.sent.as_ref().map(|sent| fingerprint(step.tool(), &sent.arguments));
        let repeat = format!("{} {}", failed.tool, normalised(&fault.to_string()));
        let line = LogLine::Failed {
            step: step.plan.id.clone(),
            tool: failed.tool.clone(),
            fault: fault.clone(),
        };
        let Ok(goal_state) = self.goal_state_mut() else { return };
        goal_state.log.lines.push(line);
        *goal_state.recovery.repeats.entry(repeat).or_default() += 1;
        let failing_step = goal_state.recovery.ailments.entry(index).or_default();
        failing_step.tried.extend(sent.into_iter().chain([planned]));
        failing_step.note(failed);
        goal_state.recovery.ailing.insert(index);
    }

    pub(super) fn step_reflected(
        &mut self,
        id: &StepId,
        reflection: &StepReflection,
    ) -> FoldResult {
        let index = self.index(id)?;
        let goal_state = self.goal_state_mut()?;
        let ailing = goal_state.recovery.ailing.contains(&index);
        let failing_step = goal_state.recovery.ailments.entry(index).or_default();
        failing_step.advice =
            format!("{}: {}", reflection.suggested_action.word(), reflection.root_cause);
        if ailing { Ok(()) } else { Err("the step is not waiting for recovery") }
    }

    pub(super) fn repair_wanted(&mut self, id: &StepId) -> FoldResult {
        let index = self.index(id)?;
        let goal_state = self.goal_state_mut()?;
        let ailing = goal_state.recovery.ailing.contains(&index);
        goal_state.recovery.ailments.entry(index).or_default().repair_wanted = true;
        if ailing { Ok(()) } else { Err("the step is not waiting for recovery") }
    }

    pub(super) fn amended(&mut self, id: &StepId, amendment: &Amendment<'_>) -> FoldResult {
        let index = self.index(id)?;
        let queued = self.is_queued_or_waits(index);
        self.legal(queued, "the step cannot be changed now")?;
        let class = self.step_at(index).and_then(|step| step.fault.as_ref()).map(FaultClass::of);
        let was_tried = self.step_at(index).is_some_and(|step| step.sent.is_some());
        self.rewrite(index, amendment);
        if was_tried || amendment.rung != RecoveryRung::Inference {
            self.new_generation(index);
        }
        if let Some(step) = self.steps.get_mut(index) {
            (step.retries, step.approved, step.approved_print) = (0, false, None);
        }
        let goal_state = self.goal_state_mut()?;
        goal_state.recovery.ailing.remove(&index);
        let failing_step = goal_state.recovery.ailments.entry(index).or_default();
        match amendment.rung {
            RecoveryRung::Class => {
                failing_step.mended.extend(class);
                failing_step.eased += u32::from(class.is_some_and(FaultClass::is_eased_stepwise));
            }
            RecoveryRung::Inference => failing_step.inferred = true,
            RecoveryRung::RetryWithParams | RecoveryRung::RetryWithTool => {
                failing_step.retries += 1;
            }
            RecoveryRung::Repair => {
                (failing_step.repairs, failing_step.repair_wanted) =
                    (failing_step.repairs + 1, false);
            }
        }
        match amendment.rung {
            RecoveryRung::RetryWithParams | RecoveryRung::RetryWithTool => {
                self.counters.step_retry_count += 1;
            }
            RecoveryRung::Repair => self.counters.single_step_repair_count += 1,
            RecoveryRung::Class | RecoveryRung::Inference => {}
        }
        let how = format!("{}: {}", amendment.rung.word(), amendment.why);
        self.log(LogLine::Amended { step: id.clone(), how });
        self.set_status(index, StepStatus::Init);
        self.requeue(index);
        Ok(())
    }

    fn is_queued_or_waits(&mut self, index: StepIndex) -> bool {
        let limited = self.limit_key(index);
        let rank = self.step_at(index).map_or(0, |step| step.rank);
        let queued = self.agenda.unqueue(index, rank, limited.as_ref());
        let ailing = self
            .goal
            .as_ref()
            .is_some_and(|goal_state| goal_state.recovery.ailing.contains(&index));
        queued || ailing
    }

    fn requeue(&mut self, index: StepIndex) {
        let Some(step) = self.step_at(index) else { return };
        let open = self.open_needs(step);
        let early = self
            .goal
            .as_ref()
            .is_some_and(|goal_state| goal_state.planning.drafting.open.is_some());
        if open == 0 && (!early || self.may_start_early(index)) {
            self.queue(index);
        }
    }

    /// Applies an amendment to the plan and template of a step; values that answer a question stay.
    fn rewrite(&mut self, index: StepIndex, amendment: &Amendment<'_>) {
        let Some(step) = self.steps.get(index) else { return };
        let written = amendment.parameters.unwrap_or(&step.plan.parameters).clone();
        let mut template = ParameterTemplate::parse(&written, &self.context);
        let Some(step) = self.steps.get_mut(index) else { return };
        let planned = std::mem::replace(&mut step.plan.parameters, written);
        step.plan.tool = amendment.tool.unwrap_or(&step.plan.tool).clone();
        if amendment.parameters.is_some() {
            let by_rule = amendment.rung == RecoveryRung::Class;
            step.given.retain(|_, given| given.question.is_some() || by_rule);
        }
        for (pointer, given) in step.given.iter().filter(|(_, given)| !given.left_out) {
            template.set(pointer, &given.value);
        }
        leave_out(step, &planned, amendment);
        for (pointer, value) in amendment.set {
            template.set(pointer, value);
            let rung = Some((amendment.rung, amendment.why.to_owned()));
            let (value, by) = (value.clone(), amendment.by.to_owned());
            let given =
                ParameterOverride { value, by, question: None, rung, left_out: false, slot: None };
            step.given.insert(pointer.clone(), given);
        }
        step.template = template;
    }

    pub(super) fn recovery_ended(&mut self, id: &StepId, overall: bool) -> FoldResult {
        let index = self.index(id)?;
        let was_ailing = self.goal_state_mut()?.recovery.ailing.remove(&index);
        self.legal(was_ailing, "the step is not waiting for recovery")?;
        let fault = self.step_at(index).and_then(|step| step.fault.clone());
        let fault = fault.ok_or("the step has not failed")?;
        self.failed(index, &fault, None);
        if overall {
            let trigger = ReflectionTrigger::Step { step: id.clone() };
            self.goal_state_mut()?.recovery.trigger.get_or_insert(trigger);
        }
        Ok(())
    }

    pub(super) fn revised(&mut self, revision: &PlanRevision) -> FoldResult {
        let follows = revision.revision == self.revision + 1;
        self.legal(follows, "the plan version is not the next one")?;
        let last: Vec<_> = self.steps.iter().filter(|s| s.revision == self.revision).collect();
        let last: Vec<_> = last.into_iter().map(|step| step.plan.clone()).collect();
        self.ledger.replans += 1;
        let goal_state = self.goal_state_mut()?;
        goal_state.planning.given_up_plans.insert(plan_hash(&last));
        goal_state.recovery.trigger = None;
        goal_state.asks.unanswered.remove(Purpose::Replan.stage());
        (goal_state.recovery.reflection, goal_state.evaluation.judgement) = (None, None);
        goal_state.planning.drafting.rest = revision.wants_steps;
        goal_state.planning.drafting.reselect = revision.wants_steps;
        goal_state.planning.drafting.again =
            if revision.wants_steps { revision.again.clone() } else { vec![] };
        for id in &revision.again {
            let index = self.index(id)?;
            self.new_generation(index);
            self.goal_state_mut()?.recovery.ailments.remove(&index);
        }
        for change in &revision.rewired {
            self.rewire(&change.step_id, &change.depends_on)?;
        }
        self.log(LogLine::Dropped {
            steps: revision.dropped.clone(),
            reason: revision.why.clone(),
        });
        self.drop_steps(&revision.dropped);
        let stays: BTreeSet<&StepId> = revision.kept.iter().chain(&revision.again).collect();
        for step in self.steps.iter_mut().filter(|step| stays.contains(&step.plan.id)) {
            if matches!(step.status, StepStatus::Skipped | StepStatus::Error | StepStatus::Waiting)
            {
                step.status = StepStatus::Init;
            }
        }
        self.recount();
        if revision.wants_steps {
            self.phase = Phase::Planning;
        } else {
            self.revision = revision.revision;
            self.counters.task_replan_count += 1;
            self.execute_again();
        }
        Ok(())
    }

    /// Returns to execution and queues every remaining step that can start.
    fn execute_again(&mut self) {
        self.phase = Phase::Executing;
        self.agenda.gather.clear();
        self.requeue_all();
    }

    pub(super) fn rewire(&mut self, id: &StepId, depends_on: &[StepId]) -> FoldResult {
        let index = self.index(id)?;
        for needed in depends_on {
            let needed = self.index(needed)?;
            self.legal(needed != index, "the step depends on itself")?;
        }
        for step in self.steps.iter_mut() {
            let on_this = |d: &crate::state::step::Dependent| d.step == index;
            let needed = depends_on.contains(&step.plan.id);
            let is_known = step.dependents.iter().any(on_this);
            if needed && !is_known {
                let needs = crate::state::step::StepNeeds::Success;
                step.dependents.push(crate::state::step::Dependent { step: index, needs });
            } else if !needed {
                step.dependents.retain(|d| !on_this(d));
            }
        }
        if let Some(step) = self.steps.get_mut(index) {
            step.plan.depends_on = depends_on.to_vec();
        }
        Ok(())
    }

    /// Gives up steps. Those with a call under way run to their end, but their outcome is not used.
    pub(super) fn drop_steps(&mut self, ids: &[StepId]) {
        for id in ids {
            let Ok(index) = self.index(id) else { continue };
            let limited = self.limit_key(index);
            let rank = self.step_at(index).map_or(0, |step| step.rank);
            self.agenda.unqueue(index, rank, limited.as_ref());
            self.agenda.gather.remove(&index);
            self.agenda.timers.retain(|(_, step)| *step != index);
            self.questions.retain(|_, question| question.step.as_ref() != Some(id));
            if let Some(goal_state) = self.goal.as_deref_mut() {
                goal_state.recovery.ailing.remove(&index);
            }
            if let Some(step) = self.steps.get_mut(index) {
                step.dropped = true;
                if !step.status.is_final() && !is_out(step) {
                    step.status = StepStatus::Skipped;
                }
            }
        }
        self.recount();
    }

    /// Gives up every step that has not ended and has no call under way.
    pub(super) fn give_up_open_steps(&mut self) {
        let open = self.steps.iter().filter(|step| can_be_given_up(step));
        let ids: Vec<StepId> = open.map(|step| step.plan.id.clone()).collect();
        self.drop_steps(&ids);
    }

    pub(super) fn has_steps_to_give_up(&self) -> bool {
        self.steps.iter().any(can_be_given_up)
    }

    /// Recounts the unfinished and the given-up steps.
    pub(super) fn recount(&mut self) {
        let given_up = |step: &&Step| step.dropped && step.status != StepStatus::Success;
        let given_up = self.steps.iter().filter(given_up).count();
        self.given_up = u32::try_from(given_up).unwrap_or(u32::MAX);
        self.count_unfinished();
    }

    pub(super) fn count_unfinished(&mut self) {
        let open = self.steps.everywhere().filter(|(_, step)| !step.status.is_final()).count();
        self.agenda.unfinished = u32::try_from(open).unwrap_or(u32::MAX);
    }

    /// Ends a step that was given up while it ran; its outcome is not used.
    pub(super) fn superseded(&mut self, index: StepIndex) {
        self.set_status(index, StepStatus::Skipped);
        if let Some(step) = self.steps.get_mut(index) {
            step.finished_at = Some(self.at);
        }
        self.agenda.unfinished = self.agenda.unfinished.saturating_sub(1);
    }

    /// Logs the output of a step.
    pub(super) fn log_success(&mut self, index: StepIndex, payload: &Payload) {
        if self.goal.is_none() {
            return;
        }
        let Some(step) = self.step_at(index) else { return };
        let (output, is_cut) = shown(payload);
        let fields = if is_cut { payload.field_names().unwrap_or_default() } else { vec![] };
        let line = LogLine::Succeeded {
            step: step.plan.id.clone(),
            tool: step.tool().clone(),
            output,
            fields: fields.into_iter().take(40).map(str::to_owned).collect(),
        };
        self.log(line);
    }
}

/// Records the parameters that a rule removed, and the reason.
fn leave_out(step: &mut Step, planned: &Value, amendment: &Amendment<'_>) {
    let (Some(planned), Some(now)) = (planned.as_object(), step.plan.parameters.as_object()) else {
        return;
    };
    let gone = planned.iter().filter(|(name, _)| !now.contains_key(*name));
    for (name, value) in gone.filter(|_| amendment.rung == RecoveryRung::Class) {
        let rung = Some((amendment.rung, amendment.why.to_owned()));
        let (value, by) = (value.clone(), amendment.by.to_owned());
        let given =
            ParameterOverride { value, by, question: None, rung, left_out: true, slot: None };
        step.given.insert(pointer_to("", name), given);
    }
}

/// Returns true if a step has not ended and has no call under way or in doubt.
fn can_be_given_up(step: &Step) -> bool {
    !step.status.is_final() && !is_out(step)
}

/// Returns true if a call of the step is under way or in doubt.
fn is_out(step: &Step) -> bool {
    matches!(step.status, StepStatus::Running | StepStatus::InDoubt)
}
