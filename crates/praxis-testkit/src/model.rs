//! A scripted model for tests, without an endpoint.

use futures::future::BoxFuture;
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::{FinishReason, ModelReply, TokenUsage};
use praxis_core::ask::request::{AnswerFormat, ModelRequest};
use praxis_core::ask::usage::{estimate, estimate_request};
use praxis_engine::seams::{Model, ModelAnswered, ModelCallFailed, Models, ReplyListener};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The reaction of a scripted model to one request.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptedSays {
    /// This answer, streamed in pieces of a few characters.
    Words(String),
    /// This answer, cut off by the token limit.
    Cut(String),
    /// The beginning of an answer, before the connection breaks.
    Breaks(String),
    /// No answer, for this reason.
    Fails(ModelFault),
    /// This answer after a delay in milliseconds.
    Late(u64, String),
}

/// Decides the answer to a request, by its stage and the number of earlier requests of that stage.
pub type ScriptedAnswers = Arc<dyn Fn(&ScriptedRequest) -> ScriptedSays + Send + Sync>;

/// A request as a script sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedRequest {
    /// The name of the answer schema; empty for a plain text answer.
    pub stage: String,
    /// The number of earlier requests of that stage.
    pub before: usize,
    /// The request itself.
    pub request: ModelRequest,
}

/// A model that follows a script and logs its requests.
#[derive(Clone)]
pub struct ScriptedModel {
    answers: ScriptedAnswers,
    asked: Arc<Mutex<Vec<ScriptedRequest>>>,
    /// The number of requests of each stage that an earlier model answered.
    earlier: BTreeMap<String, usize>,
    /// The delay before each piece of an answer, in milliseconds.
    piece_ms: u64,
}

/// The characters per piece.
const PIECE: usize = 24;

impl ScriptedModel {
    /// Creates a model that answers with this script.
    pub fn new(answers: ScriptedAnswers) -> Self {
        Self { answers, asked: Arc::default(), earlier: BTreeMap::new(), piece_ms: 0 }
    }

    /// Sets the delay before each piece.
    #[must_use]
    pub fn with_pieces_of(self, piece_ms: u64) -> Self {
        Self { piece_ms, ..self }
    }

    /// Continues the counts of an earlier model, by stage.
    #[must_use]
    pub fn after(self, earlier: BTreeMap<String, usize>) -> Self {
        Self { earlier, ..self }
    }

    /// Returns all requests, in order.
    pub fn asked(&self) -> Vec<ScriptedRequest> {
        self.log().clone()
    }

    fn log(&self) -> MutexGuard<'_, Vec<ScriptedRequest>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, request: &ModelRequest) -> ScriptedRequest {
        let stage = match &request.format {
            AnswerFormat::Json { name, .. } => name.clone(),
            AnswerFormat::Text => String::new(),
        };
        let mut log = self.log();
        let here = log.iter().filter(|asked| asked.stage == stage).count();
        let before = here + self.earlier.get(&stage).copied().unwrap_or_default();
        let asked = ScriptedRequest { stage, before, request: request.clone() };
        log.push(asked.clone());
        asked
    }

    async fn stream(&self, words: &str, said: ReplyListener<'_>) {
        let letters: Vec<char> = words.chars().collect();
        for piece in letters.chunks(PIECE) {
            tokio::time::sleep(Duration::from_millis(self.piece_ms)).await;
            said(Delta::Text(piece.iter().collect()));
            // Lets the listener act between two pieces.
            tokio::task::yield_now().await;
        }
    }

    async fn answer(
        &self,
        request: &ModelRequest,
        said: ReplyListener<'_>,
    ) -> Result<ModelAnswered, ModelCallFailed> {
        let asked = self.note(request);
        let usage = |words: &str| TokenUsage {
            prompt: estimate_request(request),
            completion: estimate(words),
            ..TokenUsage::default()
        };
        let (words, finish) = match (self.answers)(&asked) {
            ScriptedSays::Words(words) => (words, FinishReason::Stop),
            ScriptedSays::Cut(words) => (words, FinishReason::Length),
            ScriptedSays::Late(ms, words) => {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                (words, FinishReason::Stop)
            }
            ScriptedSays::Breaks(words) => {
                self.stream(&words, said).await;
                let fault = ModelFault::ModelUnreachable { message: "as scripted".to_owned() };
                return Err(ModelCallFailed { fault, spent: usage(&words) });
            }
            ScriptedSays::Fails(fault) => return Err(ModelCallFailed { fault, spent: usage("") }),
        };
        self.stream(&words, said).await;
        let usage = usage(&words);
        let reply = ModelReply { text: words, finish, usage, ..ModelReply::default() };
        Ok(ModelAnswered { reply, spent: TokenUsage::default() })
    }
}

impl Model for ScriptedModel {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswered, ModelCallFailed>> {
        Box::pin(self.answer(request, said))
    }
}

impl Models for ScriptedModel {
    fn get(&self, _: &str) -> Option<Arc<dyn Model>> {
        Some(Arc::new(self.clone()))
    }
}

/// Answers from a list for each stage; the last answer is repeated. `<<name>>` stands for the id of a step, and the
/// keys `fails`, `cut`, `cut_after`, `breaks` and `late_ms` select the other reactions of `ScriptedSays`.
pub fn by_stage(script: Value) -> ScriptedAnswers {
    Arc::new(move |asked| {
        let answers = script.get(&asked.stage).and_then(Value::as_array);
        let answer =
            answers.and_then(|list| list.get(asked.before.min(list.len().saturating_sub(1))));
        let answer = answer.map(|answer| named_steps(answer, &asked.request));
        let answer = answer.map(|answer| without_kept(answer, &asked.request));
        match &answer {
            Some(Value::String(words)) => ScriptedSays::Words(words.clone()),
            Some(Value::Object(map)) if map.contains_key("fails") => {
                ScriptedSays::Fails(failure(map))
            }
            Some(Value::Object(map)) if map.contains_key("cut_after") => {
                ScriptedSays::Cut(beginning(map))
            }
            Some(Value::Object(map)) if map.contains_key("cut") => ScriptedSays::Cut(
                map.get("cut").and_then(Value::as_str).unwrap_or_default().to_owned(),
            ),
            Some(Value::Object(map)) if map.contains_key("breaks") => ScriptedSays::Breaks(
                map.get("breaks").and_then(Value::as_str).unwrap_or_default().to_owned(),
            ),
            Some(Value::Object(map)) if map.contains_key("late_ms") => {
                let ms = map.get("late_ms").and_then(Value::as_u64).unwrap_or_default();
                ScriptedSays::Late(ms, map.get("says").map(Value::to_string).unwrap_or_default())
            }
            Some(value) => ScriptedSays::Words(value.to_string()),
            None => ScriptedSays::Fails(ModelFault::ModelUnreachable {
                message: format!("no answer is scripted for `{}`", asked.stage),
            }),
        }
    })
}

fn failure(map: &serde_json::Map<String, Value>) -> ModelFault {
    let message = map.get("fails").and_then(Value::as_str).unwrap_or_default().to_owned();
    ModelFault::ModelUnreachable { message }
}

/// Returns the beginning of a plan: `cut_after[0]` whole steps, and `cut_after[1]` quarters of the next.
fn beginning(plan: &serde_json::Map<String, Value>) -> String {
    let number = |place: usize| {
        let number = plan.get("cut_after").and_then(|cut| cut.get(place)).and_then(Value::as_u64);
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
    };
    let steps = plan.get("steps").and_then(Value::as_array).into_iter().flatten();
    let steps: Vec<String> = steps.map(Value::to_string).collect();
    let next = steps.get(number(0)).map_or(&[][..], String::as_bytes);
    let part = next.get(..next.len() * number(1) / 4).unwrap_or_default();
    let part = Some(String::from_utf8_lossy(part).into_owned()).filter(|part| !part.is_empty());
    let texts: Vec<String> = steps.into_iter().take(number(0)).chain(part).collect();
    format!(r#"{{"plan_description": "p", "steps": [{}"#, texts.join(", "))
}

/// Replaces `<<name>>` with the id of the step with that name, as listed in the messages of the request.
fn named_steps(answer: &Value, request: &ModelRequest) -> Value {
    let mut text = answer.to_string();
    let told: Vec<&str> = request.messages.iter().flat_map(|said| said.content.lines()).collect();
    while let Some((before, rest)) = text.split_once("<<") {
        let Some((name, after)) = rest.split_once(">>") else { break };
        let id = told.iter().rev().find_map(|line| {
            let (id, rest) = line.strip_prefix("- ")?.split_once(' ')?;
            rest.starts_with(&format!("{name} (")).then_some(id)
        });
        text = format!("{before}{}{after}", id.unwrap_or("nobody"));
    }
    serde_json::from_str(&text).unwrap_or_default()
}

/// Removes the steps of a plan that the request marks as kept, and renames the references to them to their kept ids.
fn without_kept(mut answer: Value, request: &ModelRequest) -> Value {
    // Not always the last message: an error report about the previous answer may follow it.
    let mut told = request.messages.iter().rev().map(|said| said.content.as_str());
    let Some(last) = told.find(|text| text.starts_with("stage: continue_planning")) else {
        return answer;
    };
    let told: Vec<&str> = request.messages.iter().flat_map(|said| said.content.lines()).collect();
    let kept = |id: &str| {
        last.lines().any(|line| {
            line.starts_with(&format!("✅ {id} (")) || line.starts_with(&format!("… {id} ("))
        })
    };
    let known = |name: &str| {
        told.iter().rev().find_map(|line| {
            let (id, rest) = line.strip_prefix("- ")?.split_once(' ')?;
            (rest.starts_with(&format!("{name} (")) && kept(id)).then(|| id.to_owned())
        })
    };
    let mut renamed = Vec::new();
    if let Some(steps) = answer.get_mut("steps").and_then(Value::as_array_mut) {
        steps.retain(|step| {
            let text =
                |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let id = known(&text("step_name"));
            renamed.extend(id.iter().map(|id| (text("step_id"), id.clone())));
            id.is_none()
        });
    }
    let mut text = answer.to_string();
    for (model, ours) in renamed {
        text = text.replace(&format!("{{{{{model}."), &format!("{{{{{ours}."));
        text = text.replace(&format!("\"{model}\""), &format!("\"{ours}\""));
    }
    serde_json::from_str(&text).unwrap_or_default()
}
