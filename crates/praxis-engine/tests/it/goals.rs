//! Goals as data: what is wanted, what the world and the model answer, and how it must end.

use crate::drive::is_replayed;
use crate::ledger::{InFlight, Ledger};
use crate::scenario::Scenario;
use crate::simulate::settle;
use praxis_core::ask::errand::Errand;
use praxis_core::budget::wall::Budget;
use praxis_core::dataflow::why::Source;
use praxis_core::execute::step::{Status, Step};
use praxis_core::fault::{Fault, Lang};
use praxis_core::finalize::account::{Accounts, How};
use praxis_core::finalize::history::history;
use praxis_core::goal::brief::{Document, Manner};
use praxis_core::ids::{TaskId, ToolId};
use praxis_core::journal::event::{AskOutcome, Entry, Event, Options};
use praxis_core::journal::seed::{Audience, SeedEvent, SeedStream};
use praxis_core::payload::Payload;
use praxis_core::plan::selection::Selection;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::At;
use praxis_engine::arrival::Command;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, Parts};
use praxis_engine::pursue::Goal;
use praxis_engine::submit::SubmitError;
use praxis_testkit::goal::{goal, lang_of};
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::model::{ScriptedModel, by_stage};
use praxis_testkit::world::{BEGINNING, World, parts};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Something else in a goal.
type Change = Box<dyn Fn(&mut Goal)>;

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
    ledger: Ledger,
    journal: MemoryJournal,
    blobs: MemoryBlobs,
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

    fn words(&self) -> &str {
        self.file["goal"].as_str().unwrap()
    }

    pub(crate) fn options(&self) -> Options {
        let mut options: Options = given(&self.file["options"]);
        if self.file["options"]["lang"].is_null() {
            options.lang = lang_of(self.words());
        }
        options
    }

    fn world(
        &self,
        (ledger, journal, blobs): (&Ledger, &MemoryJournal, &MemoryBlobs),
        model: &ScriptedModel,
        now: At,
    ) -> World {
        let tools = self.scenario().tools(ledger);
        let name = self.name.clone();
        let parts = Parts {
            clock: Arc::new(TokioClock::starting_at(now)),
            snapshots: Arc::new(journal.snapshots.clone()),
            new_id: Box::new(move || TaskId::from(format!("task_{name}"))),
            models: Arc::new(model.clone()),
            ..parts(Arc::new(journal.clone()), Arc::new(blobs.clone()), Arc::new(tools.clone()))
        };
        let (journal, blobs, options) = (journal.clone(), blobs.clone(), self.options());
        World { engine: Engine::new(parts), journal, blobs, tools, options }
    }

    fn model(&self) -> ScriptedModel {
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
        wanted.manner = given::<Manner>(&self.file["manner"]);
        wanted.budget = given::<Budget>(&self.file["budget"]);
        wanted.metadata = given(&self.file["metadata"]);
        wanted.output_schema = self.file.get("output_schema").cloned();
        wanted.workflows = given(&self.file["workflows"]);
        wanted.workflow = given(&self.file["workflow"]);
        wanted.material.additional_info = given(&self.file["additional_info"]);
        for adviser in wanted.advisers.values_mut() {
            adviser.price = given(&self.file["price"]);
        }
        if self.file["no_model"] == true {
            wanted.advisers = BTreeMap::new();
        }
        let task = world.engine.pursue(wanted).await.unwrap().task;
        self.settled(world, (task, ledger), model).await
    }

    async fn settled(
        &self,
        world: World,
        (task, ledger): (TaskId, Ledger),
        model: ScriptedModel,
    ) -> Pursued {
        let mut state = settle(&world, &task).await;
        for _ in 0..50 {
            let Some(question) = state.questions.values().next().cloned() else { break };
            if self.file["answers"].get(question.about.kind()).is_none() {
                break;
            }
            let answer = self.scenario().answer(&question, &ledger);
            let answer = Command::Answer { question: question.id, answer, by: "script".to_owned() };
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
        let course = self.state.goal.as_deref().unwrap();
        json!({"status": self.state.status(), "fault": fault, "answer": course.answer,
            "waits_for": self.state.waits_for(), "effects": self.ledger.effects().len()})
    }

    /// The story in short: one line for each event of the course.
    pub(crate) fn story(&self) -> Vec<String> {
        self.entries.iter().filter_map(|entry| line(&entry.event)).collect()
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
            Event::AskStarted { ask, errand, .. } => {
                stages.insert(*ask, errand.stage().to_owned());
            }
            Event::AskFinished { ask, outcome } if *outcome != AskOutcome::Lost => {
                *counts.entry(stages[ask].clone()).or_default() += 1;
            }
            _ => {}
        }
    }
    counts
}

fn line(event: &Event) -> Option<String> {
    Some(match event {
        Event::AskStarted { errand, .. } => format!("ask {errand}"),
        Event::AskFinished { outcome: AskOutcome::Failed { fault, .. }, .. } => {
            format!("no answer: {}", fault.code())
        }
        Event::AskFinished { outcome: AskOutcome::Lost, .. } => "answer lost".to_owned(),
        Event::AnswerRefused { errand, problems, .. } => {
            let codes: Vec<_> = problems.iter().map(|p| p.code.as_str()).collect();
            format!("answer refused: {errand}: {}", codes.join(" "))
        }
        Event::ToolsSelected { selection, .. } => chosen(selection),
        Event::StepsPlanned { revision, steps, .. } => {
            let ids: Vec<_> = steps.iter().map(|step| step.id.as_str()).collect();
            format!("planned {revision}: {}", ids.join(" "))
        }
        Event::PlanClosed { revision, outcome, .. } => format!("closed {revision}: {outcome:?}"),
        Event::PlanRevised(revision) => format!(
            "revised {} by {}: kept {} again {} rewired {} dropped {}",
            revision.revision,
            revision.strategy,
            revision.kept.len(),
            revision.again.len(),
            revision.rewired.len(),
            revision.dropped.len()
        ),
        Event::StepStarted { step, attempt, .. } => format!("{step} #{attempt} started"),
        Event::StepFinished { step, outcome, .. } => {
            let word = serde_json::to_value(outcome).unwrap();
            let first = || word.as_object().unwrap().keys().next().unwrap().clone();
            let word = word.as_str().map_or_else(first, str::to_owned);
            format!("{step} {word}")
        }
        Event::StepInherited { step, .. } => format!("{step} taken over"),
        Event::StepRefused { step, fault } => format!("{step} refused: {}", fault.code()),
        Event::StepReflected { step, reflection } => {
            format!("{step} reflected: {}", reflection.suggested_action.word())
        }
        Event::StepAmended { step, rung, .. } => format!("{step} amended by {}", rung.word()),
        Event::RecoveryEnded { step, overall, why } => {
            format!("{step} recovery ended: {why}{}", if *overall { ", overall" } else { "" })
        }
        Event::TaskJudged(judgement) => {
            format!("judged {} by {:?}", judgement.scores.overall(), judgement.by)
        }
        Event::TaskReflected(reflection) => format!(
            "reflected: replan {} {}",
            reflection.should_replan,
            reflection.replanning_strategy.word()
        ),
        Event::AnswerGiven { by, title, .. } if title.is_empty() => format!("answer by {by}"),
        Event::AnswerGiven { by, title, .. } => format!("answer by {by}: {title}"),
        Event::WallHit(hit) => format!("wall {}", hit.wall.word()),
        Event::QuestionAsked { question } => format!("asked about {}", question.about.kind()),
        Event::QuestionAnswered { .. } => "answered".to_owned(),
        Event::TaskLearnt(experience) => format!("learnt, defaulted {}", experience.defaulted),
        Event::TaskFinished { .. } => "finished".to_owned(),
        _ => return None,
    })
}

/// `tools by Model: 3 follows count_beds, why threshold, without t01`
fn chosen(selection: &Selection) -> String {
    let follows = selection.workflow.iter().map(|id| format!(" follows {id}")).collect::<String>();
    let why = serde_json::to_value(selection.why).unwrap();
    let why = why.as_str().map(|word| format!(", why {word}")).unwrap_or_default();
    let without: Vec<_> = selection.useless.iter().map(ToolId::as_str).collect();
    let without =
        if without.is_empty() { String::new() } else { format!(", without {}", without.join(" ")) };
    format!("tools by {:?}: {}{follows}{why}{without}", selection.by, selection.tools.len())
}

const BOTH: [InFlight; 2] = [InFlight::Unsent, InFlight::Acted];

/// Everything in which a run differs from what its file expects.
pub(crate) fn surprises(run: &Pursued) -> Vec<String> {
    let expected = &run.pursuit.file["expect"];
    let (end, story) = (run.end(), run.story());
    let mut found = Vec::new();
    for (key, value) in expected["end"].as_object().unwrap() {
        if end[key] != *value {
            found.push(format!("{key} is {} and not {value}", end[key]));
        }
    }
    let mut rest = story.iter();
    for wanted in expected["story"].as_array().into_iter().flatten() {
        let wanted = wanted.as_str().unwrap();
        if !rest.any(|line| line.starts_with(wanted)) {
            found.push(format!("no `{wanted}` in order"));
            break;
        }
    }
    for never in expected["never"].as_array().into_iter().flatten() {
        let never = never.as_str().unwrap();
        found.extend(story.iter().find(|line| line.starts_with(never)).cloned());
    }
    found
}

#[tokio::test(start_paused = true)]
async fn every_goal_ends_as_its_file_says() {
    let pursuits = all();
    assert!(pursuits.len() > 60);
    let mut wrong = String::new();
    for pursuit in pursuits {
        let run = pursuit.run().await;
        let found = surprises(&run);
        if !found.is_empty() {
            let (name, story) = (&pursuit.name, run.story().join("\n    "));
            wrong.push_str(&format!("{name}: {}\n    {story}\n", found.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn every_goal_ends_the_same_after_a_crash_at_any_event() {
    let (mut crashes, mut wrong) = (0, String::new());
    for pursuit in all() {
        let run = pursuit.run().await;
        let free = &pursuit.file["after_crash"];
        let expected = if free.is_null() { run.end() } else { free.clone() };
        let places = 1..=run.entries.len() as u64;
        for (seq, in_flight) in places.flat_map(|seq| BOTH.map(|in_flight| (seq, in_flight))) {
            let again = run.crashed_after(seq, in_flight).await;
            let end = again.end();
            let differs =
                expected.as_object().unwrap().iter().find(|(key, value)| end[*key] != **value);
            let twice = again.effects().into_iter().find(|(_, count)| *count > 1);
            if differs.is_some() || twice.is_some() {
                let (name, story) = (&pursuit.name, again.story().join("\n    "));
                wrong.push_str(&format!(
                    "{name} after {seq}, {in_flight:?}: {differs:?} {twice:?}\n    {story}\n"
                ));
                break;
            }
            crashes += 1;
        }
    }
    println!("{crashes} crashes");
    assert!(wrong.is_empty(), "{wrong}");
}

// Invariant 9.
#[tokio::test(start_paused = true)]
async fn all_requests_after_the_choice_of_tools_begin_with_the_same_bytes() {
    for pursuit in all() {
        let run = pursuit.run().await;
        let asked = run.model.asked();
        let later: Vec<_> = asked.iter().filter(|asked| asked.stage != "selection").collect();
        let Some(first) = later.first() else { continue };
        for request in &later {
            assert_eq!(request.request.messages[0], first.request.messages[0], "{}", pursuit.name);
        }
        let constant = |text: &str| {
            text.split("# Tools").next().unwrap().split("# 工具").next().unwrap().len()
        };
        let head = &first.request.messages[0].content;
        for request in &asked {
            let text = &request.request.messages[0].content;
            assert_eq!(text.get(..constant(text)), head.get(..constant(text)), "{}", pursuit.name);
        }
        // The log is only ever added to.
        let told = later.iter().map(|asked| asked.request.messages[1].content.as_str());
        let logs: Vec<&str> = told.filter(|text| text.starts_with("# ")).collect();
        for pair in logs.windows(2) {
            assert!(
                pair[1].starts_with(pair[0]),
                "{}:\n{}\n---\n{}",
                pursuit.name,
                pair[0],
                pair[1]
            );
        }
    }
}

// A past goal is a test without outside calls: every decision and every reading of an answer is made anew.
#[tokio::test(start_paused = true)]
async fn every_goal_is_decided_alike_when_it_is_decided_anew() {
    let mut wrong = String::new();
    for pursuit in all() {
        let run = pursuit.run().await;
        let world =
            run.pursuit.world((&run.ledger, &run.journal, &run.blobs), &run.model, BEGINNING);
        if let Err(error) = is_replayed(&world, &run.entries).await {
            wrong.push_str(&format!("{}: {error:#?}\n", pursuit.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn what_was_spent_is_what_the_answers_cost() {
    for pursuit in all() {
        let run = pursuit.run().await;
        let mut total = 0;
        for entry in &run.entries {
            if let Event::AskFinished {
                outcome: AskOutcome::Answered { usage, .. } | AskOutcome::Failed { usage, .. },
                ..
            } = &entry.event
            {
                total += usage.prompt + usage.completion;
            }
        }
        let ledger = &run.state.goal.as_deref().unwrap().ledger;
        assert_eq!(ledger.usage.prompt + ledger.usage.completion, total, "{}", pursuit.name);
        assert_eq!(ledger.reserved, 0, "{}", pursuit.name);
        let asks =
            run.entries.iter().filter(|e| matches!(e.event, Event::AskStarted { .. })).count();
        assert_eq!(ledger.model_calls, asks as u64);
    }
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

//
#[tokio::test(start_paused = true)]
async fn a_request_to_go_on_plans_only_the_rest_and_can_use_what_was_done() {
    let run = continued("继续执行").await;
    let story = run.story();
    assert_eq!(run.state.status(), TaskStatus::Completed, "{story:?}");
    assert!(story.iter().any(|line| line.starts_with("planned 2: step_2")), "{story:?}");
    assert!(!story.iter().any(|line| line.starts_with("step_1 #")), "{story:?}");
    let run = continued("创建一个继续教育培训的项目").await;
    assert!(
        run.story().iter().any(|line| line.starts_with("step_1 #1")),
        "it is a task of its own"
    );
}

fn codes(error: &SubmitError) -> Vec<&str> {
    let SubmitError::Refused(problems) = error else { panic!("{error:?}") };
    problems.iter().map(|problem| problem.code.as_str()).collect()
}

//
#[tokio::test(start_paused = true)]
async fn only_a_task_that_ended_and_has_steps_can_be_gone_on_with() {
    let after = async |name: &str| {
        let run = named(name).run().await;
        let parts = (&run.ledger, &run.journal, &run.blobs);
        let world = run.pursuit.world(parts, &run.model, BEGINNING);
        let mut next = goal("继续执行", world.tools.toolbox(), run.pursuit.options());
        next.continues = Some((run.task.clone(), None));
        world.engine.pursue(next).await.unwrap_err()
    };
    assert_eq!(codes(&after("nobody_approves").await), ["task_unfinished"]);
    assert_eq!(codes(&after("rejected").await), ["no_history"]);
}

//
#[tokio::test(start_paused = true)]
async fn a_history_that_is_handed_in_is_done_and_can_be_used() {
    let mut pursuit = named("plain");
    pursuit.file["goal"] = json!("继续执行");
    pursuit.file["model"] = json!({"strategy": [{"fails": "gone"}], "planning": [{"steps": [
        {"step_id": "b", "step_name": "second", "tool": "look", "parameters": {"x": "{{step_1.outputs.n}}"}}]}]});
    let history =
        json!([{"step_id": "step_1", "tool": "look", "status": "success", "output": {"n": 7}}]);
    pursuit.file["additional_info"] = json!({"execution_history": history});
    let run = pursuit.run().await;
    let story = run.story();
    assert_eq!(run.state.status(), TaskStatus::Completed, "{story:?}");
    assert!(story.iter().any(|line| line.starts_with("planned 2: step_2")), "{story:?}");
    assert!(!story.iter().any(|line| line.starts_with("step_1 #")), "{story:?}");
    let used = run.entries.iter().any(|entry| {
        let seven = praxis_core::payload::Payload::json(json!({"x": 7}));
        matches!(&entry.event, Event::StepStarted { arguments, .. } if *arguments == seven)
    });
    assert!(used, "its output is there: {story:?}");
}

#[tokio::test(start_paused = true)]
async fn a_finished_goal_is_completed_only_once() {
    let run = named("plain").run().await;
    assert_eq!(run.state.status(), TaskStatus::Completed);
    let learn = run
        .entries
        .iter()
        .filter(|e| matches!(&e.event, Event::AskStarted { errand: Errand::Learn, .. }));
    assert_eq!(learn.count(), 1);
}

fn told(run: &Pursued, audience: Audience) -> Vec<SeedEvent> {
    let mut stream = SeedStream::new(audience, Lang::Zh);
    run.entries.iter().flat_map(|entry| stream.tell(entry).unwrap()).collect()
}

//
#[tokio::test(start_paused = true)]
async fn the_documents_events_come_in_their_order_and_users_see_only_five_kinds() {
    let mut names = std::collections::BTreeSet::new();
    for name in ["plain", "full_replan", "retry_with_params", "plan_fails"] {
        let run = named(name).run().await;
        let all = told(&run, Audience::Developer);
        names.extend(all.iter().map(|event| event.event_type));
        let waits = all
            .iter()
            .filter(|e| e.event_type == "LLM_STREAM_CHUNK" && e.data["chunk_type"] == "START");
        let ends = all
            .iter()
            .filter(|e| e.event_type == "LLM_STREAM_CHUNK" && e.data["chunk_type"] != "START");
        assert_eq!(waits.count(), ends.count(), "{name}: every phase that was announced ended");
        assert!(all.windows(2).all(|pair| pair[0].sequence <= pair[1].sequence));
        let last = all
            .iter()
            .rev()
            .find(|e| e.event_type.starts_with("TASK_COMPLETED") || e.event_type == "TASK_FAILED");
        assert!(last.is_some(), "{name}");
        let context = all.iter().find(|e| e.event_type == "CONTEXT_ENGINEERING").unwrap();
        let until: Vec<Entry> =
            run.entries.iter().filter(|e| e.seq <= context.sequence).cloned().collect();
        let file = history(&until, &Accounts::read(&until).unwrap(), Lang::Zh);
        assert_eq!(context.data["formatted_text"], file, "the same text as the file");
        let users = told(&run, Audience::User);
        let five = ["TASK_WAIT", "STATUS_UPDATE", "TASK_RESULT", "TASK_COMPLETED", "TASK_FAILED"];
        assert!(users.iter().all(|event| five.contains(&event.event_type)), "{name}");
        assert!(
            users
                .iter()
                .all(|event| event.message.chars().count() <= 120
                    || event.event_type == "TASK_FAILED")
        );
        assert!(users.iter().any(|event| event.message.contains('（')) || name == "plan_fails");
    }
    for wanted in [
        "STATUS_UPDATE",
        "PLAN_GENERATED",
        "STEP_STARTED",
        "STEP_COMPLETED",
        "STEP_FAILED",
        "EVALUATION_COMPLETED",
        "REFLECTION_COMPLETED",
        "TASK_COMPLETED",
        "TASK_FAILED",
        "TASK_EXPERIENCE",
        "LLM_STREAM_CHUNK",
        "TASK_RESULT",
        "TASK_WAIT",
        "CONTEXT_ENGINEERING",
    ] {
        assert!(names.contains(wanted), "{wanted}");
    }
}

/// What clients see of a run, under an id as tasks have it.
fn seen(run: &Pursued) -> Vec<Value> {
    let mut state = State::default();
    let mut events = Vec::new();
    for entry in &run.entries {
        state.apply(entry).unwrap();
        events.extend(praxis_core::journal::stream::views(&state, entry));
    }
    let told = events.iter().map(|event| {
        let mut event = serde_json::to_value(event).unwrap();
        event["id"] = json!("task_0/1/0");
        let subject = event["subject"].as_str().unwrap().replace(run.task.as_str(), "task_0");
        event["subject"] = json!(subject);
        event
    });
    told.collect()
}

#[tokio::test(start_paused = true)]
async fn every_event_that_clients_see_of_a_goal_fits_the_published_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/event.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let schema = praxis_core::call::schema::Schema::compile(&schema).unwrap();
    let mut wrong = String::new();
    for pursuit in all() {
        for event in seen(&pursuit.run().await) {
            let errors = schema.errors(&event);
            if !errors.is_empty() {
                wrong.push_str(&format!("{}: {event}\n  {errors:?}\n", pursuit.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.chars().take(4000).collect::<String>());
}

// A fork of a goal is its plan as it stands: revised, without a model, with what is done kept.
#[tokio::test(start_paused = true)]
async fn a_goal_that_was_planned_anew_can_be_forked() {
    for name in ["full_replan", "adjust_dependencies", "skip_steps", "add_remediation"] {
        let run = named(name).run().await;
        let world =
            run.pursuit.world((&run.ledger, &run.journal, &run.blobs), &run.model, BEGINNING);
        let parts = Parts {
            new_id: Box::new(|| TaskId::from("task_forked")),
            ..parts(
                Arc::new(run.journal.clone()),
                Arc::new(run.blobs.clone()),
                Arc::new(world.tools.clone()),
            )
        };
        let engine = Engine::new(parts);
        let last = run.state.result_of.last().unwrap().clone();
        let fork = praxis_engine::fork::Fork {
            task: run.task.clone(),
            at: praxis_engine::fork::Point::Step(last.clone()),
            set: serde_json::Map::new(),
            overrides: BTreeMap::new(),
            effects: praxis_core::journal::event::Effects::Real,
            by: "lin".to_owned(),
        };
        let task = engine.fork(fork).await.unwrap_or_else(|error| panic!("{name}: {error:?}")).task;
        let world = World { engine, ..world };
        let state = settle(&world, &task).await;
        assert_eq!(state.status(), TaskStatus::Completed, "{name}");
        let again = state.steps.iter().filter(|step| step.attempt > 0);
        assert_eq!(again.map(|step| &step.plan.id).collect::<Vec<_>>(), [&last], "{name}");
    }
}

// Whoever cancels wants an end: nothing is looked back on, and what broke off costs what was read and heard.
#[tokio::test(start_paused = true)]
async fn a_cancelled_goal_asks_no_model_any_more_and_pays_for_what_was_heard() {
    let mut pursuit = named("plain");
    pursuit.file["piece_ms"] = json!(1000);
    let (ledger, journal, blobs) = Default::default();
    let model = pursuit.model();
    let world = pursuit.world((&ledger, &journal, &blobs), &model, BEGINNING);
    let wanted = goal(pursuit.words(), world.tools.toolbox(), pursuit.options());
    let task = world.engine.pursue(wanted).await.unwrap().task;
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    let cancel = Command::Cancel { reason: "enough".to_owned(), by: "test".to_owned() };
    world.engine.command(&task, cancel).await.unwrap();
    let state = settle(&world, &task).await;
    assert_eq!(state.status(), TaskStatus::Cancelled);
    assert_eq!(model.asked().len(), 1, "{:?}", model.asked().last().map(|asked| &asked.stage));
    let entries = world.journal.entries(&task);
    let reserved = entries.iter().find_map(|entry| match &entry.event {
        Event::AskStarted { reserved, .. } => Some(*reserved),
        _ => None,
    });
    let usage = state.goal.as_deref().unwrap().ledger.usage;
    assert_eq!((usage.prompt, usage.estimated), (reserved.unwrap().prompt, true));
    assert_eq!(usage.completion, 6, "one piece of 24 letters was heard");
}

// One key cannot mean two things, whatever it was that the caller changed.
#[tokio::test(start_paused = true)]
async fn the_same_key_with_anything_else_in_it_is_refused() {
    let pursuit = named("plain");
    let (ledger, journal, blobs) = Default::default();
    let world = pursuit.world((&ledger, &journal, &blobs), &pursuit.model(), BEGINNING);
    let count = std::sync::atomic::AtomicU32::new(0);
    let next = move || count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let engine = Engine::new(Parts {
        new_id: Box::new(move || TaskId::from(format!("task_{}", next()))),
        models: Arc::new(pursuit.model()),
        ..parts(Arc::new(journal), Arc::new(blobs), Arc::new(world.tools.clone()))
    });
    let asked = || {
        let mut wanted = goal(pursuit.words(), world.tools.toolbox(), pursuit.options());
        wanted.idempotency_key = Some("key".to_owned());
        wanted
    };
    let task = engine.pursue(asked()).await.unwrap().task;
    let mut same = asked();
    // What was looked up is not what was asked.
    same.advisers.values_mut().for_each(|adviser| adviser.context += 1);
    assert_eq!(engine.pursue(same).await.unwrap().task, task);
    let document = Document {
        name: "a.md".to_owned(),
        content: Payload::json(json!("text")),
        doc_type: String::new(),
        description: String::new(),
    };
    let changes: [(&str, Change); 8] = [
        ("document", Box::new(move |goal| goal.material.documents.push(document.clone()))),
        ("preference", Box::new(|goal| goal.material.user_preferences.push("short".to_owned()))),
        ("schema", Box::new(|goal| goal.output_schema = Some(json!({"type": "string"})))),
        ("scene", Box::new(|goal| goal.scene.id.push('2'))),
        ("workflow", Box::new(|goal| goal.workflow = Some("w".to_owned()))),
        ("intent", Box::new(|goal| goal.intent = Some("i".to_owned()))),
        ("tag", Box::new(|goal| drop(goal.tags.insert("a".to_owned(), "b".to_owned())))),
        ("model", Box::new(|goal| goal.advisers.values_mut().for_each(|it| it.model.push('2')))),
    ];
    for (what, change) in changes {
        let mut other = asked();
        change(&mut other);
        let refused = engine.pursue(other).await;
        assert!(matches!(refused, Err(SubmitError::KeyMismatch(_))), "{what}: {refused:?}");
    }
}

// Steps that a later plan gave up are no part of what is to be done.
#[tokio::test(start_paused = true)]
async fn progress_counts_no_step_that_a_later_plan_gave_up() {
    let mut given_up = 0;
    for pursuit in all() {
        let run = pursuit.run().await;
        let stays = |step: &&Step| !step.dropped || step.status == Status::Success;
        let staying = run.state.steps.iter().filter(stays).count();
        assert_eq!(run.state.progress().1, staying, "{}", pursuit.name);
        given_up += run.state.steps.len() - staying;
    }
    assert!(given_up > 0, "some plan was given up");
    let run = named("full_replan").run().await;
    let (done, total) = run.state.progress();
    assert_eq!(done, total, "a completed task has done all that counts");
}

// What becomes of a call whose step was given up is recorded, and nothing can read it.
#[tokio::test(start_paused = true)]
async fn a_late_result_is_seen_and_never_used() {
    let run = named("late_read").run().await;
    let ended = run.entries.iter().any(
        |entry| matches!(&entry.event, Event::StepFinished { step, .. } if step.as_str() == "step_1"),
    );
    assert!(ended, "it is in the journal");
    let step = run.state.step("step_1").unwrap();
    assert_eq!((step.status, step.dropped), (Status::Skipped, true));
    let index = run.state.context.index_of("step_1").unwrap();
    assert!(run.state.context.result(index).is_none());
}

// what a rule left out is told to those who judge and answer, and to whoever asks why.
#[tokio::test(start_paused = true)]
async fn what_a_rule_left_out_is_told_to_the_judge_and_to_people() {
    let run = named("empty_widened").run().await;
    let left_out = "without `language`: nothing was found with it";
    let told = run.model.asked().into_iter().any(|asked| {
        asked.stage == "evaluation"
            && asked.request.messages.iter().any(|message| message.content.contains(left_out))
    });
    assert!(told, "the judge knows");
    let reasons = Accounts::read(&run.entries).unwrap().reasons(&"step_1".into());
    let source = |pointer: &str| reasons.iter().find(|it| it.pointer == pointer).unwrap();
    let language = source("/language");
    assert_eq!(language.value, None, "it was not sent");
    let rule = Source::Rule { reason: left_out.to_owned(), left_out: true };
    assert_eq!(language.source, rule);
    assert_eq!(source("/since").source, Source::Literal, "what nobody may leave out stays");
}

// A read that the new plan wants too is not made a second time, and is told like any other call.
#[tokio::test(start_paused = true)]
async fn a_read_that_is_under_way_is_taken_over_by_the_new_plan() {
    let run = named("read_taken_over").run().await;
    let called = run.ledger.called_since();
    assert!(called.contains("step_1") && !called.contains("step_3"), "{called:?}");
    let state = &run.state;
    assert_eq!(state.step("step_1").unwrap().status, Status::Skipped);
    assert_eq!(state.step("step_3").unwrap().status, Status::Success);
    let accounts = Accounts::read(&run.entries).unwrap();
    assert_eq!(accounts.how(&"step_3".into()), How::Called);
    let reasons = accounts.reasons(&"step_3".into());
    assert_eq!(reasons[0].value, Some(json!(1)), "{reasons:?}");
}

// A change that is on its way is not given up: the next plan would make it again.
#[tokio::test(start_paused = true)]
async fn a_write_that_is_under_way_is_kept_when_the_rest_is_planned_anew() {
    let run = named("late_write").run().await;
    let step = run.state.step("step_1").unwrap();
    assert_eq!((step.status, step.dropped), (Status::Success, false));
    let kept = run.model.asked().iter().any(|asked| {
        asked.stage == "replanning"
            && asked.request.messages.last().unwrap().content.contains("… step_1 (pay)")
    });
    assert!(kept, "the next plan is told of it");
}
