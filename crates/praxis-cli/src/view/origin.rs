//! Texts for people about value origins, questions and step status.

use super::state_words::said;
use super::text::{comma, cut, say, short, span};
use super::value_words::sketch;
use praxis_core::call::approval::PolicySource;
use praxis_core::call::own::OwnCall;
use praxis_core::call::own_tools::own;
use praxis_core::dataflow::lex::segments;
use praxis_core::dataflow::path::Segment;
use praxis_core::fault::{Fault, miss_words};
use praxis_core::ids::StepId;
use praxis_core::intake::unanswered::UnansweredAction;
use praxis_core::journal::question::{Question, QuestionSubject};
use praxis_core::journal::slot::SlotSource;
use praxis_core::lang::Lang;
use praxis_core::recover::rule;
use praxis_core::state::State;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::view::why::ValueOrigin;
use serde_json::Value;

/// Names the origin of a value in one or two words.
pub(crate) fn origin(source: &ValueOrigin, lang: Lang) -> String {
    let say = |en: &str, zh: &str| say(lang, en, zh).to_owned();
    match source {
        ValueOrigin::Literal => say("the plan", "计划"),
        ValueOrigin::Initial => say("initial metadata", "初始元数据"),
        ValueOrigin::Default { workflow } => workflow.clone(),
        ValueOrigin::Said => say("the goal", "目标"),
        ValueOrigin::Runtime { step, .. } | ValueOrigin::Result { step } => step.to_string(),
        ValueOrigin::Variable { frame, .. } => frame.clone(),
        ValueOrigin::Slot { .. } => say("filled in", "自动填充"),
        ValueOrigin::Person { by, .. } | ValueOrigin::Override { by } => by.clone(),
        ValueOrigin::Rule { .. } => say("a rule", "规则"),
        ValueOrigin::Inferred { by, .. } => by.clone(),
        ValueOrigin::Inherited { task } => task.to_string(),
        ValueOrigin::Kept => say("as written", "原文"),
        ValueOrigin::Missing { .. } => say("missing", "缺失"),
    }
}

/// Describes the origin of a value in full.
pub(crate) fn told(source: &ValueOrigin, lang: Lang) -> String {
    match lang {
        Lang::En => told_en(source),
        Lang::Zh => told_zh(source),
    }
}

/// Describes the source of a filled-in parameter.
pub(super) fn slot(found: &SlotSource, lang: Lang) -> String {
    let (en, zh) = match found {
        SlotSource::Default => ("the schema's default".to_owned(), "schema 的默认值".to_owned()),
        SlotSource::Variable { name } => (format!("the variable {name}"), format!("变量 {name}")),
        SlotSource::Metadata { name } => (format!("the metadata {name}"), format!("元数据 {name}")),
        SlotSource::Output { step } => (format!("the output of {step}"), format!("{step} 的输出")),
        SlotSource::Alike => ("a value with a similar name".to_owned(), "名称相近的值".to_owned()),
        SlotSource::Said => ("the user's words".to_owned(), "用户的原话".to_owned()),
        SlotSource::Model => ("a model".to_owned(), "模型".to_owned()),
        SlotSource::Guess => ("a model's guess".to_owned(), "模型的猜测".to_owned()),
    };
    say(lang, &en, &zh).to_owned()
}

fn told_en(source: &ValueOrigin) -> String {
    match source {
        ValueOrigin::Literal => "literal in the plan".to_owned(),
        ValueOrigin::Initial => "initial metadata".to_owned(),
        ValueOrigin::Default { workflow } => format!("default of the workflow {workflow}"),
        ValueOrigin::Said => "stated in the goal".to_owned(),
        ValueOrigin::Runtime { step, shadows } if shadows.is_empty() => {
            format!("runtime metadata, written by {step}")
        }
        ValueOrigin::Runtime { step, shadows } => {
            format!("runtime metadata, written by {step}; shadows {}", shadows.join(", "))
        }
        ValueOrigin::Result { step } => format!("result of {step}"),
        ValueOrigin::Variable { frame, name } => format!("variable {name} of {frame}"),
        ValueOrigin::Slot { found, confidence } => {
            format!("filled in from {}, confidence {confidence}%", slot(found, Lang::En))
        }
        ValueOrigin::Person { by, question } => format!("given by {by} in answer to {question}"),
        ValueOrigin::Override { by } => format!("override, set by {by} when the task was forked"),
        ValueOrigin::Rule { reason, left_out: true } => {
            format!("left out by a rule: {}", rule::told(reason, Lang::En))
        }
        ValueOrigin::Rule { reason, .. } => {
            format!("set by a rule: {}", rule::told(reason, Lang::En))
        }
        ValueOrigin::Inferred { by, rung, reason } => {
            format!("inferred by model {by} ({}): {reason}", rung.word())
        }
        ValueOrigin::Inherited { task } => format!("sent by the parent task {task}"),
        ValueOrigin::Kept => "no value with this name; the text is kept unchanged".to_owned(),
        ValueOrigin::Missing { miss } => miss_words(miss, Lang::En),
    }
}

fn told_zh(source: &ValueOrigin) -> String {
    match source {
        ValueOrigin::Literal => "计划中的字面值".to_owned(),
        ValueOrigin::Initial => "初始元数据".to_owned(),
        ValueOrigin::Default { workflow } => format!("工作流 {workflow} 的默认值"),
        ValueOrigin::Said => "目标中给出".to_owned(),
        ValueOrigin::Runtime { step, shadows } if shadows.is_empty() => {
            format!("运行时元数据，由 {step} 写入")
        }
        ValueOrigin::Runtime { step, shadows } => {
            format!("运行时元数据，由 {step} 写入；覆盖了 {}", shadows.join("、"))
        }
        ValueOrigin::Result { step } => format!("{step} 的结果"),
        ValueOrigin::Variable { frame, name } => format!("{frame} 的变量 {name}"),
        ValueOrigin::Slot { found, confidence } => {
            format!("自动填充，来源：{}，置信度 {confidence}%", slot(found, Lang::Zh))
        }
        ValueOrigin::Person { by, question } => format!("由 {by} 在回答 {question} 时给出"),
        ValueOrigin::Override { by } => format!("覆盖值，由 {by} 在派生任务时设定"),
        ValueOrigin::Rule { reason, left_out: true } => {
            format!("由规则省略：{}", rule::told(reason, Lang::Zh))
        }
        ValueOrigin::Rule { reason, .. } => format!("由规则设定：{}", rule::told(reason, Lang::Zh)),
        ValueOrigin::Inferred { by, rung, reason } => {
            format!("由模型 {by} 推断（{}）：{reason}", said(rung.word(), Lang::Zh))
        }
        ValueOrigin::Inherited { task } => format!("由父任务 {task} 发送"),
        ValueOrigin::Kept => "找不到该名称的值，占位符原样保留".to_owned(),
        ValueOrigin::Missing { miss } => miss_words(miss, Lang::Zh),
    }
}

/// Returns the text of a question.
pub(crate) fn asked(question: &Question, lang: Lang) -> String {
    match &question.about {
        QuestionSubject::Param { fault, .. } => {
            question.wants(lang).unwrap_or_else(|| fault.message(lang))
        }
        QuestionSubject::InDoubt { tool, .. } => match lang {
            Lang::En => format!("did the call to `{tool}` take effect? its outcome is unknown"),
            Lang::Zh => format!("对 `{tool}` 的调用是否已生效？结果未知"),
        },
        // An `Approve` call of a flow brings its own text.
        QuestionSubject::Approval { tool, arguments, .. }
            if own(tool) == Some(OwnCall::Approve) =>
        {
            let words = arguments.get("message").and_then(Value::as_str).unwrap_or_default();
            let details = arguments.get("details").map(|it| format!("  {}", short(it, 80)));
            format!("{}{}", cut(words, 200), details.unwrap_or_default())
        }
        QuestionSubject::Approval { tool, arguments, .. } => {
            let risk = at_stake(question, lang).map(|words| format!(" {words}"));
            let (risk, arguments) = (risk.unwrap_or_default(), short(arguments, 80));
            match lang {
                Lang::En => format!("allow the call to `{tool}` with {arguments}?{risk}"),
                Lang::Zh => format!("是否允许调用 `{tool}`，参数 {arguments}？{risk}"),
            }
        }
        QuestionSubject::Time { after_ms } => match lang {
            Lang::En => {
                format!("time limit reached: the task has run for {}; continue?", span(*after_ms))
            }
            Lang::Zh => format!("已达时间上限：任务已运行 {}；是否继续？", span(*after_ms)),
        },
        QuestionSubject::Budget { hit } => Fault::BudgetUsedUp { hit: *hit }.message(lang),
        QuestionSubject::Plan { revision, changes } => {
            let ids: Vec<&str> = changes.iter().map(StepId::as_str).collect();
            let (nothing, ids) = (ids.is_empty(), ids.join(comma(lang)));
            match lang {
                Lang::En if nothing => format!("run plan v{revision}? it changes nothing"),
                Lang::En => format!("run plan v{revision}? steps that change data: {ids}"),
                Lang::Zh if nothing => format!("是否执行计划 v{revision}？不会更改任何内容"),
                Lang::Zh => format!("是否执行计划 v{revision}？会更改数据的步骤：{ids}"),
            }
        }
        QuestionSubject::Help { reason } => match lang {
            Lang::En => format!("how should the task continue? {reason}"),
            Lang::Zh => format!("任务应如何继续？{reason}"),
        },
    }
}

/// Describes the risk of a call that waits for approval and the `PolicySource` that asked for it.
pub(crate) fn at_stake(question: &Question, lang: Lang) -> Option<String> {
    let QuestionSubject::Approval { risk: Some(risk), asked_by, .. } = &question.about else {
        return None;
    };
    let (risk, by) = (risk.words(), asked_by.map(PolicySource::words));
    let (risk, by) = (risk.tell(lang), by.as_ref().map(|by| by.tell(lang)));
    Some(match (lang, by) {
        (Lang::En, Some(by)) => format!("{risk}; approval required by {by}"),
        (Lang::Zh, Some(by)) => format!("{risk}；{by}要求审批"),
        (_, None) => risk.to_owned(),
    })
}

/// Returns the suffix that tells the deadline of a question and the outcome if nobody answers.
pub(crate) fn expiry(question: &Question, lang: Lang) -> Option<String> {
    let time = span(question.within_ms?);
    let (en, zh) = outcome(question);
    Some(match lang {
        Lang::En => format!(" · {en} if nobody answers within {time}"),
        Lang::Zh => format!(" · {time} 内无人回答则{zh}"),
    })
}

/// Describes the outcome of an unanswered question, in English and Chinese.
pub(crate) fn outcome(question: &Question) -> (&'static str, &'static str) {
    match (question.step.is_some(), question.otherwise, &question.about) {
        (
            true,
            UnansweredAction::Skip,
            QuestionSubject::Param { form: Some(_), .. } | QuestionSubject::Approval { .. },
        ) => ("skipped", "跳过"),
        (true, UnansweredAction::Fail, _) => ("the task fails", "任务失败"),
        (true, UnansweredAction::Default, QuestionSubject::Param { .. }) => {
            ("default values are used", "采用默认值")
        }
        (_, _, QuestionSubject::Approval { .. }) => ("denied", "视为拒绝"),
        _ => ("given up", "放弃"),
    }
}

/// Returns the `praxis answer` command for a question, with all its options.
pub(crate) fn how_to_answer(question: &Question) -> String {
    let ways = match &question.about {
        QuestionSubject::Param { fields, .. } => {
            let one =
                |(at, schema): (&String, &Value)| assignment(at.trim_start_matches('/'), schema);
            fields.iter().map(one).collect::<Vec<_>>().join(" ")
        }
        QuestionSubject::InDoubt { .. } => {
            "--done JSON | --not-done | --again | --give-up REASON".to_owned()
        }
        QuestionSubject::Approval { .. } => {
            "--approve [NAME=VALUE…] | --deny REASON | --skip".to_owned()
        }
        QuestionSubject::Time { .. } => "--more 30m | --give-up REASON".to_owned(),
        QuestionSubject::Budget { .. } => "--raise N | --settle | --give-up REASON".to_owned(),
        QuestionSubject::Plan { .. } => "--approve | --plan FILE | --deny REASON".to_owned(),
        QuestionSubject::Help { .. } => "--advise TEXT | --settle | --give-up REASON".to_owned(),
    };
    format!("praxis answer {} {ways}", question.id)
}

/// Returns a `NAME=VALUE` argument of `praxis answer`, with a sketch of a list or an object.
pub(crate) fn assignment(name: &str, schema: &Value) -> String {
    match sketch(schema) {
        Some(sketch) => format!("{name}='{sketch}'"),
        None => format!("{name}=…"),
    }
}

/// Returns the question that a step waits for.
pub(crate) fn question_of<'a>(state: &'a State, step: &StepId) -> Option<&'a Question> {
    state.questions.values().find(|question| question.step.as_ref() == Some(step))
}

/// Explains why a step has no output; `None` if it succeeded.
pub(crate) fn standing(state: &State, step: &Step, lang: Lang) -> Option<String> {
    let say = |en: &str, zh: &str| say(lang, en, zh).to_owned();
    if let Some(question) = question_of(state, &step.plan.id) {
        let (id, what) = (&question.id, asked(question, lang));
        return Some(say(
            &format!("waits for an answer to {id}: {what}"),
            &format!("等待回答 {id}：{what}"),
        ));
    }
    let fault = step.fault.as_ref().map(|fault| fault.message(lang)).unwrap_or_default();
    let needs = unmet(state, step).join(comma(lang));
    Some(match step.status {
        StepStatus::Success => return None,
        StepStatus::Init if needs.is_empty() => say("has not run yet", "尚未执行"),
        StepStatus::Init => say(
            &format!("has not run yet: it waits for {needs}"),
            &format!("尚未执行：等待 {needs}"),
        ),
        StepStatus::Skipped => say(
            &format!("did not run: {needs} did not succeed"),
            &format!("未执行：{needs} 未成功"),
        ),
        StepStatus::Param => say("waits for an answer", "等待回答"),
        StepStatus::Running => say("is running", "正在执行"),
        StepStatus::Waiting => {
            say(&format!("will be retried: {fault}"), &format!("将重试：{fault}"))
        }
        StepStatus::InDoubt => say(&format!("is in doubt: {fault}"), &format!("存疑：{fault}")),
        StepStatus::Error => say(&format!("failed: {fault}"), &format!("失败：{fault}")),
        StepStatus::Cancelled => say("did not finish: the task was stopped", "未完成：任务已停止"),
    })
}

/// Returns the ids of the steps that a step needs and that have not succeeded.
fn unmet(state: &State, step: &Step) -> Vec<String> {
    let needs = step.plan.depends_on.iter().chain(&step.plan.actions);
    let open = |id: &&StepId| {
        state.step(id.as_str()).is_some_and(|needed| needed.status != StepStatus::Success)
    };
    needs.filter(open).map(ToString::to_string).collect()
}

/// Converts a JSON pointer to the path syntax of step references: `rows.0.id`, `["x.y"]`.
pub(crate) fn typed(pointer: &str) -> String {
    let mut typed = String::new();
    for token in pointer.split('/').skip(1) {
        let key = praxis_core::pointer::unescaped(token);
        let plain = segments(&key).is_ok_and(|found| found == [Segment::Key(key.as_str().into())]);
        if !plain {
            typed.push_str(&format!("[{}]", serde_json::Value::from(key)));
        } else if typed.is_empty() {
            typed.push_str(&key);
        } else {
            typed.push_str(&format!(".{key}"));
        }
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rule_did_is_told_as_its_own_in_both_languages() {
        let reason = rule::without("language");
        let left_out = ValueOrigin::Rule { reason, left_out: true };
        let en = "left out by a rule: removed `language`, which led to no results";
        assert_eq!(told(&left_out, Lang::En), en);
        let zh = "由规则省略：去掉了 `language`：带上它时没有结果";
        assert_eq!(told(&left_out, Lang::Zh), zh);
        let half = ValueOrigin::Rule { reason: rule::fewer("limit"), left_out: false };
        let en = "set by a rule: halved `limit` because the output was too large";
        assert_eq!(told(&half, Lang::En), en);
        assert_eq!(told(&half, Lang::Zh), "由规则设定：将 `limit` 减半：输出过大");
    }

    #[test]
    fn a_pointer_is_told_as_it_can_be_typed() {
        assert_eq!(typed("/a/0/b"), "a.0.b");
        assert_eq!(typed("/a~1b"), "a/b");
        assert_eq!(typed("/x.y/z"), "[\"x.y\"].z");
    }
}
