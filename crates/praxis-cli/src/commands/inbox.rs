//! `praxis inbox`: lists the open questions.

use crate::args::Inbox;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::view::origin::{asked, assignment, at_stake, how_to_answer, outcome};
use crate::view::state_words::said;
use crate::view::text::{Paint, comma, cut, headed, pad};
use crate::view::value_words::wanted;
use praxis_adapters::sqlite::JournalReader;
use praxis_adapters::sqlite::reader::OpenQuestion;
use praxis_core::journal::question::{Question, QuestionSubject};
use praxis_core::lang::Lang;
use praxis_core::recover::fill::{leaf, names_missed, written};
use praxis_core::state::State;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Maximum width of a parameter's template, in columns.
const MOST_WRITTEN: usize = 300;

pub(crate) fn run(context: &CliContext, inbox: &Inbox) -> Result<ExitCode, CommandFailure> {
    let nothing = context.say("no open questions", "没有待回答的问题");
    if !context.has_tasks()? {
        note!("{nothing}");
        return Ok(ExitCode::SUCCESS);
    }
    let reader = context.reader()?;
    let waiting = reader.questions(inbox.most)?;
    let is_cut = waiting.len() >= inbox.most as usize;
    if waiting.is_empty() && !context.json {
        note!("{nothing}");
    }
    for one in waiting {
        if context.json {
            let told = OpenQuestion { question: one.question.told(), ..one };
            out!("{}", serde_json::to_string(&told).unwrap_or_default());
        } else {
            print_question(context, &reader, &one);
        }
    }
    if is_cut && !context.json {
        let (most, more) = (inbox.most, inbox.most.saturating_mul(10));
        let en =
            format!("showing the oldest {most}; there may be more: run `praxis inbox -n {more}`");
        let zh = format!("只显示最早的 {most} 个，可能还有更多：运行 `praxis inbox -n {more}`");
        note!("{}", context.say(en, zh));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_question(context: &CliContext, reader: &JournalReader, one: &OpenQuestion) {
    let paint = Paint(context.colors);
    let step = one.question.step.as_ref().map(ToString::to_string).unwrap_or_default();
    let kind = match context.lang {
        Lang::En => one.question.about.kind(),
        Lang::Zh => said(one.question.about.kind(), Lang::Zh),
    };
    let head = format!("{}  {kind}  {}  {step}", one.question.id, one.task);
    out!("{} {head}  {}", paint.yellow("?"), paint.faint(&cut(&one.goal, 40)));
    if let Some(ms) = one.question.within_ms {
        let until = one.asked_at.plus_ms(ms);
        let (en, zh) = outcome(&one.question);
        let (en, zh) =
            (format!("if unanswered by {until}: {en}"), format!("若 {until} 前无人回答，则{zh}"));
        out!("  {}", paint.faint(&context.say(en, zh)));
    }
    match &one.question.about {
        QuestionSubject::Param { .. } => {
            out!("  {}", asked(&one.question, context.lang));
            print_fields(context, reader, one);
        }
        QuestionSubject::InDoubt { tool, key, started_at, fault } => {
            let (en, zh) = (
                format!("{tool} started at {started_at} with idempotency key {key}:"),
                format!("{tool} 于 {started_at} 开始，幂等键为 {key}："),
            );
            out!("  {}", headed(context.lang, (&en, &zh), &fault.message(context.lang)));
            out!("  {}", how_to_answer(&one.question));
        }
        QuestionSubject::Approval { tool, arguments, key, .. } => {
            out!("  {tool} {} {}", context.say("with", "参数"), cut(&arguments.to_string(), 160));
            if let Some(risk) = at_stake(&one.question, context.lang) {
                out!("  {risk} · {} {key}", context.say("idempotency key", "幂等键"));
            }
            out!("  {}", how_to_answer(&one.question));
        }
        QuestionSubject::Time { .. } => out!("  {}", how_to_answer(&one.question)),
        QuestionSubject::Budget { .. }
        | QuestionSubject::Plan { .. }
        | QuestionSubject::Help { .. } => {
            out!("  {}", asked(&one.question, context.lang));
            out!("  {}", how_to_answer(&one.question));
        }
    }
}

/// Prints each parameter with its template and the missing values, and the `praxis answer` command.
fn print_fields(context: &CliContext, reader: &JournalReader, one: &OpenQuestion) {
    let QuestionSubject::Param { fields, .. } = &one.question.about else { return };
    // A journal that cannot be read is reported by `praxis show`; the question can still be answered.
    let state = reader.entries(&one.task, 0).ok().and_then(|all| State::replay(&all).ok());
    let state = state.unwrap_or_default();
    for (pointer, schema) in fields {
        let name = pointer.trim_start_matches('/');
        let text = as_written(&state, &one.question, pointer);
        out!("  {} {}", pad(name, 16), cut(text.as_deref().unwrap_or("…"), MOST_WRITTEN));
        let head = lacks(context, &one.question, pointer);
        out!("  {} {head} · {}", pad("", 16), wanted(schema, context.lang));
    }
    let keys = keys(&state, &one.question, fields);
    let words: Vec<String> = keys.iter().map(|(key, schema)| assignment(key, schema)).collect();
    out!("  praxis answer {} {}", one.question.id, words.join(" "));
}

/// Describes the problem of a parameter.
fn lacks(context: &CliContext, question: &Question, pointer: &str) -> String {
    let form = match &question.about {
        QuestionSubject::Param { form, .. } => form.as_ref(),
        _ => None,
    };
    let names = names_missed(question, pointer).join(comma(context.lang));
    if !names.is_empty() {
        return context.say(format!("missing value for {names}"), format!("缺少 {names} 的值"));
    }
    if form.is_some_and(|form| form.known.pointer(pointer).is_some()) {
        return context.say("the current value is invalid", "当前值不符合要求");
    }
    context.say("missing value", "缺少值")
}

/// Returns the names that an answer assigns values to, without duplicates, with their schemas. A parameter that
/// consists of a single placeholder is asked for under its own name.
pub(super) fn keys(
    state: &State,
    question: &Question,
    fields: &BTreeMap<String, Value>,
) -> Vec<(String, Value)> {
    let mut keys: Vec<(String, Value)> = Vec::new();
    for (pointer, schema) in fields {
        let missed = names_missed(question, pointer);
        let text = as_written(state, question, pointer);
        let is_whole =
            matches!(missed.as_slice(), [] | [_]) && text.is_none_or(|text| is_one(&text));
        let named = if is_whole {
            vec![(pointer.trim_start_matches('/').to_owned(), schema.clone())]
        } else {
            let any = |name: &str| (name.to_owned(), Value::Bool(true));
            missed.into_iter().map(any).collect()
        };
        for (key, schema) in named {
            if !keys.iter().any(|(known, _)| *known == key) {
                keys.push((key, schema));
            }
        }
    }
    keys
}

/// Returns the template of a parameter, with its placeholders.
fn as_written(state: &State, question: &Question, pointer: &str) -> Option<String> {
    let step = state.step(question.step.as_ref()?.as_str())?;
    written(leaf(&step.template, pointer)?)
}

/// Returns true if the text is exactly one placeholder.
fn is_one(text: &str) -> bool {
    let braces = text.matches("{{").count() + text.matches("${").count();
    braces == 1 && (text.starts_with("{{") || text.starts_with("${")) && text.ends_with('}')
}
