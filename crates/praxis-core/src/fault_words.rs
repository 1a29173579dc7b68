//! The words of faults for people, in both languages: what happened, and what to do next.

use crate::fault::{Fault, FieldError, Lang, miss_words};
use crate::ids::StepId;
use std::fmt;

impl Fault {
    /// What happened.
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
            Self::CallRefused { tool, message } => {
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
            Self::Interrupted { tool } => {
                format!("Praxis stopped while tool `{tool}` was running")
            }
            Self::ActionsFailed { actions } => format!("actions failed: {}", ids(actions)),
            Self::GivenUp { reason } => format!("given up: {reason}"),
            Self::StepsFailed { steps } => format!("steps failed: {}", ids(steps)),
            Self::TaskTimeout { after_ms } => {
                format!("the task used up its time of {}", seconds(*after_ms))
            }
            Self::Cancelled { reason } => format!("cancelled: {reason}"),
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
            Self::CallRefused { tool, message } => format!("未调用工具 `{tool}`：{message}"),
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
            Self::Interrupted { tool } => format!("工具 `{tool}` 运行期间 Praxis 停止"),
            Self::ActionsFailed { actions } => format!("操作失败：{}", ids(actions)),
            Self::GivenUp { reason } => format!("已放弃：{reason}"),
            Self::StepsFailed { steps } => format!("步骤失败：{}", ids(steps)),
            Self::TaskTimeout { after_ms } => format!("任务超时({})", seconds_zh(*after_ms)),
            Self::Cancelled { reason } => format!("已取消：{reason}"),
        }
    }

    /// What a person can do about it.
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
            Self::ToolFailed { .. } | Self::ActionsFailed { .. } | Self::StepsFailed { .. } => (
                "see `praxis show`, mend the cause, then `praxis retry`",
                "用 `praxis show` 查看，排除原因后 `praxis retry`",
            ),
            Self::CallRefused { .. } => (
                "set what is missing or mend the manifest, then `praxis retry`",
                "补全缺失项或修正清单后 `praxis retry`",
            ),
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
            Self::Interrupted { .. } => ("answer what happened", "请确认是否已生效"),
            Self::GivenUp { .. } | Self::Cancelled { .. } => {
                ("`praxis retry` takes it up again", "`praxis retry` 可继续执行")
            }
            Self::TaskTimeout { .. } => {
                ("`praxis retry` gives it the same time again", "`praxis retry` 可再给同样的时间")
            }
        };
        match lang {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }
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
