//! Whether a call may be made: one policy for plans, flows and goals.
//!
//! - in: what the settings, the scene, the tool, the node of a flow and whoever starts the task say
//! - out: one word, and whose it is
//! - never: lets a wider word win that nobody gave leave to

use super::risk::Risk;
use crate::problem::Bilingual;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is said about a call, from the widest word to the narrowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallPolicy {
    /// It is made.
    #[default]
    Allow,
    /// A person is asked first.
    Ask,
    /// It is not made.
    Deny,
}

impl CallPolicy {
    /// All of them, by the words that files use.
    pub const WORDS: [(&'static str, Self); 3] =
        [("allow", Self::Allow), ("ask", Self::Ask), ("deny", Self::Deny)];

    /// What a word means.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, permit)| permit)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Who says something about a call, from the widest to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicySource {
    /// The settings.
    Settings,
    /// The scene of the goal.
    Scene,
    /// The tool's manifest.
    Tool,
    /// The node of a flow.
    Node,
    /// Whoever started the task.
    Task,
    /// The goal: nobody has approved of this call with its plan.
    Plan,
    /// The fork: it was to ask before it changes anything.
    Fork,
    /// An agent: a model chose the call by itself.
    Agent,
}

impl PolicySource {
    /// Who that is, in words.
    pub fn words(self) -> Bilingual {
        let (en, zh) = match self {
            Self::Settings => ("the settings", "设置"),
            Self::Scene => ("the scene", "场景"),
            Self::Tool => ("the tool's manifest", "工具清单"),
            Self::Node => ("the node of the flow", "流程节点"),
            Self::Task => ("whoever started the task", "任务发起人"),
            Self::Plan => ("the goal", "目标"),
            Self::Fork => ("the fork", "分叉"),
            Self::Agent => ("the agent, whose model chose it", "智能体（由其模型选择）"),
        };
        (en, zh).into()
    }
}

/// A word for each thing that a call can do; none where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ByRisk {
    /// For calls that change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<CallPolicy>,
    /// For calls that change something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<CallPolicy>,
    /// For calls that change something for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub irreversible: Option<CallPolicy>,
}

impl ByRisk {
    /// One word for everything that changes something. Whoever allows that, allows what changes nothing too.
    pub fn changes(permit: CallPolicy) -> Self {
        let read = Some(permit).filter(|permit| *permit == CallPolicy::Allow);
        Self { read, write: Some(permit), irreversible: Some(permit) }
    }

    /// What is said of this risk.
    pub fn of(&self, risk: Risk) -> Option<CallPolicy> {
        match risk {
            Risk::Read => self.read,
            Risk::Write => self.write,
            Risk::Irreversible => self.irreversible,
        }
    }

    /// Reads `ask`, or `write=ask,irreversible=deny`; none if it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(permit) = CallPolicy::of_word(text.trim()) {
            return Some(Self::changes(permit));
        }
        let mut said = Self::default();
        for pair in text.split(',') {
            let (risk, word) = pair.split_once('=')?;
            let place = match Risk::of_word(risk.trim())? {
                Risk::Read => &mut said.read,
                Risk::Write => &mut said.write,
                Risk::Irreversible => &mut said.irreversible,
            };
            if place.replace(CallPolicy::of_word(word.trim())?).is_some() {
                return None;
            }
        }
        Some(said)
    }

    /// Whether nothing is said.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }
}

/// What is pinned with a task, so that it ends under the words that it began with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// What the settings say; what they do not say is allowed.
    #[serde(skip_serializing_if = "ByRisk::is_silent")]
    pub settings: ByRisk,
    /// Who else may turn an `ask` of the wider ones into `allow`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub loosen: BTreeSet<PolicySource>,
    /// What the scene says.
    #[serde(skip_serializing_if = "ByRisk::is_silent")]
    pub scene: ByRisk,
    /// What whoever started the task says.
    #[serde(skip_serializing_if = "ByRisk::is_silent")]
    pub task: ByRisk,
}

/// What holds for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovalRuling {
    /// The word.
    pub permit: CallPolicy,
    /// Whose it is.
    pub by: PolicySource,
}

impl Policy {
    /// Whether nothing is said.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }

    /// What holds for a call of this risk, whose tool and node say this.
    ///
    /// Everybody may narrow what the wider ones say. Whoever starts the task may answer an `ask` beforehand; others
    /// only if the settings give them leave. Nobody lifts a `deny`.
    pub fn ruling(
        &self,
        risk: Risk,
        tool: Option<CallPolicy>,
        node: Option<CallPolicy>,
    ) -> ApprovalRuling {
        let first = ApprovalRuling {
            permit: self.settings.of(risk).unwrap_or_default(),
            by: PolicySource::Settings,
        };
        let said = [
            (PolicySource::Scene, self.scene.of(risk)),
            (PolicySource::Tool, tool),
            (PolicySource::Node, node),
            (PolicySource::Task, self.task.of(risk)),
        ];
        said.into_iter().fold(first, |ruling, (by, said)| match said {
            Some(permit) if self.counts(ruling.permit, permit, by) => ApprovalRuling { permit, by },
            Some(_) | None => ruling,
        })
    }

    fn counts(&self, before: CallPolicy, said: CallPolicy, by: PolicySource) -> bool {
        let loosens = by == PolicySource::Task || self.loosen.contains(&by);
        said > before || (before == CallPolicy::Ask && said == CallPolicy::Allow && loosens)
    }
}

impl ApprovalRuling {
    /// The same, at least this narrow.
    #[must_use]
    pub fn at_least(self, permit: CallPolicy, by: PolicySource) -> Self {
        if permit > self.permit { Self { permit, by } } else { self }
    }
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
