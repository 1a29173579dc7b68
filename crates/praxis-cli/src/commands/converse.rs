//! Asks the person at the terminal what a task asks, right there.
//!
//! - in: a task that waits
//! - out: the order that answers one of its questions; none if the person leaves it for later
//! - never: answers by itself

use super::answer::{amount, pointer};
use super::edit::{edited, open_plan};
use super::run::whoami;
use crate::failure::Failure;
use crate::home::Desk;
use crate::inputs;
use crate::view::origin::asked;
use crate::view::yaml::yaml;
use praxis_core::ask::price::Money;
use praxis_core::ids::{TaskId, ToolId};
use praxis_core::recover::question::{About, Answer, Question};
use praxis_core::state::State;
use praxis_core::time::parse_span_ms;
use praxis_engine::order::Order;
use serde_json::Value;
use std::collections::BTreeMap;

/// What came of it.
pub(crate) enum Said {
    /// An answer.
    Answer(Order),
    /// Later.
    Nothing,
    /// Ctrl-C.
    Interrupted,
}

/// Asks the first question of a task.
pub(crate) async fn converse(desk: &Desk, state: &State, task: &TaskId) -> Said {
    let Some(question) = state.questions.values().next() else { return Said::Nothing };
    if state.questions.len() > 1 {
        note!("{}  {}", question.id, asked(question, desk.lang));
    }
    loop {
        let answer = tokio::select! {
            answer = answer(desk, state, question) => answer,
            _ = tokio::signal::ctrl_c() => return Said::Interrupted,
        };
        match answer {
            Ok(None) => return Said::Nothing,
            Ok(Some(answer)) => match question.check(&answer) {
                Ok(()) => {
                    let (task, question) = (task.clone(), question.id.clone());
                    return Said::Answer(Order::Answer { task, question, answer, by: whoami() });
                }
                Err(errors) => {
                    for error in &errors {
                        note!("  {}: {}", error.pointer, error.detail);
                    }
                }
            },
            Err(failure) => {
                failure.report(false, desk.lang);
            }
        }
    }
}

/// What a person says; none for later.
async fn answer(
    desk: &Desk,
    state: &State,
    question: &Question,
) -> Result<Option<Answer>, Failure> {
    match &question.about {
        About::Param { fields, .. } => values(desk, fields).await,
        About::InDoubt { .. } => in_doubt(desk).await,
        About::Approval { .. } => {
            let prompt = desk.say("[y]es, [n]o", "[y] 同意，[n] 拒绝");
            Ok(match line(desk, &prompt).await.as_deref() {
                Some("y" | "yes" | "是") => Some(Answer::Approve),
                Some("n" | "no" | "否") => Some(denied()),
                _ => None,
            })
        }
        About::Plan { .. } => plan(desk, state, question).await,
        About::Time { .. } => {
            let prompt = desk.say(
                "how much longer, such as 30m; [n] to give up",
                "再给多少时间，如 30m；[n] 放弃",
            );
            let Some(text) = line(desk, &prompt).await else { return Ok(None) };
            if text == "n" {
                return Ok(Some(denied()));
            }
            let ms = parse_span_ms(&text).filter(|ms| *ms > 0);
            ms.map(|ms| Some(Answer::MoreTime { ms })).ok_or_else(|| super::run::no_span(&text))
        }
        About::Budget { .. } => budget(desk).await,
        About::Help { .. } => {
            let prompt = desk.say(
                "words that help, [s] to end with what is there, [n] to give up",
                "请给出建议，[s] 以现有结果结束，[n] 放弃",
            );
            Ok(line(desk, &prompt).await.map(|text| match text.as_str() {
                "s" => Answer::Settle,
                "n" => denied(),
                _ => Answer::Advise { text },
            }))
        }
    }
}

fn denied() -> Answer {
    Answer::GiveUp { reason: "denied at the terminal".to_owned() }
}

async fn plan(desk: &Desk, state: &State, question: &Question) -> Result<Option<Answer>, Failure> {
    let prompt = desk.say(
        "[y]es, [n]o, [e]dit, [s]how it whole, [w]hy",
        "[y] 执行，[n] 拒绝，[e] 编辑，[s] 显示全文，[w] 原因",
    );
    loop {
        match line(desk, &prompt).await.as_deref() {
            Some("y" | "yes" | "是") => return Ok(Some(Answer::Approve)),
            Some("n" | "no" | "否") => return Ok(Some(denied())),
            Some("e" | "edit") => {
                let plan = tokio::task::block_in_place(|| edited(desk, state, &question.id))?;
                if let Some(plan) = plan {
                    return Ok(Some(Answer::Edit { plan }));
                }
                note!("{}", desk.say("the plan is as it was", "计划没有改动"));
            }
            Some("s" | "show") => note!("{}", yaml(&open_plan(state)).trim_end()),
            Some("w" | "why") => tell_why(desk, state),
            _ => return Ok(None),
        }
    }
}

/// Why these tools, and what the plan came from.
fn tell_why(desk: &Desk, state: &State) {
    let Some(course) = state.goal.as_deref() else { return };
    if let Some(selection) = &course.selection {
        let tools: Vec<&str> = selection.tools.iter().map(ToolId::as_str).collect();
        note!("{} {}", desk.say("tools:", "工具："), tools.join(", "));
        if !selection.reasoning.is_empty() {
            note!("{} {}", desk.say("why:", "原因："), selection.reasoning);
        }
    }
    if !course.said_last.reflection.is_empty() {
        note!("{} {}", desk.say("reflection:", "反思："), course.said_last.reflection);
    }
}

async fn values(desk: &Desk, fields: &BTreeMap<String, Value>) -> Result<Option<Answer>, Failure> {
    let mut values = BTreeMap::new();
    for field in fields.keys() {
        let name = field.trim_start_matches('/');
        let Some(text) = line(desk, name).await else { return Ok(None) };
        values.insert(pointer(field), inputs::param(name, &text)?);
    }
    Ok(Some(Answer::Values { values }))
}

async fn in_doubt(desk: &Desk) -> Result<Option<Answer>, Failure> {
    let prompt = desk.say(
        "[y] it took effect, [n] it did not, [a]gain as a new effect, [g]ive up",
        "[y] 已生效，[n] 未生效，[a] 作为新的操作再执行，[g] 放弃",
    );
    Ok(match line(desk, &prompt).await.as_deref() {
        Some("y") => {
            let prompt = desk.say("its output as JSON", "其输出（JSON）");
            let Some(text) = line(desk, &prompt).await else { return Ok(None) };
            Some(Answer::Done { output: inputs::param("output", &text)? })
        }
        Some("n") => Some(Answer::NotDone),
        Some("a") => Some(Answer::DoAgain),
        Some("g") => Some(denied()),
        _ => None,
    })
}

async fn budget(desk: &Desk) -> Result<Option<Answer>, Failure> {
    let prompt = desk.say(
        "how much more, such as 20k or CNY0.5; [s] to end with what is there, [n] to give up",
        "再给多少，如 20k 或 CNY0.5；[s] 以现有结果结束，[n] 放弃",
    );
    let Some(text) = line(desk, &prompt).await else { return Ok(None) };
    match text.as_str() {
        "s" => return Ok(Some(Answer::Settle)),
        "n" => return Ok(Some(denied())),
        _ => {}
    }
    let more = Money::parse(&text).map(|money| money.micros).or_else(|| amount(&text));
    let more = more.filter(|by| *by > 0).ok_or_else(|| super::answer::no_amount(&text))?;
    Ok(Some(Answer::Raise { by: more }))
}

/// A line that a person types; none if they type nothing.
async fn line(desk: &Desk, prompt: &str) -> Option<String> {
    let later = desk.say("enter: later", "回车：稍后");
    crate::say::print_note(&format!("  {prompt} ({later}) > "));
    let (send, typed) = tokio::sync::oneshot::channel();
    // A thread of its own: one of the runtime's would keep the process from ending.
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = std::io::stdin().read_line(&mut text);
        let _ = send.send(read.ok().filter(|bytes| *bytes > 0).map(|_| text));
    });
    let text = typed.await.ok().flatten()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
