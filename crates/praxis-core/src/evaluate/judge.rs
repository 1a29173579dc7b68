//! Judges the outcome and composes the answer, by a model or else by rules.
//!
//! - in: the state when all steps have ended; later the model's reply
//! - out: a judgement and the answer to the goal
//! - never: takes the success of all steps as proof if a model can judge

use super::{promise, result};
use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::dataflow::resolve::LoadedBlobs;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::judgement::{Judge, Judgement, JudgementScores};
use crate::payload::Payload;
use crate::problem::Problem;
use crate::prompt::schema;
use crate::route::scene::Topic;
use crate::schema::Schema;
use crate::stage::compose::{StageTexts, request};
use crate::stage::reading::{ReadAnswer, score, text, texts, unfit};
use crate::state::State;
use crate::state::step::{Step, StepStatus};
use serde_json::{Value, json};
use std::fmt::Write;

/// Token limit for each output shown to a person if no model writes the answer.
const OUTPUT_TOKENS: u64 = 4000;
/// The largest number of characters of a title.
const TITLE_CHARS: usize = 120;

/// Returns the request for a judgement.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<ModelRequest> {
    let library = inputs.library?;
    let threshold = state.goal_spec()?.manner.success_threshold.to_string();
    let checks = checks(state, inputs);
    let holes = [
        ("scene_guidance", &*library.guidance(Topic::Evaluation)),
        ("success_threshold", &threshold),
        ("checks", library.pack.or_none(&checks)),
    ];
    let wanted = evaluation_schema(state)?;
    let stage = StageTexts {
        purpose: &Purpose::Evaluate,
        part: "evaluation",
        holes: &holes,
        schema: &wanted,
    };
    request(state, library, inputs.tokens, &stage)
}

/// Returns the schema of a judgement. It includes the answer, in the form that the caller asked for, which saves a
/// second model call.
fn evaluation_schema(state: &State) -> Option<Value> {
    let mut wanted = schema("evaluation")?.clone();
    *wanted.pointer_mut("/properties/answer")? = answer_schema(state);
    Some(wanted)
}

fn answer_schema(state: &State) -> Value {
    let own = state.goal_spec().and_then(|spec| spec.output_schema.clone());
    own.unwrap_or_else(|| json!({"type": "string"}))
}

/// Lists the facts that need no judging: the steps that failed. Adds the outputs that the log shows only in part, so
/// that the model sees them before it judges.
fn checks(state: &State, inputs: &Inputs<'_>) -> String {
    let mut out = String::new();
    for step in
        state.steps.iter().filter(|step| !step.dropped && step.status != StepStatus::Success)
    {
        let why = step.fault.as_ref().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(out, "❌ {} ({:?}) {why}", step.plan.id, step.status);
    }
    if let Value::Object(hidden) = result::for_model(state, inputs, (&Purpose::Evaluate, true)) {
        for (step, output) in hidden {
            let _ = writeln!(out, "✅ {step}: {output}");
        }
    }
    out.trim_end().to_owned()
}

/// Reads the judgement, and the answer if the judgement suffices.
pub fn read(state: &State, found: &ReadAnswer) -> Vec<Event> {
    let scores = found.value.get("scores").cloned().unwrap_or_default();
    let judgement = Judgement {
        by: Judge::Model,
        is_successful: found.value.get("is_successful") == Some(&Value::Bool(true)),
        scores: JudgementScores {
            completeness: score(&scores, "completeness"),
            correctness: score(&scores, "correctness"),
            efficiency: score(&scores, "efficiency"),
            reliability: score(&scores, "reliability"),
        },
        successes: texts(&found.value, "successes"),
        failures: texts(&found.value, "failures"),
        improvement_suggestions: texts(&found.value, "improvement_suggestions"),
    };
    let threshold = state.goal_spec().map_or(0, |spec| spec.manner.success_threshold);
    let answer = found.value.get("answer").filter(|answer| !is_blank(answer)).cloned();
    let answer = answer
        .filter(|_| judgement.suffices(threshold))
        .map(|answer| given(answer, "model", titled(found)));
    [Event::TaskJudged(Box::new(judgement))].into_iter().chain(answer).collect()
}

/// Builds the `AnswerGiven` event.
pub(super) fn given(answer: Value, by: &str, title: String) -> Event {
    Event::AnswerGiven { answer: Payload::json(answer), by: by.to_owned(), title }
}

/// Returns the model's title of the answer, cut to one line of `TITLE_CHARS` characters.
fn titled(found: &ReadAnswer) -> String {
    let title = text(&found.value, "title");
    title.lines().next().unwrap_or_default().chars().take(TITLE_CHARS).collect()
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Judges without a model: by the plan's promise, or else by the statuses of the steps.
pub fn without_model(state: &State) -> Vec<Event> {
    promise::events(state).unwrap_or_else(|| vec![by_rules(state)])
}

fn by_rules(state: &State) -> Event {
    Event::TaskJudged(Box::new(of_steps(state)))
}

/// Derives a judgement from the statuses of the steps.
pub(super) fn of_steps(state: &State) -> Judgement {
    let counted: Vec<&Step> =
        state.steps.iter().filter(|step| !step.dropped && !step.plan.gathers()).collect();
    let succeeded = counted.iter().filter(|step| step.status == StepStatus::Success).count();
    let all = succeeded == counted.len() && !counted.is_empty();
    let share = u32::try_from(succeeded * 100 / counted.len().max(1)).unwrap_or(0);
    let failures = counted.iter().filter(|step| step.status != StepStatus::Success);
    let failures = failures.map(|step| {
        let why = step.fault.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{} {why}", step.plan.id)
    });
    Judgement {
        by: Judge::Rules,
        is_successful: all,
        scores: JudgementScores {
            completeness: share,
            correctness: share,
            efficiency: share,
            reliability: share,
        },
        successes: vec![],
        failures: failures.collect(),
        improvement_suggestions: vec![],
    }
}

/// Returns the request for the answer alone.
pub fn ask_report(state: &State, inputs: &Inputs<'_>) -> Option<ModelRequest> {
    let library = inputs.library?;
    let result = result::for_model(state, inputs, (&Purpose::Report, false)).to_string();
    let form = state.goal_spec()?.output_schema.as_ref().map(Value::to_string).unwrap_or_default();
    let points = points(state);
    let length = if form.is_empty() { "100-200" } else { "" };
    let holes = [
        ("scene_guidance", &*library.guidance(Topic::Message)),
        ("result", &*result),
        ("form", library.pack.or_none(&form)),
        ("length", library.pack.or_none(length)),
        ("points", library.pack.or_none(&points)),
    ];
    let wanted = json!({"type": "object", "required": ["answer"], "additionalProperties": false,
        "properties": {"title": {"type": "string"}, "answer": answer_schema(state)}});
    let stage = StageTexts {
        purpose: &Purpose::Report,
        part: "ai_reporter",
        holes: &holes,
        schema: &wanted,
    };
    request(state, library, inputs.tokens, &stage)
}

/// Lists the judgement's successes and failures, which the answer must mention.
fn points(state: &State) -> String {
    let judgement =
        state.goal.as_deref().and_then(|goal_state| goal_state.evaluation.judgement.as_ref());
    let Some(judgement) = judgement else { return String::new() };
    let reached = judgement.successes.iter().map(|point| format!("✅ {point}"));
    let missed = judgement.failures.iter().map(|point| format!("❌ {point}"));
    reached.chain(missed).collect::<Vec<_>>().join("\n")
}

/// Returns the schema that an answer is checked against.
pub fn report_schema(state: &State) -> Value {
    json!({"type": "object", "required": ["answer"], "properties": {"answer": answer_schema(state)}})
}

/// Returns the schema of a judgement with its answer.
pub fn judgement_schema(state: &State) -> Value {
    evaluation_schema(state).unwrap_or_default()
}

/// Reads the answer.
pub fn read_report(state: &State, found: &ReadAnswer) -> Event {
    let answer = found.value.get("answer").cloned().unwrap_or_default();
    let fits = Schema::compile(&answer_schema(state)).is_ok_and(|s| s.errors(&answer).is_empty());
    if fits && !is_blank(&answer) {
        return given(answer, "model", titled(found));
    }
    let (en, zh) = (
        "the answer is empty or does not match the required schema",
        "答案为空，或不符合要求的 schema",
    );
    unfit(found, &Purpose::Report, vec![Problem::new("answer_field", "/answer", (en, zh))])
}

/// Composes the answer without a model, from the outputs that no other step reads.
pub fn plain_answer(state: &State, blobs: &LoadedBlobs) -> Event {
    given(result::for_person(state, blobs, OUTPUT_TOKENS), "rules", String::new())
}
