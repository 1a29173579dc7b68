//! Composes a model request: a prefix that is constant within a task, the log, and the stage's instruction last.
//!
//! - in: the state, the pinned texts, and the texts of the stage
//! - out: a request that begins, byte for byte, like the previous one
//! - never: puts a time, a count or anything else that changes before the log

use super::goal_log_text::story;
use crate::ask::purpose::Purpose;
use crate::ask::request::{AnswerFormat, MessageRole, ModelMessage, ModelRequest};
use crate::ask::tokens::TokenCounter;
use crate::ask::trim;
use crate::dataflow::catalog::structure;
use crate::goal::spec::{GoalDocument, GoalSpec, PinnedModel};
use crate::inputs::Inputs;
use crate::library::Library;
use crate::payload::{Payload, PayloadValue};
use crate::state::State;
use crate::state::goal_log::LogLine;
use serde_json::Value;
use std::fmt::Write;

/// The maximum number of tokens of a document in a prompt.
const DOCUMENT_TOKENS: u64 = 8000;
/// The maximum number of characters of a metadata value in a prompt.
const VALUE_CHARS: usize = 400;
/// The percentage of a model's context that the log may use.
const LOG_SHARE: u64 = 50;
/// The number of log lines that are dropped together.
const BLOCK: usize = 32;

/// A generous estimate of the tokens of a stage's own instruction.
const STAGE_TOKENS: u64 = 1000;

/// The texts of one stage.
pub struct StageTexts<'a> {
    /// The reason for which the model is asked.
    pub purpose: &'a Purpose,
    /// The name of the prompt part.
    pub part: &'a str,
    /// The values of its holes.
    pub holes: &'a [(&'a str, &'a str)],
    /// The schema of the answer.
    pub schema: &'a Value,
}

/// Composes the model request for a stage.
pub fn request(
    state: &State,
    library: &Library,
    tokens: &dyn TokenCounter,
    stage: &StageTexts<'_>,
) -> Option<ModelRequest> {
    let spec = state.goal_spec()?;
    let goal_state = state.goal.as_deref()?;
    let pinned_model = spec.model_for(stage.purpose)?;
    let chosen = goal_state.planning.selection.is_some() && *stage.purpose != Purpose::Select;
    let mut messages = vec![said(MessageRole::System, prefix(state, library, tokens, chosen))];
    if !goal_state.log.lines.is_empty() {
        let lines = fitting(&goal_state.log.lines, library, tokens, pinned_model);
        messages.push(said(MessageRole::User, story(lines, library)));
    }
    messages.push(said(MessageRole::User, library.pack.render(stage.part, stage.holes)));
    if let Some(unfit) = goal_state.unfit(stage.purpose) {
        let reasoning = Some(unfit.reasoning.clone()).filter(|thought| !thought.is_empty());
        messages
            .push(ModelMessage { reasoning, ..said(MessageRole::Assistant, unfit.said.clone()) });
        messages.push(said(MessageRole::User, correction(library, stage, &unfit.problems)));
    }
    let name = stage.purpose.stage().to_owned();
    let format = AnswerFormat::Json { name, schema: stage.schema.clone() };
    let max_tokens = pinned_model.max_output;
    Some(ModelRequest { messages, tools: vec![], format, max_tokens, temperature: Some(0.0) })
}

fn said(role: MessageRole, content: String) -> ModelMessage {
    ModelMessage { role, content, reasoning: None }
}

/// Returns the tokens left for a stage's own content beside the prefix, the log and the answer.
pub fn room(state: &State, inputs: &Inputs<'_>, purpose: &Purpose) -> u64 {
    let pinned_model = state.goal_spec().and_then(|spec| spec.model_for(purpose));
    let (Some(pinned_model), Some(library)) = (pinned_model, inputs.library) else { return 0 };
    let log = state.goal.as_deref().map_or(&[][..], |goal_state| &goal_state.log.lines);
    let log = story(fitting(log, library, inputs.tokens, pinned_model), library);
    let before = prefix(state, library, inputs.tokens, true);
    let taken = inputs.tokens.count(&before) + inputs.tokens.count(&log) + STAGE_TOKENS;
    pinned_model.context.saturating_sub(taken + u64::from(pinned_model.max_output))
}

/// Renders the correction request: only the problems, not the whole instruction.
fn correction(
    library: &Library,
    stage: &StageTexts<'_>,
    problems: &[crate::problem::Problem],
) -> String {
    let lang = library.pack.lang();
    let mut listed = String::new();
    for problem in problems {
        let told = problem.told(lang);
        let next = told.next.map(|next| format!(" ({next})")).unwrap_or_default();
        let _ = writeln!(listed, "- {}: {}{next}", told.at, told.message);
    }
    if stage.purpose.plans() {
        return library.pack.render("plan_correction", &[("problems", listed.trim_end())]);
    }
    let holes = [("stage", stage.purpose.stage()), ("problems", listed.trim_end())];
    library.pack.render("answer_correction", &holes)
}

/// Renders the beginning of all requests of a task, constant once its tools are selected.
pub fn prefix(state: &State, library: &Library, tokens: &dyn TokenCounter, chosen: bool) -> String {
    let pack = &library.pack;
    let tools = if chosen { tool_block(state, library) } else { String::new() };
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    let context = state.goal_spec().map(|spec| context(spec, tokens)).unwrap_or_default();
    let metadata = metadata(state);
    pack.render(
        "foundation",
        &[
            ("tools", pack.or_none(&tools)),
            ("goal", goal),
            ("context", pack.or_none(&context)),
            ("metadata", pack.or_none(&metadata)),
        ],
    )
}

/// Renders the tools as first selected; tools added later are in the log.
fn tool_block(state: &State, library: &Library) -> String {
    let goal_state = state.goal.as_deref();
    let chosen = goal_state.and_then(|goal_state| goal_state.planning.selection.as_ref());
    let Some(chosen) = chosen else { return String::new() };
    let later =
        goal_state.into_iter().flat_map(|goal_state| &goal_state.log.lines).filter_map(|line| {
            let LogLine::ToolAdded { tool } = line else { return None };
            Some(tool)
        });
    let later: Vec<_> = later.collect();
    let frozen: Vec<_> =
        chosen.tools.iter().filter(|tool| !later.contains(tool)).cloned().collect();
    library.chosen(&frozen).map(|tool| library.signature(tool)).collect::<Vec<_>>().join("\n")
}

fn context(spec: &GoalSpec, tokens: &dyn TokenCounter) -> String {
    let material = &spec.material;
    let mut out = String::new();
    for preference in &material.user_preferences {
        let _ = writeln!(out, "P1 {preference}");
    }
    for document in &material.documents {
        let _ = writeln!(out, "{}", written(document, tokens));
    }
    for (name, value) in &material.additional_info {
        let _ = writeln!(out, "{name}: {}", crate::mask::masked_under(name, value));
    }
    for utterance in &material.conversation_history {
        let _ = writeln!(out, "> {utterance}");
    }
    out.trim_end().to_owned()
}

fn written(document: &GoalDocument, tokens: &dyn TokenCounter) -> String {
    let text = match document.content.whole() {
        PayloadValue::Value(Value::String(text)) => trim::text(text, DOCUMENT_TOKENS, tokens),
        PayloadValue::Value(value) => trim::text(&value.to_string(), DOCUMENT_TOKENS, tokens),
        PayloadValue::InBlob { stored, .. } => {
            trim::text(&format!("{}{}", stored.preview, trim::MARKER), DOCUMENT_TOKENS, tokens)
        }
    };
    let GoalDocument { name, doc_type, description, .. } = document;
    format!(
        "P2 <document name={name:?} type={doc_type:?} description={description:?}>\n{text}\n</document>"
    )
}

/// Renders the initial metadata: values cut, those in blobs by shape and size only.
fn metadata(state: &State) -> String {
    let mut out = String::new();
    for (name, payload) in state.context.initial() {
        let shown = shown(name, payload);
        let _ = writeln!(out, "{name}: {shown}");
    }
    out.trim_end().to_owned()
}

fn shown(name: &str, payload: &Payload) -> String {
    match payload.whole() {
        PayloadValue::Value(value) => {
            let text = crate::mask::masked_under(name, value).to_string();
            if text.chars().count() <= VALUE_CHARS {
                return text;
            }
            let cut: String = text.chars().take(VALUE_CHARS).collect();
            format!("{cut}… {}", structure(value))
        }
        PayloadValue::InBlob { stored, .. } => {
            format!("({}, {} bytes)", stored.shape, stored.bytes)
        }
    }
}

/// Returns the log lines that fit. Whole blocks are dropped at once, so that the beginning of the log stays the
/// same for many requests.
fn fitting<'a>(
    lines: &'a [LogLine],
    library: &Library,
    tokens: &dyn TokenCounter,
    pinned_model: &PinnedModel,
) -> &'a [LogLine] {
    let room = pinned_model.context.saturating_mul(LOG_SHARE) / 100;
    let mut kept = lines;
    while kept.len() > BLOCK && tokens.count(&story(kept, library)) > room {
        kept = kept.get(BLOCK..).unwrap_or_default();
    }
    kept
}
