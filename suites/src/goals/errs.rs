//! Right answers that are spoiled now and then. Every call errs anew, with the same probabilities.

use super::case::Case;
use super::{oracle, told};
use praxis_testkit::model::{Answers, Asked, Says};
use praxis_testkit::rehearsal::degrade::{Degrader, Rates};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// What errs in one answer: first its contents, then its form.
struct Errs {
    contents: Degrader,
    form: Degrader,
}

/// Answers in which each kind of error has this probability: a step is forgotten, a tool or an argument is
/// wrong, the answer is no JSON.
pub fn answers(case: &Arc<Case>, probability: f64, seed: u64) -> Answers {
    let rates = Rates { malformed: 0.0, ..Rates::all(probability) };
    let form = Rates { malformed: probability, ..Rates::default() };
    let errs = Errs { contents: Degrader::new(rates, seed), form: Degrader::new(form, !seed) };
    let (case, errs) = (Arc::clone(case), Mutex::new(errs));
    let tools: Vec<String> = case.tools.iter().filter_map(id).collect();
    Arc::new(move |asked: &Asked| {
        let told = told::read(&asked.request);
        let right = oracle::answer(&case, &told);
        let mut errs = errs.lock().unwrap_or_else(PoisonError::into_inner);
        Says::Words(errs.spoil(right, &told.stage, &tools))
    })
}

fn id(manifest: &Value) -> Option<String> {
    manifest.get("id").and_then(Value::as_str).map(str::to_owned)
}

impl Errs {
    fn spoil(&mut self, right: Value, stage: &str, tools: &[String]) -> String {
        let spoiled = match stage {
            "planning"
            | "continue_planning"
            | "replanning"
            | "single_step_repair"
            | "parameter_inference" => read(&self.contents.spoil(right, tools)),
            "reflection_step" => self.action(right, tools),
            _ => right,
        };
        self.form.spoil(spoiled, tools)
    }

    /// The advised action is spoiled like a step.
    fn action(&mut self, mut right: Value, tools: &[String]) -> Value {
        let action = right.get("suggested_action").cloned().unwrap_or_default();
        let spoiled = read(&self.contents.spoil(serde_json::json!({"step": action}), tools));
        if let (Some(place), Some(step)) = (right.get_mut("suggested_action"), spoiled.get("step"))
        {
            *place = step.clone();
        }
        right
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// A plan in which one call has a wrong argument or, if it has none, one that no tool knows. Its step cannot be
/// mended alone; the next plan is right.
pub fn one_wrong(case: &Arc<Case>, wrong: usize) -> Answers {
    let case = Arc::clone(case);
    Arc::new(move |asked: &Asked| {
        let told = told::read(&asked.request);
        let mut answer = oracle::answer(&case, &told);
        match told.stage.as_str() {
            "planning" => {
                let place = format!("/steps/{wrong}/parameters");
                let parameters = answer.pointer_mut(&place).and_then(Value::as_object_mut);
                if let Some(value) = parameters.and_then(|map| map.values_mut().next()) {
                    *value = Value::from("wrong");
                }
            }
            "reflection_step" => {
                let overall = serde_json::json!({"type": "trigger_overall_reflection"});
                if let Some(place) = answer.get_mut("suggested_action") {
                    *place = overall;
                }
            }
            _ => {}
        }
        Says::Words(answer.to_string())
    })
}
