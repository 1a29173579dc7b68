//! A goal planned without a model, for `praxis plan --explain`. No task is made, and none depends on it.

use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::goal_request::GoalArgs;
use praxis_adapters::experience::file::ExperienceFile;
use praxis_adapters::library::LoadedLibrary;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::Tenant;
use praxis_core::journal::memory::RecalledTask;
use praxis_core::learn::memory::{MOST, RecallQuery, recalled};
use praxis_core::planner::UNCANCELLED;
use praxis_core::route::intent;
use praxis_core::route::workflow::{self, Workflow};
use praxis_engine::clock::TokioClock;
use praxis_engine::seams::{Clock, Experiences, RecallRequest};
use praxis_planner::LexicalPlanner;
use praxis_planner::offline::by_workflow::fill;
use praxis_planner::offline::plan_path::{PlanPath, foresee};
use praxis_planner::offline::planner;
use praxis_planner::retrieve::search::LexicalSearch;
use serde_json::{Map, Value};

/// What is looked up in a toolbox.
pub(crate) fn search(toolbox: &Toolbox, library: &LoadedLibrary) -> LexicalSearch {
    LexicalSearch::over(toolbox.values().map(|tool| &**tool), &library.synonyms)
}

/// What a goal is planned from.
pub(crate) struct OfflineLibrary<'a> {
    pub(crate) library: &'a LoadedLibrary,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) search: &'a LexicalSearch,
    pub(crate) metadata: &'a Map<String, Value>,
    pub(crate) memories: &'a [RecalledTask],
}

/// The way of a goal: the workflow that was named, else what its words tell.
pub(crate) fn way<'a>(
    ground: &OfflineLibrary<'a>,
    wanted: &GoalArgs<'_>,
) -> Result<PlanPath<'a>, CommandFailure> {
    let planned = planner::LexicalQuery {
        goal: wanted.words,
        given: ground.metadata,
        catalog: ground.toolbox,
        search: ground.search,
        memories: ground.memories,
        cancelled: &UNCANCELLED,
    };
    let library = ground.library;
    let stated = intent::intent(wanted.words);
    Ok(match named_workflow(library, wanted)? {
        Some(workflow) => PlanPath::Workflow(workflow, fill(workflow, &planned)),
        None => foresee(&planned, &library.workflows, stated),
    })
}

/// What earlier tasks of this desk are like a goal; nothing where it is not wanted. The task looks it up itself, and
/// records it then.
pub(crate) fn memories(context: &CliContext, wanted: &GoalArgs<'_>) -> Vec<RecalledTask> {
    let off = !context.settings.goal.experience || wanted.pursuit.no_experience;
    let tenant = Tenant::default();
    let asked = RecallRequest { tenant: &tenant, goal: wanted.words, most: MOST, named: None };
    let found = (!off).then(|| ExperienceFile::new(&context.folder.experiences()).recall(&asked));
    let who = RecallQuery {
        goal: wanted.words,
        now: TokioClock::real().now(),
        named: None,
        planner: &LexicalPlanner,
    };
    found.and_then(Result::ok).map(|found| recalled(found, &who)).unwrap_or_default()
}

/// The workflow that was named.
fn named_workflow<'a>(
    library: &'a LoadedLibrary,
    wanted: &GoalArgs<'_>,
) -> Result<Option<&'a Workflow>, CommandFailure> {
    let Some(id) = &wanted.pursuit.workflow else { return Ok(None) };
    let found = workflow::by_id(&library.workflows, id);
    let unknown = |problem| CommandFailure { exit: Exit::NotFound, problems: vec![problem] };
    found.map(Some).map_err(unknown)
}
