//! Folds the events of frames: opening, passes, added steps, closing.

use super::FoldResult;
use crate::dataflow::context::{FAILURE, StepIndex, Variables};
use crate::dataflow::scope::{joined, path_of};
use crate::ids::StepId;
use crate::intake::node::{EdgeCondition, FlowEdge};
use crate::intake::plan::PlannedStep;
use crate::journal::outcome::CallOutcome;
use crate::payload::{Payload, PayloadValue};
use crate::state::State;
use crate::state::frame::{FrameState, is_unhandled, path};
use crate::state::step::{Step, StepStatus};
use serde_json::{Value, json};

impl State {
    /// Returns one of the incoming edges of a step, by index.
    pub(crate) fn way(&self, step: StepIndex, way: u32) -> Option<&FlowEdge> {
        self.step_at(step)?.plan.ways().get(way as usize)
    }

    /// Returns true if an edge is taken, or `None` while its source step has not ended.
    pub(super) fn is_taken(&self, way: &FlowEdge, from: StepIndex) -> Option<bool> {
        let step = self.step_at(from)?;
        match step.status {
            StepStatus::Success => Some(match &way.on {
                EdgeCondition::Success | EdgeCondition::End => true,
                EdgeCondition::Branch(branch) => self.branch_of(from) == Some(branch.as_str()),
                EdgeCondition::Failure | EdgeCondition::Unhandled => false,
            }),
            StepStatus::Error | StepStatus::Cancelled => Some(matches!(
                way.on,
                EdgeCondition::Failure | EdgeCondition::Unhandled | EdgeCondition::End
            )),
            StepStatus::Skipped => Some(false),
            StepStatus::Init
            | StepStatus::Waiting
            | StepStatus::Running
            | StepStatus::Param
            | StepStatus::InDoubt => None,
        }
    }

    /// Evaluates `is_taken` for each incoming edge of a step.
    pub(super) fn ways_to(&self, step: &Step) -> impl Iterator<Item = Option<bool>> {
        let path = path_of(step.plan.id.as_str());
        step.plan.ways().iter().map(move |way| {
            let from = self.context.index_of(&joined(path, way.from.as_str()));
            // An edge from an unknown step is never taken.
            from.map_or(Some(false), |from| self.is_taken(way, from))
        })
    }

    /// Returns the branch that a choice step took.
    fn branch_of(&self, step: StepIndex) -> Option<&str> {
        match self.context.result(step)?.output.field("branch_id")? {
            PayloadValue::Value(Value::String(branch)) => Some(branch),
            PayloadValue::Value(_) | PayloadValue::InBlob { .. } => None,
        }
    }

    /// Creates the frame of a started step, unless a failed attempt left one, and puts it on the agenda.
    pub(super) fn frame_begins(&mut self, owner: StepIndex) {
        self.frames.entry(owner).or_default();
        self.agenda.frames.insert(owner);
    }

    pub(super) fn frame_opened(&mut self, id: &StepId, variables: &Payload) -> FoldResult {
        let owner = self.turn_of(id)?;
        let step = self.step_at(owner).ok_or("the plan has no such step")?;
        let path = path(step, 0);
        let frame = self.frames.get_mut(&owner).ok_or("the step has no running inner steps")?;
        if std::mem::replace(&mut frame.opened, true) {
            return Err("the inner steps have already started");
        }
        let given = Some(variables.clone());
        self.context.open_scope(&path, Variables { given, ..Variables::default() });
        Ok(())
    }

    /// Begins a pass: drops the steps of the last pass and enters those of the body.
    pub(super) fn pass_started(
        &mut self,
        id: &StepId,
        pass: u32,
        own: Option<&Payload>,
    ) -> FoldResult {
        let owner = self.turn_of(id)?;
        let step = self.step_at(owner).ok_or("the plan has no such step")?;
        let frame = self.frames.get(&owner).ok_or("the step has no running inner steps")?;
        let follows = frame.opened && pass == frame.pass + 1 && (frame.pass == 0 || frame.over);
        self.legal(follows, "the iteration number is not the next one")?;
        let (before, now) = (path(step, frame.pass), path(step, pass));
        let node = step.plan.node.clone().ok_or("the step has no running inner steps")?;
        let body = node.body.as_ref().ok_or("the step has no running inner steps")?;
        let rank = step.rank;
        self.let_go_of_pass(owner);
        let mut variables = self.context.close_scope(&before).unwrap_or_default();
        variables.failure = None;
        variables.pass = own.cloned();
        self.context.open_scope(&now, variables);
        let mut steps = Vec::with_capacity(body.steps.len());
        for planned in &body.steps {
            steps.push(self.enter(&planned.within(&now), Some(owner))?);
        }
        let open = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let frame = self.frames.get_mut(&owner).ok_or("the step has no running inner steps")?;
        (frame.pass, frame.over, frame.open) = (pass, false, open);
        frame.steps.clone_from(&steps);
        self.rank_steps(&steps, rank);
        self.agenda.frames.remove(&owner);
        self.count_open_needs(&steps);
        self.queue_ready(&steps);
        if steps.is_empty() {
            self.agenda.frames.insert(owner);
        }
        Ok(())
    }

    /// Adds steps inside a step: the calls of an agent in its turn, or a search for values before the step starts.
    pub(super) fn steps_added(&mut self, id: &StepId, added: &[PlannedStep]) -> FoldResult {
        let owner = self.index(id)?;
        self.legal(self.may_start_steps() && !added.is_empty(), "the task is not executing")?;
        if !self.frames.contains_key(&owner) {
            self.fill_begins(owner)?;
        }
        let step = self.step_at(owner).ok_or("the plan has no such step")?;
        let (rank, frame) =
            (step.rank, self.frames.get(&owner).ok_or("the step has no running inner steps")?);
        let is_agent = step.plan.body().is_some_and(|body| body.agent.is_some());
        let open = frame.open == 0 && !frame.over && (frame.fills || (is_agent && frame.pass > 0));
        self.legal(open && self.agenda.frames.contains(&owner), "the inner steps are not due now")?;
        let path = path(step, frame.pass);
        let mut steps = Vec::with_capacity(added.len());
        for planned in added {
            steps.push(self.enter(&planned.within(&path), Some(owner))?);
        }
        let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let frame = self.frames.get_mut(&owner).ok_or("the step has no running inner steps")?;
        (frame.open, frame.calls) = (count, frame.calls + count);
        frame.steps.extend(&steps);
        self.agenda.frames.remove(&owner);
        self.rank_steps(&steps, rank);
        self.count_open_needs(&steps);
        self.queue_ready(&steps);
        Ok(())
    }

    /// Takes a ready step out of the queue until the search for its values has ended.
    fn fill_begins(&mut self, owner: StepIndex) -> FoldResult {
        let limited = self.limit_key(owner);
        let rank = self.step_at(owner).map_or(0, |step| step.rank);
        let queued = self.agenda.unqueue(owner, rank, limited.as_ref());
        self.legal(queued, "the step is not ready")?;
        if let Some(step) = self.steps.get_mut(owner) {
            (step.status, step.was_filled) = (StepStatus::Param, true);
            step.fills += 1;
        }
        self.frames
            .insert(owner, FrameState { fills: true, opened: true, ..FrameState::default() });
        self.agenda.frames.insert(owner);
        Ok(())
    }

    /// Ends the search for values and queues the step again.
    pub(super) fn fill_ends(&mut self, owner: StepIndex) {
        if self.frames.get(&owner).is_some_and(|frame| frame.fills && frame.open == 0) {
            self.frame_closed(owner);
            self.queue(owner);
        }
    }

    pub(super) fn pass_ended(
        &mut self,
        id: &StepId,
        pass: u32,
        (failed, set, collected): (bool, Option<&Payload>, Option<&Payload>),
    ) -> FoldResult {
        let owner = self.turn_of(id)?;
        let step = self.step_at(owner).ok_or("the plan has no such step")?;
        let path = path(step, pass);
        let frame = self.frames.get_mut(&owner).ok_or("the step has no running inner steps")?;
        if frame.pass != pass || frame.over || frame.open > 0 {
            return Err("this iteration is not running, or has not ended");
        }
        frame.over = true;
        frame.failed += u32::from(failed);
        frame.collected.extend(collected.cloned());
        if let (Some(set), Some(variables)) = (set, self.context.variables_mut(&path)) {
            variables.set = Some(set.clone());
        }
        Ok(())
    }

    /// Returns the step that owns a frame, or an error if it is not the frame's turn.
    fn turn_of(&self, id: &StepId) -> Result<StepIndex, &'static str> {
        let owner = self.index(id)?;
        self.legal(self.may_start_steps(), "the task is not executing")?;
        self.legal(self.agenda.frames.contains(&owner), "the inner steps are not due now")?;
        Ok(owner)
    }

    /// Records that a step inside a frame ended; after the last one it is the frame's turn.
    pub(super) fn ended_inside(&mut self, index: StepIndex) {
        let Some(step) = self.step_at(index) else { return };
        let Some(owner) = step.frame else { return self.note_failure(index, "") };
        let path = path_of(step.plan.id.as_str()).to_owned();
        self.note_failure(index, &path);
        let failed = self.step_at(index).is_some_and(|step| step.status == StepStatus::Error);
        let Some(frame) = self.frames.get_mut(&owner) else { return };
        frame.open = frame.open.saturating_sub(1);
        frame.failed_calls += u32::from(failed && frame.calls > 0);
        if frame.open == 0 {
            self.agenda.frames.insert(owner);
        }
    }

    /// Sets the `failure` variable of a frame to its first unhandled failure, or until there is one, to the latest
    /// handled failure.
    fn note_failure(&mut self, index: StepIndex, path: &str) {
        let Some(step) = self.step_at(index).filter(|step| step.status == StepStatus::Error) else {
            return;
        };
        if self.context.variables(path).is_none() || self.has_unhandled_failure(path) {
            return;
        }
        let (code, message) =
            step.fault.as_ref().map_or(("", String::new()), |f| (f.code(), f.to_string()));
        let local = step.plan.id.as_str().rsplit('/').next().unwrap_or_default();
        let failure = json!({ FAILURE: {"step": local, "code": code, "message": message} });
        if let Some(variables) = self.context.variables_mut(path) {
            variables.failure = Some(Payload::json(failure));
        }
    }

    /// Returns true if the `failure` variable of a frame holds an unhandled failure.
    fn has_unhandled_failure(&self, path: &str) -> bool {
        let noted = self.context.variables(path).and_then(|known| known.failure.as_ref());
        let noted = noted.and_then(|failure| match failure.field(FAILURE) {
            Some(PayloadValue::Value(failure)) => failure.get("step")?.as_str(),
            Some(PayloadValue::InBlob { .. }) | None => None,
        });
        let step = noted.and_then(|local| self.step(&joined(path, local)));
        step.is_some_and(|step| is_unhandled(self, step))
    }

    /// Ends the frame of a step. After a failure the steps inside stay, so that a later attempt continues there.
    pub(super) fn frame_ends(&mut self, owner: StepIndex, outcome: &CallOutcome) -> FoldResult {
        let was_there = self.agenda.frames.remove(&owner);
        self.legal(was_there, "the inner steps are not due now")?;
        match outcome {
            CallOutcome::Succeeded(_) => self.frame_closed(owner),
            CallOutcome::Failed { .. } | CallOutcome::InDoubt(_) | CallOutcome::Lost => {}
        }
        Ok(())
    }

    /// Reopens the frames of a resumed task; each continues in the pass in which it stood.
    pub(super) fn reopen_frames(&mut self) {
        let owners: Vec<StepIndex> = self.frames.keys().copied().collect();
        for owner in owners {
            if self.frames.get(&owner).is_some_and(|frame| frame.fills) {
                // Values are searched for again when the step is about to start.
                self.frame_closed(owner);
                if let Some(step) = self.steps.get_mut(owner) {
                    step.was_filled = false;
                }
                continue;
            }
            self.reopen_frame(owner);
        }
    }

    /// Gives an agent its full number of turns again. If only the model step of the current turn ran, and it ended, a
    /// new turn begins; otherwise the current turn continues.
    fn reopen_agent(&mut self, owner: StepIndex) {
        let Some(frame) = self.frames.get(&owner) else { return };
        let ended = |index: &StepIndex| self.step_at(*index).is_some_and(|s| s.status.is_final());
        let said_its_last = frame.steps.len() == 1 && frame.steps.iter().all(ended);
        if let Some(frame) = self.frames.get_mut(&owner) {
            frame.again += 1;
            frame.over |= said_its_last;
        }
    }

    fn reopen_frame(&mut self, owner: StepIndex) {
        if self
            .step_at(owner)
            .and_then(|step| step.plan.body())
            .is_some_and(|it| it.agent.is_some())
        {
            self.reopen_agent(owner);
        }
        let Some(frame) = self.frames.get(&owner) else { return };
        let status = |index: &StepIndex| self.step_at(*index).map(|step| step.status);
        let open =
            frame.steps.iter().filter_map(status).filter(|status| !status.is_final()).count();
        let steps = frame.steps.clone();
        let path = self.step_at(owner).map(|step| path(step, frame.pass));
        if let Some(variables) = path.and_then(|path| self.context.variables_mut(&path)) {
            variables.failure = None;
        }
        if let Some(frame) = self.frames.get_mut(&owner) {
            frame.open = u32::try_from(open).unwrap_or(u32::MAX);
            if frame.over && open > 0 {
                // The failed pass continues, so it does not count as failed.
                (frame.over, frame.failed) = (false, frame.failed.saturating_sub(1));
            }
        }
        if open == 0 {
            self.agenda.frames.insert(owner);
        }
        self.count_open_needs(&steps);
        self.set_status(owner, StepStatus::Running);
    }

    /// Removes a frame with its steps and variables.
    pub(super) fn frame_closed(&mut self, owner: StepIndex) {
        self.agenda.frames.remove(&owner);
        self.let_go_of_pass(owner);
        let frame = self.frames.remove(&owner);
        let path = self.step_at(owner).zip(frame).map(|(step, frame)| path(step, frame.pass));
        if let Some(path) = path {
            self.context.close_scope(&path);
        }
    }

    fn let_go_of_pass(&mut self, owner: StepIndex) {
        let frame = self.frames.get_mut(&owner);
        let steps = frame.map(|frame| std::mem::take(&mut frame.steps)).unwrap_or_default();
        for index in steps {
            // A step that failed may still own a frame.
            if self.frames.contains_key(&index) {
                self.frame_closed(index);
            }
            self.context.let_go(index);
            self.steps.remove(index);
        }
    }
}
