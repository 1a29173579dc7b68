//! Plays the engine in memory: folds, decides, begins, and takes the outcomes that a test hands it.
//!
//! After every arrival the journal is folded anew and must give the live state.

use praxis_core::IllegalEvent;
use praxis_core::ask::tokens::Estimate;
use praxis_core::call::manifest;
use praxis_core::call::tool::Tool;
use praxis_core::call::tool::Toolbox;
use praxis_core::dataflow::resolve::LoadedBlobs;
use praxis_core::decide::begin::begin;
use praxis_core::decide::decide;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::{BlobId, QuestionId, StepId, ToolId};
use praxis_core::inputs::{Inputs, Schemas};
use praxis_core::intake::{check, plan};
use praxis_core::journal::event::{Entry, Event, RULES};
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::outcome::{CallOutcome, CheckVerdict, PlanOutcome, TaskEnding};
use praxis_core::journal::question::{Question, QuestionAnswer};
use praxis_core::journal::submission::Submission;
use praxis_core::lang::Lang;
use praxis_core::payload::Payload;
use praxis_core::recover::retry::{RetryHistory, after_fault};
use praxis_core::schema::Schema;
use praxis_core::state::State;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::time::Timestamp;
use praxis_planner::LexicalPlanner;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A task before it is submitted.
pub(crate) struct Setup {
    steps: Value,
    metadata: Map<String, Value>,
    tools: Vec<Tool>,
    options: RunOptions,
}

/// A task and the engine that drives it.
pub(crate) struct World {
    pub(crate) state: State,
    pub(crate) journal: Vec<Entry>,
    pub(crate) now: u64,
    pub(crate) toolbox: Toolbox,
    /// The most calls that were ever made at the same time.
    pub(crate) widest: usize,
}

/// Steps over two tools: `read`, which may simply run again, and `write`, which may not.
pub(crate) fn task(steps: Value) -> Setup {
    let setup = Setup {
        steps,
        metadata: Map::new(),
        tools: vec![],
        options: RunOptions { task_timeout_ms: 1_000_000_000, ..RunOptions::default() },
    };
    setup
        .tool(json!({"id": "read", "builtin": "read", "risk": "read", "retry_delay": "1s"}))
        .tool(json!({"id": "write", "builtin": "write", "retry_delay": "1s"}))
}

/// Steps of the tool `read` without parameters: `a`, `b: a`, `c: a b`.
pub(crate) fn reads(lines: &[&str]) -> Value {
    let step = |line: &&str| {
        let (id, needs) = line.split_once(':').unwrap_or((line, ""));
        let needs: Vec<&str> = needs.split_whitespace().collect();
        json!({"step_id": id.trim(), "tool": "read", "depends_on": needs})
    };
    lines.iter().map(step).collect()
}

impl Setup {
    pub(crate) fn tool(mut self, manifest: Value) -> Self {
        self.tools.extend(manifest::read(&manifest).unwrap());
        self
    }

    pub(crate) fn metadata(mut self, metadata: Value) -> Self {
        self.metadata.clone_from(metadata.as_object().unwrap());
        self
    }

    pub(crate) fn options(mut self, change: impl FnOnce(&mut RunOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// Submits the task; its first calls are made.
    pub(crate) fn start(self) -> World {
        let mut world = self.submitted();
        world.plan(1, &self.steps);
        world
    }

    /// Submits the task without a plan.
    pub(crate) fn submitted(&self) -> World {
        let toolbox: Toolbox =
            self.tools.iter().map(|tool| (tool.id.clone(), Arc::new(tool.clone()))).collect();
        let contract = |tool: &Arc<Tool>| tool.contract(BlobId::from("manifest"));
        let small = |(key, value): (&String, &Value)| {
            (Arc::from(key.as_str()), Payload::json(value.clone()))
        };
        let submission = Submission {
            task: "task_1".into(),
            tenant: "local".into(),
            goal: "a test".to_owned(),
            plan_id: None,
            metadata: self.metadata.iter().map(small).collect(),
            contracts: toolbox.values().map(contract).collect(),
            options: self.options.clone(),
            rules: RULES,
            idempotency_key: None,
            parent: None,
            step_model: None,
            flow: None,
            document: None,
            brief: None,
            tags: BTreeMap::new(),
            version: "test".to_owned(),
        };
        let state = State::default();
        let mut world = World { state, journal: vec![], now: 1000, toolbox, widest: 0 };
        world.tell(Event::TaskSubmitted(Box::new(submission)));
        world
    }
}

impl World {
    /// Checks a plan against what has finished and makes it the next revision.
    pub(crate) fn plan(&mut self, revision: u32, steps: &Value) {
        let plan = plan::read(&json!({ "steps": steps })).unwrap();
        let finished: BTreeSet<StepId> = self.ids_with(StepStatus::Success).into_iter().collect();
        let steps = check::check(&plan, &self.toolbox, &Map::new(), &finished).unwrap().steps;
        self.fold(Event::planned(revision, steps)).unwrap();
        self.tell(Event::closed(revision, PlanOutcome::Complete));
    }

    /// Hands an event in and begins nothing.
    pub(crate) fn fold(&mut self, event: Event) -> Result<(), IllegalEvent> {
        let entry = Entry { seq: self.state.seq + 1, at: Timestamp(self.now), event };
        self.state.apply(&entry)?;
        self.journal.push(entry);
        Ok(())
    }

    /// Hands an event in, then begins what `decide` wants until it wants nothing more.
    pub(crate) fn tell(&mut self, event: Event) {
        self.fold(event).unwrap();
        loop {
            let effects = decide(&self.state);
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                let blobs = LoadedBlobs::new();
                let inputs = Inputs {
                    blobs: &blobs,
                    tools: &ToolSchemas(&self.toolbox),
                    library: None,
                    tokens: &Estimate::default(),
                    planner: &LexicalPlanner,
                    cancelled: &praxis_core::planner::UNCANCELLED,
                };
                let events = begin(&self.state, &effect, &inputs);
                assert!(!events.is_empty(), "{effect:?} begins with nothing");
                for event in events {
                    self.fold(event).unwrap();
                }
                self.widest = self.widest.max(self.running().len());
            }
        }
        self.same_after_replay();
        let counted = self.state.steps.iter().filter(|step| step.status == StepStatus::Success);
        let stays = |step: &&Step| !step.dropped || step.status == StepStatus::Success;
        let staying = self.state.steps.iter().filter(stays);
        assert_eq!(self.state.progress(), (counted.count(), staying.count()));
    }

    fn same_after_replay(&self) {
        let lines: Vec<String> =
            self.journal.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        let read: Vec<Entry> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let replayed = State::replay(&read).unwrap();
        assert_eq!(
            serde_json::to_value(&replayed).unwrap(),
            serde_json::to_value(&self.state).unwrap()
        );
    }

    /// What the state would say to an event. The world stays as it is.
    pub(crate) fn would(&self, event: Event) -> Result<(), IllegalEvent> {
        let entry = Entry { seq: self.state.seq + 1, at: Timestamp(self.now), event };
        self.state.clone().apply(&entry)
    }

    /// The steps whose calls are being made, in the plan's order.
    pub(crate) fn running(&self) -> Vec<String> {
        self.ids_with(StepStatus::Running).iter().map(ToString::to_string).collect()
    }

    pub(crate) fn ids_with(&self, status: StepStatus) -> Vec<StepId> {
        let with = self.state.steps.iter().filter(|step| step.status == status);
        with.map(|step| step.plan.id.clone()).collect()
    }

    pub(crate) fn finished(&self, id: &str, outcome: CallOutcome) -> Event {
        let attempt = self.state.step(id).unwrap().attempt;
        Event::StepFinished { step: id.into(), attempt, outcome, retry_at: None, usage: None }
    }

    /// The call of a step comes back.
    pub(crate) fn succeed(&mut self, id: &str, output: Value) {
        self.tell(self.finished(id, CallOutcome::Succeeded(Payload::json(output))));
    }

    /// The call of a step comes back wrong; what follows is core's own policy.
    pub(crate) fn fail(&mut self, id: &str, fault: Fault) {
        let step = self.state.step(id).unwrap();
        let effect = self.state.effect_id(step);
        let tried = RetryHistory {
            retries: step.retries,
            most: None,
            effect: &effect,
            now: Timestamp(self.now),
        };
        let contract = self.state.contract(step.tool()).unwrap();
        let (outcome, retry_at) = after_fault(fault, contract, tried);
        let attempt = step.attempt;
        self.tell(Event::StepFinished { step: id.into(), attempt, outcome, retry_at, usage: None });
    }

    /// Praxis stops and starts again while the call runs.
    pub(crate) fn lose(&mut self, id: &str) {
        self.tell(self.finished(id, CallOutcome::Lost));
    }

    /// Time passes to the next moment at which the task looks up by itself.
    pub(crate) fn sleep(&mut self) {
        self.now = self.state.wake_at().expect("the task has nothing to wait for").0;
        let due: Vec<StepId> = self
            .state
            .agenda
            .timers
            .iter()
            .take_while(|(at, _)| at.0 <= self.now)
            .map(|(_, step)| self.state.context.id_of(*step).unwrap().clone())
            .collect();
        let wall = self.state.deadline().is_some_and(|deadline| deadline.0 <= self.now);
        for step in due {
            self.tell(Event::RetryDue { step });
        }
        if wall {
            let after_ms = self.state.submission.as_ref().unwrap().options.task_timeout_ms;
            self.tell(Event::TimeUsedUp { after_ms });
        }
    }

    /// The one question that is open.
    pub(crate) fn question(&self) -> Question {
        let mut open = self.state.questions.values();
        let question = open.next().expect("nothing is asked").clone();
        assert!(open.next().is_none(), "more than one question is open");
        question
    }

    /// A person answers the one question that is open.
    pub(crate) fn answer(&mut self, answer: QuestionAnswer) {
        let question = self.question();
        question.check(&answer).unwrap();
        self.tell(Event::QuestionAnswered { question: question.id, answer, by: "lin".into() });
    }

    pub(crate) fn verdict(&mut self, id: &str, verdict: CheckVerdict) {
        self.tell(Event::CheckFinished { step: id.into(), verdict });
    }

    pub(crate) fn cancel(&mut self) {
        self.tell(Event::CancelRequested { reason: "enough".into(), by: "lin".into() });
    }

    pub(crate) fn reopen(&mut self, epoch: u32, invalidated: &[&str]) {
        let invalidated = invalidated.iter().map(|id| StepId::from(*id)).collect();
        let (contracts, by) = (vec![], "lin".to_owned());
        self.tell(Event::TaskReopened { epoch, invalidated, contracts, by });
    }

    /// Every call succeeds, the first in the plan's order first.
    pub(crate) fn run(&mut self) {
        while let Some(id) = self.running().first().cloned() {
            self.succeed(&id, json!({ "from": id }));
        }
    }

    /// `a SUCCESS, b SKIPPED`
    pub(crate) fn statuses(&self) -> String {
        let shown = |step: &praxis_core::state::step::Step| {
            let status = serde_json::to_value(step.status).unwrap();
            format!("{} {}", step.plan.id, status.as_str().unwrap())
        };
        self.state.steps.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    /// The key and the arguments of every call, in order: `a~1 {"x":1}`.
    pub(crate) fn calls(&self) -> Vec<String> {
        let call = |entry: &Entry| match &entry.event {
            Event::StepStarted { step, generation, arguments: Payload::Json(sent), .. } => {
                Some(format!("{step}~{generation} {sent}"))
            }
            _ => None,
        };
        self.journal.iter().filter_map(call).collect()
    }

    /// What happened since the plan was closed, a word or two for each event.
    pub(crate) fn trace(&self) -> String {
        let lines = self.journal.iter().skip(3).map(|entry| line(&entry.event));
        lines.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn ending(&self) -> &TaskEnding {
        let last = self.journal.last().map(|entry| &entry.event);
        let Some(Event::TaskFinished { ending, .. }) = last else { panic!("it goes on: {last:?}") };
        ending
    }

    /// The output of a step or an action.
    pub(crate) fn output(&self, id: &str) -> Value {
        let index = self.state.context.index_of(id).unwrap();
        let Some(Payload::Json(value)) = self.state.context.result(index).map(|r| &r.output) else {
            panic!("no small result of {id}")
        };
        Value::clone(value)
    }
}

fn line(event: &Event) -> String {
    match event {
        Event::StepStarted { step, attempt, .. } => format!("{step} #{attempt}"),
        Event::StepFinished { step, outcome, retry_at, .. } => match outcome {
            CallOutcome::Succeeded(_) => format!("{step} ok"),
            CallOutcome::Failed { fault, .. } if retry_at.is_some() => {
                format!("{step} {}, later again", fault.code())
            }
            CallOutcome::Failed { fault, .. } => format!("{step} {}", fault.code()),
            CallOutcome::InDoubt(fault) => format!("{step} in doubt: {}", fault.code()),
            CallOutcome::Lost => format!("{step} lost"),
        },
        Event::StepRefused { step, fault } => format!("{step} refused: {}", fault.code()),
        Event::RetryDue { step } => format!("{step} due"),
        Event::CheckStarted { step } => format!("{step} is checked"),
        Event::CheckFinished { step, verdict } => {
            let said = serde_json::to_value(verdict).unwrap();
            format!("{step} is {}", said["state"].as_str().unwrap())
        }
        Event::QuestionAsked { question } => format!("asked about {}", question.about.kind()),
        Event::QuestionAnswered { answer, .. } => {
            let said = serde_json::to_value(answer).unwrap();
            format!("answered {}", said["say"].as_str().unwrap())
        }
        Event::TaskFinished { ending, .. } => match ending {
            TaskEnding::Completed => "completed".to_owned(),
            TaskEnding::Failed { fault } => format!("failed: {fault}"),
            TaskEnding::Cancelled { reason } => format!("cancelled: {reason}"),
        },
        other => {
            let said = serde_json::to_value(other).unwrap();
            said["kind"].as_str().unwrap().to_owned()
        }
    }
}

/// Checks arguments against the manifests.
struct ToolSchemas<'a>(&'a Toolbox);

impl Schemas for ToolSchemas<'_> {
    fn input_schema(&self, tool: &ToolId) -> Option<&Value> {
        self.0.get(tool).map(|tool| &tool.input_schema)
    }

    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError> {
        let schema = self.input_schema(tool).unwrap();
        Schema::compile(schema).unwrap().errors(arguments)
    }

    fn signature(&self, _tool: &ToolId, _lang: Lang) -> Option<String> {
        None
    }

    fn has_more_to_tell(&self, _tool: &ToolId) -> bool {
        false
    }
}

/// A fault that is worth another attempt and surely had no effect.
pub(crate) fn unavailable(tool: &str) -> Fault {
    Fault::ToolUnavailable { tool: tool.into(), message: "refused".into() }
}

/// A fault that another attempt will not mend.
pub(crate) fn broken(tool: &str) -> Fault {
    Fault::ToolFailed {
        tool: tool.into(),
        message: "no".into(),
        message_zh: String::new(),
        retryable: false,
        retry_after_ms: None,
    }
}

/// A fault after which nobody knows whether the call took effect.
pub(crate) fn silent(tool: &str) -> Fault {
    Fault::Timeout { tool: tool.into(), after_ms: 30_000 }
}

/// Values that a person gives, by JSON pointer.
pub(crate) fn values(given: Value) -> QuestionAnswer {
    let values: BTreeMap<String, Value> = given.as_object().unwrap().clone().into_iter().collect();
    QuestionAnswer::Values { values }
}

pub(crate) fn question_id(n: u32) -> QuestionId {
    QuestionId::from(format!("q_task_1_{n}"))
}
