//! Asks the questions of a task at the terminal.
//!
//! - in: a waiting task
//! - out: the order that answers one of its questions; nothing if the person leaves it for later
//! - never: answers by itself

use super::answer::{example, raise};
use super::approve::approve;
use super::edit::{edited, open_plan};
use super::form::values;
use super::run::whoami;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::inputs;
use crate::view::goal_lines::speaking;
use crate::view::origin::{asked, typed};
use crate::view::text::{comma, enclosed, headed, sanitize};
use crate::view::yaml::yaml;
use praxis_core::budget::limit::{BudgetLimit, LimitReached};
use praxis_core::field_error::FieldError;
use praxis_core::ids::{TaskId, ToolId};
use praxis_core::journal::question::{Question, QuestionAnswer, QuestionSubject};
use praxis_core::lang::Lang;
use praxis_core::state::State;
use praxis_core::time::parse_span_ms;
use praxis_engine::order::ClientOrder;

/// Maximum characters of typed text that are echoed.
const MAX_SHOWN: usize = 60;

/// Words for yes and for no.
pub(super) const YES: &[&str] = &["y", "yes", "是"];
pub(super) const NO: &[&str] = &["n", "no", "否"];

/// Result of asking a person.
pub(crate) enum ConverseOutcome {
    /// An answer.
    Answer(ClientOrder),
    /// Left for later.
    Nothing,
    /// Interrupted with Ctrl-C.
    Interrupted,
}

/// Asks the first open question of a task.
pub(crate) async fn converse(
    context: &CliContext,
    state: &State,
    task: &TaskId,
) -> ConverseOutcome {
    let Some(question) = state.questions.values().next() else { return ConverseOutcome::Nothing };
    if state.questions.len() > 1 {
        note!("{}  {}", question.id, asked(question, context.lang));
    }
    loop {
        let answer = tokio::select! {
            answer = answer(context, state, question) => answer,
            _ = tokio::signal::ctrl_c() => return ConverseOutcome::Interrupted,
        };
        match answer {
            Ok(None) => return ConverseOutcome::Nothing,
            Ok(Some(answer)) => match question.check(&answer) {
                Ok(()) => {
                    let (task, question) = (task.clone(), question.id.clone());
                    return ConverseOutcome::Answer(ClientOrder::Answer {
                        task,
                        question,
                        answer,
                        by: whoami(),
                    });
                }
                Err(errors) => tell_unfit(&errors, context.lang),
            },
            Err(failure) => {
                failure.report(false, context.lang);
            }
        }
    }
}

/// Prints why an answer is invalid, field by field. The question is asked again.
pub(super) fn tell_unfit(errors: &[FieldError], lang: Lang) {
    for error in errors {
        let pointer = &error.pointer;
        let place = if pointer.starts_with('/') { typed(pointer) } else { pointer.clone() };
        let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
        note!("  {}", sanitize(&format!("{at}{}", error.text(lang)), crate::failure::MOST_COLUMNS));
    }
}

/// Asks for the answer to a question; `None` to answer later.
async fn answer(
    context: &CliContext,
    state: &State,
    question: &Question,
) -> Result<Option<QuestionAnswer>, CommandFailure> {
    match &question.about {
        QuestionSubject::Param { fields, .. } => values(context, state, question, fields).await,
        QuestionSubject::InDoubt { .. } => in_doubt(context).await,
        QuestionSubject::Approval { .. } => approve(context).await,
        QuestionSubject::Plan { .. } => plan(context, state, question).await,
        QuestionSubject::Time { .. } => {
            let prompt = context.say(
                "how much more time, such as 30m; [n] to give up",
                "要延长多少时间（如 30m）；[n] 放弃",
            );
            let Some(text) = line(context, &prompt).await else { return Ok(None) };
            if text == "n" {
                return Ok(Some(denied()));
            }
            let ms = parse_span_ms(&text).filter(|ms| *ms > 0);
            ms.map(|ms| Some(QuestionAnswer::MoreTime { ms }))
                .ok_or_else(|| super::run::no_span("", &text))
        }
        QuestionSubject::Budget { hit } => budget(context, state, *hit).await,
        QuestionSubject::Help { .. } => {
            let prompt = context.say(
                "type your advice, [s] to finish with the results so far, [n] to give up",
                "请输入建议，[s] 以现有结果结束，[n] 放弃",
            );
            Ok(line(context, &prompt).await.map(|text| match text.as_str() {
                "s" => QuestionAnswer::Settle,
                "n" => denied(),
                _ => QuestionAnswer::Advise { text },
            }))
        }
    }
}

pub(super) fn denied() -> QuestionAnswer {
    QuestionAnswer::GiveUp { reason: "denied at the terminal".to_owned() }
}

async fn plan(
    context: &CliContext,
    state: &State,
    question: &Question,
) -> Result<Option<QuestionAnswer>, CommandFailure> {
    let prompt = context.say(
        "[y]es, [n]o, [e]dit, [s]how in full, [w]hy",
        "[y] 执行，[n] 拒绝，[e] 编辑，[s] 显示全文，[w] 原因",
    );
    loop {
        let ways = [YES, NO, &["e", "edit"], &["s", "show"], &["w", "why"]];
        match chosen(context, &prompt, &ways).await {
            None => return Ok(None),
            Some(0) => return Ok(Some(QuestionAnswer::Approve)),
            Some(1) => return Ok(Some(denied())),
            Some(2) => {
                let plan = tokio::task::block_in_place(|| edited(context, state, &question.id))?;
                if let Some(plan) = plan {
                    return Ok(Some(QuestionAnswer::Edit { plan }));
                }
                note!("{}", context.say("the plan is unchanged", "计划没有改动"));
            }
            Some(3) => note!("{}", yaml(&open_plan(state)).trim_end()),
            Some(_) => tell_why(context, state),
        }
    }
}

/// Prints the selected tools, the reason for them, and the last reflection.
fn tell_why(context: &CliContext, state: &State) {
    let Some(goal_state) = state.goal.as_deref() else { return };
    if let Some(selection) = &goal_state.planning.selection {
        let tools: Vec<&str> = selection.tools.iter().map(ToolId::as_str).collect();
        let tools = tools.join(comma(context.lang));
        note!("{}", headed(context.lang, ("tools:", "工具："), &tools));
        if !selection.reasoning.is_empty() {
            note!("{}", headed(context.lang, ("why:", "原因："), &selection.reasoning));
        }
        if let Some(found) = speaking(selection, context.lang) {
            note!("{found}");
        }
    }
    if !goal_state.recovery.said_last.reflection.is_empty() {
        let said = &goal_state.recovery.said_last.reflection;
        note!("{}", headed(context.lang, ("reflection:", "反思："), said));
    }
}

async fn in_doubt(context: &CliContext) -> Result<Option<QuestionAnswer>, CommandFailure> {
    let prompt = context.say(
        "[y] it took effect, [n] it did not, [a] run it again as a new call, [g]ive up",
        "[y] 已生效，[n] 未生效，[a] 重新调用（可能重复生效），[g] 放弃",
    );
    let way = chosen(context, &prompt, &[YES, NO, &["a", "again"], &["g", "give up"]]).await;
    Ok(match way {
        None => None,
        Some(0) => {
            let prompt = context.say("output of the call as JSON", "该调用的输出（JSON）");
            let Some(text) = line(context, &prompt).await else { return Ok(None) };
            Some(QuestionAnswer::Done { output: inputs::param("output", &text)? })
        }
        Some(1) => Some(QuestionAnswer::NotDone),
        Some(2) => Some(QuestionAnswer::DoAgain),
        Some(_) => Some(denied()),
    })
}

/// Asks for the amount by which to raise a limit, in its own unit.
async fn budget(
    context: &CliContext,
    state: &State,
    hit: LimitReached,
) -> Result<Option<QuestionAnswer>, CommandFailure> {
    if hit.wall == BudgetLimit::UnknownPrice {
        return Ok(unpriced(context).await);
    }
    let money = state.goal_spec().and_then(|spec| spec.budget.money.as_ref());
    let currency = money.map(|money| money.currency.as_str());
    let example = example(hit.wall, currency);
    let prompt = context.say(
        format!("how much more, such as {example}; [s] to finish with the results so far, [n] to give up"),
        format!("要追加多少（如 {example}）；[s] 以现有结果结束，[n] 放弃"),
    );
    let Some(text) = line(context, &prompt).await else { return Ok(None) };
    match text.as_str() {
        "s" => Ok(Some(QuestionAnswer::Settle)),
        "n" => Ok(Some(denied())),
        _ => Ok(Some(QuestionAnswer::Raise { by: raise(&text, hit.wall, currency)? })),
    }
}

/// Asks if a model whose price is unknown may be used.
async fn unpriced(context: &CliContext) -> Option<QuestionAnswer> {
    let prompt = context.say(
        "[y] continue without a known price, [s] to finish with the results so far, [n] to give up",
        "[y] 不知道价格也继续（金额上限将无法生效），[s] 以现有结果结束，[n] 放弃",
    );
    let way = chosen(context, &prompt, &[YES, NO, &["s"]]).await?;
    Some(match way {
        0 => QuestionAnswer::Raise { by: 1 },
        1 => denied(),
        _ => QuestionAnswer::Settle,
    })
}

/// Returns the index of the chosen option; `None` to answer later. Asks again if the text is no option.
async fn chosen(context: &CliContext, prompt: &str, ways: &[&[&str]]) -> Option<usize> {
    loop {
        let text = line(context, prompt).await?;
        let word = text.to_lowercase();
        let way = ways.iter().position(|words| words.contains(&word.as_str()));
        if way.is_some() {
            return way;
        }
        unknown(context, &text);
    }
}

/// Prints that the typed text is no option.
pub(super) fn unknown(context: &CliContext, text: &str) {
    let text = sanitize(text, MAX_SHOWN);
    let (en, zh) = (format!("unknown choice `{text}`"), format!("无此选项 `{text}`"));
    note!("  {}", context.say(en, zh));
}

/// Reads a line; `None` if it is empty or the input ends.
pub(super) async fn line(context: &CliContext, prompt: &str) -> Option<String> {
    let later = context.say("press Enter to answer later", "按回车稍后回答");
    let text = typed_line(&format!("{prompt}{}", enclosed(&later, context.lang))).await?;
    (!text.is_empty()).then_some(text)
}

/// Reads a line without the blanks around it; `None` if the input ends.
pub(super) async fn typed_line(prompt: &str) -> Option<String> {
    crate::say::print_note(&format!("  {prompt} > "));
    let (send, typed) = tokio::sync::oneshot::channel();
    // A separate thread, because one of the runtime would keep the process from exiting.
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = std::io::stdin().read_line(&mut text);
        let _ = send.send(read.ok().filter(|bytes| *bytes > 0).map(|_| text));
    });
    let text = typed.await.ok().flatten();
    if text.is_none() {
        // The end of the input leaves the line of the prompt open.
        note!("");
    }
    text.map(|text| text.trim().to_owned())
}
