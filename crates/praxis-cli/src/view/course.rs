//! Tells how a goal is worked out, one line for each thing that matters to a person.

use super::text::{Paint, cut};
use praxis_core::ask::errand::Errand;
use praxis_core::fault::Lang;
use praxis_core::journal::event::{AskOutcome, Event};
use praxis_core::recover::overall::Revision;
use praxis_core::state::State;

/// How much of a reason a line shows.
const REASON: usize = 120;

/// The lines of an event of the course; none if it is not worth one.
pub(crate) fn lines(state: &State, event: &Event, lang: Lang, paint: Paint) -> Vec<String> {
    let say = |en: &str, zh: &str| match lang {
        Lang::En => en.to_owned(),
        Lang::Zh => zh.to_owned(),
    };
    match event {
        Event::AskStarted { errand, model, .. } => {
            let words = doing(errand, lang);
            vec![paint.faint(&format!("… {words} ({model})"))]
        }
        Event::AskFinished { outcome: AskOutcome::Failed { fault, .. }, .. } => {
            let words = say("the model gave no answer:", "模型没有回答：");
            vec![paint.yellow(&format!("⚠ {words} {}", fault.message(lang)))]
        }
        Event::AnswerRefused { errand, problems, .. } => {
            let first = problems.first().map(|problem| problem.told(lang).message.to_owned());
            let words = say("an answer could not be used", "回答无法使用");
            let stage = errand.stage();
            vec![paint.yellow(&format!(
                "⚠ {words} ({stage}): {}",
                cut(&first.unwrap_or_default(), REASON)
            ))]
        }
        Event::ToolsSelected { selection, .. } => {
            let (all, sent) = selection.tokens;
            let saved = all.saturating_sub(sent) * 100 / all.max(1);
            let count = selection.tools.len();
            let en =
                format!("tools: {count} chosen, {sent} tokens sent instead of {all} (−{saved} %)");
            vec![format!(
                "● {}",
                say(
                    &en,
                    &format!("工具：选出 {count} 个，发送 {sent} 词元而非 {all}（−{saved} %）")
                )
            )]
        }
        Event::StepReflected { step, reflection } => {
            let action = reflection.suggested_action.word();
            let cause = cut(&reflection.root_cause, REASON);
            let why = say("why:", "原因：");
            vec![paint.yellow(&format!("💡 {step} {action} · {why} {cause}"))]
        }
        Event::StepAmended { step, rung, why, .. } => {
            vec![paint.yellow(&format!("↻ {step} {} · {}", rung.word(), cut(why, REASON)))]
        }
        Event::RecoveryEnded { step, why, .. } => {
            let words = say("cannot be helped alone:", "无法单独修复：");
            vec![paint.yellow(&format!("  {step} {words} {why}"))]
        }
        Event::TaskJudged(judgement) => {
            let score = judgement.scores.overall();
            let words = say("judged", "评估");
            let failures = cut(&judgement.failures.join("; "), REASON);
            vec![format!("⚖ {words} {score}/100  {failures}").trim_end().to_owned()]
        }
        Event::TaskReflected(reflection) => {
            let what = if reflection.should_replan {
                reflection.replanning_strategy.word().to_owned()
            } else {
                say("no new plan", "不再规划")
            };
            let why = cut(reflection.root_causes.first().map_or("", String::as_str), REASON);
            vec![paint.yellow(&format!("💡 {what} · {why}"))]
        }
        Event::PlanRevised(revision) => vec![revised(revision, lang)],
        Event::WallHit(_) => {
            let fault = state.fault().map(|fault| fault.message(lang)).unwrap_or_default();
            vec![paint.red(&format!("■ {fault}"))]
        }
        _ => vec![],
    }
}

/// `plan v2: 2 kept, 1 changed, 1 dropped · why`
fn revised(revision: &Revision, lang: Lang) -> String {
    let Revision { revision: number, kept, again, rewired, dropped, why, .. } = revision;
    let changed = again.len() + rewired.iter().filter(|r| !again.contains(&r.step_id)).count();
    let (kept, dropped, why) = (kept.len(), dropped.len(), cut(why, REASON));
    match lang {
        Lang::En => {
            format!("● plan v{number}: {kept} kept, {changed} changed, {dropped} dropped · {why}")
        }
        Lang::Zh => {
            format!("● 计划 v{number}：保留 {kept}，修改 {changed}，放弃 {dropped} · {why}")
        }
    }
}

/// What a model is being asked for.
fn doing(errand: &Errand, lang: Lang) -> String {
    let (en, zh) = match errand {
        Errand::Strategy => ("looking at earlier work", "判断任务策略"),
        Errand::Select => ("choosing tools", "工具筛选"),
        Errand::Plan => ("planning", "任务规划"),
        Errand::Replan => ("planning the rest anew", "重新规划"),
        Errand::Infer { .. } => ("finding missing values", "推断参数"),
        Errand::Reflect { .. } => ("reflecting on a step", "步骤反思"),
        Errand::Repair { .. } => ("planning a step anew", "单步修复"),
        Errand::Evaluate => ("judging the result", "评估"),
        Errand::ReflectOverall => ("reflecting on the task", "整体反思"),
        Errand::Report => ("writing the answer", "生成答复"),
        Errand::Learn => ("looking back", "任务后评估"),
    };
    let words = match lang {
        Lang::En => en,
        Lang::Zh => zh,
    };
    errand.step().map_or_else(|| words.to_owned(), |step| format!("{words}: {step}"))
}
