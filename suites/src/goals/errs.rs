//! Injects errors into the answers of the oracle, independently for every request.

use super::case::GoalCase;
use super::{oracle, told};
use praxis_rehearsal::chance::SeededChance;
use praxis_rehearsal::degrade::{Degrader, ErrorRates};
use praxis_testkit::model::{ScriptedAnswers, ScriptedRequest, ScriptedSays};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// The meaning of an error rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorRate {
    /// The probability that an answer has an error; all kinds are equally likely.
    OfAnswers(f64),
    /// The probability of each kind of error; an answer can have several.
    OfKinds(f64),
}

/// One entry per kind of error, with probability 1.
const KINDS: [ErrorRates; 4] = [
    ErrorRates { drop_step: 1.0, ..NONE },
    ErrorRates { wrong_tool: 1.0, ..NONE },
    ErrorRates { wrong_argument: 1.0, ..NONE },
    ErrorRates { malformed: 1.0, ..NONE },
];
const NONE: ErrorRates =
    ErrorRates { drop_step: 0.0, wrong_tool: 0.0, wrong_argument: 0.0, malformed: 0.0 };

/// The state of the error injection.
struct Errs {
    rate: ErrorRate,
    chance: SeededChance,
}

/// Returns answers with errors at a rate: a missing step, a wrong tool, a wrong argument, or invalid JSON.
pub fn answers(case: &Arc<GoalCase>, rate: ErrorRate, seed: u64) -> ScriptedAnswers {
    let errs = Mutex::new(Errs { rate, chance: SeededChance::of(seed) });
    let case = Arc::clone(case);
    let tools: Vec<String> = case.tools.iter().filter_map(id).collect();
    Arc::new(move |asked: &ScriptedRequest| {
        let told = told::read(&asked.request);
        let right = oracle::answer(&case, &told);
        let mut errs = errs.lock().unwrap_or_else(PoisonError::into_inner);
        ScriptedSays::Words(errs.spoil(right, &told.stage, &tools))
    })
}

fn id(manifest: &Value) -> Option<String> {
    manifest.get("id").and_then(Value::as_str).map(str::to_owned)
}

impl Errs {
    fn spoil(&mut self, right: Value, stage: &str, tools: &[String]) -> String {
        match self.rate {
            ErrorRate::OfAnswers(probability) => {
                if self.chance.happens(probability) {
                    return self.one(&right, stage, tools);
                }
                right.to_string()
            }
            ErrorRate::OfKinds(probability) => {
                let contents = ErrorRates { malformed: 0.0, ..ErrorRates::all(probability) };
                let spoiled = self.with(contents, right, stage, tools);
                let form = ErrorRates { malformed: probability, ..NONE };
                self.with(form, read(&spoiled), stage, tools)
            }
        }
    }

    /// Injects one error. A kind that does not apply to this answer is redrawn, so that the answer always has an
    /// error.
    fn one(&mut self, right: &Value, stage: &str, tools: &[String]) -> String {
        let text = right.to_string();
        let mut kinds = KINDS.to_vec();
        while !kinds.is_empty() {
            let kind = kinds.remove(self.chance.below(kinds.len()));
            let spoiled = self.with(kind, right.clone(), stage, tools);
            if spoiled != text {
                return spoiled;
            }
        }
        text
    }

    /// Injects errors at these rates into the parts of the answer that can have them.
    fn with(&mut self, rates: ErrorRates, right: Value, stage: &str, tools: &[String]) -> String {
        let mut degrader = Degrader::new(rates, self.chance.draw());
        match stage {
            _ if rates.malformed > 0.0 => degrader.spoil(right, tools),
            "planning"
            | "continue_planning"
            | "replanning"
            | "single_step_repair"
            | "parameter_inference" => degrader.spoil(right, tools),
            "reflection_step" => action(&mut degrader, right, tools).to_string(),
            _ => right.to_string(),
        }
    }
}

/// Spoils the suggested action like a step.
fn action(degrader: &mut Degrader, mut right: Value, tools: &[String]) -> Value {
    let action = right.get("suggested_action").cloned().unwrap_or_default();
    let spoiled = read(&degrader.spoil(serde_json::json!({"step": action}), tools));
    if let (Some(place), Some(step)) = (right.get_mut("suggested_action"), spoiled.get("step")) {
        *place = step.clone();
    }
    right
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// Returns answers whose first plan has a wrong argument in call `wrong`, unless it has no arguments. Its step cannot
/// be fixed alone: reflection on the step asks for an overall reflection. The next plan is right.
pub fn one_wrong(case: &Arc<GoalCase>, wrong: usize) -> ScriptedAnswers {
    let case = Arc::clone(case);
    Arc::new(move |asked: &ScriptedRequest| {
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
        ScriptedSays::Words(answer.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the number of wrong answers out of a thousand.
    fn wrong(rate: ErrorRate, stage: &str) -> usize {
        let right = json!({"steps": [{"step_id": "a", "tool": "x", "parameters": {"n": 1}},
            {"step_id": "b", "tool": "y", "parameters": {"n": 2}}]});
        let mut errs = Errs { rate, chance: SeededChance::of(7) };
        let tools = ["x".to_owned(), "y".to_owned()];
        let text = right.to_string();
        (0..1000).filter(|_| errs.spoil(right.clone(), stage, &tools) != text).count()
    }

    #[test]
    fn a_rate_of_answers_is_the_share_of_wrong_ones_and_one_of_kinds_is_more() {
        for stage in ["planning", "evaluation"] {
            let share = wrong(ErrorRate::OfAnswers(0.2), stage);
            assert!((150..250).contains(&share), "{stage}: {share}");
        }
        assert!(wrong(ErrorRate::OfKinds(0.2), "planning") > 500);
        assert_eq!(wrong(ErrorRate::OfAnswers(0.0), "planning"), 0);
    }
}
