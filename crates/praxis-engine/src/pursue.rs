//! Accepts goals: everything that planning depends on is pinned in a `GoalSpec`, durable before the task starts.

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

/// Characters of a large document that are kept beside its blob for prompts: more than a prompt carries.
const DOCUMENT_CHARS: usize = 32_000;

/// A goal to be pursued.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GoalRequest {
    /// The goal in words.
    pub goal: String,
    /// The tools that may be used.
    pub toolbox: Arc<Toolbox>,
    /// The caller's metadata.
    pub metadata: Map<String, Value>,
    /// The options of execution.
    pub options: RunOptions,
    /// The options of planning, judging and recovery.
    pub manner: GoalOptions,
    /// The limits on spending.
    pub budget: Budget,
    /// The pinned model for each role.
    pub advisers: BTreeMap<ModelRole, PinnedModel>,
    /// The prompt templates.
    pub pack: Pack,
    /// All scenes to choose from.
    pub scenes: Vec<Scene>,
    /// The scene that the caller named.
    pub scene: Option<String>,
    /// The standard workflows.
    pub workflows: Vec<Workflow>,
    /// The user's synonyms, one group per line.
    #[serde(default)]
    pub synonyms: String,
    /// The workflow that the caller named.
    pub workflow: Option<String>,
    /// Documents, conversation history and other context of the goal.
    pub material: GoalContext,
    /// The JSON schema of the answer.
    pub output_schema: Option<Value>,
    /// The task to continue, and the strategy if the caller named one.
    pub continues: Option<(TaskId, Option<StrategyDecision>)>,
    /// Tags by which the task can be found.
    pub tags: BTreeMap<String, String>,
    /// The idempotency key: the same key means the same task.
    pub idempotency_key: Option<String>,
    /// The tenant that the task belongs to.
    pub tenant: Tenant,
}

impl Engine {
    /// Accepts a goal. When this returns, the task is durable and driven. If no model plans, the plan is part of the
    /// first append, and a goal that cannot be planned is refused and creates no task.
    pub async fn pursue(&self, mut goal: GoalRequest) -> Result<Accepted, SubmitError> {
        if goal.goal.trim().is_empty() {
            let words = ("the goal is empty", "目标为空");
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

    /// Returns the task that the idempotency key belongs to: a repeated request is not planned again.
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
        let spec = GoalSpec {
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
            step_model: None,
            brief: Some(Box::new(spec)),
            tags: goal.tags,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

/// The scene, the intent and the workflow of a goal.
struct RoutedGoal {
    scene: Scene,
    intent: Option<String>,
    /// The workflow that the caller named, or the one that matches the stated intent. Other matches are left to
    /// planning.
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

/// Returns the beginning of a text, up to `DOCUMENT_CHARS`.
fn beginning(content: &Value) -> Option<String> {
    content.as_str().map(|text| text.chars().take(DOCUMENT_CHARS).collect())
}

/// Sets the beginning of a large text as the preview of its blob.
fn shown(content: Payload, beginning: Option<String>) -> Payload {
    match (content, beginning) {
        (Payload::Blob(mut stored), Some(beginning)) => {
            Arc::make_mut(&mut stored).preview = beginning;
            Payload::Blob(stored)
        }
        (content, _) => content,
    }
}

/// Returns the hash of the request, to detect one idempotency key with two different requests. Definitions that are
/// looked up by name, such as the text of a scene or the price of a model, may change and are left out.
fn fingerprint(goal: &GoalRequest, routed: &RoutedGoal) -> String {
    let models: BTreeMap<&ModelRole, &str> = goal
        .advisers
        .iter()
        .map(|(duty, pinned_model)| (duty, pinned_model.model.as_str()))
        .collect();
    let asked = (&goal.goal, &goal.metadata, &goal.options, &goal.manner, &goal.budget);
    let named = (&routed.scene.id, &routed.workflow, &routed.intent, models);
    let beside = (&goal.material, &goal.output_schema, &goal.continues, &goal.tags);
    let written = serde_json::to_string(&(asked, named, beside));
    content_hash(written.unwrap_or_default().as_bytes())
}
