//! `praxis experience` and `praxis cache`: experiences and cached plans of finished tasks.

use super::show_step::print_value;
use crate::args_experience::{
    Cache, CacheCommand, ExperienceArgs as Args, ExperienceCommand, ExperienceFilter, ListLimit,
};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::view::text::{Paint, cut, pad, sanitize, say};
use praxis_adapters::experience::file::ExperienceFile;
use praxis_adapters::experience::line::{ExperienceLine, ForgottenPart};
use praxis_adapters::folder::FolderError;
use praxis_core::ids::ToolId;
use praxis_core::journal::experience::{Experience, ExperienceCategory};
use praxis_core::lang::Lang;
use praxis_core::near::near;
use serde_json::json;
use std::process::ExitCode;

/// Maximum characters of a printed field.
const MOST_CHARS: usize = 4000;

pub(crate) fn run(context: &CliContext, args: &Args) -> Result<ExitCode, CommandFailure> {
    match &args.what {
        ExperienceCommand::List(few) => list(context, &standing(context)?, few),
        ExperienceCommand::Show(which) => show(context, &found(standing(context)?, which)?),
        ExperienceCommand::Rm(which) => {
            remove(context, standing(context)?, (which, ForgottenPart::Experience))?;
        }
        ExperienceCommand::Export { output } => {
            let lines = standing(context)?;
            let text: String = lines.iter().map(|line| format!("{}\n", json!(line))).collect();
            match output {
                None => crate::say::print_out(&text),
                Some(path) => std::fs::write(path, text)
                    .map_err(|error| CommandFailure::from(FolderError::unusable(path, &error)))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn cache(context: &CliContext, args: &Cache) -> Result<ExitCode, CommandFailure> {
    let plans = || {
        let mut lines = standing(context)?;
        lines.retain(|line| line.experience.case.as_ref().is_some_and(|case| case.plan.is_some()));
        Ok::<_, CommandFailure>(lines)
    };
    match &args.what {
        CacheCommand::List(few) => list(context, &plans()?, few),
        CacheCommand::Show(which) => {
            let line = found(plans()?, which)?;
            print_value(context, &json!(line.experience.case.and_then(|case| case.plan)));
        }
        CacheCommand::Rm(which) => remove(context, plans()?, (which, ForgottenPart::Plan))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn file(context: &CliContext) -> ExperienceFile {
    ExperienceFile::new(&context.folder.experiences())
}

/// Returns the experiences that were not removed, oldest first.
fn standing(context: &CliContext) -> Result<Vec<ExperienceLine>, CommandFailure> {
    let unusable = |error| FolderError::unusable(&context.folder.experiences(), &error);
    Ok(file(context).read().map_err(unusable)?.read)
}

/// Returns the experience of the task that the filter names.
fn found(
    mut lines: Vec<ExperienceLine>,
    which: &ExperienceFilter,
) -> Result<ExperienceLine, CommandFailure> {
    let word = which.task.trim();
    let full = if word.starts_with("task_") { word.to_owned() } else { format!("task_{word}") };
    let is_meant =
        |line: &ExperienceLine| !word.is_empty() && line.task_id.as_str().starts_with(&full);
    let meant: Vec<usize> =
        (0..lines.len()).filter(|at| lines.get(*at).is_some_and(is_meant)).collect();
    match meant.as_slice() {
        [at] => Ok(lines.swap_remove(*at)),
        [] => Err(unknown(&lines, word, &full)),
        [first, second, ..] => {
            let id = |at: &usize| lines.get(*at).map_or("", |line| line.task_id.as_str());
            let (first, second) = (id(first), id(second));
            let words = (
                format!("`{word}` matches several tasks: {first}, {second} …"),
                format!("`{word}` 匹配多个任务：{first}、{second} …"),
            );
            Err(CommandFailure::usage("ambiguous_task", words))
        }
    }
}

/// Reports a task without an experience, and suggests similar ids.
fn unknown(lines: &[ExperienceLine], word: &str, full: &str) -> CommandFailure {
    let ids = || lines.iter().rev().map(|line| line.task_id.as_str());
    let mut close = near(full, ids());
    if close.is_empty() {
        close = ids().take(3).map(str::to_owned).collect();
    }
    let words = (format!("nothing stored for task `{word}`"), format!("没有任务 `{word}` 的记录"));
    let failure = CommandFailure::new(Exit::NotFound, "no_experience", words);
    if close.is_empty() {
        return failure;
    }
    let (en, zh) = (close.join(", "), close.join("、"));
    failure.next((format!("available: {en}"), format!("可用：{zh}")))
}

fn remove(
    context: &CliContext,
    lines: Vec<ExperienceLine>,
    (which, part): (&ExperienceFilter, ForgottenPart),
) -> Result<(), CommandFailure> {
    let task = found(lines, which)?.task_id;
    let unusable = |error| FolderError::unusable(&context.folder.experiences(), &error);
    file(context).remove(&task, part).map_err(unusable)?;
    let (en, zh) = match part {
        ForgottenPart::Experience => ("removed the experience of", "已删除经验"),
        ForgottenPart::Plan => ("removed the cached plan of", "已删除缓存的计划"),
    };
    note!("{} {task}", say(context.lang, en, zh));
    Ok(())
}

fn list(context: &CliContext, lines: &[ExperienceLine], few: &ListLimit) {
    if lines.is_empty() && !context.json {
        return note!("{}", context.say("nothing stored yet", "暂无记录"));
    }
    for line in lines.iter().rev().take(few.limit as usize) {
        if context.json {
            out!("{}", json!(line));
            continue;
        }
        let taught = &line.experience;
        let when = line.at.map(|at| at.to_string()).unwrap_or_default();
        let mark = Paint(context.colors).faint(&cut(&chain(taught), 60));
        let (kind, summary) =
            (pad(category(taught.category, context.lang), 8), &taught.quick_summary);
        out!(
            "{} {}  {kind} {}  {} {mark}",
            pad(&when, 24),
            line.task_id,
            scores(taught),
            cut(summary, 60)
        );
    }
}

fn show(context: &CliContext, line: &ExperienceLine) {
    if context.json {
        return out!("{}", json!(line));
    }
    let taught = &line.experience;
    out!(
        "{}  {}",
        Paint(context.colors).bold(line.task_id.as_str()),
        category(taught.category, context.lang)
    );
    let tell = |en: &str, zh: &str, words: &str| {
        if !words.is_empty() {
            out!("  {} {}", pad(&context.say(en, zh), 12), sanitize(words, MOST_CHARS));
        }
    };
    tell("when", "时间", &line.at.map(|at| at.to_string()).unwrap_or_default());
    tell(
        "scores",
        "评分",
        &context.say(
            format!("{} (completion/efficiency/tools)", scores(taught)),
            format!("{}（完成度/效率/工具使用）", scores(taught)),
        ),
    );
    tell("intent", "意图", &taught.intention);
    tell("task", "任务", &taught.task);
    tell("summary", "摘要", &taught.quick_summary);
    tell("experience", "经验", &taught.experience);
    tell("tools", "工具", &chain(taught));
    let plan = taught.case.as_ref().and_then(|case| case.plan.as_ref());
    let kept = plan.map(|_| format!("praxis cache show {}", line.task_id));
    tell("plan", "计划", &kept.unwrap_or_default());
    if taught.defaulted {
        tell(
            "note",
            "说明",
            &context.say("the model's answer could not be used", "模型的回答无法使用"),
        );
    }
}

/// Returns the scores as `90/80/70`: completion, efficiency, tool usage.
pub(super) fn scores(taught: &Experience) -> String {
    let Experience { task_completion, execution_efficiency, tool_usage, .. } = taught;
    format!("{task_completion}/{execution_efficiency}/{tool_usage}")
}

/// Returns the tools in the order of the plan.
fn chain(taught: &Experience) -> String {
    let tools = taught.case.iter().flat_map(|case| &case.tools);
    tools.map(ToolId::as_str).collect::<Vec<_>>().join(" -> ")
}

pub(super) fn category(category: ExperienceCategory, lang: Lang) -> &'static str {
    match category {
        ExperienceCategory::SolvingIdeas => say(lang, "solution", "可行方法"),
        ExperienceCategory::ReflectionSuggestions => say(lang, "lesson", "反思教训"),
    }
}
