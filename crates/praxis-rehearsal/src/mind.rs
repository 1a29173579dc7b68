//! What an endpoint remembers from call to call, and what it answers.
//!
//! - in: a request, in the order in which their turns come
//! - out: what goes over the wire, and a line for the log
//! - never: touches a socket, or waits

use super::answer::Answer;
use super::asked::Asked;
use super::chance::Chance;
use super::damage::Circumstance;
use super::fault::{Course, Library};
use super::latency::{Bucket, Model, Prompts};
use super::log::{Call, Report};
use super::setup::Setup;
use super::speak::{self, Frame, Part};
use super::voice::{Account, Turn, Voice};
use super::wire::{Chunks, Wire};
use praxis_core::problem::{Problem, Words};
use serde_json::json;

/// What is said where a fault damages an answer that nobody wrote.
const STOCK: &str = "This is an answer that will not arrive as it was meant.";

/// What changes from call to call.
pub(super) struct Mind {
    voice: Box<dyn Voice>,
    course: Course,
    prompts: Prompts,
    bucket: Option<Bucket>,
    chance: Chance,
    latency: Model,
    chunks: Chunks,
    report: Report,
}

impl Mind {
    pub(super) fn new(setup: &Setup, voice: Box<dyn Voice>) -> Result<Self, Problem> {
        let library = setup.quirks.as_deref().map(Library::with_fixtures).unwrap_or_default();
        Ok(Self {
            voice,
            course: Course::of(&setup.faults, &library)?,
            prompts: Prompts::default(),
            bucket: setup.limits.per_minute.map(Bucket::new),
            chance: Chance::of(setup.seed),
            latency: setup.latency,
            chunks: setup.chunks,
            report: Report::default(),
        })
    }

    /// The number of the next call.
    pub(super) fn count(&mut self) -> u64 {
        self.report.calls += 1;
        self.report.calls
    }

    /// Whether one more request is allowed in this minute; else how many seconds to wait.
    pub(super) fn admit(&mut self, now_ms: u64) -> Result<(), u64> {
        self.bucket.as_mut().map_or(Ok(()), |bucket| bucket.take(now_ms))
    }

    pub(super) fn report(&self) -> Report {
        let unused = self.course.unused().into_iter().map(|fault| format!("fault `{fault}`"));
        let faults = Account { unused: unused.collect(), ..Account::default() };
        let account = self.report.account.clone().plus(self.voice.account()).plus(faults);
        Report { account, ..self.report.clone() }
    }

    /// What goes over the wire, and what the log says of it.
    pub(super) fn answer(&mut self, asked: &Asked, number: u64, at: &Circumstance) -> (Wire, Call) {
        let mut call = Call::of(asked, number);
        let turn = match self.course.next_call() {
            Some(fault) => {
                let by = "the course of faults".to_owned();
                Turn::Break { by, fault, answer: Answer::text(STOCK) }
            }
            None => self.voice.turn(asked),
        };
        let (prompt, known) = (asked.prompt_tokens(), self.prompts.read(asked.prompt()));
        (call.tokens.prompt, call.tokens.cached) = (prompt, known.min(prompt));
        match turn {
            Turn::Say { by, answer } => {
                let parts = self.parts(asked, &answer, at, &mut call);
                (self.cut(speak::wire(parts, asked.streams)), Call { by, ..call })
            }
            Turn::Break { by, fault, answer } => {
                let name = fault.name();
                *self.report.account.counts.entry(format!("fault `{name}`")).or_default() += 1;
                let parts = self.parts(asked, &answer, at, &mut call);
                (fault.wire(parts, at), Call { by, fault: Some(name), ..call })
            }
            Turn::Send { by, wire } => (self.cut(wire), Call { by, ..call }),
            Turn::Nothing(words) => {
                self.report.unmatched += 1;
                let by = words.en.clone();
                (refusal(500, "rehearsal_unmatched", &words), Call { by, ..call })
            }
        }
    }

    /// The answer as a healthy endpoint gives it. What it costs is written into the call.
    fn parts(
        &mut self,
        asked: &Asked,
        answer: &Answer,
        at: &Circumstance,
        call: &mut Call,
    ) -> Vec<Part> {
        call.tokens = answer.cost(call.tokens.prompt, call.tokens.cached);
        let (usage, sample) = (call.tokens, self.chance.normal());
        let frame = Frame {
            number: call.number,
            model: &asked.model,
            created: at.now.0 / 1000,
            usage,
            timing: self.latency.timing(usage.prompt, usage.cached, usage.completion, sample),
            streams: asked.streams,
            tells_usage: asked.wants_usage,
            line_ends: at.line_ends,
        };
        speak::parts(answer, &frame)
    }

    fn cut(&self, wire: Wire) -> Wire {
        Wire { pieces: self.chunks.cut(wire.pieces), ..wire }
    }
}

/// An error in the words of an endpoint.
pub(super) fn refusal(status: u16, code: &str, words: &Words) -> Wire {
    let error = json!({"message": words.en, "message_zh": words.zh, "type": code, "code": code});
    Wire::json(status, &json!({"error": error}))
}
