//! What earlier tasks taught, as a later one recalls it: looked up once, recorded, and never again.

use crate::drive::is_replayed;
use crate::goal_rig::{Pursuit, named};
use crate::ledger::Ledger;
use crate::simulate::settle;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::case::PlanTemplate;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::experience::{Experience, ExperienceCategory};
use praxis_core::journal::memory::RecalledTask;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::pursue::GoalRequest;
use praxis_engine::seams::{Experiences, TaughtExperience};
use praxis_testkit::conformance::taught;
use praxis_testkit::experiences::MemoryExperiences;
use praxis_testkit::goal::goal;
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::model::ScriptedModel;
use praxis_testkit::world::{BEGINNING, EngineWorld, parts};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A world whose tasks teach and are taught.
struct School {
    pursuit: Pursuit,
    store: MemoryExperiences,
    journal: MemoryJournal,
    blobs: MemoryBlobs,
    model: ScriptedModel,
}

impl School {
    fn of(name: &str) -> Self {
        let pursuit = named(name);
        let model = pursuit.model();
        let (store, journal, blobs) = Default::default();
        Self { pursuit, store, journal, blobs, model }
    }

    fn world(&self, task: &'static str) -> EngineWorld {
        let ledger = Ledger::default();
        let seat = (&ledger, &self.journal, &self.blobs);
        let world = self.pursuit.world(seat, &self.model, BEGINNING);
        let parts = EngineParts {
            clock: Arc::new(TokioClock::starting_at(BEGINNING)),
            snapshots: Arc::new(self.journal.snapshots.clone()),
            new_id: Box::new(move || TaskId::from(task)),
            models: Arc::new(self.model.clone()),
            experiences: Arc::new(self.store.clone()),
            ..parts(
                Arc::new(self.journal.clone()),
                Arc::new(self.blobs.clone()),
                Arc::new(world.tools.clone()),
            )
        };
        EngineWorld { engine: Engine::new(parts), ..world }
    }

    async fn run(
        &self,
        task: &'static str,
        change: impl FnOnce(&mut GoalRequest),
    ) -> (EngineWorld, State) {
        let world = self.world(task);
        let mut wanted = goal(self.pursuit.words(), world.tools.toolbox(), world.options.clone());
        change(&mut wanted);
        let task = world.engine.pursue(wanted).await.unwrap().task;
        let state = settle(&world, &task).await;
        (world, state)
    }

    fn teach(&self, task: &str, experience: &Experience) {
        let (tenant, task) = (&Tenant::default(), &TaskId::from(task));
        self.store
            .keep(&TaughtExperience { tenant, task, seq: 1, at: BEGINNING, experience })
            .unwrap();
    }

    fn entries(&self, task: &str) -> Vec<Entry> {
        self.journal.entries(&TaskId::from(task))
    }
}

fn memories(state: &State) -> Option<&[RecalledTask]> {
    state.goal.as_deref().unwrap().planning.memories.as_deref()
}

fn learnt(entries: &[Entry]) -> Vec<&Experience> {
    let learnt = entries.iter().filter_map(|entry| match &entry.event {
        Event::TaskLearnt(experience) => Some(&**experience),
        _ => None,
    });
    learnt.collect()
}

//
#[tokio::test(start_paused = true)]
async fn a_goal_that_no_model_looks_back_on_teaches_what_happened() {
    let school = School::of("plain");
    // A model plans, and none looks back.
    let (_world, state) = school
        .run("task_one", |goal| {
            goal.advisers.remove(&praxis_core::ask::purpose::ModelRole::Learn);
        })
        .await;
    assert_eq!(state.status(), TaskStatus::Completed);
    let entries = school.entries("task_one");
    let [taught] = learnt(&entries)[..] else { panic!("exactly one: {entries:?}") };
    assert_eq!(taught.quick_summary, "look -> look -> join");
    assert_eq!((taught.category, taught.defaulted), (ExperienceCategory::SolvingIdeas, false));
    let scores = (taught.task_completion, taught.execution_efficiency, taught.tool_usage);
    assert_eq!(scores, (98, 100, 100));
    let case = taught.case.as_ref().unwrap();
    assert_eq!(case.goal, school.pursuit.words());
    assert_eq!(case.tools, ["look".into(), "look".into(), "join".into()]);
    assert_eq!(school.store.of(&"task_one".into()).as_ref(), Some(taught));
    school.world("task_x").engine.erase(&"task_one".into()).await.unwrap();
    assert_eq!(school.store.of(&"task_one".into()), None);
}

//
#[tokio::test(start_paused = true)]
async fn a_goal_without_any_model_teaches_why_it_failed_unless_learning_is_off() {
    let school = School::of("offline_fails_where_nothing_else_can");
    let offline = |goal: &mut GoalRequest| goal.advisers = BTreeMap::new();
    let (_world, state) = school.run("task_one", offline).await;
    assert_eq!(state.status(), TaskStatus::Failed);
    let entries = school.entries("task_one");
    let [taught] = learnt(&entries)[..] else { panic!("exactly one: {entries:?}") };
    assert_eq!(taught.category, ExperienceCategory::ReflectionSuggestions);
    assert!(taught.quick_summary.starts_with("failed: "), "{}", taught.quick_summary);
    // One of two steps was done.
    assert_eq!((taught.task_completion, taught.tool_usage), (50, 50));
    let off = |goal: &mut GoalRequest| {
        goal.advisers = BTreeMap::new();
        goal.manner.learn = false;
    };
    school.run("task_two", off).await;
    assert!(learnt(&school.entries("task_two")).is_empty());
}

//
#[tokio::test(start_paused = true)]
async fn a_task_recalls_what_is_like_its_goal_once_and_nothing_that_is_taught_later() {
    let school = School::of("plain");
    let plan = Some(PlanTemplate {
        steps: vec![json!({"step_id": "a", "tool": "look"})],
        ..PlanTemplate::default()
    });
    let mut near = taught(school.pursuit.words(), ExperienceCategory::SolvingIdeas);
    near.case.as_mut().unwrap().plan = plan;
    school.teach("task_near", &near);
    school.teach("task_far", &taught("send a parcel", ExperienceCategory::SolvingIdeas));
    school.teach(
        "task_lost",
        &taught(school.pursuit.words(), ExperienceCategory::ReflectionSuggestions),
    );
    let (world, state) = school.run("task_now", |_| {}).await;
    let found = memories(&state).unwrap();
    assert_eq!(found.len(), 1);
    let memory = &found[0];
    assert_eq!((memory.task.as_str(), memory.similarity), ("task_near", 1000));
    assert_eq!(memory.hash, near.case.as_ref().unwrap().hash());
    assert!(memory.case.plan.is_some());
    let entries = school.entries("task_now");
    let before = is_replayed(&world, &entries).await.unwrap();
    let asked = school.store.asked();
    for n in 0..1000 {
        school.teach(
            &format!("task_{n}"),
            &taught(school.pursuit.words(), ExperienceCategory::SolvingIdeas),
        );
    }
    assert_eq!(is_replayed(&world, &entries).await.unwrap(), before);
    assert_eq!(State::replay(&entries).unwrap(), state, "the journal has all of it");
    assert_eq!(school.store.asked(), asked, "a replay looks nothing up");
    assert_eq!(asked, 1);
    let (_world, later) = school.run("task_later", |_| {}).await;
    assert_eq!(memories(&later).unwrap().len(), 20, "no more than twenty");
}

//
#[tokio::test(start_paused = true)]
async fn whoever_plans_is_told_of_it_behind_what_never_changes() {
    let school = School::of("plain");
    let mut near = taught(school.pursuit.words(), ExperienceCategory::SolvingIdeas);
    near.quick_summary = "look twice,\nthen join".to_owned();
    school.teach("task_near", &near);
    school.run("task_now", |_| {}).await;
    let told = school.model.asked();
    let planning = told.iter().find(|asked| asked.stage == "planning").unwrap();
    let words: Vec<&str> =
        planning.request.messages.iter().map(|message| message.content.as_str()).collect();
    assert!(!words[0].contains("task_near"), "{}", words[0]);
    let last = words.last().unwrap();
    assert!(last.contains("- task_near: look twice, then join [look]"), "{last}");
    assert!(last.contains("It is experience, not a rule"), "{last}");
    let (_world, state) = school.run("task_without", |goal| goal.manner.experience = false).await;
    assert_eq!(memories(&state), None);
    assert!(
        !school.entries("task_without").iter().any(|e| matches!(e.event, Event::Recalled { .. }))
    );
    let told = school.model.asked();
    let planning = told.iter().rfind(|asked| asked.stage == "planning").unwrap();
    let last = &planning.request.messages.last().unwrap().content;
    assert!(!last.contains("task_near"), "{last}");
}

//
#[tokio::test(start_paused = true)]
async fn a_crash_before_it_is_recorded_looks_it_up_again_and_one_after_it_does_not() {
    let school = School::of("plain");
    school.teach("task_near", &taught(school.pursuit.words(), ExperienceCategory::SolvingIdeas));
    school.run("task_now", |_| {}).await;
    let entries = school.entries("task_now");
    let recalled = |entry: &&Entry| matches!(entry.event, Event::Recalled { .. });
    let at = entries.iter().find(recalled).unwrap().seq;
    assert_eq!(school.store.asked(), 1);
    for (seq, looked) in [(at - 1, 1), (at, 0)] {
        let again = School {
            pursuit: school.pursuit.clone(),
            store: MemoryExperiences::default(),
            journal: school.journal.crashed_after(&"task_now".into(), seq),
            blobs: school.blobs.clone(),
            model: school.pursuit.model(),
        };
        again
            .teach("task_other", &taught(school.pursuit.words(), ExperienceCategory::SolvingIdeas));
        let world = again.world("task_now");
        world.engine.recover().await.unwrap();
        let state = settle(&world, &"task_now".into()).await;
        assert_eq!(state.status(), TaskStatus::Completed);
        assert_eq!(again.store.asked(), looked, "after event {seq}");
        let known = if looked == 1 { "task_other" } else { "task_near" };
        assert_eq!(memories(&state).unwrap()[0].task.as_str(), known);
    }
}

// A goal of an earlier version says nothing of it: it goes on as it began.
#[tokio::test(start_paused = true)]
async fn a_goal_that_was_handed_in_before_there_was_anything_to_recall_recalls_nothing() {
    let school = School::of("plain");
    school.teach("task_near", &taught(school.pursuit.words(), ExperienceCategory::SolvingIdeas));
    let old = |goal: &mut GoalRequest| {
        let mut manner = serde_json::to_value(&goal.manner).unwrap();
        manner.as_object_mut().unwrap().remove("experience");
        goal.manner = serde_json::from_value(manner).unwrap();
    };
    let (_world, state) = school.run("task_old", old).await;
    assert_eq!((state.status(), memories(&state)), (TaskStatus::Completed, None));
    assert_eq!(school.store.asked(), 0);
}

//
#[tokio::test(start_paused = true)]
async fn a_plan_that_is_used_again_comes_to_the_same_end_after_a_crash_at_any_event() {
    let school = School::of("plain");
    school.run("task_one", |_| {}).await;
    let other = |goal: &mut GoalRequest| goal.goal = "look at x and y, then join them".to_owned();
    let asked = school.model.asked().len();
    let (world, state) = school.run("task_two", other).await;
    let stages = |model: &ScriptedModel, before: usize| -> Vec<String> {
        model.asked().into_iter().skip(before).map(|asked| asked.stage).collect()
    };
    assert_eq!(stages(&school.model, asked), ["evaluation"], "the plan did not say its outcome");
    let looked = |state: &State| -> Vec<Value> {
        state.steps.iter().map(|step| step.plan.parameters.clone()).collect()
    };
    let expected = [
        json!({"what": "x"}),
        json!({"what": "y"}),
        json!({"left": "{{step_1.outputs.receipt}}", "right": "{{step_2.outputs.receipt}}"}),
    ];
    assert_eq!(looked(&state), expected);
    let entries = school.entries("task_two");
    is_replayed(&world, &entries).await.unwrap();
    for seq in 1..=entries.last().unwrap().seq {
        let again = School {
            pursuit: school.pursuit.clone(),
            store: school.store.clone(),
            journal: school.journal.crashed_after(&"task_two".into(), seq),
            blobs: school.blobs.clone(),
            model: school.pursuit.model(),
        };
        let world = again.world("task_two");
        world.engine.recover().await.unwrap();
        let state = settle(&world, &"task_two".into()).await;
        assert_eq!(state.status(), TaskStatus::Completed, "after event {seq}");
        assert_eq!(looked(&state), expected, "after event {seq}");
        assert!(!stages(&again.model, 0).contains(&"planning".to_owned()), "after event {seq}");
    }
}

//
#[tokio::test(start_paused = true)]
async fn only_a_plan_that_went_straight_to_its_end_is_kept() {
    let kept = async |name: &str, change: &dyn Fn(&mut GoalRequest)| {
        let school = School::of(name);
        let (_world, state) = school.run("task_one", change).await;
        assert_eq!(state.status(), TaskStatus::Completed, "{name}");
        let entries = school.entries("task_one");
        learnt(&entries)[0].case.as_ref().unwrap().plan.is_some()
    };
    assert!(kept("plain", &|_| {}).await);
    for changed in ["full_replan", "alternative", "coerced", "inferred"] {
        assert!(!kept(changed, &|_| {}).await, "{changed}");
    }
    assert!(!kept("plain", &|goal| goal.manner.plan_cache = false).await);
    let prefers =
        |goal: &mut GoalRequest| goal.material.user_preferences = vec!["in feet".to_owned()];
    assert!(!kept("plain", &prefers).await, "it may rest on more than the goal");
}
