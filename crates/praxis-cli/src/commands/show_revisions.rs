//! `praxis show --plan=v1..v2`: compares two revisions of the plan.

use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::view::state_words::said;
use crate::view::text::{Paint, cut, headed};
use praxis_core::ids::{StepId, ToolId};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::PlanOutcome;
use praxis_core::state::State;
use praxis_core::state::step::Step;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The compared parts of a planned step.
#[derive(Clone, PartialEq, Serialize)]
struct PlannedStepView {
    name: String,
    tool: ToolId,
    parameters: Value,
    depends_on: Vec<StepId>,
}

/// A revision of the plan at the time it was complete.
#[derive(Default)]
struct RevisionView {
    steps: BTreeMap<StepId, PlannedStepView>,
    strategy: String,
    why: String,
}

pub(crate) fn print(
    context: &CliContext,
    entries: &[Entry],
    range: &str,
) -> Result<(), CommandFailure> {
    let revisions = revisions(entries)?;
    let (from, to) = read(range, &revisions)?;
    let empty = RevisionView::default();
    let of = |number: u32| revisions.get(&number).unwrap_or(&empty);
    let (before, after) = (of(from), of(to));
    for (number, revision) in revisions.range(from + 1..=to) {
        if context.json || revision.why.is_empty() {
            continue;
        }
        let strategy = said(&revision.strategy, context.lang);
        let why = headed(context.lang, ("why:", "原因："), &revision.why);
        out!("v{number}{}{strategy} · {why}", context.say(": ", "："));
    }
    let ids =
        before.steps.keys().chain(after.steps.keys().filter(|id| !before.steps.contains_key(*id)));
    for id in ids {
        tell(context, id, before.steps.get(id), after.steps.get(id));
    }
    Ok(())
}

fn tell(
    context: &CliContext,
    id: &StepId,
    before: Option<&PlannedStepView>,
    after: Option<&PlannedStepView>,
) {
    let paint = Paint(context.colors);
    let (word, mark) = match (before, after) {
        (Some(before), Some(after)) if before == after => ("kept", " ".to_owned()),
        (Some(_), Some(_)) => ("changed", paint.yellow("~")),
        (None, _) => ("added", paint.green("+")),
        (Some(_), None) => ("dropped", paint.red("-")),
    };
    if context.json {
        return out!("{}", json!({"step": id, "change": word, "before": before, "after": after}));
    }
    let words = match word {
        "kept" => context.say("kept", "保留"),
        "changed" => context.say("changed", "修改"),
        "added" => context.say("added", "新增"),
        _ => context.say("dropped", "放弃"),
    };
    let shown = after.or(before);
    let (name, tool) = shown.map_or(("", ""), |step| (step.name.as_str(), step.tool.as_str()));
    out!("{mark} {words}  {id}  {}  {tool}", cut(name, 40));
    if let (Some(before), Some(after), "changed") = (before, after, word) {
        parts(paint, before, after);
    }
}

fn parts(paint: Paint, before: &PlannedStepView, after: &PlannedStepView) {
    let (left, right) = (json!(before), json!(after));
    for key in ["name", "tool", "parameters", "depends_on"] {
        let (was, is) = (left.get(key), right.get(key));
        if was != is {
            let shown = |value: Option<&Value>| {
                cut(&value.map(ToString::to_string).unwrap_or_default(), 160)
            };
            out!("    {key}: {} {}", paint.red("-"), shown(was));
            out!("    {key}: {} {}", paint.green("+"), shown(is));
        }
    }
}

/// Returns every revision that was ever complete, by number.
fn revisions(entries: &[Entry]) -> Result<BTreeMap<u32, RevisionView>, CommandFailure> {
    let (mut state, mut found) = (State::default(), BTreeMap::<u32, RevisionView>::new());
    let mut reasons: BTreeMap<u32, (String, String)> = BTreeMap::new();
    for entry in entries {
        state.apply(entry).map_err(CommandFailure::illegal)?;
        let number = match &entry.event {
            Event::PlanClosed { outcome: PlanOutcome::Complete, revision, .. } => *revision,
            Event::PlanRevised(revision) => {
                reasons
                    .insert(revision.revision, (revision.strategy.clone(), revision.why.clone()));
                revision.revision
            }
            _ => continue,
        };
        let (strategy, why) = reasons.get(&number).cloned().unwrap_or_default();
        found.insert(number, RevisionView { steps: steps(&state), strategy, why });
    }
    Ok(found)
}

fn steps(state: &State) -> BTreeMap<StepId, PlannedStepView> {
    let planned = |step: &Step| PlannedStepView {
        name: step.plan.name.clone(),
        tool: step.plan.tool.clone(),
        parameters: step.plan.parameters.clone(),
        depends_on: step.plan.depends_on.clone(),
    };
    let kept = state.steps.iter().filter(|step| !step.dropped);
    kept.map(|step| (step.plan.id.clone(), planned(step))).collect()
}

/// Parses a range such as `v1..v2`.
fn read(
    range: &str,
    revisions: &BTreeMap<u32, RevisionView>,
) -> Result<(u32, u32), CommandFailure> {
    let number = |text: &str| text.trim().trim_start_matches('v').parse::<u32>().ok();
    let pair = range.split_once("..").and_then(|(from, to)| Some((number(from)?, number(to)?)));
    let known = |number: &u32| revisions.contains_key(number);
    pair.filter(|(from, to)| from < to && known(from) && known(to)).ok_or_else(|| {
        let there: Vec<String> = revisions.keys().map(|number| format!("v{number}")).collect();
        let advice = match there.join(", ") {
            none if none.is_empty() => {
                ("the task has no plan".to_owned(), "任务没有计划".to_owned())
            }
            there => (format!("available: {there}"), format!("可选：{there}")),
        };
        let words = (
            format!(
                "expected two existing plan versions such as `v1..v2` (older first), got `{range}`"
            ),
            format!("应为两个已有的计划版本，如 `v1..v2`（旧的在前），实际为 `{range}`"),
        );
        CommandFailure::not_found(words).next(advice)
    })
}
