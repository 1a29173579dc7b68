//! Spoils what another voice says: right answers from a script or from recorded calls come with errors.
//!
//! - in: a voice, and how often to err
//! - out: its answers; those that are JSON are spoiled now and then
//! - never: touches words that are no JSON, calls of tools, faults, or an answer that is no 200

use super::answer::{Answer, Tokens};
use super::asked::Asked;
use super::degrade::Degrader;
use super::voice::{Account, Turn, Voice};
use super::wire::{Then, Wire};
use praxis_core::ask::listen::Listener;
use praxis_core::ask::reply::Reply;
use praxis_core::document::read_json;
use serde_json::Value;

/// A voice whose answers are spoiled.
pub struct Spoiled {
    voice: Box<dyn Voice>,
    degrader: Degrader,
}

impl Spoiled {
    /// A voice that errs like this.
    pub fn new(voice: Box<dyn Voice>, degrader: Degrader) -> Self {
        Self { voice, degrader }
    }

    fn spoil(&mut self, answer: Answer, asked: &Asked) -> Option<Answer> {
        let right = read_json(answer.text.trim()).ok().filter(Value::is_object)?;
        Some(Answer { text: self.degrader.spoil(right, &asked.tools), ..answer })
    }
}

impl Voice for Spoiled {
    fn turn(&mut self, asked: &Asked) -> Turn {
        match self.voice.turn(asked) {
            Turn::Say { by, answer } => {
                let answer = self.spoil(answer.clone(), asked).unwrap_or(answer);
                Turn::Say { by, answer }
            }
            Turn::Send { by, wire } => match said(&wire).and_then(|it| self.spoil(it, asked)) {
                Some(answer) => Turn::Say { by, answer },
                None => Turn::Send { by, wire },
            },
            other @ (Turn::Break { .. } | Turn::Nothing(_)) => other,
        }
    }

    fn account(&self) -> Account {
        let Account { unused, mut counts } = self.voice.account();
        let errors = self.degrader.injected().counts();
        counts.extend(errors.into_iter().map(|(name, count)| (format!("degraded: {name}"), count)));
        Account { unused, counts }
    }
}

/// What recorded bytes say, if they are a whole answer in words.
fn said(wire: &Wire) -> Option<Answer> {
    let is_whole = wire.then == Then::End && wire.head.as_ref()?.status == 200;
    let mut listener = Listener::new(0);
    for piece in wire.pieces.iter().filter(|_| is_whole) {
        listener.feed(&piece.bytes).ok()?;
    }
    let reply = listener.end().ok().filter(|reply| is_whole && reply.tool_calls.is_empty())?;
    let Reply { text, reasoning, usage, .. } = reply;
    let cost = Tokens { prompt: usage.prompt, completion: usage.completion, cached: usage.cached };
    let usage = Some(cost).filter(|_| !usage.estimated);
    Some(Answer { text, reasoning, usage, ..Answer::default() })
}
