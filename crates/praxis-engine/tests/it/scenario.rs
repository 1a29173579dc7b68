//! Scenarios are files: a plan, its tools, how the world answers them, what people say.

use crate::ledger::Ledger;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::fault::Fault;
use praxis_core::flow;
use praxis_core::flow::file::{Bundle, Flow};
use praxis_core::flow::problems::FlowProblems;
use praxis_core::goal::spec::PinnedModel;
use praxis_core::ids::ToolId;
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::question::{Question, QuestionAnswer, QuestionSubject};
use praxis_core::journal::submission::StepModel;
use praxis_engine::seams::Invocation;
use praxis_testkit::model::{ScriptedModel, ScriptedRequest, ScriptedSays};
use praxis_testkit::tools::{ScriptedTools, ToolScript};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A plan and the world it runs in.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    file: Value,
}

/// All scenarios in `tests/scenarios`, by name.
pub(crate) fn all() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let listed = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scenarios: Vec<Scenario> = listed.map(|path| read(&path)).collect();
    scenarios.sort_by(|one, other| one.name.cmp(&other.name));
    scenarios
}

/// All scenarios in `tests/flows`, by name.
pub(crate) fn flows() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows");
    let listed = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scenarios: Vec<Scenario> = listed.map(|path| read_yaml(&path)).collect();
    scenarios.sort_by(|one, other| one.name.cmp(&other.name));
    scenarios
}

fn read_yaml(path: &Path) -> Scenario {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let file = document::read(text.as_bytes(), DocumentFormat::Yaml)
        .unwrap_or_else(|e| panic!("{name}: {e:?}"));
    Scenario { name, file }
}

/// One scenario by name.
pub(crate) fn named(name: &str) -> Scenario {
    all().into_iter().find(|scenario| scenario.name == name).unwrap()
}

fn read(path: &Path) -> Scenario {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let file = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    Scenario { name, file }
}

impl Scenario {
    /// A scenario that is no file.
    pub(crate) fn of(name: &str, file: Value) -> Self {
        Self { name: name.to_owned(), file }
    }

    /// The same plan in a world where `tool` answers like this.
    pub(crate) fn answering(mut self, tool: &str, answers: &[&str]) -> Self {
        self.name = format!("{} with {tool} {}", self.name, answers.join(", "));
        self.file["world"][tool]["answers"] = json!(answers);
        self
    }

    /// The flow, if it is one, with the flows that it calls.
    pub(crate) fn flow(&self) -> Option<Bundle> {
        let written = self.file.get("flow")?;
        let mut findings = FlowProblems::default();
        let flow = flow::read::read(written, &mut findings);
        let called = self.file.get("flows").and_then(Value::as_array).into_iter().flatten();
        let called: Vec<Flow> = called.map(|it| flow::read::read(it, &mut findings)).collect();
        assert!(findings.problems.is_empty(), "{}: {:#?}", self.name, findings.problems);
        let flows = called.into_iter().map(|flow| (flow.name.clone(), flow)).collect();
        Some(Bundle { flow, flows, source: None })
    }

    /// A model that answers by the words it is asked with, if there is one.
    pub(crate) fn model(&self) -> Option<ScriptedModel> {
        let script = self.file.get("model")?.as_object().unwrap().clone();
        Some(ScriptedModel::new(Arc::new(move |asked: &ScriptedRequest| {
            let prompt = &asked.request.messages.last().unwrap().content;
            let said = script.iter().find(|(words, _)| prompt.contains(words.as_str()));
            match said.unwrap_or_else(|| panic!("nobody expected {prompt:?}")).1 {
                Value::String(words) => ScriptedSays::Words(words.clone()),
                other => match other["how"].as_str().unwrap() {
                    "cut" => ScriptedSays::Cut(other["says"].as_str().unwrap().to_owned()),
                    "breaks" => ScriptedSays::Breaks(other["says"].as_str().unwrap().to_owned()),
                    how => panic!("no model answers {how}"),
                },
            }
        })))
    }

    /// Whom the steps may ask.
    pub(crate) fn step_model(&self) -> Option<Box<StepModel>> {
        self.file.get("model")?;
        let (model, price) = ("m".to_owned(), None);
        let adviser = PinnedModel { model, context: 32_000, max_output: 500, price };
        let budget = self.file.get("budget").cloned();
        let budget = budget.map(|budget| serde_json::from_value(budget).unwrap());
        Some(Box::new(StepModel { adviser, budget: budget.unwrap_or_default() }))
    }

    /// What the file says must come out.
    pub(crate) fn expected(&self) -> &Value {
        &self.file["expect"]
    }

    pub(crate) fn document(&self) -> Value {
        json!({"plan_description": self.name, "steps": self.file["steps"]})
    }

    pub(crate) fn metadata(&self) -> Value {
        self.file["metadata"].clone()
    }

    pub(crate) fn options(&self) -> RunOptions {
        match &self.file["options"] {
            Value::Null => RunOptions::default(),
            given => serde_json::from_value(given.clone()).unwrap(),
        }
    }

    /// The tools, acting on a ledger.
    pub(crate) fn tools(&self, ledger: &Ledger) -> ScriptedTools {
        let manifests = self.file["tools"].as_array().unwrap();
        manifests.iter().fold(ScriptedTools::default(), |tools, manifest| {
            let id = manifest["id"].as_str().unwrap();
            let tool = Tool {
                id: ToolId::from(id),
                reads: manifest["risk"] == "read",
                script: self.file["world"][id].as_object().cloned().unwrap_or_default(),
                ledger: ledger.clone(),
            };
            let script: ToolScript = Arc::new(move |call| Box::pin(tool.clone().answer(call)));
            tools.with(manifest.clone(), script)
        })
    }

    /// What a person says who can see the world.
    pub(crate) fn answer(&self, question: &Question, ledger: &Ledger) -> Option<QuestionAnswer> {
        Some(match &question.about {
            QuestionSubject::InDoubt { key, .. } => match ledger.done(key) {
                Some(output) => QuestionAnswer::Done { output },
                None => QuestionAnswer::NotDone,
            },
            other => {
                let answers = &self.file["answers"][other.kind()];
                let of_step = question.step.as_ref().map(|step| &answers["steps"][step.as_str()]);
                let answers = of_step.filter(|answers| !answers.is_null()).unwrap_or(answers);
                if answers == "nobody" {
                    return None;
                }
                // One for each question in turn; the last is repeated.
                let asked = question.id.as_str().rsplit('_').next().unwrap();
                let asked: usize = asked.parse().unwrap();
                let answer = match answers.as_array() {
                    Some(list) => &list[(asked - 1).min(list.len() - 1)],
                    None => answers,
                };
                serde_json::from_value(answer.clone()).unwrap()
            }
        })
    }
}

#[derive(Clone)]
struct Tool {
    id: ToolId,
    reads: bool,
    script: Map<String, Value>,
    ledger: Ledger,
}

impl Tool {
    /// One call: it reaches the tool, takes its time, and goes as the script says.
    async fn answer(self, call: Invocation) -> Result<Value, Fault> {
        if let Some(how) = self.script.get("checks") {
            return Ok(self.check(how, &call));
        }
        let (place, of_key) = self.ledger.reach(&call);
        let by_step = self.script.get("by_step") == Some(&Value::Bool(true));
        let of_step = self.ledger.calls_of(&call);
        let before = if by_step { of_step - 1 } else { of_key };
        let takes_ms = self.script.get("takes_ms").and_then(Value::as_u64).unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(takes_ms)).await;
        let word = self.word_for(before, &call);
        let output = self.output(&call);
        if word == "ok" || word.ends_with("_after") {
            self.act(place, &call, &output);
        }
        let says = match self.script.get("says") {
            // One for each call of the step; the last is repeated.
            Some(Value::Array(says)) => says.get(of_step.min(says.len()) - 1),
            says => says,
        };
        let says = says.and_then(Value::as_str).unwrap_or("as scripted");
        let (tool, message) = (self.id.clone(), says.to_owned());
        match word.as_str() {
            "ok" => Ok(output),
            "failed" => Err(Fault::ToolFailed {
                tool,
                message,
                message_zh: String::new(),
                retryable: false,
                retry_after_ms: None,
            }),
            "busy" => Err(Fault::ToolFailed {
                tool,
                message,
                message_zh: String::new(),
                retryable: true,
                retry_after_ms: None,
            }),
            "denied" => Err(Fault::refused(tool, (message.clone(), message))),
            "unavailable" => Err(Fault::ToolUnavailable { tool, message }),
            "broke_before" | "broke_after" => {
                Err(Fault::ToolBroke { tool, message, retry_after_ms: None })
            }
            "timeout_before" | "timeout_after" => std::future::pending().await,
            "panic_before" | "panic_after" => panic!("as scripted"),
            other => panic!("no tool answers `{other}`"),
        }
    }

    /// The same, for a tool that minds what it is sent.
    fn word_for(&self, before: usize, call: &Invocation) -> String {
        let has = |wanted: &Value| {
            wanted
                .as_object()
                .unwrap()
                .iter()
                .all(|(key, value)| call.arguments.get(key) == Some(value))
        };
        // It gives so many at most, and all there are if it is not told how many.
        let mut most = self.script.get("most").and_then(Value::as_object).into_iter().flatten();
        let too_many = |(key, most): (&String, &Value)| {
            let wanted = call.arguments.get(key).and_then(Value::as_i64);
            wanted.is_none_or(|wanted| Some(wanted) > most.as_i64())
        };
        let fails = most.any(too_many)
            || self.script.get("fails_if").is_some_and(has)
            || self.script.get("fails_unless").is_some_and(|wanted| !has(wanted));
        if fails { "failed".to_owned() } else { self.word(before) }
    }

    /// The word for the call that comes after `before` others; the last one is repeated.
    fn word(&self, before: usize) -> String {
        let words = self.script.get("answers").and_then(Value::as_array);
        let word = words.and_then(|words| words.get(before.min(words.len() - 1)));
        word.map_or("ok", |word| word.as_str().unwrap()).to_owned()
    }

    fn act(&self, place: usize, call: &Invocation, output: &Value) {
        let honours = self.script.get("honours_key") == Some(&Value::Bool(true));
        let repeated = honours && self.ledger.done(&call.key).is_some();
        if !self.reads && !repeated {
            self.ledger.act(place, output);
        }
    }

    fn output(&self, call: &Invocation) -> Value {
        let mut output = json!({"receipt": format!("{} of {}", self.id, call.step)});
        output["got"] = call.arguments.clone();
        // A name that no other step writes.
        output[format!("from_{}", call.step)] = Value::from(true);
        if let Some(more) = self.script.get("gives").and_then(Value::as_object) {
            output.as_object_mut().unwrap().extend(more.clone());
        }
        // It finds something once none of these is sent.
        if let Some(narrow) = self.script.get("finds_without").and_then(Value::as_array) {
            let narrows = |name: &Value| call.arguments.get(name.as_str().unwrap()).is_some();
            let found = if narrow.iter().any(narrows) { json!([]) } else { json!(["it"]) };
            output["items"] = found;
        }
        if let Some(bytes) = self.script.get("bytes").and_then(Value::as_u64) {
            output["text"] = Value::from("x".repeat(usize::try_from(bytes).unwrap()));
        }
        output
    }

    fn check(&self, how: &Value, call: &Invocation) -> Value {
        match self.ledger.done(call.arguments["key"].as_str().unwrap()) {
            _ if how == "unknown" => json!({"state": "unknown"}),
            Some(output) => json!({"state": "done", "output": output}),
            None => json!({"state": "not_done"}),
        }
    }
}
