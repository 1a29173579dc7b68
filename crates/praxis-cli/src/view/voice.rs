//! What models say, line by line, for whoever wants to hear it.

use praxis_core::ask::split::Delta;
use praxis_core::ids::TaskId;
use praxis_engine::engine::Spoken;
use std::sync::Arc;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

/// How many characters a line has before it is shown unfinished.
const LONG: usize = 96;

/// Collects words into lines.
#[derive(Default)]
pub(crate) struct Voice {
    said: Option<Receiver<Arc<Spoken>>>,
    open: String,
    /// The call that spoke last: another begins a line of its own.
    ask: Option<u32>,
}

impl Voice {
    /// Hears from now on.
    pub(crate) fn listen(&mut self, said: Receiver<Arc<Spoken>>) {
        self.said = Some(said);
    }

    /// The lines that have become whole.
    pub(crate) fn hear(&mut self, task: &TaskId) -> Vec<String> {
        let Some(said) = &mut self.said else { return vec![] };
        loop {
            match said.try_recv() {
                Ok(spoken) if spoken.task == *task => {
                    if self.ask.replace(spoken.ask).is_some_and(|before| before != spoken.ask) {
                        self.open.push('\n');
                    }
                    match &spoken.delta {
                        Delta::Words(words) | Delta::Thought(words) => self.open.push_str(words),
                        Delta::WasThought | Delta::Again => self.open.push('\n'),
                    }
                }
                Ok(_) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.lines()
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
                lines.push(format!("  │ {}", crate::view::text::harmless(&line, LONG)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::ask::errand::Errand;

    #[test]
    fn what_one_call_says_does_not_run_into_what_the_next_one_says() {
        let task = TaskId::from("task_01jx");
        let (send, said) = tokio::sync::broadcast::channel(8);
        let mut voice = Voice::default();
        voice.listen(said);
        for (ask, words) in [(1, "yes"), (1, " and no"), (2, "well\n")] {
            let delta = Delta::Words(words.to_owned());
            let spoken = Spoken { task: task.clone(), ask, errand: Errand::Plan, delta };
            send.send(Arc::new(spoken)).unwrap();
        }
        assert_eq!(voice.hear(&task), ["  │ yes and no", "  │ well"]);
    }
}
