//! The messages of faults for people, in both languages: the failure and the advice.

use crate::ask::fault::ModelFault;
use crate::ask::price::Money;
use crate::budget::limit::{BudgetLimit, LimitReached};
use crate::call::approval::PolicySource;
use crate::dataflow::resolve::MissingValue;
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
        let listed = |errors: &[FieldError]| fields(errors, Lang::En);
        match self {
            Self::UnresolvedPlaceholder { misses } => all_missed(misses, Lang::En),
            Self::ParamsInvalid { errors } => {
                format!("invalid arguments: {}", listed(errors))
            }
            Self::ToolNotFound { tool } => format!("tool `{tool}` not found"),
            Self::ToolFailed { tool, message, .. } => format!("tool `{tool}` failed: {message}"),
            Self::CallRefused { tool, message, .. } => {
                format!("tool `{tool}` was not called: {message}")
            }
            Self::ToolUnavailable { tool, message } => {
                format!("tool `{tool}` could not be reached: {message}")
            }
            Self::ToolBroke { tool, message, .. } => {
                format!("tool `{tool}` failed, and the call may have taken effect: {message}")
            }
            Self::Timeout { tool, after_ms } => {
                format!("tool `{tool}` did not answer within {}", seconds(*after_ms))
            }
            Self::Panicked { tool, message } => format!("tool `{tool}` crashed: {message}"),
            Self::OutputInvalid { tool, errors } => {
                format!("the output of tool `{tool}` does not match its schema: {}", listed(errors))
            }
            Self::OutputTooLarge { tool, limit } => {
                format!("the output of tool `{tool}` is longer than {limit} bytes")
            }
            Self::OutputEmpty { tool, field: None } => format!("tool `{tool}` returned no results"),
            Self::OutputEmpty { tool, field: Some(field) } => {
                format!("tool `{tool}` returned no results: `{field}` is empty")
            }
            Self::Interrupted { tool } => {
                format!("Praxis stopped while tool `{tool}` was running")
            }
            Self::ActionsFailed { actions } => format!("actions failed: {}", ids(actions)),
            Self::InnerStepFailed { step, fault } => {
                format!("inner step `{step}` failed: {}", fault.message(Lang::En))
            }
            Self::ChoiceFailed { fault } => fault.words().en,
            Self::AgentOutOfTurns { turns } => {
                format!("the agent used all {turns} turns without giving an answer")
            }
            Self::GivenUp { reason } => format!("abandoned: {reason}"),
            Self::CallDenied { tool, reason, by } => denied(tool, reason, *by).en,
            Self::StepsFailed { steps } => format!("steps failed: {}", ids(steps)),
            Self::TaskTimeout { after_ms } => {
                format!("the task reached its time limit of {}", seconds(*after_ms))
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
        let listed = |errors: &[FieldError]| fields(errors, Lang::Zh);
        match self {
            Self::UnresolvedPlaceholder { misses } => all_missed(misses, Lang::Zh),
            Self::ParamsInvalid { errors } => {
                format!("参数无效：{}", listed(errors))
            }
            Self::ToolNotFound { tool } => format!("找不到工具 `{tool}`"),
            Self::ToolFailed { tool, message, message_zh, .. } => {
                let why = chinese(message, message_zh);
                format!("工具 `{tool}` 执行失败：{why}")
            }
            Self::CallRefused { tool, message, message_zh, .. } => {
                let why = chinese(message, message_zh);
                format!("未调用工具 `{tool}`：{why}")
            }
            Self::ToolUnavailable { tool, message } => format!("无法连接工具 `{tool}`：{message}"),
            Self::ToolBroke { tool, message, .. } => {
                format!("工具 `{tool}` 失败，且调用可能已生效：{message}")
            }
            Self::Timeout { tool, after_ms } => {
                format!("工具 `{tool}` 在 {}内未响应", seconds_zh(*after_ms))
            }
            Self::Panicked { tool, message } => format!("工具 `{tool}` 崩溃：{message}"),
            Self::OutputInvalid { tool, errors } => {
                format!("工具 `{tool}` 的输出不符合其 schema：{}", listed(errors))
            }
            Self::OutputTooLarge { tool, limit } => {
                format!("工具 `{tool}` 的输出超过 {limit} 字节")
            }
            Self::OutputEmpty { tool, field: None } => format!("工具 `{tool}` 没有返回结果"),
            Self::OutputEmpty { tool, field: Some(field) } => {
                format!("工具 `{tool}` 没有返回结果：`{field}` 为空")
            }
            Self::Interrupted { tool } => {
                format!("Praxis 在工具 `{tool}` 运行时中断，无法确定该调用是否已生效")
            }
            Self::ActionsFailed { actions } => {
                format!("操作失败：{}", ids(actions).replace(", ", "、"))
            }
            Self::InnerStepFailed { step, fault } => {
                format!("内部步骤 `{step}` 失败：{}", fault.message(Lang::Zh))
            }
            Self::ChoiceFailed { fault } => fault.words().zh,
            Self::AgentOutOfTurns { turns } => format!("智能体用完 {turns} 轮仍没有给出答案"),
            Self::GivenUp { reason } => format!("已放弃：{reason}"),
            Self::CallDenied { tool, reason, by } => denied(tool, reason, *by).zh,
            Self::StepsFailed { steps } => format!("步骤失败：{}", ids(steps).replace(", ", "、")),
            Self::TaskTimeout { after_ms } => {
                format!("任务达到时间上限（{}）", seconds_zh(*after_ms))
            }
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
                "fix the placeholder, pass the value with -p, or answer the question",
                "修正占位符，用 -p 传入该值，或回答问题",
            ),
            Self::ParamsInvalid { .. } => ("fix the parameters of the step", "修正该步骤的参数"),
            Self::ToolNotFound { .. } => {
                ("pass its manifest with --tools", "用 --tools 提供其清单文件")
            }
            Self::InnerStepFailed { fault, .. } => return fault.next(lang),
            Self::ToolFailed { .. } | Self::ActionsFailed { .. } | Self::StepsFailed { .. } => (
                "see `praxis show TASK`, fix the cause, then run `praxis retry TASK`",
                "用 `praxis show TASK` 查看，排除原因后运行 `praxis retry TASK`",
            ),
            Self::CallRefused { lacks, .. } => refused_advice(*lacks),
            Self::ToolUnavailable { .. } => {
                ("check that the tool is installed and running", "检查工具是否已安装并运行")
            }
            Self::ToolBroke { .. } | Self::Panicked { .. } => (
                "see the call with `praxis show TASK --step ID`",
                "用 `praxis show TASK --step ID` 查看该调用",
            ),
            Self::Timeout { .. } => (
                "raise `timeout` in the tool's manifest, or retry",
                "在工具清单中提高 `timeout`，或重试",
            ),
            Self::OutputInvalid { .. } | Self::OutputTooLarge { .. } => {
                ("fix the tool or its manifest", "修正工具或其清单")
            }
            Self::OutputEmpty { .. } => (
                "change the query, or remove `not_empty` from the tool's manifest",
                "修改查询，或从工具清单中删除 `not_empty`",
            ),
            Self::Interrupted { .. } => (
                "check whether the call took effect, then answer the question (see `praxis inbox`)",
                "请确认该调用是否已生效，然后用 `praxis inbox` 找到相应的问题并回答",
            ),
            Self::GivenUp { .. } | Self::Cancelled { .. } => {
                ("run `praxis retry TASK` to resume", "运行 `praxis retry TASK` 可恢复执行")
            }
            Self::CallDenied { by, .. } => denied_advice(*by),
            Self::TaskTimeout { .. } => (
                "run `praxis retry TASK` to grant the same time limit again",
                "运行 `praxis retry TASK` 可再给同样的时间上限",
            ),
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
            let en = format!("the goal was rejected: {reason}");
            return (en, format!("目标被拒绝：{reason}")).into();
        }
        if let Self::GoalMissed { score, failures } = self {
            let missing = failures.join("; ");
            let en = format!("the goal was not reached (score {score} of 100): {missing}");
            return (en, format!("目标未达成（得分 {score}/100）：{missing}")).into();
        }
        if let Self::PlanRefused { problems } = self {
            return told(problems, "no plan passed validation", "模型给出的计划都没有通过校验");
        }
        if let Self::AnswerUnfit { problems } = self {
            return told(
                problems,
                "the answer does not have the required format",
                "答案不符合要求的格式",
            );
        }
        if let Self::ModelFailed { fault } = self {
            return (fault.message(Lang::En), fault.message(Lang::Zh)).into();
        }
        if *self == Self::PlanRepeated {
            return (
                "the new plan is the same as one that failed before",
                "新计划与之前失败的计划相同",
            )
                .into();
        }
        let en = "this task or step needs a model, but none is configured";
        (en, "此任务或步骤需要模型，但尚未配置").into()
    }
}

fn told(problems: &[Problem], en: &str, zh: &str) -> Bilingual {
    let list = |lang, colon: &str, stop: &str| {
        let one = |problem: &Problem| {
            let told = problem.told(lang);
            let at = if told.at.is_empty() { String::new() } else { format!("{}{colon}", told.at) };
            format!("{at}{}", told.message)
        };
        problems.iter().map(one).collect::<Vec<_>>().join(stop)
    };
    let told_en = list(Lang::En, ": ", "; ");
    (format!("{en}: {told_en}"), format!("{zh}：{}", list(Lang::Zh, "：", "；"))).into()
}

/// Describes the limit that was reached, with its amounts.
fn wall_words(hit: &LimitReached) -> Bilingual {
    let money = |micros: u64| Money { currency: String::new(), micros }.amount();
    let amount = |n: u64| if hit.wall == BudgetLimit::Money { money(n) } else { n.to_string() };
    let (wanted, allowed) = (amount(hit.wanted), amount(hit.allowed));
    let (en, zh) = match hit.wall {
        BudgetLimit::Tokens => ("tokens", "token 数"),
        BudgetLimit::Money => ("cost", "金额"),
        BudgetLimit::UnknownPrice => {
            return (
                "the task has a cost budget, but the price of the model is unknown",
                "任务有金额预算，但模型价格未知",
            )
                .into();
        }
        BudgetLimit::Calls => ("calls", "调用次数"),
        BudgetLimit::ModelCalls => ("model calls", "模型调用次数"),
        BudgetLimit::ToolCalls => ("tool calls", "工具调用次数"),
        BudgetLimit::Replans => ("replans", "重新规划次数"),
        BudgetLimit::SameCall => ("calls with the same arguments", "相同参数的重复调用次数"),
    };
    let en = format!("the budget limit on {en} is reached: {wanted} needed, {allowed} allowed");
    (en, format!("{zh}达到预算上限：需要 {wanted}，上限 {allowed}")).into()
}

fn goal_advice(fault: &Fault) -> (&'static str, &'static str) {
    const LOOK: (&str, &str) = (
        "see `praxis show TASK`; add details to the goal or pass them with -p, then run it again",
        "用 `praxis show TASK` 查看；补充目标或用 -p 传入信息后重新运行",
    );
    let by_code = [
        (
            "budget_used_up",
            "run `praxis retry TASK` to grant the same budget again, or rerun the goal with a higher --budget",
            "运行 `praxis retry TASK` 可再给同样多的预算，或提高 --budget 重新运行目标",
        ),
        (
            "goal_rejected",
            "describe the goal more precisely, or add tools",
            "更具体地描述目标，或添加工具",
        ),
        ("goal_missed", LOOK.0, LOOK.1),
        ("plan_repeated", LOOK.0, LOOK.1),
        (
            "plan_refused",
            "see `praxis show TASK --raw`; a stronger model or a workflow may help",
            "用 `praxis show TASK --raw` 查看；可换更强的模型或使用工作流",
        ),
        (
            "choice_failed",
            "fix the condition, or add an `otherwise` branch to the choice, then run it again",
            "修正条件，或为选择节点添加 `otherwise` 分支，然后重新运行",
        ),
        (
            "agent_out_of_turns",
            "see what it did with `praxis show TASK --step ID`; raise its `max`, or give it a smaller task",
            "用 `praxis show TASK --step ID` 查看过程；调大该节点的 `max`，或把任务拆小",
        ),
        ("model_needed", "add a model with `praxis model add`", "用 `praxis model add` 添加模型"),
        (
            "answer_unfit",
            "fix the schema, or read the outputs with `praxis show TASK`",
            "修正 schema，或用 `praxis show TASK` 查看输出",
        ),
    ];
    if let Fault::ModelFailed { fault } = fault
        && let ModelFault::ModelDenied { status: 0, .. } = **fault
    {
        return (
            "set the key as described, then run `praxis retry TASK`",
            "按上述说明设置密钥，然后运行 `praxis retry TASK`",
        );
    }
    let found = by_code.into_iter().find(|(code, ..)| *code == fault.code());
    found.map_or(
        (
            "check the model with `praxis model probe NAME`, then run `praxis retry TASK`",
            "用 `praxis model probe NAME` 检查模型，然后运行 `praxis retry TASK`",
        ),
        |(_, en, zh)| (en, zh),
    )
}

impl fmt::Display for Fault {
    // The fold puts these words into the data of a task (`error.message` in a flow), and a task that is resumed by a
    // newer version must find the same data. People read `message`, whose words may change.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::ParamsInvalid { errors } = self else { return out.write_str(&self.message_en()) };
        out.write_str("the arguments do not fit the tool's schema: ")?;
        for (index, error) in errors.iter().enumerate() {
            let (between, at) = (if index == 0 { "" } else { "; " }, &*error.pointer);
            let at = if at.is_empty() { "/" } else { at };
            write!(out, "{between}{at}: {}", error.detail)?;
        }
        Ok(())
    }
}

/// Returns the Chinese text of a message; the only text there is in old journals and for tools that give one.
fn chinese<'a>(message: &'a str, message_zh: &'a str) -> &'a str {
    if message_zh.is_empty() { message } else { message_zh }
}

fn all_missed(misses: &[MissingValue], lang: Lang) -> String {
    let joint = match lang {
        Lang::En => "; ",
        Lang::Zh => "；",
    };
    misses.iter().map(|miss| miss_words(miss, lang)).collect::<Vec<_>>().join(joint)
}

fn fields(errors: &[FieldError], lang: Lang) -> String {
    let shown = |error: &FieldError| match error.pointer.strip_prefix('/') {
        Some(place) => format!("`{place}`: {}", error.text(lang)),
        None => error.text(lang).to_owned(),
    };
    let all: Vec<String> = errors.iter().map(shown).collect();
    all.join(if lang == Lang::Zh { "；" } else { "; " })
}

fn ids(steps: &[StepId]) -> String {
    steps.iter().map(StepId::as_str).collect::<Vec<_>>().join(", ")
}

fn seconds(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{} s", ms / 1000) }
}

fn seconds_zh(ms: u64) -> String {
    if ms < 1000 { format!("{ms} 毫秒") } else { format!("{} 秒", ms / 1000) }
}

/// Returns the advice for a denied call.
fn denied_advice(by: Option<PolicySource>) -> (&'static str, &'static str) {
    match by {
        None => (
            "run `praxis retry TASK` to be asked again, or start a task that does not need this call",
            "运行 `praxis retry TASK` 重新审批，或新建不需要此调用的任务",
        ),
        Some(_) => (
            "change the policy (see `approval` in docs/guide/approvals.md), then start a new task",
            "修改策略（见 docs/guide/approvals.md 中的 `approval`），然后新建任务",
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
            let en = format!("calling `{tool}` is denied by {en}");
            (en, format!("不允许调用 `{tool}`：{zh}的审批策略为 deny")).into()
        }
    }
}

fn refused_advice(lacks: Option<MissingRight>) -> (&'static str, &'static str) {
    match lacks {
        Some(MissingRight::Host) => (
            "to allow this host, add it to the setting `tools.hosts`, then run `praxis retry TASK`",
            "如需允许访问该主机，请将其加入设置项 `tools.hosts`，然后运行 `praxis retry TASK`",
        ),
        None => (
            "fix the cause named in the message (argument, secret or manifest), then run `praxis retry TASK`",
            "按上述原因修正参数、密钥或工具清单，然后运行 `praxis retry TASK`",
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
        assert_eq!(said, "no plan passed validation: no JSON in it; steps[0]: no tool");
        assert_eq!(
            fault.message(Lang::Zh),
            "模型给出的计划都没有通过校验：其中没有 JSON；steps[0]：没有工具"
        );
    }

    #[test]
    fn a_key_that_is_not_set_is_told_as_such_and_not_as_an_answer_of_the_endpoint() {
        let unset = ModelFault::ModelDenied {
            status: 0,
            message: "secret `K` is not set; set PRAXIS_SECRET_K".to_owned(),
            message_zh: "未设置密钥 `K`；请设置 PRAXIS_SECRET_K".to_owned(),
        };
        let fault = Fault::ModelFailed { fault: Box::new(unset) };
        let en =
            "the request to the model was not sent: secret `K` is not set; set PRAXIS_SECRET_K";
        assert_eq!(fault.message(Lang::En), en);
        assert_eq!(
            fault.message(Lang::Zh),
            "没有向模型发出请求：未设置密钥 `K`；请设置 PRAXIS_SECRET_K"
        );
        assert_eq!(fault.code(), "model_denied");
        assert!(fault.next(Lang::Zh).starts_with("按上述说明设置密钥"));
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
