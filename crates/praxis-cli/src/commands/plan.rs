//! `praxis plan`: plans a goal and leaves the plan waiting for approval.

use super::edit::open_plan;
use super::ending::exit;
use super::follow::Follower;
use super::run::{cancel_on_interrupt, tell_replayed};
use crate::args_goal::PlanOnly;
use crate::context::{CliContext, runtime};
use crate::failure::CommandFailure;
use crate::goal_request::{self, GoalArgs};
use crate::send_order;
use crate::view::origin::how_to_answer;
use crate::view::yaml::yaml;
use praxis_core::fault::Fault;
use praxis_core::goal::spec::PlanApproval;
use praxis_core::journal::question::QuestionSubject;
use praxis_engine::order::ClientOrder;
use serde_json::{Value, json};
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, plan: &PlanOnly) -> Result<ExitCode, CommandFailure> {
    if plan.explain {
        return super::explain::run(context, plan);
    }
    let approval = Some(PlanApproval::Review);
    let wanted = GoalArgs {
        words: &plan.goal,
        beside: &Value::Null,
        given: &plan.given,
        pursuit: &plan.pursuit,
        approval,
    };
    let order = ClientOrder::Pursue(Box::new(goal_request::goal(context, &wanted)?));
    runtime()?.block_on(async {
        let done = send_order::order(context, &order).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        tell_replayed(context, &done, &task);
        let watch =
            tokio::spawn(cancel_on_interrupt(context.folder.control_socket(), task.clone()));
        let mut follower = Follower::new(context, done.told)?;
        follower.be_quiet();
        let owner = send_order::to_rest(context, &mut follower, done.owner, &task).await;
        watch.abort();
        let code = conclude(context, &follower);
        if let Some(owner) = owner? {
            send_order::leave(owner).await?;
        }
        Ok(code)
    })
}

/// Prints the plan on stdout and the command that approves it on stderr; without a plan, returns the task's exit
/// code.
fn conclude(context: &CliContext, follower: &Follower<'_>) -> ExitCode {
    let state = follower.state();
    let asked = state.questions.values().find(|q| matches!(q.about, QuestionSubject::Plan { .. }));
    let task = state.submission.as_ref().map(|submission| &submission.task);
    let Some(question) = asked else {
        if context.json {
            let error = state.fault().map(Fault::code);
            out!("{}", json!({"task": task, "status": state.status(), "error": error}));
        }
        return exit(state);
    };
    let plan = open_plan(state);
    if context.json {
        out!("{}", json!({"task": task, "question": question.id, "plan": plan}));
    } else {
        crate::say::print_out(&yaml(&plan));
        note!("{}{}", context.say("  next    ", "  下一步  "), how_to_answer(question));
    }
    ExitCode::SUCCESS
}
