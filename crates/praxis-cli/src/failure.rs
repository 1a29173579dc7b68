//! How a command ends when it does not end well: an exit code, a stable code, words, a next step.

use praxis_adapters::folder::FolderError;
use praxis_adapters::sqlite::OpenError;
use praxis_core::intake::problem::Problem;
use praxis_engine::order::{Refused, RefusedKind};
use praxis_engine::seams::ReadError;
use std::process::ExitCode;

/// The exit codes that scripts can rely on.
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

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) problems: Vec<Problem>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, code: &str, message: impl AsRef<str>) -> Self {
        Self { exit, problems: vec![Problem::new(code, "", message.as_ref())] }
    }

    pub(crate) fn usage(code: &str, message: impl AsRef<str>) -> Self {
        Self::new(Exit::Usage, code, message)
    }

    pub(crate) fn not_found(message: impl AsRef<str>) -> Self {
        Self::new(Exit::NotFound, "not_found", message).next("`praxis ps` lists the tasks")
    }

    pub(crate) fn next(mut self, advice: &str) -> Self {
        if let Some(problem) = self.problems.pop() {
            self.problems.push(problem.next(advice));
        }
        self
    }

    /// Whether this is what went wrong.
    pub(crate) fn is(&self, code: &str) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }

    /// Every problem refused at once, each within `place`.
    pub(crate) fn refused(problems: Vec<Problem>, place: &str) -> Self {
        let problems = problems.into_iter();
        let within =
            |problem: Problem| if place.is_empty() { problem } else { problem.within(place) };
        Self { exit: Exit::Usage, problems: problems.map(within).collect() }
    }

    /// Says it on stderr, and on stdout as JSON if that was asked for.
    pub(crate) fn report(self, json: bool) -> ExitCode {
        if json {
            let error =
                serde_json::json!({"error": {"exit": self.exit as u8, "problems": self.problems}});
            out!("{error}");
        }
        for problem in &self.problems {
            let at =
                if problem.at.is_empty() { String::new() } else { format!("{}: ", problem.at) };
            note!("error[{}]: {at}{}", problem.code, problem.message);
            if let Some(next) = &problem.next {
                note!("  next: {next}");
            }
        }
        self.exit.into()
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let words = error.to_string();
        match error {
            ReadError::NotFound(_) => Self::not_found(words),
            ReadError::Erased(_) => Self::new(Exit::NotFound, "erased", words),
            ReadError::Damaged { .. } => Self::new(Exit::TaskFailed, "journal_damaged", words)
                .next("the file is left as it is; restore it from a backup"),
            ReadError::UnknownEvent { .. } => Self::new(Exit::TaskFailed, "unknown_event", words)
                .next("use the newer praxis that wrote it"),
            ReadError::Store(_) => Self::new(Exit::Unreachable, "journal_unreadable", words),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let next = "give another folder with --data, or look at it with `praxis doctor`";
        Self::new(Exit::Unreachable, "database_unusable", error.to_string()).next(next)
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        let code = match &error {
            FolderError::Unusable { .. } => "data_folder_unusable",
            FolderError::Owned(_) => "data_folder_owned",
            FolderError::TooLong(_) => "data_path_too_long",
        };
        Self::new(Exit::Unreachable, code, error.to_string())
            .next("give another folder with --data")
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let exit = match refused.kind {
            RefusedKind::Bad => Exit::Usage,
            RefusedKind::NotFound => Exit::NotFound,
            RefusedKind::Unavailable => Exit::Unreachable,
        };
        Self { exit, problems: refused.problems }
    }
}
