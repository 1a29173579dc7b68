//! What a request tells: the stage, and from the log which right calls were made.

use praxis_core::ask::request::{AnswerFormat, ModelRequest};
use std::collections::{BTreeMap, BTreeSet};

/// What the oracle reads in a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OracleView {
    /// The stage.
    pub stage: String,
    /// The steps that succeeded, by the right call that they stand for.
    pub done: BTreeMap<usize, String>,
    /// Steps that are planned already and will run, by the right call that they stand for.
    pub kept: BTreeMap<usize, String>,
    /// The right calls of which a step failed.
    pub failed: BTreeSet<usize>,
    /// How many steps were planned so far.
    pub planned: usize,
    /// The right call that the step in question stands for, and the tool that it names.
    pub about: Option<(usize, String)>,
    /// The error of that step.
    pub error: String,
}

/// The name by which a step tells which right call it stands for.
pub fn name(call: usize) -> String {
    format!("call {call}")
}

/// Reads a request.
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

/// `step_4 call 3 (tool)`: the step, the right call and the tool.
fn planned(line: &str) -> Option<(&str, usize, String)> {
    let (step, rest) = line.split_once(' ')?;
    let (number, tool) = rest.strip_prefix("call ")?.split_once(" (")?;
    Some((step, number.parse().ok()?, tool.split(')').next().unwrap_or(tool).to_owned()))
}

/// The text from a heading to the next one.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(heading)?;
    Some(after.split("\n# ").next().unwrap_or(after))
}
