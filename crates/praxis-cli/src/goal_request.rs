//! Builds the `GoalRequest`: the goal text, its models, documents and budget.
//!
//! - in: the arguments, the settings, the models and the library
//! - out: a `GoalRequest` with everything that its planning and execution depend on; or the problems of the arguments
//! - never: chooses a scene, workflow or plan; the engine does, and refuses goals that nobody can plan

use crate::args::TaskChoice;
use crate::args_goal::{Pursuit, TaskArgs};
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::{budget, commands, documents, inputs, models, task_context};
use praxis_adapters::library::LoadedLibrary;
use praxis_adapters::model::{Catalogue, OFFLINE};
use praxis_core::ask::purpose::ModelRole;
use praxis_core::call::approval::CallPolicy;
use praxis_core::goal::spec::{
    GoalContext, GoalOptions, PinnedModel, PlanApproval, ProgressMessages, TwoStage,
};
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::submission::StepModel;
use praxis_core::lang::Lang;
use praxis_core::prompt::Pack;
use praxis_core::schema::Schema;
use praxis_core::view::seed::SeedAudience;
use praxis_engine::pursue::GoalRequest;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Context size assumed for a model whose catalogue entry has none.
const USUAL_CONTEXT: u64 = 32_768;
/// Output limit assumed for such a model.
const USUAL_OUTPUT: u64 = 8192;

/// The arguments of a goal.
pub(crate) struct GoalArgs<'a> {
    /// The goal text.
    pub(crate) words: &'a str,
    /// A document with metadata of its own, if the goal comes from one.
    pub(crate) beside: &'a Value,
    /// The arguments of every task.
    pub(crate) given: &'a TaskArgs,
    /// The arguments of goals only.
    pub(crate) pursuit: &'a Pursuit,
    /// The plans that a person approves, if the caller said so.
    pub(crate) approval: Option<PlanApproval>,
}

/// Builds the request for a goal.
pub(crate) fn goal(
    context: &CliContext,
    wanted: &GoalArgs<'_>,
) -> Result<GoalRequest, CommandFailure> {
    let (words, pursuit) = (wanted.words, wanted.pursuit);
    let catalogue = models::catalogue(context)?;
    let advisers = advisers(&catalogue, pursuit.model.as_deref())?;
    let library = commands::library::open(context);
    let toolbox = inputs::toolbox(context, &wanted.given.tools)?;
    let metadata = inputs::metadata(wanted.beside, wanted.given)?;
    let continues = continued(context, pursuit)?.map(|task| (task, None));
    let limits = budget::read(context, pursuit.budget.as_deref())?;
    let lang = context.settings.ui.lang.of_words(words);
    let mut options = commands::run::options(context, wanted.given)?;
    options.lang = lang;
    if wanted.approval == Some(PlanApproval::Allow) {
        let task = &mut options.approval.task;
        task.read.get_or_insert(CallPolicy::Allow);
        task.write.get_or_insert(CallPolicy::Allow);
        task.irreversible.get_or_insert(CallPolicy::Allow);
    }
    options.task_timeout_ms = limits.time_ms.unwrap_or(options.task_timeout_ms);
    Ok(GoalRequest {
        goal: words.to_owned(),
        toolbox: Arc::new(toolbox),
        metadata,
        options,
        manner: goal_options(context, wanted)?,
        budget: limits.budget,
        advisers,
        pack: pack(&library, lang),
        scenes: library.scenes.clone(),
        scene: pursuit.scene.clone(),
        workflow: pursuit.workflow.clone(),
        workflows: library.workflows.clone(),
        synonyms: library.synonyms.clone(),
        material: material(pursuit)?,
        output_schema: pursuit.output_schema.as_deref().map(output_schema).transpose()?,
        continues,
        tags: tags(&pursuit.tags)?,
        idempotency_key: Some(commands::run::key(wanted.given)),
        tenant: Tenant::default(),
    })
}

/// Returns the task to continue.
fn continued(context: &CliContext, pursuit: &Pursuit) -> Result<Option<TaskId>, CommandFailure> {
    if pursuit.continues.is_none() && !pursuit.last {
        return Ok(None);
    }
    let which = TaskChoice { task: pursuit.continues.clone(), last: pursuit.last };
    context.task(&context.reader()?, &which).map(Some)
}

/// Reads the `GoalContext`: the documents, then the contents of the context file.
fn material(pursuit: &Pursuit) -> Result<GoalContext, CommandFailure> {
    let mut documents = documents::read(&pursuit.documents)?;
    let context = pursuit.context.as_deref().map(task_context::read).transpose()?;
    let context = context.unwrap_or_default();
    documents.extend(context.documents);
    Ok(GoalContext { documents, ..context })
}

/// Returns the model of each `ModelRole`. A role that is set to the offline planner has none.
fn advisers(
    catalogue: &Catalogue,
    named: Option<&str>,
) -> Result<BTreeMap<ModelRole, PinnedModel>, CommandFailure> {
    if let Some(name) = named.filter(|name| *name != OFFLINE) {
        commands::model::known(catalogue, name)?;
    }
    let of_duty = |duty: ModelRole| {
        let name = named.or_else(|| catalogue.role(duty.word())).filter(|name| *name != OFFLINE)?;
        Some((duty, pinned_model(catalogue, name)?))
    };
    Ok(ModelRole::ALL.into_iter().filter_map(of_duty).collect())
}

/// Returns the model for the steps of a flow: the named one, otherwise the one for `ModelRole::Report`, if any.
pub(crate) fn step_model(
    context: &CliContext,
    model: Option<&str>,
    limits: Option<&str>,
) -> Result<Option<Box<StepModel>>, CommandFailure> {
    let catalogue = models::catalogue(context)?;
    let mut advisers = advisers(&catalogue, model)?;
    let budget = budget::read(context, limits)?.budget;
    let pinned_model = advisers.remove(&ModelRole::Report);
    Ok(pinned_model.map(|pinned_model| Box::new(StepModel { adviser: pinned_model, budget })))
}

/// Failure for a flow that needs a model while none is set up.
pub(crate) fn model_needed_by(call: &str) -> CommandFailure {
    let words = (
        format!("the flow calls `{call}`, but no model is configured"),
        format!("流程调用了 `{call}`，但没有配置模型"),
    );
    CommandFailure::usage("model_needed", words).next((
        "add one: `praxis model add local --preset ollama --model qwen3:8b`",
        "请添加：`praxis model add local --preset ollama --model qwen3:8b`",
    ))
}

fn pinned_model(catalogue: &Catalogue, name: &str) -> Option<PinnedModel> {
    let entry = catalogue.models.get(name)?;
    let context = entry.context.unwrap_or(USUAL_CONTEXT);
    // An answer that could fill the context would leave no room for the prompt.
    let most = entry.max_output.unwrap_or(USUAL_OUTPUT).min(context / 2);
    Some(PinnedModel {
        model: name.to_owned(),
        context,
        max_output: u32::try_from(most).unwrap_or(u32::MAX),
        price: entry.price.clone(),
    })
}

fn pack(library: &LoadedLibrary, lang: Lang) -> Pack {
    library.pack(lang).cloned().unwrap_or_else(|| Pack::embedded(lang))
}

fn goal_options(
    context: &CliContext,
    wanted: &GoalArgs<'_>,
) -> Result<GoalOptions, CommandFailure> {
    let mut goal_options = context.settings.goal.manner(&context.settings.run);
    if let Some(approval) = wanted.approval {
        goal_options.approval = approval;
    }
    if context.seed == Some(SeedAudience::Developer) {
        // Developers see the events themselves.
        goal_options.messages = ProgressMessages::Rules;
    }
    goal_options.experience &= !wanted.pursuit.no_experience;
    goal_options.plan_cache &= goal_options.experience && !wanted.pursuit.no_plan_cache;
    match wanted.pursuit.two_stage.as_deref() {
        None => {}
        Some("auto") => goal_options.two_stage = TwoStage::Auto,
        Some("always") => goal_options.two_stage = TwoStage::Always,
        Some("never") => goal_options.two_stage = TwoStage::Never,
        Some(other) => {
            let words = (
                format!("--two-stage must be auto, always or never, got `{other}`"),
                format!("--two-stage 必须是 auto、always 或 never，实际为 `{other}`"),
            );
            return Err(CommandFailure::usage("usage", words));
        }
    }
    Ok(goal_options)
}

fn output_schema(path: &Path) -> Result<Value, CommandFailure> {
    let schema = inputs::read_params(path)?;
    Schema::compile(&schema).map_err(|why| {
        let shown = path.display();
        let words = (
            format!("{shown} is not a valid JSON schema: {why}"),
            format!("{shown} 不是有效的 JSON schema：{why}"),
        );
        CommandFailure::usage("bad_schema", words)
    })?;
    Ok(schema)
}

fn tags(words: &[String]) -> Result<BTreeMap<String, String>, CommandFailure> {
    let mut tags = BTreeMap::new();
    for word in words {
        let (key, value) = tag(word)?;
        if tags.insert(key.clone(), value).is_some() {
            let words = (format!("tag `{key}` is given twice"), format!("标签 `{key}` 给出了两次"));
            let next = ("give each tag only once", "每个标签只能给出一次");
            return Err(CommandFailure::usage("params_shape", words).next(next));
        }
    }
    Ok(tags)
}

/// Parses the `key=value` of `--tag`.
pub(crate) fn tag(word: &str) -> Result<(String, String), CommandFailure> {
    let pair = word.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    let pair = pair.filter(|(key, _)| !key.is_empty());
    let (key, value) = pair.ok_or_else(|| {
        inputs::no_pair(&format!("--tag {word}"))
            .next(("write it like `--tag team=a`", "请写成 `--tag team=a` 的形式"))
    })?;
    Ok((key.to_owned(), value.to_owned()))
}
