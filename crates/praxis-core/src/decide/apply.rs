//! Applies journal entries to a state: the fold, and the flag that tells if the task's active time counts.
//!
//! - in: a state and the next entry
//! - out: the state after it, the same live and in a replay
//! - never: uses anything that is not in the journal

use super::decide;
use crate::fold::IllegalEvent;
use crate::journal::event::Entry;
use crate::state::{Phase, State};

impl State {
    /// Folds one entry into the state. This is the only way to apply an entry.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), IllegalEvent> {
        self.fold(entry)?;
        self.active = self.is_active();
        Ok(())
    }

    /// Folds a whole journal into a new state.
    pub fn replay<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Self, IllegalEvent> {
        let mut state = Self::default();
        entries.into_iter().try_for_each(|entry| state.apply(entry))?;
        Ok(state)
    }

    /// Returns true if active time counts, because something runs or could run.
    fn is_active(&self) -> bool {
        let runs = self.agenda.running() > 0 || self.asks_under_way() > 0;
        match self.phase {
            Phase::Empty | Phase::Finished(_) => false,
            Phase::Stopping(_) => true,
            _ if self.goal.is_some() => runs || !decide(self).is_empty(),
            Phase::Planning | Phase::Evaluating | Phase::Reflecting => true,
            Phase::Executing => {
                let startable = self.agenda.has_ready() && !self.is_held();
                runs || startable || !self.agenda.doubts.is_empty()
            }
        }
    }
}
