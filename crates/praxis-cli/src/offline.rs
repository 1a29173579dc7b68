//! Planning of a goal without a model, for `praxis plan --explain` and `praxis tool search`. Creates no task.

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

/// Builds the lexical search over a toolbox.
pub(crate) fn search(toolbox: &Toolbox, library: &LoadedLibrary) -> LexicalSearch {
    LexicalSearch::over(toolbox.values().map(|tool| &**tool), &library.synonyms)
}

/// The inputs of offline planning.
pub(crate) struct OfflineLibrary<'a> {
    pub(crate) library: &'a LoadedLibrary,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) search: &'a LexicalSearch,
    pub(crate) metadata: &'a Map<String, Value>,
    pub(crate) memories: &'a [RecalledTask],
}

/// Returns the planning path of a goal: the named workflow, otherwise the path that its words lead to.
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

/// Recalls earlier tasks with similar goals; empty if experience is off. Only a preview: a task recalls by itself and
/// records the result.
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

/// Returns the workflow that was named with `--workflow`.
fn named_workflow<'a>(
    library: &'a LoadedLibrary,
    wanted: &GoalArgs<'_>,
) -> Result<Option<&'a Workflow>, CommandFailure> {
    let Some(id) = &wanted.pursuit.workflow else { return Ok(None) };
    let found = workflow::by_id(&library.workflows, id);
    let unknown = |problem| CommandFailure { exit: Exit::NotFound, problems: vec![problem] };
    found.map(Some).map_err(unknown)
}
