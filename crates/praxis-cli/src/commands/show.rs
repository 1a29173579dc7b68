//! `praxis show`: shows a task, now or at an earlier event.

use super::ending::advice;
use super::flow::short as short_hash;
use super::follow::{result, whole};
use super::ledgers::last_of;
use super::show_step::{self, output, print_value};
use super::{show_asks, show_revisions, show_taught};
use crate::args::Show;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::view::goal_lines;
use crate::view::origin::{asked, how_to_answer};
use crate::view::state_words::said;
use crate::view::text::{
    Paint, cut, headed, mark, pad, progress, short, short_datum, short_payload, span, task_mark,
};
use praxis_core::ids::StepId;
use praxis_core::intake::plan::{self, PlannedStep};
use praxis_core::journal::event::Entry;
use praxis_core::mask::{HIDDEN, is_secret_key};
use praxis_core::payload::PayloadValue;
use praxis_core::state::State;
use praxis_core::state::step::Step;
use praxis_core::view::account::{Accounts, StepResolution, shown};
use serde_json::{Value, json};
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, show: &Show) -> Result<ExitCode, CommandFailure> {
    let reader = context.reader()?;
    let task = context.task(&reader, &show.which)?;
    let (mut entries, rest) = reader.readable(&task, 0)?;
    if let Some(at) = show.at {
        cut_at(&mut entries, at)?;
    }
    if show.call.is_some() && !show.prompt && !show.raw {
        let words =
            ("--call requires --prompt or --raw", "--call 必须与 --prompt 或 --raw 一起使用");
        return Err(CommandFailure::usage("usage", words));
    }
    let mut accounts = Accounts::read(&entries).map_err(CommandFailure::illegal)?;
    // A step inside a step that has ended is shown as of its last event.
    let wanted = show.step.as_deref().filter(|id| accounts.state.step(id).is_none());
    if let Some(seq) = wanted.and_then(|id| last_of(&entries, id)) {
        entries.retain(|entry| entry.seq <= seq);
        accounts = Accounts::read(&entries).map_err(CommandFailure::illegal)?;
    }
    let state = &accounts.state;
    let step = show.step.as_deref().map(|id| state.step(id).ok_or_else(|| no_step(state, id)));
    let step = step.transpose()?;
    if show.events {
        print_events(context, &entries, step);
    } else if show.metadata {
        print_metadata(context, state);
    } else if let Some(range) = &show.plan {
        match range.as_str() {
            "" => print_plan(context, state),
            range => show_revisions::print(context, &entries, range)?,
        }
    } else if show.cost {
        show_asks::costs(context, &entries, state)?;
    } else if show.prompt {
        show_asks::prompts(context, &entries, show)?;
    } else if show.raw {
        show_asks::replies(context, &entries, show)?;
    } else if show.catalog {
        print_value(context, &praxis_core::dataflow::catalog::catalog(&state.context));
    } else if show.output {
        print_output(context, state, step)?;
    } else if let Some(step) = step {
        show_step::print(context, &accounts, &entries, step);
    } else if show.params {
        state.steps.iter().for_each(|step| show_step::print(context, &accounts, &entries, step));
    } else if context.json {
        out!("{}", summary(&accounts, &entries));
    } else {
        print_task(context, &accounts);
        show_taught::print(context, state, &entries);
    }
    // Events that a later version wrote are not shown; the command reports them and fails.
    match rest {
        Some(unknown) if show.at.is_none() => Err(unknown.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Keeps the entries up to an event.
fn cut_at(entries: &mut Vec<Entry>, at: u64) -> Result<(), CommandFailure> {
    let last = entries.last().map_or(0, |entry| entry.seq);
    if at == 0 || at > last {
        let words = (
            format!("event {at} not found; the task has events 1 to {last}"),
            format!("找不到事件 {at}；任务的事件编号为 1 到 {last}"),
        );
        return Err(CommandFailure::usage("bad_sequence", words));
    }
    entries.retain(|entry| entry.seq <= at);
    Ok(())
}

fn no_output(id: &StepId) -> CommandFailure {
    CommandFailure::not_found((
        format!("step `{id}` has no output"),
        format!("步骤 `{id}` 没有输出"),
    ))
    .next(("see its status with `praxis show`", "用 `praxis show` 查看其状态"))
}

/// Failure for an unknown step, with the nearest step ids.
pub(crate) fn no_step(state: &State, wanted: &str) -> CommandFailure {
    let ids: Vec<&str> = state.context.step_ids().map(StepId::as_str).collect();
    let mut near = praxis_core::near::near(wanted, ids.iter().copied());
    if near.is_empty() {
        near = ids.iter().take(6).map(|id| (*id).to_owned()).collect();
    }
    let words = (format!("the task has no step `{wanted}`"), format!("任务中没有步骤 `{wanted}`"));
    if near.is_empty() {
        return CommandFailure::not_found(words).next((
            "the task has no steps; see why with `praxis show`",
            "任务没有步骤；用 `praxis show` 查看原因",
        ));
    }
    let (en, zh) = (near.join(", "), near.join("、"));
    CommandFailure::not_found(words).next((format!("available: {en}"), format!("可选：{zh}")))
}

fn print_events(context: &CliContext, entries: &[Entry], step: Option<&Step>) {
    for entry in entries {
        let value = serde_json::to_value(entry).unwrap_or_default();
        let of_step =
            |step: &Step| value.get("step").and_then(Value::as_str) == Some(step.plan.id.as_str());
        if step.is_some_and(|step| !of_step(step)) {
            continue;
        }
        if context.json {
            out!("{value}");
            continue;
        }
        let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
        let mut rest = value.clone();
        if let Some(map) = rest.as_object_mut() {
            map.retain(|key, _| !matches!(key.as_str(), "seq" | "at" | "kind"));
        }
        out!("{:>5}  {}  {}  {}", entry.seq, entry.at, pad(kind, 18), short(&rest, 160));
    }
}

fn print_metadata(context: &CliContext, state: &State) {
    for (key, datum) in state.context.all_metadata() {
        let hidden = Value::from(HIDDEN);
        let datum = if is_secret_key(&key) { PayloadValue::Value(&hidden) } else { datum };
        if context.json {
            out!("{}", json!({"key": key, "value": shown(datum)}));
        } else {
            out!("{} = {}", pad(&cut(&key, 36), 36), short_datum(datum, 100));
        }
    }
}

fn print_plan(context: &CliContext, state: &State) {
    let kept = state.steps.iter().filter(|step| !step.dropped);
    let plans: Vec<PlannedStep> = kept.map(|step| step.plan.clone()).collect();
    let submission = state.submission.as_ref();
    let plan_id = submission.and_then(|submission| submission.plan_id.as_deref());
    let goal = submission.map_or("", |submission| submission.goal.as_str());
    print_value(context, &plan::write(plan_id, goal, &plans));
}

fn print_output(
    context: &CliContext,
    state: &State,
    step: Option<&Step>,
) -> Result<(), CommandFailure> {
    let value = match step {
        Some(step) => {
            let index = state.context.index_of(step.plan.id.as_str());
            let result = index.and_then(|index| state.context.result(index));
            let missing = || no_output(&step.plan.id);
            Some(whole(context, &result.ok_or_else(missing)?.output)?)
        }
        None => result(context, state)?,
    };
    let missing = || CommandFailure::not_found(("the task has no result", "任务没有结果"));
    print_value(context, &value.ok_or_else(missing)?);
    Ok(())
}

fn print_task(context: &CliContext, accounts: &Accounts) {
    let state = &accounts.state;
    let paint = Paint(context.colors);
    let submission = state.submission.as_ref();
    let task = submission.map_or("", |s| s.task.as_str());
    let status = state.status();
    let steps = progress(state, context.lang);
    out!(
        "{} {}  {}  {steps}",
        task_mark(status, paint),
        paint.bold(task),
        said(status.word(), context.lang)
    );
    out!("  {}", submission.map_or("", |s| s.goal.as_str()));
    if let Some(pin) = submission.and_then(|s| s.flow.as_ref()) {
        let version = short_hash(pin.version.as_str());
        let words = format!("{} {} {version}", context.say("flow", "流程"), cut(&pin.name, 60));
        out!("  {}", paint.faint(&words));
    }
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    for line in chosen.into_iter().flat_map(|chosen| goal_lines::chosen(chosen, context.lang)) {
        out!("  {}", paint.faint(line.trim_start()));
    }
    if let Some(tags) = submission.map(|s| &s.tags).filter(|tags| !tags.is_empty()) {
        let tags: Vec<String> = tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
        out!("  {}", paint.faint(&cut(&tags.join(" "), 160)));
    }
    for step in &state.steps {
        let time = step.duration_ms().map(span).unwrap_or_default();
        let (id, name) =
            (pad(&cut(step.plan.id.as_str(), 16), 16), pad(&cut(&step.plan.name, 24), 24));
        let tool = pad(&cut(step.tool().as_str(), 18), 18);
        let tail = match (&step.fault, output(accounts, &step.plan.id)) {
            (Some(fault), _) => paint.red(&cut(&fault.message(context.lang), 100)),
            (None, Some(output)) => short_payload(output, 60),
            (None, None) => passes(context, state, step),
        };
        let left_out = context.say("  (dropped)", "（已放弃）");
        let left_out = if step.dropped { paint.faint(&left_out) } else { String::new() };
        let origin = paint.yellow(&told_how(context, &accounts.how(&step.plan.id)));
        out!("{} {id} {name} {tool} {time:>7}  {tail}{origin}{left_out}", mark(step.status, paint));
    }
    for question in state.questions.values() {
        let kind = said(question.about.kind(), context.lang);
        out!("? {}  {kind}  {}", question.id, asked(question, context.lang));
        out!("  {}", how_to_answer(question));
    }
    if let Some(fault) = state.fault() {
        let task = state.submission.as_ref().map(|submission| &submission.task);
        let next = advice(fault, task, context.lang);
        let next = headed(context.lang, ("next:", "下一步："), &next);
        out!("{}  {next}", paint.red(&fault.message(context.lang)));
    }
}

/// Returns the progress of a running loop or sub-flow.
fn passes(context: &CliContext, state: &State, step: &Step) -> String {
    let index = state.context.index_of(step.plan.id.as_str());
    let Some(frame) = index.and_then(|index| state.frames.get(&index)) else {
        return String::new();
    };
    let (pass, open) = (frame.pass, frame.open);
    if step.plan.body().is_some_and(|body| body.repeat.is_some()) {
        return context.say(
            format!(
                "iteration {pass}, unfinished steps: {open}, failed iterations: {}",
                frame.failed
            ),
            format!("第 {pass} 次循环，还有 {open} 个步骤未完成，已有 {} 次失败", frame.failed),
        );
    }
    context.say(format!("unfinished steps inside: {open}"), format!("其中还有 {open} 个步骤未完成"))
}

/// Returns the source of an output that does not come from a call.
fn told_how(context: &CliContext, how: &StepResolution) -> String {
    match how {
        StepResolution::Simulated { .. } => context.say("  (simulated)", "（模拟）"),
        StepResolution::Inherited { .. } => context.say("  (inherited)", "（沿用）"),
        StepResolution::Answered { by, .. } => {
            format!("  ({} {by})", context.say("given by", "提供者"))
        }
        StepResolution::Checked => context.say(
            "  (confirmed by the tool's `check_with`)",
            "（已由 `check_with` 指定的核查工具确认生效）",
        ),
        StepResolution::NotRun
        | StepResolution::Refused
        | StepResolution::Called
        | StepResolution::Gathered { .. } => String::new(),
    }
}

fn summary(accounts: &Accounts, entries: &[Entry]) -> Value {
    let state = &accounts.state;
    let step = |step: &Step| {
        json!({
            "step_id": step.plan.id, "step_name": step.plan.name, "tool_id": step.tool(),
            "status": step.status, "dropped": step.dropped, "how": accounts.how(&step.plan.id), "attempt": step.attempt, "duration_ms": step.duration_ms(),
            "error": step.fault.as_ref().map(praxis_core::fault::Fault::code),
        })
    };
    json!({
        "task": state.submission.as_ref().map(|s| &s.task),
        "goal": state.submission.as_ref().map(|s| &s.goal),
        "title": state.goal.as_deref().map(|goal_state| &goal_state.evaluation.title).filter(|title| !title.is_empty()),
        "flow": state.submission.as_ref().and_then(|s| s.flow.as_ref()),
        "tags": state.submission.as_ref().map(|s| &s.tags),
        "status": state.status(),
        "sequence": state.seq,
        "epoch": state.epoch,
        "revision": state.revision,
        "counters": state.counters,
        "steps": state.steps.iter().map(step).collect::<Vec<_>>(),
        "questions": state.questions,
        "recalled": show_taught::recalled(state),
        "plan_of": show_taught::plan_of(state),
        "taught": show_taught::taught(entries),
    })
}
