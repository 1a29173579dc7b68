//! Injects errors into the answers of another voice: a script, or recorded calls.
//!
//! - in: a `Voice` and a `Degrader`
//! - out: its answers; those that are JSON objects may carry errors
//! - never: changes tool calls, faults, answers that are not JSON objects, or answers with a status other than 200

use super::answer::{ScriptedAnswer, TokenCounts};
use super::asked::ChatRequest;
use super::degrade::Degrader;
use super::voice::{Voice, VoiceDecision, VoiceReport};
use super::wire::{AfterBody, WireAnswer};
use praxis_core::ask::listen::Listener;
use praxis_core::ask::reply::ModelReply;
use praxis_core::document::read_json;
use serde_json::Value;

/// A voice with errors injected into its answers.
pub struct DegradedVoice {
    voice: Box<dyn Voice>,
    degrader: Degrader,
}

impl DegradedVoice {
    /// Combines a voice with a degrader.
    pub fn new(voice: Box<dyn Voice>, degrader: Degrader) -> Self {
        Self { voice, degrader }
    }

    fn spoil(&mut self, answer: ScriptedAnswer, asked: &ChatRequest) -> Option<ScriptedAnswer> {
        let right = read_json(answer.text.trim()).ok().filter(Value::is_object)?;
        Some(ScriptedAnswer { text: self.degrader.spoil(right, &asked.tools), ..answer })
    }
}

impl Voice for DegradedVoice {
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        match self.voice.turn(asked) {
            VoiceDecision::Say { by, answer } => {
                let answer = self.spoil(answer.clone(), asked).unwrap_or(answer);
                VoiceDecision::Say { by, answer }
            }
            VoiceDecision::Send { by, wire } => {
                match said(&wire).and_then(|it| self.spoil(it, asked)) {
                    Some(answer) => VoiceDecision::Say { by, answer },
                    None => VoiceDecision::Send { by, wire },
                }
            }
            other @ (VoiceDecision::Break { .. } | VoiceDecision::Nothing(_)) => other,
        }
    }

    fn account(&self) -> VoiceReport {
        let VoiceReport { unused, mut counts } = self.voice.account();
        let errors = self.degrader.injected().counts();
        counts.extend(errors.into_iter().map(|(name, count)| (format!("degraded: {name}"), count)));
        VoiceReport { unused, counts }
    }
}

/// Parses recorded bytes as an answer. Returns `None` if it is incomplete, not a 200, or has tool calls.
fn said(wire: &WireAnswer) -> Option<ScriptedAnswer> {
    let is_whole = wire.then == AfterBody::End && wire.head.as_ref()?.status == 200;
    let mut listener = Listener::new(0);
    for piece in wire.pieces.iter().filter(|_| is_whole) {
        listener.feed(&piece.bytes).ok()?;
    }
    let reply = listener.end().ok().filter(|reply| is_whole && reply.tool_calls.is_empty())?;
    let ModelReply { text, reasoning, usage, .. } = reply;
    let cost =
        TokenCounts { prompt: usage.prompt, completion: usage.completion, cached: usage.cached };
    let usage = Some(cost).filter(|_| !usage.estimated);
    Some(ScriptedAnswer { text, reasoning, usage, ..ScriptedAnswer::default() })
}
