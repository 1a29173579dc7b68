//! Formats the events of planning and evaluating a goal, one line for each that matters to a person.

use super::state_words::said;
use super::text::{Paint, comma, counted, cut, enclosed, headed, say, told_words};
use praxis_core::ask::purpose::Purpose;
use praxis_core::ids::{StepId, ToolId};
use praxis_core::journal::event::Event;
use praxis_core::journal::judgement::{Judge, Judgement};
use praxis_core::journal::memory::RecalledTask;
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::journal::selection::Sureness;
use praxis_core::journal::selection::{
    SelectionMethod, SelectionReason, ToolCandidate, ToolSelection,
};
use praxis_core::journal::task_reflection::{PlanRevision, TaskReflection};
use praxis_core::lang::Lang;

/// Maximum width of a reason, in columns.
const REASON: usize = 120;
/// Maximum number of tools listed with their reasons.
const MAX_SHOWN: usize = 3;

/// Maximum number of recalled tasks named in a line.
const RECALLED: usize = 3;

/// Formats a `Judgement`: the score, the judge unless it is a model, and the reasons. A score that only says that the
/// steps succeeded is not shown, because nobody has looked at the answer.
fn judged(judgement: &Judgement, lang: Lang) -> String {
    if judgement.by == Judge::Rules && judgement.is_successful && judgement.failures.is_empty() {
        let (en, zh) = (
            "all steps succeeded; the answer was not checked",
            "所有步骤均已成功；未检查答案是否正确",
        );
        return format!("⚖ {}", say(lang, en, zh));
    }
    let (score, words) = (judgement.scores.overall(), say(lang, "judged", "评估"));
    let (by, reasons) = match judgement.by {
        Judge::Model => ("", &judgement.failures),
        Judge::Rules => (say(lang, "by step status", "依据步骤状态"), &judgement.failures),
        Judge::Plan => {
            (say(lang, "by the plan's own checks", "依据计划自带的检查"), &judgement.successes)
        }
    };
    let reasons = cut(&reasons.join(say(lang, "; ", "；")), REASON);
    let told: Vec<&str> = [by, &reasons].into_iter().filter(|part| !part.is_empty()).collect();
    format!("⚖ {words} {score}/100  {}", told.join(say(lang, ": ", "："))).trim_end().to_owned()
}

/// Formats an event of the goal; empty if it is not shown.
pub(crate) fn lines(event: &Event, lang: Lang, paint: Paint) -> Vec<String> {
    match event {
        Event::ToolsSelected { selection, .. } => {
            let warning = fallen_back(selection, lang).map(|line| paint.yellow(&line));
            let more = reselected(selection, lang).map(|line| paint.faint(&line));
            let found = speaking(selection, lang).map(|line| paint.faint(&line));
            let line = format!("● {}", selected(selection, lang));
            let line = again(selection, lang).map_or(line, |again| format!("● {again}"));
            [line].into_iter().chain(warning).chain(found).chain(more).collect()
        }
        Event::Recalled { memories } if memories.is_empty() => vec![],
        Event::Recalled { memories } => vec![recalled(memories, lang)],
        Event::TaskJudged(judgement) => vec![judged(judgement, lang)],
        Event::StrategyChosen { strategy, by, reasoning, .. } => {
            let word = serde_json::to_value(strategy).unwrap_or_default();
            let word = said(word.as_str().unwrap_or_default(), lang);
            let by = enclosed(said(by, lang), lang);
            let line = format!("{word}{by} {}", cut(reasoning, REASON));
            vec![headed(
                lang,
                ("● compared with the earlier task:", "● 与之前的任务比对："),
                line.trim_end(),
            )]
        }
        Event::MessageTold { text } if !text.is_empty() => {
            text.lines().map(|line| format!("  {line}")).collect()
        }
        Event::OutputExtracted { step, of, left_out, .. } => {
            vec![paint.faint(&extracted(step, *of, *left_out, lang))]
        }
        // Reported at the end of the task.
        Event::WallHit(_) => vec![],
        Event::AskStarted { purpose, model, .. } => {
            let by = enclosed(model, lang);
            vec![paint.faint(&format!("… {}{by}", doing(purpose, lang)))]
        }
        other => {
            let told = trouble(other, lang);
            told.map(|line| paint.yellow(&line)).into_iter().collect()
        }
    }
}

/// Formats failed model calls, refused answers, reflections and recovery.
fn trouble(event: &Event, lang: Lang) -> Option<String> {
    Some(match event {
        Event::AskFinished { outcome: AskOutcome::Failed { fault, .. }, .. } => {
            headed(lang, ("⚠ model call failed:", "⚠ 模型调用失败："), &fault.message(lang))
        }
        Event::AskFinished { outcome: AskOutcome::Lost, .. } => say(
            lang,
            "⚠ the model's answer was lost: praxis stopped during the call",
            "⚠ 模型的回答已丢失：praxis 在调用期间停止",
        )
        .to_owned(),
        // Reported at the end of the plan.
        Event::AnswerRefused { purpose, .. } if purpose.plans() => return None,
        Event::AnswerRefused { purpose, problems, .. } => {
            let first = problems.first().map(|problem| problem.told(lang).message.to_owned());
            let words = say(lang, "unusable model answer", "模型的回答无法使用");
            let (doing, first) = (doing(purpose, lang), cut(&first.unwrap_or_default(), REASON));
            let head = format!("⚠ {words}{}", enclosed(&doing, lang));
            headed(lang, (&format!("{head}:"), &format!("{head}：")), &first)
        }
        Event::StepReflected { step, reflection } => {
            let action = said(reflection.suggested_action.word(), lang);
            let why = headed(lang, ("why:", "原因："), &cut(&reflection.root_cause, REASON));
            format!("💡 {step}{}{action} · {why}", say(lang, ": ", "："))
        }
        Event::RepairWanted { step } => {
            format!("↻ {} {step}", say(lang, "replanning only", "只重新规划"))
        }
        Event::RecoveryEnded { step, why, .. } => match lang {
            Lang::En => format!("  gave up repairing {step}: {}", said(why, lang)),
            Lang::Zh => format!("  不再修复 {step}：{}", said(why, lang)),
        },
        Event::TaskReflected(reflection) => reflected(reflection, lang),
        _ => return None,
    })
}

/// Describes the tools of a task, the tokens saved, and the reasons for the tools.
pub(crate) fn chosen(selection: &ToolSelection, lang: Lang) -> Vec<String> {
    let lines =
        [again(selection, lang), Some(selected(selection, lang)), speaking(selection, lang)];
    lines.into_iter().flatten().collect()
}

/// Formats a plan cache hit: `plan cache: reusing the plan of task task_01jx (no model call)`.
fn again(selection: &ToolSelection, lang: Lang) -> Option<String> {
    let task = &selection.case.as_ref()?.task;
    Some(match lang {
        Lang::En => format!("plan cache: reusing the plan of task {task} (no model call)"),
        Lang::Zh => format!("计划缓存：复用任务 {task} 的计划（未调用模型）"),
    })
}

/// Formats an offline plan: `planned without a model: 2 tools · 92% of the goal understood, not understood: foo`.
fn offline(selection: &ToolSelection, sureness: &Sureness, lang: Lang) -> String {
    let workflow = selection.workflow.as_ref().map(|id| format!(" `{id}`"));
    let (percent, count) = (sureness.percent, selection.tools.len());
    let open = sureness.unexplained.join(say(lang, ", ", "、"));
    match lang {
        Lang::En => {
            let from =
                workflow.map_or_else(|| counted(count, "tool"), |id| format!("workflow{id}"));
            let open = if open.is_empty() { open } else { format!(", not understood: {open}") };
            format!("planned without a model: {from} · {percent}% of the goal understood{open}")
        }
        Lang::Zh => {
            let from =
                workflow.map_or_else(|| format!("工具 {count} 个"), |id| format!("工作流{id}"));
            let open = if open.is_empty() { open } else { format!("，未理解：{open}") };
            format!("离线规划（无模型）：{from} · 已理解目标的 {percent}%{open}")
        }
    }
}

/// Formats a tool selection: `4 of 23 tools found by keyword search · 310 tokens sent instead of 4200 (−92 %)`.
fn selected(selection: &ToolSelection, lang: Lang) -> String {
    if let Some(sureness) = &selection.sureness {
        return offline(selection, sureness, lang);
    }
    let (all, sent) = selection.tokens;
    let (count, saved) = (selection.tools.len(), all.saturating_sub(sent) * 100 / all.max(1));
    let by = match selection.by {
        SelectionMethod::Model => say(lang, "chosen by the model", "由模型选出"),
        SelectionMethod::All => say(lang, "shown (all available)", "已列出全部可用工具"),
        SelectionMethod::Retrieval => say(lang, "found by keyword search", "按关键词检索得到"),
        SelectionMethod::Fallback => say(lang, "selected by rule", "按规则选用"),
        SelectionMethod::Workflow => say(lang, "from the workflow", "来自工作流"),
        SelectionMethod::Offline => say(lang, "from offline planning", "来自离线规划"),
        SelectionMethod::Case => {
            say(lang, "from an earlier plan, plus related ones", "来自以往计划及相关工具")
        }
    };
    let workflow = selection.workflow.as_ref().map(|id| format!(" `{id}`")).unwrap_or_default();
    let asked = selection.asked_tokens.filter(|asked| *asked > 0);
    let of = selection.of.and_then(|of| usize::try_from(of).ok()).filter(|of| *of > count);
    match lang {
        Lang::En => {
            let tools = of.map_or_else(
                || counted(count, "tool"),
                |of| format!("{count} of {}", counted(of, "tool")),
            );
            let asked =
                asked.map(|n| format!(" · {n} tokens for the selection")).unwrap_or_default();
            format!(
                "{tools} {by}{workflow} · {sent} tokens sent instead of {all} (−{saved}%){asked}"
            )
        }
        Lang::Zh => {
            let asked = asked.map(|n| format!(" · 筛选用 {n} 个 token")).unwrap_or_default();
            let of = of.map(|of| format!("（共 {of} 个）")).unwrap_or_default();
            format!(
                "已选 {count} 个工具{of}，{by}{workflow} · 只发送 {sent} 个 token（列出全部工具需 {all} 个，节省 {saved}%）{asked}"
            )
        }
    }
}

/// Formats recalled tasks with their similarity: `● recalled 2 earlier tasks: task_01jx (0.85), task_01jw (0.40)`.
fn recalled(memories: &[RecalledTask], lang: Lang) -> String {
    let told = |it: &RecalledTask| format!("{}{}", it.task, enclosed(&share(it.similarity), lang));
    let named = memories.iter().take(RECALLED).map(told);
    let mut named = named.collect::<Vec<_>>().join(comma(lang));
    if memories.len() > RECALLED {
        named.push_str(" …");
    }
    let count = memories.len();
    match lang {
        Lang::En => format!("● recalled {}: {named}", counted(count, "earlier task")),
        Lang::Zh => format!("● 参考 {count} 个以往任务：{named}"),
    }
}

/// Formats a similarity in thousandths as a fraction of one: `0.85`.
pub(crate) fn share(similarity: u32) -> String {
    format!("{}.{:02}", similarity / 1000, similarity % 1000 / 10)
}

/// Warns that the model's selection could not be used.
fn fallen_back(selection: &ToolSelection, lang: Lang) -> Option<String> {
    let why = selection.why.filter(|why| why.warns())?;
    let what = if why == SelectionReason::FallbackEmpty {
        say(lang, "the model selected no existing tool", "模型没有选出任何存在的工具")
    } else {
        say(lang, "the model failed to select tools", "模型未能选出工具")
    };
    let then = if selection.tools.len() < selection.of.map_or(0, |of| of as usize) {
        say(lang, "using the tools that match the goal best", "改用与目标最匹配的工具")
    } else {
        say(
            lang,
            "showing the model as many tools as fit",
            "改为在上下文容量内尽可能多地向模型列出工具",
        )
    };
    Some(format!("⚠ {what}{}{then}", say(lang, ": ", "：")))
}

/// Lists the first selected tools that retrieval found, with their scores and matched words:
/// `load_forecast 1.00 (load, forecast) · read_table 0.61 (csv)`.
pub(crate) fn speaking(selection: &ToolSelection, lang: Lang) -> Option<String> {
    let told = |one: &ToolCandidate| {
        let score = format!("{}.{:02}", one.score / 1000, one.score % 1000 / 10);
        let words = told_words(&one.words, lang);
        let brings = one.brings_for.as_ref().map(|tool| match lang {
            Lang::En => format!("provides input for {tool}"),
            Lang::Zh => format!("为 {tool} 提供输入"),
        });
        let because = brings.or_else(|| (!words.is_empty()).then_some(words));
        let because = because.map(|because| enclosed(&because, lang)).unwrap_or_default();
        format!("{} {score}{because}", one.tool)
    };
    let chosen = selection.found.iter().filter(|one| selection.tools.contains(&one.tool));
    let told: Vec<String> = chosen.take(MAX_SHOWN).map(told).collect();
    (!told.is_empty()).then(|| format!("  {}", told.join(" · ")))
}

/// Describes a repeated selection: its changes or continuity, and the tools that proved useless.
fn reselected(selection: &ToolSelection, lang: Lang) -> Option<String> {
    let summaries = [&selection.changes_summary, &selection.continuity_summary];
    let said: Vec<&str> =
        summaries.into_iter().map(|words| words.trim()).filter(|words| !words.is_empty()).collect();
    let useless: Vec<&str> = selection.useless.iter().map(ToolId::as_str).collect();
    let label = ("dropped after repeated failures:", "多次失败，不再使用：");
    let dropped = (!useless.is_empty()).then(|| headed(lang, label, &useless.join(comma(lang))));
    let parts: Vec<String> =
        said.first().map(|words| cut(words, REASON)).into_iter().chain(dropped).collect();
    (!parts.is_empty()).then(|| format!("  {}", parts.join(" · ")))
}

fn reflected(reflection: &TaskReflection, lang: Lang) -> String {
    let what = if reflection.should_replan {
        said(reflection.replanning_strategy.word(), lang)
    } else {
        say(lang, "no replan", "不重新规划")
    };
    // Rules name no cause; the failures are printed above.
    let cause = reflection.root_causes.first().filter(|cause| !cause.trim().is_empty());
    let why =
        |cause: &String| format!(" · {}", headed(lang, ("why:", "原因："), &cut(cause, REASON)));
    format!("💡 {what}{}", cause.map(why).unwrap_or_default())
}

/// Formats a plan revision: `v2: 2 kept, 1 changed, 1 added, 1 dropped · why: …`. `steps` is the number of steps in
/// the plan now, `added` the number of new ones; steps that are neither new nor changed count as kept.
pub(crate) fn revised(
    revision: &PlanRevision,
    (steps, added): (usize, usize),
    lang: Lang,
) -> String {
    let PlanRevision { revision: number, again, rewired, dropped, why, .. } = revision;
    let changed = again.len() + rewired.iter().filter(|r| !again.contains(&r.step_id)).count();
    let kept = steps.saturating_sub(added + changed);
    let (dropped, why) = (dropped.len(), cut(why, REASON));
    match lang {
        Lang::En => format!(
            "  v{number}: {kept} kept, {changed} changed, {added} added, {dropped} dropped · why: {why}"
        ),
        Lang::Zh => {
            format!(
                "  v{number}：保留 {kept}，修改 {changed}，新增 {added}，放弃 {dropped} · 原因：{why}"
            )
        }
    }
}

/// Formats an extraction: `fetch returned 81000 tokens; kept only the passages that the goal needs, verbatim`.
fn extracted(step: &StepId, of: u64, left_out: u32, lang: Lang) -> String {
    let more = left_out > 0;
    match lang {
        Lang::En => {
            let more = if more {
                format!("; passages dropped, not in the original: {left_out}")
            } else {
                String::new()
            };
            format!(
                "  {step} returned {of} tokens; kept only the passages that the goal needs, verbatim{more}"
            )
        }
        Lang::Zh => {
            let more = if more {
                format!("；有 {left_out} 段在原文中找不到，已舍去")
            } else {
                String::new()
            };
            format!("  {step} 的输出有 {of} 个 token；只逐字保留目标所需的段落{more}")
        }
    }
}

/// Describes the `Purpose` of a model call.
pub(crate) fn doing(purpose: &Purpose, lang: Lang) -> String {
    let (en, zh) = match purpose {
        Purpose::Strategy => ("comparing with the earlier task", "与之前的任务比对"),
        Purpose::Select => ("selecting tools", "工具筛选"),
        Purpose::Plan => ("planning", "任务规划"),
        Purpose::Replan => ("replanning", "重新规划"),
        Purpose::Infer { .. } => ("inferring missing values", "推断缺失的参数"),
        Purpose::Reflect { .. } => ("reflecting on a step", "步骤反思"),
        Purpose::Repair { .. } => ("replanning a step", "重新规划步骤"),
        Purpose::Evaluate => ("judging the result", "评估结果"),
        Purpose::ReflectOverall => ("reflecting on the task", "反思整个任务"),
        Purpose::Extract { .. } => ("extracting from a long output", "从长输出中摘录"),
        Purpose::Report => ("writing the answer", "生成答复"),
        Purpose::Tell => ("reporting progress", "播报进度"),
        Purpose::Learn => ("reviewing the task", "总结经验"),
    };
    let words = say(lang, en, zh);
    purpose.step().map_or_else(|| words.to_owned(), |step| format!("{words}: {step}"))
}
