//! Approval of calls: one policy for plans, flows and goals.
//!
//! - in: the policies of the settings, the scene, the tool, the flow node and the task
//! - out: one `CallPolicy` and the `PolicySource` that set it
//! - never: lets a source loosen a policy without permission

use super::risk::Risk;
use crate::problem::Bilingual;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A policy for a call, from the most permissive to the strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallPolicy {
    /// The call is made.
    #[default]
    Allow,
    /// A person is asked first.
    Ask,
    /// The call is not made.
    Deny,
}

impl CallPolicy {
    /// All policies, by the words used in files.
    pub const WORDS: [(&'static str, Self); 3] =
        [("allow", Self::Allow), ("ask", Self::Ask), ("deny", Self::Deny)];

    /// Returns the policy of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, permit)| permit)
    }

    /// Returns the word of the policy.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A source of policies, from the widest scope to the narrowest.
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
    /// The person or program that started the task.
    Task,
    /// The goal, whose plans need approval for calls that change something.
    Plan,
    /// The fork, which asks before each call that changes something.
    Fork,
    /// An agent, whose model chose the call itself.
    Agent,
}

impl PolicySource {
    /// Returns the name of the source for people.
    pub fn words(self) -> Bilingual {
        let (en, zh) = match self {
            Self::Settings => ("the settings", "设置"),
            Self::Scene => ("the scene", "场景"),
            Self::Tool => ("the tool's manifest", "工具清单"),
            Self::Node => ("the flow node", "流程节点"),
            Self::Task => ("the task submitter", "任务提交者"),
            Self::Plan => ("the goal", "目标"),
            Self::Fork => ("the fork", "派生任务"),
            Self::Agent => {
                ("the agent (its model chose this call)", "智能体（由其模型选择此调用）")
            }
        };
        (en, zh).into()
    }
}

/// A policy for each risk; `None` where the source has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ByRisk {
    /// Policy for calls that change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<CallPolicy>,
    /// Policy for calls that change something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<CallPolicy>,
    /// Policy for calls that change something irreversibly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub irreversible: Option<CallPolicy>,
}

impl ByRisk {
    /// Creates one policy for all calls that change something. `Allow` covers calls that change nothing as well.
    pub fn changes(permit: CallPolicy) -> Self {
        let read = Some(permit).filter(|permit| *permit == CallPolicy::Allow);
        Self { read, write: Some(permit), irreversible: Some(permit) }
    }

    /// Returns the policy for a risk.
    pub fn of(&self, risk: Risk) -> Option<CallPolicy> {
        match risk {
            Risk::Read => self.read,
            Risk::Write => self.write,
            Risk::Irreversible => self.irreversible,
        }
    }

    /// Reads `ask`, or `write=ask,irreversible=deny`; `None` if it is neither.
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

    /// Returns true if there is no policy for any risk.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }
}

/// The policies pinned to a task, so that later changes of the settings do not affect it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The policies of the settings; risks without one are allowed.
    #[serde(skip_serializing_if = "ByRisk::is_silent")]
    pub settings: ByRisk,
    /// Sources, besides the task, that may turn an `ask` of a wider source into `allow`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub loosen: BTreeSet<PolicySource>,
    /// The policies of the scene.
    #[serde(skip_serializing_if = "ByRisk::is_silent")]
    pub scene: ByRisk,
    /// The policies given at the start of the task.
    #[serde(skip_serializing_if = "ByRisk::is_silent")]
    pub task: ByRisk,
}

/// The policy that holds for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovalRuling {
    /// The policy.
    pub permit: CallPolicy,
    /// The source that set it.
    pub by: PolicySource,
}

impl Policy {
    /// Returns true if no source has a policy.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }

    /// Decides the policy for a call with this risk, given the policies of its tool and its node.
    ///
    /// Every source may tighten the policy of the wider ones. The task may turn an `ask` into `allow`; other sources
    /// only if the settings permit it. Nothing lifts a `deny`.
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
    /// Returns the ruling, made at least as strict as `permit`.
    #[must_use]
    pub fn at_least(self, permit: CallPolicy, by: PolicySource) -> Self {
        if permit > self.permit { Self { permit, by } } else { self }
    }
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
