//! The seam for planning without a model: lexical tool search, lexical plans, and earlier plans filled with the
//! values of another goal.
//!
//! - in: texts, the pinned catalog, recalled tasks
//! - out: the findings from words alone, with their confidence
//! - never: reads anything but its inputs; equal inputs give equal results, live and in a replay
//!
//! `praxis-planner` implements it. Core knows only these traits, not their implementation.

use crate::call::tool::Toolbox;
use crate::goal::strategy::Strategy;
use crate::ids::{TaskId, ToolId};
use crate::journal::case::PlanTemplate;
use crate::journal::memory::RecalledTask;
use crate::journal::selection::Sureness;
use crate::problem::Bilingual;
use crate::route::workflow::Workflow;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Planning without a model.
pub trait Planner: Debug + Send + Sync {
    /// Builds the search index of a catalog, with the user's synonyms in addition to the built-in ones.
    fn index(&self, catalog: &Toolbox, synonyms: &str) -> Arc<dyn ToolSearch>;
    /// Returns the significant words of a text.
    fn words(&self, text: &str) -> Vec<String>;
    /// Relates a request to earlier work.
    fn strategy(&self, request: &str) -> Strategy;
    /// Replaces the values of the goal in a plan by slots; `None` if the values cannot be identified.
    fn template(
        &self,
        goal: &str,
        steps: &[Value],
        setting: &PlanSetting<'_>,
    ) -> Option<PlanTemplate>;
    /// Fills a plan for another goal; `None` if that goal is worded differently or has values of another kind.
    fn filled(&self, template: &PlanTemplate, goal: &str) -> Option<FilledPlan>;
    /// Returns the plan unchanged, for any goal; `None` if it has values of its own goal.
    fn as_it_stands(&self, template: &PlanTemplate) -> Option<FilledPlan>;
}

/// The search index of one catalog.
pub trait ToolSearch: Debug + Send + Sync {
    /// Returns the tools that match a text, best first.
    fn find(&self, text: &str, most: usize) -> Vec<FoundTool>;
    /// Searches like `find`; `tool_votes` is the share of similar past requests that used each tool, from 0 to 1.
    fn find_beside(
        &self,
        text: &str,
        most: usize,
        tool_votes: &BTreeMap<ToolId, f32>,
    ) -> Vec<FoundTool>;
    /// Makes a lexical plan, or gives the reason why there is none.
    fn plan(&self, wanted: &PlanQuery<'_>) -> LexicalPlan;
    /// Returns the workflow that the words of a goal match; `None` if tools alone explain the goal clearly better, or
    /// if one of its tools is missing.
    fn workflow<'a>(
        &self,
        wanted: &PlanQuery<'_>,
        workflows: &'a [Workflow],
    ) -> Option<&'a Workflow>;
    /// Fills a workflow with the values that a goal states.
    fn fill(&self, workflow: &Workflow, wanted: &PlanQuery<'_>) -> FilledWorkflow;
}

/// A tool that may be needed.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTool {
    /// The tool.
    pub tool: ToolId,
    /// The score, from 0 to 1.
    pub score: f32,
    /// The reason for the match.
    pub because: MatchReason,
}

/// The reason why a tool matches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchReason {
    /// The words that it shares with the goal, by descending weight.
    pub words: Vec<String>,
    /// The share of similar past tasks that used it.
    pub cases: f32,
    /// The tool whose input it produces.
    pub brings_for: Option<ToolId>,
}

/// A flag that cancels long work. Results after the cancellation are discarded.
#[derive(Debug, Default)]
pub struct Cancelled(AtomicBool);

/// A flag for work that cannot be cancelled.
pub static UNCANCELLED: Cancelled = Cancelled(AtomicBool::new(false));

impl Cancelled {
    /// Cancels the work.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The goal and the context of a lexical plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanQuery<'a> {
    /// The goal in words.
    pub goal: &'a str,
    /// The metadata that the caller gave.
    pub given: &'a Map<String, Value>,
    /// The available tools.
    pub catalog: &'a Toolbox,
    /// The tools that must not be used.
    pub without: &'a BTreeSet<ToolId>,
    /// Earlier tasks with similar goals.
    pub memories: &'a [RecalledTask],
    /// The cancellation flag.
    pub cancelled: &'a Cancelled,
}

/// The result of planning without a model.
#[derive(Clone, Debug)]
pub enum LexicalPlan {
    /// A plan.
    Plan {
        /// The steps in the form of a plan file.
        steps: Vec<Value>,
        /// The tools that the steps call.
        tools: BTreeSet<ToolId>,
        /// True if no missing value has to be asked for.
        is_whole: bool,
        /// The share of the goal that the plan explains.
        sureness: Sureness,
        /// The earlier tasks whose tools it reuses.
        like: Vec<TaskId>,
    },
    /// No plan.
    Refused {
        /// The reason, for people.
        why: Bilingual,
        /// The best matching tools, best first.
        nearest: Vec<FoundTool>,
        /// The share of the goal that the best attempt explains.
        sureness: Sureness,
    },
}

/// A workflow filled with the values of a goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilledWorkflow {
    /// The values that the goal states, under the workflow's parameter names.
    pub said: Map<String, Value>,
    /// The parameters without a value and without a default.
    pub open: Vec<String>,
    /// The share of the goal that the workflow explains.
    pub sureness: Sureness,
}

/// The context in which a plan was made, and its promise.
pub struct PlanSetting<'a> {
    /// The tools that the plan could use.
    pub tools: &'a Toolbox,
    /// The metadata of the goal.
    pub metadata: &'a Map<String, Value>,
    /// The plan's promise: its answer and checks.
    pub promise: Option<Value>,
}

/// An earlier plan filled for another goal.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledPlan {
    /// The steps in the form of a plan file.
    pub steps: Vec<Value>,
    /// The plan's promise.
    pub promise: Option<Value>,
}

/// Converts a share from 0 to 1 into thousandths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of one")]
pub fn thousandths(share: f32) -> u32 {
    (share * 1000.0).round() as u32
}
