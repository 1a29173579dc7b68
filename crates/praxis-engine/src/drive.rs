//! The loop of one task: take an arrival, fold it, decide, append, and only then act.
//!
//! - in: arrivals: results of calls, commands of people, due timers
//! - out: one append per arrival, then the calls that it starts
//! - never: starts an effect, or publishes an event, before it is durable

use crate::arrival::{Arrival, CommandRefusal, CommandReply};
use crate::ask_model::{goal, step};
use crate::driver::TaskDriver;
use crate::driver::row;
use crate::perform;
use crate::seams::{AppendError, JournalAppend, RecallRequest, TaughtExperience, WrittenEntry};
use crate::stopped::DriverStopped;
use crate::trace;
use praxis_core::call::own::OwnCall;
use praxis_core::call::own_tools::own;
use praxis_core::dataflow::context::StepIndex;
use praxis_core::decide::begin::{begin, needs};
use praxis_core::decide::decide;
use praxis_core::decide::next;
use praxis_core::decide::work::WorkResult;
use praxis_core::effect::{Effect, WorkKind};
use praxis_core::execute::twin;
use praxis_core::ids::{QuestionId, TaskId};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::experience::Experience;
use praxis_core::journal::question::Question;
use praxis_core::journal::submission::Submission;
use praxis_core::learn::memory::{self, RecallQuery};
use praxis_core::plan::draft;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::state::{Phase, TaskStatus};
use praxis_core::time::Timestamp;
use serde_json::Value;
use std::sync::Arc;

/// The entries of one append, and the questions that they open and close.
#[derive(Default)]
struct AppendBatch {
    now: Timestamp,
    entries: Vec<Entry>,
    asked: Vec<Question>,
    closed: Vec<QuestionId>,
}

impl TaskDriver {
    /// Runs until the task ends, or until only a person's answer, or its expiry, can move it.
    pub(crate) async fn run(&mut self) -> Result<(), DriverStopped> {
        loop {
            match self.state.status() {
                status if status.is_final() && self.state.asks_under_way() == 0 => return Ok(()),
                TaskStatus::Waiting if self.due().is_empty() => {
                    self.keeping.settle().await;
                    if self.seat.leave(&mut self.inbox) {
                        return Ok(());
                    }
                }
                _ => {}
            }
            let wake_at = self.state.wake_at().unwrap_or(Timestamp(u64::MAX));
            let first = tokio::select! {
                arrival = self.inbox.recv() => arrival,
                () = self.engine.clock.sleep_until(wake_at), if wake_at != Timestamp(u64::MAX) => None,
            };
            self.advance_with(self.due(), first).await?;
            if !self.inbox.is_empty() {
                // Let calls that have just started run first: the next append may occupy this thread.
                tokio::task::yield_now().await;
            }
        }
    }

    /// Advances by events and by arrivals, and replies to the commands among them.
    pub(crate) async fn advance_with(
        &mut self,
        events: Vec<Event>,
        first: Option<Arrival>,
    ) -> Result<(), DriverStopped> {
        let mut replies = Vec::new();
        let advanced = self.advance_all(events, first, &mut replies).await;
        for reply in replies {
            // The sender of the command may have gone.
            let _ = reply.send(advanced.clone().map_err(CommandRefusal::Stopped));
        }
        advanced
    }

    /// Folds the events, the first arrival and those that wait behind it into one append. A command ends the batch.
    async fn advance_all(
        &mut self,
        events: Vec<Event>,
        first: Option<Arrival>,
        replies: &mut Vec<CommandReply>,
    ) -> Result<(), DriverStopped> {
        let mut batch = AppendBatch { now: self.now(), ..AppendBatch::default() };
        for event in events {
            self.fold(event, &mut batch)?;
        }
        let mut next = first;
        while let Some(arrival) = next {
            match arrival {
                Arrival::Heard { ask, elements } => self.hear(ask, elements, &mut batch)?,
                other => {
                    for event in self.take(other, replies).await? {
                        self.fold(event, &mut batch)?;
                    }
                }
            }
            next = if replies.is_empty() { self.inbox.try_recv().ok() } else { None };
        }
        self.complete(batch).await
    }

    /// Adds the complete steps of a plan that is still being streamed, as many as are valid.
    fn hear(
        &mut self,
        ask: u32,
        elements: Vec<Value>,
        batch: &mut AppendBatch,
    ) -> Result<(), DriverStopped> {
        let goal_state = self.state.goal.as_deref();
        let is_open =
            goal_state.is_some_and(|goal_state| goal_state.asks.under_way.contains_key(&ask));
        let Some(library) = self.library.clone().filter(|_| is_open) else { return Ok(()) };
        if self.heard.0 != ask {
            self.heard = (ask, vec![]);
        }
        self.heard.1.extend(elements);
        while let Some(event) = draft::enter(&self.state, &self.heard.1, &library) {
            self.fold(event, batch)?;
        }
        Ok(())
    }

    /// Folds events, lets core decide what follows, makes all of it durable, then acts.
    pub(crate) async fn advance(&mut self, events: Vec<Event>) -> Result<(), DriverStopped> {
        let mut batch = AppendBatch { now: self.now(), ..AppendBatch::default() };
        for event in events {
            self.fold(event, &mut batch)?;
        }
        self.complete(batch).await
    }

    async fn complete(&mut self, mut batch: AppendBatch) -> Result<(), DriverStopped> {
        self.read_library().await?;
        let mut wanted;
        loop {
            let before = batch.entries.len();
            wanted = self.start_all(&mut batch).await?;
            if batch.entries.len() == before {
                break;
            }
        }
        if !batch.entries.is_empty() {
            self.append_and_act(batch).await?;
        }
        self.begin_work(wanted);
        Ok(())
    }

    /// Folds the start events of every decided effect. Returns the work to be run in the background.
    async fn start_all(
        &mut self,
        batch: &mut AppendBatch,
    ) -> Result<Option<WorkKind>, DriverStopped> {
        let mut wanted = None;
        for effect in decide(&self.state) {
            match effect {
                Effect::Recall => self.recall(batch).await?,
                Effect::Work(job) if self.opening.is_some() => {
                    self.work_at_once(job, batch).await?;
                    // The state has changed: decide again.
                    return Ok(None);
                }
                Effect::Work(job) => wanted = Some(job),
                _ => {
                    let blobs = self.load(needs(&self.state, &effect)).await?;
                    for event in begin(&self.state, &effect, &self.inputs(&blobs)) {
                        let event = self.spill(event).await?;
                        self.fold(event, batch)?;
                    }
                }
            }
        }
        Ok(wanted)
    }

    /// Runs the work of a task that is not accepted yet: its events are part of the first append. A goal that cannot
    /// be planned is refused and creates no task.
    async fn work_at_once(
        &mut self,
        job: WorkKind,
        batch: &mut AppendBatch,
    ) -> Result<(), DriverStopped> {
        let WorkResult { events, no_plan } = self.work(job).await?;
        if let Some(problems) = no_plan {
            return Err(DriverStopped::NoPlan(problems));
        }
        for event in events {
            let event = self.spill(event).await?;
            self.fold(event, batch)?;
        }
        Ok(())
    }

    async fn append_and_act(&mut self, batch: AppendBatch) -> Result<(), DriverStopped> {
        let entries = self.append(batch).await?;
        trace::appended(&self.task, &self.state, &entries);
        self.act(&entries);
        self.keeping.appended(&self.engine, (&self.task, &self.state), entries.last()).await;
        self.engine.publish(&self.task, entries);
        Ok(())
    }

    /// Recalls experiences of earlier tasks. If they cannot be read, the task continues without them.
    async fn recall(&mut self, batch: &mut AppendBatch) -> Result<(), DriverStopped> {
        let wanted = next::is_to_recall(&self.state);
        let Some(submission) = self.state.submission.clone().filter(|_| wanted) else {
            return Ok(());
        };
        let experiences = Arc::clone(&self.engine.experiences);
        let asked = Arc::clone(&submission);
        let look = move || {
            let (tenant, goal, named) = (&asked.tenant, &*asked.goal, named(&asked));
            experiences.recall(&RecallRequest { tenant, goal, most: memory::MOST, named })
        };
        let found = tokio::task::spawn_blocking(look).await;
        let found = found.unwrap_or_else(|error| Err(error.to_string()));
        let found = found.unwrap_or_else(|why| {
            let words = format!("what earlier tasks taught could not be read: {why}");
            self.engine.warn(&self.task, &words);
            vec![]
        });
        let (goal, named) = (&*submission.goal, named(&submission));
        let planner = &*Arc::clone(&self.engine.planner);
        let who = RecallQuery { goal, now: batch.now, named, planner };
        self.fold(Event::Recalled { memories: memory::recalled(found, &who) }, batch)
    }

    fn fold(&mut self, event: Event, batch: &mut AppendBatch) -> Result<(), DriverStopped> {
        let entry = Entry { seq: self.state.seq + 1, at: batch.now, event };
        let open: Vec<QuestionId> = match &entry.event {
            Event::QuestionAsked { question } => {
                batch.asked.push(question.clone());
                vec![]
            }
            Event::QuestionAnswered { .. }
            | Event::TaskFinished { .. }
            | Event::PlanRevised(_)
            | Event::PlanClosed { .. } => self.state.questions.keys().cloned().collect(),
            _ => vec![],
        };
        self.state.apply(&entry)?;
        let closed = open.into_iter().filter(|id| !self.state.questions.contains_key(id));
        batch.closed.extend(closed);
        batch.entries.push(entry);
        Ok(())
    }

    async fn append(&mut self, batch: AppendBatch) -> Result<Vec<Entry>, DriverStopped> {
        let unwritable = |error: serde_json::Error| DriverStopped::Unwritable(error.to_string());
        let write = |entry: &Entry| {
            let body = serde_json::to_string(&entry.event).map_err(unwritable)?;
            Ok::<_, DriverStopped>(WrittenEntry { seq: entry.seq, at: entry.at, body })
        };
        let entries = batch.entries.iter().map(write).collect::<Result<Vec<_>, _>>()?;
        let append = JournalAppend {
            task: self.task.clone(),
            after: self.state.seq - entries.len() as u64,
            entries,
            row: row(&self.state),
            opening: self.opening.take(),
            asked: batch.asked,
            closed: batch.closed,
            blobs: batch.entries.iter().flat_map(|entry| entry.event.blobs()).collect(),
        };
        if let Some(unstored) = self.unstored.take() {
            unstored.store().await?;
        }
        let append = Arc::new(append);
        self.append_with_room(&append).await?;
        self.engine.blobs.settled(&append.blobs);
        Ok(batch.entries)
    }

    /// Appends, and waits while the disk is full: nothing was written, so the same append can be retried.
    async fn append_with_room(&self, append: &Arc<JournalAppend>) -> Result<(), AppendError> {
        loop {
            match self.engine.journal.append(Arc::clone(append)).await {
                Err(AppendError::Full) if append.opening.is_none() => {
                    self.engine.wait_for_room(&self.task).await;
                }
                result => return result,
            }
        }
    }

    /// Starts the calls that the appended events announce.
    fn act(&self, entries: &[Entry]) {
        for entry in entries {
            match &entry.event {
                Event::StepStarted { step, attempt, .. } => {
                    let index = self.state.context.index_of(step.as_str());
                    let running = index.filter(|index| self.runs(*index, *attempt));
                    if let Some(index) = running {
                        self.call(index);
                    }
                }
                Event::CheckStarted { step } => {
                    if let Some(index) = self.state.context.index_of(step.as_str()) {
                        perform::make_check(self, index);
                    }
                }
                Event::AskStarted { ask, purpose, request, .. } => {
                    goal::ask(self, *ask, purpose, request);
                }
                Event::TaskLearnt(experience) => self.teach(entry, experience),
                _ => {}
            }
        }
        if matches!(self.state.phase, Phase::Stopping(_)) {
            self.stop.send_modify(|stop| stop.all = true);
        }
        // Calls of dropped steps are stopped if they only read; others run to their end.
        let unwanted = twin::unwanted(&self.state);
        if !unwanted.is_empty() {
            self.stop.send_modify(|stop| stop.steps.extend(unwanted));
        }
    }

    /// Hands the experience of the task to the `Experiences` seam.
    fn teach(&self, entry: &Entry, experience: &Experience) {
        let Some(submission) = &self.state.submission else { return };
        let (tenant, task) = (&submission.tenant, &self.task);
        let taught = TaughtExperience { tenant, task, seq: entry.seq, at: entry.at, experience };
        if let Err(why) = self.engine.experiences.keep(&taught) {
            // The journal has it; only readers of the experience file miss it.
            self.engine.warn(task, &format!("what the task taught could not be told: {why}"));
        }
    }

    /// Starts the call of a step: a model call if its tool asks a model, else a tool call.
    fn call(&self, index: StepIndex) {
        let asks = |step: &Step| own(step.tool()).is_some_and(OwnCall::asks_a_model);
        let known = |step: &&Step| self.tools.get(step.tool()).is_some();
        if self.state.step_at(index).filter(known).is_some_and(asks) {
            step::ask(self, index);
        } else {
            perform::make_call(self, index);
        }
    }

    fn runs(&self, index: StepIndex, attempt: u32) -> bool {
        // A step with steps inside it makes no call of its own.
        let running = |s: &Step| {
            s.status == StepStatus::Running && s.attempt == attempt && s.plan.body().is_none()
        };
        self.state.step_at(index).is_some_and(running)
    }
}

/// Returns the task whose plan the caller wants to reuse.
fn named(submission: &Submission) -> Option<&TaskId> {
    let hit = submission.brief.as_ref()?.hit.as_ref()?;
    hit.task.as_ref().filter(|_| hit.enabled)
}
