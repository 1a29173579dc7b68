//! The execution history as text: statistics, then steps that succeeded, failed, are in doubt, or neither.
//!
//! Rebuilt from the journal each time, never appended to. Parameters are shown as planned, with their placeholders. A
//! failed attempt stays visible after the step succeeded, with the reflection on it if there is one. Every step is
//! counted once, by its status; successes are listed in the order in which they finished.

use super::account::{Accounts, StepResolution};
use crate::fault::Fault;
use crate::ids::StepId;
use crate::journal::event::{Entry, Event};
use crate::journal::outcome::CallOutcome;
use crate::journal::step_reflection::StepReflection;
use crate::lang::Lang;
use crate::mask::masked;
use crate::payload::{Payload, PayloadValue};
use crate::state::step::{Step, StepStatus};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Maximum characters of one output in the text.
const OUTPUT_CHARS: usize = 2000;

/// Labels of the text in one language.
struct HistoryWords {
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
    doubted: &'static str,
    others: &'static str,
    earlier: &'static str,
    origin: &'static str,
    simulated: &'static str,
    waits: &'static str,
    later: &'static str,
}

const ZH: HistoryWords = HistoryWords {
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
    doubted: "⚠ 存疑的步骤",
    others: "未完成、已取消和已跳过的步骤",
    earlier: "↻ 之前失败的尝试",
    origin: "结果来源",
    simulated: "（模拟）",
    waits: "待回答的问题",
    later: "（之后成功）",
};

const EN: HistoryWords = HistoryWords {
    title: "Execution history",
    statistics: "Statistics",
    succeeded: "✅ Steps that succeeded",
    failed: "❌ Steps that failed",
    description: "Description",
    tool: "Tool",
    input: "Parameters",
    output: "Output",
    depends: "Depends on",
    none: "none",
    fields: "Fields",
    error: "Error",
    advice: "What to do",
    doubted: "⚠ Steps in doubt",
    others: "Unfinished, cancelled and skipped steps",
    earlier: "↻ Earlier failed attempts",
    origin: "Source of the output",
    simulated: " (simulated)",
    waits: "Open question",
    later: " (succeeded later)",
};

/// A failed attempt; `attempt` is 0 if no call was made.
struct FailedAttempt<'a> {
    step: &'a StepId,
    attempt: u32,
    fault: &'a Fault,
    reflection: Option<&'a StepReflection>,
}

/// The data and language from which the history is rendered.
struct HistoryTelling<'a> {
    accounts: &'a Accounts,
    failures: Vec<FailedAttempt<'a>>,
    /// The number of the last event that ended each step.
    ended: BTreeMap<&'a StepId, u64>,
    words: &'static HistoryWords,
    lang: Lang,
}

/// Renders the history of a task.
pub fn history(entries: &[Entry], accounts: &Accounts, lang: Lang) -> String {
    let words = match lang {
        Lang::Zh => &ZH,
        Lang::En => &EN,
    };
    let (failures, ended) = (failures(entries), entries.iter().filter_map(end).collect());
    let telling = HistoryTelling { accounts, failures, ended, words, lang };
    let mut out = String::new();
    telling.head(&mut out);
    telling.successes(&mut out);
    telling.unsuccessful(&mut out, StepStatus::Error, words.failed);
    if telling.count(StepStatus::InDoubt) > 0 {
        telling.unsuccessful(&mut out, StepStatus::InDoubt, words.doubted);
    }
    telling.others(&mut out);
    telling.earlier(&mut out);
    out
}

fn counted(count: usize, lang: Lang) -> String {
    match lang {
        Lang::Zh => format!("{count}个"),
        Lang::En => count.to_string(),
    }
}

/// Returns all failures in journal order, each with the reflection on it.
fn failures(entries: &[Entry]) -> Vec<FailedAttempt<'_>> {
    let mut failures: Vec<FailedAttempt<'_>> = Vec::new();
    for entry in entries {
        if let Event::StepReflected { step, reflection } = &entry.event
            && let Some(failure) = failures.iter_mut().rfind(|failure| failure.step == step)
        {
            failure.reflection = Some(reflection);
        }
        failures.extend(failure(entry));
    }
    failures
}

/// Returns the step that an event ends, and the number of the event.
fn end(entry: &Entry) -> Option<(&StepId, u64)> {
    if let Event::StepFinished { step, .. }
    | Event::StepInherited { step, .. }
    | Event::CheckFinished { step, .. } = &entry.event
    {
        return Some((step, entry.seq));
    }
    None
}

fn failure(entry: &Entry) -> Option<FailedAttempt<'_>> {
    if let Event::StepRefused { step, fault } = &entry.event {
        return Some(FailedAttempt { step, attempt: 0, fault, reflection: None });
    }
    let Event::StepFinished { step, attempt, outcome, .. } = &entry.event else { return None };
    match outcome {
        CallOutcome::Failed { fault, .. } | CallOutcome::InDoubt(fault) => {
            Some(FailedAttempt { step, attempt: *attempt, fault, reflection: None })
        }
        CallOutcome::Succeeded(_) | CallOutcome::Lost => None,
    }
}

/// Returns true if a step neither succeeded nor failed nor is in doubt.
fn is_other(step: &Step) -> bool {
    match step.status {
        StepStatus::Success | StepStatus::Error | StepStatus::InDoubt => false,
        StepStatus::Init
        | StepStatus::Waiting
        | StepStatus::Running
        | StepStatus::Param
        | StepStatus::Cancelled
        | StepStatus::Skipped => true,
    }
}

impl<'a> HistoryTelling<'a> {
    fn steps(&self, status: StepStatus) -> impl Iterator<Item = &'a Step> {
        self.accounts.state.steps.iter().filter(move |step| step.status == status)
    }

    fn count(&self, status: StepStatus) -> usize {
        self.steps(status).count()
    }

    fn heading(&self, out: &mut String, words: &str, count: usize) {
        let _ = writeln!(out, "## {words} ({})\n", counted(count, self.lang));
    }

    fn head(&self, out: &mut String) {
        let state = &self.accounts.state;
        let submission = state.submission.as_ref();
        let goal = submission.map_or("", |submission| submission.goal.as_str());
        let task = submission.map_or("", |submission| submission.task.as_str());
        let others = state.steps.iter().filter(|step| is_other(step)).count();
        let _ = writeln!(out, "# {}: {goal}\n", self.words.title);
        let _ = writeln!(out, "## {}\n", self.words.statistics);
        let _ = writeln!(out, "- task: {task}\n- status: {}", state.status().word());
        let _ = writeln!(out, "- current_round: {}", state.revision);
        let _ = writeln!(out, "- steps: {}", state.steps.len());
        let _ = writeln!(out, "- success: {}", self.count(StepStatus::Success));
        let _ = writeln!(out, "- failure: {}", self.count(StepStatus::Error));
        let _ = writeln!(out, "- in_doubt: {}", self.count(StepStatus::InDoubt));
        let _ = writeln!(out, "- other: {others}");
        let _ = writeln!(out, "- total_step_retries: {}", state.counters.step_retry_count);
        let _ = writeln!(out, "- total_task_replans: {}\n", state.counters.task_replan_count);
    }

    fn successes(&self, out: &mut String) {
        self.heading(out, self.words.succeeded, self.count(StepStatus::Success));
        let mut steps: Vec<&Step> = self.steps(StepStatus::Success).collect();
        steps.sort_by_key(|step| self.ended.get(&step.plan.id));
        for step in steps {
            self.success(out, step);
        }
    }

    fn success(&self, out: &mut String, step: &Step) {
        let (words, context) = (self.words, &self.accounts.state.context);
        let index = context.index_of(step.plan.id.as_str());
        let fields: Vec<&str> = index
            .map(|index| context.synced_fields(index).iter().map(|field| &**field).collect())
            .unwrap_or_default();
        let _ = writeln!(out, "### {}\n", step.plan.id);
        self.common(out, step);
        if let Some(result) = index.and_then(|index| context.result(index)) {
            let simulated = self.simulated(step);
            let _ = writeln!(out, "- {}{simulated}: {}", words.output, shown(&result.output));
        }
        let how = self.accounts.how(&step.plan.id);
        if how != StepResolution::Called {
            let _ = writeln!(out, "- {}: {}", words.origin, how.words(self.lang));
        }
        let _ = writeln!(out, "- {}: {}\n", words.fields, or_none(&fields.join(", "), words));
    }

    fn simulated(&self, step: &Step) -> &'static str {
        if self.accounts.is_simulated(&step.plan.id) { self.words.simulated } else { "" }
    }

    /// Renders the steps with this status, each with all its failed attempts and its final fault.
    fn unsuccessful(&self, out: &mut String, status: StepStatus, heading: &str) {
        self.heading(out, heading, self.count(status));
        for step in self.steps(status) {
            let id = &step.plan.id;
            let attempts: Vec<&FailedAttempt<'_>> =
                self.failures.iter().filter(|failure| failure.step == id).collect();
            for failure in &attempts {
                self.failure(out, step, failure);
            }
            let told = attempts.last().map(|failure| failure.fault);
            if let Some(fault) = step.fault.as_ref().filter(|fault| told != Some(*fault)) {
                self.failure(
                    out,
                    step,
                    &FailedAttempt { step: id, attempt: 0, fault, reflection: None },
                );
            }
        }
    }

    fn failure(&self, out: &mut String, step: &Step, failure: &FailedAttempt<'_>) {
        let (words, fault) = (self.words, failure.fault);
        let later = if step.status == StepStatus::Success { words.later } else { "" };
        let attempt = match failure.attempt {
            0 => String::new(),
            attempt => format!(" #{attempt}"),
        };
        let _ = writeln!(out, "### {}{attempt}{later}\n", failure.step);
        self.common(out, step);
        let _ = writeln!(out, "- {}: {} ({})", words.error, fault.message(self.lang), fault.code());
        // A call in doubt has no advice before its effect is known.
        if step.status != StepStatus::InDoubt {
            let next = || fault.next(self.lang).to_owned();
            let advice = failure.reflection.map_or_else(next, suggestion);
            let _ = writeln!(out, "- {}: {advice}", words.advice);
        }
        self.question(out, step);
        let _ = writeln!(out);
    }

    fn others(&self, out: &mut String) {
        let steps: Vec<&Step> =
            self.accounts.state.steps.iter().filter(|step| is_other(step)).collect();
        if steps.is_empty() {
            return;
        }
        self.heading(out, self.words.others, steps.len());
        for step in steps {
            let status = serde_json::to_value(step.status).unwrap_or_default();
            let _ = writeln!(out, "### {} {}\n", step.plan.id, status.as_str().unwrap_or_default());
            self.common(out, step);
            self.question(out, step);
            let _ = writeln!(out);
        }
    }

    /// Renders failed attempts of steps that succeeded or went on since.
    fn earlier(&self, out: &mut String) {
        let step = |failure: &FailedAttempt<'_>| self.accounts.state.step(failure.step.as_str());
        let further = |step: &&Step| step.status == StepStatus::Success || is_other(step);
        let earlier: Vec<(&Step, &FailedAttempt<'_>)> = self
            .failures
            .iter()
            .filter_map(|failure| Some((step(failure).filter(further)?, failure)))
            .collect();
        if earlier.is_empty() {
            return;
        }
        self.heading(out, self.words.earlier, earlier.len());
        for (step, failure) in earlier {
            self.failure(out, step, failure);
        }
    }

    fn question(&self, out: &mut String, step: &Step) {
        let mut open = self.accounts.state.questions.values();
        if let Some(question) = open.find(|open| open.step.as_ref() == Some(&step.plan.id)) {
            let kind = question.about.kind();
            let (waits, id) = (self.words.waits, &question.id);
            let _ = writeln!(out, "- {waits}: {id} ({kind}): `praxis answer {id}`");
        }
    }

    fn common(&self, out: &mut String, step: &Step) {
        let words = self.words;
        // A step of a flow has incoming edges; two of them may start at the same step.
        let ways = step.plan.ways().iter().map(|way| &way.from);
        let mut ids: Vec<&str> =
            step.plan.depends_on.iter().chain(ways).map(StepId::as_str).collect();
        ids.dedup();
        let _ = writeln!(out, "- {}: {}", words.description, or_none(&step.plan.name, words));
        let _ = writeln!(out, "- {}: {}{}", words.tool, step.tool(), self.simulated(step));
        let _ = writeln!(out, "- {}: {}", words.input, masked(&step.plan.parameters));
        let _ = writeln!(out, "- {}: {}", words.depends, or_none(&ids.join(", "), words));
    }
}

/// Renders a reflection: `the day is wrong (retry_with_params)`.
fn suggestion(reflection: &StepReflection) -> String {
    let (cause, action) = (reflection.root_cause.trim(), reflection.suggested_action.word());
    format!("{cause} ({action})").trim_start().to_owned()
}

fn or_none<'a>(text: &'a str, words: &HistoryWords) -> &'a str {
    if text.is_empty() { words.none } else { text }
}

fn shown(output: &Payload) -> String {
    let text = match output.whole() {
        PayloadValue::Value(Value::String(text)) => text.clone(),
        PayloadValue::Value(value) => masked(value).to_string(),
        PayloadValue::InBlob { stored, .. } => {
            format!("{} … ({} bytes)", stored.preview, stored.bytes)
        }
    };
    let cut: String = text.chars().take(OUTPUT_CHARS).collect();
    if cut.len() < text.len() { format!("{cut} …") } else { cut }
}
