//! The client events of a goal.

use super::stream::StreamedEvent;
use crate::ask::purpose::Purpose;
use crate::ask::reply::TokenUsage;
use crate::journal::event::Event;
use crate::journal::memory::RecalledTask;
use crate::journal::outcome::AskOutcome;
use crate::journal::task_reflection::PlanRevision;
use crate::lang::Lang;
use crate::learn::memory;
use crate::payload::shown;
use crate::state::State;
use crate::state::goal_state::GoalState;
use serde_json::{Value, json};

/// Returns the client event of a goal event; `None` if clients do not see it.
#[expect(clippy::wildcard_enum_match_arm, reason = "a view tells what it knows how to tell")]
pub(super) fn describe(state: &State, event: &Event, lang: Lang) -> Option<StreamedEvent> {
    let empty = GoalState::default();
    let goal_state = state.goal.as_deref().unwrap_or(&empty);
    Some(match event {
        Event::AskStarted { ask, purpose, model, reserved, .. } => {
            let data =
                json!({"ask": ask, "stage": purpose.stage(), "model": model, "reserved": reserved});
            ("model.requested", purpose.step().cloned(), data)
        }
        Event::AskFinished { ask, outcome } => asked(*ask, outcome, lang),
        Event::AnswerRefused { ask, purpose, problems, .. } => {
            let told: Vec<_> = problems.iter().map(|problem| problem.told(lang)).collect();
            let data = json!({"ask": ask, "stage": purpose.stage(), "problems": told});
            ("model.refused", purpose.step().cloned(), data)
        }
        Event::StrategyChosen { strategy, by, confidence, reasoning } => {
            let data = json!({"strategy": strategy, "by": by, "confidence": confidence, "reasoning": reasoning});
            ("strategy.chosen", None, data)
        }
        Event::Recalled { memories } => ("experience.recalled", None, recalled(memories)),
        Event::ToolsSelected { selection, .. } => {
            let (all, sent) = selection.tokens;
            let mut data = json!(selection);
            if let Value::Object(map) = &mut data {
                map.remove("tokens");
                map.insert("tokens_all".to_owned(), all.into());
                map.insert("tokens_sent".to_owned(), sent.into());
                if let Some(asked) = map.remove("asked_tokens") {
                    map.insert("tokens_asked".to_owned(), asked);
                }
                for key in ["defaults", "said"] {
                    if let Some(given) = map.get_mut(key) {
                        *given = crate::mask::masked(given).into_owned();
                    }
                }
            }
            ("tools.selected", None, data)
        }
        Event::PlanRevised(revision) => revised(revision),
        Event::StepsRewired { changes } => ("plan.rewired", None, json!({"changes": changes})),
        other => return of_recovery(other, goal_state),
    })
}

/// Returns the client event of recovery, evaluation, answer or experience.
#[expect(clippy::wildcard_enum_match_arm, reason = "a view tells what it knows how to tell")]
fn of_recovery(event: &Event, goal_state: &GoalState) -> Option<StreamedEvent> {
    Some(match event {
        Event::StepReflected { step, reflection } => {
            ("reflection.recorded", Some(step.clone()), json!({"reflection": reflection}))
        }
        Event::StepAmended { step, rung, tool, parameters, set, why, by } => {
            let parameters = parameters.as_ref().map(crate::mask::masked);
            let data = json!({"rung": rung, "tool": tool, "parameters": parameters, "set": set, "why": why, "by": by});
            ("step.amended", Some(step.clone()), data)
        }
        Event::RepairWanted { step } => ("step.repair_wanted", Some(step.clone()), json!({})),
        Event::RecoveryEnded { step, overall, why } => {
            ("step.recovery_ended", Some(step.clone()), json!({"overall": overall, "why": why}))
        }
        Event::TaskJudged(judgement) => {
            let data = json!({"evaluation": judgement, "score": judgement.scores.overall()});
            ("evaluation.recorded", None, data)
        }
        Event::TaskReflected(reflection) => {
            let data = json!({"trigger": goal_state.recovery.trigger, "reflection": reflection});
            ("reflection.recorded", None, data)
        }
        Event::AnswerGiven { answer, by, title } => {
            let mut data = json!({"answer": shown(answer), "by": by});
            if let Some(data) = data.as_object_mut().filter(|_| !title.is_empty()) {
                data.insert("title".to_owned(), json!(title));
            }
            ("answer.given", None, data)
        }
        Event::OutputExtracted { step, of, left_out, .. } => {
            ("output.extracted", Some(step.clone()), json!({"tokens": of, "left_out": left_out}))
        }
        Event::MessageTold { text } => ("message.told", None, json!({"message": text})),
        Event::WallHit(hit) => (
            "budget.exhausted",
            None,
            json!({"budget": hit.wall.word(), "wanted": hit.wanted, "allowed": hit.allowed}),
        ),
        Event::TaskLearnt(experience) => {
            ("experience.recorded", None, json!({"experience": experience}))
        }
        _ => return None,
    })
}

/// Renders the recalled tasks without their steps.
fn recalled(memories: &[RecalledTask]) -> Value {
    let offered: Vec<&RecalledTask> = memory::offered(memories).collect();
    let told = |it: &RecalledTask| {
        json!({
            "task": it.task, "likeness": it.similarity, "hash": it.hash, "tools": it.case.tools,
            "offered": offered.contains(&it), "plan": it.case.plan.is_some(),
            "barred": it.barred,
        })
    };
    json!({"memories": memories.iter().map(told).collect::<Vec<_>>()})
}

fn asked(ask: u32, outcome: &AskOutcome, lang: Lang) -> StreamedEvent {
    let told = |usage: &TokenUsage| {
        json!({
            "prompt": usage.prompt, "completion": usage.completion, "cached": usage.cached,
            "estimated": usage.estimated,
        })
    };
    match outcome {
        AskOutcome::Answered { usage, .. } => {
            ("model.completed", None, json!({"ask": ask, "usage": told(usage)}))
        }
        AskOutcome::Failed { fault, usage } => {
            let error = json!({"code": fault.code(), "message": fault.message(lang)});
            ("model.failed", None, json!({"ask": ask, "usage": told(usage), "error": error}))
        }
        AskOutcome::Lost => ("model.failed", None, json!({"ask": ask, "lost": true})),
    }
}

fn revised(revision: &PlanRevision) -> StreamedEvent {
    let changed: Vec<_> =
        revision.rewired.iter().map(|change| &change.step_id).chain(&revision.again).collect();
    let data = json!({
        "revision": revision.revision, "strategy": revision.strategy, "why": revision.why,
        "kept": revision.kept, "changed": changed, "dropped": revision.dropped,
    });
    ("plan.revised", None, data)
}

/// Returns the phase of a task that a model call belongs to, as clients see it.
pub fn phase_of(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Select => "工具筛选",
        Purpose::Strategy | Purpose::Plan | Purpose::Replan => "任务规划",
        Purpose::Infer { .. } => "工具执行",
        Purpose::Evaluate => "评估",
        Purpose::Reflect { .. } | Purpose::Repair { .. } | Purpose::ReflectOverall => "反思",
        Purpose::Extract { .. } | Purpose::Report | Purpose::Tell => "进度分析",
        Purpose::Learn => "建议行动",
    }
}
