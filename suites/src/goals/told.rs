//! Reads a request for the oracle: its stage, and the expected calls that its log shows as made.

use praxis_core::ask::request::{AnswerFormat, ModelRequest};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a request that the oracle needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OracleView {
    /// The stage: the name of the requested JSON format.
    pub stage: String,
    /// Steps that succeeded, by the index of their expected call.
    pub done: BTreeMap<usize, String>,
    /// Steps that are planned already and will run, by the index of their expected call.
    pub kept: BTreeMap<usize, String>,
    /// The expected calls with a failed step.
    pub failed: BTreeSet<usize>,
    /// Number of steps planned so far.
    pub planned: usize,
    /// The expected call and the tool of the step that the request is about.
    pub about: Option<(usize, String)>,
    /// The error of that step.
    pub error: String,
}

/// Returns the name of the step for an expected call, from which [`read`] finds the call again.
pub fn name(call: usize) -> String {
    format!("call {call}")
}

/// Reads a request of the engine.
pub fn read(request: &ModelRequest) -> OracleView {
    let mut told = OracleView::default();
    if let AnswerFormat::Json { name, .. } = &request.format {
        told.stage.clone_from(name);
    }
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for message in &request.messages {
        if !message.content.starts_with("# What happened so far") {
            continue;
        }
        for line in message.content.lines() {
            log_line(line, &mut names, &mut told);
        }
    }
    for message in request.messages.iter().filter(|m| m.content.starts_with("stage: ")) {
        for line in message.content.lines() {
            let step = line.strip_prefix("… ").and_then(|rest| rest.split(' ').next());
            if let Some((step, call)) = step.and_then(|step| Some((step, *names.get(step)?))) {
                told.kept.insert(call, step.to_owned());
            }
        }
        let Some(asked) = section(&message.content, "# Step\n") else { continue };
        told.about =
            planned(asked.lines().next().unwrap_or_default()).map(|(_, call, tool)| (call, tool));
        section(&message.content, "# Error\n").unwrap_or_default().clone_into(&mut told.error);
    }
    told
}

fn log_line<'a>(line: &'a str, names: &mut BTreeMap<&'a str, usize>, told: &mut OracleView) {
    if let Some((step, call, _)) = line.strip_prefix("- ").and_then(planned) {
        names.insert(step, call);
        told.planned += 1;
        return;
    }
    let outcome = |mark: &str| {
        let step = line.strip_prefix(mark)?.split(' ').next()?;
        Some((names.get(step).copied()?, step.to_owned()))
    };
    if let Some((call, step)) = outcome("✅ ") {
        told.done.insert(call, step);
    } else if let Some((call, _)) = outcome("❌ ") {
        told.failed.insert(call);
    }
}

/// Parses `step_4 call 3 (tool)` into the step, the index of the expected call and the tool.
fn planned(line: &str) -> Option<(&str, usize, String)> {
    let (step, rest) = line.split_once(' ')?;
    let (number, tool) = rest.strip_prefix("call ")?.split_once(" (")?;
    Some((step, number.parse().ok()?, tool.split(')').next().unwrap_or(tool).to_owned()))
}

/// Returns the text between a heading and the next one.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(heading)?;
    Some(after.split("\n# ").next().unwrap_or(after))
}
