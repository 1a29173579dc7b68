//! One step in `praxis show`: its plan, its call, the origins of its arguments and its output.

use super::ending::advice;
use super::follow::{blob, pretty};
use super::why::shown_value;
use crate::context::CliContext;
use crate::view::origin::{origin, question_of, standing, typed};
use crate::view::recovery_lines::RecoveryLines;
use crate::view::text::{Paint, comma, cut, headed, mark, pad, short, short_payload, span};
use praxis_core::fault::miss_words;
use praxis_core::ids::StepId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::mask::masked;
use praxis_core::payload::Payload;
use praxis_core::payload::shown;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::view::account::{Accounts, StepResolution};
use praxis_core::view::stream::error;
use praxis_core::view::why::ValueOrigin;
use serde_json::{Value, json};

/// Maximum number of characters in the preview of a blob field.
const PREVIEW_CHARS: usize = 200;

/// Prints a step, as text or as a line of JSON.
pub(crate) fn print(context: &CliContext, accounts: &Accounts, entries: &[Entry], step: &Step) {
    if context.json {
        out!("{}", as_json(context, accounts, step));
    } else {
        print_text(context, accounts, entries, step);
    }
}

/// Returns the contents of the text view as JSON.
fn as_json(context: &CliContext, accounts: &Accounts, step: &Step) -> Value {
    let (state, id) = (&accounts.state, &step.plan.id);
    let index = state.context.index_of(id.as_str());
    let synced = index.map(|index| state.context.synced_fields(index).to_vec());
    json!({
        "task": state.submission.as_ref().map(|s| &s.task),
        "step_id": id,
        "step_name": step.plan.name,
        "tool_id": step.tool(),
        "status": step.status,
        "how": accounts.how(id),
        "attempt": step.attempt,
        "key": state.effect_key(step),
        "duration_ms": step.duration_ms(),
        "depends_on": step.plan.depends_on,
        "actions": step.plan.actions,
        "parameters": masked(&step.plan.parameters),
        "sent": sent(context, accounts, id),
        "origins": accounts.reasons(id),
        "question": question_of(state, id).map(|question| &question.id),
        "error": step.fault.as_ref().map(|fault| error(fault, context.lang)),
        "output": output(accounts, id).map(shown),
        "synced": synced,
        "stderr": stderr(context, accounts, step),
    })
}

/// Returns the sent arguments. Fields stored in a blob are read for their size and a preview.
fn sent(context: &CliContext, accounts: &Accounts, id: &StepId) -> Option<Value> {
    let mut shown = accounts.sent_shown(id)?;
    for hole in &accounts.sent(id)?.holes {
        let field = hole.key.as_ref().and_then(|key| {
            blob(context, &hole.blob).ok()?.get(key).map(|value| masked(value).to_string())
        });
        let place = shown.pointer_mut(&hole.at).and_then(Value::as_object_mut);
        if let (Some(text), Some(map)) = (field, place) {
            map.insert("bytes".to_owned(), text.len().into());
            let preview: String = text.chars().take(PREVIEW_CHARS).collect();
            map.insert("preview".to_owned(), preview.into());
        }
    }
    Some(shown)
}

/// Returns the output of a step; `None` if it has no result, or failed with a `null` output.
pub(crate) fn output<'a>(accounts: &'a Accounts, id: &StepId) -> Option<&'a Payload> {
    let context = &accounts.state.context;
    let result = context.result(context.index_of(id.as_str())?)?;
    Some(&result.output).filter(|output| result.is_success || output.shape() != "null")
}

fn print_text(context: &CliContext, accounts: &Accounts, entries: &[Entry], step: &Step) {
    let paint = Paint(context.colors);
    let time = step.duration_ms().map(span).unwrap_or_default();
    let id = paint.bold(step.plan.id.as_str());
    let tool = context.say("tool", "工具");
    out!("{} {id}  {}  {tool} {}  {time}", mark(step.status, paint), step.plan.name, step.tool());
    print_call(context, accounts, step);
    print_mending(context, entries, step);
    print_origins(accounts, step, (context, paint));
    if let Some(fault) = &step.fault {
        out!("  {} {}", paint.red(fault.code()), fault.message(context.lang));
        let state = &accounts.state;
        let next = match question_of(state, &step.plan.id) {
            Some(question) => format!("praxis answer {}", question.id),
            None => {
                let task = state.submission.as_ref().map(|submission| &submission.task);
                let next = advice(fault, task, context.lang);
                next.replace("--step ID", &format!("--step {}", step.plan.id))
            }
        };
        out!("  {}", headed(context.lang, ("next:", "下一步："), &next));
    }
    print_output(context, accounts, step);
    for line in stderr(context, accounts, step) {
        out!("  stderr {line}");
    }
}

/// Prints the amendments that recovery made to the step, with their reasons.
fn print_mending(context: &CliContext, entries: &[Entry], step: &Step) {
    let mut mending = RecoveryLines::default();
    for entry in entries {
        let line = mending.hear(&entry.event, context.lang);
        let is_this = matches!(&entry.event, Event::StepAmended { step: amended, .. } if *amended == step.plan.id);
        if let Some(line) = line.filter(|_| is_this) {
            out!("  {line}");
        }
    }
}

/// Prints the call, its idempotency key and its dependencies, marked as simulated if no call was made.
fn print_call(context: &CliContext, accounts: &Accounts, step: &Step) {
    let id = &step.plan.id;
    let (how, simulated) = (accounts.how(id), simulated(context, accounts, id));
    match &how {
        StepResolution::Called | StepResolution::NotRun => {}
        _ => out!("  {}", how.words(context.lang)),
    }
    if step.attempt > 0 {
        let (attempt, key) =
            (context.say("attempt", "尝试"), context.say("idempotency key", "幂等键"));
        let effect = accounts.state.effect_key(step);
        out!("  {attempt} {}{simulated}  {key} {effect}{simulated}", step.attempt);
    }
    let asks = question_of(&accounts.state, id).is_some();
    let standing = standing(&accounts.state, step, context.lang);
    if let Some(words) = standing.filter(|_| asks || step.fault.is_none()) {
        out!("  {words}");
    }
    if !step.plan.depends_on.is_empty() {
        let ids: Vec<&str> = step.plan.depends_on.iter().map(StepId::as_str).collect();
        out!("  {} {}", context.say("depends on", "依赖"), ids.join(comma(context.lang)));
    }
    out!("  {} {}", context.say("planned", "计划"), short(&step.plan.parameters, 200));
    if let Some(sent) = accounts.sent_told(id) {
        let label = context.say(format!("sent{simulated}   "), format!("发送{simulated}"));
        out!("  {label} {}", short(&sent, 200));
    }
}

/// Returns ` (simulated)` for a simulated call, otherwise an empty string.
pub(crate) fn simulated(context: &CliContext, accounts: &Accounts, id: &StepId) -> String {
    if accounts.is_simulated(id) {
        context.say(" (simulated)", "（模拟）")
    } else {
        String::new()
    }
}

fn print_origins(accounts: &Accounts, step: &Step, (context, paint): (&CliContext, Paint)) {
    for reason in accounts.reasons(&step.plan.id) {
        let name = pad(&typed(&reason.pointer), 16);
        if let ValueOrigin::Missing { miss } = &reason.source {
            out!("  {name} {}", paint.faint(&format!("← {}", miss_words(miss, context.lang))));
            continue;
        }
        let value = shown_value(accounts, &reason, 80);
        out!(
            "  {name} = {value}  {}",
            paint.faint(&format!("← {}", origin(&reason.source, context.lang)))
        );
    }
}

fn print_output(context: &CliContext, accounts: &Accounts, step: &Step) {
    let id = &step.plan.id;
    let simulated = simulated(context, accounts, id);
    if let Some(output) = output(accounts, id) {
        let by = match accounts.how(id) {
            StepResolution::Answered { by, .. } => format!("  ← {by}"),
            StepResolution::Inherited { task } => format!("  ← {task}"),
            _ => String::new(),
        };
        let label = context.say("output", "输出");
        out!("  {label}{simulated} {}{by}", short_payload(output, 200));
    }
    let index = accounts.state.context.index_of(id.as_str());
    let Some(index) = index.filter(|_| step.status == StepStatus::Success) else { return };
    let fields = accounts.state.context.synced_fields(index);
    if fields.is_empty() {
        let none = context.say(
            "no fields were added to the runtime metadata: the output is not a JSON object, or has no declared fields",
            "没有字段写入运行时元数据：输出不是 JSON 对象，或没有已声明的字段",
        );
        out!("  {none}");
    } else {
        let (all, count) = (fields.join(comma(context.lang)), fields.len());
        let line = context.say(
            format!("added to metadata: {all} ({count})"),
            format!("已写入元数据：{all}（{count} 个）"),
        );
        out!("  {line}");
    }
}

/// Returns the last stderr lines of the last attempt; empty if the tool is not a command.
fn stderr(context: &CliContext, accounts: &Accounts, step: &Step) -> Vec<String> {
    let Some(submission) = accounts.state.submission.as_ref() else { return vec![] };
    let (logs, task) = (context.folder.logs(), &submission.task);
    let place = praxis_adapters::command::log_place(&logs, task, &step.plan.id, step.attempt);
    let text = std::fs::read_to_string(place).unwrap_or_default();
    let count = text.lines().count();
    text.lines().skip(count.saturating_sub(20)).map(|line| cut(line, 200)).collect()
}

/// Prints a value: indented for people, on one line as JSON.
pub(crate) fn print_value(context: &CliContext, value: &Value) {
    if context.json {
        out!("{value}");
    } else {
        out!("{}", pretty(value));
    }
}
