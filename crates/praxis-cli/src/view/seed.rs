//! The event stream of the documents on stdout: entries of the journal, and between them the words of models.
//!
//! - in: entries in order, and what models say where this process drives the task
//! - out: JSON lines
//! - never: words of a call before its start or after its end

use praxis_core::Illegal;
use praxis_core::ask::split::Delta;
use praxis_core::fault::Lang;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::seed::{Audience, SeedStream};
use praxis_engine::engine::Spoken;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

/// Tells a task under the names of the documents.
pub(crate) struct Seed {
    stream: SeedStream,
    said: Option<Receiver<Arc<Spoken>>>,
    /// What was said and not told, by call.
    untold: BTreeMap<u32, Vec<Arc<Spoken>>>,
    /// Calls under way.
    open: BTreeSet<u32>,
}

impl Seed {
    pub(crate) fn new(audience: Audience, lang: Lang) -> Self {
        let (untold, open) = (BTreeMap::new(), BTreeSet::new());
        Self { stream: SeedStream::new(audience, lang), said: None, untold, open }
    }

    /// Hears from now on.
    pub(crate) fn listen(&mut self, said: Receiver<Arc<Spoken>>) {
        self.said = Some(said);
    }

    /// Takes what was said until now. To be called after the journal was read: what it has was said before.
    pub(crate) fn hear(&mut self, task: &TaskId) {
        let Some(said) = &mut self.said else { return };
        loop {
            match said.try_recv() {
                Ok(spoken) if spoken.task == *task => {
                    self.untold.entry(spoken.ask).or_default().push(spoken);
                }
                Ok(_) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// The lines of an entry; before the end of a call come its last words.
    pub(crate) fn tell(&mut self, entry: &Entry) -> Result<Vec<String>, Illegal> {
        let mut lines = Vec::new();
        if let Event::AskFinished { ask, .. } = &entry.event {
            lines.extend(self.words(*ask));
            self.open.remove(ask);
        }
        let told = self.stream.tell(entry)?;
        lines.extend(told.iter().map(|event| serde_json::to_string(event).unwrap_or_default()));
        if let Event::AskStarted { ask, .. } = &entry.event {
            self.open.insert(*ask);
        }
        Ok(lines)
    }

    /// What calls under way have said.
    pub(crate) fn spoken(&mut self) -> Vec<String> {
        let open: Vec<u32> = self.open.iter().copied().collect();
        open.into_iter().flat_map(|ask| self.words(ask)).collect()
    }

    fn words(&mut self, ask: u32) -> Vec<String> {
        let said = self.untold.remove(&ask).unwrap_or_default();
        let line = |spoken: &Arc<Spoken>| {
            let Delta::Words(words) = &spoken.delta else { return None };
            serde_json::to_string(&self.stream.chunk(&spoken.errand, words)?).ok()
        };
        said.iter().filter_map(line).collect()
    }
}
