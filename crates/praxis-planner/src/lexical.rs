//! Implements core's traits [`Planner`] and `ToolSearch` with retrieval and the offline planner.

use crate::offline::by_workflow::fill;
use crate::offline::plan_path;
use crate::offline::planner::{self, LexicalOutcome};
use crate::offline::template;
use crate::retrieve::search::LexicalSearch;
use crate::retrieve::words::words;
use crate::route::strategy::detect;
use praxis_core::call::tool::Toolbox;
use praxis_core::goal::strategy::Strategy;
use praxis_core::ids::ToolId;
use praxis_core::journal::case::PlanTemplate;
use praxis_core::planner::{
    FilledPlan, FilledWorkflow, FoundTool, LexicalPlan, PlanQuery, PlanSetting, Planner,
    ToolSearch as Searches,
};
use praxis_core::route::workflow::Workflow;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The lexical planner: it compares words and asks no model.
#[derive(Clone, Copy, Debug, Default)]
pub struct LexicalPlanner;

impl Planner for LexicalPlanner {
    fn index(&self, catalog: &Toolbox, synonyms: &str) -> Arc<dyn Searches> {
        Arc::new(LexicalSearch::over(catalog.values().map(|tool| &**tool), synonyms))
    }

    fn words(&self, text: &str) -> Vec<String> {
        words(text)
    }

    fn strategy(&self, request: &str) -> Strategy {
        detect(request)
    }

    fn template(
        &self,
        goal: &str,
        steps: &[Value],
        setting: &PlanSetting<'_>,
    ) -> Option<PlanTemplate> {
        template::template(goal, steps, setting)
    }

    fn filled(&self, template: &PlanTemplate, goal: &str) -> Option<FilledPlan> {
        template::filled(template, goal)
    }

    fn as_it_stands(&self, template: &PlanTemplate) -> Option<FilledPlan> {
        template::as_it_stands(template)
    }
}

impl Searches for LexicalSearch {
    fn find(&self, text: &str, most: usize) -> Vec<FoundTool> {
        self.find(text, most)
    }

    fn find_beside(
        &self,
        text: &str,
        most: usize,
        voices: &BTreeMap<ToolId, f32>,
    ) -> Vec<FoundTool> {
        self.find_beside(text, most, voices)
    }

    fn plan(&self, wanted: &PlanQuery<'_>) -> LexicalPlan {
        if wanted.without.is_empty() {
            return composed(planner::plan(&beside(self, wanted)));
        }
        let (mut catalog, mut search) = (wanted.catalog.clone(), self.clone());
        for tool in wanted.without {
            catalog.remove(tool);
            search.remove(tool);
        }
        composed(planner::plan(&beside(&search, &PlanQuery { catalog: &catalog, ..*wanted })))
    }

    fn workflow<'a>(
        &self,
        wanted: &PlanQuery<'_>,
        workflows: &'a [Workflow],
    ) -> Option<&'a Workflow> {
        plan_path::workflow(&beside(self, wanted), workflows).map(|(workflow, _)| workflow)
    }

    fn fill(&self, workflow: &Workflow, wanted: &PlanQuery<'_>) -> FilledWorkflow {
        fill(workflow, &beside(self, wanted))
    }
}

fn beside<'a>(search: &'a LexicalSearch, wanted: &PlanQuery<'a>) -> planner::LexicalQuery<'a> {
    let PlanQuery { goal, given, catalog, memories, cancelled, .. } = *wanted;
    planner::LexicalQuery { goal, given, catalog, search, memories, cancelled }
}

fn composed(outcome: LexicalOutcome) -> LexicalPlan {
    let (made, is_whole) = match outcome {
        LexicalOutcome::Ready(made) => (made, true),
        LexicalOutcome::NeedParams(made) => (made, false),
        LexicalOutcome::NoPlan(refusal) => {
            let why = refusal.words();
            return LexicalPlan::Refused {
                why,
                nearest: refusal.nearest,
                sureness: refusal.sureness,
            };
        }
    };
    let (steps, tools) = (made.written(), made.tools());
    LexicalPlan::Plan { steps, tools, is_whole, sureness: made.sureness, like: made.like }
}
