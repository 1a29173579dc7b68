//! Runs a gold plan and compares the arguments and the output of every call with the expected ones.

use super::case::{GoldPlan, GoldStep, ToolAnswer};
use crate::equal::equal;
use crate::report::Count;
use praxis_core::ids::StepId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::CallOutcome;
use praxis_core::payload::Payload;
use praxis_core::state::TaskStatus;
use praxis_engine::submit::SubmitError;
use praxis_testkit::world::EngineWorld;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The result of a run.
#[derive(Default)]
pub(crate) struct DataflowVerdict {
    /// The outputs that match.
    pub(crate) values: Count,
    /// The references that resolved to the producer's value, after the producer ended.
    pub(crate) bindings: Count,
    /// The deviations.
    pub(crate) wrong: Vec<String>,
}

/// Runs a plan without contradictions.
pub(crate) async fn judge(case: &GoldPlan, answer: &ToolAnswer) -> DataflowVerdict {
    let world = EngineWorld::new(case.scripted(answer));
    let mut verdict = DataflowVerdict::default();
    let accepted = match world.submit(&case.document(), Value::Null).await {
        Ok(accepted) => accepted,
        Err(refused) => {
            verdict.wrong.push(refused.to_string());
            return verdict;
        }
    };
    let state = world.settle(&accepted.task).await;
    if state.status() != TaskStatus::Completed {
        verdict.wrong.push(format!("the task is {}", state.status().word()));
    }
    let journal = TaskRecord::of(&world.journal.entries(&accepted.task));
    for step in &case.steps {
        let calls = world.tools.calls();
        let mut calls = calls.iter().filter(|call| call.step.as_str() == step.id);
        let (first, again) = (calls.next(), calls.next());
        if again.is_some() {
            verdict.wrong.push(format!("step {} was called twice", step.id));
        }
        verdict.received(step, first.map(|call| &call.arguments), &journal);
        verdict.gave(&step.id, journal.outputs.get(step.id.as_str()), &step.output);
    }
    if let (Some(answer), Some(last)) = (&case.answer, case.steps.last()) {
        verdict.gave("the last", journal.outputs.get(last.id.as_str()), answer);
    }
    verdict
}

impl DataflowVerdict {
    /// Compares the arguments that a tool received.
    fn received(&mut self, step: &GoldStep, arguments: Option<&Value>, journal: &TaskRecord) {
        if !arguments.is_some_and(|arguments| equal(arguments, &step.arguments)) {
            let got = arguments.map_or("nothing".to_owned(), ToString::to_string);
            self.wrong.push(format!("step {} got {got} for {}", step.id, step.arguments));
        }
        for read in &step.reads {
            let found = arguments.and_then(|arguments| arguments.pointer(&read.pointer));
            let wanted = step.arguments.pointer(&read.pointer);
            let same = found.zip(wanted).is_some_and(|(found, wanted)| equal(found, wanted));
            let in_order = journal.ended_before(&read.producer, &step.id);
            if !in_order {
                self.wrong.push(format!("step {} ran before {} ended", step.id, read.producer));
            }
            self.bindings.add(same && in_order);
        }
    }

    /// Compares the output of a tool.
    fn gave(&mut self, step: &str, output: Option<&Value>, wanted: &Value) {
        let same = output.is_some_and(|output| equal(output, wanted));
        if !same {
            let got = output.map_or("nothing".to_owned(), ToString::to_string);
            self.wrong.push(format!("step {step} gave {got} for {wanted}"));
        }
        self.values.add(same);
    }
}

/// The outputs and the event order of a task, from its journal.
#[derive(Default)]
struct TaskRecord {
    outputs: BTreeMap<StepId, Value>,
    started: BTreeMap<StepId, u64>,
    ended: BTreeMap<StepId, u64>,
}

impl TaskRecord {
    fn of(entries: &[Entry]) -> Self {
        let mut told = Self::default();
        for entry in entries {
            match &entry.event {
                Event::StepStarted { step, .. } => {
                    told.started.insert(step.clone(), entry.seq);
                }
                Event::StepFinished { step, outcome, .. } => {
                    told.ended.insert(step.clone(), entry.seq);
                    if let CallOutcome::Succeeded(Payload::Json(output)) = outcome {
                        told.outputs.insert(step.clone(), (**output).clone());
                    }
                }
                _ => {}
            }
        }
        told
    }

    fn ended_before(&self, producer: &str, consumer: &str) -> bool {
        let (ended, started) = (self.ended.get(producer), self.started.get(consumer));
        ended.zip(started).is_some_and(|(ended, started)| ended < started)
    }
}

/// Returns the difference between the problems of a rejected plan and its contradictions; `None` if they are the
/// same.
pub(crate) async fn judge_refusal(case: &GoldPlan, answer: &ToolAnswer) -> Option<String> {
    let world = EngineWorld::new(case.scripted(answer));
    match world.submit(&case.document(), Value::Null).await {
        Err(SubmitError::Refused(problems)) => {
            let told: BTreeSet<(String, String)> =
                problems.iter().map(|p| (p.code.clone(), p.at.clone())).collect();
            let same = told == case.contradictions;
            (!same).then(|| format!("refused for {told:?} instead of {:?}", case.contradictions))
        }
        Err(other) => Some(other.to_string()),
        Ok(_) => Some(format!("accepted in spite of {:?}", case.contradictions)),
    }
}
