//! Failure of a command: an exit code, a stable problem code, a message and a next step.

use crate::examples::named_in;
use crate::view::text::{headed, located, sanitize, say};
use praxis_adapters::folder::FolderError;
use praxis_adapters::sqlite::OpenError;
use praxis_core::lang::Lang;
use praxis_core::problem::{Bilingual, Problem, ProblemText};
use praxis_engine::refused::{OrderRefused, RefusedKind};
use praxis_engine::seams::ReadError;
use std::process::ExitCode;

/// Exit codes that scripts can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    TaskFailed = 1,
    Usage = 2,
    InputNeeded = 3,
    Budget = 4,
    Cancelled = 5,
    NotFound = 6,
    Unreachable = 7,
    Diverged = 8,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Maximum number of characters to print of a message, because names in it can be very long.
pub(crate) const MOST_COLUMNS: usize = 2000;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) struct CommandFailure {
    pub(crate) exit: Exit,
    pub(crate) problems: Vec<Problem>,
}

impl CommandFailure {
    pub(crate) fn new(exit: Exit, code: &str, message: impl Into<Bilingual>) -> Self {
        Self { exit, problems: vec![Problem::new(code, "", message)] }
    }

    pub(crate) fn usage(code: &str, message: impl Into<Bilingual>) -> Self {
        Self::new(Exit::Usage, code, message)
    }

    pub(crate) fn not_found(message: impl Into<Bilingual>) -> Self {
        Self::new(Exit::NotFound, "not_found", message)
    }

    /// Failure for a journal that contradicts itself.
    pub(crate) fn illegal(error: praxis_core::IllegalEvent) -> Self {
        let words = (error.to_string(), format!("事件日志前后矛盾：{error}"));
        Self::new(Exit::TaskFailed, "journal_illegal", words)
    }

    pub(crate) fn next(mut self, advice: impl Into<Bilingual>) -> Self {
        if let Some(problem) = self.problems.pop() {
            self.problems.push(problem.next(advice));
        }
        self
    }

    /// Returns true if one of the problems has this code.
    pub(crate) fn is(&self, code: &str) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }

    /// Failure with several problems, each located within `place`.
    pub(crate) fn refused(problems: Vec<Problem>, place: &str) -> Self {
        let problems = problems.into_iter();
        let within =
            |problem: Problem| if place.is_empty() { problem } else { problem.within(place) };
        Self { exit: Exit::Usage, problems: problems.map(within).collect() }
    }

    /// Prints the problems on stderr, and on stdout as JSON if wanted. Returns the exit code.
    pub(crate) fn report(&self, json: bool, lang: Lang) -> ExitCode {
        let problems: Vec<Problem> = self.problems.iter().cloned().map(named_in).collect();
        let told: Vec<ProblemText<'_>> =
            problems.iter().map(|problem| problem.told(lang)).collect();
        if json {
            out!("{}", serde_json::json!({"error": {"exit": self.exit as u8, "problems": told}}));
        }
        for problem in &told {
            print_problem(problem, ("error", "错误"), lang);
        }
        self.exit.into()
    }
}

/// Prints warnings on stderr.
pub(crate) fn print_warnings<'a>(warnings: impl IntoIterator<Item = &'a Problem>, lang: Lang) {
    for warning in warnings {
        print_problem(&warning.told(lang), ("warning", "警告"), lang);
    }
}

/// Prints a problem and its next step on stderr, headed by its severity in English or Chinese.
fn print_problem(problem: &ProblemText<'_>, severity: (&str, &str), lang: Lang) {
    let colon = say(lang, ": ", "：");
    let mut line = format!("{}[{}]{colon}", say(lang, severity.0, severity.1), problem.code);
    if !problem.at.is_empty() {
        line.push_str(&located(problem.at, lang));
        line.push_str(colon);
    }
    line.push_str(problem.message);
    note!("{}", sanitize(&line, MOST_COLUMNS));
    if let Some(next) = problem.next {
        let line = format!("  {}", headed(lang, ("next:", "下一步："), next));
        note!("{}", sanitize(&line, MOST_COLUMNS));
    }
}

impl From<ReadError> for CommandFailure {
    fn from(error: ReadError) -> Self {
        let words = error.words();
        match error {
            ReadError::NotFound(_) => Self::not_found(words),
            ReadError::Erased(_) => Self::new(Exit::NotFound, "erased", words),
            ReadError::Damaged { .. } => Self::new(Exit::TaskFailed, "journal_damaged", words),
            ReadError::UnknownEvent { .. } => Self::new(Exit::TaskFailed, "unknown_event", words),
            ReadError::Store(_) => Self::new(Exit::Unreachable, "journal_unreadable", words),
        }
    }
}

impl From<OpenError> for CommandFailure {
    fn from(error: OpenError) -> Self {
        let zh = match &error {
            OpenError::Sqlite { path, why } => format!("无法打开数据库 {path}：{why}"),
            OpenError::Foreign(path) => format!("{path} 是数据库，但不是 Praxis 的数据库"),
            OpenError::Newer { path, found } => {
                format!("{path} 的版本为 {found}，由较新的 Praxis 写入")
            }
            OpenError::Folder { path, why } => {
                format!("无法将 {path} 所在文件夹的更改写入磁盘（fsync）：{why}")
            }
        };
        let newer = matches!(error, OpenError::Newer { .. });
        let failure = Self::new(Exit::Unreachable, "database_unusable", (error.to_string(), zh));
        if newer {
            failure.next((
                "upgrade praxis to the version that wrote it",
                "请将 praxis 升级到写入它的版本",
            ))
        } else {
            failure
        }
    }
}

impl From<FolderError> for CommandFailure {
    fn from(error: FolderError) -> Self {
        let (code, zh) = match &error {
            FolderError::Unusable { path, why } => {
                ("data_folder_unusable", format!("无法使用数据文件夹 {path}：{why}"))
            }
            FolderError::Owned(path) => {
                ("data_folder_owned", format!("数据文件夹 {path} 正被另一个 praxis 进程占用"))
            }
            FolderError::TooLong(path) => {
                ("data_path_too_long", format!("数据文件夹的路径 {path} 过长"))
            }
        };
        Self::new(Exit::Unreachable, code, (error.to_string(), zh))
    }
}

impl From<OrderRefused> for CommandFailure {
    fn from(refused: OrderRefused) -> Self {
        let exit = match refused.kind {
            RefusedKind::Invalid => Exit::Usage,
            RefusedKind::NotFound => Exit::NotFound,
            RefusedKind::Unavailable => Exit::Unreachable,
        };
        Self { exit, problems: refused.problems }
    }
}
