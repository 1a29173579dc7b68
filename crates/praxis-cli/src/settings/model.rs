//! The settings as types. No field has a default here: `praxis.default.toml` has them all.

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

/// Every setting.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// Where Praxis keeps what it must not lose.
    pub data: DataSettings,
    /// How Praxis talks.
    pub ui: UiSettings,
    /// What is told to whoever operates Praxis.
    pub log: LogSettings,
    /// How many tasks are taken in.
    pub intake: IntakeSettings,
    /// How tasks are run.
    pub run: RunSettings,
    /// Which calls may be made.
    pub approval: ApprovalSettings,
    /// How goals are worked out.
    pub goal: GoalSettings,
    /// What a goal may spend.
    pub budget: Spending,
    /// Which tools there are.
    pub tools: ToolSettings,
    /// What HTTP calls may do.
    pub http: HttpSettings,
    /// How the journal is written.
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
    /// When to use colors.
    #[serde(deserialize_with = "forms::word")]
    pub color: Color,
}

/// `[log]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogSettings {
    /// How much.
    #[serde(deserialize_with = "forms::word")]
    pub level: LogLevel,
    /// In which form.
    #[serde(deserialize_with = "forms::word")]
    pub format: LogFormat,
}

/// `[run]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSettings {
    /// Whether steps run at the same time at all.
    #[serde(deserialize_with = "forms::flag")]
    pub parallel: bool,
    /// Steps at the same time.
    #[serde(deserialize_with = "forms::within::<1, 1000, _>")]
    pub parallel_max_concurrent: u32,
    /// Plans with fewer steps run one step at a time.
    #[serde(deserialize_with = "forms::within::<1, 1000, _>")]
    pub parallel_min_steps: u32,
    /// The active time that a task has.
    #[serde(rename = "task_timeout", deserialize_with = "forms::span")]
    pub task_timeout_ms: u64,
    /// What happens when that is used up.
    #[serde(deserialize_with = "forms::word")]
    pub on_wall: OnLimitSetting,
    /// How long a question waits for an answer; none: for ever.
    #[serde(rename = "answer_within", deserialize_with = "forms::span_or_none")]
    pub answer_within_ms: Option<u64>,
    /// What becomes of it then.
    #[serde(deserialize_with = "forms::word")]
    pub unanswered: UnansweredAction,
    /// What happens to a placeholder without a value.
    #[serde(deserialize_with = "forms::word")]
    pub on_unresolved: OnUnresolved,
    /// How often a step is tried again.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_step_retries: u32,
    /// How often a single step is repaired.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_single_step_repairs: u32,
    /// How often the rest of a task is planned again.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_task_replanning_attempts: u32,
    /// Failures in a row.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub max_consecutive_failures: u32,
    /// What the four numbers above are.
    #[serde(deserialize_with = "forms::word")]
    pub limits: LimitsSetting,
}

/// `[approval]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalSettings {
    /// For calls that change nothing.
    #[serde(deserialize_with = "forms::word")]
    pub read: CallPolicy,
    /// For calls that change something.
    #[serde(deserialize_with = "forms::word")]
    pub write: CallPolicy,
    /// For calls that change something for good.
    #[serde(deserialize_with = "forms::word")]
    pub irreversible: CallPolicy,
    /// Who may turn an `ask` into `allow`.
    #[serde(deserialize_with = "forms::voices")]
    pub loosen: BTreeSet<PolicySource>,
}

impl ApprovalSettings {
    /// What is pinned with a task, with what its caller says.
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
    /// The time that a call has, unless its tool says otherwise.
    #[serde(rename = "timeout", deserialize_with = "forms::span")]
    pub timeout_ms: u64,
}

/// `[http]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpSettings {
    /// Hosts that calls are allowed to reach.
    #[serde(deserialize_with = "forms::texts")]
    pub allow_hosts: Vec<String>,
    /// Longer responses are refused.
    #[serde(deserialize_with = "forms::size")]
    pub max_response_bytes: u64,
}

/// `[intake]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntakeSettings {
    /// Tasks that have not ended, at most; zero for no limit.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub tasks: u32,
    /// Tasks that begin within the span, at most; zero for no limit.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub requests: u32,
    /// The span.
    #[serde(rename = "within", deserialize_with = "forms::span")]
    pub within_ms: u64,
}

impl IntakeSettings {
    /// What a store is to hold to.
    pub(crate) fn door(&self) -> IntakeLimits {
        IntakeLimits { tasks: self.tasks, requests: self.requests, within_ms: self.within_ms }
    }
}

/// `[journal]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JournalSettings {
    /// Events written together at most.
    #[serde(deserialize_with = "forms::within::<1, 100_000, _>")]
    pub group_commit_max: u32,
    /// Whether an append that is alone is committed by the thread that makes it.
    #[serde(deserialize_with = "forms::flag")]
    pub lone_commits: bool,
    /// From how many events on the states of a task are kept; zero for never.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub snapshot_after: u32,
    /// The pause before a write to a full disk is tried again.
    #[serde(rename = "full_disk_wait", deserialize_with = "forms::span")]
    pub full_disk_wait_ms: u64,
}

/// `ui.lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LangChoice {
    /// What the locale says.
    Auto,
    /// This one.
    Set(Lang),
}

impl LangChoice {
    /// The language of a task: the one that was set, else that of the words it is wanted in.
    pub(crate) fn of_words(self, words: &str) -> Lang {
        match self {
            Self::Set(lang) => lang,
            Self::Auto if words.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) => Lang::Zh,
            Self::Auto => Lang::En,
        }
    }

    /// The language to use. As in POSIX, the first locale variable that is set decides alone.
    pub(crate) fn settle(self, environment: &Environment) -> Lang {
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

/// The language to say in that there are no settings: of the flag, the variables, or the locale.
pub(crate) fn likely_lang(environment: &Environment, flag: Option<&str>) -> Lang {
    let named = flag.or_else(|| environment.var("PRAXIS_LANG"));
    match named.or_else(|| environment.var("PRAXIS_UI_LANG")) {
        Some("zh") => Lang::Zh,
        Some("en") => Lang::En,
        _ => LangChoice::Auto.settle(environment),
    }
}

/// `ui.color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Even in a pipe.
    Always,
    /// Not at all.
    Never,
}

impl Color {
    /// Whether to paint on an output that is or is not a terminal.
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
    /// Nothing.
    Off,
    /// What needs a look.
    Warn,
    /// What happened.
    Info,
    /// What the parts below say too.
    Debug,
}

/// `log.format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// `run.on_wall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnLimitSetting {
    /// Ask where a person can answer, wait for one elsewhere.
    Auto,
    /// This one.
    Set(OnLimit),
}

impl OnLimitSetting {
    /// What happens at a wall, given whether a person can answer.
    pub(crate) fn settle(self, person: bool) -> OnLimit {
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
    /// Counted and told to the model.
    Advisory,
    /// Caps.
    Hard,
    /// Caps of 3, 1, 1 and 3, whatever the numbers say.
    SeedV1_0,
}

impl LimitsSetting {
    /// The cap that a number means: none if it is only advice.
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
