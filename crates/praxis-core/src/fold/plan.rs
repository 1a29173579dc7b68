//! Steps enter the plan, get their rank, and join the queue when nothing is left to wait for.

use super::Legal;
use crate::dataflow::context::StepIndex;
use crate::dataflow::template::Template;
use crate::execute::step::{Dependent, Given, Needs, Status, Step};
use crate::ids::{StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::journal::event::PlanOutcome;
use crate::state::{Phase, State};

impl State {
    pub(super) fn planned(&mut self, revision: u32, steps: &[PlannedStep]) -> Legal {
        let open = matches!(self.phase, Phase::Planning | Phase::Executing);
        self.legal(open, "the task takes no plan now")?;
        let follows = revision == self.revision || revision == self.revision + 1;
        self.legal(follows, "the revision does not follow the last one")?;
        self.revision = revision;
        for planned in steps {
            self.legal(
                self.context.index_of(planned.id.as_str()).is_none(),
                "the step id is taken",
            )?;
            let index = self.context.declare(&planned.id);
            let successes = planned.depends_on.iter().map(|id| (id, Needs::Success));
            for (id, needs) in successes.chain(planned.actions.iter().map(|id| (id, Needs::End))) {
                let needed = self.context.index_of(id.as_str()).filter(|needed| *needed != index);
                let needed = needed.and_then(|needed| self.steps.get_mut(needed.0 as usize));
                let needed = needed.ok_or("the step needs one that is not before it")?;
                needed.dependents.push(Dependent { step: index, needs });
            }
            let template = Template::parse(&planned.parameters, &self.context);
            let mut step = Step::new(planned.clone(), template);
            self.set_overrides(&mut step);
            self.steps.push(step);
            self.agenda.unfinished += 1;
        }
        Ok(())
    }

    /// What was set when the task was forked takes the place of what is planned.
    fn set_overrides(&self, step: &mut Step) {
        let parent = self.submission.as_ref().and_then(|submission| submission.parent.as_ref());
        let Some(parent) = parent else { return };
        for (pointer, value) in parent.overrides.get(&step.plan.id).into_iter().flatten() {
            step.template.set(pointer, value);
            let (value, by) = (value.clone(), parent.by.clone());
            step.given.insert(pointer.clone(), Given { value, by, question: None });
        }
    }

    pub(super) fn plan_closed(&mut self, revision: u32, outcome: PlanOutcome) -> Legal {
        let open = matches!(self.phase, Phase::Planning | Phase::Executing) && revision > 0;
        self.legal(open && revision == self.revision, "this revision is not open")?;
        if outcome != PlanOutcome::Complete {
            return Ok(());
        }
        if revision > 1 {
            self.counters.task_replan_count += 1;
        }
        self.phase = Phase::Executing;
        self.agenda.unqueue_all();
        self.rank_steps();
        self.count_open_needs();
        self.queue_ready();
        Ok(())
    }

    /// Long chains first. Steps stand after what they need, so one walk backwards is enough.
    pub(super) fn rank_steps(&mut self) {
        for index in (0..self.steps.len()).rev() {
            let Some(step) = self.steps.get(index) else { continue };
            let after =
                step.dependents.iter().filter_map(|d| self.step_at(d.step)).map(|d| d.rank).max();
            let own = if step.plan.gathers() { 0 } else { step.plan.expected_ms.unwrap_or(1) };
            let rank = own.saturating_add(after.unwrap_or(0));
            if let Some(step) = self.steps.get_mut(index) {
                step.rank = rank;
            }
        }
    }

    pub(super) fn count_open_needs(&mut self) {
        let open: Vec<u32> = self.steps.iter().map(|step| self.open_needs(step)).collect();
        for (step, open) in self.steps.iter_mut().zip(open) {
            step.open = open;
        }
    }

    pub(super) fn open_needs(&self, step: &Step) -> u32 {
        let status = |id: &StepId| self.step(id.as_str()).map_or(Status::Error, |step| step.status);
        let unmet = step.plan.depends_on.iter().filter(|id| status(id) != Status::Success).count();
        let unsettled = step.plan.actions.iter().filter(|id| !status(id).is_final()).count();
        u32::try_from(unmet + unsettled).unwrap_or(u32::MAX)
    }

    pub(super) fn queue_ready(&mut self) {
        for index in 0..self.steps.len() {
            let index = StepIndex(u32::try_from(index).unwrap_or(u32::MAX));
            let ready = |step: &Step| step.status == Status::Init && step.open == 0;
            if self.step_at(index).is_some_and(ready) {
                self.queue(index);
            }
        }
    }

    pub(super) fn queue(&mut self, index: StepIndex) {
        let Some(step) = self.steps.get_mut(index.0 as usize) else { return };
        step.status = Status::Init;
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
