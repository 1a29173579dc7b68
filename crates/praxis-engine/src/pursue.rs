//! Taking a goal in: everything that its course depends on is pinned, and it is durable before it begins.

use crate::engine::Engine;
use crate::large::{BlobRoom, keep};
use crate::library_cache::StoredLibrary;
use crate::seams::{BlobError, Blobs, KeyHolder};
use crate::stopped::DriverStopped;
use crate::submit::{Accepted, SubmitError, kept_metadata};
use crate::tools::PinnedTools;
use crate::unstored_blobs::UnstoredBlobs;
use praxis_core::ask::purpose::ModelRole;
use praxis_core::budget::limit::Budget;
use praxis_core::call::tool::Toolbox;
use praxis_core::goal::plan_reuse::{self, PlanReuse};
use praxis_core::goal::spec::{
    EarlierWork, GoalContext, GoalDocument, GoalOptions, GoalSpec, PinnedModel,
};
use praxis_core::goal::strategy::StrategyDecision;
use praxis_core::hash::content_hash;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::event::{Event, RULES};
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::submission::Submission;
use praxis_core::library::{Library, Lookup};
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use praxis_core::prompt::Pack;
use praxis_core::route::intent;
use praxis_core::route::scene::{self, Scene};
use praxis_core::route::workflow::{self, Workflow};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How much of a large document is kept where prompts are made: more than they carry.
const DOCUMENT_CHARS: usize = 32_000;

/// A goal to be reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GoalRequest {
    /// What is wanted, in words.
    pub goal: String,
    /// The tools that may be used.
    pub toolbox: Arc<Toolbox>,
    /// The caller's metadata.
    pub metadata: Map<String, Value>,
    /// How it is to be run.
    pub options: RunOptions,
    /// How it is to be worked out.
    pub manner: GoalOptions,
    /// What it may spend.
    pub budget: Budget,
    /// Who is asked.
    pub advisers: BTreeMap<ModelRole, PinnedModel>,
    /// The texts of the prompts.
    pub pack: Pack,
    /// The scenes that there are.
    pub scenes: Vec<Scene>,
    /// The scene that was named.
    pub scene: Option<String>,
    /// The standard workflows.
    pub workflows: Vec<Workflow>,
    /// Synonyms of one's own, one group a line.
    #[serde(default)]
    pub synonyms: String,
    /// The workflow that was named.
    pub workflow: Option<String>,
    /// What was handed in beside the goal.
    pub material: GoalContext,
    /// The form that the answer must have.
    pub output_schema: Option<Value>,
    /// The task that it may go on with, and how if that is known.
    pub continues: Option<(TaskId, Option<StrategyDecision>)>,
    /// Words by which the task can be found.
    pub tags: BTreeMap<String, String>,
    /// The caller's key: the same key is the same task.
    pub idempotency_key: Option<String>,
    /// Whose.
    pub tenant: Tenant,
}

impl Engine {
    /// Takes a goal in. When this returns, the task is durable and its course begins. Where no model plans, the plan is
    /// part of the first append; a goal that cannot be planned is no task.
    pub async fn pursue(&self, mut goal: GoalRequest) -> Result<Accepted, SubmitError> {
        if goal.goal.trim().is_empty() {
            let words = ("the goal has no words", "目标为空");
            return Err(SubmitError::Refused(vec![Problem::new("goal_empty", "goal", words)]));
        }
        self.inner.tools.usable(&goal.toolbox)?;
        let routed = routed(&goal).map_err(|problem| SubmitError::Unknown(Box::new(problem)))?;
        let fingerprint = fingerprint(&goal, &routed);
        let key = goal.idempotency_key.clone().map(|key| (key, fingerprint));
        if let Some(known) = self.known(&goal.tenant, key.as_ref()).await? {
            return Ok(known);
        }
        let hit =
            plan_reuse::take(&mut goal.metadata).map_err(|bad| SubmitError::Refused(vec![bad]))?;
        let unstored = Box::new(UnstoredBlobs::new(Arc::clone(&self.inner.blobs)));
        let past = self.earlier_work(&goal, &*unstored).await?;
        let submission = self.goal_submission(goal, routed, (past, hit), &*unstored).await;
        let submission = submission.map_err(DriverStopped::Blob)?;
        let opening = self.opening(&submission, key);
        let events = vec![Event::TaskSubmitted(Box::new(submission))];
        self.open(events, opening, (PinnedTools::default(), Some(unstored))).await
    }

    /// The task that a key belongs to, so that nothing is planned for it a second time.
    async fn known(
        &self,
        tenant: &Tenant,
        key: Option<&(String, String)>,
    ) -> Result<Option<Accepted>, SubmitError> {
        let Some((key, fingerprint)) = key else { return Ok(None) };
        let holder = self.inner.journal.holder(tenant, key).await.map_err(SubmitError::Read)?;
        match holder {
            None => Ok(None),
            Some(KeyHolder { task, fingerprint: asked }) if asked == *fingerprint => {
                Ok(Some(Accepted { task, replayed: true }))
            }
            Some(KeyHolder { task, .. }) => Err(SubmitError::KeyMismatch(task)),
        }
    }

    async fn goal_submission(
        &self,
        goal: GoalRequest,
        RoutedGoal { scene, intent, workflow }: RoutedGoal,
        (past, hit): (Option<Box<EarlierWork>>, Option<PlanReuse>),
        blobs: &dyn Blobs,
    ) -> Result<Submission, BlobError> {
        let task = (self.inner.new_id)();
        let metadata = kept_metadata(goal.metadata, &task, blobs).await?;
        let tools = u32::try_from(goal.toolbox.len()).unwrap_or(u32::MAX);
        let mut options = goal.options;
        options.approval.scene = scene.approval;
        let library = Library {
            pack: goal.pack,
            scene,
            workflows: goal.workflows,
            synonyms: goal.synonyms,
            catalog: goal.toolbox,
            lookup: Lookup::default(),
        };
        let stored = self.inner.shelf.store(blobs, &library).await?;
        let StoredLibrary { catalog, pack, scene, workflows, synonyms } = stored;
        let brief = GoalSpec {
            catalog,
            tools,
            pack,
            scene,
            workflows,
            synonyms,
            intent,
            workflow,
            advisers: goal.advisers,
            manner: goal.manner,
            budget: goal.budget,
            material: kept_material(goal.material, blobs).await?,
            output_schema: goal.output_schema,
            past,
            hit,
        };
        Ok(Submission {
            task,
            tenant: goal.tenant,
            goal: goal.goal,
            plan_id: None,
            metadata,
            contracts: vec![],
            options,
            rules: RULES,
            idempotency_key: goal.idempotency_key,
            parent: None,
            document: None,
            flow: None,
            minds: None,
            brief: Some(Box::new(brief)),
            tags: goal.tags,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

/// What the words of a goal and what its caller named say of the kind of work.
struct RoutedGoal {
    scene: Scene,
    intent: Option<String>,
    /// The workflow that was named, or that the stated intent means. What else the words tell is for whoever plans.
    workflow: Option<String>,
}

fn routed(goal: &GoalRequest) -> Result<RoutedGoal, Problem> {
    let words = goal.goal.as_str();
    let intent = intent::intent(words).map(str::to_owned);
    let scene = match &goal.scene {
        Some(name) => scene::by_name(&goal.scenes, name)?,
        None => {
            let (id, _) = scene::matching(&goal.scenes, intent.as_deref(), words);
            scene::by_name(&goal.scenes, id)?
        }
    };
    let workflow = match (&goal.workflow, &intent) {
        (Some(id), _) => Some(workflow::by_id(&goal.workflows, id)?),
        (None, Some(intent)) => {
            let found = workflow::matching(&goal.workflows, Some(intent), None, words);
            found.map(|(workflow, _)| workflow)
        }
        (None, None) => None,
    };
    let workflow = workflow.map(|workflow| workflow.id.clone());
    Ok(RoutedGoal { scene: scene.clone(), intent, workflow })
}

async fn kept_material(material: GoalContext, blobs: &dyn Blobs) -> Result<GoalContext, BlobError> {
    let mut documents = Vec::new();
    for document in material.documents {
        let content = match document.content {
            Payload::Json(value) => {
                let beginning = beginning(&value);
                shown(keep(blobs, value, BlobRoom::Needed).await?, beginning)
            }
            stored @ Payload::Blob(_) => stored,
        };
        documents.push(GoalDocument { content, ..document });
    }
    Ok(GoalContext { documents, ..material })
}

/// How a text begins, as far as prompts carry it.
fn beginning(content: &Value) -> Option<String> {
    content.as_str().map(|text| text.chars().take(DOCUMENT_CHARS).collect())
}

/// A large text with as much of it as prompts carry beside the reference.
fn shown(content: Payload, beginning: Option<String>) -> Payload {
    match (content, beginning) {
        (Payload::Blob(mut stored), Some(beginning)) => {
            Arc::make_mut(&mut stored).preview = beginning;
            Payload::Blob(stored)
        }
        (content, _) => content,
    }
}

/// The hash of what a caller asked, so that one key cannot mean two things. What stands behind a name, such as
/// the text of a scene or the price of a model, was looked up and may change.
fn fingerprint(goal: &GoalRequest, routed: &RoutedGoal) -> String {
    let models: BTreeMap<&ModelRole, &str> =
        goal.advisers.iter().map(|(duty, adviser)| (duty, adviser.model.as_str())).collect();
    let asked = (&goal.goal, &goal.metadata, &goal.options, &goal.manner, &goal.budget);
    let named = (&routed.scene.id, &routed.workflow, &routed.intent, models);
    let beside = (&goal.material, &goal.output_schema, &goal.continues, &goal.tags);
    let written = serde_json::to_string(&(asked, named, beside));
    content_hash(written.unwrap_or_default().as_bytes())
}
