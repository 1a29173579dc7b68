//! The tasks in memory: their inboxes, and the engine's idle state.

use crate::arrival::Arrival;
use crate::stopped::DriverStopped;
use praxis_core::ids::TaskId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};

/// The registry of running drivers.
pub(crate) struct DriverRoster {
    seats: Mutex<DriverSeats>,
    /// The number of tasks in memory plus orders being carried out.
    active: watch::Sender<usize>,
    broken: watch::Sender<Option<DriverStopped>>,
}

#[derive(Default)]
struct DriverSeats {
    inboxes: BTreeMap<TaskId, mpsc::Sender<Arrival>>,
    /// The number of orders being carried out.
    orders: usize,
    /// The reasons for which drivers stopped before their tasks ended.
    given_up: BTreeMap<TaskId, DriverStopped>,
}

impl DriverRoster {
    pub(crate) fn new() -> Self {
        let (active, broken) = (watch::Sender::new(0), watch::Sender::new(None));
        Self { seats: Mutex::default(), active, broken }
    }

    fn seats(&self) -> MutexGuard<'_, DriverSeats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut DriverSeats) -> T) -> T {
        let mut seats = self.seats();
        let changed = change(&mut seats);
        self.active.send_replace(seats.inboxes.len() + seats.orders);
        changed
    }

    /// Returns the inbox of a task, if it is in memory.
    pub(crate) fn inbox(&self, task: &TaskId) -> Option<mpsc::Sender<Arrival>> {
        self.seats().inboxes.get(task).cloned()
    }

    /// Takes the seat of a task; `None` if it is taken.
    pub(crate) fn seat(
        self: &Arc<Self>,
        task: &TaskId,
        inbox: &mpsc::Sender<Arrival>,
    ) -> Option<DriverSeat> {
        self.change(|seats| {
            if seats.inboxes.contains_key(task) {
                return None;
            }
            seats.inboxes.insert(task.clone(), inbox.clone());
            seats.given_up.remove(task);
            Some(DriverSeat { roster: Arc::clone(self), task: task.clone(), inbox: inbox.clone() })
        })
    }

    /// Records that a driver stopped before its task ended.
    pub(crate) fn give_up(&self, task: &TaskId, why: DriverStopped) {
        if why.is_journal_broken() {
            self.broken.send_replace(Some(why.clone()));
        }
        self.change(|seats| seats.given_up.insert(task.clone(), why));
    }

    pub(crate) fn why_given_up(&self, task: &TaskId) -> Option<DriverStopped> {
        self.seats().given_up.get(task).cloned()
    }

    /// Returns a guard; the engine is not idle while it lives.
    pub(crate) fn busy(self: &Arc<Self>) -> BusyGuard {
        self.change(|seats| seats.orders += 1);
        BusyGuard(Arc::clone(self))
    }

    /// Waits until no task is in memory and no order is being carried out, or until the journal broke.
    pub(crate) async fn idle(&self) -> Result<(), DriverStopped> {
        let (mut active, mut broken) = (self.active.subscribe(), self.broken.subscribe());
        tokio::select! {
            _ = active.wait_for(|count| *count == 0) => {}
            _ = broken.wait_for(Option::is_some) => {}
        }
        let broke = broken.borrow().clone();
        broke.map_or(Ok(()), Err)
    }
}

/// The exclusive right to drive a task, released on drop.
pub(crate) struct DriverSeat {
    roster: Arc<DriverRoster>,
    task: TaskId,
    inbox: mpsc::Sender<Arrival>,
}

impl DriverSeat {
    /// Releases the seat and returns true, if the inbox is empty. From then on a command loads the task again.
    pub(crate) fn leave(&self, arrivals: &mut mpsc::Receiver<Arrival>) -> bool {
        self.roster.change(|seats| {
            let quiet = arrivals.is_empty();
            if quiet {
                arrivals.close();
                seats.inboxes.remove(&self.task);
            }
            quiet
        })
    }
}

impl Drop for DriverSeat {
    fn drop(&mut self) {
        self.roster.change(|seats| {
            // Another driver may have taken the seat after `leave`.
            if seats.inboxes.get(&self.task).is_some_and(|inbox| inbox.same_channel(&self.inbox)) {
                seats.inboxes.remove(&self.task);
            }
        });
    }
}

/// A guard that keeps the engine busy while an order is being carried out.
pub struct BusyGuard(Arc<DriverRoster>);

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.change(|seats| seats.orders = seats.orders.saturating_sub(1));
    }
}
