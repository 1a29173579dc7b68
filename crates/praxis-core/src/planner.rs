//! Questions that need no model: tools that are found by words, plans that are put together from words, earlier plans that are
//! filled with what another goal says.
//!
//! - in: texts, the pinned catalog, what earlier tasks taught
//! - out: what the words alone tell, and how sure that is
//! - never: reads anything but what it is given; the same texts give the same answers, live and in a replay
//!
//! `praxis-planner` implements it. Core knows the questions, and nothing of how they are answered.

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

/// Answers what can be answered without a model.
pub trait Planner: Debug + Send + Sync {
    /// Makes the tools of a catalog searchable, with synonyms of one's own beside those that Praxis brings.
    fn index(&self, catalog: &Toolbox, synonyms: &str) -> Arc<dyn ToolSearch>;
    /// The words of a text that say something.
    fn words(&self, text: &str) -> Vec<String>;
    /// How a request relates to what was done before.
    fn strategy(&self, request: &str) -> Strategy;
    /// A plan with the values of its goal taken out; none if it cannot be told which value is which.
    fn template(
        &self,
        goal: &str,
        steps: &[Value],
        setting: &PlanSetting<'_>,
    ) -> Option<PlanTemplate>;
    /// The plan for another goal: none if that is worded otherwise, or says something of another kind.
    fn filled(&self, template: &PlanTemplate, goal: &str) -> Option<FilledPlan>;
    /// The plan as it stands, for any goal: none if it says something of its own one.
    fn as_it_stands(&self, template: &PlanTemplate) -> Option<FilledPlan>;
}

/// The tools of one catalog, found by words.
pub trait ToolSearch: Debug + Send + Sync {
    /// The tools that fit a text, the best first.
    fn find(&self, text: &str, most: usize) -> Vec<FoundTool>;
    /// The same where somebody else knows which tools near past requests used: the share of these, of 1.
    fn find_beside(
        &self,
        text: &str,
        most: usize,
        voices: &BTreeMap<ToolId, f32>,
    ) -> Vec<FoundTool>;
    /// A plan that is put together from tools, or why there is none.
    fn plan(&self, wanted: &PlanQuery<'_>) -> LexicalPlan;
    /// The workflow that the words of a goal tell: none if tools alone explain the goal clearly better, or if one of its
    /// own tools is not there.
    fn workflow<'a>(
        &self,
        wanted: &PlanQuery<'_>,
        workflows: &'a [Workflow],
    ) -> Option<&'a Workflow>;
    /// A workflow, filled from what a goal says.
    fn fill(&self, workflow: &Workflow, wanted: &PlanQuery<'_>) -> FilledWorkflow;
}

/// A tool that may be needed.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTool {
    /// Which.
    pub tool: ToolId,
    /// How well it fits, of 1.
    pub score: f32,
    /// What speaks for it.
    pub because: MatchReason,
}

/// What speaks for a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchReason {
    /// Words that it shares with the goal, the weightiest first.
    pub words: Vec<String>,
    /// The share of near past cases that used it.
    pub cases: f32,
    /// The tool that needs what it brings.
    pub brings_for: Option<ToolId>,
}

/// The wish to stop work that may take long. What is worked out after it serves nobody.
#[derive(Debug, Default)]
pub struct Cancelled(AtomicBool);

/// Work that nobody cancels.
pub static UNCANCELLED: Cancelled = Cancelled(AtomicBool::new(false));

impl Cancelled {
    /// Cancels the work.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once somebody called [`cancel`](Self::cancel).
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is planned for.
#[derive(Clone, Copy, Debug)]
pub struct PlanQuery<'a> {
    /// In words.
    pub goal: &'a str,
    /// What the caller gave beside the words.
    pub given: &'a Map<String, Value>,
    /// The tools that there are.
    pub catalog: &'a Toolbox,
    /// Those of them that must not be used.
    pub without: &'a BTreeSet<ToolId>,
    /// Earlier tasks whose goals are like it.
    pub memories: &'a [RecalledTask],
    /// The wish to stop.
    pub cancelled: &'a Cancelled,
}

/// What comes of a goal that is put together from tools.
#[derive(Clone, Debug)]
pub enum LexicalPlan {
    /// A plan.
    Plan {
        /// Its steps as a plan file writes them.
        steps: Vec<Value>,
        /// The tools that they call.
        tools: BTreeSet<ToolId>,
        /// Whether nothing that it needs has to be asked for.
        is_whole: bool,
        /// How sure it is.
        sureness: Sureness,
        /// The earlier tasks that it follows, if it follows any.
        like: Vec<TaskId>,
    },
    /// None.
    Refused {
        /// Why not, for people.
        why: Bilingual,
        /// The tools that come near, the nearest first.
        nearest: Vec<FoundTool>,
        /// How much would have been understood.
        sureness: Sureness,
    },
}

/// A workflow, filled from a goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilledWorkflow {
    /// What the goal says, under the names of the workflow.
    pub said: Map<String, Value>,
    /// What nobody said and the workflow has no default for.
    pub open: Vec<String>,
    /// How much of the goal the workflow explains.
    pub sureness: Sureness,
}

/// What was known where a plan was made, and what it said of its outcome.
pub struct PlanSetting<'a> {
    /// The tools that it could use.
    pub tools: &'a Toolbox,
    /// The metadata that came with the goal.
    pub metadata: &'a Map<String, Value>,
    /// The answer and the checks that it came with.
    pub promise: Option<Value>,
}

/// A plan for a goal, made of an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledPlan {
    /// As a plan file writes them.
    pub steps: Vec<Value>,
    /// What it says of its outcome.
    pub promise: Option<Value>,
}

/// A share as it is written down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of one")]
pub fn thousandths(share: f32) -> u32 {
    (share * 1000.0).round() as u32
}
