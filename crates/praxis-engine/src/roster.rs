//! The tasks in memory: where commands reach them, and whether anything is going on at all.

use crate::arrival::Arrival;
use crate::stopped::DriverStopped;
use praxis_core::ids::TaskId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};

/// Who is driven now.
pub(crate) struct DriverRoster {
    seats: Mutex<DriverSeats>,
    /// Tasks in memory and orders under way.
    active: watch::Sender<usize>,
    broken: watch::Sender<Option<DriverStopped>>,
}

#[derive(Default)]
struct DriverSeats {
    inboxes: BTreeMap<TaskId, mpsc::Sender<Arrival>>,
    /// Orders that are being carried out.
    orders: usize,
    /// Why drivers gave their tasks up.
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

    /// Where a task's commands go, if it is in memory.
    pub(crate) fn inbox(&self, task: &TaskId) -> Option<mpsc::Sender<Arrival>> {
        self.seats().inboxes.get(task).cloned()
    }

    /// Takes a task's seat; none if somebody has it.
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

    /// A driver ended before its task did.
    pub(crate) fn give_up(&self, task: &TaskId, why: DriverStopped) {
        if why.is_of_the_journal() {
            self.broken.send_replace(Some(why.clone()));
        }
        self.change(|seats| seats.given_up.insert(task.clone(), why));
    }

    pub(crate) fn why_given_up(&self, task: &TaskId) -> Option<DriverStopped> {
        self.seats().given_up.get(task).cloned()
    }

    /// While the answer lives, the engine is not idle.
    pub(crate) fn busy(self: &Arc<Self>) -> BusyGuard {
        self.change(|seats| seats.orders += 1);
        BusyGuard(Arc::clone(self))
    }

    /// Waits until no task is in memory and no order is carried out, or until the journal broke.
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

/// The right to drive a task. It ends when this is dropped, however that comes about.
pub(crate) struct DriverSeat {
    roster: Arc<DriverRoster>,
    task: TaskId,
    inbox: mpsc::Sender<Arrival>,
}

impl DriverSeat {
    /// Gives the seat up if nothing waits at it. From then on commands bring the task back.
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
            // After it was given up somebody else may have it.
            if seats.inboxes.get(&self.task).is_some_and(|inbox| inbox.same_channel(&self.inbox)) {
                seats.inboxes.remove(&self.task);
            }
        });
    }
}

/// An order that is being carried out.
pub struct BusyGuard(Arc<DriverRoster>);

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.change(|seats| seats.orders = seats.orders.saturating_sub(1));
    }
}
