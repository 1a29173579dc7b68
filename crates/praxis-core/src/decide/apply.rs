//! The one way an entry gets into a state: the fold, and with it whether time counts from there on.
//!
//! - in: a state, and the entry that follows
//! - out: the state after it, the same live and in a replay
//! - never: anything that is not in the journal

use super::decide;
use crate::fold::IllegalEvent;
use crate::journal::event::Entry;
use crate::state::{Phase, State};

impl State {
    /// Folds one entry in.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), IllegalEvent> {
        self.fold(entry)?;
        self.active = self.is_active();
        Ok(())
    }

    /// Folds a whole journal.
    pub fn replay<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Self, IllegalEvent> {
        let mut state = Self::default();
        entries.into_iter().try_for_each(|entry| state.apply(entry))?;
        Ok(state)
    }

    /// Whether time counts: something runs or could.
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
