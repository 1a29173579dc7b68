//! Runs a goal as the command line does: its outcome is predicted first, and only a goal with a plan becomes a task.

use super::case::{ExpectedOutcome, OfflineCase};
use super::ground::OfflineSandbox;
use super::laid::{Laid, LaidStep};
use praxis_core::call::approval::{ByRisk, CallPolicy};
use praxis_core::call::tool::Toolbox;
use praxis_core::fault::Fault;
use praxis_core::goal::spec::{GoalOptions, PlanApproval};
use praxis_core::ids::TaskId;
use praxis_core::intake::plan::PlannedStep;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::question::{Question, QuestionSubject};
use praxis_core::payload::{Payload, PayloadValue};
use praxis_core::planner::UNCANCELLED;
use praxis_core::pointer::Pointer;
use praxis_core::route::intent;
use praxis_core::route::workflow::Workflow;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::state::{State, TaskStatus};
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::pursue::GoalRequest;
use praxis_planner::offline::plan_path::{PlanPath, foresee};
use praxis_planner::offline::planner::{LexicalOutcome, LexicalQuery, MadePlan};
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_testkit::goal::{goal, lang_of};
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::world::parts;
use praxis_toolbox::ExampleProject;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The built-in tools, with the tools and workflows of the example `load-forecast`.
pub(crate) struct Shop {
    pub(crate) tools: Arc<Toolbox>,
    search: LexicalSearch,
    workflows: Vec<Workflow>,
}

/// An engine over the sandbox of a goal, without experiences of earlier tasks.
pub(crate) struct OfflineRig {
    pub(crate) engine: Engine,
    journal: MemoryJournal,
    ground: Arc<OfflineSandbox>,
}

impl OfflineRig {
    pub(crate) fn of(case: &OfflineCase) -> anyhow::Result<Self> {
        let ground = Arc::new(OfflineSandbox::of(case)?);
        let journal = MemoryJournal::default();
        let blobs = Arc::new(MemoryBlobs::default());
        let engine = Engine::new(EngineParts {
            snapshots: Arc::new(journal.snapshots.clone()),
            ..parts(Arc::new(journal.clone()), blobs, Arc::clone(&ground) as _)
        });
        Ok(Self { engine, journal, ground })
    }
}

/// The prediction for a goal before anything runs.
#[derive(Clone, Debug)]
pub(crate) struct PlanStatement {
    pub(crate) outcome: ExpectedOutcome,
    /// The parameters that the user would be asked for.
    pub(crate) asks: BTreeSet<String>,
    /// The id of the workflow that is followed.
    pub(crate) workflow: Option<String>,
}

/// The result of running a goal.
#[derive(Clone, Debug)]
pub(crate) struct OfflineRun {
    pub(crate) said: PlanStatement,
    /// The first plan of the task, as it entered.
    pub(crate) entered: Laid,
    /// The same plan with the arguments that were repaired before calls.
    pub(crate) put_right: Laid,
    /// The steps that succeeded and were not dropped.
    pub(crate) reached: Laid,
    pub(crate) end: End,
}

/// The end of a goal if nobody answers questions.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    /// The status of the task; `None` if no task was created.
    pub(crate) status: Option<TaskStatus>,
    /// The fault of the task and the problems of rejected plans, for the failure report.
    pub(crate) faults: Vec<String>,
    /// The fault codes of the failed steps.
    pub(crate) errors: Vec<String>,
    /// The subjects of open questions: parameter names, or another subject in parentheses.
    pub(crate) asked: Vec<String>,
    /// The outputs of successful steps, by step id.
    pub(crate) outputs: BTreeMap<String, Value>,
    /// The number of tool calls.
    pub(crate) calls: usize,
}

impl PlanStatement {
    fn of(way: &PlanPath<'_>) -> Self {
        match way {
            PlanPath::Workflow(workflow, filled) => {
                let asks: BTreeSet<String> = filled.open.iter().cloned().collect();
                let outcome = if asks.is_empty() {
                    ExpectedOutcome::Ready
                } else {
                    ExpectedOutcome::NeedParams
                };
                Self { outcome, asks, workflow: Some(workflow.id.clone()) }
            }
            // Unreachable here: there are no memories of earlier tasks.
            PlanPath::Again(_) => {
                Self { outcome: ExpectedOutcome::Ready, asks: BTreeSet::new(), workflow: None }
            }
            PlanPath::Tools(LexicalOutcome::Ready(made)) => {
                Self::of_plan(ExpectedOutcome::Ready, made)
            }
            PlanPath::Tools(LexicalOutcome::NeedParams(made)) => {
                Self::of_plan(ExpectedOutcome::NeedParams, made)
            }
            PlanPath::Tools(LexicalOutcome::NoPlan(_)) => {
                Self { outcome: ExpectedOutcome::NoPlan, asks: BTreeSet::new(), workflow: None }
            }
        }
    }

    fn of_plan(outcome: ExpectedOutcome, made: &MadePlan) -> Self {
        let asks = made.open().filter_map(|(_, slot)| slot.path.first().cloned()).collect();
        Self { outcome, asks, workflow: None }
    }
}

impl OfflineRun {
    /// Builds the result of a goal without a task.
    fn refused(said: PlanStatement) -> Self {
        let (entered, put_right, reached, end) = Default::default();
        Self { said, entered, put_right, reached, end }
    }
}

impl Shop {
    pub(crate) fn open() -> Self {
        let example = ExampleProject::named("load-forecast");
        let tools =
            example.iter().flat_map(|example| example.tools()).chain(praxis_toolbox::tools());
        let tools: Toolbox = tools.map(|tool| (tool.id.clone(), Arc::new(tool))).collect();
        let search = LexicalSearch::over(tools.values().map(|tool| &**tool), "");
        let workflows = example.map(ExampleProject::workflows).unwrap_or_default();
        Self { tools: Arc::new(tools), search, workflows }
    }

    fn foresee(&self, case: &OfflineCase) -> PlanStatement {
        let (goal, given) = (&case.goal, &case.metadata);
        let (catalog, search) = (&*self.tools, &self.search);
        let cancelled = &UNCANCELLED;
        let wanted = LexicalQuery { goal, given, catalog, search, memories: &[], cancelled };
        PlanStatement::of(&foresee(&wanted, &self.workflows, intent::intent(goal)))
    }

    /// Runs a goal until the engine is idle.
    pub(crate) async fn run(&self, case: &OfflineCase) -> anyhow::Result<OfflineRun> {
        let said = self.foresee(case);
        if said.outcome == ExpectedOutcome::NoPlan {
            return Ok(OfflineRun::refused(said));
        }
        let stage = OfflineRig::of(case)?;
        let task = stage.engine.pursue(self.goal(case)).await?.task;
        self.settled(stage, task, said).await
    }

    /// Waits until the engine is idle, and reads the result of a task.
    pub(crate) async fn settled(
        &self,
        stage: OfflineRig,
        task: TaskId,
        said: PlanStatement,
    ) -> anyhow::Result<OfflineRun> {
        stage.engine.idle().await.map_err(|error| anyhow::anyhow!("{task}: {error:?}"))?;
        self.seen(said, &stage.journal.entries(&task), &stage.ground)
    }

    /// Builds the request that the command line makes with `--yes --no-experience` and default settings.
    fn goal(&self, case: &OfflineCase) -> GoalRequest {
        let manner = GoalOptions {
            approval: PlanApproval::Allow,
            experience: false,
            ..GoalOptions::default()
        };
        GoalRequest {
            metadata: case.metadata.clone(),
            manner,
            advisers: BTreeMap::new(),
            workflows: self.workflows.clone(),
            ..goal(&case.goal, Arc::clone(&self.tools), options(case))
        }
    }

    fn seen(
        &self,
        said: PlanStatement,
        entries: &[Entry],
        ground: &OfflineSandbox,
    ) -> anyhow::Result<OfflineRun> {
        let state = State::replay(entries).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let followed = said.workflow.as_deref();
        let followed = self.workflows.iter().find(|one| Some(one.id.as_str()) == followed);
        let defaults: Vec<Value> =
            followed.into_iter().flat_map(|one| one.defaults.values().cloned()).collect();
        let first = entries.iter().find_map(|entry| match &entry.event {
            Event::StepsPlanned { steps, .. } => Some(steps.iter().collect()),
            _ => None,
        });
        let done = |step: &&Step| !step.dropped && step.status == StepStatus::Success;
        let done = state.steps.iter().filter(done).map(|step| &step.plan).collect();
        let laid = |steps: Vec<&PlannedStep>| {
            let (metadata, ids) = (metadata(&state), ids(&state));
            let steps = steps.into_iter().map(|step| LaidStep::of(step, &metadata, &ids));
            Laid { steps: steps.collect(), defaults: defaults.clone() }
        };
        let (entered, reached) = (laid(first.unwrap_or_default()), laid(done));
        let mut put_right = entered.clone();
        for made in &mut put_right.steps {
            if let Some(step) = state.step(&made.id) {
                *made = made.clone().put_right(&step.given);
            }
        }
        Ok(OfflineRun {
            said,
            entered,
            put_right,
            reached,
            end: End { faults: faults(&state, entries), ..end(&state, ground) },
        })
    }
}

/// Returns options that allow every call.
pub(crate) fn options(case: &OfflineCase) -> RunOptions {
    let mut options = RunOptions { lang: lang_of(&case.goal), ..RunOptions::default() };
    options.approval.task = ByRisk::changes(CallPolicy::Allow);
    options
}

fn metadata(state: &State) -> Map<String, Value> {
    let given = state.context.initial().iter();
    given.filter_map(|(key, value)| Some((key.to_string(), whole(value)?))).collect()
}

fn ids(state: &State) -> BTreeSet<String> {
    state.steps.iter().map(|step| step.plan.id.to_string()).collect()
}

fn end(state: &State, ground: &OfflineSandbox) -> End {
    let failed = state.steps.iter().filter(|step| step.status == StepStatus::Error);
    let errors = failed.filter_map(|step| step.fault.as_ref()).map(Fault::code);
    let output = |step: &Step| {
        let index = state.context.index_of(step.plan.id.as_str())?;
        let result = state.context.result(index).filter(|result| result.is_success)?;
        Some((step.plan.id.to_string(), whole(&result.output)?))
    };
    End {
        status: Some(state.status()),
        faults: vec![],
        errors: errors.map(str::to_owned).collect(),
        asked: state.questions.values().flat_map(asked).collect(),
        outputs: state.steps.iter().filter_map(output).collect(),
        calls: ground.made().len(),
    }
}

fn faults(state: &State, entries: &[Entry]) -> Vec<String> {
    let mut faults: Vec<String> = state.fault().map(ToString::to_string).into_iter().collect();
    for entry in entries {
        if let Event::PlanClosed { problems, .. } = &entry.event {
            faults.extend(problems.iter().map(|one| format!("{} {}", one.at, one.message.en)));
        }
    }
    faults
}

/// Returns a value; of a value in a blob, only the fields that are stored beside the reference.
fn whole(payload: &Payload) -> Option<Value> {
    match payload {
        Payload::Json(value) => Some((**value).clone()),
        Payload::Blob(stored) => {
            let beside = |key: &str| match payload.field(key)? {
                PayloadValue::Value(value) => Some((key.to_owned(), value.clone())),
                PayloadValue::InBlob { .. } => None,
            };
            Some(Value::Object(stored.fields.keys().filter_map(|key| beside(key)).collect()))
        }
    }
}

/// Returns the parameters that a question asks for, or its subject in parentheses if it asks for none.
fn asked(question: &Question) -> Vec<String> {
    let QuestionSubject::Param { fields, .. } = &question.about else {
        return vec![format!("({})", question.about.kind())];
    };
    let parameter = |pointer: &String| {
        let tokens = Pointer::new(pointer.as_str()).tokens()?;
        tokens.into_iter().next()
    };
    let parameters: BTreeSet<String> = fields.keys().filter_map(parameter).collect();
    parameters.into_iter().collect()
}
