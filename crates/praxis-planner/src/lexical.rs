//! Answers for core: its trait [`Planner`], implemented with retrieval and the offline planner.

use crate::offline::by_workflow::fill;
use crate::offline::foresee;
use crate::offline::planner::{self, Outcome};
use crate::offline::template;
use crate::retrieve::search::Search;
use crate::retrieve::words::words;
use crate::route::strategy::detect;
use praxis_core::call::tool::Toolbox;
use praxis_core::goal::strategy::Strategy;
use praxis_core::ids::ToolId;
use praxis_core::journal::case::Template;
use praxis_core::planner::{
    Composed, FilledPlan, FilledWorkflow, Found, Planner, Search as Searches, Setting, Wanted,
};
use praxis_core::route::workflow::Workflow;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The planner that goes by words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexical;

impl Planner for Lexical {
    fn index(&self, catalog: &Toolbox, synonyms: &str) -> Arc<dyn Searches> {
        Arc::new(Search::over(catalog.values().map(|tool| &**tool), synonyms))
    }

    fn words(&self, text: &str) -> Vec<String> {
        words(text)
    }

    fn strategy(&self, request: &str) -> Strategy {
        detect(request)
    }

    fn template(&self, goal: &str, steps: &[Value], setting: &Setting<'_>) -> Option<Template> {
        template::template(goal, steps, setting)
    }

    fn filled(&self, template: &Template, goal: &str) -> Option<FilledPlan> {
        template::filled(template, goal)
    }

    fn as_it_stands(&self, template: &Template) -> Option<FilledPlan> {
        template::as_it_stands(template)
    }
}

impl Searches for Search {
    fn find(&self, text: &str, most: usize) -> Vec<Found> {
        self.find(text, most)
    }

    fn find_beside(&self, text: &str, most: usize, voices: &BTreeMap<ToolId, f32>) -> Vec<Found> {
        self.find_beside(text, most, voices)
    }

    fn plan(&self, wanted: &Wanted<'_>) -> Composed {
        if wanted.without.is_empty() {
            return composed(planner::plan(&beside(self, wanted)));
        }
        let (mut catalog, mut search) = (wanted.catalog.clone(), self.clone());
        for tool in wanted.without {
            catalog.remove(tool);
            search.remove(tool);
        }
        composed(planner::plan(&beside(&search, &Wanted { catalog: &catalog, ..*wanted })))
    }

    fn workflow<'a>(&self, wanted: &Wanted<'_>, workflows: &'a [Workflow]) -> Option<&'a Workflow> {
        foresee::workflow(&beside(self, wanted), workflows).map(|(workflow, _)| workflow)
    }

    fn fill(&self, workflow: &Workflow, wanted: &Wanted<'_>) -> FilledWorkflow {
        fill(workflow, &beside(self, wanted))
    }
}

fn beside<'a>(search: &'a Search, wanted: &Wanted<'a>) -> planner::Wanted<'a> {
    let Wanted { goal, given, catalog, memories, cancelled, .. } = *wanted;
    planner::Wanted { goal, given, catalog, search, memories, cancelled }
}

fn composed(outcome: Outcome) -> Composed {
    let (made, is_whole) = match outcome {
        Outcome::Ready(made) => (made, true),
        Outcome::NeedParams(made) => (made, false),
        Outcome::NoPlan(refusal) => {
            let why = refusal.words();
            return Composed::Refused { why, nearest: refusal.nearest, sureness: refusal.sureness };
        }
    };
    let (steps, tools) = (made.written(), made.tools());
    Composed::Plan { steps, tools, is_whole, sureness: made.sureness, like: made.like }
}
