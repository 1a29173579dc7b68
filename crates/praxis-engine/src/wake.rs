//! Loads tasks into memory: after a crash, for a command, for a retry.

use crate::arrival::CommandError;
use crate::arrival::{Arrival, CommandRefusal, TaskCommand};
use crate::driver::TaskDriver;
use crate::engine::Engine;
use crate::snapshots::{self, SnapshotKeeping};
use crate::tools::PinnedTools;
use futures::{StreamExt, future, stream};
use praxis_core::dataflow::context::StepIndex;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::{AskOutcome, CallOutcome, CheckVerdict};
use praxis_core::state::step::StepStatus;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::Timestamp;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// Capacity of a task's inbox. Calls in flight are fewer; further commands wait.
const INBOX: usize = 256;
/// Tasks that are loaded concurrently after a start, so that their first appends share a commit.
const LOADED_AT_ONCE: usize = 64;

impl Engine {
    /// Takes the seat of a task; `None` if it is being driven.
    pub(crate) fn seated(&self, task: &TaskId) -> Option<TaskDriver> {
        let (outbox, inbox) = mpsc::channel(INBOX);
        let seat = self.inner.roster.seat(task, &outbox)?;
        Some(TaskDriver {
            engine: Arc::clone(&self.inner),
            task: task.clone(),
            state: State::default(),
            tools: PinnedTools::default(),
            inbox,
            outbox,
            library: None,
            heard: (0, vec![]),
            stop: watch::Sender::default(),
            opening: None,
            unstored: None,
            working: None,
            keeping: SnapshotKeeping::default(),
            seat,
        })
    }

    /// Loads a task whose seat is taken: nobody else writes to it.
    pub(crate) async fn read_in(&self, driver: &mut TaskDriver) -> Result<(), CommandError> {
        (driver.state, driver.keeping.last) = self.restored(&driver.task).await?;
        let contracts = driver.state.contracts.values().map(AsRef::as_ref);
        driver.tools = self.inner.tools.load_pinned(contracts).await?;
        driver.read_library().await.map_err(CommandRefusal::Stopped)?;
        driver.index().await.map_err(CommandRefusal::Stopped)?;
        Ok(())
    }

    pub(crate) fn spawn(&self, mut driver: TaskDriver) {
        let engine = Arc::clone(&self.inner);
        tokio::spawn(async move {
            let task = driver.task.clone();
            if let Err(stopped) = driver.run().await {
                driver.keeping.settle().await;
                engine.warn(&task, &stopped.to_string());
                engine.roster.give_up(&task, stopped);
                return;
            }
            let alarm = driver.state.alarm().filter(|_| !driver.state.status().is_final());
            drop(driver);
            if let Some(at) = alarm {
                Engine { inner: engine }.bring_back(&task, at).await;
            }
        });
    }

    /// Loads a task again at `State::alarm`: it left memory while waiting for a person, but its question may expire.
    async fn bring_back(&self, task: &TaskId, at: Timestamp) {
        self.inner.clock.sleep_until(at).await;
        if let Err(error) = self.load(task).await {
            self.inner.warn(task, &error.to_string());
        }
    }

    /// Resumes all tasks that the last engine left unfinished; returns those that can run.
    pub async fn recover(&self) -> Result<Vec<TaskId>, CommandError> {
        let tasks = self.inner.journal.runnable().await?;
        let load = |task: TaskId| async move {
            match self.load(&task).await {
                Ok(taken_up) => taken_up.then_some(task),
                // A task that cannot be read must not keep the others from running.
                Err(error) => {
                    self.inner.warn(&task, &error.to_string());
                    None
                }
            }
        };
        let loaded = stream::iter(tasks).map(load).buffered(LOADED_AT_ONCE);
        Ok(loaded.filter_map(future::ready).collect().await)
    }

    /// Loads a task and drives it. Returns false if it is driven already, has ended, or waits for a person.
    pub(crate) async fn load(&self, task: &TaskId) -> Result<bool, CommandError> {
        let Some(mut driver) = self.seated(task) else { return Ok(false) };
        self.read_in(&mut driver).await?;
        if driver.state.status().is_final() {
            return Ok(false);
        }
        let waits = driver.state.status() == TaskStatus::Waiting;
        let events = driver.taken_up();
        self.drive(driver, events).await.map(|()| !waits)
    }

    /// Appends the first events, then drives the task.
    pub(crate) async fn drive(
        &self,
        mut driver: TaskDriver,
        first: Vec<Event>,
    ) -> Result<(), CommandError> {
        driver.advance(first).await.map_err(CommandRefusal::Stopped)?;
        self.spawn(driver);
        Ok(())
    }

    /// Sends a command to a task, which need not be in memory.
    pub async fn command(&self, task: &TaskId, command: TaskCommand) -> Result<(), CommandError> {
        loop {
            let (reply, answer) = oneshot::channel();
            let arrival = Arrival::Command(command.clone(), reply);
            match self.inner.roster.inbox(task) {
                // A failed send drops the reply channel, which is seen below.
                Some(inbox) => drop(inbox.send(arrival).await),
                None => self.wake(task, arrival).await?,
            }
            if let Ok(answer) = answer.await {
                return answer.map_err(CommandError::Refused);
            }
            // The task left memory, or was loaded by somebody else, while the command was on its way.
            tokio::task::yield_now().await;
        }
    }

    /// Returns the state of a task.
    pub(crate) async fn state_of(&self, task: &TaskId) -> Result<State, CommandError> {
        Ok(self.restored(task).await?.0)
    }

    /// Returns the state of a task, and the sequence number of the snapshot that it was restored from; zero without
    /// one.
    async fn restored(&self, task: &TaskId) -> Result<(State, u64), CommandError> {
        match snapshots::restored(&self.inner, task).await {
            Some(restored) => Ok(restored),
            None => Ok((State::replay(&self.inner.journal.read(task, 0).await?)?, 0)),
        }
    }

    /// Returns all entries of a task.
    pub(crate) async fn entries_of(&self, task: &TaskId) -> Result<Vec<Entry>, CommandError> {
        Ok(self.inner.journal.read(task, 0).await?)
    }

    /// Loads a task for a command. The command is applied before any call starts: a cancelled task does not repeat
    /// calls that the last engine lost.
    async fn wake(&self, task: &TaskId, first: Arrival) -> Result<(), CommandError> {
        let Some(mut driver) = self.seated(task) else { return Ok(()) };
        self.read_in(&mut driver).await?;
        let status = driver.state.status();
        if status.is_final() {
            return Err(CommandRefusal::TaskEnded(status).into());
        }
        let events = driver.taken_up();
        driver.advance_with(events, Some(first)).await.map_err(CommandRefusal::Stopped)?;
        self.spawn(driver);
        Ok(())
    }
}

impl TaskDriver {
    /// Returns the events of a task that was loaded: the name of this engine, and the calls that were lost with the
    /// last engine. A waiting task had none in flight.
    pub(crate) fn taken_up(&self) -> Vec<Event> {
        if self.state.status() == TaskStatus::Waiting {
            return vec![];
        }
        let woken = Event::Woken { by: self.engine.name.clone() };
        let step = |index: StepIndex| self.state.step_at(index);
        let lost = |index: StepIndex| {
            let step = step(index)?;
            let (id, attempt) = (step.plan.id.clone(), step.attempt);
            Some(Event::StepFinished {
                step: id,
                attempt,
                outcome: CallOutcome::Lost,
                retry_at: None,
                usage: None,
            })
        };
        let calls = self.state.calls_in_flight().filter_map(lost);
        let events = [woken].into_iter().chain(calls).chain(self.lost_checks());
        events.chain(self.lost_asks()).collect()
    }

    /// Returns the events of lost model calls, and of the plan that one of them was streaming.
    fn lost_asks(&self) -> impl Iterator<Item = Event> + '_ {
        let goal_state = self.state.goal.as_deref();
        let asks = goal_state.into_iter().flat_map(|goal_state| goal_state.asks.under_way.keys());
        asks.flat_map(|ask| {
            let lost = Event::AskFinished { ask: *ask, outcome: AskOutcome::Lost };
            [lost].into_iter().chain(self.plan_cut(*ask))
        })
    }

    /// Returns the events of lost `check_with` calls.
    fn lost_checks(&self) -> impl Iterator<Item = Event> + '_ {
        let open = self.state.steps.everywhere().filter(|(index, step)| {
            let asked =
                self.state.questions.values().any(|q| q.step.as_ref() == Some(&step.plan.id));
            step.status == StepStatus::InDoubt
                && !asked
                && !self.state.agenda.doubts.contains(index)
        });
        open.map(|(_, step)| Event::CheckFinished {
            step: step.plan.id.clone(),
            verdict: CheckVerdict::Lost,
        })
    }
}
