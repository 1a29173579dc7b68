//! `praxis inbox`, `answer`, `cancel`, `resume`, `retry`: one order each.

use super::run::{no_span, whoami};
use crate::args::{Answer, Cancel, Inbox, Resume, Retry, Which, With};
use crate::failure::{Exit, Failure};
use crate::home::{Desk, runtime};
use crate::view::text::{Paint, cut, pad};
use crate::{inputs, office};
use praxis_adapters::sqlite::Reader;
use praxis_adapters::sqlite::reader::Waiting;
use praxis_core::fault::Lang;
use praxis_core::ids::StepId;
use praxis_core::recover::question::{About, Answer as Said};
use praxis_core::time::parse_span_ms;
use praxis_engine::order::Order;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

/// The questions that wait.
pub(crate) fn inbox(desk: &Desk, inbox: &Inbox) -> Result<ExitCode, Failure> {
    if !desk.folder.database().exists() {
        note!("nothing waits");
        return Ok(ExitCode::SUCCESS);
    }
    let waiting = desk.reader()?.questions(inbox.most)?;
    let is_cut = waiting.len() >= inbox.most as usize;
    if waiting.is_empty() && !desk.json {
        note!("nothing waits");
    }
    for one in waiting {
        if desk.json {
            out!("{}", serde_json::to_string(&one).unwrap_or_default());
        } else {
            print_question(desk, &one);
        }
    }
    if is_cut && !desk.json {
        note!(
            "these are the oldest {}; there may be more: praxis inbox -n {}",
            inbox.most,
            inbox.most.saturating_mul(10)
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn print_question(desk: &Desk, one: &Waiting) {
    let paint = Paint(desk.colors);
    let step = one.question.step.as_ref().map(ToString::to_string).unwrap_or_default();
    let head = format!("{}  {}  {}  {step}", one.question.id, one.question.about.kind(), one.task);
    out!("{} {head}  {}", paint.yellow("?"), paint.faint(&cut(&one.goal, 40)));
    let id = &one.question.id;
    match &one.question.about {
        About::Param { fault, fields } => {
            out!("  {}", fault.message(desk.lang));
            for (pointer, schema) in fields {
                let wanted = wanted(schema, desk.lang);
                out!("  {} {}", pad(pointer.trim_start_matches('/'), 16), cut(&wanted, 80));
            }
            let keys: Vec<String> = fields
                .keys()
                .map(|pointer| format!("{}=…", pointer.trim_start_matches('/')))
                .collect();
            out!("  praxis answer {id} {}", keys.join(" "));
        }
        About::InDoubt { tool, key, started_at, fault } => {
            out!("  {} began at {started_at} with key {key}: {}", tool, fault.message(desk.lang));
            out!("  praxis answer {id} --done JSON | --not-done | --again | --give-up REASON");
        }
        About::Approval { tool, arguments, .. } => {
            out!("  {tool} with {}", cut(&arguments.to_string(), 160));
            out!("  praxis answer {id} --approve | --deny REASON");
        }
        About::Time { .. } => out!("  praxis answer {id} --more 30m | --give-up REASON"),
    }
}

/// What a value must be: its schema, unless that says nothing.
fn wanted(schema: &Value, lang: Lang) -> String {
    match (schema, lang) {
        (Value::Bool(true), Lang::En) => "any value".to_owned(),
        (Value::Bool(true), Lang::Zh) => "任意值".to_owned(),
        (schema, _) => schema.to_string(),
    }
}

/// Answers a question.
pub(crate) fn answer(desk: &Desk, answer: &Answer) -> Result<ExitCode, Failure> {
    let waiting = find_question(&desk.reader()?, &answer.question)?;
    let said = said(answer, &waiting)?;
    let (task, question) = (waiting.task, waiting.question.id);
    carry_out(desk, &Order::Answer { task, question, answer: said, by: whoami() })
}

fn find_question(reader: &Reader, word: &str) -> Result<Waiting, Failure> {
    if word.trim().is_empty() {
        return Err(Failure::usage("usage", ("the question is empty", "问题为空"))
            .next(("`praxis inbox` lists the questions", "`praxis inbox` 列出问题")));
    }
    let full = if word.starts_with("q_") { word.to_owned() } else { format!("q_{word}") };
    let mut found = reader.questions_by_prefix(&full)?;
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => {
            let words = (format!("`{word}` is not unique"), format!("`{word}` 不唯一"));
            Err(Failure::usage("ambiguous_question", words))
        }
        (None, _) => {
            let words = (
                format!("no open question begins with `{word}`; the first valid answer counts"),
                format!("没有以 `{word}` 开头的待答问题；以第一个有效回答为准"),
            );
            Err(Failure::new(Exit::NotFound, "question_not_open", words))
        }
    }
}

fn said(answer: &Answer, waiting: &Waiting) -> Result<Said, Failure> {
    if let Some(reason) = &answer.give_up {
        return Ok(Said::GiveUp { reason: reason.clone() });
    }
    if let Some(output) = &answer.done {
        return Ok(Said::Done { output: inputs::param("--done", output)? });
    }
    if answer.not_done {
        return Ok(Said::NotDone);
    }
    if answer.again {
        return Ok(Said::DoAgain);
    }
    if answer.approve {
        return Ok(Said::Approve);
    }
    if let Some(more) = &answer.more {
        let ms = parse_span_ms(more).filter(|ms| *ms > 0);
        let bad = || no_span(&format!("--more {more}"));
        return Ok(Said::MoreTime { ms: ms.ok_or_else(bad)? });
    }
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    if let Some(path) = &answer.file {
        let read = inputs::read_params(path)?;
        let words =
            ("--values wants an object of names and values", "--values 需要由名称和值组成的对象");
        let map = read.as_object().ok_or_else(|| Failure::usage("params_shape", words))?;
        values.extend(map.iter().map(|(key, value)| (pointer(key), value.clone())));
    }
    for pair in &answer.values {
        let (key, value) = pair.split_once('=').ok_or_else(|| inputs::no_pair(pair))?;
        values.insert(pointer(key), inputs::param(key, value)?);
    }
    if values.is_empty() {
        let kind = waiting.question.about.kind();
        let words = (
            format!("say what the answer to this question about {kind} is"),
            format!("请给出此问题（{kind}）的回答"),
        );
        return Err(Failure::usage("no_answer", words));
    }
    Ok(Said::Values { values })
}

fn pointer(key: &str) -> String {
    if key.starts_with('/') { key.to_owned() } else { format!("/{key}") }
}

/// Stops a task.
pub(crate) fn cancel(desk: &Desk, cancel: &Cancel) -> Result<ExitCode, Failure> {
    let task = desk.task(&desk.reader()?, &cancel.which)?;
    runtime()?.block_on(async {
        let order =
            Order::Cancel { task: task.clone(), reason: cancel.reason.clone(), by: whoami() };
        let done = office::order(desk, &order).await?;
        // The order was to stop it, so a stopped task is a success.
        office::see_through(desk, done, &task).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Takes up what was interrupted.
pub(crate) fn resume(desk: &Desk, resume: &Resume) -> Result<ExitCode, Failure> {
    if resume.task.is_some() || resume.last {
        let which = Which { task: resume.task.clone(), last: resume.last };
        let task = desk.task(&desk.reader()?, &which)?;
        return carry_out(desk, &Order::Resume { task: Some(task) });
    }
    runtime()?.block_on(async {
        let done = office::order(desk, &Order::Resume { task: None }).await?;
        if let Some(owner) = done.owner {
            office::leave(owner).await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Takes up a failed or cancelled task again.
pub(crate) fn retry(desk: &Desk, retry: &Retry) -> Result<ExitCode, Failure> {
    let task = desk.task(&desk.reader()?, &retry.which)?;
    let current = match retry.with {
        With::Original => None,
        With::Current => Some(Arc::new(inputs::toolbox(desk, &retry.tools)?)),
    };
    let from = retry.from.as_deref().map(StepId::from);
    carry_out(desk, &Order::Retry { task, from, current, by: whoami() })
}

/// Gets the order carried out and follows its task.
fn carry_out(desk: &Desk, order: &Order) -> Result<ExitCode, Failure> {
    runtime()?.block_on(async {
        let done = office::order(desk, order).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        office::see_through(desk, done, &task).await
    })
}
