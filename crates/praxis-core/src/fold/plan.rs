//! Folds plan events: steps enter the plan, get a rank, and are queued once nothing is left to wait for.

use super::FoldResult;
use crate::ask::purpose::Purpose;
use crate::call::risk::Risk;
use crate::dataflow::context::StepIndex;
use crate::dataflow::scope::{NameScope, joined, path_of};
use crate::ids::{StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::journal::outcome::PlanOutcome;
use crate::journal::promise::PlanPromise;
use crate::state::goal_log::{LogLine, LoggedStep};
use crate::state::step::{Dependent, ParameterOverride, Step, StepNeeds, StepStatus};
use crate::state::{Phase, State};
use std::collections::BTreeMap;

/// Maximum number of characters of a step's parameters in the log.
const PARAMETERS_CHARS: usize = 600;

impl State {
    pub(super) fn planned(
        &mut self,
        revision: u32,
        steps: &[PlannedStep],
        names: &BTreeMap<String, StepId>,
    ) -> FoldResult {
        let open = matches!(self.phase, Phase::Planning | Phase::Executing);
        self.legal(open, "no plan is expected now")?;
        let follows = revision == self.revision || revision == self.revision + 1;
        self.legal(follows, "the plan version is not the next one")?;
        self.revision = revision;
        for planned in steps {
            let index = self.enter(planned, None)?;
            if let Some(step) = self.steps.get_mut(index) {
                step.revision = revision;
            }
        }
        if self.goal.is_some() {
            self.entered(revision, steps, names)?;
        }
        Ok(())
    }

    /// Adds one step and registers it as a dependent of the steps that it waits for.
    pub(super) fn enter(
        &mut self,
        planned: &PlannedStep,
        frame: Option<StepIndex>,
    ) -> Result<StepIndex, &'static str> {
        let is_new = self.context.index_of(planned.id.as_str()).is_none();
        self.legal(is_new, "the step id is already in use")?;
        let path = path_of(planned.id.as_str());
        let index = match frame {
            Some(_) => self.context.declare_inner(&planned.id),
            None => self.context.declare(&planned.id),
        };
        let successes = planned.depends_on.iter().map(|id| (id.clone(), StepNeeds::Success));
        let ends = planned.actions.iter().map(|id| (id.clone(), StepNeeds::End));
        let ways = (0..).zip(planned.ways());
        let ways = ways.map(|(n, way)| (joined(path, way.from.as_str()).into(), StepNeeds::Way(n)));
        for (id, needs) in successes.chain(ends).chain(ways) {
            let id: StepId = id;
            let needed = self.context.index_of(id.as_str()).filter(|needed| *needed != index);
            let needed = needed.and_then(|needed| self.steps.get_mut(needed));
            let needed =
                needed.ok_or("the step depends on a step that is not planned before it")?;
            needed.dependents.push(Dependent { step: index, needs });
        }
        let template = planned.template(NameScope::within(&self.context, path));
        let mut step = Step::new(planned.clone(), template);
        (step.frame, step.revision) = (frame, self.revision);
        self.set_overrides(&mut step);
        self.steps.add(index, step);
        self.agenda.unfinished += 1;
        Ok(index)
    }

    /// Adds steps to the open draft of a goal. Steps that only read may start before the plan is complete.
    fn entered(
        &mut self,
        revision: u32,
        steps: &[PlannedStep],
        names: &BTreeMap<String, StepId>,
    ) -> FoldResult {
        let drafting = &mut self.goal_state_mut()?.planning.drafting;
        drafting.open = Some(revision);
        drafting.entered += u32::try_from(steps.len()).unwrap_or(u32::MAX);
        drafting.names.extend(names.clone());
        let own = steps.iter().map(|step| (step.id.to_string(), step.id.clone()));
        let own: Vec<_> = own.filter(|(id, _)| !names.contains_key(id)).collect();
        for (name, id) in own {
            drafting.names.entry(name).or_insert(id);
        }
        self.log(LogLine::Planned { revision, steps: steps.iter().map(logged).collect() });
        for step in steps {
            let index = self.index(&step.id)?;
            let open = self.step_at(index).map_or(1, |step| self.open_needs(step));
            if let Some(step) = self.steps.get_mut(index) {
                (step.open, step.rank) = (open, step.plan.expected_ms.unwrap_or(1));
            }
            if self.never_starts(index) {
                self.set_status(index, StepStatus::Skipped);
                self.agenda.unfinished = self.agenda.unfinished.saturating_sub(1);
            } else if open == 0 && self.may_start_early(index) {
                self.queue(index);
            }
        }
        Ok(())
    }

    /// Returns true if a step that it depends on has ended without success.
    fn never_starts(&self, index: StepIndex) -> bool {
        let Some(step) = self.step_at(index) else { return false };
        let status = |id: &StepId| self.step(id.as_str()).map(|step| step.status);
        let lost = |status: StepStatus| status.is_final() && status != StepStatus::Success;
        step.plan.depends_on.iter().filter_map(status).any(lost)
    }

    /// Returns true if a step may start before its plan is complete: it gathers actions, or its tool only reads.
    pub(super) fn may_start_early(&self, index: StepIndex) -> bool {
        let Some(step) = self.step_at(index) else { return false };
        let risk = self.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk);
        step.plan.gathers() || risk == Risk::Read
    }

    /// Applies the parameter overrides of a fork to a step.
    fn set_overrides(&self, step: &mut Step) {
        let parent = self.submission.as_ref().and_then(|submission| submission.parent.as_ref());
        let Some(parent) = parent else { return };
        for (pointer, value) in parent.overrides.get(&step.plan.id).into_iter().flatten() {
            step.template.set(pointer, value);
            let (value, by) = (value.clone(), parent.by.clone());
            step.given.insert(
                pointer.clone(),
                ParameterOverride {
                    value,
                    by,
                    question: None,
                    rung: None,
                    left_out: false,
                    slot: None,
                },
            );
        }
    }

    pub(super) fn plan_closed(&mut self, revision: u32, outcome: PlanOutcome) -> FoldResult {
        let open = matches!(self.phase, Phase::Planning | Phase::Executing) && revision > 0;
        let is_this = revision == self.revision;
        let is_next = self.goal.is_some() && revision == self.revision + 1;
        self.legal(open && (is_this || is_next), "this plan version is not open")?;
        self.revision = revision;
        if self.goal.is_some() {
            self.draft_closed(outcome)?;
        }
        if outcome != PlanOutcome::Complete {
            return Ok(());
        }
        if revision > 1 {
            self.counters.task_replan_count += 1;
        }
        self.phase = Phase::Executing;
        self.requeue_all();
        Ok(())
    }

    /// Recomputes the ranks and queues every step that can start, longest chain first.
    pub(super) fn requeue_all(&mut self) {
        let plan: Vec<StepIndex> = (0..self.steps.len()).map(StepIndex::at).collect();
        self.agenda.unqueue_all();
        self.rank_steps(&plan, 0);
        self.count_open_needs(&plan);
        self.queue_ready(&plan);
        let inner: Vec<StepIndex> = self.steps.inner().map(|(index, _)| index).collect();
        self.queue_ready(&inner);
    }

    /// Stores the promise of the latest plan; a plan without one clears it.
    pub(super) fn promised(&mut self, promise: Option<&PlanPromise>) -> FoldResult {
        if self.goal.is_some() {
            self.goal_state_mut()?.planning.promise = promise.cloned().map(Box::new);
        }
        Ok(())
    }

    /// Closes the draft of a goal. If it is not complete, its steps that never started are dropped.
    fn draft_closed(&mut self, outcome: PlanOutcome) -> FoldResult {
        let drafting = &mut self.goal_state_mut()?.planning.drafting;
        let open = drafting.open.take();
        if outcome == PlanOutcome::Complete {
            let by_hand = std::mem::take(&mut drafting.by_hand);
            (drafting.misses, drafting.rest) = (0, false);
            drafting.again.clear();
            self.purpose_done(&Purpose::Plan);
            self.purpose_done(&Purpose::Replan);
            // A plan that a person wrote needs no approval.
            return if by_hand { self.plan_approved(self.revision) } else { Ok(()) };
        }
        drafting.misses += 1;
        // Steps that ran are kept, even while they wait for a retry.
        let unstarted = |step: &Step| {
            Some(step.revision) == open && step.status == StepStatus::Init && step.attempt == 0
        };
        let ids = self.steps.iter().filter(|step| unstarted(step)).map(|step| step.plan.id.clone());
        self.drop_steps(&ids.collect::<Vec<_>>());
        Ok(())
    }

    /// Clears the names and the count of entered steps before the next plan is requested.
    pub(super) fn reset_draft(&mut self) {
        if let Ok(goal_state) = self.goal_state_mut() {
            let drafting = &mut goal_state.planning.drafting;
            drafting.names.clear();
            drafting.entered = 0;
        }
    }

    /// Ranks steps by the longest chain that starts with them. Steps come after those that they need, so one backward
    /// pass is enough. `after_all` is the rank of the step that owns their frame.
    pub(super) fn rank_steps(&mut self, steps: &[StepIndex], after_all: u64) {
        for index in steps.iter().rev() {
            let Some(step) = self.steps.get(*index) else { continue };
            let after =
                step.dependents.iter().filter_map(|d| self.step_at(d.step)).map(|d| d.rank).max();
            let own = if step.plan.gathers() { 0 } else { step.plan.expected_ms.unwrap_or(1) };
            let rank = own.saturating_add(after.unwrap_or(after_all));
            if let Some(step) = self.steps.get_mut(*index) {
                step.rank = rank;
            }
        }
    }

    pub(super) fn count_open_needs(&mut self, steps: &[StepIndex]) {
        for index in steps {
            let Some(step) = self.step_at(*index) else { continue };
            let counted = (self.open_needs(step), self.ways_taken(step));
            if let Some(step) = self.steps.get_mut(*index) {
                (step.open, step.taken) = counted;
            }
        }
    }

    pub(super) fn open_needs(&self, step: &Step) -> u32 {
        let status =
            |id: &StepId| self.step(id.as_str()).map_or(StepStatus::Error, |step| step.status);
        let unmet =
            step.plan.depends_on.iter().filter(|id| status(id) != StepStatus::Success).count();
        let unsettled = step.plan.actions.iter().filter(|id| !status(id).is_final()).count();
        let undecided = self.ways_to(step).filter(Option::is_none).count();
        u32::try_from(unmet + unsettled + undecided).unwrap_or(u32::MAX)
    }

    fn ways_taken(&self, step: &Step) -> u32 {
        let taken = self.ways_to(step).filter(|taken| *taken == Some(true)).count();
        u32::try_from(taken).unwrap_or(u32::MAX)
    }

    /// Queues the steps that can start, and skips those to which no edge was taken.
    pub(super) fn queue_ready(&mut self, steps: &[StepIndex]) {
        for index in steps {
            let Some(step) = self.step_at(*index) else { continue };
            if step.status != StepStatus::Init || step.open > 0 || step.dropped {
                continue;
            }
            if step.is_due() {
                self.queue(*index);
            } else {
                self.skip(*index);
                self.release(*index);
            }
        }
    }

    pub(super) fn queue(&mut self, index: StepIndex) {
        let Some(step) = self.steps.get_mut(index) else { return };
        step.status = StepStatus::Init;
        if step.plan.gathers() {
            self.agenda.gather.insert(index);
            return;
        }
        let (rank, step) = (step.rank, step.tool().clone());
        let limited = self.contracts.get(&step).filter(|c| c.concurrent.is_some()).map(|c| &c.tool);
        self.agenda.queue(index, rank, limited);
    }

    pub(super) fn limit_key(&self, index: StepIndex) -> Option<ToolId> {
        self.step_at(index).and_then(|step| self.limited_tool(step)).cloned()
    }
}

fn logged(step: &PlannedStep) -> LoggedStep {
    let parameters = crate::mask::masked(&step.parameters).to_string();
    LoggedStep {
        step: step.id.clone(),
        name: step.name.clone(),
        tool: step.tool.clone(),
        parameters: parameters.chars().take(PARAMETERS_CHARS).collect(),
        depends_on: step.depends_on.clone(),
    }
}
