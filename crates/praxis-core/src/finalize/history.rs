//! The execution history as one text: statistics, then what succeeded, then what failed.
//!
//! Made anew from the journal each time, never appended to. Parameters are shown as planned, with
//! their placeholders; a failed attempt stays visible after the step succeeded.

use crate::execute::step::{Status, Step};
use crate::fault::{Fault, Lang};
use crate::ids::StepId;
use crate::journal::event::{Entry, Event, Outcome};
use crate::mask::masked;
use crate::payload::{Datum, Payload};
use crate::state::State;
use serde_json::Value;
use std::fmt::Write;

/// How much of one output the text holds.
const OUTPUT_CHARS: usize = 2000;

/// The words of the text.
struct Words {
    title: &'static str,
    statistics: &'static str,
    succeeded: &'static str,
    failed: &'static str,
    description: &'static str,
    tool: &'static str,
    input: &'static str,
    output: &'static str,
    depends: &'static str,
    none: &'static str,
    fields: &'static str,
    error: &'static str,
    advice: &'static str,
    later: &'static str,
}

const ZH: Words = Words {
    title: "执行历史",
    statistics: "执行统计摘要",
    succeeded: "✅ 成功执行的步骤",
    failed: "❌ 失败的步骤",
    description: "描述",
    tool: "工具",
    input: "输入参数",
    output: "输出结果",
    depends: "依赖步骤",
    none: "无",
    fields: "提取字段",
    error: "错误信息",
    advice: "反思建议",
    later: "（之后重试成功）",
};

const EN: Words = Words {
    title: "Execution history",
    statistics: "Statistics",
    succeeded: "✅ Steps that succeeded",
    failed: "❌ Steps that failed",
    description: "Description",
    tool: "Tool",
    input: "Parameters",
    output: "Output",
    depends: "Depends on",
    none: "nothing",
    fields: "Fields",
    error: "Error",
    advice: "What to do",
    later: " (succeeded later)",
};

/// A failed attempt.
struct Failure<'a> {
    step: &'a StepId,
    attempt: u32,
    fault: &'a Fault,
}

/// The history of a task.
pub fn history(entries: &[Entry], state: &State, lang: Lang) -> String {
    let words = match lang {
        Lang::Zh => &ZH,
        Lang::En => &EN,
    };
    let failures = failures(entries);
    let succeeded: Vec<&Step> =
        state.steps.iter().filter(|step| step.status == Status::Success).collect();
    let mut out = String::new();
    head(&mut out, state, words, (succeeded.len(), failures.len()));
    let _ = writeln!(out, "## {} ({})\n", words.succeeded, counted(succeeded.len(), lang));
    for step in succeeded {
        success(&mut out, state, step, words);
    }
    let _ = writeln!(out, "## {} ({})\n", words.failed, counted(failures.len(), lang));
    for failure in failures {
        describe_failure(&mut out, state, &failure, (words, lang));
    }
    out
}

fn counted(count: usize, lang: Lang) -> String {
    match lang {
        Lang::Zh => format!("{count}个"),
        Lang::En => count.to_string(),
    }
}

fn failures(entries: &[Entry]) -> Vec<Failure<'_>> {
    entries.iter().filter_map(failure).collect()
}

fn failure(entry: &Entry) -> Option<Failure<'_>> {
    if let Event::StepRefused { step, fault } = &entry.event {
        return Some(Failure { step, attempt: 0, fault });
    }
    let Event::StepFinished { step, attempt, outcome, .. } = &entry.event else { return None };
    match outcome {
        Outcome::Failed { fault, .. } | Outcome::InDoubt(fault) => {
            Some(Failure { step, attempt: *attempt, fault })
        }
        Outcome::Succeeded(_) | Outcome::Lost => None,
    }
}

fn head(out: &mut String, state: &State, words: &Words, (succeeded, failed): (usize, usize)) {
    let submission = state.submission.as_ref();
    let goal = submission.map_or("", |submission| submission.goal.as_str());
    let task = submission.map_or("", |submission| submission.task.as_str());
    let counters = &state.counters;
    let _ = writeln!(out, "# {}: {goal}\n", words.title);
    let _ = writeln!(out, "## {}\n", words.statistics);
    let _ = writeln!(out, "- task: {task}\n- status: {}", state.status().word());
    let _ = writeln!(out, "- current_round: {}", state.revision);
    let _ = writeln!(
        out,
        "- steps: {}\n- success: {succeeded}\n- failure: {failed}",
        state.steps.len()
    );
    let _ = writeln!(out, "- total_step_retries: {}", counters.step_retry_count);
    let _ = writeln!(out, "- total_task_replans: {}\n", counters.task_replan_count);
}

fn success(out: &mut String, state: &State, step: &Step, words: &Words) {
    let id = &step.plan.id;
    let index = state.context.index_of(id.as_str());
    let result = index.and_then(|index| state.context.result(index));
    let fields: Vec<&str> = index
        .map(|index| state.context.synced_fields(index).iter().map(|field| &**field).collect())
        .unwrap_or_default();
    let _ = writeln!(out, "### {id}\n");
    common(out, step, words);
    if let Some(result) = result {
        let _ = writeln!(out, "- {}: {}", words.output, shown(&result.output));
    }
    let _ = writeln!(out, "- {}: {}\n", words.fields, or_none(&fields.join(", "), words));
}

fn describe_failure(
    out: &mut String,
    state: &State,
    failure: &Failure<'_>,
    (words, lang): (&Words, Lang),
) {
    let Some(step) = state.step(failure.step.as_str()) else { return };
    let later = if step.status == Status::Success { words.later } else { "" };
    let _ = writeln!(out, "### {} #{}{later}\n", failure.step, failure.attempt);
    common(out, step, words);
    let _ = writeln!(
        out,
        "- {}: {} ({})",
        words.error,
        failure.fault.message(lang),
        failure.fault.code()
    );
    let _ = writeln!(out, "- {}: {}\n", words.advice, failure.fault.next(lang));
}

fn common(out: &mut String, step: &Step, words: &Words) {
    let ids: Vec<&str> = step.plan.depends_on.iter().map(StepId::as_str).collect();
    let _ = writeln!(out, "- {}: {}", words.description, or_none(&step.plan.name, words));
    let _ = writeln!(out, "- {}: {}", words.tool, step.tool());
    let _ = writeln!(out, "- {}: {}", words.input, masked(&step.plan.parameters));
    let _ = writeln!(out, "- {}: {}", words.depends, or_none(&ids.join(", "), words));
}

fn or_none<'a>(text: &'a str, words: &Words) -> &'a str {
    if text.is_empty() { words.none } else { text }
}

fn shown(output: &Payload) -> String {
    let text = match output.whole() {
        Datum::Value(Value::String(text)) => text.clone(),
        Datum::Value(value) => masked(value).to_string(),
        Datum::InBlob { stored, .. } => format!("{} … ({} bytes)", stored.preview, stored.bytes),
    };
    let cut: String = text.chars().take(OUTPUT_CHARS).collect();
    if cut.len() < text.len() { format!("{cut} …") } else { cut }
}
