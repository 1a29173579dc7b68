//! The messages of faults for people, in both languages: the failure and the advice.

use crate::ask::price::Money;
use crate::budget::limit::{BudgetLimit, LimitReached};
use crate::call::approval::PolicySource;
use crate::fault::{Fault, MissingRight, miss_words};
use crate::field_error::FieldError;
use crate::ids::{StepId, ToolId};
use crate::lang::Lang;
use crate::problem::{Bilingual, Problem};
use std::fmt;

impl Fault {
    /// Returns the description of the fault.
    pub fn message(&self, lang: Lang) -> String {
        match lang {
            Lang::En => self.message_en(),
            Lang::Zh => self.message_zh(),
        }
    }

    fn message_en(&self) -> String {
        match self {
            Self::UnresolvedPlaceholder { misses } => {
                let words = misses.iter().map(|miss| miss_words(miss, Lang::En));
                words.collect::<Vec<_>>().join("; ")
            }
            Self::ParamsInvalid { errors } => {
                format!("the arguments do not fit the tool's schema: {}", fields(errors))
            }
            Self::ToolNotFound { tool } => format!("tool `{tool}` is not there"),
            Self::ToolFailed { tool, message, .. } => format!("tool `{tool}` failed: {message}"),
            Self::CallRefused { tool, message, .. } => {
                format!("tool `{tool}` was not called: {message}")
            }
            Self::ToolUnavailable { tool, message } => {
                format!("tool `{tool}` could not be reached: {message}")
            }
            Self::ToolBroke { tool, message, .. } => format!("tool `{tool}` broke off: {message}"),
            Self::Timeout { tool, after_ms } => {
                format!("tool `{tool}` did not answer within {}", seconds(*after_ms))
            }
            Self::Panicked { tool, message } => format!("tool `{tool}` panicked: {message}"),
            Self::OutputInvalid { tool, errors } => {
                format!("the output of tool `{tool}` does not fit its schema: {}", fields(errors))
            }
            Self::OutputTooLarge { tool, limit } => {
                format!("the output of tool `{tool}` is longer than {limit} bytes")
            }
            Self::OutputEmpty { tool, field: None } => format!("tool `{tool}` found nothing"),
            Self::OutputEmpty { tool, field: Some(field) } => {
                format!("tool `{tool}` found nothing: `{field}` is empty")
            }
            Self::Interrupted { tool } => {
                format!("Praxis stopped while tool `{tool}` was running")
            }
            Self::ActionsFailed { actions } => format!("actions failed: {}", ids(actions)),
            Self::InnerStepFailed { step, fault } => {
                format!("step `{step}` inside failed: {}", fault.message(Lang::En))
            }
            Self::ChoiceFailed { fault } => fault.words().en,
            Self::AgentOutOfTurns { turns } => {
                format!("the agent was asked {turns} times and has no answer")
            }
            Self::GivenUp { reason } => format!("given up: {reason}"),
            Self::CallDenied { tool, reason, by } => denied(tool, reason, *by).en,
            Self::StepsFailed { steps } => format!("steps failed: {}", ids(steps)),
            Self::TaskTimeout { after_ms } => {
                format!("the task used up its time of {}", seconds(*after_ms))
            }
            Self::Cancelled { reason } => format!("cancelled: {reason}"),
            Self::BudgetUsedUp { .. }
            | Self::GoalRejected { .. }
            | Self::GoalMissed { .. }
            | Self::PlanRefused { .. }
            | Self::PlanRepeated
            | Self::ModelNeeded
            | Self::AnswerUnfit { .. }
            | Self::ModelFailed { .. } => self.of_the_goal().tell(Lang::En).to_owned(),
        }
    }

    fn message_zh(&self) -> String {
        match self {
            Self::UnresolvedPlaceholder { misses } => {
                let words = misses.iter().map(|miss| miss_words(miss, Lang::Zh));
                words.collect::<Vec<_>>().join("；")
            }
            Self::ParamsInvalid { errors } => {
                format!("参数不符合工具的 schema：{}", fields(errors))
            }
            Self::ToolNotFound { tool } => format!("找不到工具 `{tool}`"),
            Self::ToolFailed { tool, message, .. } => format!("工具 `{tool}` 执行失败：{message}"),
            Self::CallRefused { tool, message, message_zh, .. } => {
                let why = if message_zh.is_empty() { message } else { message_zh };
                format!("未调用工具 `{tool}`：{why}")
            }
            Self::ToolUnavailable { tool, message } => format!("无法连接工具 `{tool}`：{message}"),
            Self::ToolBroke { tool, message, .. } => format!("工具 `{tool}` 中断：{message}"),
            Self::Timeout { tool, after_ms } => {
                format!("工具 `{tool}` 操作超时({})", seconds_zh(*after_ms))
            }
            Self::Panicked { tool, message } => format!("工具 `{tool}` 崩溃：{message}"),
            Self::OutputInvalid { tool, errors } => {
                format!("工具 `{tool}` 的输出不符合其 schema：{}", fields(errors))
            }
            Self::OutputTooLarge { tool, limit } => {
                format!("工具 `{tool}` 的输出超过 {limit} 字节")
            }
            Self::OutputEmpty { tool, field: None } => format!("工具 `{tool}` 没有查到结果"),
            Self::OutputEmpty { tool, field: Some(field) } => {
                format!("工具 `{tool}` 没有查到结果：`{field}` 为空")
            }
            Self::Interrupted { tool } => format!("工具 `{tool}` 运行期间 Praxis 停止"),
            Self::ActionsFailed { actions } => format!("操作失败：{}", ids(actions)),
            Self::InnerStepFailed { step, fault } => {
                format!("内部步骤 `{step}` 失败：{}", fault.message(Lang::Zh))
            }
            Self::ChoiceFailed { fault } => fault.words().zh,
            Self::AgentOutOfTurns { turns } => format!("智能体已被询问 {turns} 次，仍没有回答"),
            Self::GivenUp { reason } => format!("已放弃：{reason}"),
            Self::CallDenied { tool, reason, by } => denied(tool, reason, *by).zh,
            Self::StepsFailed { steps } => format!("步骤失败：{}", ids(steps)),
            Self::TaskTimeout { after_ms } => format!("任务超时({})", seconds_zh(*after_ms)),
            Self::Cancelled { reason } => format!("已取消：{reason}"),
            Self::BudgetUsedUp { .. }
            | Self::GoalRejected { .. }
            | Self::GoalMissed { .. }
            | Self::PlanRefused { .. }
            | Self::PlanRepeated
            | Self::ModelNeeded
            | Self::AnswerUnfit { .. }
            | Self::ModelFailed { .. } => self.of_the_goal().tell(Lang::Zh).to_owned(),
        }
    }

    /// Returns the advice for a person.
    pub fn next(&self, lang: Lang) -> &'static str {
        let (en, zh) = match self {
            Self::UnresolvedPlaceholder { .. } => (
                "correct the placeholder, give the value with -p, or answer the question",
                "修正占位符，用 -p 提供该值，或回答问题",
            ),
            Self::ParamsInvalid { .. } => {
                ("correct the parameters of the step", "修正该步骤的参数")
            }
            Self::ToolNotFound { .. } => {
                ("give its manifest with --tools", "用 --tools 提供其清单文件")
            }
            Self::InnerStepFailed { fault, .. } => return fault.next(lang),
            Self::ToolFailed { .. } | Self::ActionsFailed { .. } | Self::StepsFailed { .. } => (
                "see `praxis show`, mend the cause, then `praxis retry`",
                "用 `praxis show` 查看，排除原因后 `praxis retry`",
            ),
            Self::CallRefused { lacks, .. } => refused_advice(*lacks),
            Self::ToolUnavailable { .. } => {
                ("check that the tool is installed and running", "检查工具是否已安装并运行")
            }
            Self::ToolBroke { .. } | Self::Panicked { .. } => {
                ("look at the call with `praxis show --step`", "用 `praxis show --step` 查看该调用")
            }
            Self::Timeout { .. } => (
                "raise `timeout` in the tool's manifest, or retry",
                "在工具清单中提高 `timeout`，或重试",
            ),
            Self::OutputInvalid { .. } | Self::OutputTooLarge { .. } => {
                ("mend the tool or its manifest", "修正工具或其清单")
            }
            Self::OutputEmpty { .. } => (
                "ask for something else, or take `not_empty` out of the tool's manifest",
                "换一种问法，或从工具清单中去掉 `not_empty`",
            ),
            Self::Interrupted { .. } => ("answer what happened", "请确认是否已生效"),
            Self::GivenUp { .. } | Self::Cancelled { .. } => {
                ("`praxis retry` takes it up again", "`praxis retry` 可继续执行")
            }
            Self::CallDenied { by, .. } => denied_advice(*by),
            Self::TaskTimeout { .. } => {
                ("`praxis retry` gives it the same time again", "`praxis retry` 可再给同样的时间")
            }
            Self::BudgetUsedUp { .. }
            | Self::GoalRejected { .. }
            | Self::GoalMissed { .. }
            | Self::PlanRefused { .. }
            | Self::PlanRepeated
            | Self::ModelNeeded
            | Self::AnswerUnfit { .. }
            | Self::ChoiceFailed { .. }
            | Self::AgentOutOfTurns { .. }
            | Self::ModelFailed { .. } => goal_advice(self),
        };
        if lang == Lang::En { en } else { zh }
    }
}

impl Fault {
    /// Returns the message of a fault that concerns the goal as a whole. Every other fault gets the message of
    /// `ModelNeeded`.
    fn of_the_goal(&self) -> Bilingual {
        if let Self::BudgetUsedUp { hit } = self {
            return wall_words(hit);
        }
        if let Self::GoalRejected { reason } = self {
            let en = format!("the goal was turned away: {reason}");
            return (en, format!("目标被拒绝：{reason}")).into();
        }
        if let Self::GoalMissed { score, failures } = self {
            let missing = failures.join("; ");
            let en = format!("the goal is not reached ({score} of 100): {missing}");
            return (en, format!("目标未达成（{score}/100）：{missing}")).into();
        }
        if let Self::PlanRefused { problems } = self {
            return told(problems, "no plan was accepted", "没有可接受的计划");
        }
        if let Self::AnswerUnfit { problems } = self {
            return told(
                problems,
                "the answer does not have the wanted form",
                "答案不符合要求的格式",
            );
        }
        if let Self::ModelFailed { fault } = self {
            return (fault.message(Lang::En), fault.message(Lang::Zh)).into();
        }
        if *self == Self::PlanRepeated {
            return ("the new plan is one that failed before", "新计划与之前失败的计划相同").into();
        }
        let en = "no workflow fits this goal, and planning it needs a model";
        (en, "没有匹配此目标的标准流程，规划需要模型").into()
    }
}

fn told(problems: &[Problem], en: &str, zh: &str) -> Bilingual {
    let list = |lang| {
        let one = |problem: &Problem| {
            let told = problem.told(lang);
            let at = if told.at.is_empty() { String::new() } else { format!("{}: ", told.at) };
            format!("{at}{}", told.message)
        };
        problems.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    (format!("{en}: {}", list(Lang::En)), format!("{zh}：{}", list(Lang::Zh))).into()
}

/// Describes the limit that was reached, with its amounts.
fn wall_words(hit: &LimitReached) -> Bilingual {
    let money = |micros: u64| Money { currency: String::new(), micros }.amount();
    let amount = |n: u64| if hit.wall == BudgetLimit::Money { money(n) } else { n.to_string() };
    let (wanted, allowed) = (amount(hit.wanted), amount(hit.allowed));
    let (en, zh) = match hit.wall {
        BudgetLimit::Tokens => ("tokens", "词元"),
        BudgetLimit::Money => ("money", "金额"),
        BudgetLimit::UnknownPrice => {
            return (
                "the task has a budget of money, and the price of the model is not known",
                "任务有金额预算，但模型价格未知",
            )
                .into();
        }
        BudgetLimit::Calls => ("calls", "调用次数"),
        BudgetLimit::ModelCalls => ("calls of models", "模型调用次数"),
        BudgetLimit::ToolCalls => ("calls of tools", "工具调用次数"),
        BudgetLimit::Replans => ("plans after the first", "重新规划次数"),
        BudgetLimit::SameCall => ("calls with the same arguments", "相同参数的重复调用次数"),
    };
    let en = format!("the budget of {en} is used up: {wanted} wanted, {allowed} allowed");
    (en, format!("{zh}预算已用完：需要 {wanted}，上限 {allowed}")).into()
}

fn goal_advice(fault: &Fault) -> (&'static str, &'static str) {
    const LOOK: (&str, &str) = (
        "see `praxis show TASK`; give more in the goal or with -p, then run it again",
        "用 `praxis show TASK` 查看；补充目标或 -p 参数后重新运行",
    );
    let by_code = [
        (
            "budget_used_up",
            "`praxis retry TASK` allows as much again; or run the goal anew with a higher --budget",
            "`praxis retry TASK` 再给同样多的预算；或提高 --budget 重新运行目标",
        ),
        (
            "goal_rejected",
            "say more precisely what is wanted, or add tools",
            "更具体地描述目标，或添加工具",
        ),
        ("goal_missed", LOOK.0, LOOK.1),
        ("plan_repeated", LOOK.0, LOOK.1),
        (
            "plan_refused",
            "see `praxis show TASK --raw`; a stronger model or a workflow may help",
            "用 `praxis show TASK --raw` 查看；可换更强的模型或使用标准流程",
        ),
        (
            "choice_failed",
            "mend the condition, or give the choice a branch for `otherwise`, then run it again",
            "修正条件，或为选择节点提供 `otherwise` 分支后重新运行",
        ),
        (
            "agent_out_of_turns",
            "see what it did with `praxis show TASK --step ID`; raise its `max`, or make its task smaller",
            "用 `praxis show TASK --step ID` 查看过程；提高其 `max`，或把任务变小",
        ),
        ("model_needed", "add one with `praxis model add`", "用 `praxis model add` 添加模型"),
        (
            "answer_unfit",
            "mend the schema, or read the outputs with `praxis show TASK`",
            "修正 schema，或用 `praxis show TASK` 查看输出",
        ),
    ];
    let found = by_code.into_iter().find(|(code, ..)| *code == fault.code());
    found.map_or(
        (
            "check the model with `praxis model probe NAME`, then `praxis retry TASK`",
            "用 `praxis model probe NAME` 检查模型后 `praxis retry TASK`",
        ),
        |(_, en, zh)| (en, zh),
    )
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message_en())
    }
}

fn fields(errors: &[FieldError]) -> String {
    let shown = |error: &FieldError| {
        let at = if error.pointer.is_empty() { "/" } else { &error.pointer };
        format!("{at}: {}", error.detail)
    };
    errors.iter().map(shown).collect::<Vec<_>>().join("; ")
}

fn ids(steps: &[StepId]) -> String {
    steps.iter().map(StepId::as_str).collect::<Vec<_>>().join(", ")
}

fn seconds(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{} s", ms / 1000) }
}

fn seconds_zh(ms: u64) -> String {
    if ms < 1000 { format!("{ms}毫秒") } else { format!("{}秒", ms / 1000) }
}

/// Returns the advice for a denied call.
fn denied_advice(by: Option<PolicySource>) -> (&'static str, &'static str) {
    match by {
        None => (
            "do without it, or `praxis retry`: then it is asked again",
            "改用其他办法，或 `praxis retry` 重新询问",
        ),
        Some(_) => (
            "see `approval` in docs/guide/approvals.md; a new task has the policy as it is then",
            "见 docs/guide/approvals.md 中的 `approval`；新任务按届时的策略执行",
        ),
    }
}

/// Describes a denied call: the source of the denial and its reason.
fn denied(tool: &ToolId, reason: &str, by: Option<PolicySource>) -> Bilingual {
    match by {
        None => {
            (format!("`{tool}` was denied: {reason}"), format!("`{tool}` 被拒绝：{reason}")).into()
        }
        Some(voice) => {
            let Bilingual { en, zh } = voice.words();
            let en = format!("`{tool}` may not be called here, as {en} said");
            (en, format!("此处不允许调用 `{tool}`（由{zh}规定）")).into()
        }
    }
}

fn refused_advice(lacks: Option<MissingRight>) -> (&'static str, &'static str) {
    match lacks {
        Some(MissingRight::Host) => (
            "if the host may be reached, add it to the setting `tools.hosts`, then `praxis retry`",
            "若允许访问该主机，请将其加入设置 `tools.hosts`，然后 `praxis retry`",
        ),
        None => (
            "set what is missing or mend the manifest, then `praxis retry`",
            "补全缺失项或修正清单后 `praxis retry`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_without_a_place_has_no_colon_of_its_own() {
        let nowhere = Problem::new("answer_no_json", "", ("no JSON in it", "其中没有 JSON"));
        let somewhere = Problem::new("answer_field", "steps[0]", ("no tool", "没有工具"));
        let fault = Fault::PlanRefused { problems: vec![nowhere, somewhere] };
        let said = fault.message(Lang::En);
        assert_eq!(said, "no plan was accepted: no JSON in it; steps[0]: no tool");
        assert_eq!(fault.message(Lang::Zh), "没有可接受的计划：其中没有 JSON; steps[0]: 没有工具");
    }

    #[test]
    fn advice_names_only_what_a_command_takes() {
        let hit = LimitReached { wall: BudgetLimit::Calls, wanted: 2, allowed: 1 };
        for fault in [Fault::BudgetUsedUp { hit }, Fault::PlanRefused { problems: vec![] }] {
            for lang in [Lang::En, Lang::Zh] {
                let next = fault.next(lang);
                assert!(next.contains("TASK"), "{next}");
                assert!(!next.contains("`praxis retry` with"), "{next}");
            }
        }
    }
}
