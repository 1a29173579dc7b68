//! Live text of models and steps, collected into lines, and the waits of model calls.

use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::waiting::WaitReason;
use praxis_core::ids::TaskId;
use praxis_engine::engine::{LiveText, LiveTextSource};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

/// Number of characters after which an unfinished line is shown.
const LONG: usize = 96;

/// Collector of streamed text into lines.
#[derive(Default)]
pub(crate) struct LineCollector {
    said: Option<Receiver<Arc<LiveText>>>,
    /// True if the text of models is shown, not only their waits.
    words: bool,
    open: String,
    /// The current wait of each model call.
    waits: BTreeMap<u32, WaitReason>,
    /// Waits that have begun and were not reported yet.
    begun: Vec<(u32, WaitReason)>,
    /// The last source of text; another source starts a new line.
    last: Option<LiveTextSource>,
}

impl LineCollector {
    /// Subscribes to the live text.
    pub(crate) fn listen(&mut self, said: Receiver<Arc<LiveText>>, words: bool) {
        (self.said, self.words) = (Some(said), words);
    }

    /// Returns the current wait of a model call.
    pub(crate) fn waits(&self, ask: u32) -> Option<&WaitReason> {
        self.waits.get(&ask)
    }

    /// Returns the waits that have begun since the last call.
    pub(crate) fn begun(&mut self) -> Vec<(u32, WaitReason)> {
        std::mem::take(&mut self.begun)
    }

    fn note(&mut self, ask: u32, waiting: &WaitReason) {
        if *waiting == WaitReason::Over {
            self.waits.remove(&ask);
            return;
        }
        // A queued call is reported once; its moves in the queue are only redrawn.
        let queued = |waiting: &WaitReason| matches!(waiting, WaitReason::Turn { .. });
        let moved = self.waits.insert(ask, waiting.clone());
        if !(queued(waiting) && moved.is_some_and(|before| queued(&before))) {
            self.begun.push((ask, waiting.clone()));
        }
    }

    /// Reads the received text and returns the complete lines.
    pub(crate) fn hear(&mut self, task: &TaskId) -> Vec<String> {
        loop {
            let Some(said) = &mut self.said else { return vec![] };
            match said.try_recv() {
                Ok(spoken) if spoken.task == *task => self.take(&spoken),
                Ok(_) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.lines()
    }

    fn take(&mut self, spoken: &LiveText) {
        // Text of steps is meant for the user; text of models is shown only on request.
        let wanted = match (&spoken.by, &spoken.delta) {
            (LiveTextSource::Ask { ask, .. }, Delta::Waiting(waiting)) => {
                return self.note(*ask, waiting);
            }
            (LiveTextSource::Ask { .. }, _) => self.words,
            (LiveTextSource::Step { .. }, _) => true,
        };
        if !wanted {
            return;
        }
        if self.last.replace(spoken.by.clone()).is_some_and(|before| before != spoken.by) {
            self.open.push('\n');
        }
        match &spoken.delta {
            Delta::Text(words) | Delta::Reasoning(words) => self.open.push_str(words),
            Delta::ReclassifyAsReasoning | Delta::Restart => self.open.push('\n'),
            Delta::Waiting(_) => {}
        }
    }

    fn lines(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let end = self.open.find('\n');
            let long = self.open.char_indices().nth(LONG).map(|(at, _)| at);
            let Some(at) = end.into_iter().chain(long).min() else { return lines };
            let rest = self.open.split_off(at);
            let line = std::mem::replace(&mut self.open, rest.trim_start_matches('\n').to_owned());
            if !line.trim().is_empty() {
                lines.push(format!("  │ {}", crate::view::text::sanitize(&line, LONG)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::ask::purpose::Purpose;

    #[test]
    fn what_one_call_says_does_not_run_into_what_the_next_one_says() {
        let task = TaskId::from("task_01jx");
        let (send, said) = tokio::sync::broadcast::channel(8);
        let mut voice = LineCollector::default();
        voice.listen(said, true);
        for (ask, words) in [(1, "yes"), (1, " and no"), (2, "well\n")] {
            let delta = Delta::Text(words.to_owned());
            let by = LiveTextSource::Ask { ask, purpose: Purpose::Plan };
            let spoken = LiveText { task: task.clone(), by, delta };
            send.send(Arc::new(spoken)).unwrap();
        }
        assert_eq!(voice.hear(&task), ["  │ yes and no", "  │ well"]);
    }

    #[test]
    fn what_a_call_waits_for_is_heard_without_its_words() {
        let task = TaskId::from("task_01jx");
        let (send, said) = tokio::sync::broadcast::channel(8);
        let mut voice = LineCollector::default();
        voice.listen(said, false);
        let turn = |before| WaitReason::Turn { before, until: None };
        let say = |delta| {
            let by = LiveTextSource::Ask { ask: 1, purpose: Purpose::Plan };
            let spoken = LiveText { task: task.clone(), by, delta };
            send.send(Arc::new(spoken)).unwrap();
        };
        for waiting in [turn(3), turn(2)] {
            say(Delta::Waiting(waiting));
        }
        say(Delta::Text("hello\n".to_owned()));
        assert!(voice.hear(&task).is_empty());
        assert_eq!(voice.begun(), [(1, turn(3))], "told once");
        assert_eq!(voice.waits(1), Some(&turn(2)), "and drawn as it stands");
        say(Delta::Waiting(WaitReason::Over));
        voice.hear(&task);
        assert!(voice.begun().is_empty() && voice.waits(1).is_none());
    }
}
