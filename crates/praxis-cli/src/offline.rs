//! What becomes of a goal where no model plans, told before there is a task.

use crate::failure::Failure;
use crate::home::Desk;
use crate::pursuit::{Wanted, named_workflow};
use praxis_adapters::experience::file::ExperienceFile;
use praxis_adapters::library::Library;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::Tenant;
use praxis_core::journal::memory::Memory;
use praxis_core::learn::memory::{MOST, Recalling, recalled};
use praxis_core::offline::by_workflow::fill;
use praxis_core::offline::foresee::{Way, foresee};
use praxis_core::offline::planner::{self, Outcome, Refusal};
use praxis_core::retrieve::search::{Found, Search};
use praxis_core::route::intent;
use praxis_engine::clock::TokioClock;
use praxis_engine::seams::{Clock, Experiences, Recollection};
use serde_json::{Map, Value};

/// What is looked up in a toolbox.
pub(crate) fn search(toolbox: &Toolbox, library: &Library) -> Search {
    Search::over(toolbox.values().map(|tool| &**tool), &library.synonyms)
}

/// What a goal is planned from.
pub(crate) struct Ground<'a> {
    pub(crate) library: &'a Library,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) search: &'a Search,
    pub(crate) metadata: &'a Map<String, Value>,
    pub(crate) memories: &'a [Memory],
}

/// The way of a goal: the workflow that was named, else what its words tell.
pub(crate) fn way<'a>(ground: &Ground<'a>, wanted: &Wanted<'_>) -> Result<Way<'a>, Failure> {
    let planned = planner::Wanted {
        goal: wanted.words,
        given: ground.metadata,
        catalog: ground.toolbox,
        search: ground.search,
        memories: ground.memories,
    };
    let library = ground.library;
    let stated = intent::intent(wanted.words);
    Ok(match named_workflow(library, wanted)? {
        Some(workflow) => Way::Workflow(workflow, fill(workflow, &planned)),
        None => foresee(&planned, &library.workflows, stated),
    })
}

/// What earlier tasks of this desk are like a goal; nothing where it is not wanted. The task looks it up itself, and
/// records it then.
pub(crate) fn memories(desk: &Desk, wanted: &Wanted<'_>) -> Vec<Memory> {
    let off = !desk.settings.goal.experience || wanted.pursuit.no_experience;
    let tenant = Tenant::default();
    let asked = Recollection { tenant: &tenant, goal: wanted.words, most: MOST, named: None };
    let found = (!off).then(|| ExperienceFile::new(&desk.folder.experiences()).recall(&asked));
    let who = Recalling { goal: wanted.words, now: TokioClock::real().now(), named: None };
    found.and_then(Result::ok).map(|found| recalled(found, &who)).unwrap_or_default()
}

/// The workflow that is followed, if one is; an error if nothing can be planned.
pub(crate) fn followed(way: &Way<'_>) -> Result<Option<String>, Failure> {
    match way {
        Way::Workflow(workflow, _) => Ok(Some(workflow.id.clone())),
        Way::Again(_) | Way::Tools(Outcome::Ready(_) | Outcome::NeedParams(_)) => Ok(None),
        Way::Tools(Outcome::NoPlan(refusal)) => Err(no_plan(refusal)),
    }
}

/// So many tools that come near are named.
const NEAREST: usize = 3;

/// Nobody can plan this.
fn no_plan(refusal: &Refusal) -> Failure {
    let near: Vec<String> = refusal
        .nearest
        .iter()
        .take(NEAREST)
        .map(|found: &Found| format!("`{}`", found.tool))
        .collect();
    let near = near.join(", ");
    let (near_en, near_zh) = if near.is_empty() {
        (String::new(), String::new())
    } else {
        (format!("; the nearest tools: {near}"), format!("；最接近的工具：{near}"))
    };
    let why = refusal.words();
    let words = (format!("no plan: {}{near_en}", why.en), format!("没有计划：{}{near_zh}", why.zh));
    Failure::usage("no_plan", words).next((
        "say it with words that tools use (`praxis tool search WORDS`, `praxis plan GOAL --explain`), or let a model plan: \
         `praxis model add local --preset ollama --model qwen3:8b`",
        "请用工具描述中的词语表述（`praxis tool search WORDS`、`praxis plan GOAL --explain`），或由模型规划：\
         `praxis model add local --preset ollama --model qwen3:8b`",
    ))
}
