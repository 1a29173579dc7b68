//! `praxis answer`: answers a question and follows its task.

use super::follow::blob;
use super::form::meant;
use super::orders::carry_out;
use super::run::{no_span, whoami};
use crate::args_act::AnswerArgs;
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::inputs;
use crate::view::state_words::said as said_kind;
use praxis_adapters::sqlite::JournalReader;
use praxis_adapters::sqlite::reader::OpenQuestion;
use praxis_core::ask::price::Money;
use praxis_core::budget::limit::BudgetLimit;
use praxis_core::dataflow::resolve::{LoadedBlobs, MissingValue, blobs_needed};
use praxis_core::journal::question::{Question, QuestionAnswer as Said, QuestionSubject};
use praxis_core::lang::Lang;
use praxis_core::recover::fill::{fill, leaf, name_of, names_missed};
use praxis_core::state::State;
use praxis_core::time::parse_span_ms;
use praxis_engine::order::ClientOrder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Answers a question.
pub(crate) fn run(context: &CliContext, answer: &AnswerArgs) -> Result<ExitCode, CommandFailure> {
    let reader = context.reader()?;
    let waiting = find_question(&reader, &answer.question)?;
    let said = match &answer.raise {
        Some(word) => raised(&reader, &waiting, word)?,
        None => said(answer, &waiting)?,
    };
    let is_approval = matches!(waiting.question.about, QuestionSubject::Approval { .. });
    let said = match said {
        Said::Values { .. } if is_approval && !answer.approve => return Err(no_consent()),
        Said::Values { values } => {
            Said::Values { values: with_names(context, &reader, &waiting, values)? }
        }
        other => other,
    };
    let (task, question) = (waiting.task, waiting.question.id);
    carry_out(context, &ClientOrder::Answer { task, question, answer: said, by: whoami() })
}

/// Refuses values without `--approve`: values alone do not approve the call.
fn no_consent() -> CommandFailure {
    let words = ("values alone do not approve the call", "只给出值不等于批准该调用");
    let next = (
        "add `--approve` to make the call with these values, or use `--deny REASON`",
        "加上 `--approve` 以这些值调用，或使用 `--deny 原因`",
    );
    CommandFailure::usage("bad_answer", words).next(next)
}

fn find_question(reader: &JournalReader, word: &str) -> Result<OpenQuestion, CommandFailure> {
    if word.trim().is_empty() {
        return Err(CommandFailure::usage("usage", ("the question id is empty", "问题 id 为空"))
            .next(("`praxis inbox` lists the questions", "`praxis inbox` 列出问题")));
    }
    let full = if word.starts_with("q_") { word.to_owned() } else { format!("q_{word}") };
    let mut found = reader.questions_by_prefix(&full)?;
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => {
            let words =
                (format!("`{word}` matches several questions"), format!("`{word}` 匹配多个问题"));
            Err(CommandFailure::usage("ambiguous_question", words))
        }
        (None, _) => {
            let words = (
                format!(
                    "no open question id starts with `{word}`; it may have been answered already"
                ),
                format!("没有 id 以 `{word}` 开头的待答问题；可能已有人回答"),
            );
            Err(CommandFailure::new(Exit::NotFound, "question_not_open", words))
        }
    }
}

fn said(answer: &AnswerArgs, waiting: &OpenQuestion) -> Result<Said, CommandFailure> {
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
    if answer.approve && answer.values.is_empty() {
        return Ok(Said::Approve);
    }
    if answer.skip {
        return Ok(Said::Skip);
    }
    if answer.guess {
        return Ok(Said::Guess);
    }
    if let Some(text) = &answer.words {
        return Ok(Said::Said { text: text.clone() });
    }
    if let Some(more) = &answer.more {
        let ms = parse_span_ms(more).filter(|ms| *ms > 0);
        let bad = || no_span("--more", more);
        return Ok(Said::MoreTime { ms: ms.ok_or_else(bad)? });
    }
    if let Some(said) = of_the_task(answer)? {
        return Ok(said);
    }
    given(answer, &waiting.question)
}

/// Returns the values of an answer, from its file and its arguments.
fn given(answer: &AnswerArgs, question: &Question) -> Result<Said, CommandFailure> {
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    let from_stdin = answer.values.iter().any(|word| word == "-").then(|| PathBuf::from("-"));
    if let Some(path) = answer.file.as_ref().or(from_stdin.as_ref()) {
        let read = inputs::read_params(path)?;
        let words = (
            "--values must be an object of names and values",
            "--values 必须是由名称和值组成的对象",
        );
        let map = read.as_object().ok_or_else(|| CommandFailure::usage("params_shape", words))?;
        values.extend(map.iter().map(|(key, value)| (pointer(key), value.clone())));
    }
    let asked = match &question.about {
        QuestionSubject::Param { fields, .. } => Some(fields),
        _ => None,
    };
    for pair in answer.values.iter().filter(|word| *word != "-") {
        let (key, value) = pair.split_once('=').ok_or_else(|| inputs::no_pair(pair))?;
        let at = pointer(key);
        let value = match asked.and_then(|fields| fields.get(&at)) {
            Some(schema) => meant(key, schema, value)?,
            None => inputs::param(key, value)?,
        };
        values.insert(at, value);
    }
    if values.is_empty() {
        let kind = question.about.kind();
        let words = (
            format!("no answer given to this question (kind: {kind})"),
            format!("没有给出回答；该问题的类型是“{}”", said_kind(kind, Lang::Zh)),
        );
        return Err(CommandFailure::usage("no_answer", words));
    }
    Ok(Said::Values { values })
}

/// Returns an answer that concerns the whole task, if one is given.
fn of_the_task(answer: &AnswerArgs) -> Result<Option<Said>, CommandFailure> {
    if answer.settle {
        return Ok(Some(Said::Settle));
    }
    if let Some(text) = &answer.advise {
        return Ok(Some(Said::Advise { text: text.clone() }));
    }
    if let Some(path) = &answer.plan {
        return Ok(Some(Said::Edit { plan: inputs::read_params(path)? }));
    }
    Ok(None)
}

/// Returns the answer that raises the limit of a question.
fn raised(
    reader: &JournalReader,
    waiting: &OpenQuestion,
    word: &str,
) -> Result<Said, CommandFailure> {
    let QuestionSubject::Budget { hit } = &waiting.question.about else {
        // It does not answer this question and is refused later, whatever the amount.
        return Ok(Said::Raise { by: 1 });
    };
    let state =
        State::replay(&reader.entries(&waiting.task, 0)?).map_err(CommandFailure::illegal)?;
    let money = state.goal_spec().and_then(|spec| spec.budget.money.as_ref());
    let currency = money.map(|money| money.currency.as_str());
    Ok(Said::Raise { by: raise(word, hit.wall, currency)? })
}

/// Parses an amount in the unit of a limit: money in its currency, anything else as a number.
pub(super) fn raise(
    word: &str,
    wall: BudgetLimit,
    currency: Option<&str>,
) -> Result<u64, CommandFailure> {
    let of_money = || {
        let money = Money::parse(word)?;
        currency.is_none_or(|currency| currency == money.currency).then_some(money.micros)
    };
    let by = match wall {
        BudgetLimit::Money => of_money(),
        // The amount does not matter: it only permits a model whose price is unknown.
        BudgetLimit::UnknownPrice => of_money().or_else(|| amount(word)),
        BudgetLimit::Tokens
        | BudgetLimit::Calls
        | BudgetLimit::ModelCalls
        | BudgetLimit::ToolCalls
        | BudgetLimit::Replans
        | BudgetLimit::SameCall => amount(word),
    };
    by.filter(|by| *by > 0).ok_or_else(|| {
        let (limit, example) = (wall.word(), example(wall, currency));
        let words = (
            format!("cannot raise `{limit}` by `{word}`"),
            format!("`{word}` 不是有效的数量，无法用于提高上限 `{limit}`"),
        );
        let next = (
            format!("write an amount such as `{example}`"),
            format!("请写一个数量，如 `{example}`"),
        );
        CommandFailure::usage("bad_amount", words).next(next)
    })
}

/// Returns an example amount for a limit.
pub(super) fn example(wall: BudgetLimit, currency: Option<&str>) -> String {
    match wall {
        BudgetLimit::Money => format!("{}0.5", currency.unwrap_or("CNY")),
        BudgetLimit::Tokens => "20k".to_owned(),
        BudgetLimit::UnknownPrice
        | BudgetLimit::Calls
        | BudgetLimit::ModelCalls
        | BudgetLimit::ToolCalls
        | BudgetLimit::Replans
        | BudgetLimit::SameCall => "5".to_owned(),
    }
}

/// Parses an amount such as `500`, `20k` or `1.5m`.
pub(crate) fn amount(text: &str) -> Option<u64> {
    let text = text.trim().to_lowercase();
    let (digits, unit) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1000),
        None => text.strip_suffix('m').map_or((text.as_str(), 1), |digits| (digits, 1_000_000)),
    };
    let micros = Money::read("XXX", digits)?.micros;
    micros.checked_mul(unit).filter(|n| n % 1_000_000 == 0).map(|n| n / 1_000_000)
}

/// Resolves placeholder names given instead of parameters, for a question read from the journal.
fn with_names(
    context: &CliContext,
    reader: &JournalReader,
    waiting: &OpenQuestion,
    values: BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>, CommandFailure> {
    let QuestionSubject::Param { fields, .. } = &waiting.question.about else { return Ok(values) };
    if values.keys().all(|pointer| fields.contains_key(pointer)) {
        return Ok(values);
    }
    let state =
        State::replay(&reader.entries(&waiting.task, 0)?).map_err(CommandFailure::illegal)?;
    filled(context, &state, &waiting.question, values)
}

/// Resolves placeholder names given instead of parameters: fills them into each text that misses them.
pub(super) fn filled(
    context: &CliContext,
    state: &State,
    question: &Question,
    mut values: BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>, CommandFailure> {
    let QuestionSubject::Param { fields, .. } = &question.about else { return Ok(values) };
    let open = |pointer: &&String| !values.contains_key(*pointer);
    let open: Vec<&String> = fields.keys().filter(open).collect();
    let is_missed =
        |name: &str| open.iter().any(|pointer| names_missed(question, pointer).contains(&name));
    let named = |pointer: &String| !fields.contains_key(pointer) && is_missed(name(pointer));
    let names: BTreeMap<String, Value> = values
        .extract_if(.., |pointer, _| named(pointer))
        .map(|(pointer, value)| (name(&pointer).to_owned(), value))
        .collect();
    if names.is_empty() {
        return Ok(values);
    }
    let step = question.step.as_ref().and_then(|step| state.step(step.as_str()));
    for pointer in open {
        let Some(leaf) = step.and_then(|step| leaf(&step.template, pointer)) else { continue };
        let mut blobs = LoadedBlobs::new();
        for id in blobs_needed(leaf, &state.context) {
            let value = Arc::new(blob(context, &id)?);
            blobs.insert(id, value);
        }
        let filled = fill(leaf, &state.context, &blobs, &names);
        let filled = filled.map_err(|misses| still_missed(name(pointer), &misses))?;
        values.insert(pointer.clone(), filled);
    }
    Ok(values)
}

/// Reports placeholders of a text that still have no value.
fn still_missed(parameter: &str, misses: &[MissingValue]) -> CommandFailure {
    let mut names: Vec<&str> = misses.iter().map(|miss| name_of(&miss.placeholder)).collect();
    names.dedup();
    let (listed, keys) = (names.join("`, `"), names.join("=… "));
    let words = (
        format!("`{parameter}` still needs a value for `{listed}`"),
        format!("`{parameter}` 仍缺少 `{listed}` 的值"),
    );
    CommandFailure::usage("bad_answer", words).next((
        format!("add {keys}=…, or give the whole text as {parameter}=…"),
        format!("请加上 {keys}=…，或用 {parameter}=… 直接给出完整的参数值"),
    ))
}

/// Returns a pointer as people type it, without the leading slash.
fn name(pointer: &str) -> &str {
    pointer.strip_prefix('/').unwrap_or(pointer)
}

pub(super) fn pointer(key: &str) -> String {
    if key.starts_with('/') { key.to_owned() } else { format!("/{key}") }
}
