//! Approval policy and unanswered questions of a task, from flags and settings.
//!
//! - in: the flags, and the settings
//! - out: the `Policy` that is pinned with the task
//! - never: accepts a flag that would have no effect

use crate::args_goal::TaskArgs;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use praxis_core::call::approval::{ByRisk, CallPolicy, Policy};
use praxis_core::call::risk::Risk;
use praxis_core::intake::unanswered::UnansweredAction;

/// Returns the policy for the task's tool calls.
pub(crate) fn policy(context: &CliContext, given: &TaskArgs) -> Result<Policy, CommandFailure> {
    let said = given.approve.as_deref().map(said).transpose()?.unwrap_or_default();
    let policy = context.settings.approval.policy(said);
    for (word, risk) in Risk::WORDS {
        let wider = said.of(risk).is_some_and(|permit| permit < CallPolicy::Deny);
        if wider && policy.settings.of(risk) == Some(CallPolicy::Deny) {
            return Err(denied(word));
        }
    }
    Ok(policy)
}

/// Returns true if `--approve` allows every change.
pub(crate) fn allows_all(given: &TaskArgs) -> bool {
    let said = given.approve.as_deref().and_then(ByRisk::parse).unwrap_or_default();
    [Risk::Write, Risk::Irreversible].iter().all(|risk| said.of(*risk) == Some(CallPolicy::Allow))
}

/// Returns the action for questions that nobody answers.
pub(crate) fn unanswered(
    context: &CliContext,
    given: &TaskArgs,
) -> Result<UnansweredAction, CommandFailure> {
    let Some(word) = &given.unanswered else { return Ok(context.settings.run.unanswered) };
    UnansweredAction::of_word(word).ok_or_else(|| {
        let words = (
            format!("`--unanswered` must be deny, skip, fail or default, got `{word}`"),
            format!("`--unanswered` 必须是 deny、skip、fail 或 default，实际为 `{word}`"),
        );
        CommandFailure::usage("usage", words)
    })
}

fn said(text: &str) -> Result<ByRisk, CommandFailure> {
    ByRisk::parse(text).ok_or_else(|| {
        let words = (
            format!(
                "`--approve` must be allow, ask or deny, for all risks or per risk, got `{text}`"
            ),
            format!(
                "`--approve` 必须是 allow、ask 或 deny，可统一指定或按风险指定，实际为 `{text}`"
            ),
        );
        let example = "--approve write=ask,irreversible=deny";
        let next = (
            format!("write `--approve ask`, or `{example}`"),
            format!("请写 `--approve ask`，或 `{example}`"),
        );
        CommandFailure::usage("usage", words).next(next)
    })
}

/// Reports a `deny` of the settings, which no flag can lift.
fn denied(risk: &str) -> CommandFailure {
    let words = (
        format!("`--approve` cannot override `approval.{risk}`, which is `deny` in the settings"),
        format!("`--approve` 不能覆盖 `approval.{risk}`：它在设置中为 `deny`"),
    );
    let next = (
        "remove the flag, or change the setting; `praxis config show` shows where it is set",
        "请去掉该选项，或修改设置项；`praxis config show` 显示它在何处设置",
    );
    CommandFailure::usage("approval_denied", words).next(next)
}
