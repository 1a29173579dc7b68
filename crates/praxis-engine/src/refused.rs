//! Refusals of orders: codes for programs, messages for people in English and Chinese.

use crate::arrival::CommandError;
use crate::arrival::{CommandRefusal, fields};
use crate::seams::{AppendError, ReadError};
use crate::stopped::DriverStopped;
use crate::submit::SubmitError;
use crate::tools::ToolError;
use praxis_core::ids::StepId;
use praxis_core::lang::Lang;
use praxis_core::problem::{Bilingual, Problem};
use praxis_core::state::TaskStatus;
use serde::{Deserialize, Serialize};

/// The refusal of an order. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRefused {
    /// The category of the refusal.
    pub kind: RefusedKind,
    /// All reasons.
    pub problems: Vec<Problem>,
}

/// The category of a refusal; the CLI maps it to an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedKind {
    /// The request is invalid.
    #[serde(rename = "bad")]
    Invalid,
    /// Something that the request names does not exist.
    NotFound,
    /// The engine cannot do it at the moment.
    Unavailable,
}

impl OrderRefused {
    pub(crate) fn new(kind: RefusedKind, problem: Problem) -> Self {
        Self { kind, problems: vec![problem] }
    }
}

/// Returns the problem of an unknown step id.
pub(crate) fn no_step(id: &StepId) -> Problem {
    let words = (format!("the task has no step `{id}`"), format!("任务中没有步骤 `{id}`"));
    Problem::new("unknown_step", "", words)
}

impl From<SubmitError> for OrderRefused {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(problems) => Self { kind: RefusedKind::Invalid, problems },
            SubmitError::Unknown(problem) => Self::new(RefusedKind::NotFound, *problem),
            SubmitError::Read(error) => CommandError::Read(error).into(),
            SubmitError::Tool(error) => Self::new(
                RefusedKind::Invalid,
                Problem::new("tool_unusable", "", tool_words(&error)),
            ),
            SubmitError::KeyMismatch(task) => {
                let words = (
                    format!(
                        "the idempotency key was already used by {task} for a different request"
                    ),
                    format!("幂等键已被 {task} 用于另一个请求"),
                );
                Self::new(RefusedKind::Invalid, Problem::new("idempotency_mismatch", "", words))
            }
            SubmitError::Crowded(why) => Self::new(RefusedKind::Unavailable, crowded(&why)),
            SubmitError::Stopped(error) => {
                let problem = Problem::new("journal_stopped", "", stopped_words(&error));
                Self::new(RefusedKind::Unavailable, problem)
            }
        }
    }
}

/// Returns the problem of an exceeded intake limit.
fn crowded(why: &AppendError) -> Problem {
    if let AppendError::TooManyRequests { allowed, within_ms } = why {
        let seconds = within_ms.div_ceil(1000);
        let words = (
            format!("rate limit reached: {allowed} tasks submitted in the last {seconds} s"),
            format!("已达到提交频率上限：最近 {seconds} 秒内已提交 {allowed} 个任务"),
        );
        return Problem::new("too_many_requests", "", words);
    }
    let allowed = if let AppendError::TooManyTasks { allowed } = why { *allowed } else { 0 };
    let words = (
        format!("task limit reached: {allowed} unfinished tasks"),
        format!("已达到任务数上限：{allowed} 个任务未结束"),
    );
    Problem::new("too_many_tasks", "", words)
}

impl From<CommandError> for OrderRefused {
    fn from(error: CommandError) -> Self {
        let (kind, code) = match &error {
            CommandError::Refused(CommandRefusal::TaskEnded(_)) => {
                (RefusedKind::Invalid, "task_ended")
            }
            CommandError::Refused(CommandRefusal::Running) => {
                (RefusedKind::Invalid, "task_running")
            }
            CommandError::Refused(CommandRefusal::Stopping) => {
                (RefusedKind::Invalid, "task_stopping")
            }
            CommandError::Refused(CommandRefusal::NotOpen(_)) => {
                (RefusedKind::Invalid, "question_not_open")
            }
            CommandError::Refused(CommandRefusal::BadAnswer(_)) => {
                (RefusedKind::Invalid, "bad_answer")
            }
            CommandError::Refused(CommandRefusal::Stopped(_)) => {
                (RefusedKind::Unavailable, "journal_stopped")
            }
            CommandError::Read(ReadError::Erased(_)) => (RefusedKind::NotFound, "erased"),
            CommandError::Read(ReadError::NotFound(_)) => (RefusedKind::NotFound, "not_found"),
            CommandError::Read(ReadError::Damaged { .. }) => {
                (RefusedKind::Unavailable, "journal_damaged")
            }
            CommandError::Read(ReadError::UnknownEvent { .. }) => {
                (RefusedKind::Unavailable, "unknown_event")
            }
            CommandError::Read(ReadError::Store(_)) => {
                (RefusedKind::Unavailable, "journal_unreadable")
            }
            CommandError::Illegal(_) => (RefusedKind::Unavailable, "journal_illegal"),
            CommandError::Tool(_) => (RefusedKind::Invalid, "tool_unusable"),
        };
        let problem = Problem::new(code, "", command_words(&error));
        if matches!(error, CommandError::Refused(CommandRefusal::TaskEnded(TaskStatus::Completed)))
        {
            let next = (
                "inspect it with `praxis show`, or start a new task from it with `praxis fork`",
                "用 `praxis show` 查看，或用 `praxis fork` 基于它创建新任务",
            );
            return Self::new(kind, problem.next(next));
        }
        Self::new(kind, problem)
    }
}

fn command_words(error: &CommandError) -> Bilingual {
    let zh = match error {
        CommandError::Refused(CommandRefusal::TaskEnded(status)) => {
            format!("任务已结束（{}）", status_zh(*status))
        }
        CommandError::Refused(CommandRefusal::Running) => "任务尚未结束".to_owned(),
        CommandError::Refused(CommandRefusal::Stopping) => "任务正在停止".to_owned(),
        CommandError::Refused(CommandRefusal::NotOpen(question)) => {
            format!("问题 `{question}` 已有回答或已过期，不再接受回答（只采纳第一个有效回答）")
        }
        CommandError::Refused(CommandRefusal::BadAnswer(errors)) => {
            format!("回答不符合要求：{}", fields(errors, Lang::Zh))
        }
        CommandError::Refused(CommandRefusal::Stopped(stopped)) => return stopped_words(stopped),
        CommandError::Read(error) => return error.words(),
        CommandError::Illegal(illegal) => format!("事件日志前后矛盾：{illegal}"),
        CommandError::Tool(error) => return tool_words(error),
    };
    Bilingual { en: error.to_string(), zh }
}

fn status_zh(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "未开始",
        TaskStatus::Planning => "规划中",
        TaskStatus::Executing => "执行中",
        TaskStatus::Evaluating => "评估中",
        TaskStatus::Reflecting => "反思中",
        TaskStatus::Waiting => "等待中",
        TaskStatus::Completed => "已完成",
        TaskStatus::Failed => "失败",
        TaskStatus::Cancelled => "已取消",
    }
}

fn stopped_words(stopped: &DriverStopped) -> Bilingual {
    Bilingual { en: stopped.to_string(), zh: format!("无法写入事件日志：{stopped}") }
}

fn tool_words(error: &ToolError) -> Bilingual {
    let zh = match error {
        ToolError::Unknown(tool) => format!("未知工具 `{tool}`"),
        ToolError::UnknownCheck { tool, check } => {
            format!("工具 `{tool}` 的 `check_with` 指定了未知工具 `{check}`")
        }
        ToolError::Unusable { tool, why } => format!("无法使用工具 `{tool}`：{why}"),
    };
    Bilingual { en: error.to_string(), zh }
}
