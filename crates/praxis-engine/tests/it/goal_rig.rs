//! How a goal of `tests/goals` is read, pursued, and pursued again after a crash.
//!
//! In: a file with the goal, its tools, the world and the answers of the model. Out: what became of it. It judges nothing.

use crate::goal_story;
use crate::ledger::{InFlight, Ledger};
use crate::scenario::Scenario;
use crate::simulate::settle;
use praxis_core::ask::purpose::ModelRole;
use praxis_core::budget::limit::Budget;
use praxis_core::fault::Fault;
use praxis_core::goal::spec::GoalOptions;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::experience::ExperienceCategory;
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::Timestamp;
use praxis_engine::arrival::TaskCommand;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::seams::{Experiences, TaughtExperience};
use praxis_testkit::conformance::taught;
use praxis_testkit::experiences::MemoryExperiences;
use praxis_testkit::goal::{goal, lang_of};
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::model::{ScriptedModel, by_stage};
use praxis_testkit::world::{BEGINNING, EngineWorld, parts};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A goal and the world it is pursued in.
#[derive(Clone)]
pub(crate) struct Pursuit {
    pub(crate) name: String,
    pub(crate) file: Value,
}

/// A pursuit that has come as far as it could.
pub(crate) struct Pursued {
    pub(crate) pursuit: Pursuit,
    pub(crate) task: TaskId,
    pub(crate) state: State,
    pub(crate) entries: Vec<Entry>,
    pub(crate) model: ScriptedModel,
    pub(crate) ledger: Ledger,
    pub(crate) journal: MemoryJournal,
    pub(crate) blobs: MemoryBlobs,
}

/// All goals in `tests/goals`, by name.
pub(crate) fn all() -> Vec<Pursuit> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goals");
    let listed = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<Pursuit> = listed.map(|path| read(&path)).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

pub(crate) fn named(name: &str) -> Pursuit {
    all().into_iter().find(|pursuit| pursuit.name == name).unwrap()
}

fn read(path: &Path) -> Pursuit {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let file = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    Pursuit { name, file }
}

fn given<T: serde::de::DeserializeOwned + Default>(value: &Value) -> T {
    if value.is_null() { T::default() } else { serde_json::from_value(value.clone()).unwrap() }
}

impl Pursuit {
    fn scenario(&self) -> Scenario {
        Scenario::of(&self.name, self.file.clone())
    }

    pub(crate) fn words(&self) -> &str {
        self.file["goal"].as_str().unwrap()
    }

    pub(crate) fn options(&self) -> RunOptions {
        let mut options: RunOptions = given(&self.file["options"]);
        if self.file["options"]["lang"].is_null() {
            options.lang = lang_of(self.words());
        }
        options
    }

    pub(crate) fn world(
        &self,
        (ledger, journal, blobs): (&Ledger, &MemoryJournal, &MemoryBlobs),
        model: &ScriptedModel,
        now: Timestamp,
    ) -> EngineWorld {
        let tools = self.scenario().tools(ledger);
        let name = self.name.clone();
        let parts = EngineParts {
            clock: Arc::new(TokioClock::starting_at(now)),
            snapshots: Arc::new(journal.snapshots.clone()),
            new_id: Box::new(move || TaskId::from(format!("task_{name}"))),
            models: Arc::new(model.clone()),
            experiences: Arc::new(self.experiences()),
            ..parts(Arc::new(journal.clone()), Arc::new(blobs.clone()), Arc::new(tools.clone()))
        };
        let (journal, blobs, options) = (journal.clone(), blobs.clone(), self.options());
        EngineWorld { engine: Engine::new(parts), journal, blobs, tools, options }
    }

    /// What earlier tasks taught: their goals, by task.
    fn experiences(&self) -> MemoryExperiences {
        let store = MemoryExperiences::default();
        for (task, goal) in given::<BTreeMap<TaskId, String>>(&self.file["experiences"]) {
            let experience = &taught(&goal, ExperienceCategory::SolvingIdeas);
            let tenant = &Tenant::default();
            store
                .keep(&TaughtExperience {
                    tenant,
                    task: &task,
                    seq: 1,
                    at: Timestamp(1),
                    experience,
                })
                .unwrap();
        }
        store
    }

    pub(crate) fn model(&self) -> ScriptedModel {
        let piece_ms = self.file["piece_ms"].as_u64().unwrap_or(0);
        let mut script = json!({
            "evaluation": [{"is_successful": true, "answer": "done", "scores": {
                "completeness": 100, "correctness": 100, "efficiency": 90, "reliability": 90}}],
            "ai_reporter": [{"answer": "done"}],
            "post_task_evaluation": [{"task_completion": 90, "execution_efficiency": 80,
                "tool_usage": 80, "category": "solving_ideas", "intention": "i", "task": "t",
                "experience": "e", "quick_summary": "q"}],
        });
        script.as_object_mut().unwrap().extend(self.file["model"].as_object().unwrap().clone());
        ScriptedModel::new(by_stage(script)).with_pieces_of(piece_ms)
    }

    /// Pursues the goal undisturbed.
    pub(crate) async fn run(&self) -> Pursued {
        let (ledger, journal, blobs) = Default::default();
        let model = self.model();
        let world = self.world((&ledger, &journal, &blobs), &model, BEGINNING);
        let mut wanted = goal(self.words(), world.tools.toolbox(), self.options());
        wanted.manner = given::<GoalOptions>(&self.file["manner"]);
        wanted.budget = given::<Budget>(&self.file["budget"]);
        wanted.metadata = given(&self.file["metadata"]);
        wanted.output_schema = self.file.get("output_schema").cloned();
        wanted.workflows = given(&self.file["workflows"]);
        wanted.workflow = given(&self.file["workflow"]);
        wanted.material.additional_info = given(&self.file["additional_info"]);
        wanted.material.documents = given(&self.file["documents"]);
        for adviser in wanted.advisers.values_mut() {
            adviser.price = given(&self.file["price"]);
        }
        for (duty, context) in given::<BTreeMap<ModelRole, u64>>(&self.file["contexts"]) {
            wanted.advisers.get_mut(&duty).unwrap().context = context;
        }
        if self.file["no_model"] == true {
            wanted.advisers = BTreeMap::new();
        }
        let task = world.engine.pursue(wanted).await.unwrap().task;
        self.settled(world, (task, ledger), model).await
    }

    async fn settled(
        &self,
        world: EngineWorld,
        (task, ledger): (TaskId, Ledger),
        model: ScriptedModel,
    ) -> Pursued {
        let mut state = settle(&world, &task).await;
        for _ in 0..50 {
            let Some(question) = state.questions.values().next().cloned() else { break };
            if self.file["answers"].get(question.about.kind()).is_none() {
                let Some(ms) = question.within_ms else { break };
                // Nobody comes.
                tokio::time::sleep(Duration::from_millis(ms + 1)).await;
                state = settle(&world, &task).await;
                continue;
            }
            let answer = self.scenario().answer(&question, &ledger).unwrap();
            let answer =
                TaskCommand::Answer { question: question.id, answer, by: "script".to_owned() };
            world.engine.command(&task, answer).await.unwrap();
            state = settle(&world, &task).await;
        }
        let entries = world.journal.entries(&task);
        let (journal, blobs) = (world.journal, world.blobs);
        let pursuit = self.clone();
        Pursued { pursuit, task, state, entries, model, ledger, journal, blobs }
    }
}

impl Pursued {
    /// What must be the same however often Praxis was killed on the way.
    pub(crate) fn end(&self) -> Value {
        let fault = self.state.fault().map(Fault::code);
        let goal_state = self.state.goal.as_deref().unwrap();
        json!({"status": self.state.status(), "fault": fault, "answer": goal_state.evaluation.answer,
            "waits_for": self.state.waits_for(), "effects": self.ledger.effects().len()})
    }

    /// The story in short: one line for each event of the course.
    pub(crate) fn story(&self) -> Vec<String> {
        self.entries.iter().filter_map(|entry| goal_story::line(&entry.event)).collect()
    }

    /// Kills Praxis right after event `seq`, starts it again and lets it come to its end.
    pub(crate) async fn crashed_after(&self, seq: u64, in_flight: InFlight) -> Pursued {
        let left: Vec<Entry> = self.entries.iter().filter(|e| e.seq <= seq).cloned().collect();
        let ledger = self.ledger.crashed(&left, in_flight);
        let journal = self.journal.crashed_after(&self.task, seq);
        let later = left.last().map_or(BEGINNING, |entry| entry.at).plus_ms(3_600_000);
        let model = self.pursuit.model().after(answered(&left));
        let world = self.pursuit.world((&ledger, &journal, &self.blobs), &model, later);
        world.engine.recover().await.unwrap();
        self.pursuit.settled(world, (self.task.clone(), ledger), model).await
    }

    /// The steps whose calls were made since Praxis last began.
    pub(crate) fn called_since(&self) -> BTreeSet<String> {
        self.ledger.called_since()
    }

    pub(crate) fn effects(&self) -> BTreeMap<String, usize> {
        self.ledger.effects()
    }
}

/// How often each stage was answered.
fn answered(entries: &[Entry]) -> BTreeMap<String, usize> {
    let mut stages: BTreeMap<u32, String> = BTreeMap::new();
    let mut counts = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::AskStarted { ask, purpose, .. } => {
                stages.insert(*ask, purpose.stage().to_owned());
            }
            Event::AskFinished { ask, outcome } if *outcome != AskOutcome::Lost => {
                *counts.entry(stages[ask].clone()).or_default() += 1;
            }
            _ => {}
        }
    }
    counts
}

/// A goal that failed half-way, and a request that may go on with it.
pub(crate) async fn continued(words: &str) -> Pursued {
    let pursuit = named("not_worth_it");
    let (ledger, journal, blobs) = Default::default();
    let script = json!({
        "planning": [{"steps": [
            {"step_id": "a", "step_name": "first", "tool": "look", "parameters": {"x": 2}},
            {"step_id": "b", "step_name": "second", "tool": "look", "parameters": {"x": "{{a.outputs.receipt}}"}},
        ]}],
        "evaluation": [{"is_successful": true, "answer": "done", "scores": {
            "completeness": 100, "correctness": 100, "efficiency": 90, "reliability": 90}}],
        "strategy": [{"fails": "gone"}],
        "reflection_step": [{"fails": "gone"}], "reflection_overall": [{"fails": "gone"}],
        "replanning": [{"fails": "gone"}],
    });
    let model = ScriptedModel::new(by_stage(script));
    let file = |world: Value| json!({"goal": words, "tools": pursuit.file["tools"], "world": world, "model": {}});
    let fails = json!({"look": {"fails_if": {"x": "look of step_1"}}});
    let before = Pursuit { name: "before".to_owned(), file: file(fails) };
    let world = before.world((&ledger, &journal, &blobs), &model, BEGINNING);
    let mut wanted = goal("look twice", world.tools.toolbox(), before.options());
    wanted.manner.learn = false;
    let task = world.engine.pursue(wanted.clone()).await.unwrap().task;
    assert_eq!(settle(&world, &task).await.status(), TaskStatus::Failed);
    // Now the tool works.
    let now = Pursuit { name: "continued".to_owned(), file: file(json!({})) };
    let world = now.world((&ledger, &journal, &blobs), &model, BEGINNING);
    let mut next = goal(words, world.tools.toolbox(), now.options());
    (next.continues, next.manner.learn) = (Some((task, None)), false);
    let task = world.engine.pursue(next).await.unwrap().task;
    now.settled(world, (task, ledger), model).await
}
