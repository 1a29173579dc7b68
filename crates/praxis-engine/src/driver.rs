//! Drives one task: takes what arrives, folds it, decides, appends, and only then acts.
//!
//! - in: arrivals: outcomes of calls, commands of people, due timers
//! - out: one append for each arrival, then the calls that it started
//! - never: lets an effect begin, or a client see an event, before it is on disk

use crate::arrival::{Arrival, Command, Refusal, Reply, Unsuccessful};
use crate::engine::Inner;
use crate::large::{self, Room};
use crate::perform;
use crate::roster::Seat;
use crate::seams::{Append, AppendError, BlobError, Opening, TaskRow, Written};
use crate::snapshots::Keeping;
use crate::tools::Pinned;
use crate::trace;
use praxis_core::dataflow::context::StepIndex;
use praxis_core::dataflow::resolve::{Blobs, is_large};
use praxis_core::decide::decide;
use praxis_core::execute::start::{Inputs, begin, needs};
use praxis_core::execute::step::Status;
use praxis_core::ids::{BlobId, QuestionId, TaskId};
use praxis_core::journal::event::{Entry, Event, Outcome, Verdict};
use praxis_core::payload::Payload;
use praxis_core::recover::question::Question;
use praxis_core::recover::retry::{Tried, after_fault};
use praxis_core::state::{Phase, State, TaskStatus};
use praxis_core::time::At;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// Why a driver stopped before its task ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The append was refused.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A blob could not be stored or read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The engine contradicted itself; the task is as it was on disk.
    #[error("{0}")]
    Illegal(#[from] praxis_core::Illegal),
    /// An event could not be written as JSON.
    #[error("an event cannot be written: {0}")]
    Unwritable(String),
}

impl Stopped {
    /// Whether no task can be driven any more.
    pub(crate) fn is_of_the_journal(&self) -> bool {
        matches!(self, Self::Append(AppendError::Broken(_)))
    }
}

/// One task in memory.
pub(crate) struct Driver {
    pub(crate) engine: Arc<Inner>,
    pub(crate) task: TaskId,
    pub(crate) state: State,
    pub(crate) tools: Pinned,
    pub(crate) inbox: mpsc::Receiver<Arrival>,
    /// For the calls to send their outcomes.
    pub(crate) outbox: mpsc::Sender<Arrival>,
    /// True when the running calls are to stop.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) opening: Option<Opening>,
    pub(crate) keeping: Keeping,
    /// Nobody else drives the task while this lives.
    pub(crate) seat: Seat,
}

/// What one arrival adds.
#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    asked: Vec<Question>,
    closed: Vec<QuestionId>,
}

impl Driver {
    /// Runs until the task ends or nothing but a person or a time can move it.
    pub(crate) async fn run(&mut self) -> Result<(), Stopped> {
        loop {
            match self.state.status() {
                status if status.is_final() => return Ok(()),
                TaskStatus::Waiting => {
                    self.keeping.settle().await;
                    if self.seat.leave(&mut self.inbox) {
                        return Ok(());
                    }
                }
                _ => {}
            }
            let wake_at = self.state.wake_at().unwrap_or(At(u64::MAX));
            let first = tokio::select! {
                arrival = self.inbox.recv() => arrival,
                () = self.engine.clock.sleep_until(wake_at), if wake_at != At(u64::MAX) => None,
            };
            self.advance_with(self.due(), first).await?;
            if !self.inbox.is_empty() {
                // Calls that have just begun go first: the next append may keep this thread busy.
                tokio::task::yield_now().await;
            }
        }
    }

    /// Advances by events and by what has arrived, and tells those who asked for something.
    pub(crate) async fn advance_with(
        &mut self,
        mut events: Vec<Event>,
        first: Option<Arrival>,
    ) -> Result<(), Stopped> {
        let mut replies = Vec::new();
        if let Some(arrival) = first {
            self.take(arrival, &mut events, &mut replies);
        }
        self.take_waiting(&mut events, &mut replies);
        let advanced = self.advance(events).await;
        for reply in replies {
            // Whoever asked may have left.
            let _ = reply.send(advanced.clone().map_err(Refusal::Stopped));
        }
        advanced
    }

    /// More arrivals share the append, as long as they concern different steps.
    fn take_waiting(&mut self, events: &mut Vec<Event>, replies: &mut Vec<Reply>) {
        while replies.is_empty()
            && let Ok(arrival) = self.inbox.try_recv()
        {
            self.take(arrival, events, replies);
        }
    }

    /// Timers whose time has come.
    fn due(&self) -> Vec<Event> {
        let now = self.now();
        let due = self.state.agenda.timers.iter().take_while(|(at, _)| *at <= now);
        let ids = due.filter_map(|(_, index)| self.state.step_at(*index));
        let mut events: Vec<Event> =
            ids.map(|step| Event::RetryDue { step: step.plan.id.clone() }).collect();
        if self.state.deadline().is_some_and(|deadline| deadline <= now) {
            // Time counts since the last event too.
            let after_ms = self.state.active_ms.saturating_add(now.since(self.state.at));
            events.push(Event::TimeUsedUp { after_ms });
        }
        events
    }

    /// Turns an arrival into events; one that means nothing any more gives none.
    fn take(&mut self, arrival: Arrival, events: &mut Vec<Event>, replies: &mut Vec<Reply>) {
        match arrival {
            Arrival::Returned { step, attempt, result } => {
                events.extend(self.returned(step, attempt, result));
            }
            Arrival::Checked { step, verdict } => {
                let step = self.state.step_at(step).map(|step| step.plan.id.clone());
                events.extend(step.map(|step| Event::CheckFinished { step, verdict }));
            }
            Arrival::Command(command, reply) => match self.command(command) {
                Ok(event) => {
                    events.push(event);
                    replies.push(reply);
                }
                Err(refusal) => {
                    let _ = reply.send(Err(refusal));
                }
            },
        }
    }

    fn returned(
        &self,
        index: StepIndex,
        attempt: u32,
        result: Result<Payload, Unsuccessful>,
    ) -> Option<Event> {
        let step = self.state.step_at(index)?;
        if step.status != Status::Running || step.attempt != attempt {
            return None;
        }
        let id = step.plan.id.clone();
        let (outcome, retry_at) = match (result, self.state.contract(step.tool())) {
            (Ok(output), _) => (Outcome::Succeeded(output), None),
            (Err(Unsuccessful { fault, output }), Some(contract)) => {
                let effect = self.state.effect_id(step);
                let options = self.state.submission.as_ref().map(|submission| &submission.options);
                let most = options.and_then(|options| options.max_step_retries);
                let tried = Tried { retries: step.retries, most, effect: &effect, now: self.now() };
                let (outcome, retry_at) = after_fault(fault, contract, tried);
                (outcome.having_said(output), retry_at)
            }
            (Err(Unsuccessful { fault, output }), None) => {
                (Outcome::Failed { fault, output }, None)
            }
        };
        // Nothing is tried again in a task that is stopping.
        let retry_at = retry_at.filter(|_| self.state.phase == Phase::Executing);
        Some(Event::StepFinished { step: id, attempt, outcome, retry_at })
    }

    fn command(&self, command: Command) -> Result<Event, Refusal> {
        match command {
            Command::Cancel { reason, by } => match self.state.phase {
                Phase::Finished(_) => Err(Refusal::TaskEnded(self.state.status())),
                Phase::Stopping(_) => Err(Refusal::Stopping),
                Phase::Empty | Phase::Planning | Phase::Executing => {
                    Ok(Event::CancelRequested { reason, by })
                }
            },
            Command::Answer { question, answer, by } => {
                let open = self.state.questions.get(&question);
                let asked = open.ok_or_else(|| Refusal::NotOpen(question.clone()))?;
                asked.check(&answer).map_err(Refusal::BadAnswer)?;
                Ok(Event::QuestionAnswered { question, answer, by })
            }
        }
    }

    fn now(&self) -> At {
        self.engine.clock.now().max(self.state.at)
    }

    /// Folds events, lets core decide what follows, makes all of it durable, then acts.
    pub(crate) async fn advance(&mut self, events: Vec<Event>) -> Result<(), Stopped> {
        let now = self.now();
        let mut batch = Batch::default();
        for event in events {
            self.fold(event, now, &mut batch)?;
        }
        loop {
            let effects = decide(&self.state);
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                let blobs = self.load(needs(&self.state, effect)).await?;
                let inputs = Inputs { blobs: &blobs, tools: &self.tools };
                for event in begin(&self.state, effect, &inputs) {
                    let event = self.spill(event).await?;
                    self.fold(event, now, &mut batch)?;
                }
            }
        }
        if batch.entries.is_empty() {
            return Ok(());
        }
        let entries = self.append(batch).await?;
        trace::appended(&self.task, &self.state, &entries);
        self.act(&entries);
        self.keeping.appended(&self.engine, (&self.task, &self.state), entries.last()).await;
        self.engine.publish(&self.task, entries);
        Ok(())
    }

    fn fold(&mut self, event: Event, at: At, batch: &mut Batch) -> Result<(), Stopped> {
        let entry = Entry { seq: self.state.seq + 1, at, event };
        match &entry.event {
            Event::QuestionAsked { question } => batch.asked.push(question.clone()),
            Event::QuestionAnswered { question, .. } => batch.closed.push(question.clone()),
            Event::TaskFinished { .. } => batch.closed.extend(self.state.questions.keys().cloned()),
            _ => {}
        }
        self.state.apply(&entry)?;
        batch.entries.push(entry);
        Ok(())
    }

    async fn load(&self, ids: Vec<BlobId>) -> Result<Blobs, Stopped> {
        let mut blobs = Blobs::new();
        for id in ids {
            let value = large::read(&*self.engine.blobs, &id).await?;
            blobs.insert(id, Arc::new(value));
        }
        Ok(blobs)
    }

    /// Moves a large value to a blob before it is journaled.
    async fn spill(&self, mut event: Event) -> Result<Event, Stopped> {
        if let Some(bulk) = event.bulk()
            && let Payload::Json(value) = bulk
            && is_large(value)
        {
            // A task that is not taken in yet is refused rather than kept waiting.
            let room = self.opening.as_ref().map_or(Room::Awaited(&self.task), |_| Room::Needed);
            let value = std::mem::take(value);
            *bulk = large::keep(&self.engine, value, room).await?;
        }
        Ok(event)
    }

    async fn append(&mut self, batch: Batch) -> Result<Vec<Entry>, Stopped> {
        let unwritable = |error: serde_json::Error| Stopped::Unwritable(error.to_string());
        let write = |entry: &Entry| {
            let body = serde_json::to_string(&entry.event).map_err(unwritable)?;
            Ok::<_, Stopped>(Written { seq: entry.seq, at: entry.at, body })
        };
        let entries = batch.entries.iter().map(write).collect::<Result<Vec<_>, _>>()?;
        let append = Append {
            task: self.task.clone(),
            after: self.state.seq - entries.len() as u64,
            entries,
            row: row(&self.state),
            opening: self.opening.take(),
            asked: batch.asked,
            closed: batch.closed,
            blobs: batch.entries.iter().flat_map(|entry| entry.event.blobs()).collect(),
        };
        let append = Arc::new(append);
        self.append_with_room(&append).await?;
        self.engine.blobs.settled(&append.blobs);
        Ok(batch.entries)
    }

    /// A full disk is waited out: nothing was written, so the same append is tried again.
    async fn append_with_room(&self, append: &Arc<Append>) -> Result<(), AppendError> {
        loop {
            match self.engine.journal.append(Arc::clone(append)).await {
                Err(AppendError::Full) if append.opening.is_none() => {
                    self.engine.wait_for_room(&self.task).await;
                }
                result => return result,
            }
        }
    }

    /// Begins what the appended events say.
    fn act(&self, entries: &[Entry]) {
        for entry in entries {
            match &entry.event {
                Event::StepStarted { step, attempt, .. } => {
                    let index = self.state.context.index_of(step.as_str());
                    let running = index.filter(|index| self.runs(*index, *attempt));
                    if let Some(index) = running {
                        perform::make_call(self, index);
                    }
                }
                Event::CheckStarted { step } => {
                    if let Some(index) = self.state.context.index_of(step.as_str()) {
                        perform::make_check(self, index);
                    }
                }
                _ => {}
            }
        }
        if matches!(self.state.phase, Phase::Stopping(_)) {
            self.stop.send_replace(true);
        }
    }

    fn runs(&self, index: StepIndex, attempt: u32) -> bool {
        let running = |s: &praxis_core::execute::step::Step| {
            s.status == Status::Running && s.attempt == attempt
        };
        self.state.step_at(index).is_some_and(running)
    }

    /// What is noted of a task that was read in: who drives it now, and that calls which ran when the
    /// last engine stopped will not come back. A waiting task had none.
    pub(crate) fn taken_up(&self) -> Vec<Event> {
        if self.state.status() == TaskStatus::Waiting {
            return vec![];
        }
        let woken = Event::Woken { by: self.engine.name.clone() };
        let step = |index: StepIndex| self.state.step_at(index);
        let lost = |index: StepIndex| {
            let step = step(index)?;
            let (id, attempt) = (step.plan.id.clone(), step.attempt);
            Some(Event::StepFinished { step: id, attempt, outcome: Outcome::Lost, retry_at: None })
        };
        let calls = self.state.calls_in_flight().filter_map(lost);
        [woken].into_iter().chain(calls).chain(self.lost_checks()).collect()
    }

    /// Checks that were under way when the last engine stopped.
    fn lost_checks(&self) -> impl Iterator<Item = Event> + '_ {
        let open = self.state.steps.iter().enumerate().filter(|(index, step)| {
            let asked =
                self.state.questions.values().any(|q| q.step.as_ref() == Some(&step.plan.id));
            let index = StepIndex(u32::try_from(*index).unwrap_or(u32::MAX));
            step.status == Status::InDoubt && !asked && !self.state.agenda.doubts.contains(&index)
        });
        open.map(|(_, step)| Event::CheckFinished {
            step: step.plan.id.clone(),
            verdict: Verdict::Lost,
        })
    }
}

/// What lists and start-up know of a task.
pub(crate) fn row(state: &State) -> TaskRow {
    let (done, total) = state.progress();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let status = state.status();
    TaskRow {
        status,
        waits_for: state.waits_for().filter(|_| status == TaskStatus::Waiting).map(str::to_owned),
        wake_at: state.agenda.next_timer(),
        open_questions: count(state.questions.len()),
        epoch: state.epoch,
        done: count(done),
        total: count(total),
    }
}
