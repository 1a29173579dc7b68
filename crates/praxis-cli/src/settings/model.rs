//! The settings as types. No field has a default here; all defaults are in `praxis.default.toml`.

use super::environment::Environment;
use super::forms;
use super::model_goal::{GoalSettings, Spending};
use praxis_adapters::http::Hosts;
use praxis_core::call::approval::{ByRisk, CallPolicy, Policy, PolicySource};
use praxis_core::dataflow::resolve::OnUnresolved;
use praxis_core::intake::unanswered::UnansweredAction;
use praxis_core::journal::options::OnLimit;
use praxis_core::lang::Lang;
use praxis_engine::seams::IntakeLimits;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// All settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// Data folder.
    pub data: DataSettings,
    /// Language and colours.
    pub ui: UiSettings,
    /// Log output for operators.
    pub log: LogSettings,
    /// Limits on submitted tasks.
    pub intake: IntakeSettings,
    /// Execution of tasks.
    pub run: RunSettings,
    /// Approval policies of calls.
    pub approval: ApprovalSettings,
    /// Planning, recovery and evaluation of goals.
    pub goal: GoalSettings,
    /// Budget of a goal.
    pub budget: Spending,
    /// Available tools.
    pub tools: ToolSettings,
    /// Limits on HTTP calls.
    pub http: HttpSettings,
    /// Journal writes and snapshots.
    pub journal: JournalSettings,
}

/// `[data]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataSettings {
    /// The folder of journals and blobs, absolute.
    #[serde(deserialize_with = "forms::path")]
    pub dir: PathBuf,
}

/// `[ui]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UiSettings {
    /// The language.
    #[serde(deserialize_with = "forms::word")]
    pub lang: LangChoice,
    /// The use of colours.
    #[serde(deserialize_with = "forms::word")]
    pub color: Color,
}

/// `[log]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogSettings {
    /// The minimum level of records.
    #[serde(deserialize_with = "forms::word")]
    pub level: LogLevel,
    /// The format of records.
    #[serde(deserialize_with = "forms::word")]
    pub format: LogFormat,
}

/// `[run]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSettings {
    /// True if independent steps may run in parallel.
    #[serde(deserialize_with = "forms::flag")]
    pub parallel: bool,
    /// Maximum number of steps that run in parallel.
    #[serde(deserialize_with = "forms::within::<1, 1000, _>")]
    pub parallel_max_concurrent: u32,
    /// Plans with fewer steps run one step at a time.
    #[serde(deserialize_with = "forms::within::<1, 1000, _>")]
    pub parallel_min_steps: u32,
    /// The active time limit of a task, in milliseconds.
    #[serde(rename = "task_timeout", deserialize_with = "forms::span")]
    pub task_timeout_ms: u64,
    /// The reaction to a limit that is used up.
    #[serde(deserialize_with = "forms::word")]
    pub on_wall: OnLimitSetting,
    /// The time limit for answers to questions, in milliseconds; `None` for no limit.
    #[serde(rename = "answer_within", deserialize_with = "forms::span_or_none")]
    pub answer_within_ms: Option<u64>,
    /// The action on a question that is not answered in time.
    #[serde(deserialize_with = "forms::word")]
    pub unanswered: UnansweredAction,
    /// The treatment of placeholders without a value.
    #[serde(deserialize_with = "forms::word")]
    pub on_unresolved: OnUnresolved,
    /// Maximum number of retries of a step.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_step_retries: u32,
    /// Maximum number of repairs of a single step.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_single_step_repairs: u32,
    /// Maximum number of replans of a task.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_task_replanning_attempts: u32,
    /// Maximum number of failures in a row.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_consecutive_failures: u32,
    /// The enforcement of the four limits above.
    #[serde(deserialize_with = "forms::word")]
    pub limits: LimitsSetting,
}

/// `[approval]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalSettings {
    /// The policy for calls that change nothing.
    #[serde(deserialize_with = "forms::word")]
    pub read: CallPolicy,
    /// The policy for calls that change something.
    #[serde(deserialize_with = "forms::word")]
    pub write: CallPolicy,
    /// The policy for calls that cannot be undone.
    #[serde(deserialize_with = "forms::word")]
    pub irreversible: CallPolicy,
    /// The sources that may turn an `ask` into `allow`.
    #[serde(deserialize_with = "forms::policy_sources")]
    pub loosen: BTreeSet<PolicySource>,
}

impl ApprovalSettings {
    /// Builds the `Policy` pinned to a task from the settings and the policies of its caller.
    pub(crate) fn policy(&self, task: ByRisk) -> Policy {
        let said = |permit: CallPolicy| Some(permit).filter(|permit| *permit != CallPolicy::Allow);
        let settings = ByRisk {
            read: said(self.read),
            write: said(self.write),
            irreversible: said(self.irreversible),
        };
        Policy { settings, loosen: self.loosen.clone(), scene: ByRisk::default(), task }
    }
}

/// `[tools]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolSettings {
    /// Manifest files, or folders of them, that are always loaded. Absolute.
    #[serde(deserialize_with = "forms::paths")]
    pub paths: Vec<PathBuf>,
    /// Folders in which built-in tools may read and write files. Absolute.
    #[serde(deserialize_with = "forms::paths")]
    pub folders: Vec<PathBuf>,
    /// Hosts that built-in tools may reach.
    #[serde(deserialize_with = "forms::hosts")]
    pub hosts: Hosts,
    /// The default timeout of calls, in milliseconds.
    #[serde(rename = "timeout", deserialize_with = "forms::span")]
    pub timeout_ms: u64,
}

/// `[http]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpSettings {
    /// Hosts and networks that HTTP calls may reach although their address is not public.
    #[serde(deserialize_with = "forms::texts")]
    pub allow_hosts: Vec<String>,
    /// Maximum size of a response, in bytes; longer ones are refused.
    #[serde(deserialize_with = "forms::size")]
    pub max_response_bytes: u64,
}

/// `[intake]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntakeSettings {
    /// Maximum number of unfinished tasks; zero for no limit.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub tasks: u32,
    /// Maximum number of tasks submitted within the time window; zero for no limit.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub requests: u32,
    /// The length of the time window, in milliseconds.
    #[serde(rename = "within", deserialize_with = "forms::span")]
    pub within_ms: u64,
}

impl IntakeSettings {
    /// Returns the limits that the store enforces.
    pub(crate) fn limits(&self) -> IntakeLimits {
        IntakeLimits { tasks: self.tasks, requests: self.requests, within_ms: self.within_ms }
    }
}

/// `[journal]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JournalSettings {
    /// Maximum number of events committed together.
    #[serde(deserialize_with = "forms::within::<1, 100_000, _>")]
    pub group_commit_max: u32,
    /// True if a lone append is committed on the calling thread.
    #[serde(deserialize_with = "forms::flag")]
    pub lone_commits: bool,
    /// The number of events from which on snapshots of a task are kept; zero for never.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub snapshot_after: u32,
    /// The pause before a write to a full disk is retried, in milliseconds.
    #[serde(rename = "full_disk_wait", deserialize_with = "forms::span")]
    pub full_disk_wait_ms: u64,
}

/// `ui.lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LangChoice {
    /// The language of the locale.
    Auto,
    /// A fixed language.
    Set(Lang),
}

impl LangChoice {
    /// Returns the language of a task: the configured one, otherwise Chinese if the goal contains Chinese characters,
    /// else English.
    pub(crate) fn of_words(self, words: &str) -> Lang {
        match self {
            Self::Set(lang) => lang,
            Self::Auto if words.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) => Lang::Zh,
            Self::Auto => Lang::En,
        }
    }

    /// Returns the language of the output. As in POSIX, the first locale variable that is set decides.
    pub(crate) fn resolve(self, environment: &Environment) -> Lang {
        match self {
            Self::Set(lang) => lang,
            Self::Auto => {
                let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
                let locale = names.iter().find_map(|name| environment.var(name));
                if locale.is_some_and(|locale| locale.starts_with("zh")) {
                    Lang::Zh
                } else {
                    Lang::En
                }
            }
        }
    }
}

/// Returns the language for reporting invalid settings: from the flag, the variables, or the locale.
pub(crate) fn likely_lang(environment: &Environment, flag: Option<&str>) -> Lang {
    let named = flag.or_else(|| environment.var("PRAXIS_LANG"));
    match named.or_else(|| environment.var("PRAXIS_UI_LANG")) {
        Some("zh") => Lang::Zh,
        Some("en") => Lang::En,
        _ => LangChoice::Auto.resolve(environment),
    }
}

/// `ui.color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always, even in a pipe.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Returns true if output is coloured; `terminal` is true if the output is a terminal.
    pub(crate) fn paints(self, environment: &Environment, terminal: bool) -> bool {
        match self {
            Self::Auto => terminal && environment.var("NO_COLOR").is_none(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// `log.level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogLevel {
    /// No records.
    Off,
    /// Problems that need attention.
    Warn,
    /// Normal operation.
    Info,
    /// Details of the lower layers too.
    Debug,
}

/// `log.format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Text,
    /// JSON lines for programs.
    Json,
}

/// `run.on_wall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnLimitSetting {
    /// Ask if a person can answer; otherwise wait at a budget limit, and fail at the time limit.
    Auto,
    /// A fixed reaction.
    Set(OnLimit),
}

impl OnLimitSetting {
    /// Returns the reaction to a limit; `person` is true if a person can answer.
    pub(crate) fn resolve(self, person: bool) -> OnLimit {
        match self {
            Self::Set(on_wall) => on_wall,
            Self::Auto if person => OnLimit::Ask,
            Self::Auto => OnLimit::Wait,
        }
    }
}

/// `run.limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitsSetting {
    /// Counted and shown to the model, but not enforced.
    Advisory,
    /// Enforced.
    Hard,
    /// The fixed limits of an earlier version: 3, 1, 1 and 3, regardless of the configured numbers.
    SeedV1_0,
}

impl LimitsSetting {
    /// Returns the enforced limit, or `None` if it is only advisory.
    pub(crate) fn cap(self, configured: u32, seed: u32) -> Option<u32> {
        match self {
            Self::Advisory => None,
            Self::Hard => Some(configured),
            Self::SeedV1_0 => Some(seed),
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
