//! The state of an endpoint between calls, and its answers.
//!
//! - in: requests, in the order in which they are admitted
//! - out: the `WireAnswer` to send, and the `LoggedCall` for the log
//! - never: touches a socket, or waits

use super::answer::ScriptedAnswer;
use super::asked::ChatRequest;
use super::chance::SeededChance;
use super::damage::Circumstance;
use super::fault::{FaultLibrary, FaultSchedule};
use super::latency::{LatencyModel, Prompts, RequestBucket};
use super::log::{EndpointReport, LoggedCall};
use super::setup::RehearsalSetup;
use super::speak::{self, AnswerFrame, AnswerPart};
use super::voice::{Voice, VoiceDecision, VoiceReport};
use super::wire::{ChunkMode, WireAnswer};
use praxis_core::problem::{Bilingual, Problem};
use serde_json::json;

/// The answer that a scheduled fault damages.
const STOCK: &str = "This is an answer that will not arrive as it was meant.";

/// The state that changes from call to call.
pub(super) struct ScriptedMind {
    voice: Box<dyn Voice>,
    course: FaultSchedule,
    prompts: Prompts,
    bucket: Option<RequestBucket>,
    chance: SeededChance,
    latency: LatencyModel,
    chunks: ChunkMode,
    report: EndpointReport,
}

impl ScriptedMind {
    pub(super) fn new(setup: &RehearsalSetup, voice: Box<dyn Voice>) -> Result<Self, Problem> {
        let library = setup.quirks.as_deref().map(FaultLibrary::with_fixtures).unwrap_or_default();
        Ok(Self {
            voice,
            course: FaultSchedule::of(&setup.faults, &library)?,
            prompts: Prompts::default(),
            bucket: setup.limits.per_minute.map(RequestBucket::new),
            chance: SeededChance::of(setup.seed),
            latency: setup.latency,
            chunks: setup.chunks,
            report: EndpointReport::default(),
        })
    }

    /// Returns the number of the next call.
    pub(super) fn count(&mut self) -> u64 {
        self.report.calls += 1;
        self.report.calls
    }

    /// Takes one request out of the rate limit; the error is the number of seconds to wait.
    pub(super) fn admit(&mut self, now_ms: u64) -> Result<(), u64> {
        self.bucket.as_mut().map_or(Ok(()), |bucket| bucket.take(now_ms))
    }

    pub(super) fn report(&self) -> EndpointReport {
        let unused = self.course.unused().into_iter().map(|fault| format!("fault `{fault}`"));
        let faults = VoiceReport { unused: unused.collect(), ..VoiceReport::default() };
        let account = self.report.account.clone().plus(self.voice.account()).plus(faults);
        EndpointReport { account, ..self.report.clone() }
    }

    /// Returns the `WireAnswer` to send and its `LoggedCall`.
    pub(super) fn answer(
        &mut self,
        asked: &ChatRequest,
        number: u64,
        at: &Circumstance,
    ) -> (WireAnswer, LoggedCall) {
        let mut call = LoggedCall::of(asked, number);
        let turn = match self.course.next_call() {
            Some(fault) => {
                let by = "the course of faults".to_owned();
                VoiceDecision::Break { by, fault, answer: ScriptedAnswer::text(STOCK) }
            }
            None => self.voice.turn(asked),
        };
        let (prompt, known) = (asked.prompt_tokens(), self.prompts.read(asked.prompt()));
        (call.tokens.prompt, call.tokens.cached) = (prompt, known.min(prompt));
        match turn {
            VoiceDecision::Say { by, answer } => {
                let parts = self.parts(asked, &answer, at, &mut call);
                (self.cut(speak::wire(parts, asked.streams)), LoggedCall { by, ..call })
            }
            VoiceDecision::Break { by, fault, answer } => {
                let name = fault.name();
                *self.report.account.counts.entry(format!("fault `{name}`")).or_default() += 1;
                let parts = self.parts(asked, &answer, at, &mut call);
                (fault.wire(parts, at), LoggedCall { by, fault: Some(name), ..call })
            }
            VoiceDecision::Send { by, wire } => (self.cut(wire), LoggedCall { by, ..call }),
            VoiceDecision::Nothing(words) => {
                self.report.unmatched += 1;
                let by = words.en.clone();
                (refusal(500, "rehearsal_unmatched", &words), LoggedCall { by, ..call })
            }
        }
    }

    /// Returns the parts of a healthy answer, and writes its token counts into `call`.
    fn parts(
        &mut self,
        asked: &ChatRequest,
        answer: &ScriptedAnswer,
        at: &Circumstance,
        call: &mut LoggedCall,
    ) -> Vec<AnswerPart> {
        call.tokens = answer.cost(call.tokens.prompt, call.tokens.cached);
        let (usage, sample) = (call.tokens, self.chance.normal());
        let frame = AnswerFrame {
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

    fn cut(&self, wire: WireAnswer) -> WireAnswer {
        WireAnswer { pieces: self.chunks.cut(wire.pieces), ..wire }
    }
}

/// Returns an error body in the format of an OpenAI-compatible endpoint.
pub(super) fn refusal(status: u16, code: &str, words: &Bilingual) -> WireAnswer {
    let error = json!({"message": words.en, "message_zh": words.zh, "type": code, "code": code});
    WireAnswer::json(status, &json!({"error": error}))
}
