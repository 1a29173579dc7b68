//! Goals without a model: planned once, before there is a task, on threads that may block.

use crate::goal_rig::named;
use praxis_core::call::tool::{Tool, Toolbox};
use praxis_core::goal::strategy::Strategy;
use praxis_core::ids::{BlobId, TaskId, ToolId};
use praxis_core::journal::case::PlanTemplate;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::planner::{
    FilledPlan, FilledWorkflow, FoundTool, LexicalPlan, PlanQuery, PlanSetting, Planner, ToolSearch,
};
use praxis_core::route::workflow::Workflow;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::arrival::TaskCommand;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::pursue::GoalRequest;
use praxis_engine::seams::{Blobs, Journal};
use praxis_engine::submit::SubmitError;
use praxis_planner::LexicalPlanner;
use praxis_testkit::goal::goal;
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::world::{BEGINNING, parts};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

/// What a planner was asked, and where.
#[derive(Debug, Default)]
struct Notes {
    plans: AtomicUsize,
    indexes: AtomicUsize,
    threads: Mutex<Vec<ThreadId>>,
    /// From the second plan on, it plans until it is cancelled.
    never_ends: AtomicBool,
    cancelled: AtomicUsize,
}

impl Notes {
    fn here(&self) {
        self.threads.lock().unwrap().push(std::thread::current().id());
    }
}

/// The planner of the product, under watch.
#[derive(Debug, Default)]
struct Watched(Arc<Notes>);

#[derive(Debug)]
struct WatchedSearch(Arc<dyn ToolSearch>, Arc<Notes>);

impl Planner for Watched {
    fn index(&self, catalog: &Toolbox, synonyms: &str) -> Arc<dyn ToolSearch> {
        self.0.indexes.fetch_add(1, Ordering::SeqCst);
        self.0.here();
        Arc::new(WatchedSearch(LexicalPlanner.index(catalog, synonyms), Arc::clone(&self.0)))
    }

    fn words(&self, text: &str) -> Vec<String> {
        LexicalPlanner.words(text)
    }

    fn strategy(&self, request: &str) -> Strategy {
        LexicalPlanner.strategy(request)
    }

    fn template(
        &self,
        goal: &str,
        steps: &[Value],
        setting: &PlanSetting<'_>,
    ) -> Option<PlanTemplate> {
        LexicalPlanner.template(goal, steps, setting)
    }

    fn filled(&self, template: &PlanTemplate, goal: &str) -> Option<FilledPlan> {
        LexicalPlanner.filled(template, goal)
    }

    fn as_it_stands(&self, template: &PlanTemplate) -> Option<FilledPlan> {
        LexicalPlanner.as_it_stands(template)
    }
}

impl ToolSearch for WatchedSearch {
    fn find(&self, text: &str, most: usize) -> Vec<FoundTool> {
        self.0.find(text, most)
    }

    fn find_beside(
        &self,
        text: &str,
        most: usize,
        tool_votes: &BTreeMap<ToolId, f32>,
    ) -> Vec<FoundTool> {
        self.0.find_beside(text, most, tool_votes)
    }

    fn plan(&self, wanted: &PlanQuery<'_>) -> LexicalPlan {
        let before = self.1.plans.fetch_add(1, Ordering::SeqCst);
        self.1.here();
        if before > 0 && self.1.never_ends.load(Ordering::SeqCst) {
            while !wanted.cancelled.is_cancelled() {
                std::thread::yield_now();
            }
            self.1.cancelled.fetch_add(1, Ordering::SeqCst);
        }
        self.0.plan(wanted)
    }

    fn workflow<'a>(
        &self,
        wanted: &PlanQuery<'_>,
        workflows: &'a [Workflow],
    ) -> Option<&'a Workflow> {
        self.0.workflow(wanted, workflows)
    }

    fn fill(&self, workflow: &Workflow, wanted: &PlanQuery<'_>) -> FilledWorkflow {
        self.0.fill(workflow, wanted)
    }
}

/// An engine with the tools of a goal's file and a planner under watch.
struct Rig {
    engine: Engine,
    journal: MemoryJournal,
    blobs: MemoryBlobs,
    notes: Arc<Notes>,
    wanted: GoalRequest,
}

impl Rig {
    fn of(name: &'static str) -> Self {
        let pursuit = named(name);
        let (ledger, journal, blobs) = Default::default();
        let world = pursuit.world((&ledger, &journal, &blobs), &pursuit.model(), BEGINNING);
        let notes = Arc::new(Notes::default());
        let engine = Engine::new(EngineParts {
            snapshots: Arc::new(journal.snapshots.clone()),
            planner: Arc::new(Watched(Arc::clone(&notes))),
            ..parts(
                Arc::new(journal.clone()),
                Arc::new(blobs.clone()),
                Arc::new(world.tools.clone()),
            )
        });
        let mut wanted = goal(pursuit.words(), world.tools.toolbox(), pursuit.options());
        wanted.advisers = BTreeMap::new();
        wanted.idempotency_key = Some("key".to_owned());
        Self { engine, journal, blobs, notes, wanted }
    }

    fn plans(&self) -> usize {
        self.notes.plans.load(Ordering::SeqCst)
    }

    async fn has_no_task(&self) -> bool {
        let holder = self.journal.holder(&self.wanted.tenant, "key").await;
        holder.unwrap().is_none()
    }

    async fn settled(&self) -> (TaskId, Vec<Entry>) {
        let task = self.engine.pursue(self.wanted.clone()).await.unwrap().task;
        self.engine.idle().await.unwrap();
        (task.clone(), self.journal.entries(&task))
    }
}

fn kinds(entries: &[Entry]) -> Vec<String> {
    let kind = |entry: &Entry| serde_json::to_value(&entry.event).unwrap()["kind"].clone();
    entries.iter().map(|entry| kind(entry).as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_goal_without_a_model_is_planned_once_and_its_plan_is_part_of_the_first_append() {
    let rig = Rig::of("offline_composed");
    let first = Arc::new(Mutex::new(Vec::new()));
    let mut told = rig.engine.subscribe();
    let (task, entries) = rig.settled().await;
    while let Ok(published) = told.try_recv() {
        first.lock().unwrap().push(kinds(&published.entries));
    }
    let state = State::replay(&rig.journal.entries(&task)).unwrap();
    assert_eq!(state.status(), TaskStatus::Completed, "{:?}", kinds(&entries));
    assert_eq!(rig.plans(), 1);
    let begun = &first.lock().unwrap()[0];
    let planned = ["task_submitted", "recalled", "tools_selected", "steps_planned", "plan_closed"];
    assert_eq!(begun[..5], planned, "{begun:?}");
    assert_eq!(begun.get(5).map(String::as_str), Some("step_started"), "{begun:?}");
}

#[tokio::test]
async fn planning_and_the_index_keep_no_thread_busy_that_drives_tasks() {
    let rig = Rig::of("offline_composed");
    rig.settled().await;
    let threads = rig.notes.threads.lock().unwrap().clone();
    assert_eq!(threads.len(), 2, "one index, one plan");
    // This test runs on the only thread that drives tasks.
    assert!(!threads.contains(&std::thread::current().id()));
}

#[tokio::test]
async fn a_goal_that_nobody_can_plan_is_refused_and_no_task_is_made() {
    let mut rig = Rig::of("offline_composed");
    rig.wanted.goal = "sing a song of love".to_owned();
    rig.wanted.metadata.insert("notes".to_owned(), Value::from("la ".repeat(100_000)));
    let refused = rig.engine.pursue(rig.wanted.clone()).await;
    let Err(SubmitError::Refused(problems)) = refused else { panic!("{refused:?}") };
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert_eq!(problem.code, "no_plan");
    assert!(problem.message.en.starts_with("could not plan the goal: "), "{problem}");
    assert!(problem.message.zh.starts_with("无法规划该目标："), "{problem}");
    assert_eq!(rig.plans(), 1);
    assert!(rig.has_no_task().await);
    assert_eq!(rig.blobs.ids(), [], "nothing of it is kept");
    // The key is still free.
    rig.wanted.goal = named("offline_composed").words().to_owned();
    rig.settled().await;
    assert_ne!(rig.blobs.ids(), []);
}

// What no fact names is neither exported nor erased.
#[tokio::test]
async fn every_blob_that_a_goal_stores_is_named_in_its_journal() {
    let mut rig = Rig::of("offline_composed");
    rig.wanted.synonyms = "parcel = packet".to_owned();
    rig.wanted.metadata.insert("notes".to_owned(), Value::from("la ".repeat(100_000)));
    let (_, entries) = rig.settled().await;
    let named: BTreeSet<BlobId> = entries.iter().flat_map(|entry| entry.event.blobs()).collect();
    let stored = BTreeSet::from_iter(rig.blobs.ids());
    assert_eq!(stored.difference(&named).collect::<Vec<_>>(), [] as [&BlobId; 0]);
}

#[tokio::test]
async fn a_workflow_that_cannot_run_here_is_refused_with_every_reason_and_no_task_is_made() {
    let mut rig = Rig::of("offline_composed");
    rig.wanted.workflows = vec![weighing("no_such_scale")];
    rig.wanted.workflow = Some("weighing".to_owned());
    let refused = rig.engine.pursue(rig.wanted.clone()).await;
    let Err(SubmitError::Refused(problems)) = refused else { panic!("{refused:?}") };
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["unknown_tool"], "{problems:?}");
    assert!(rig.has_no_task().await);
    // Manifests were made ready to be called; nothing of the goal is kept.
    for id in rig.blobs.ids() {
        let content = rig.blobs.get(&id).await.unwrap();
        assert!(serde_json::from_slice::<Tool>(&content).is_ok(), "{content:?}");
    }
}

#[tokio::test]
async fn a_key_that_belongs_to_a_task_gives_that_task_and_nothing_is_planned() {
    let mut rig = Rig::of("offline_composed");
    let (task, _) = rig.settled().await;
    let again = rig.engine.pursue(rig.wanted.clone()).await.unwrap();
    assert_eq!((again.task, again.replayed, rig.plans()), (task.clone(), true, 1));
    // Even one that could not be planned is told whose the key is.
    rig.wanted.goal = "sing a song of love".to_owned();
    let other = rig.engine.pursue(rig.wanted.clone()).await;
    assert_eq!((other, rig.plans()), (Err(SubmitError::KeyMismatch(task)), 1));
}

#[tokio::test]
async fn a_task_that_is_cancelled_while_it_plans_ends_at_once_and_the_work_is_given_up() {
    let rig = Rig::of("offline_goes_on_with_another_tool");
    rig.notes.never_ends.store(true, Ordering::SeqCst);
    let task = rig.engine.pursue(rig.wanted.clone()).await.unwrap().task;
    // The tool fails, and another plan is looked for.
    while rig.plans() < 2 {
        tokio::task::yield_now().await;
    }
    let cancel = TaskCommand::Cancel { reason: "enough".to_owned(), by: "test".to_owned() };
    rig.engine.command(&task, cancel).await.unwrap();
    rig.engine.idle().await.unwrap();
    let state = State::replay(&rig.journal.entries(&task)).unwrap();
    assert_eq!(state.status(), TaskStatus::Cancelled);
    while rig.notes.cancelled.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let reflected = |entry: &&Entry| matches!(entry.event, Event::TaskReflected(_));
    let entries = rig.journal.entries(&task);
    assert_eq!(entries.iter().filter(reflected).count(), 0, "{:?}", kinds(&entries));
}

/// A workflow of one step.
fn weighing(tool: &str) -> Workflow {
    let step = json!({"name": {"en": "weigh", "zh": "称"}, "tool_id": tool,
        "parameters": {"parcel_number": "{{parcel_number}}"}});
    let workflow = json!({"id": "weighing", "name": {"en": "weighing", "zh": "称重"},
        "keywords": ["weigh the parcel"], "names": {"parcel_number": ["number"]}, "steps": [step]});
    serde_json::from_value(workflow).unwrap()
}

#[tokio::test]
async fn a_workflow_that_the_words_tell_is_followed_though_nobody_named_it() {
    let mut rig = Rig::of("offline_composed");
    rig.wanted.workflows = vec![weighing("weigh_parcel")];
    rig.wanted.goal = "weigh the parcel, number: P-77".to_owned();
    let (_, entries) = rig.settled().await;
    let followed = entries.iter().find_map(|entry| match &entry.event {
        Event::ToolsSelected { selection, .. } => selection.workflow.clone(),
        _ => None,
    });
    assert_eq!(followed.as_deref(), Some("weighing"), "{:?}", kinds(&entries));
    let steps = entries.iter().find_map(|entry| match &entry.event {
        Event::StepsPlanned { steps, .. } => Some(steps.len()),
        _ => None,
    });
    assert_eq!(steps, Some(1));
}

#[tokio::test]
async fn a_stated_intent_that_no_workflow_is_for_keeps_the_words_from_telling_one() {
    let mut rig = Rig::of("offline_composed");
    rig.wanted.workflows = vec![weighing("weigh_parcel")];
    rig.wanted.goal = "Intent: shipping\nweigh the parcel, number: P-77".to_owned();
    let (_, entries) = rig.settled().await;
    let chosen = entries.iter().find_map(|entry| match &entry.event {
        Event::ToolsSelected { selection, .. } => Some(&selection.workflow),
        _ => None,
    });
    assert_eq!(chosen, Some(&None), "{:?}", kinds(&entries));
}

#[tokio::test]
async fn a_scene_or_a_workflow_that_is_not_there_is_said_to_be_unknown() {
    for (code, change) in [("unknown_scene", true), ("unknown_workflow", false)] {
        let mut rig = Rig::of("offline_composed");
        let named = Some("nowhere".to_owned());
        if change {
            rig.wanted.scene = named;
        } else {
            rig.wanted.workflow = named;
        }
        let refused = rig.engine.pursue(rig.wanted.clone()).await;
        assert!(
            matches!(&refused, Err(SubmitError::Unknown(it)) if it.code == code),
            "{refused:?}"
        );
        assert!(rig.has_no_task().await);
    }
}
