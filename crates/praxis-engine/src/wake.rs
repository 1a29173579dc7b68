//! Bringing tasks into memory: after a crash, for a command, for another try.

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

/// Arrivals that may wait at one task. Calls in flight are fewer; commands beyond it wait their turn.
const INBOX: usize = 256;
/// Tasks that are read at the same time after a start, so that their first appends share a commit.
const LOADED_AT_ONCE: usize = 64;

impl Engine {
    /// Takes the seat of a task; none if it is driven.
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

    /// Reads a task whose seat is taken: nobody writes to it meanwhile.
    pub(crate) async fn read_in(&self, driver: &mut TaskDriver) -> Result<(), CommandError> {
        (driver.state, driver.keeping.last) = self.restored(&driver.task).await?;
        let contracts = driver.state.contracts.values().map(AsRef::as_ref);
        driver.tools = self.inner.tools.unpin(contracts).await?;
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

    /// A task that waits for a person is put away; its question may expire all the same.
    async fn bring_back(&self, task: &TaskId, at: Timestamp) {
        self.inner.clock.sleep_until(at).await;
        if let Err(error) = self.load(task).await {
            self.inner.warn(task, &error.to_string());
        }
    }

    /// Takes up every task that the last engine left unfinished; says which could run.
    pub async fn recover(&self) -> Result<Vec<TaskId>, CommandError> {
        let tasks = self.inner.journal.runnable().await?;
        let load = |task: TaskId| async move {
            match self.load(&task).await {
                Ok(taken_up) => taken_up.then_some(task),
                // One task that cannot be read must not keep the others from running.
                Err(error) => {
                    self.inner.warn(&task, &error.to_string());
                    None
                }
            }
        };
        let loaded = stream::iter(tasks).map(load).buffered(LOADED_AT_ONCE);
        Ok(loaded.filter_map(future::ready).collect().await)
    }

    /// Brings a task into memory and drives it on; false if somebody does, or it has ended.
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

    /// Appends what comes first, then drives the task.
    pub(crate) async fn drive(
        &self,
        mut driver: TaskDriver,
        first: Vec<Event>,
    ) -> Result<(), CommandError> {
        driver.advance(first).await.map_err(CommandRefusal::Stopped)?;
        self.spawn(driver);
        Ok(())
    }

    /// Sends a command to a task, in memory or not.
    pub async fn command(&self, task: &TaskId, command: TaskCommand) -> Result<(), CommandError> {
        loop {
            let (reply, answer) = oneshot::channel();
            let arrival = Arrival::Command(command.clone(), reply);
            match self.inner.roster.inbox(task) {
                // A send that fails drops the reply, which is seen below.
                Some(inbox) => drop(inbox.send(arrival).await),
                None => self.wake(task, arrival).await?,
            }
            if let Ok(answer) = answer.await {
                return answer.map_err(CommandError::Refused);
            }
            // The task was put away, or woken by another, while the command was on its way.
            tokio::task::yield_now().await;
        }
    }

    /// A task as its journal has it.
    pub(crate) async fn state_of(&self, task: &TaskId) -> Result<State, CommandError> {
        Ok(self.restored(task).await?.0)
    }

    /// The same, and the event that the snapshot it began with ends with; zero if there was none.
    async fn restored(&self, task: &TaskId) -> Result<(State, u64), CommandError> {
        match snapshots::restored(&self.inner, task).await {
            Some(restored) => Ok(restored),
            None => Ok((State::replay(&self.inner.journal.read(task, 0).await?)?, 0)),
        }
    }

    /// The entries of a task.
    pub(crate) async fn entries_of(&self, task: &TaskId) -> Result<Vec<Entry>, CommandError> {
        Ok(self.inner.journal.read(task, 0).await?)
    }

    /// Brings a task into memory for a command. That counts before anything begins: a task that is cancelled
    /// makes no call that the last engine lost.
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

    /// Calls to models that were under way when the last engine stopped, and the plan that one of them wrote.
    fn lost_asks(&self) -> impl Iterator<Item = Event> + '_ {
        let goal_state = self.state.goal.as_deref();
        let asks = goal_state.into_iter().flat_map(|goal_state| goal_state.asks.under_way.keys());
        asks.flat_map(|ask| {
            let lost = Event::AskFinished { ask: *ask, outcome: AskOutcome::Lost };
            [lost].into_iter().chain(self.plan_cut(*ask))
        })
    }

    /// Checks that were under way when the last engine stopped.
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
