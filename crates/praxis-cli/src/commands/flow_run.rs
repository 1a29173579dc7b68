//! `praxis flow run`: submits a flow and follows it.

use super::form::value;
use super::run::{carry_through, key, options};
use crate::args_flow::FlowRun;
use crate::context::{CliContext, runtime};
use crate::failure::{CommandFailure, Exit, print_warnings};
use crate::flow_files::sound;
use crate::goal_request;
use crate::inputs;
use praxis_core::call::own::OwnCall;
use praxis_core::call::own_tools::own;
use praxis_core::flow::file::{Bundle, Flow};
use praxis_core::flow::inputs::{missing, unknown};
use praxis_core::ids::{Tenant, ToolId};
use praxis_core::intake::plan::Plan;
use praxis_core::journal::submission::StepModel;
use praxis_core::problem::Problem;
use praxis_engine::order::ClientOrder;
use praxis_engine::submit::PlanRequest;
use serde_json::{Map, Value};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(context: &CliContext, wanted: &FlowRun) -> Result<ExitCode, CommandFailure> {
    let request = request(context, wanted)?;
    carry_through(context, &ClientOrder::Run(Box::new(request)), wanted.detach)
}

fn request(context: &CliContext, wanted: &FlowRun) -> Result<PlanRequest, CommandFailure> {
    let toolbox = inputs::toolbox(context, &wanted.given.tools)?;
    let (files, findings) = sound(&wanted.file, &wanted.flows, &toolbox)?;
    print_warnings(&findings.warnings, context.lang);
    let bundle = files.bundle();
    let mut metadata = inputs::metadata(&Value::Null, &wanted.given)?;
    ask(context, &bundle.flow, &mut metadata)?;
    let step_model = step_model(context, wanted, &bundle)?;
    let (name, description) = (&bundle.flow.name, &bundle.flow.description);
    let goal = if description.is_empty() { name } else { description };
    Ok(PlanRequest {
        goal: goal.clone(),
        plan: Plan {
            plan_id: None,
            description: String::new(),
            expected_duration_sec: None,
            steps: vec![],
        },
        toolbox: Arc::new(toolbox),
        metadata,
        options: options(context, &wanted.given)?,
        idempotency_key: Some(key(&wanted.given)),
        document: None,
        tenant: Tenant::default(),
        parent: None,
        step_model,
        flow: Some(Box::new(bundle)),
    })
}

/// Returns the models for the steps of the flow. A flow that needs none still uses one, if configured, to find
/// values.
fn step_model(
    context: &CliContext,
    wanted: &FlowRun,
    bundle: &Bundle,
) -> Result<Option<Box<StepModel>>, CommandFailure> {
    let (model, limits) = (wanted.model.as_deref(), wanted.budget.as_deref());
    let asks = |call: &str| {
        let own = own(&ToolId::from(call));
        own.is_some_and(|own| own.asks_a_model() && own != OwnCall::Slot)
    };
    match (
        goal_request::step_model(context, model, limits)?,
        bundle.calls().find(|call| asks(call)),
    ) {
        (None, Some(call)) => Err(goal_request::model_needed_by(call)),
        (step_model, _) => Ok(step_model),
    }
}

/// Asks the person at the terminal for missing inputs. Fails with a list of them if nobody can be asked.
fn ask(
    context: &CliContext,
    flow: &Flow,
    given: &mut Map<String, Value>,
) -> Result<(), CommandFailure> {
    let problems = missing(flow, given);
    let (mut wrong, needed): (Vec<Problem>, Vec<Problem>) =
        problems.into_iter().partition(|problem| given.contains_key(input_of(problem)));
    wrong.extend(unknown(flow, given));
    if !wrong.is_empty() {
        return Err(CommandFailure { exit: Exit::Usage, problems: wrong });
    }
    if needed.is_empty() {
        return Ok(());
    }
    if !context.interactive {
        return Err(CommandFailure { exit: Exit::InputNeeded, problems: needed });
    }
    for problem in &needed {
        let name = input_of(problem);
        let schema = flow.inputs.get(name).cloned().unwrap_or(Value::Bool(true));
        let Some(answer) = runtime()?.block_on(answer(context, name, &schema)) else {
            return Err(CommandFailure { exit: Exit::InputNeeded, problems: needed });
        };
        given.insert(name.to_owned(), answer);
    }
    Ok(())
}

fn input_of(problem: &Problem) -> &str {
    problem.at.strip_prefix("inputs.").unwrap_or(&problem.at)
}

/// Reads a value from the terminal; `None` if the person skips it or presses Ctrl-C.
async fn answer(context: &CliContext, name: &str, schema: &Value) -> Option<Value> {
    tokio::select! {
        answer = value(context, name, schema) => answer,
        _ = tokio::signal::ctrl_c() => None,
    }
}
