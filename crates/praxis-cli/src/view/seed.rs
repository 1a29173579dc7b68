//! The event stream of the seed documents on stdout (`--format seed`): journal entries, interleaved with streamed
//! text.
//!
//! - in: entries in order, and streamed text if this process drives the task
//! - out: JSON lines
//! - never: text of a call before its start or after its end

use praxis_core::IllegalEvent;
use praxis_core::ask::purpose::Purpose;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::lang::Lang;
use praxis_core::view::seed::{SeedAudience, SeedStream};
use praxis_engine::engine::{LiveText, LiveTextSource};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

/// The source of streamed text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SeedTextSource {
    /// A model call, by its number.
    Ask(u32),
    /// An attempt of a step that streams text to the user.
    Step(StepId, u32),
}

/// Printer of a task as events of the seed documents.
pub(crate) struct SeedPrinter {
    stream: SeedStream,
    said: Option<Receiver<Arc<LiveText>>>,
    /// Received text that is not printed yet, with the `Purpose` if it comes from a model call.
    untold: BTreeMap<SeedTextSource, Vec<(Option<Purpose>, String)>>,
    /// Model calls and attempts under way.
    open: BTreeSet<SeedTextSource>,
}

impl SeedPrinter {
    pub(crate) fn new(audience: SeedAudience, lang: Lang) -> Self {
        let (untold, open) = (BTreeMap::new(), BTreeSet::new());
        Self { stream: SeedStream::new(audience, lang), said: None, untold, open }
    }

    /// Subscribes to streamed text.
    pub(crate) fn listen(&mut self, said: Receiver<Arc<LiveText>>) {
        self.said = Some(said);
    }

    /// Receives the text streamed so far. Call it after reading the journal: all text of a call is sent before
    /// its end is journaled.
    pub(crate) fn hear(&mut self, task: &TaskId) {
        let Some(said) = &mut self.said else { return };
        loop {
            match said.try_recv() {
                Ok(spoken) if spoken.task == *task => {
                    let Delta::Text(words) = &spoken.delta else { continue };
                    let (whose, purpose) = match &spoken.by {
                        LiveTextSource::Ask { ask, purpose } => {
                            (SeedTextSource::Ask(*ask), Some(purpose.clone()))
                        }
                        LiveTextSource::Step { step, attempt } => {
                            (SeedTextSource::Step(step.clone(), *attempt), None)
                        }
                    };
                    self.untold.entry(whose).or_default().push((purpose, words.clone()));
                }
                Ok(_) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Returns the JSON lines of an entry. The end of a call is preceded by its remaining text.
    pub(crate) fn tell(&mut self, entry: &Entry) -> Result<Vec<String>, IllegalEvent> {
        let mut lines = Vec::new();
        let (begins, ends) = match &entry.event {
            Event::AskStarted { ask, .. } => (Some(SeedTextSource::Ask(*ask)), None),
            Event::AskFinished { ask, .. } => (None, Some(SeedTextSource::Ask(*ask))),
            Event::StepStarted { step, attempt, .. } => {
                (Some(SeedTextSource::Step(step.clone(), *attempt)), None)
            }
            Event::StepFinished { step, attempt, .. } => {
                (None, Some(SeedTextSource::Step(step.clone(), *attempt)))
            }
            _ => (None, None),
        };
        if let Some(whose) = ends {
            lines.extend(self.words(&whose));
            self.open.remove(&whose);
        }
        let told = self.stream.tell(entry)?;
        lines.extend(told.iter().map(|event| serde_json::to_string(event).unwrap_or_default()));
        self.open.extend(begins);
        Ok(lines)
    }

    /// Returns the lines of text streamed by calls under way.
    pub(crate) fn spoken(&mut self) -> Vec<String> {
        let open: Vec<SeedTextSource> = self.open.iter().cloned().collect();
        open.iter().flat_map(|whose| self.words(whose)).collect()
    }

    fn words(&mut self, whose: &SeedTextSource) -> Vec<String> {
        let said = self.untold.remove(whose).unwrap_or_default();
        let line = |(purpose, words): &(Option<Purpose>, String)| {
            let event = match (whose, purpose) {
                (SeedTextSource::Step(step, _), _) => self.stream.text(step, words),
                (SeedTextSource::Ask(_), Some(purpose)) => self.stream.chunk(purpose, words),
                (SeedTextSource::Ask(_), None) => None,
            };
            serde_json::to_string(&event?).ok()
        };
        said.iter().filter_map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Returns the entries of the golden journal of a successful goal.
    fn entries() -> Vec<Entry> {
        let text = include_str!("../../../praxis-core/tests/golden/v0.1/goal_plain.jsonl");
        let entry = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            let mut body = row["body"].clone();
            (body["seq"], body["at"]) = (row["seq"].clone(), row["at"].clone());
            serde_json::from_value(body).unwrap()
        };
        text.lines().map(entry).collect()
    }

    #[test]
    fn the_last_words_of_a_call_come_before_its_end_and_those_of_another_task_never() {
        let task = TaskId::from("task_plain");
        let (send, said) = tokio::sync::broadcast::channel(8);
        let mut seed = SeedPrinter::new(SeedAudience::Developer, Lang::En);
        seed.listen(said);
        let mut kinds = Vec::new();
        for entry in entries() {
            if matches!(entry.event, Event::AskFinished { ask: 1, .. }) {
                for (task, words) in [("task_plain", "last"), ("task_other", "not ours")] {
                    let (task, delta) = (TaskId::from(task), Delta::Text(words.to_owned()));
                    let by = LiveTextSource::Ask { ask: 1, purpose: Purpose::Plan };
                    let spoken = LiveText { task, by, delta };
                    send.send(Arc::new(spoken)).unwrap();
                }
                seed.hear(&task);
            }
            for line in seed.tell(&entry).unwrap() {
                let told: Value = serde_json::from_str(&line).unwrap();
                let kind = told["data"]["chunk_type"].as_str().map(str::to_owned);
                kinds.extend(kind.map(|kind| (kind, told["message"].as_str().unwrap().to_owned())));
            }
        }
        let kinds: Vec<(&str, &str)> =
            kinds.iter().map(|(kind, words)| (kind.as_str(), words.as_str())).take(3).collect();
        assert_eq!(kinds, [("START", ""), ("CHUNK", "last"), ("DONE", "done")]);
    }
}
